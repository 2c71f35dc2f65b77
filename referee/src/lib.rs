//! An offline referee for bots in games for one or more players.
//!
//! It starts any executable as a bot, speaks the game's protocol to it, enforces its deadlines,
//! validates every move by the official rules, and reports what the original referee would have said and
//! what really happened. The program `referee` is a thin layer over this library.
//!
//! # A game with a bot
//!
//! ```
//! use referee::bot::BotCommand;
//! use referee::config::Config;
//! use referee::play::Match;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // SameGame under its official rules; layers of settings would change them.
//! let config = Config::resolve([])?;
//! let (_, board) = &config.game.bundled[1];
//! // Any program can play: this one answers each board, which has 15 rows, with the tile at the bottom left.
//! let bot = "while read -r row; do i=$((i + 1)); [ $((i % 15)) -eq 0 ] && echo 0 0; done";
//! let command = BotCommand::new("sh", ["-c", bot], config.confinement(None)?);
//! let end = Match::new(&config.game, board, &command).play(|event| println!("{event:?}"))?;
//! assert_eq!((end.official.as_str(), end.score), ("Endgame. Obtained a score of 2857.", Some(2857.into())));
//! # Ok(())
//! # }
//! ```
//!
//! Whatever the bot does is a [verdict](verdict::Verdict), never an error. The events of a game are its
//! record: [`gamelog`] writes and reads them, [`replay`] referees them again, [`view`] shows them.
//! [`game`] explains how to add a game, with an example.
//!
//! # From the bottom up
//!
//! The library is a crate for each floor, and this one shows them under one roof: [`lines`], [`limits`],
//! [`certificate`] and [`verdict`] are the vocabulary; [`game`] holds the rules and touches nothing else;
//! [`bot`] runs a process and knows no game; [`play`] is the only
//! place where the two meet; [`suite`] plays many games and keeps their results and records; [`compare`] pairs
//! the outcomes of two bots, and [`ratings`] orders bots that play each other, with the [statistics](stats) that belong to it.
//!
//! # Systems
//!
//! Only Linux contains bots. On Windows and macOS they are ordinary children, which end with their game.

pub mod cli;
pub mod game;

pub use contain::{bot, cancel};
pub use engine::{config, play};
pub use results::{compare, gamelog, metrics, ratings, replay};
pub use results::{jiff, serde_json};
pub use rules::{measure, score, source};
pub use statistics as stats;
pub use terms::{certificate, fault, lines, millis, seed, verdict};

/// Time limits, their profiles, and limits on a bot's resources.
pub mod limits {
    pub use contain::bot::Containment;
    pub use terms::limits::*;
}

/// Many boards, several bots: plans, runs that survive a kill, shards that several machines play.
///
/// A [`Plan`](suite::Plan) says what is to be played and gives each game a number. A
/// [`RunFolder`](suite::RunFolder) keeps the plan and the [`Outcome`](suite::Outcome) of each finished game. A
/// [`RunPlayer`](suite::RunPlayer) plays the games that have no result yet, each through [`play`], and tells an
/// [`Observer`](suite::Observer) of each. [`Summary`](suite::Summary) adds up the outcomes, and [`compare`] pairs
/// the outcomes of two bots; both read a run and touch no game.
///
/// # A run
///
/// ```
/// use referee::config::Config;
/// use referee::score::shown;
/// use referee::suite::{Outcome, Plan, PlannedBoard, PlannedBot, Run, RunPlayer, RunWriter, plan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let scratch = tempfile::tempdir()?;
/// # let folder = scratch.path().join("run");
/// # let mut scores = Vec::new();
/// // It answers each board, which has 15 rows, with the tile at the bottom left.
/// let bot = "while read -r row; do i=$((i + 1)); [ $((i % 15)) -eq 0 ] && echo 0 0; done";
/// let config = Config::resolve([])?;
/// let (name, board) = &config.game.bundled[1];
/// let board = PlannedBoard { name: name.to_owned(), set: None, test_case: board.to_owned() };
///
/// let plan = plan(&config, vec![PlannedBot::new("bottom left", ["sh", "-c", bot])]);
/// let plan = Plan { boards: vec![board], repeat: 3, ..plan };
/// let mut run = RunWriter::create(&folder, Run::new(plan, None))?;
/// let mut observer = |game: &Outcome| println!("{}: {}", game.board, shown(game.score));
/// # let mut observer = |game: &Outcome| { observer(game); scores.push(game.score) };
/// RunPlayer::new(&mut run, &config).play(&mut observer)?;
/// # assert_eq!(scores, [Some(2857.into()); 3]);
/// # Ok(())
/// # }
/// ```
pub mod suite {
    pub use engine::suite::{
        BotError, Jobs, Observer, PoolError, RunError, RunPlayer, check_program, plan, plan_now,
    };
    pub use results::suite::{
        Assignment, Best, Bests, BoardId, Case, CaseError, Commit, Disagreement, FolderError,
        GameSet, Listing, Logs, Loss, MAX_GAMES, Margin, NewBest, NotPlayed, Opponent, Outcome,
        Outcomes, Packing, Plan, PlannedBoard, PlannedBot, Points, Record, RecordId, Records,
        RecordsError, Rules, Run, RunFolder, RunWriter, Seats, Seeds, Session, Shard, SuiteVerdict,
        Summary, Tally, Times, Totals, Verified, differing_places, list_runs, loss_kind, merge,
        verify,
    };
}

/// Games to look at, saved and live: as a page, in the terminal, as plain text.
pub mod view {
    pub mod player;

    pub use report::view::*;
}
