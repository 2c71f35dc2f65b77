//! A judge that says again what it said in a log, so that a game is refereed without its program.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::gamelog::{Log, Start, Turn};
use rules::game::judge::{
    Answer, Ask, Case, Ending, Judge, JudgeEnd, JudgeProgram, Judges, Place, Reading, Step, Trouble,
};
use rules::game::{GameKind, Judged, Traits};
use rules::score::{Direction, Score};
use terms::limits::{LimitKind, Limits};
use terms::verdict::Verdict;

/// The judge of a log.
#[derive(Debug, Clone, Default)]
struct Recorded {
    steps: VecDeque<Step>,
    reading: Reading,
    has_total_limit: bool,
    traits: Option<Traits>,
}

impl Judges for Recorded {
    fn start(&self, _case: &Case, _place: &Place<'_>) -> Result<Box<dyn Judge>, Trouble> {
        Ok(Box::new(self.clone()))
    }

    fn reading(&self) -> Reading {
        self.reading
    }

    fn has_total_limit(&self) -> bool {
        self.has_total_limit
    }

    fn traits(&self) -> Option<&Traits> {
        self.traits.as_ref()
    }
}

impl Judge for Recorded {
    fn next(&mut self) -> Result<Step, Trouble> {
        self.steps.pop_front().ok_or_else(|| Trouble::new("the log stops before the end"))
    }

    fn answer(&mut self, _answer: Answer<'_>) -> Result<(), Trouble> {
        Ok(())
    }
}

impl Recorded {
    /// A judge that says nothing.
    fn of(program: &JudgeProgram) -> Self {
        let traits = program.settings.get("traits").and_then(|text| Traits::parse(text).ok());
        Self { reading: program.reading, traits, ..Self::default() }
    }
}

/// The game of a log, with its judge as recorded there.
pub(super) fn game_of_log(program: &JudgeProgram, log: &Log) -> Judged {
    let has_total_limit = log.turns.first().is_some_and(|turn| turn.limit == LimitKind::Total);
    let recorded = Recorded { steps: steps(log), has_total_limit, ..Recorded::of(program) };
    Judged::new(&log.start.game, Case::parse(&log.start.test_case), Arc::new(recorded))
}

/// A row of the table of games for one whose judge is not at hand: its boards can be read, and nothing played.
pub(crate) fn kind(
    name: &str,
    judge: &JudgeProgram,
    limits: Limits,
    better: Direction,
) -> GameKind {
    let recorded: Arc<dyn Judges> = Arc::new(Recorded::of(judge));
    let game = name.to_owned();
    GameKind {
        from_seed: Arc::new(|seed, _| Ok(Case::Seed(seed).to_string())),
        limits,
        better,
        judge: Some(judge.clone()),
        ..GameKind::new(name, name, move |text| {
            Ok(Box::new(Judged::new(&game, Case::parse(text), recorded.clone())))
        })
    }
}

/// The kind of a logged game.
pub(super) fn kind_of(start: &Start, judge: &JudgeProgram) -> GameKind {
    kind(&start.game, judge, start.limits, start.better)
}

/// What the judge said. Score and summary of a turn came with the next step.
fn steps(log: &Log) -> VecDeque<Step> {
    let first = log.turns.first().and_then(|turn| Some(turn.score? - turn.gain?));
    let mut news = (first.map(|score| score.to_string()), Vec::new());
    let mut steps = VecDeque::new();
    for turn in &log.turns {
        let asked = turn.asked.clone().unwrap_or_default();
        let (score, summary) = std::mem::replace(&mut news, news_after(turn));
        steps.push_back(Step::Ask(Ask {
            input: asked.input,
            lines: asked.lines,
            limit: asked.official.map(|limit| limit.0),
            score,
            summary,
            restarts: false,
        }));
    }
    if let Some(end) = &log.end {
        steps.push_back(Step::End(JudgeEnd {
            how: ending(end.verdict),
            score: end.score.as_ref().map(Score::to_string),
            official: end.official.clone(),
            summary: news.1,
            metadata: end.metadata.clone(),
        }));
    }
    steps
}

/// The score and the summary that a turn has led to.
fn news_after(turn: &Turn) -> (Option<String>, Vec<String>) {
    let summary = turn.asked.as_ref().map(|asked| asked.summary.clone()).unwrap_or_default();
    (turn.score.as_ref().map(Score::to_string), summary)
}

/// What the judge must have said for a game to get this verdict. After a missing reply it does not matter.
fn ending(verdict: Verdict) -> Ending {
    match verdict {
        Verdict::Completed => Ending::Completed,
        Verdict::MalformedReply => Ending::Malformed,
        Verdict::IllegalMove => Ending::Illegal,
        Verdict::Timeout => Ending::Timeout,
        Verdict::EarlyExit => Ending::EarlyExit,
        _ => Ending::Lost,
    }
}
