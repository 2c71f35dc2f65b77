//! Scorers of one answer: the bot reads the case and writes its answer until it ends, and a program scores the answer.

use rules::game::judge::{Case, JudgeEnd, Question, Reading, Steps};
use rules::game::{Answer, End, JudgeFailure, Placement, Referee, Seat, Step, Traits};
use rules::score::{Score, in_toml};
use serde::{Deserialize, Serialize};
use terms::verdict::Verdict;

use crate::case::{self, is_written_anew};
use crate::command::JudgeCommand;
use crate::printed::{Printing, ScorePattern};
use crate::process::Process;

/// The name of the answer's file in the scratch folder.
const ANSWER_FILE: &str = "referee-answer.txt";

/// A game whose answers a program scores.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Scored {
    /// The command that scores `{answer}` to `{case}`.
    #[serde(skip)]
    pub command: JudgeCommand,
    /// How the score is found in what it prints.
    #[serde(default)]
    pub score: ScorePattern,
    /// The score that means a refused answer.
    #[serde(default, deserialize_with = "in_toml::optional")]
    pub refused: Option<Score>,
    /// How properties are read from a case.
    #[serde(default, deserialize_with = "case::traits")]
    pub traits: Option<Traits>,
}

impl Scored {
    /// Starts the judge of one game on `case`.
    ///
    /// # Errors
    /// When the case is a seed.
    pub fn start(&self, case: &Case, place: &Placement) -> Result<Box<dyn Referee>, JudgeFailure> {
        let (game, case) = (self.clone(), case.clone());
        let steps = Steps::new(Reading::default(), true);
        Ok(Box::new(Scorer { game, case, place: place.clone(), steps }))
    }
}

/// The judge of one answer.
struct Scorer {
    game: Scored,
    case: Case,
    place: Placement,
    steps: Steps,
}

impl Referee for Scorer {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        let Case::Text(input) = self.case.clone() else {
            return Err(JudgeFailure::new("scores answers to cases, which are files, not seeds"));
        };
        Ok(self.steps.ask(Question { input, ..Question::default() }))
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        let end = match answer {
            Answer::Reply { lines, .. } => self.score(lines.as_bytes())?,
            Answer::NoReply { .. } => {
                let (verdict, end) = (Verdict::Lost, End::new("no answer"));
                JudgeEnd { verdict, score: None, summary: Vec::new(), end }
            }
        };
        Ok(self.steps.end(end))
    }
}

impl Scorer {
    /// Starts the scorer with the case and the answer, and reads the score and the pictures that it leaves.
    fn score(&mut self, answer: &[u8]) -> Result<JudgeEnd, JudgeFailure> {
        let Scored { command, score, refused, .. } = &self.game;
        let printing = Printing { score: score.clone(), refused: *refused };
        let scratch = command.working_directory(is_written_anew)?;
        let mut values = case::place(&self.case, command, &scratch)?;
        values.push(("{answer}", case::write(&scratch, ANSWER_FILE, answer)?));
        let mut process = Process::start_in(scratch, &command.filled(&values), &self.place, None)?;
        let printed = process.run_to_end()?;
        let mut judged = printing.judge(&printed).map_err(|problem| process.trouble(problem))?;
        judged.end.drawings = process.drawings();
        Ok(judged)
    }
}
