//! Many boards, several bots: plans, runs that survive a kill, shards that are joined again.
//!
//! A [`Plan`] says what is to be played and gives each game a number. A [`RunFolder`] keeps the plan
//! and the [`Outcome`] of each finished game. A [`Pool`] plays the games that have no result yet, each
//! through [`play`](crate::play). What the outcomes come to is added up by [`Summary`], and
//! [`compare`](crate::compare) pairs those of two bots; both read a run and touch no game.
//!
//! Whatever a bot does is an outcome. This module shows nothing and asks nobody.

mod archive;
mod bot_files;
mod core_claims;
mod folder;
mod game;
mod game_set;
mod jobs;
mod margin;
mod merge;
mod outcome;
mod part;
mod places;
mod plan;
mod pool;
mod records;
mod shard;
mod summary;
mod writer;

pub use self::archive::{Archive, Logs, Packing, bundles, kept_log};
pub use self::bot_files::BotFiles;
pub use self::core_claims::CoreClaims;
pub use self::folder::{FolderError, Opponent, Outcomes, Run, RunFolder};
pub use self::game_set::GameSet;
pub use self::jobs::undisturbed_jobs;
pub use self::margin::Margin;
pub use self::merge::{MergeError, Merged, merge};
pub use self::outcome::{NotPlayed, Outcome, SuiteVerdict, Times};
pub use self::part::Part;
pub use self::places::differing_places;
#[cfg(test)]
pub(crate) use self::plan::test_plan;
pub use self::plan::{Assignment, Case, CaseError, Plan, PlannedBoard, PlannedBot, Rules, Seeds};
pub use self::pool::{Entrant, Pool, PoolError};
pub use self::records::{Best, Bests, Record, Records, RecordsError};
pub use self::shard::Shard;
pub use self::summary::{Loss, NewBest, Summary, Tally, loss_kind, records_of};
pub use self::writer::RunWriter;
