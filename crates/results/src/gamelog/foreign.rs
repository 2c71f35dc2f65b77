//! Reads games that other programs saved: the bot's replies, and the claimed results.
//!
//! The known formats are the JSON that the runner of CodinGame's SDK returns (its class `GameResult`), the
//! JSON of games on CodinGame's website and in its IDE, and a plain list of moves. None of them contains the
//! board. This module does not judge the moves; the rules do.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::bytes::Bytes;

/// The key of the only player of a game, in the runner's maps.
const PLAYER: &str = "0";

/// A game that another program saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// The format of the file.
    pub format: ForeignFormat,
    /// The bot's turns, in order.
    pub turns: Vec<ForeignTurn>,
    /// The results that the file claims.
    pub claims: Claims,
}

/// The format of a game that another program saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignFormat {
    /// The runner of CodinGame's SDK.
    Runner,
    /// CodinGame's website or IDE.
    Website,
    /// A plain list of moves.
    Moves,
}

impl ForeignFormat {
    /// A description instead of the bot's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runner => "a game of CodinGame's SDK",
            Self::Website => "a game of CodinGame's website",
            Self::Moves => "a list of moves",
        }
    }
}

/// One turn of the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignTurn {
    /// The reply; `None` for a recorded timeout.
    pub reply: Option<Bytes>,
    /// What the bot wrote to its standard error.
    pub stderr: Bytes,
}

/// The results that a saved game claims; `None` is what the file does not state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    /// The lines of the game summary, with or without colour marks.
    pub summary: Option<Vec<String>>,
    /// Whether the bot won.
    pub won: Option<bool>,
    /// The metadata besides the score.
    pub metadata: Option<BTreeMap<String, String>>,
}

/// Reads a game that another program saved; `None` if it is in no known format.
pub fn read(text: &[u8]) -> Option<Foreign> {
    if let Ok(file) = serde_json::from_slice(text) {
        return from_json(file);
    }
    let text = str::from_utf8(text).ok()?;
    let starts_with_number = |line: &str| {
        let word = line.split_whitespace().next();
        word.is_some_and(|word| word.parse::<i64>().is_ok())
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let moves: Vec<&str> = lines.into_iter().flat_map(split_moves).collect();
    let is_moves = !moves.is_empty() && moves.iter().all(|line| starts_with_number(line));
    is_moves.then(|| from_moves(&moves))
}

/// The needed fields of every format.
#[derive(Deserialize)]
struct File {
    success: Option<Box<File>>,
    frames: Option<Vec<WebFrame>>,
    outputs: Option<BTreeMap<String, Vec<Option<String>>>>,
    #[serde(default)]
    errors: BTreeMap<String, Vec<Option<String>>>,
    summaries: Option<Vec<Option<String>>>,
    scores: Option<Value>,
    metadata: Option<Value>,
}

/// A frame of the website's format: the start of the game, or one turn.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WebFrame {
    agent_id: Option<i32>,
    stdout: Option<String>,
    stderr: Option<String>,
    summary: Option<String>,
    game_information: Option<String>,
}

fn from_json(file: File) -> Option<Foreign> {
    let file = match file.success {
        Some(inner) => *inner,
        None => file,
    };
    let metadata = file.metadata.as_ref().and_then(metadata);
    if let Some(frames) = file.frames {
        let lines = frames.iter().filter_map(WebFrame::lines);
        let claims = Claims { summary: Some(split_lines(lines)), won: None, metadata };
        let turns = turns(frames.iter().filter_map(WebFrame::turn));
        return Some(Foreign { format: ForeignFormat::Website, turns, claims });
    }
    let outputs = file.outputs.as_ref()?.get(PLAYER)?;
    let nothing = Vec::new();
    let errors = file.errors.get(PLAYER).unwrap_or(&nothing);
    // The first entry of each list belongs to the start of the game.
    let answers = outputs.iter().enumerate().skip(1).map(|(index, output)| {
        let stderr = errors.get(index).and_then(Option::as_deref);
        (output.as_deref(), stderr.unwrap_or_default())
    });
    let turns = turns(answers);
    let summaries = file.summaries.as_ref();
    let lines = summaries.map(|texts| split_lines(texts.iter().filter_map(Option::as_deref)));
    let score = file.scores.as_ref().and_then(|scores| scores.get(PLAYER)?.as_f64());
    let claims = Claims { summary: lines, won: score.map(|score| score > 0.0), metadata };
    Some(Foreign { format: ForeignFormat::Runner, turns, claims })
}

impl WebFrame {
    /// The summary lines in this frame of a one-player game. Their field depends on the engine's version.
    fn lines(&self) -> Option<&str> {
        let texts = [self.summary.as_deref(), self.game_information.as_deref()];
        texts.into_iter().flatten().find(|text| !text.trim().is_empty())
    }

    /// The bot's reply and standard error, if this frame was its turn.
    fn turn(&self) -> Option<(Option<&str>, &str)> {
        if self.agent_id == Some(-1) {
            return None;
        }
        let says_nothing = self.stdout.is_none() && self.agent_id.is_none();
        let turn = (self.stdout.as_deref(), self.stderr.as_deref().unwrap_or_default());
        (!says_nothing).then_some(turn)
    }
}

/// Turns from replies and standard error. A completed game also has an entry for its end, with an empty
/// reply, which is not a turn. (A timeout has null as its reply.)
fn turns<'t>(answers: impl Iterator<Item = (Option<&'t str>, &'t str)>) -> Vec<ForeignTurn> {
    let mut answers: Vec<_> = answers.collect();
    answers.pop_if(|(answer, _)| *answer == Some(""));
    let turn = |(answer, stderr): (Option<&str>, &str)| ForeignTurn {
        reply: answer.map(reply),
        stderr: bytes(stderr),
    };
    answers.into_iter().map(turn).collect()
}

