//! Playing the games of a run, and all else that takes the lock on its results. Linux only.

mod archive;
mod bot_files;
mod core_claims;
mod game;
mod here;
mod jobs;
mod pool;
mod recording;
mod removal;
mod writer;

pub use self::archive::Archive;
pub use self::bot_files::{BotFiles, copy_whole};
pub use self::core_claims::CoreClaims;
pub use self::jobs::{undisturbed_jobs, usable_cpus};
pub use self::pool::{Entrant, Pool, PoolError};
pub use self::removal::{remove_remains, size_of};
pub use self::writer::RunWriter;
