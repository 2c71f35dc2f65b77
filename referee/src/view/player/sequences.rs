//! Parses the bytes of keys. Termion's parser panics when a sequence is cut off, and crossterm's takes a sequence that
//! comes in pieces for Escape, which closes the player.

use std::collections::VecDeque;

use super::keys::Key;

pub(super) const ESCAPE: u8 = 0x1B;

impl Key {
    /// Takes the next key from `typed`; unknown keys are skipped.
    pub(super) fn take(typed: &mut VecDeque<u8>) -> Option<Self> {
        while let Some(first) = typed.pop_front() {
            let key = match first {
                ESCAPE if is_alone(typed) => Some(Self::Escape),
                ESCAPE => Self::of_sequence(typed),
                b'\r' | b'\n' => Some(Self::Enter),
                0x08 | 0x7F => Some(Self::Backspace),
                1..=26 => Some(Self::Ctrl(char::from(b'a' + first - 1))),
                b' '..=b'~' => Some(Self::Char(char::from(first))),
                _ => None,
            };
            if key.is_some() {
                return key;
            }
        }
        None
    }

    /// The key with this sequence after ESC. Terminals differ in Home and End.
    fn of_sequence(typed: &mut VecDeque<u8>) -> Option<Self> {
        if typed.front() == Some(&ESCAPE) {
            // Some terminals put another ESC before the sequence of a key with Alt.
            typed.pop_front();
            Self::of_sequence(typed);
            return None;
        }
        // Anything else is a key with Alt.
        typed.pop_front().filter(|introducer| matches!(introducer, b'[' | b'O'))?;
        let mut parameters = Vec::new();
        loop {
            let byte = typed.pop_front()?;
            if !matches!(byte, b'@'..=b'~') {
                parameters.push(byte);
                continue;
            }
            return match (byte, parameters.as_slice()) {
                (b'A', _) => Some(Self::Up),
                (b'B', _) => Some(Self::Down),
                (b'C', _) => Some(Self::Right),
                (b'D', _) => Some(Self::Left),
                (b'H', _) | (b'~', b"1" | b"7") => Some(Self::Home),
                (b'F', _) | (b'~', b"4" | b"8") => Some(Self::End),
                (b'~', b"5") => Some(Self::PageUp),
                (b'~', b"6") => Some(Self::PageDown),
                _ => None,
            };
        }
    }
}

/// Whether an ESC before these bytes is the key, and not the start of a sequence.
fn is_alone(after: &VecDeque<u8>) -> bool {
    let is_escape = |at: usize| after.get(at) == Some(&ESCAPE);
    after.is_empty() || (is_escape(0) && !matches!(after.get(1), Some(b'[' | b'O')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_bytes_are_keys_and_other_sequences_are_none() {
        let table: [(&str, &[Key]); 13] = [
            ("q", &[Key::Char('q')]),
            ("\x1b", &[Key::Escape]),
            ("\x1b\x1b", &[Key::Escape, Key::Escape]),
            ("\x1b\x1b\x1b[C", &[Key::Escape]),
            ("\x1b\x1b[C\x1b[D", &[Key::Left]),
            ("\x03", &[Key::Ctrl('c')]),
            ("1\r", &[Key::Char('1'), Key::Enter]),
            ("\x1b[C\x1b[5~l", &[Key::Right, Key::PageUp, Key::Char('l')]),
            ("\x1bOA\x1b[1;2B", &[Key::Up, Key::Down]),
            ("\x1b[H\x1b[4~\x7f", &[Key::Home, Key::End, Key::Backspace]),
            // An unsolicited answer of the terminal, and unknown keys.
            ("\x1b[?1;2c\x1bq\x1b[15~é ", &[Key::Char(' ')]),
            ("\x1b[", &[]),
            ("\x1b[<0;1", &[]),
        ];
        for (text, keys) in table {
            let mut typed: VecDeque<u8> = text.bytes().collect();
            let found: Vec<Key> = std::iter::from_fn(|| Key::take(&mut typed)).collect();
            assert_eq!(found, keys, "{text:?}");
        }
    }
}