/// Metadata as an object, or as a string with an object in JSON.
fn metadata(value: &Value) -> Option<BTreeMap<String, String>> {
    let parsed;
    let object = match value {
        Value::String(text) => {
            parsed = serde_json::from_str::<Value>(text).ok()?;
            parsed.as_object()?
        }
        value => value.as_object()?,
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(object.iter().map(|(key, value)| (key.clone(), text(value))).collect())
}

fn split_lines<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let lines = texts.flat_map(str::lines).map(str::trim_end);
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Adds the newline that some programs leave out when they save a reply.
fn reply(text: &str) -> Bytes {
    let end = if text.ends_with(['\n', '\r']) { "" } else { "\n" };
    bytes(&format!("{text}{end}"))
}

fn bytes(text: &str) -> Bytes {
    Bytes(text.as_bytes().to_vec())
}

/// The moves on a line: several, each followed by `;`, as some bots print them, or a single one, whose
/// message may contain a `;`.
fn split_moves(line: &str) -> Vec<&str> {
    let is_move = |piece: &&str| {
        let mut words = piece.split_whitespace().map(str::parse::<i64>);
        matches!((words.next(), words.next()), (Some(Ok(_)), Some(Ok(_))))
    };
    let pieces: Vec<&str> = line.split(';').filter(|piece| !piece.trim().is_empty()).collect();
    if pieces.iter().all(is_move) { pieces } else { vec![line] }
}

fn from_moves(lines: &[&str]) -> Foreign {
    let turn = |line: &&str| ForeignTurn { reply: Some(reply(line)), stderr: Bytes::default() };
    let turns = lines.iter().map(turn).collect();
    Foreign { format: ForeignFormat::Moves, turns, claims: Claims::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(text: &str) -> Vec<Option<String>> {
        let foreign = read(text.as_bytes()).expect("a known format");
        let text = |reply: Bytes| String::from_utf8(reply.0).expect("UTF-8");
        foreign.turns.into_iter().map(|turn| turn.reply.map(text)).collect()
    }

    #[test]
    fn the_runners_first_entry_is_no_turn_and_a_later_null_is_a_timeout() {
        let text = r#"{"outputs": {"0": [null, "0 1\n", "2 3\n", null], "referee": ["x"]},
            "errors": {"0": ["", "oh", "", "late"]}, "summaries": [null, "a\n", "b\n", "¤RED¤c§RED§\n"],
            "scores": {"0": 0}, "metadata": "{\"Score\": \"4\"}"}"#;
        assert_eq!(replies(text), [Some("0 1\n".to_owned()), Some("2 3\n".to_owned()), None]);
        let foreign = read(text.as_bytes()).expect("a known format");
        assert_eq!(foreign.turns[0].stderr.0, b"oh");
        assert_eq!(foreign.turns[2].stderr.0, b"late");
        let claims = foreign.claims;
        assert_eq!(claims.summary.expect("lines"), ["a", "b", "¤RED¤c§RED§"]);
        assert_eq!(claims.won, Some(false));
        assert_eq!(claims.metadata.expect("metadata")["Score"], "4");
    }

    #[test]
    fn the_website_wraps_its_frames_or_does_not() {
        let bare = r#"{"frames": [{"agentId": -1, "gameInformation": "start", "keyframe": true},
            {"agentId": 0, "stdout": "0 1 hi", "stderr": "e", "summary": "one\n", "gameInformation": "x"},
            {"agentId": 0, "gameInformation": "two"}], "metadata": {"Score": 7}}"#;
        assert_eq!(replies(bare), [Some("0 1 hi\n".to_owned()), None]);
        let wrapped = format!("{{\"success\": {bare}}}");
        let foreign = read(wrapped.as_bytes()).expect("a known format");
        assert_eq!(foreign, read(bare.as_bytes()).expect("a known format"));
        assert_eq!(foreign.claims.summary.expect("lines"), ["start", "one", "two"]);
        assert_eq!(foreign.claims.metadata.expect("metadata")["Score"], "7");
    }

    #[test]
    fn a_list_of_moves_has_one_on_each_line() {
        assert_eq!(replies("0 1\n\n 2 3 hi\r\n").len(), 2);
        assert_eq!(replies("-1 4")[0], Some("-1 4\n".to_owned()));
    }

    #[test]
    fn a_list_of_moves_may_stand_on_one_line() {
        assert_eq!(replies("0 1;2 3; 4 5 hi;\n6 7\n").len(), 4);
        assert_eq!(replies("0 1 ;-)\n")[0].as_deref(), Some("0 1 ;-)\n"), "a message");
        assert_eq!(replies("0 1 2;3 4 5")[1].as_deref(), Some("3 4 5\n"), "of Square Remover");
    }

    #[test]
    fn the_runners_last_entry_is_no_turn_when_nothing_was_asked_for() {
        let text = r#"{"outputs": {"0": [null, "0 1\n", ""]}, "summaries": ["", "a\n", "b\n"]}"#;
        assert_eq!(replies(text), [Some("0 1\n".to_owned())]);
        let text = r#"{"outputs": {"0": [null, "0 1\n", "\n"]}}"#;
        assert_eq!(replies(text).len(), 2, "an empty line is an answer");
    }

    #[test]
    fn other_files_are_in_no_known_format() {
        for text in ["", "{}", "[1, 2]", "moves:\n0 1\n", "{\"outputs\": {}}", "\u{1}"] {
            assert_eq!(read(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(read(b"0 1\xff"), None);
    }
}
