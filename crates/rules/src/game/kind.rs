//! A row of the table of games.

use std::fmt;
use std::num::TryFromIntError;
use std::sync::Arc;

use super::judge::JudgeProgram;
use super::test_case::TestCase;
use crate::measure::Measure;
use crate::score::Direction;
use crate::source::SourceError;
use terms::limits::Limits;
use terms::seed::Seed;

/// Reads the text of a test case.
pub type Parse = Arc<dyn Fn(&str) -> Result<TestCase, SourceError> + Send + Sync>;

/// Generates the text of a test case.
pub type FromSeed = Arc<dyn Fn(Seed, SeedOptions) -> Result<String, SeedError> + Send + Sync>;

/// A row of the table of games.
///
/// ```
/// use rules::game::{Answer, GameKind, SeedOptions};
/// use terms::lines::Lines;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let kind = GameKind::named("samegame").expect("it comes with the crate");
/// assert_eq!(kind.test_case(7, SeedOptions::default())?.lines().count(), 15);
/// let (_, board) = &kind.bundled[1];
/// let mut game = (kind.parse)(board)?.opening().expect("its rules are here");
/// // The bot answers with the tile at the bottom left.
/// let effect = game.answer(Answer::new(&Lines::split(b"0 0\n"), None))?;
/// assert!(effect.wrong_line.is_none() && game.end().is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GameKind {
    /// The name that `--game` takes.
    pub name: String,
    /// The name to display.
    pub title: String,
    /// Reads the content of a test case file, in any of the game's file formats, told apart by content.
    pub parse: Parse,
    /// Generates the test case of a seed, as text for `parse`.
    pub from_seed: FromSeed,
    /// Whether a seed only chooses one of the bundled test cases.
    pub seeds_choose_cases: bool,
    /// The official time limits, of each kind that the game uses.
    pub limits: Limits,
    /// The official limit on a bot's memory in bytes, if there is one.
    pub memory: Option<u64>,
    /// The test cases that come with the game, by name; the first one is the default.
    pub bundled: Vec<(String, String)>,
    /// The default bot, in the form that `--bot` takes; `None` if the user must name one.
    pub default_bot: Option<String>,
    /// Which scores are better.
    pub better: Direction,
    /// What its leaderboard adds up.
    pub measure: Measure,
    /// The number of bots in a game.
    pub players: usize,
    /// The program that has the rules, if this one does not.
    pub judge: Option<JudgeProgram>,
    /// What its user should know of its settings.
    pub note: Option<String>,
    /// The bytes of standard error that the original reads per turn, leaving the rest in the pipe;
    /// `None` if it reads everything.
    pub stderr_per_turn: Option<u64>,
    /// Whether the original prints its summary. If so, text reports end with the summary too, so that
    /// scripts written for the original keep working.
    pub prints_summary: bool,
}

/// Options for generating a test case from a seed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SeedOptions {
    /// The number of colours, if the game lets the user choose it.
    pub colors: Option<u8>,
}

/// Why a seed has no test case, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SeedError(String);

impl From<String> for SeedError {
    fn from(problem: String) -> Self {
        Self(problem)
    }
}

/// For a game whose generator takes numbers of 64 bits with a sign, or without one.
impl From<TryFromIntError> for SeedError {
    fn from(_: TryFromIntError) -> Self {
        let (first, last) = (i64::MIN, i64::MAX);
        Self(format!("this game has no test case of this seed; its seeds are {first} to {last}"))
    }
}

impl From<&str> for SeedError {
    fn from(problem: &str) -> Self {
        Self(problem.to_owned())
    }
}

impl GameKind {
    /// A game with only the required properties. Set the other fields to add seeds, bundled test cases,
    /// time limits, a default bot, or that lower scores are better.
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        parse: impl Fn(&str) -> Result<TestCase, SourceError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            parse: Arc::new(parse),
            from_seed: Arc::new(|_, _| Err("this game has no test cases by seed".into())),
            seeds_choose_cases: false,
            limits: Limits::default(),
            memory: None,
            bundled: Vec::new(),
            default_bot: None,
            better: Direction::Higher,
            measure: Measure::Points,
            players: 1,
            judge: None,
            note: None,
            stderr_per_turn: None,
            prints_summary: false,
        }
    }

    /// The test case of a seed.
    ///
    /// # Errors
    /// When the seed has none.
    pub fn test_case(
        &self,
        seed: impl Into<Seed>,
        options: SeedOptions,
    ) -> Result<String, SeedError> {
        (self.from_seed)(seed.into(), options)
    }

    /// The content of the bundled test case of this name.
    pub fn bundled(&self, name: &str) -> Option<&str> {
        self.bundled.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }
}

impl fmt::Debug for GameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameKind").field("name", &self.name).finish_non_exhaustive()
    }
}
