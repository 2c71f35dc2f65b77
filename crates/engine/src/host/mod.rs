//! Finds out about this host: what it offers for containment, and how much it disturbs measured times.

mod check;
mod probe;

pub use self::check::{HostError, check_host};
pub use self::probe::probe_host;
