//! Referees games that other programs saved: writes a log as if the game had been played here, and lists
//! every difference from what the file claims.

use super::{Difference, ReplayError, end};
use crate::gamelog::foreign::{Claims, Foreign, ForeignFormat, ForeignTurn};
use crate::gamelog::{Bot, Bytes, FORMAT, Log, Machine, Start, Turn};
use rules::game::{Answer, Ask, Game, GameKind, TestCase};
use terms::limits::Limits;
use terms::lines::{Lines, Progress};
use terms::text::{quote, without_color_marks};
use terms::verdict::{BotExit, NoReply, Verdict};

/// A game that another program saved, refereed here.
#[derive(Debug, Clone, PartialEq)]
pub struct Refereed {
    /// The game as a log, without meaningful times.
    pub log: Log,
    /// The differences between the claims and the rules.
    pub differences: Vec<Difference>,
}

/// Referees `foreign` on the test case that the user calls `board`.
///
/// # Errors
/// When the rules of the game are another program's.
pub fn referee(
    foreign: &Foreign,
    kind: &GameKind,
    case: &TestCase,
    board: &str,
) -> Result<Refereed, ReplayError> {
    let game = case.opening().ok_or_else(|| ReplayError::NoRules(kind.name.clone()))?;
    let turns = replies(foreign, game.ask());
    let mut referee = Referee::new(foreign.format, kind, game, &case.text, board);
    for turn in turns {
        if !referee.referee_turn(&turn) {
            break;
        }
    }
    let log = referee.finish();
    let mut differences = referee.differences;
    differences.extend(compare(&foreign.claims, &log, &referee.line_turns));
    Ok(Refereed { log, differences })
}

/// The turns; the numbers of a list of moves are joined into one reply if the game asks for only one.
fn replies(foreign: &Foreign, first: Option<&Ask>) -> Vec<ForeignTurn> {
    let wanted = first.map_or(1, |ask| ask.lines.count);
    if foreign.format != ForeignFormat::Moves || wanted == 1 {
        return foreign.turns.clone();
    }
    // The numbers form one reply with a number on each line, in whatever lines the file has them.
    let texts = foreign.turns.iter().filter_map(|turn| turn.reply.as_ref());
    let mut numbers = Vec::new();
    for word in texts.flat_map(|reply| reply.0.split(u8::is_ascii_whitespace)) {
        if !word.is_empty() {
            numbers.extend_from_slice(word);
            numbers.push(b'\n');
        }
    }
    vec![ForeignTurn { reply: Some(Bytes(numbers)), stderr: Bytes::default() }]
}

struct Referee {
    game: Game,
    start: Start,
    turns: Vec<Turn>,
    verdict: Verdict,
    differences: Vec<Difference>,
    /// The turn of each line of the summary.
    line_turns: Vec<u32>,
    /// The game's remark on the reply that lost the game.
    diagnosis: Option<String>,
}

impl Referee {
    fn new(format: ForeignFormat, kind: &GameKind, game: Game, case: &str, board: &str) -> Self {
        let bot = Bot { name: format.name().to_owned(), ..Bot::default() };
        let start = Start {
            format: FORMAT,
            referee: env!("CARGO_PKG_VERSION").to_owned(),
            game: kind.name.clone(),
            judge: None,
            better: kind.better,
            board: board.to_owned(),
            test_case: case.to_owned(),
            score: None,
            summary: Vec::new(),
            bot,
            others: Vec::new(),
            profile: "unknown".to_owned(),
            limits: Limits::default(),
            retried: Vec::new(),
            host: Machine::default(),
            time: jiff::Timestamp::UNIX_EPOCH,
        };
        let (verdict, turns) = (Verdict::Completed, Vec::new());
        Self {
            game,
            start,
            turns,
            verdict,
            differences: Vec::new(),
            line_turns: Vec::new(),
            diagnosis: None,
        }
    }

    /// Referees a turn; returns whether the game goes on.
    fn referee_turn(&mut self, foreign: &ForeignTurn) -> bool {
        let number = u32::try_from(self.turns.len() + 1).expect("games are short");
        let Some(ask) = self.game.next_ask() else {
            self.differences.push(Difference::of(number, "the game", &"goes on", &"over"));
            return false;
        };
        let (limit, rules) = (ask.limit, ask.lines);
        let bytes = foreign.reply.clone().unwrap_or_default();
        let reply = Lines::split(&bytes.0);
        let no_reply = match (&foreign.reply, reply.progress(&rules)) {
            (None, _) => Some(NoReply::Deadline),
            (Some(_), Progress::Complete(_)) => None,
            (Some(_), Progress::TooLong) => Some(NoReply::LineTooLong),
            (Some(_), Progress::Incomplete) => Some(NoReply::Ended(BotExit::Unknown)),
        };
        let Ok(effect) = self.game.answer(Answer::new(&reply, no_reply)) else { return false };
        self.verdict = effect.verdict;
        if let (Some(line), Some(remark)) = (effect.wrong_line, &effect.remark) {
            let reply = quote(reply.iter().nth(line).unwrap_or_default());
            self.diagnosis = Some(format!("turn {number}: the reply was {reply}: {remark}"));
        }
        self.line_turns.resize(self.game.summary().len(), number);
        self.turns.push(Turn {
            no_reply,
            action: effect.action,
            gain: effect.gain,
            score: effect.score,
            stderr: foreign.stderr.clone(),
            ..Turn::with_reply(number, limit, bytes)
        });
        true
    }

    fn finish(&self) -> Log {
        let turns = u32::try_from(self.turns.len()).expect("games are short");
        let mut log = Log { start: self.start.clone(), turns: self.turns.clone(), end: None };
        if self.game.end().is_some() {
            let mut end = end(&self.game, self.verdict, &log, turns);
            end.process.diagnosis.clone_from(&self.diagnosis);
            log.end = Some(end);
        }
        log
    }
}

fn compare(claims: &Claims, log: &Log, line_turns: &[u32]) -> Vec<Difference> {
    let last = log.turns.last().map_or(0, |turn| turn.turn);
    let mut differences = Vec::new();
    let end = log.end.as_ref();
    if let Some(claimed) = &claims.summary {
        let refereed = end.map_or(&[][..], |end| &end.summary);
        differences.extend(compare_lines(claimed, refereed, line_turns, last));
    }
    if let Some(won) = claims.won {
        let refereed = end.is_some_and(|end| end.won);
        differences.extend(super::difference(last, "won", &won, &refereed));
    }
    if let (Some(claimed), Some(end)) = (&claims.metadata, end) {
        for (key, refereed) in &end.metadata {
            let claimed = claimed.get(key).cloned();
            let refereed = Some(refereed.clone());
            differences.extend(super::difference(last, "metadata", &claimed, &refereed));
        }
    }
    differences
}

/// Compares summaries without their colour marks, which some saved games lack.
fn compare_lines(
    claimed: &[String],
    refereed: &[String],
    turns: &[u32],
    last: u32,
) -> Vec<Difference> {
    let line = |lines: &[String], index: usize| {
        lines.get(index).map(|line| without_color_marks(line).trim_end().to_owned())
    };
    (0..claimed.len().max(refereed.len()))
        .filter_map(|index| {
            let turn = turns.get(index).copied().unwrap_or(last);
            super::difference(turn, "summary", &line(claimed, index), &line(refereed, index))
        })
        .collect()
}
