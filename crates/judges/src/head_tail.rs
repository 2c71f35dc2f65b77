//! The head and the tail of a program's output, in bounded space.

use terms::bounds::{JUDGE_LINE, SHOWN_LINES};
use terms::text::cut;

/// The first bytes and the last bytes of an output.
#[derive(Debug)]
pub(crate) struct HeadTail {
    /// The sizes of both.
    sizes: [usize; 2],
    head: Vec<u8>,
    /// What came after the head; at most twice its size.
    tail: Vec<u8>,
    is_cut: bool,
}

impl HeadTail {
    /// Nothing yet, of a head and a tail of these sizes.
    pub(crate) fn new(sizes: [usize; 2]) -> Self {
        Self { sizes, head: Vec::new(), tail: Vec::new(), is_cut: false }
    }

    /// Adds what has come.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let [head, tail] = self.sizes;
        let room = chunk.len().min(head - self.head.len());
        self.head.extend_from_slice(&chunk[..room]);
        for part in chunk[room..].chunks(tail) {
            self.tail.extend_from_slice(part);
            if self.tail.len() > 2 * tail {
                self.tail.drain(..self.tail.len() - tail);
                self.is_cut = true;
            }
        }
    }

    /// The text that was kept.
    pub(crate) fn text(&self) -> String {
        self.joined(&self.head, &self.tail)
    }

    /// As [`text`](Self::text), without the parts of lines at the gap, which could pass for whole ones.
    pub(crate) fn whole_lines(&self) -> String {
        if !self.is_cut {
            return self.text();
        }
        let is_end = |byte: &u8| *byte == b'\n';
        let head = self.head.iter().rposition(is_end).map_or(0, |end| end + 1);
        let tail = self.tail.iter().position(is_end).map_or(self.tail.len(), |end| end + 1);
        self.joined(&self.head[..head], &self.tail[tail..])
    }

    fn joined(&self, head: &[u8], tail: &[u8]) -> String {
        let gap = if self.is_cut { "\n" } else { "" };
        // A character may be on both sides where nothing is missing.
        if gap.is_empty() {
            return String::from_utf8_lossy(&[head, tail].concat()).into_owned();
        }
        format!("{}{gap}{}", String::from_utf8_lossy(head), String::from_utf8_lossy(tail))
    }

    /// The first line that says something.
    pub(crate) fn first_line(&self) -> Option<String> {
        let text = self.text();
        text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// The last lines, each cut to be shown, if there are any.
    pub(crate) fn last_lines(&self) -> Option<String> {
        let text = self.text();
        let lines: Vec<String> = text.trim_end().lines().map(|it| cut(it, JUDGE_LINE)).collect();
        let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
        (!shown.is_empty()).then(|| shown.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::bounds::{JUDGE_STDERR_HEAD, JUDGE_STDERR_TAIL};

    const MOST: usize = JUDGE_STDERR_HEAD + 2 * JUDGE_STDERR_TAIL + 1;

    #[test]
    fn the_beginning_and_the_end_of_a_flood_are_kept() {
        let mut stderr = HeadTail::new([JUDGE_STDERR_HEAD, JUDGE_STDERR_TAIL]);
        assert_eq!((stderr.first_line(), stderr.last_lines()), (None, None));
        stderr.push(b"\nwhy\n");
        for number in 0..100_000 {
            stderr.push(format!("line {number}\n").as_bytes());
        }
        stderr.push(b"the end\n\n");
        assert!(stderr.text().len() <= MOST);
        assert_eq!(stderr.first_line().as_deref(), Some("why"));
        let last = stderr.last_lines().expect("some");
        assert!(last.ends_with("line 99999\nthe end"), "{last}");
        assert_eq!(last.lines().count(), SHOWN_LINES);
        let whole = stderr.whole_lines();
        let is_whole = |line: &str| line.starts_with("line ") && line.len() <= "line 99999".len();
        let others = whole.lines().filter(|line| !is_whole(line));
        assert_eq!(others.collect::<Vec<_>>(), ["", "why", "", "the end", ""]);
    }

    #[test]
    fn one_large_chunk_is_cut_like_many_small_ones() {
        let mut stderr = HeadTail::new([JUDGE_STDERR_HEAD, JUDGE_STDERR_TAIL]);
        stderr.push(&[vec![b'a'; 100_000], b"\nend".to_vec()].concat());
        assert_eq!(stderr.last_lines().expect("some").lines().last(), Some("end"));
        assert!(stderr.text().len() <= MOST);
        assert_eq!(stderr.whole_lines(), "\nend");
    }
}
