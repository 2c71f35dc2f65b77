//! The vocabulary for how a game and a bot can end, shared by all layers.
//!
//! A verdict tells the truth. What the original referee would have said is the official
//! wording, which each game provides itself.

use std::fmt;

use crate::limits::{Breach, Resource};

/// A failed assertion, or `abort()`; the numbers of signals are Linux's on every system.
pub const SIGABRT: i32 = 6;
/// An address that cannot be read.
pub const SIGBUS: i32 = 7;
/// A kill.
pub const SIGKILL: i32 = 9;
/// An invalid address, or no room on the stack.
pub const SIGSEGV: i32 = 11;
/// Beyond the limit on CPU time.
pub const SIGXCPU: i32 = 24;
/// Beyond the limit on a file's size.
pub const SIGXFSZ: i32 = 25;
/// A system call that a filter does not take.
pub const SIGSYS: i32 = 31;

/// Linux's signals from 1 on, without their `SIG`. Logs hold numbers, and are read on systems that number signals differently.
const SIGNAL_NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// How a game ended.
///
/// ```
/// use std::collections::BTreeMap;
/// use terms::verdict::{BotExit, NoReply, Verdict};
///
/// let mut games = BTreeMap::from([(Verdict::Completed, 1)]);
/// *games.entry(NoReply::Ended(BotExit::Signal(11)).verdict()).or_default() += 1;
/// assert_eq!(games[&Verdict::Crash], 1);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Verdict {
    /// The bot played to the end of the game.
    #[default]
    Completed,
    /// A reply was understood, but the rules forbid it.
    IllegalMove,
    /// A reply could not be understood.
    MalformedReply,
    /// The game's judge ended it against the bot, and does not say whether the reply was malformed or illegal.
    Lost,
    /// A reply did not come before its deadline.
    Timeout,
    /// A reply was longer than the original referee reads.
    LineTooLong,
    /// The bot failed: an exit status other than 0, or a signal.
    Crash,
    /// The bot ended with exit status 0 although a reply was still awaited.
    EarlyExit,
    /// The bot closed its standard output and went on running.
    StdoutClosed,
    /// The bot used more memory than allowed.
    MemoryLimit,
    /// The bot had more processes and threads than allowed.
    ProcessLimit,
    /// The bot wrote more output than allowed.
    OutputLimit,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "completed",
            Self::IllegalMove => "illegal move",
            Self::MalformedReply => "malformed reply",
            Self::Lost => "lost",
            Self::Timeout => "timeout",
            Self::LineTooLong => "line too long",
            Self::Crash => "crash",
            Self::EarlyExit => "early exit",
            Self::StdoutClosed => "stdout closed",
            Self::MemoryLimit => "memory limit",
            Self::ProcessLimit => "process limit",
            Self::OutputLimit => "output limit",
        })
    }
}

/// Why an exchange ended without a complete reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum NoReply {
    /// The deadline passed.
    Deadline,
    /// The reply was longer than the rules allow.
    LineTooLong,
    /// The bot closed its standard output and went on running.
    StdoutClosed,
    /// The bot's process ended.
    Ended(BotExit),
    /// The bot exceeded the limit of a resource.
    OverLimit(Breach),
}

impl NoReply {
    /// The verdict on a bot that gave no reply for this reason.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Deadline => Verdict::Timeout,
            Self::LineTooLong => Verdict::LineTooLong,
            Self::StdoutClosed => Verdict::StdoutClosed,
            Self::Ended(BotExit::Code(0)) => Verdict::EarlyExit,
            Self::Ended(_) => Verdict::Crash,
            Self::OverLimit(breach) => match breach.resource {
                Resource::Memory => Verdict::MemoryLimit,
                Resource::Processes => Verdict::ProcessLimit,
                Resource::TurnOutput | Resource::GameOutput => Verdict::OutputLimit,
            },
        }
    }
}

impl fmt::Display for NoReply {
    /// A verb phrase: `gave no whole reply in time`, `exited with status 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline => f.write_str("gave no whole reply in time"),
            Self::LineTooLong => f.write_str("wrote too long a reply"),
            Self::StdoutClosed => f.write_str("closed its standard output"),
            Self::Ended(exit) => exit.fmt(f),
            Self::OverLimit(breach) => write!(f, "went beyond its limit on {}", breach.resource),
        }
    }
}

