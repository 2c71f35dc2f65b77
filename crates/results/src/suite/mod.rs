//! Many boards, several bots: plans, runs that survive a kill, shards that several machines play.
//!
//! A [`Plan`] says what is to be played and gives each game a number. A [`RunFolder`] keeps the
//! plan and the [`Outcome`] of each finished game, which a [`RunWriter`] adds. [`Summary`] adds up the
//! outcomes, and [`compare`](crate::compare) pairs the outcomes of two bots; both read a run and touch no game.
//!
//! Whatever a bot does is an outcome. This module plays nothing, shows nothing and asks nobody.

mod files;
mod outcome;
mod plan;
mod records;
mod store;
mod summary;
mod verify;

#[doc(hidden)]
pub use self::files::{NEW, check_place, link_target, make_folder, replace, write_whole};
pub use self::outcome::{
    ANSWERED_EARLY, FIRST_GAMES, Loss, NotPlayed, Outcome, Seat, SuiteVerdict, Times, loss_kind,
};
#[cfg(test)]
pub(crate) use self::plan::test_plan;
pub use self::plan::{
    Assignment, BoardId, Case, CaseError, MAX_GAMES, Margin, MarginError, Plan, PlannedBoard,
    PlannedBot, RecordId, Rules, Seats, Seeds, SeedsError, Shard,
};
pub use self::records::{Best, Bests, Record, Records, RecordsError};
#[doc(hidden)]
pub use self::store::packed_log;
pub use self::store::{
    Commit, FolderError, GameSet, Logs, Opponent, OutBot, Outcomes, Packing, Run, RunFolder,
    RunWriter, Session, merge,
};
pub use self::summary::{
    Listing, NewBest, Points, Summary, Tally, Totals, differing_places, list_runs,
};
pub use self::verify::{Disagreement, Verified, verify};
