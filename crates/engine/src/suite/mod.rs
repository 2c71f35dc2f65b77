//! Plays the games of a run.

mod archive;
mod bot_files;
mod core_claims;
mod game;
mod jobs;
mod pool;

pub use self::archive::Archive;
pub use self::bot_files::{BotFiles, copy_whole};
pub use self::core_claims::CoreClaims;
pub use self::jobs::{undisturbed_jobs, usable_cpus};
pub use self::pool::{Entrant, Pool, PoolError};
