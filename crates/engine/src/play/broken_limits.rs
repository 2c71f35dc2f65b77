//! Explains which limit on its resources a bot has gone beyond.

use contain::system::Inherited as InheritedLimit;
use results::gamelog::Turn;
use terms::limits::{Breach, LimitKind, Resource, Resources};
use terms::text::{duration, size};
use terms::verdict::{BotExit, NoReply, SIGABRT, SIGBUS, SIGKILL, SIGSEGV, SIGXCPU, SIGXFSZ};

/// What the bot used, and the limit that it went beyond.
pub(super) fn over_limit(&Breach { resource, used, limit }: &Breach) -> String {
    match resource {
        Resource::Memory => {
            let (used, limit) = (size(used), size(limit));
            format!("the bot used {used} of memory; its limit is {limit} (--memory)")
        }
        Resource::Processes => format!(
            "the bot had {used} processes and threads; its limit is {limit} (`processes` in the settings)"
        ),
        Resource::TurnOutput => format!(
            "the bot wrote {} in one turn; its limit is {} (`turn-output` in the settings)",
            size(used),
            size(limit)
        ),
        Resource::GameOutput => format!(
            "the bot has written {}; its limit for a game is {} (`game-output` in the settings)",
            size(used),
            size(limit)
        ),
        other => format!("the bot used {used} of {other}; its limit is {limit}"),
    }
}

/// Explains SIGXCPU and SIGXFSZ by the settings.
pub(super) fn kernel_limit(turn: &Turn, resources: &Resources) -> Option<String> {
    match turn.no_reply? {
        NoReply::Ended(BotExit::Signal(SIGXCPU)) => {
            let limit = duration(resources.cpu_time?.0);
            Some(format!("its CPU time is limited to {limit} (`cpu-time` in the settings)"))
        }
        NoReply::Ended(BotExit::Signal(SIGXFSZ)) => {
            let limit = size(resources.file_size?);
            Some(format!("each of its files is limited to {limit} (`file-size` in the settings)"))
        }
        _ => None,
    }
}

/// Limits of the kernel that the bot inherits through the referee, from a shell for example, if they are stricter than the
/// settings.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Inherited {
    /// Seconds of CPU time.
    cpu_time: Option<u64>,
    file_size: Option<u64>,
    address_space: Option<u64>,
    /// The limit, and what sets it, which may be a setting too.
    stack: Option<(u64, &'static str)>,
}

/// What sets the limit on the stack: the shell where nothing else does, the hard limit of the shell, or a setting.
const STACK_OF_SHELL: &str = "by the shell (`ulimit -s`; --stack changes it)";
const HARD_STACK: &str = "by the shell (`ulimit -Hs`)";
const SET_STACK: &str = "by --stack";

impl Inherited {
    /// The limits of this process, besides these settings.
    pub(super) fn here(settings: &Resources) -> Self {
        // A setting replaces the soft limit, but cannot exceed the hard one.
        let limit = |inherited: InheritedLimit, setting: Option<u64>| {
            let (current, maximum) = inherited.limits();
            match setting {
                Some(setting) => maximum.filter(|maximum| *maximum < setting),
                None => current,
            }
        };
        let stack = match (settings.stack, limit(InheritedLimit::Stack, settings.stack)) {
            (None, shells) => shells.map(|shells| (shells, STACK_OF_SHELL)),
            (Some(_), Some(hard)) => Some((hard, HARD_STACK)),
            (Some(set), None) => Some((set, SET_STACK)),
        };
        let cpu_time = settings.cpu_time.map(|time| time.0.as_secs().max(1));
        Self {
            cpu_time: limit(InheritedLimit::CpuTime, cpu_time),
            file_size: limit(InheritedLimit::FileSize, settings.file_size),
            address_space: limit(InheritedLimit::AddressSpace, None),
            stack,
        }
    }

    /// Names the limit that a runtime may not start under: it says so wherever it likes.
    pub(super) fn of_start(&self) -> Option<String> {
        const USUAL_BYTES: u64 = 16 << 30;
        self.address_space.filter(|limit| *limit < USUAL_BYTES).map(of_address_space)
    }

    /// Names the limit that the bot's end points to. Most programs that need more stack than there is do so at once; a later SIGSEGV is
    /// more likely another mistake.
    pub(super) fn of_end(&self, turn: &Turn, is_first: bool) -> Option<String> {
        let Some(NoReply::Ended(exit)) = turn.no_reply else { return None };
        // A shell that waits for the program exits with 128 and the signal's number.
        let exit = match exit {
            BotExit::Code(status @ 129..160) => BotExit::Signal(status - 128),
            exit => exit,
        };
        let may_be_stack = is_first || turn.limit == LimitKind::Total;
        match exit {
            BotExit::Signal(SIGXCPU | SIGKILL) => {
                let limit = self.cpu_time?;
                Some(format!("its CPU time is limited to {limit} s by the shell (`ulimit -t`)"))
            }
            BotExit::Signal(SIGXFSZ) => {
                let limit = size(self.file_size?);
                Some(format!("each of its files is limited to {limit} by the shell (`ulimit -f`)"))
            }
            BotExit::Signal(SIGABRT | SIGBUS | SIGSEGV) if self.address_space.is_some() => {
                self.address_space.map(of_address_space)
            }
            BotExit::Code(1..) if is_short_of_memory(&turn.stderr.0) => {
                self.address_space.map(of_address_space)
            }
            BotExit::Signal(SIGSEGV) if may_be_stack => {
                let (limit, by) = self.stack?;
                Some(format!("its stack is limited to {} {by}", size(limit)))
            }
            _ => None,
        }
    }
}

