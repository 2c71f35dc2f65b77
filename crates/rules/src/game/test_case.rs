//! A test case that a game has read.

use std::collections::BTreeMap;
use std::fmt;

use super::course::Game;
use super::referee::{JudgeFailure, Placement, Referee};

/// A test case that its game has read: what is known of it before a game starts, and the start of games on it.
pub struct TestCase {
    /// Its text in the form that [`GameKind::parse`](super::GameKind::parse) reads and a log keeps.
    pub text: String,
    /// A normal form: test cases that differ only in ways that cannot change the best score have the same key, and share
    /// their records.
    pub record_key: String,
    /// The properties by which a comparison may group test cases, such as the number of colours.
    pub groups: BTreeMap<String, u32>,
    start: Start,
}

enum Start {
    /// The rules are in this program.
    Here(Box<dyn Fn() -> Box<dyn Referee> + Send>),
    /// They are another program's.
    Elsewhere(Box<dyn Fn(&Placement) -> Started + Send>),
}

type Started = Result<Box<dyn Referee>, JudgeFailure>;

impl TestCase {
    /// A test case of a game with its rules in `referee`, of which each game gets a clone. The text is also the record key.
    pub fn new(text: impl Into<String>, referee: impl Referee + Clone + 'static) -> Self {
        Self::of(text.into(), Start::Here(Box::new(move || Box::new(referee.clone()))))
    }

    /// A test case of a game whose rules are in another program, which is started for each game.
    pub fn elsewhere(
        text: impl Into<String>,
        start: impl Fn(&Placement) -> Result<Box<dyn Referee>, JudgeFailure> + Send + 'static,
    ) -> Self {
        Self::of(text.into(), Start::Elsewhere(Box::new(start)))
    }

    fn of(text: String, start: Start) -> Self {
        Self { record_key: text.clone(), text, groups: BTreeMap::new(), start }
    }

    /// Starts a game.
    ///
    /// # Errors
    /// When the game's judge fails.
    pub fn start(&self, place: &Placement) -> Result<Game, JudgeFailure> {
        Game::begin(match &self.start {
            Start::Here(referee) => referee(),
            Start::Elsewhere(start) => start(place)?,
        })
    }

    /// A game by the rules in this program, before its first turn; `None` if they are another program's, which is not
    /// started.
    pub fn opening(&self) -> Option<Game> {
        match &self.start {
            Start::Here(referee) => Game::begin(referee()).ok(),
            Start::Elsewhere(_) => None,
        }
    }
}

impl fmt::Debug for TestCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestCase").field("text", &self.text).finish_non_exhaustive()
    }
}
