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

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use self::board::Board;
use self::position::{IllegalMove, Position};
use self::reply::Action;
use super::frames::{Frame, Picture};
use super::kind::GameKind;
use super::rules::{Exchange, Fault, Game, Played, Rejected};
use crate::score::Score;
use terms::limits::{LimitKind, Limits};
use terms::lines::{LineRules, Lines};
use terms::verdict::NoReply;

/// This game's row in the table of games.
pub fn kind() -> GameKind {
    let bundled = [
        ("random-1", include_str!("../../../boards/random-1.toml")),
        ("clearable", include_str!("../../../boards/clearable.toml")),
        ("no-move", include_str!("../../../boards/no-move.toml")),
    ];
    GameKind {
        from_seed: Arc::new(|seed, options| {
            let board = generate::random_board(seed, options.colors.unwrap_or(board::COLORS));
            board.map(|board| board.to_string()).map_err(|error| error.to_string().into())
        }),
        bundled: bundled.map(|(name, board)| (name.to_owned(), board.to_owned())).into(),
        default_bot: Some("@greedy".to_owned()),
        stderr_per_turn: Some(4096),
        limits: Limits::from([
            (LimitKind::FirstTurn, Duration::from_secs(20)),
            (LimitKind::Turn, Duration::from_millis(50)),
        ]),
        memory: Some(768 << 20),
        ..GameKind::new("samegame", "SameGame", |source| {
            Ok(Box::new(SameGame::new(boardfile::parse(source)?)))
        })
    }
}

/// One line; it is unreadable if no newline has come within 10,000 bytes. When the bot's process ends, Java
/// takes what is in its pipe and closes that.
const REPLY: LineRules = LineRules {
    count: 1,
    max_bytes: Some(10_000),
    eof_ends_line: false,
    until_exit: true,
    readable: |_| true,
};

/// A game in progress.
#[derive(Debug, Clone)]
pub struct SameGame {
    start: String,
    position: Position,
    /// The moves played so far, as the bot wrote them.
    moves: Vec<(i32, i32)>,
    summary: Vec<String>,
    official: String,
}

impl SameGame {
    /// The start of a game on `board`.
    pub fn new(board: Board) -> Self {
        Self {
            start: board.to_string(),
            position: Position::new(board),
            moves: Vec::new(),
            summary: Vec::new(),
            official: String::new(),
        }
    }

    fn remark_on(&self, action: &Action, illegal: IllegalMove) -> String {
        let start = boardfile::parse(&self.start).expect("a board's own text");
        let earlier = (&start, self.moves.as_slice());
        remarks::on_illegal(&self.position, earlier, action, illegal)
    }

    fn lose(&mut self, wording: impl std::fmt::Display) {
        self.end("RED", format!("[ERROR] {wording}"));
    }

    fn end(&mut self, mark: &str, official: String) {
        self.summary.push(format!("¤{mark}¤{official}§{mark}§"));
        self.official = official;
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

impl Game for SameGame {
    fn next_exchange(&self) -> Option<Exchange> {
        let limit = if self.moves.is_empty() { LimitKind::FirstTurn } else { LimitKind::Turn };
        self.official.is_empty().then_some(Exchange { lines: REPLY, limit, official: None })
    }

    fn input(&self) -> Cow<'_, str> {
        Cow::Owned(self.position.board().to_string())
    }

    fn accept(&mut self, reply: &Lines) -> Result<Played, Rejected> {
        let line = reply.iter().next().unwrap_or_default();
        let action = reply::parse(line).map_err(|malformed| {
            self.lose(malformed);
            let remark = Some(remarks::on_malformed(malformed, line));
            Rejected { fault: Fault::Malformed, line: 0, action: None, remark }
        })?;
        match self.position.play(action.x, action.y) {
            Ok(removal) => {
                let remark = remarks::on_crash(&action, line);
                self.moves.push((action.x, action.y));
                let action = self.perform(&action, Some(removal.color), removal.size);
                if self.position.is_over() {
                    let score = self.position.score();
                    self.end("GREEN", format!("Endgame. Obtained a score of {score}."));
                }
                Ok(Played { gain: Some(removal.gain.into()), action, remark })
            }
            Err(illegal) => {
                let remark = self.remark_on(&action, illegal);
                let action = match illegal {
                    IllegalMove::OutOfBounds { .. } => None,
                    IllegalMove::EmptyTile => Some(self.perform(&action, None, 0)),
                    IllegalMove::SingleTile(color) => Some(self.perform(&action, Some(color), 1)),
                };
                self.lose(illegal);
                Err(Rejected { fault: Fault::Illegal, line: 0, action, remark: Some(remark) })
            }
        }
    }

    /// The original calls every missing reply a timeout.
    fn unanswered(&mut self, _received: &Lines, _why: NoReply) {
        self.lose("Timeout!");
    }

    fn score(&self) -> Option<Score> {
        Some(self.position.score().into())
    }

    fn summary(&self) -> &[String] {
        &self.summary
    }

    fn official_result(&self) -> &str {
        &self.official
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("Score".to_owned(), self.position.score().to_string())])
    }

    fn legal_moves(&self) -> Option<usize> {
        Some(self.position.board().legal_moves().len())
    }

    fn test_case(&self) -> &str {
        &self.start
    }

    /// Colours are renumbered by first appearance, so that recoloured boards have the same key.
    fn record_key(&self) -> Cow<'_, str> {
        let mut order: Vec<&str> = Vec::new();
        let mut tiles = Vec::new();
        for tile in self.start.split_whitespace() {
            tiles.push(match tile {
                "-1" => tile.to_owned(),
                color => place_in(&mut order, color).to_string(),
            });
        }
        Cow::Owned(tiles.join(" "))
    }

    fn groups(&self) -> BTreeMap<String, u32> {
        let mut colors: Vec<&str> = self.start.split_whitespace().collect();
        colors.sort_unstable();
        colors.dedup();
        let count = colors.iter().filter(|tile| **tile != "-1").count();
        BTreeMap::from([("colors".to_owned(), u32::try_from(count).unwrap_or(u32::MAX))])
    }

    fn picture(&self) -> Picture {
        frames::picture(self.position.board())
    }

    fn frames(&self, reply: &Lines) -> Vec<Frame> {
        let number = self.moves.len() + 1;
        let frame = reply.iter().next().and_then(|line| frames::frame(&self.position, line));
        frame.map(|frame| Frame { number, ..frame }).into_iter().collect()
    }
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

    fn game(rows: &str) -> SameGame {
        SameGame::new(
            boardfile::parse(&format!("{}{rows}", "-1 ".repeat(14) + "-1\n")).expect("a board"),
        )
    }

    #[test]
    fn recoloured_boards_share_their_record_key_and_others_do_not() {
        let rows = |row: &str| vec![row; 14].join("\n");
        let board = game(&rows("0 0 1 2 4 4 4 0 0 0 1 1 1 0 -1"));
        let twin = game(&rows("3 3 0 4 1 1 1 3 3 3 0 0 0 3 -1"));
        let other = game(&rows("3 3 0 4 1 1 1 3 3 3 0 0 0 0 -1"));
        assert_eq!(board.record_key(), twin.record_key());
        assert_ne!(board.record_key(), other.record_key());
        assert_ne!(board.test_case(), twin.test_case());
        assert_eq!(board.groups()["colors"], 4);
    }
}