fn of_address_space(limit: u64) -> String {
    let limit = size(limit);
    format!("its address space is limited to {limit} by the shell (`ulimit -v`)")
}

/// Whether a program's last words are about memory that it did not get.
fn is_short_of_memory(stderr: &[u8]) -> bool {
    const WORDS: [&str; 6] = [
        "MemoryError",
        "OutOfMemory",
        "bad_alloc",
        "Cannot allocate memory",
        "memory allocation",
        "out of memory",
    ];
    let text = String::from_utf8_lossy(stderr);
    WORDS.iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_the_shell_is_named_where_it_may_be_the_cause() {
        use results::gamelog::Bytes;

        let shell = Inherited {
            cpu_time: Some(2),
            file_size: Some(1 << 20),
            address_space: Some(1 << 28),
            stack: Some((8 << 20, STACK_OF_SHELL)),
        };
        let stack = Inherited { address_space: None, ..shell };
        let ended = |exit, stderr: &str| {
            let (no_reply, stderr) = (Some(NoReply::Ended(exit)), Bytes(stderr.into()));
            Turn { no_reply, stderr, ..super::super::made::turn() }
        };
        let (by_signal, by_status) = (BotExit::Signal, BotExit::Code);
        for (inherited, exit, stderr, expected) in [
            (
                shell,
                by_signal(SIGXCPU),
                "",
                "CPU time is limited to 2 s by the shell (`ulimit -t`)",
            ),
            (
                shell,
                by_signal(SIGKILL),
                "",
                "CPU time is limited to 2 s by the shell (`ulimit -t`)",
            ),
            (
                shell,
                by_status(128 + SIGXFSZ),
                "",
                "files is limited to 1 MiB by the shell (`ulimit -f`)",
            ),
            (
                shell,
                by_signal(SIGSEGV),
                "",
                "space is limited to 256 MiB by the shell (`ulimit -v`)",
            ),
            (shell, by_status(1), "MemoryError\n", "space is limited to 256 MiB by the shell"),
            (
                stack,
                by_signal(SIGSEGV),
                "",
                "its stack is limited to 8 MiB by the shell (`ulimit -s`; --stack changes it)",
            ),
        ] {
            let turn = ended(exit, stderr);
            let said = inherited.of_end(&turn, true);
            assert!(said.as_ref().is_some_and(|said| said.contains(expected)), "{exit}: {said:?}");
            assert_eq!(Inherited::default().of_end(&turn, true), None);
        }
        for (exit, stderr) in [(by_status(1), "ValueError"), (by_status(0), "MemoryError")] {
            assert_eq!(shell.of_end(&ended(exit, stderr), false), None);
        }
        assert_eq!(stack.of_end(&ended(by_signal(SIGSEGV), ""), false), None);
        assert!(shell.of_start().is_some_and(|said| said.contains("256 MiB by the shell")));
        let usual = Inherited { address_space: Some(1 << 40), ..Inherited::default() };
        assert_eq!(usual.of_start(), None);
    }

    #[test]
    fn each_limit_is_named_with_what_was_used() {
        use std::time::Duration;
        use terms::millis::Millis;

        for (resource, expected) in [
            (Resource::Memory, "the bot used 2 MB of memory; its limit is 1 MB (--memory)"),
            (
                Resource::Processes,
                "the bot had 2000000 processes and threads; its limit is 1000000 (`processes` in the settings)",
            ),
            (
                Resource::TurnOutput,
                "the bot wrote 2 MB in one turn; its limit is 1 MB (`turn-output` in the settings)",
            ),
            (
                Resource::GameOutput,
                "the bot has written 2 MB; its limit for a game is 1 MB (`game-output` in the settings)",
            ),
        ] {
            assert_eq!(
                over_limit(&Breach { resource, used: 2_000_000, limit: 1_000_000 }),
                expected
            );
        }
        let cpu_time = Some(Millis(Duration::from_secs(3)));
        let limited = Resources { cpu_time, file_size: Some(5000), ..Resources::default() };
        let by = |signal, resources| {
            let no_reply = Some(NoReply::Ended(BotExit::Signal(signal)));
            kernel_limit(&Turn { no_reply, ..super::super::made::turn() }, resources)
        };
        let none = Resources::default();
        for (signal, expected) in [
            (SIGXCPU, "its CPU time is limited to 3 s (`cpu-time` in the settings)"),
            (SIGXFSZ, "each of its files is limited to 5 kB (`file-size` in the settings)"),
        ] {
            assert_eq!(by(signal, &limited).as_deref(), Some(expected));
            assert_eq!(by(signal, &none), None);
        }
        assert_eq!(by(SIGKILL, &limited), None);
    }
}
