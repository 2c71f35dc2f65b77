//! Square Remover, from TopCoder's TCO14 Marathon Round 1 (Marathon Match 83), as its offline tester
//! plays it.
//!
//! The rules are the statement's; they and every wording were measured on the original tester.

pub mod board;
mod case;
mod frames;
mod remarks;
mod sha1prng;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use self::board::{Board, Direction, OffBoard};
use self::case::TestCase as Case;
use super::frames::{Frame, Picture, View};
use super::java::parse_int;
use super::kind::{GameKind, SeedError, SeedOptions};
use super::referee::{Answer, Ask, End, Next, Ruling, SinglePlayer, Step};
use super::test_case::TestCase;
use crate::measure::Measure;
use terms::limits::{LimitKind, Limits};
use terms::lines::{LineRules, Lines};
use terms::seed::Seed;
use terms::verdict::Verdict;

/// This game's row in the table of games.
pub fn kind() -> GameKind {
    let first = include_str!("../../../boards/square-remover-seed-1.txt");
    GameKind {
        from_seed: Arc::new(from_seed),
        bundled: vec![("seed-1".to_owned(), first.to_owned())],
        default_bot: Some("@squares-greedy".to_owned()),
        prints_summary: true,
        measure: Measure::Ratio,
        limits: Limits::from([(LimitKind::Total, Duration::from_secs(30))]),
        // The statement's limit.
        memory: Some(1 << 30),
        ..GameKind::new("square-remover", "Square Remover", |source| {
            Ok(test_case(&Case::parse(source)?))
        })
    }
}

/// The moves of a game.
const MOVES: usize = 10_000;

/// Three numbers for each move. The original stops at the first line that is not a number. It does not
/// limit the length of a line: a number may have any number of leading zeros.
const REPLY: LineRules = LineRules {
    // The original blocks in a read, so Java cannot close the pipe before an answer has come.
    until_exit: false,
    readable: |line| parse_int(line).is_some(),
    ..LineRules::any(3 * MOVES)
};

/// The score of a game that failed.
const FAILED: i64 = -1;

fn from_seed(seed: Seed, options: SeedOptions) -> Result<String, SeedError> {
    if options.colors.is_some() {
        return Err("the seed decides how many colours a Square Remover case has".into());
    }
    let case = Case::from_seed(i64::try_from(seed)?).ok_or(
        "seed 0 is not a certain case: it leaves the original's generator unseeded, so each run draws a different one",
    )?;
    Ok(case.to_string())
}

/// A game in progress.
#[derive(Debug, Clone)]
pub struct SquareRemover {
    case: String,
    board: Board,
    score: i64,
    /// The result, once the game is over.
    official: Option<String>,
}

fn test_case(case: &Case) -> TestCase {
    let (text, board) = (case.to_string(), case.board());
    let game = SquareRemover { case: text.clone(), board, score: 0, official: None };
    let mut case = TestCase::new(text, game);
    // The first two lines.
    let numbers = case.text.lines().map_while(|line| line.parse().ok());
    case.groups = ["colors", "n"].into_iter().map(str::to_owned).zip(numbers).collect();
    case
}

impl SquareRemover {
    /// Plays all moves and returns the score.
    fn play(&mut self, numbers: &[i32]) -> Result<u32, IllegalMove> {
        let mut score = self.board.remove_squares();
        for (index, step) in numbers.chunks_exact(3).enumerate() {
            let illegal = |problem| IllegalMove { index, problem };
            self.swap(step[0], step[1], step[2]).map_err(illegal)?;
            score += self.board.remove_squares();
        }
        Ok(score)
    }

    fn swap(&mut self, row: i32, column: i32, direction: i32) -> Result<(), Problem> {
        // The original checks the cell before the direction.
        if self.board.cell(row, column).is_none() {
            return Err(Problem::Off(OffBoard::Cell { row, column }));
        }
        let direction = Direction::from_number(direction).ok_or(Problem::NoDirection(direction))?;
        self.board.swap(row, column, direction).map_err(Problem::Off)
    }

