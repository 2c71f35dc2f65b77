//! Predicts when a bot would have blocked on its standard error, of which the original reads little.

use results::gamelog::Turn;
use terms::text::size;

/// The default capacity of a pipe on Linux.
const PIPE_BYTES: u64 = 64 * 1024;

/// What Java's `BufferedInputStream` takes from a pipe at once, if that much is there.
const BUFFER_BYTES: u64 = 8192;

/// The fill level that a bot's standard error pipe would have had under the original.
///
/// CodinGame's SDK reads `per_turn` bytes at the end of each turn, through a buffer that it fills from the
/// pipe whenever it is empty. A bot that fills the pipe with the rest blocks in the middle of a turn, and is
/// late. The behaviour of the production site is unknown.
#[derive(Debug)]
pub(super) struct StderrPipe {
    per_turn: Option<u64>,
    written: u64,
    /// The bytes in the pipe, beyond its capacity if the bot had blocked.
    in_pipe: u64,
    buffered: u64,
    /// The turn in which the pipe became full.
    full: Option<Full>,
}

#[derive(Debug)]
struct Full {
    turn: u32,
    /// The bytes written in that turn.
    in_turn: u64,
    /// The bytes written in all turns up to then.
    written: u64,
}

impl StderrPipe {
    pub(super) fn new(per_turn: Option<u64>) -> Self {
        Self { per_turn, written: 0, in_pipe: 0, buffered: 0, full: None }
    }

    pub(super) fn add(&mut self, turn: &Turn) {
        let Some(per_turn) = self.per_turn else { return };
        let in_turn = turn.stderr.0.len() as u64 + turn.stderr_dropped;
        self.written += in_turn;
        self.in_pipe += in_turn;
        if self.in_pipe > PIPE_BYTES {
            let full = Full { turn: turn.turn, in_turn, written: self.written };
            self.full.get_or_insert(full);
        }
        self.read(per_turn);
    }

    /// Reads up to `wanted` bytes as the original does.
    fn read(&mut self, mut wanted: u64) {
        while wanted > 0 {
            if self.buffered == 0 {
                self.buffered = self.in_pipe.min(BUFFER_BYTES);
                self.in_pipe -= self.buffered;
            }
            let taken = self.buffered.min(wanted);
            if taken == 0 {
                break;
            }
            self.buffered -= taken;
            wanted -= taken;
        }
    }

    pub(super) fn diagnosis(&self) -> Option<String> {
        let (Some(per_turn), Some(full)) = (self.per_turn, &self.full) else { return None };
        let &Full { turn, in_turn, written } = full;
        let so_far =
            if in_turn == written { String::new() } else { format!(" ({} so far)", size(written)) };
        let (in_turn, per_turn) = (size(in_turn), per_turn / 1000);
        Some(format!(
            "the bot wrote {in_turn} of standard error in turn {turn}{so_far}; CodinGame's SDK \
             reads {per_turn} kB a turn and leaves the rest in the pipe, so this bot would have been \
             late there"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::gamelog::Bytes;

    fn says(per_turn: Option<u64>, written: &[usize]) -> Option<String> {
        let mut pipe = StderrPipe::new(per_turn);
        for (number, &bytes) in (1..).zip(written) {
            let stderr = Bytes(vec![b'e'; bytes]);
            pipe.add(&Turn { turn: number, stderr, ..crate::play::made::turn() });
        }
        pipe.diagnosis()
    }

    #[test]
    fn the_turn_that_fills_the_pipe_is_reported() {
        let once = says(Some(4096), &[0, 70_000, 0]).expect("too much");
        assert!(once.starts_with("the bot wrote 70 kB of standard error in turn 2; Cod"), "{once}");
        let often = says(Some(4096), &[8_000; 40]).expect("too much");
        assert!(
            often.contains("wrote 8 kB of standard error in turn 18 (144 kB so far); "),
            "{often}"
        );
    }

    #[test]
    fn the_buffer_takes_from_the_pipe_every_second_turn() {
        let late_in = |written: &[usize]| {
            let said = says(Some(4096), written).expect("too much");
            let (_, turn) = said.split_once("in turn ").expect("a turn");
            turn.chars().take_while(char::is_ascii_digit).collect::<String>()
        };
        assert_eq!(late_in(&[65_537]), "1");
        assert_eq!(late_in(&[65_536, 8_193]), "2");
        assert_eq!(late_in(&[65_536, 8_192, 1]), "3");
        assert_eq!(late_in(&[65_536, 8_192, 0, 8_192, 1]), "5");
    }

    #[test]
    fn output_that_fits_the_pipe_is_harmless() {
        assert_eq!(says(Some(4096), &[4_096; 100]), None);
        assert_eq!(says(Some(4096), &[8_000; 15]), None);
        assert_eq!(says(Some(4096), &[65_536]), None);
        assert_eq!(says(Some(4096), &[65_536, 8_192]), None);
        assert_eq!(says(Some(4096), &[65_536, 4_097]), None);
        assert_eq!(says(Some(4096), &[61_440, 12_288]), None);
        assert_eq!(says(Some(4096), &[65_536, 8_192, 0, 8_192, 0, 8_192]), None);
        assert_eq!(says(None, &[1_000_000]), None);
    }

    #[test]
    fn output_that_the_log_does_not_keep_fills_the_pipe_too() {
        let mut pipe = StderrPipe::new(Some(4096));
        let stderr = Bytes(vec![b'e'; 5000]);
        pipe.add(&Turn { stderr, stderr_dropped: 65_000, ..crate::play::made::turn() });
        let said = pipe.diagnosis().expect("too much");
        assert!(said.starts_with("the bot wrote 70 kB of standard error in turn 1; "), "{said}");
        assert!(said.contains(" reads 4 kB a turn and leaves "), "{said}");
    }
}
