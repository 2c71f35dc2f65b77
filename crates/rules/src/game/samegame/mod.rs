//! SameGame as in aCat's CodinGame contribution, on game engine 3.15.2.
//!
//! Every wording and every rule here was measured on the original Java referee.

pub mod board;
pub mod boardfile;
mod cells;
mod frames;
pub mod generate;
mod links;
pub mod message;
pub mod position;
mod remarks;
pub mod reply;

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use self::board::Board;
use self::position::{IllegalMove, Position};
use self::reply::Action;
use super::frames::{Frame, Picture, View};
use super::kind::GameKind;
use super::referee::{Answer, Ask, End, Next, Ruling, SinglePlayer, Step};
use super::test_case::TestCase;
use terms::limits::{LimitKind, Limits};
use terms::lines::{LineRules, Lines};
use terms::verdict::Verdict;

/// This game's row in the table of games.
pub fn kind() -> GameKind {
    let bundled = [
        ("random-1", include_str!("../../../boards/random-1.toml")),
        ("clearable", include_str!("../../../boards/clearable.toml")),
        ("no-move", include_str!("../../../boards/no-move.toml")),
    ];
    GameKind {
        from_seed: Arc::new(|seed, options| {
            let colors = options.colors.unwrap_or(board::COLORS);
            Ok(generate::random_board(i64::try_from(seed)?, colors)?.to_string())
        }),
        bundled: bundled.map(|(name, board)| (name.to_owned(), board.to_owned())).into(),
        default_bot: Some("@greedy".to_owned()),
        limits: Limits::from([
            (LimitKind::FirstTurn, Duration::from_secs(20)),
            (LimitKind::Turn, Duration::from_millis(50)),
        ]),
        memory: Some(768 << 20),
        stderr_per_turn: Some(4096),
        ..GameKind::new("samegame", "SameGame", |source| {
            Ok(SameGame::new(boardfile::parse(source)?).into_test_case())
        })
    }
}

/// One line; it is unreadable if no newline has come within 10,000 bytes. When the bot's process ends, Java
/// takes what is in its pipe and closes that.
const REPLY: LineRules =
    LineRules { max_bytes: Some(10_000), eof_ends_line: false, ..LineRules::any(1) };

/// A game in progress.
#[derive(Debug, Clone)]
pub struct SameGame {
    position: Position,
    /// The number of moves played so far.
    moves: usize,
    /// What the last reply adds to the summary.
    summary: Vec<String>,
    official: Option<String>,
}

impl SameGame {
    /// The start of a game on `board`.
    pub fn new(board: Board) -> Self {
        Self { position: Position::new(board), moves: 0, summary: Vec::new(), official: None }
    }

    /// Its board as a test case.
    pub fn into_test_case(self) -> TestCase {
        let mut case = TestCase::new(self.position.board().to_string(), self);
        (case.record_key, case.groups) = (record_key(&case.text), groups(&case.text));
        case
    }

    fn lose(&mut self, wording: impl std::fmt::Display) {
        self.end("RED", format!("[ERROR] {wording}"));
    }

    fn end(&mut self, mark: &str, official: String) {
        self.summary.push(format!("¤{mark}¤{official}§{mark}§"));
        self.official = Some(official);
    }

    /// Adds the requested action to the summary. The original does this after checking that the target is
    /// on the board, and before all other checks.
    fn perform(&mut self, action: &Action, color: Option<board::Color>, size: usize) -> Value {
        let color = color.map_or(-1, |color| i32::from(color.index()));
        let Action { x, y, message } = action;
        let line = format!("Performed action x={x}, y={y} (color {color}, region size {size}).");
        self.summary.push(line);
        let message = message.as_deref().map(message::layout);
        let performed = Performed { x: *x, y: *y, color, size, message };
        serde_json::to_value(performed).expect("numbers and strings")
    }
}

/// A move as stored in the log.
#[derive(Serialize)]
struct Performed {
    x: i32,
    y: i32,
    color: i32,
    size: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<[String; 2]>,
}