    fn fail(&mut self, wording: &str) {
        self.score = FAILED;
        self.official = Some(format!("ERROR: {wording}"));
    }

    fn score_line(&self) -> String {
        format!("Score  = {}", self.score)
    }
}

impl SinglePlayer for SquareRemover {
    /// The original reads until a number is missing, however the output ended. It has no time limit
    /// itself; for a complete reply that came too late, this reports the last number as missing.
    fn rule(&mut self, answer: Answer<'_>) -> Ruling {
        let reply = match answer {
            Answer::Reply { lines, .. } => lines,
            Answer::NoReply { received, .. } => {
                self.fail(&unreadable(received.len().min(REPLY.count - 1)));
                return Ruling::default();
            }
        };
        let mut numbers = Vec::with_capacity(REPLY.count);
        for (index, line) in reply.iter().enumerate() {
            let Some(number) = parse_int(line) else {
                self.fail(&unreadable(index));
                let remark = Some(remarks::on_unreadable(line).to_owned());
                let wrong_line = Some(index);
                return Ruling { wrong_line, remark, ..Ruling::against(Verdict::MalformedReply) };
            };
            numbers.push(number);
        }
        match self.play(&numbers) {
            Ok(score) => {
                self.score = score.into();
                self.official = Some(self.score_line());
                Ruling::counts(json!({ "moves": MOVES, "squares": score }))
            }
            Err(illegal) => {
                self.fail(&illegal.to_string());
                let step = &numbers[3 * illegal.index..][..3];
                let action = json!({
                    "move": illegal.index, "row": step[0], "col": step[1], "direction": step[2],
                });
                let (action, wrong_line) = (Some(action), Some(3 * illegal.index));
                Ruling { action, wrong_line, ..Ruling::against(Verdict::IllegalMove) }
            }
        }
    }

    fn step(&mut self, ruling: Ruling) -> Step {
        let (summary, next) = match &self.official {
            None => {
                let ask = Ask::new(self.case.clone(), REPLY, LimitKind::Total);
                (Vec::new(), Next::Ask(ask))
            }
            Some(official) => {
                let failure = (self.score == FAILED).then(|| official.clone());
                let summary = failure.into_iter().chain([self.score_line()]).collect();
                (summary, Next::End(End::new(official)))
            }
        };
        Step { ruling, scores: vec![self.score.into()], summary, next }
    }
}

/// A move that the rules forbid.
struct IllegalMove {
    /// The number of the move, from 0.
    index: usize,
    problem: Problem,
}

enum Problem {
    Off(OffBoard),
    NoDirection(i32),
}

impl std::fmt::Display for IllegalMove {
    /// The official wording.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let index = self.index;
        match self.problem {
            Problem::Off(OffBoard::Cell { row, column }) => write!(
                f,
                "In move {index} (0-based), the cell chosen by your solution is outside the board: \
                 row = {row}, col = {column}."
            ),
            Problem::Off(OffBoard::Neighbour { row, column }) => write!(
                f,
                "In move {index} (0-based), the direction chosen by your solution points to a cell \
                 outside the board: row = {row}, col = {column}."
            ),
            // The original lets Java's message through.
            Problem::NoDirection(direction) => {
                write!(f, "Index {direction} out of bounds for length {}", Direction::COUNT)
            }
        }
    }
}

fn unreadable(index: usize) -> String {
    format!("Unable to read element {index} (0-based) of your solution's return value.")
}

impl View for SquareRemover {
    fn picture(&self) -> Picture {
        frames::picture(&self.board)
    }

    fn frames(&self, reply: &Lines) -> Vec<Frame> {
        let numbers: Option<Vec<i32>> = reply.iter().map(parse_int).collect();
        numbers.map_or_else(Vec::new, |numbers| frames::frames(self.board.clone(), &numbers))
    }
}
