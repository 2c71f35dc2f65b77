//! Splits what a bot writes into lines, as the original referees do.
//!
//! `\n`, `\r` and `\r\n` each end one line. The module knows neither pipes nor games: the process
//! layer pushes bytes into a [`LineBuffer`], the games read [`Lines`], and a replay makes the same
//! [`Lines`] from the bytes in a log.

use std::mem;

/// The rules for a complete reply in an exchange.
#[derive(Debug, Clone, Copy)]
pub struct LineRules {
    /// The number of lines of a complete reply, or [`UNTIL_END`](Self::UNTIL_END).
    pub count: usize,
    /// The longest readable reply in bytes: all its lines, each with a terminator of one byte; `None` for no bound.
    pub max_bytes: Option<usize>,
    /// Whether the end of the output also ends a last line that has no terminator.
    pub eof_ends_line: bool,
    /// Whether output counts only until the bot's first process has ended. Otherwise another of its processes
    /// may answer for as long as it holds the output open.
    pub until_exit: bool,
    /// Whether the original can read a line. It stops at an unreadable line, which then ends the
    /// reply.
    pub readable: fn(&[u8]) -> bool,
}

impl LineRules {
    /// The number of lines of a reply that lasts until the end of the output.
    pub const UNTIL_END: usize = usize::MAX;

    /// This number of lines, whatever is in them and however long they are. The end of the output also ends a line, and
    /// only the bot's first process answers.
    pub const fn any(count: usize) -> Self {
        Self { count, max_bytes: None, eof_ends_line: true, until_exit: true, readable: |_| true }
    }
}

/// Whether a reply is complete yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// More bytes are needed.
    Incomplete,
    /// The reply is complete, with this number of lines.
    Complete(usize),
    /// The reply is longer than the rules allow.
    TooLong,
}

/// Lines as a bot wrote them, and possibly the start of another one.
///
/// ```
/// use terms::lines::{LineRules, Lines, Progress};
///
/// let lines = Lines::split(b"3 4\r\n5");
/// assert_eq!((lines.get(0), lines.partial()), (Some(&b"3 4"[..]), &b"5"[..]));
/// assert_eq!(lines.progress(&LineRules::any(1)), Progress::Complete(1));
/// assert_eq!(lines.progress(&LineRules::any(2)), Progress::Incomplete);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Lines {
    bytes: Vec<u8>,
    /// For each line, the offset just after its terminator.
    ends: Vec<usize>,
}

impl Lines {
    /// Splits `bytes`; the bytes after the last terminator are the [`partial`](Self::partial) line.
    pub fn split(bytes: &[u8]) -> Self {
        let mut buffer = LineBuffer::default();
        buffer.push(bytes);
        buffer.held
    }

    /// The number of terminated lines.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no terminated line.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The terminated line of this index, from 0, without its terminator.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        (index < self.len()).then(|| self.line(index))
    }

    /// The terminated lines, without their terminators.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len()).map(|index| self.line(index))
    }

    /// The terminated lines as text, with a replacement character for what is not UTF-8.
    pub fn to_text(&self) -> Vec<String> {
        self.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    /// The bytes after the last terminator.
    pub fn partial(&self) -> &[u8] {
        &self.bytes[self.ends.last().copied().unwrap_or(0)..]
    }

    /// Every byte, terminators included.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Every byte, terminators included.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Whether these lines are a complete reply under `rules`.
    pub fn progress(&self, rules: &LineRules) -> Progress {
        self.progress_from(&mut Checked::default(), rules)
    }

    /// As [`progress`](Self::progress), skipping the lines that were checked before.
    fn progress_from(&self, checked: &mut Checked, rules: &LineRules) -> Progress {
        let fits = |bytes: usize| rules.max_bytes.is_none_or(|max| bytes < max);
        while checked.lines < self.len().min(rules.count) {
            let line = self.line(checked.lines);
            if !fits(checked.bytes + line.len()) {
                return Progress::TooLong;
            }
            checked.lines += 1;
            checked.bytes += line.len() + 1;
            if !(rules.readable)(line) {
                return Progress::Complete(checked.lines);
            }
        }
        if checked.lines == rules.count {
            Progress::Complete(rules.count)
        } else if !fits(checked.bytes + self.partial().len()) {
            Progress::TooLong
        } else {
            Progress::Incomplete
        }
    }

    /// Ends the partial line, if there is one.
    pub fn end_partial(&mut self) {
        if !self.partial().is_empty() {
            self.ends.push(self.bytes.len());
        }
    }

    fn start_of(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] }
    }

    fn line(&self, index: usize) -> &[u8] {
        let line = &self.bytes[self.start_of(index)..self.ends[index]];
        line.strip_suffix(b"\r\n")
            .or_else(|| line.strip_suffix(b"\n"))
            .or_else(|| line.strip_suffix(b"\r"))
            .unwrap_or(line)
    }
}

