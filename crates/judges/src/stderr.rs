//! A judge's standard error: how it begins and how it ends.

/// The bytes kept of its beginning, where a runtime explains itself.
const HEAD: usize = 16 << 10;

/// The bytes kept of its end.
const TAIL: usize = 4 << 10;

/// The most lines of its end that are shown.
const SHOWN_LINES: usize = 12;

/// Standard error as it comes, in bounded space.
#[derive(Debug, Default)]
pub(crate) struct Stderr {
    head: Vec<u8>,
    /// What came after the head; at most twice [`TAIL`].
    tail: Vec<u8>,
    is_cut: bool,
}

impl Stderr {
    /// Adds what has come.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let room = chunk.len().min(HEAD - self.head.len());
        self.head.extend_from_slice(&chunk[..room]);
        for part in chunk[room..].chunks(TAIL) {
            self.tail.extend_from_slice(part);
            if self.tail.len() > 2 * TAIL {
                self.tail.drain(..self.tail.len() - TAIL);
                self.is_cut = true;
            }
        }
    }

    /// The text that was kept.
    pub(crate) fn text(&self) -> String {
        let gap = if self.is_cut { "\n" } else { "" };
        format!(
            "{}{gap}{}",
            String::from_utf8_lossy(&self.head),
            String::from_utf8_lossy(&self.tail)
        )
    }

    /// The first line that says something.
    pub(crate) fn first_line(&self) -> Option<String> {
        let text = self.text();
        text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// The last lines, if there are any.
    pub(crate) fn last_lines(&self) -> Option<String> {
        let text = self.text();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
        (!shown.is_empty()).then(|| shown.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_of_a_flood_are_kept() {
        let mut stderr = Stderr::default();
        assert_eq!((stderr.first_line(), stderr.last_lines()), (None, None));
        stderr.push(b"\nwhy\n");
        for number in 0..100_000 {
            stderr.push(format!("line {number}\n").as_bytes());
        }
        stderr.push(b"the end\n\n");
        assert!(stderr.text().len() <= HEAD + 2 * TAIL + 1);
        assert_eq!(stderr.first_line().as_deref(), Some("why"));
        let last = stderr.last_lines().expect("some");
        assert!(last.ends_with("line 99999\nthe end"), "{last}");
        assert_eq!(last.lines().count(), SHOWN_LINES);
    }

    #[test]
    fn one_large_chunk_is_cut_like_many_small_ones() {
        let mut stderr = Stderr::default();
        stderr.push(&[vec![b'a'; 100_000], b"\nend".to_vec()].concat());
        assert_eq!(stderr.last_lines().expect("some").lines().last(), Some("end"));
        assert!(stderr.text().len() <= HEAD + 2 * TAIL + 1);
    }
}
