//! The folder of a run: its plan, its sessions, and the outcome of each finished game; written so that it survives a kill.

mod comment;
mod commit;
mod folder;
mod game_set;
mod here;
mod logs;
mod merge;
mod outcomes;
mod session;
mod writer;

pub use self::commit::Commit;
pub(super) use self::folder::RUN;
pub use self::folder::{FolderError, Opponent, OutBot, Run, RunFolder};
pub use self::game_set::GameSet;
pub use self::logs::{Logs, Packing, packed_log};
pub use self::merge::merge;
pub use self::outcomes::Outcomes;
pub use self::session::Session;
pub use self::writer::RunWriter;