/// Lines that have arrived and were not taken yet.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct LineBuffer {
    held: Lines,
    /// The last byte pushed was an `\r`: an `\n` that follows belongs to the same terminator.
    after_cr: bool,
    /// The held lines that were checked and do not end the reply.
    checked: Checked,
}

/// The first lines of a reply, which were checked.
#[derive(Debug, Default)]
struct Checked {
    lines: usize,
    /// Their length, with a terminator of one byte each.
    bytes: usize,
}

impl LineBuffer {
    /// Appends the bytes of one read.
    pub fn push(&mut self, chunk: &[u8]) {
        let Lines { bytes, ends } = &mut self.held;
        let chunk = match chunk {
            [b'\n', rest @ ..] if self.after_cr => {
                // The line has ended; keep the byte only if the line itself is still held.
                if ends.last() == Some(&bytes.len()) && !bytes.is_empty() {
                    bytes.push(b'\n');
                    *ends.last_mut().expect("just seen") += 1;
                }
                self.after_cr = false;
                rest
            }
            _ => chunk,
        };
        let Some(&last) = chunk.last() else { return };
        self.after_cr = last == b'\r';
        let base = bytes.len();
        bytes.extend_from_slice(chunk);
        let mut skip_lf_at = usize::MAX;
        for at in memchr::memchr2_iter(b'\n', b'\r', chunk) {
            if at == skip_lf_at {
                continue;
            }
            let mut end = at + 1;
            if chunk[at] == b'\r' && chunk.get(end) == Some(&b'\n') {
                skip_lf_at = end;
                end += 1;
            }
            ends.push(base + end);
        }
    }

    /// The lines not taken yet.
    pub fn held(&self) -> &Lines {
        &self.held
    }

    /// Whether the held lines are a complete reply under `rules`, which must not change until they are taken.
    pub fn progress(&mut self, rules: &LineRules) -> Progress {
        self.held.progress_from(&mut self.checked, rules)
    }

    /// Whether anything follows the first `count` lines, apart from the `\n` of a split `\r\n`.
    pub fn has_more_than(&self, count: usize) -> bool {
        let Some(last) = count.checked_sub(1) else { return !self.held.bytes.is_empty() };
        let start = self.held.start_of(last);
        start + self.held.line(last).len() + 1 < self.held.bytes.len()
    }

    /// Ends a last, unterminated line at the end of the output.
    pub fn end_partial(&mut self) {
        self.held.end_partial();
    }

