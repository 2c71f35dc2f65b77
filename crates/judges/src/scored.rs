//! Scorers of one answer: the bot reads the case and writes its answer until it ends, and a program scores the answer.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

use rules::game::Traits;
use rules::game::judge::{
    Answer, Ask, Case, Drawing, Ending, Judge, JudgeEnd, Judges, Place, Step, Trouble,
};
use serde::{Deserialize, Serialize};

use crate::case::{self, is_written_anew};
use crate::command::JudgeCommand;
use crate::printed::ScorePattern;
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
    /// How properties are read from a case.
    #[serde(default, deserialize_with = "case::traits")]
    pub traits: Option<Traits>,
}

impl Judges for Scored {
    fn start(&self, case: &Case, place: &Place<'_>) -> Result<Box<dyn Judge>, Trouble> {
        let Case::Text(text) = case else {
            return Err(Trouble::new("scores answers to cases, which are files, not seeds"));
        };
        Ok(Box::new(Scorer {
            game: self.clone(),
            case: case.clone(),
            core: place.core,
            alarm: place.alarm.cloned(),
            next: Some(Step::Ask(Ask { input: text.clone(), ..Ask::default() })),
            program: None,
        }))
    }

    fn has_total_limit(&self) -> bool {
        true
    }

    fn traits(&self) -> Option<&Traits> {
        self.traits.as_ref()
    }
}

/// The judge of one answer.
struct Scorer {
    game: Scored,
    case: Case,
    core: Option<usize>,
    alarm: Option<Arc<File>>,
    next: Option<Step>,
    /// The program, once it has scored the answer.
    program: Option<Process>,
}

impl Judge for Scorer {
    fn next(&mut self) -> Result<Step, Trouble> {
        self.next.take().ok_or_else(|| Trouble::new("has nothing more to say"))
    }

    fn answer(&mut self, answer: Answer<'_>) -> Result<(), Trouble> {
        let end = match answer {
            Answer::Reply { lines, .. } => self.score(lines.as_bytes())?,
            Answer::NoReply(_) => JudgeEnd {
                how: Ending::Lost,
                score: None,
                official: "no answer".to_owned(),
                summary: Vec::new(),
                metadata: BTreeMap::new(),
            },
        };
        self.next = Some(Step::End(end));
        Ok(())
    }

    fn drawings(&mut self) -> Vec<Drawing> {
        self.program.as_ref().map(Process::drawings).unwrap_or_default()
    }
}

impl Scorer {
    /// Has the answer scored.
    fn score(&mut self, answer: &[u8]) -> Result<JudgeEnd, Trouble> {
        let Scored { command, score, .. } = &self.game;
        let scratch = command.working_directory(is_written_anew)?;
        let mut values = case::place(&self.case, command, &scratch)?;
        values.push(("{answer}", case::write(&scratch, ANSWER_FILE, answer)?));
        let place = Place { core: self.core, alarm: self.alarm.as_ref() };
        let mut process = Process::start_in(scratch, &command.filled(&values), &place)?;
        let printed = process.run_to_end()?;
        let end = score.judge(&printed).map_err(|problem| process.trouble(problem));
        self.program = Some(process);
        end
    }
}