/// Whose fault it is that a reply was late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case", from = "LoggedCulprit")
)]
pub enum Culprit {
    /// The bot needed longer than it had.
    Bot,
    /// The reply would have been in time if neither bot nor referee had waited for a core.
    Host,
}

/// A culprit in a log. Version 1 also named seats whose bots computed although they were stopped.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum LoggedCulprit {
    Bot,
    Host,
    Seat(#[expect(dead_code, reason = "it counts as the host")] usize),
}

#[cfg(feature = "serde")]
impl From<LoggedCulprit> for Culprit {
    fn from(logged: LoggedCulprit) -> Self {
        match logged {
            LoggedCulprit::Bot => Self::Bot,
            LoggedCulprit::Host | LoggedCulprit::Seat(_) => Self::Host,
        }
    }
}

/// The decision on a late reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Decision {
    /// The reply is a timeout.
    Timeout,
    /// The reply counts: the host was at fault, and either the referee itself polled too late to tell, or the user chose to accept
    /// replies that the host made late.
    Accepted,
    /// The reply counts, as one of those that the profile forgives.
    Forgiven,
    /// The reply counts, because the game only measures times.
    Measured,
}

/// A late reply, or one that never came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Overrun {
    /// Whose fault it is.
    pub culprit: Culprit,
    /// What became of the late reply.
    pub decision: Decision,
}

/// How a bot's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum BotExit {
    /// It exited with this status: 0 to 255, on Windows any number. There a program that crashes exits with the code of its exception.
    Code(i32),
    /// A signal of this number killed it.
    Signal(i32),
    /// It has ended, but a tracer hides its exit status.
    Unknown,
}

/// The exit code of a program of Windows that its console has ended.
const CONTROL_C_EXIT: u32 = 0xC000_013A;

impl BotExit {
    /// Whether its console has ended it, by Ctrl-Break for instance: then the referee, which has the same one, is told too.
    pub fn is_by_console(self) -> bool {
        matches!(self, Self::Code(code) if code.cast_unsigned() == CONTROL_C_EXIT)
    }
}

/// The exceptions of Windows with which programs crash.
fn exception_name(code: i32) -> Option<&'static str> {
    Some(match code.cast_unsigned() {
        0x8000_0003 => "breakpoint",
        0xC000_0005 => "access violation",
        0xC000_0017 => "no memory",
        0xC000_001D => "illegal instruction",
        0xC000_0094 => "integer division by zero",
        0xC000_00FD => "stack overflow",
        0xC000_0135 => "a DLL is missing",
        CONTROL_C_EXIT => "Ctrl-C",
        0xC000_0142 => "a DLL failed to start",
        0xC000_0374 => "heap corruption",
        0xC000_0409 => "stack buffer overrun, or abort",
        0xC000_041D => "exception in a callback",
        0xE06D_7363 => "C++ exception",
        _ => return None,
    })
}

fn signal_name(signal: i32) -> Option<&'static str> {
    let index = usize::try_from(signal).ok()?.checked_sub(1)?;
    SIGNAL_NAMES.get(index).copied()
}

impl fmt::Display for BotExit {
    /// A verb phrase: `exited with status 3`, `was killed by SIGSEGV`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => match exception_name(code) {
                Some(name) => write!(f, "crashed with {:#X} ({name})", code.cast_unsigned()),
                None => write!(f, "exited with status {code}"),
            },
            Self::Unknown => f.write_str("ended"),
            Self::Signal(signal) => match signal_name(signal) {
                Some(name) => write!(f, "was killed by SIG{name}"),
                None => write!(f, "was killed by signal {signal}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_on_windows_are_named() {
        for (code, words) in [
            (0, "exited with status 0"),
            (-1, "exited with status -1"),
            (-1_073_741_819, "crashed with 0xC0000005 (access violation)"),
        ] {
            assert_eq!(BotExit::Code(code).to_string(), words);
        }
    }

    #[test]
    fn signals_are_called_what_this_system_calls_them() {
        let known = (-1..=64)
            .filter_map(|number| Some((number, signal_hook::low_level::signal_name(number)?)));
        let known: Vec<_> = known.collect();
        assert!(known.len() > 20, "{known:?}");
        for (number, name) in known {
            assert_eq!(signal_name(number), name.strip_prefix("SIG"), "{number}");
        }
        assert_eq!((signal_name(-1), signal_name(0), signal_name(64)), (None, None, None));
    }
}
