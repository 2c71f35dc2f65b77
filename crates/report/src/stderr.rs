//! Picks the parts of a bot's standard error that may explain why it lost.

use std::collections::VecDeque;

use results::gamelog::{Log, Turn};
use results::sanitizer::sanitizer_finding;
use terms::text::plural;

/// How many lines to show from the beginning and from the end of a turn's standard error: some runtimes
/// name the error before the stack trace, others after it.
const HEAD_LINES: usize = 10;
const TAIL_LINES: usize = 10;

/// The longest line to show, in characters.
const MAX_LINE_CHARS: usize = 300;

/// Standard error up to the verdict, and after it, when the bot's input had been closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stderr {
    /// The last lines of earlier turns.
    earlier: VecDeque<String>,
    /// The standard error of the last turn with any.
    turn: Vec<u8>,
    /// The number of its bytes that were not kept.
    dropped: u64,
    after: Vec<u8>,
}

impl Stderr {
    /// Adds a turn's standard error, of which `dropped` bytes were not kept.
    pub(super) fn add_turn(&mut self, bytes: &[u8], dropped: u64) {
        if bytes.is_empty() {
            return;
        }
        let before = std::mem::replace(&mut self.turn, bytes.to_vec());
        let (head, tail) = ends(&before);
        self.earlier.extend(head.into_iter().chain(tail));
        let surplus = self.earlier.len().saturating_sub(TAIL_LINES);
        self.earlier.drain(..surplus);
        self.dropped = dropped;
    }

    /// Adds the standard error after the last turn.
    pub(super) fn add_end(&mut self, bytes: &[u8]) {
        self.after = bytes.to_vec();
    }

    /// The beginning and the end of the standard error before the verdict.
    pub(super) fn before_verdict(&self) -> Vec<String> {
        let turn = shown(&self.turn, self.dropped);
        let room = TAIL_LINES.saturating_sub(turn.len()).min(self.earlier.len());
        self.earlier.range(self.earlier.len() - room..).cloned().chain(turn).collect()
    }

    /// Whether a sanitizer's report is in it, of which a part may come after the verdict.
    pub(super) fn has_finding(&self) -> bool {
        sanitizer_finding(&[self.turn.as_slice(), &self.after].concat()).is_some()
    }

    /// The beginning and the end of the standard error after the verdict. It is kept apart, since a bot's
    /// complaint about closed input or a signal is not why it lost.
    pub(super) fn after_verdict(&self) -> Vec<String> {
        shown(&self.after, 0)
    }
}

/// The last line that a bot wrote to its standard error before the verdict, apart from data.
pub(super) fn last_line(log: &Log) -> Option<String> {
    const MAX_CHARS: usize = 120;
    let of_turn = |turn: &Turn| {
        let text = String::from_utf8_lossy(&turn.stderr.0).into_owned();
        let mut lines = text.lines().rev().map(str::trim);
        let line = lines.find(|line| !line.is_empty() && !line.starts_with("@referee "))?;
        Some(line.chars().take(MAX_CHARS).collect())
    };
    log.turns.iter().rev().find_map(of_turn)
}

fn shown(bytes: &[u8], dropped: u64) -> Vec<String> {
    let (mut lines, tail) = ends(bytes);
    let all = text_lines(&String::from_utf8_lossy(bytes)).count();
    let left_out = (all - lines.len() - tail.len()) as u64;
    if left_out > 0 {
        lines.push(format!("[… {} left out …]", plural(left_out, "line")));
    }
    lines.extend(tail);
    if dropped > 0 {
        lines.push(format!("[… {} more, not kept]", plural(dropped, "byte")));
    }
    lines
}

/// The first and the last lines, without repeating any.
fn ends(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text_lines(&text).collect();
    let (head, rest) = lines.split_at(HEAD_LINES.min(lines.len()));
    // A mark for a gap of one line would take as much room as the line.
    let tail = if rest.len() <= TAIL_LINES + 1 { rest } else { &rest[rest.len() - TAIL_LINES..] };
    let cut = |lines: &[&str]| lines.iter().map(|line| clipped(line)).collect();
    (cut(head), cut(tail))
}

fn text_lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().lines()
}

fn clipped(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: std::ops::Range<u32>) -> String {
        let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
        lines.join("\n")
    }

    fn before(turns: &[&str]) -> Vec<String> {
        let mut stderr = Stderr::default();
        for turn in turns {
            stderr.add_turn(turn.as_bytes(), 0);
        }
        stderr.before_verdict()
    }

    #[test]
    fn the_head_and_the_tail_of_the_last_turn_are_shown() {
        let shown = before(&[&numbered(0..100)]);
        assert_eq!(shown.len(), 21);
        assert_eq!((shown[9].as_str(), shown[11].as_str()), ("9", "90"));
        assert_eq!(shown[10], "[… 80 lines left out …]");
        assert_eq!(before(&[&numbered(0..21)]), numbered(0..21).lines().collect::<Vec<_>>());
    }

    #[test]
    fn a_short_one_is_filled_up_with_earlier_turns() {
        let shown = before(&["x\n", &numbered(0..12), "", "last"]);
        assert_eq!(shown, ["3", "4", "5", "6", "7", "8", "9", "10", "11", "last"]);
        assert_eq!(before(&[]), [""; 0]);
    }

    #[test]
    fn dropped_and_overlong_output_is_marked() {
        let mut stderr = Stderr::default();
        stderr.add_turn("é".repeat(1000).as_bytes(), 7);
        let shown = stderr.before_verdict();
        assert_eq!(shown[0].chars().count(), 301);
        assert_eq!(shown[1], "[… 7 bytes more, not kept]");
    }
}
