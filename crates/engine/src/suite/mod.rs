//! Plays the games of a run.
//!
//! A [`plan`] names the bots and the boards; its games are played into a run folder. An [`Observer`], such as a
//! closure, is told of each game as it ends:
//!
//! ```
//! use engine::config::Config;
//! use engine::suite::{RunPlayer, plan};
//! use results::suite::{Outcome, Plan, PlannedBoard, PlannedBot, Run, RunWriter};
//! use rules::score::shown;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # let folder = scratch.path().join("run");
//! # let mut scores = Vec::new();
//! // It answers each board, which has 15 rows, with the tile at the bottom left.
//! let bot = "while read -r row; do i=$((i + 1)); [ $((i % 15)) -eq 0 ] && echo 0 0; done";
//! let config = Config::resolve([])?;
//! let (name, board) = &config.game.bundled[1];
//! let board = PlannedBoard { name: name.to_owned(), set: None, test_case: board.to_owned() };
//!
//! let plan = plan(&config, vec![PlannedBot::new("bottom left", ["sh", "-c", bot])]);
//! let plan = Plan { boards: vec![board], repeat: 3, ..plan };
//! let mut run = RunWriter::create(&folder, Run::new(plan, None))?;
//! let mut observer = |game: &Outcome| println!("{}: {}", game.board, shown(game.score));
//! # let mut observer = |game: &Outcome| { observer(game); scores.push(game.score) };
//! RunPlayer::new(&mut run, &config).play(&mut observer)?;
//! # assert_eq!(scores, [Some(2857.into()); 3]);
//! # Ok(())
//! # }
//! ```
//!
//! If anything stops it, [`RunWriter::resume`](results::suite::RunWriter::resume) continues the run with the games
//! that have no result yet. Several machines can play a [shard](results::suite::Shard) each, in runs of their own, which
//! [`merge`](fn@results::suite::merge) puts together.

mod archive;
mod bot_files;
mod bots;
mod game;
mod hopeless;
mod jobs;
mod pool;
mod run_player;

pub use self::bot_files::check_program;
pub use self::bots::{BotError, plan, plan_now};
pub use self::hopeless::Hopeless;
pub use self::jobs::Jobs;
pub use self::pool::PoolError;
pub use self::run_player::{Observer, RunError, RunPlayer};
