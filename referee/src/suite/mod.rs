//! Many boards, several bots: plans, runs that survive a kill, shards that are joined again.
//!
//! A [`Plan`] says what is to be played and gives each game a number. A [`RunFolder`] keeps the plan
//! and the [`Outcome`] of each finished game. A [`Pool`] plays the games that have no result yet, each
//! through [`play`](crate::play). What the outcomes come to is added up by [`Summary`], and
//! [`compare`](crate::compare) pairs those of two bots; both read a run and touch no game.
//!
//! Whatever a bot does is an outcome. This module shows nothing and asks nobody.

mod folder;
mod game;
mod jobs;
mod keep;
mod merge;
mod outcome;
mod plan;
mod pool;
mod records;
mod summary;

pub use self::folder::{Against, FolderError, Played, Run, RunFolder, RunWriter};
pub use self::jobs::honest_jobs;
pub use self::keep::{Keeper, Logs, Packing, kept_log};
pub use self::merge::{MergeError, Merged, merge};
pub use self::outcome::{Ending, NotPlayed, Outcome, Times};
#[cfg(test)]
pub(crate) use self::plan::test_plan;
pub use self::plan::{
    Assignment, Case, CaseError, Plan, PlannedBoard, PlannedBot, Rules, Seeds, Shard,
};
pub use self::pool::{Pool, PoolError};
pub use self::records::{Best, Bests, Record, Records, RecordsError};
pub use self::summary::{Loss, NewBest, Summary, Tally, records_of};
