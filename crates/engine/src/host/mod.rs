//! Probes this host: which containment it offers, how much it disturbs measured times, and its cores.

mod check;
mod cores;
mod probe;

pub use self::check::{HostError, check_host};
pub use self::cores::usable_cpus;
pub(crate) use self::cores::{CoreClaims, physical_cores};
pub use self::probe::probe_host;
