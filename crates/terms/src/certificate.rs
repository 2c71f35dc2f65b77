//! The certificate of an exchange: what it cost a bot, and how long the bot had to wait. The process layer
//! measures it, and the log stores it unchanged.

use std::time::Duration;

use crate::millis::Millis;

/// What an exchange cost a bot, and how long the bot had to wait. `None` if the kernel does not report it.
///
/// All threads count, including threads of processes that the bot has started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Certificate {
    /// CPU time of all threads and processes, including those that have ended and were waited for.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "cpu_ms", skip_serializing_if = "Option::is_none")
    )]
    pub cpu: Option<Millis>,
    /// CPU time of the busiest thread.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "busiest_cpu_ms", skip_serializing_if = "Option::is_none")
    )]
    pub busiest_cpu: Option<Millis>,
    /// The longest time for which one thread was runnable but waited for a core.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "wait_ms", skip_serializing_if = "Option::is_none")
    )]
    pub wait: Option<Millis>,
    /// The referee's delay in seeing the reply, at most, because it waited for a core or overslept its
    /// deadline; never more than the time in which the bot did not compute.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "referee_wait_ms", skip_serializing_if = "Option::is_none")
    )]
    pub referee_wait: Option<Millis>,
    /// How the wall time was spent; only for an exchange that was late or disturbed.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub parts: Option<Parts>,
    /// The number of context switches to these threads.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub context_switches: Option<u64>,
    /// Page faults, minor and major.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub page_faults: Option<u64>,
    /// The peak resident memory since the bot started, in bytes.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "peak_memory_bytes", skip_serializing_if = "Option::is_none")
    )]
    pub peak_memory: Option<u64>,
}

/// How the wall time of an exchange was spent. The parts add up to it; no time counts twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parts {
    /// Computing by any thread of the bot, at most the time left by the other parts.
    #[cfg_attr(feature = "serde", serde(rename = "computed_ms"))]
    pub computed: Millis,
    /// A thread of the bot was ready to run, but others had its core.
    #[cfg_attr(feature = "serde", serde(rename = "kept_waiting_ms"))]
    pub kept_waiting: Millis,
    /// The machine stalled.
    #[cfg_attr(feature = "serde", serde(rename = "taken_ms"))]
    pub taken: Millis,
    /// The referee waited for a core, and so was late to send the input or to see the reply.
    #[cfg_attr(feature = "serde", serde(rename = "referee_ms"))]
    pub referee: Millis,
    /// No thread wanted a core.
    #[cfg_attr(feature = "serde", serde(rename = "asleep_ms"))]
    pub asleep: Millis,
    /// Unexplained time; it does not excuse the bot.
    #[cfg_attr(feature = "serde", serde(rename = "unknown_ms"))]
    pub unknown: Millis,
}

impl Parts {
    /// The time that the bot did not cause.
    pub fn excused(&self) -> Duration {
        self.kept_waiting.0 + self.taken.0 + self.referee.0
    }

    /// The wall time: the sum of all parts.
    pub fn wall(&self) -> Duration {
        self.excused() + self.computed.0 + self.asleep.0 + self.unknown.0
    }
}
