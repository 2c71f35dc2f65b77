//! What an exchange cost a bot, and how long it had to wait. The process layer measures it, and the log
//! stores it unchanged.

use serde::{Deserialize, Serialize};

use crate::millis::Millis;

/// What an exchange cost a bot, and how long it had to wait. `None` is what the kernel does not report.
///
/// All threads count, including those of processes that the bot has started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// CPU time of all threads.
    #[serde(default, rename = "cpu_ms", skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Millis>,
    /// CPU time of the busiest thread.
    #[serde(default, rename = "busiest_cpu_ms", skip_serializing_if = "Option::is_none")]
    pub busiest_cpu: Option<Millis>,
    /// The longest time that any one thread was runnable but waited for a core.
    #[serde(default, rename = "wait_ms", skip_serializing_if = "Option::is_none")]
    pub wait: Option<Millis>,
    /// How much too late the referee may have seen the reply because it waited for a core or overslept its
    /// deadline; at most the time that neither computing nor the bot's own waits explain.
    #[serde(default, rename = "referee_wait_ms", skip_serializing_if = "Option::is_none")]
    pub referee_wait: Option<Millis>,
    /// The number of context switches to these threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_switches: Option<u64>,
    /// Page faults, minor and major.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_faults: Option<u64>,
    /// The peak resident memory since the bot started, in bytes.
    #[serde(default, rename = "peak_memory_bytes", skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
}
