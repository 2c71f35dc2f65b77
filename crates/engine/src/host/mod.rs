//! Probes this host: which containment it offers, how much it disturbs measured times, its cores and their load.

mod check;
mod cores;
mod load;
mod probe;

pub use self::check::{HostError, check_host};
pub use self::cores::usable_cpus;
pub(crate) use self::cores::{CoreClaims, physical_cores};
pub(crate) use self::load::overload;
pub use self::probe::probe_host;
