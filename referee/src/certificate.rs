//! What an exchange cost a bot, and what it had to wait for: the process layer measures it, and the log
//! keeps it as it is.

use serde::{Deserialize, Serialize};

use crate::millis::Millis;

/// What an exchange cost a bot, and what it had to wait for; absent is what the kernel does not tell.
///
/// All threads count, those of processes that the bot has started included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// CPU time of all threads.
    #[serde(default, rename = "cpu_ms", skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Millis>,
    /// CPU time of the busiest thread.
    #[serde(default, rename = "busiest_cpu_ms", skip_serializing_if = "Option::is_none")]
    pub busiest_cpu: Option<Millis>,
    /// The longest time that one thread waited for a core while it could have run.
    #[serde(default, rename = "wait_ms", skip_serializing_if = "Option::is_none")]
    pub wait: Option<Millis>,
    /// By how much the referee may have seen the reply too late, because it waited for a core or
    /// overslept its deadline; at most what neither computing nor the bot's own waits explain.
    #[serde(default, rename = "referee_wait_ms", skip_serializing_if = "Option::is_none")]
    pub referee_wait: Option<Millis>,
    /// How often threads were switched to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_switches: Option<u64>,
    /// Page faults, minor and major.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_faults: Option<u64>,
    /// The most memory resident at one time since the bot started, in bytes.
    #[serde(default, rename = "peak_memory_bytes", skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
}
