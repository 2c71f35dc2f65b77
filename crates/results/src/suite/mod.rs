//! Many boards, several bots: plans, runs that survive a kill, parts that several machines play.
//!
//! A [`Plan`] says what is to be played and gives each game a number. A [`RunFolder`] keeps the
//! plan and the [`Outcome`] of each finished game, which a [`RunWriter`] adds. [`Summary`] adds up the
//! outcomes, and [`compare`](crate::compare) pairs those of two bots; both read a run and touch no game.
//!
//! Whatever a bot does is an outcome. This module plays nothing, shows nothing and asks nobody.

mod comment;
mod commit;
mod files;
mod folder;
mod game_set;
mod here;
mod ids;
mod listing;
mod logs;
mod loss;
mod margin;
mod merge;
mod outcome;
mod outcomes;
mod places;
mod plan;
mod planned_bot;
mod recording;
mod records;
mod removal;
mod seeds;
mod session;
mod shuffle;
mod summary;
mod tally;
mod verify;
mod writer;

pub use self::commit::Commit;
#[doc(hidden)]
pub use self::files::{link_target, write_whole};
pub use self::folder::{FolderError, Opponent, Run, RunFolder};
pub use self::game_set::GameSet;
pub use self::ids::{BoardId, RecordId};
pub use self::listing::{Listing, list_runs};
#[doc(hidden)]
pub use self::logs::{BUNDLES, bundle_path, log_path, packed_log};
pub use self::logs::{Logs, Packing, kept_log};
pub use self::loss::{Loss, loss_kind};
pub use self::margin::{Margin, MarginError};
pub use self::merge::merge;
pub use self::outcome::{NotPlayed, Outcome, SuiteVerdict, Times};
pub use self::outcomes::Outcomes;
pub use self::places::{NoisyHost, differing_places, noisy_hosts};
#[cfg(test)]
pub(crate) use self::plan::test_plan;
pub use self::plan::{Assignment, Case, CaseError, MAX_GAMES, Plan, PlannedBoard, Rules};
pub use self::planned_bot::PlannedBot;
pub use self::records::{Best, Bests, Record, Records, RecordsError};
#[doc(hidden)]
pub use self::removal::BUNDLE;
pub use self::removal::{Contents, remove_remains};
pub use self::seeds::{Seeds, SeedsError};
pub use self::session::Session;
pub use self::summary::{NewBest, Summary};
pub use self::tally::{Points, Tally};
pub use self::verify::{Disagreement, Verified, verify};
pub use self::writer::RunWriter;
