//! Explains which limit on its resources a bot has gone beyond.

use contain::system::stack_limits;
use results::gamelog::Turn;
use terms::limits::{Breach, LimitKind, Resource, Resources};
use terms::text::{duration, size};
use terms::verdict::{BotExit, NoReply, SIGSEGV, SIGXCPU, SIGXFSZ};

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

/// Names the limit on the stack, with what sets it, if the bot's end points to it. Most programs that need more stack than there is do so
/// at once; a later SIGSEGV is more likely another mistake.
pub(super) fn of_stack(turn: &Turn, is_first: bool, settings: &Resources) -> Option<String> {
    // A shell that waits for the program exits with 128 and the signal's number.
    const STATUS: i32 = 128 + SIGSEGV;
    let NoReply::Ended(BotExit::Signal(SIGSEGV) | BotExit::Code(STATUS)) = turn.no_reply? else {
        return None;
    };
    if !is_first && turn.limit != LimitKind::Total {
        return None;
    }
    // A setting replaces the soft limit, but cannot exceed the hard one.
    let (limit, by) = match (settings.stack, stack_limits()) {
        (None, (soft, _)) => (soft?, "by the shell (`ulimit -s`; --stack changes it)"),
        (Some(set), (_, Some(hard))) if hard < set => (hard, "by the shell (`ulimit -Hs`)"),
        (Some(set), _) => (set, "by --stack"),
    };
    Some(format!("its stack is limited to {} {by}", size(limit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::verdict::SIGKILL;

    #[test]
    fn a_limit_on_the_stack_is_named_where_it_may_be_the_cause() {
        let settings = Resources { stack: Some(1 << 16), ..Resources::default() };
        let said = |exit, is_first| {
            let no_reply = Some(NoReply::Ended(exit));
            of_stack(&Turn { no_reply, ..super::super::made::turn() }, is_first, &settings)
        };
        let limited = Some("its stack is limited to 64 KiB by --stack".to_owned());
        for exit in [BotExit::Signal(SIGSEGV), BotExit::Code(128 + SIGSEGV)] {
            assert_eq!((said(exit, true), said(exit, false)), (limited.clone(), None));
        }
        for exit in [BotExit::Signal(SIGKILL), BotExit::Code(1), BotExit::Code(0)] {
            assert_eq!(said(exit, true), None);
        }
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