    /// Takes the first `count` lines; later ones stay for the next exchange.
    ///
    /// With fewer than `count` lines, everything is taken, the partial line included.
    pub fn take(&mut self, count: usize) -> Lines {
        self.checked = Checked::default();
        if self.held.len() < count {
            return mem::take(&mut self.held);
        }
        let cut = count.checked_sub(1).map_or(0, |last| self.held.ends[last]);
        let rest = Lines {
            bytes: self.held.bytes.split_off(cut),
            ends: self.held.ends.split_off(count).iter().map(|end| end - cut).collect(),
        };
        mem::replace(&mut self.held, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: LineRules = LineRules {
        count: 1,
        max_bytes: Some(10),
        eof_ends_line: false,
        until_exit: true,
        readable: |line| line != b"stop",
    };

    fn pushed(chunks: &[&[u8]]) -> LineBuffer {
        let mut buffer = LineBuffer::default();
        for chunk in chunks {
            buffer.push(chunk);
        }
        buffer
    }

    #[test]
    fn each_kind_of_terminator_ends_a_line_once() {
        let lines = Lines::split(b"a\nb\rc\r\nd\n\re");
        let found: Vec<&[u8]> = lines.iter().collect();
        assert_eq!(found, [&b"a"[..], b"b", b"c", b"d", b""]);
        assert_eq!(lines.partial(), b"e");
    }

    #[test]
    fn a_terminator_split_between_reads_ends_one_line() {
        let mut buffer = pushed(&[b"a\r", b"\nb\r"]);
        assert_eq!(buffer.take(1).as_bytes(), b"a\r\n");
        assert_eq!(buffer.take(1).as_bytes(), b"b\r");
        buffer.push(b"\nc\n");
        assert_eq!(buffer.take(1).as_bytes(), b"c\n", "the late \\n belongs to the line taken");
    }

    #[test]
    fn surplus_lines_stay() {
        let mut buffer = pushed(&[b"1\n2\n3"]);
        assert_eq!(buffer.take(1).as_bytes(), b"1\n");
        assert_eq!(buffer.held().len(), 1);
        assert_eq!(buffer.take(1).as_bytes(), b"2\n");
        assert_eq!(buffer.take(1).as_bytes(), b"3", "a partial line");
        assert!(buffer.held().as_bytes().is_empty());
    }

    #[test]
    fn a_reply_may_fill_its_bound_and_no_more() {
        for (count, text, expected) in [
            (1, &b"123456789\n"[..], Progress::Complete(1)),
            (1, b"1234567890\n", Progress::TooLong),
            (1, b"123456789", Progress::Incomplete),
            (1, b"1234567890", Progress::TooLong),
            (3, b"1\n2\n34567\n", Progress::Complete(3)),
            (3, b"1\r\n2\r\n34567\r\n", Progress::Complete(3)),
            (3, b"1\n2\n345678\n", Progress::TooLong),
            (3, b"1\r2\r345678\r", Progress::TooLong),
            (3, b"\n12345678", Progress::Incomplete),
            (3, b"\n123456789", Progress::TooLong),
            (3, b"1\n12345678\n", Progress::TooLong),
        ] {
            let rules = LineRules { count, ..RULES };
            assert_eq!(Lines::split(text).progress(&rules), expected, "{text:?}");
            let unbounded = LineRules { max_bytes: None, ..rules };
            assert_ne!(Lines::split(text).progress(&unbounded), Progress::TooLong);
            let mut buffer = LineBuffer::default();
            let mut by_bytes = text.iter().map(|byte| {
                buffer.push(&[*byte]);
                buffer.progress(&rules)
            });
            let end = by_bytes.find(|found| *found != Progress::Incomplete);
            assert_eq!(end.unwrap_or(Progress::Incomplete), expected, "{text:?} byte by byte");
        }
    }

    #[test]
    fn a_long_surplus_line_does_not_spoil_the_reply_before_it() {
        assert_eq!(Lines::split(b"1\n1234567890123").progress(&RULES), Progress::Complete(1));
    }

    #[test]
    fn an_unreadable_line_is_the_last_of_its_reply() {
        let rules = LineRules { count: 3, ..RULES };
        let mut buffer = pushed(&[b"1\n"]);
        assert_eq!(buffer.progress(&rules), Progress::Incomplete);
        buffer.push(b"stop\n3\n4\n");
        assert_eq!(buffer.progress(&rules), Progress::Complete(2));
        assert_eq!(buffer.take(2).as_bytes(), b"1\nstop\n");
        assert_eq!(buffer.progress(&rules), Progress::Incomplete, "3 and 4 are two lines of three");
    }

    #[test]
    fn the_end_of_output_can_end_a_line() {
        let mut lines = Lines::split(b"1\n2");
        lines.end_partial();
        lines.end_partial();
        assert_eq!(lines.iter().collect::<Vec<_>>(), [b"1", b"2"]);
    }

    proptest! {
        #[test]
        fn reads_may_cut_the_output_anywhere(
            text in "[a\r\n]{0,40}",
            cuts in proptest::collection::vec(0usize..41, 0..6),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut buffer = LineBuffer::default();
            for pair in cuts.windows(2) {
                buffer.push(&bytes[pair[0]..pair[1]]);
            }
            prop_assert_eq!(buffer.held(), &Lines::split(bytes));
        }
    }
}
