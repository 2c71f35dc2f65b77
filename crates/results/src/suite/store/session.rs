//! Where the games of a run were played.

use serde::{Deserialize, Serialize};

use crate::gamelog::Machine;

/// A session of a run: the games that one process played on one machine. A line of `sessions.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its number, from 1; results name it.
    pub number: u32,
    /// When it was begun, in UTC.
    pub started: jiff::Timestamp,
    /// The version of the referee.
    pub referee: String,
    /// The name of the machine.
    pub host: String,
    /// The model of its processors, if the kernel reports it.
    pub cpu: String,
    /// The host that played the session.
    #[serde(flatten)]
    pub machine: Machine,
    /// The containment method of the bots.
    pub containment: String,
    /// How many cores of its own each bot had; `None` if the system placed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_per_bot: Option<u16>,
}
