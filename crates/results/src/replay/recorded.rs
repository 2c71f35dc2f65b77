//! A judge that says again what it said in a log, so that a game is refereed without its program.

use std::mem;
use std::sync::Arc;
use std::vec;

use crate::gamelog::{Log, SeatEnd, Start};
use rules::game::judge::{Case, JudgeEnd, JudgeProgram, Question, StartJudge, Steps};
use rules::game::{
    Answer, End, Game, GameKind, JudgeFailure, Referee, Seat, Step, TestCase, Traits,
};
use rules::score::Direction;
use terms::limits::{LimitKind, Limits};
use terms::verdict::Verdict;

/// The judge of a log.
struct Recorded {
    said: vec::IntoIter<LoggedStep>,
    steps: Steps,
}

enum LoggedStep {
    Question(Question),
    End(JudgeEnd),
}

impl Referee for Recorded {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        match self.said.next() {
            Some(LoggedStep::Question(question)) => Ok(self.steps.ask(question)),
            Some(LoggedStep::End(end)) => Ok(self.steps.end(end)),
            None => Err(JudgeFailure::new("the log stops before the end")),
        }
    }

    fn answer(&mut self, _seat: Seat, _answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        self.begin()
    }
}

/// The game of a log, with its judge as recorded there.
pub(super) fn game_of_log(program: &JudgeProgram, log: &Log) -> Game {
    let has_total_limit = log.turns.first().is_some_and(|turn| turn.limit == LimitKind::Total);
    let steps = Steps::new(program.reading, has_total_limit);
    Game::begin(Box::new(Recorded { said: said(log).into_iter(), steps }))
        .expect("it says something")
}

/// A row of the table of games for one whose judge is not at hand: its boards can be read, and nothing played.
pub(crate) fn kind(
    name: &str,
    judge: &JudgeProgram,
    limits: Limits,
    better: Direction,
) -> GameKind {
    let traits = judge.settings.get("traits").and_then(|text| Traits::parse(text).ok());
    let start: StartJudge = Arc::new(|_, _| Err(JudgeFailure::new("is known from a log alone")));
    let game = name.to_owned();
    GameKind {
        from_seed: Arc::new(|seed, _| Ok(Case::Seed(seed).to_string())),
        limits,
        better,
        players: judge.players(),
        judge: Some(judge.clone()),
        ..GameKind::new(name, name, move |text| {
            Ok(TestCase::judged(&game, Case::parse(text), traits.as_ref(), start.clone()))
        })
    }
}

/// The kind of a logged game.
pub(super) fn kind_of(start: &Start, judge: &JudgeProgram) -> GameKind {
    kind(&start.game, judge, start.limits, start.better)
}

/// What the judge said. Score, summary and seats out of a turn came with what it said next.
fn said(log: &Log) -> Vec<LoggedStep> {
    let first = log.turns.first().and_then(|turn| Some(turn.score? - turn.gain?));
    let mut news = (log.start.score.or(first), opening_summary(log), Vec::new());
    let questions = log.turns.iter().map(|turn| {
        let asked = turn.asked.clone().unwrap_or_default();
        let summary = mem::take(&mut news.1);
        let score = mem::replace(&mut news.0, turn.score);
        news.1 = asked.summary;
        let out = mem::replace(&mut news.2, asked.out);
        let (input, lines, limit) = (asked.input, asked.lines, asked.official.map(|limit| limit.0));
        LoggedStep::Question(Question {
            seat: turn.seat,
            input,
            lines,
            limit,
            score,
            summary,
            peer: None,
            out,
        })
    });
    let mut said: Vec<LoggedStep> = questions.collect();
    match &log.end {
        Some(end) => said.push(LoggedStep::End(JudgeEnd {
            // Nobody can lose before the first question.
            verdict: if said.is_empty() { Verdict::Completed } else { verdict(end.verdict) },
            score: end.score,
            summary: news.1,
            end: End {
                metadata: end.metadata.clone(),
                seats: end.seats.iter().map(SeatEnd::of_judge).collect(),
                ..End::new(&end.official)
            },
        })),
        // What it asked first is not known.
        None if said.is_empty() => said.push(LoggedStep::Question(Question::default())),
        None => {}
    }
    said
}

/// The summary before the first turn. The logs of version 1.0.0 have it only in the summary of the whole game.
fn opening_summary(log: &Log) -> Vec<String> {
    let asked = log.turns.iter().filter_map(|turn| turn.asked.as_ref());
    let later: usize = asked.map(|asked| asked.summary.len()).sum();
    match &log.end {
        Some(end) if log.start.summary.is_empty() => {
            end.summary[..end.summary.len().saturating_sub(later)].to_vec()
        }
        _ => log.start.summary.clone(),
    }
}

/// What the judge must have said for a game to get this verdict. After a missing reply it does not matter.
fn verdict(of_game: Verdict) -> Verdict {
    match of_game {
        Verdict::Completed
        | Verdict::MalformedReply
        | Verdict::IllegalMove
        | Verdict::Timeout
        | Verdict::EarlyExit => of_game,
        _ => Verdict::Lost,
    }
}