impl SinglePlayer for SameGame {
    /// The original calls every missing reply a timeout.
    fn rule(&mut self, answer: Answer<'_>) -> Ruling {
        let Answer::Reply { lines, .. } = answer else {
            self.lose("Timeout!");
            return Ruling::default();
        };
        let line = lines.iter().next().unwrap_or_default();
        let action = match reply::parse(line) {
            Ok(action) => action,
            Err(malformed) => {
                self.lose(malformed);
                let remark = Some(remarks::on_malformed(malformed, line));
                return Ruling { remark, ..Ruling::against(Verdict::MalformedReply) };
            }
        };
        match self.position.play(action.x, action.y) {
            Ok(removal) => {
                let remark = remarks::on_crash(&action, line);
                self.moves += 1;
                let action = self.perform(&action, Some(removal.color), removal.size);
                if self.position.is_over() {
                    let score = self.position.score();
                    self.end("GREEN", format!("Endgame. Obtained a score of {score}."));
                }
                Ruling { remark, ..Ruling::counts(action) }
            }
            Err(illegal) => {
                let remark = Some(remarks::on_illegal(&self.position, &action, illegal));
                let action = match illegal {
                    IllegalMove::OutOfBounds { .. } => None,
                    IllegalMove::EmptyTile => Some(self.perform(&action, None, 0)),
                    IllegalMove::SingleTile(color) => Some(self.perform(&action, Some(color), 1)),
                };
                self.lose(illegal);
                Ruling { action, remark, ..Ruling::against(Verdict::IllegalMove) }
            }
        }
    }

    fn step(&mut self, ruling: Ruling) -> Step {
        let score = self.position.score();
        let next = if let Some(official) = &self.official {
            let metadata = BTreeMap::from([("Score".to_owned(), score.to_string())]);
            Next::End(End { metadata, ..End::new(official) })
        } else {
            let is_first = self.moves == 0;
            let limit = if is_first { LimitKind::FirstTurn } else { LimitKind::Turn };
            Next::Ask(Ask::new(self.position.board().to_string(), REPLY, limit))
        };
        Step { ruling, scores: vec![score.into()], summary: mem::take(&mut self.summary), next }
    }
}

impl View for SameGame {
    fn picture(&self) -> Picture {
        frames::picture(self.position.board())
    }

    fn frames(&self, reply: &Lines) -> Vec<Frame> {
        let number = self.moves + 1;
        let frame = reply.iter().next().and_then(|line| frames::frame(&self.position, line));
        frame.map(|frame| Frame { number, ..frame }).into_iter().collect()
    }

    fn legal_moves(&self) -> Option<usize> {
        Some(self.position.board().legal_moves().len())
    }
}

/// Colours are renumbered by first appearance, so that recoloured boards have the same key.
fn record_key(board: &str) -> String {
    let mut order: Vec<&str> = Vec::new();
    let mut key = String::with_capacity(board.len());
    for tile in board.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        match tile {
            "-1" => key.push_str(tile),
            color => key.push_str(&place_in(&mut order, color).to_string()),
        }
    }
    key
}

fn groups(board: &str) -> BTreeMap<String, u32> {
    let mut colors: Vec<&str> = board.split_whitespace().collect();
    colors.sort_unstable();
    colors.dedup();
    let count = colors.iter().filter(|tile| **tile != "-1").count();
    BTreeMap::from([("colors".to_owned(), u32::try_from(count).unwrap_or(u32::MAX))])
}

/// The position of `color` in order of first appearance; a new colour is appended.
fn place_in<'t>(order: &mut Vec<&'t str>, color: &'t str) -> usize {
    order.iter().position(|known| *known == color).unwrap_or_else(|| {
        order.push(color);
        order.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(rows: &str) -> TestCase {
        let board = boardfile::parse(&format!("{}{rows}", "-1 ".repeat(14) + "-1\n"));
        SameGame::new(board.expect("a board")).into_test_case()
    }

    #[test]
    fn recoloured_boards_share_their_record_key_and_others_do_not() {
        let rows = |row: &str| vec![row; 14].join("\n");
        let board = case(&rows("0 0 1 2 4 4 4 0 0 0 1 1 1 0 -1"));
        let twin = case(&rows("3 3 0 4 1 1 1 3 3 3 0 0 0 3 -1"));
        let other = case(&rows("3 3 0 4 1 1 1 3 3 3 0 0 0 0 -1"));
        assert_eq!(board.record_key, twin.record_key);
        assert_ne!(board.record_key, other.record_key);
        assert_ne!(board.text, twin.text);
        assert_eq!(board.groups["colors"], 4);
    }
}
