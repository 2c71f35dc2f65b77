//! Probes this host: which containment it offers, and how much it disturbs measured times.

mod check;
mod probe;

pub use self::check::{HostError, check_host};
pub use self::probe::probe_host;
