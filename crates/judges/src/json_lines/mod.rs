//! Judges in any language: one JSON object a line, each way.
//!
//! The referee begins with the test case; the judge asks or ends the game; the referee answers each question. The
//! messages are in [`message`]; the guide's page on games of one's own describes them for people.

// Public for the fuzz targets alone.
#[doc(hidden)]
pub mod message;
#[doc(hidden)]
pub mod several;

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::message::{FromJudge, ToJudge, parse};
use self::several::parse_several;
use crate::command::{JudgeCommand, reading};
use crate::process::Process;
use rules::game::judge::{Case, Question, Steps};
use rules::game::{Answer, JudgeFailure, Placement, Referee, Seat, Step};
use rules::score::Direction;
use terms::lines::Lines;
use terms::values::{Bound, Size};

/// How long a judge may take to end after its game, to write what it has to write.
const EXIT_GRACE: Duration = Duration::from_millis(500);

/// A game whose judge speaks JSON lines.
///
/// ```
/// use judges::json_lines::JsonLines;
/// use judges::{JudgeCommand, JudgeLimits};
/// use rules::game::judge::Case;
/// use rules::game::{Answer, Game, Placement};
/// use terms::lines::Lines;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // It hears of the case and asks for a number, hears the reply, and ends the game.
/// let judge = r#"read case; printf '%s\n' '{"ask":"5\n"}'; read reply; printf '%s\n' '{"end":"completed","score":5}'"#;
/// let command = JudgeCommand {
///     words: ["sh", "-c", judge].map(str::to_owned).into(),
///     folder: std::env::temp_dir(),
///     env: Default::default(),
///     limits: JudgeLimits::default(),
/// };
/// let judge = JsonLines { command, ..JsonLines::default() }.start(&Case::Text("5".to_owned()), &Placement::default())?;
/// let mut game = Game::begin(judge)?;
/// assert_eq!(game.next_ask().map(|ask| ask.input), Some("5\n".to_owned()));
/// let effect = game.answer(Answer::new(&Lines::split(b"5\n"), None))?;
/// assert_eq!((effect.score, game.official()), (Some(5.into()), "completed"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct JsonLines {
    /// The command that starts the judge.
    #[serde(skip)]
    pub command: JudgeCommand,
    /// The number of players; none in a game of one.
    pub players: Option<u32>,
    /// What an answer may hold; [`ANSWER`](terms::bounds::ANSWER) by default.
    pub answer_limit: Option<Bound<Size>>,
    /// Which scores are better, for the places of players.
    #[serde(skip)]
    pub better: Direction,
}

impl JsonLines {
    /// Starts the judge of one game on `case`.
    ///
    /// # Errors
    /// When the judge does not start.
    pub fn start(&self, case: &Case, place: &Placement) -> Result<Box<dyn Referee>, JudgeFailure> {
        let process = Process::start(&self.command, place)?;
        let outgoing = ToJudge::start(case, self.players).line();
        let Self { players, better, answer_limit, .. } = *self;
        let players = players.map(|players| players as usize);
        let (silent, steps) = (BTreeSet::new(), Steps::new(reading(answer_limit), false));
        Ok(Box::new(Speaker { process, outgoing, players, better, silent, steps }))
    }
}

/// A running judge.
struct Speaker {
    process: Process,
    /// What to send next.
    outgoing: String,
    /// The number of players, if there are several.
    players: Option<usize>,
    better: Direction,
    /// The players that have failed to reply: they cannot be asked again.
    silent: BTreeSet<Seat>,
    steps: Steps,
}

impl Referee for Speaker {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        self.process.refuse_unasked()?;
        let is_whole = |lines: &Lines| (!lines.is_empty()).then_some(1);
        let lines = self.process.step(self.outgoing.as_bytes(), is_whole)?;
        let line = lines.get(0).unwrap_or_default();
        let said = match self.players {
            None => parse(line),
            Some(players) => parse_several(line, players, self.better),
        };
        match said.map_err(|problem| self.process.trouble(problem))? {
            FromJudge::Ask(Question { seat, .. }) if self.silent.contains(&seat) => {
                let whom = self.players.map(|_| format!(" player {seat}")).unwrap_or_default();
                let what =
                    format!("asked{whom} again after it was told that the bot gave no reply");
                Err(self.process.trouble(what))
            }
            FromJudge::Ask(question) => {
                self.process.count_question()?;
                Ok(self.steps.ask(question))
            }
            FromJudge::End(end) => {
                self.process.end(EXIT_GRACE);
                Ok(self.steps.end(end))
            }
        }
    }

    fn answer(&mut self, seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        if matches!(answer, Answer::NoReply { .. }) {
            self.silent.insert(seat);
        }
        self.outgoing = ToJudge::answer(answer, self.players.map(|_| seat)).line();
        self.begin()
    }
}
