//! Whatever a referee of the SDK writes, in whatever pieces, is a step or is refused, the same each time.
#![no_main]

use judges::codingame::blocks::{Header, Scanner};
use libfuzzer_sys::fuzz_target;
use terms::lines::{LineBuffer, Lines};

fuzz_target!(|bytes: &[u8]| {
    let lines = Lines::split(bytes);
    for line in lines.iter() {
        if let Ok(header) = Header::parse(line) {
            assert!(!header.name.is_empty());
        }
    }
    let mut whole = Scanner::default();
    let end = whole.whole(&lines);
    let mut buffer = LineBuffer::default();
    let mut piecewise = Scanner::default();
    let mut found = None;
    for piece in bytes.chunks(7) {
        buffer.push(piece);
        found = found.or_else(|| piecewise.whole(buffer.held()));
    }
    // A line that only the next byte completes is the same line.
    assert_eq!(end, found);
    let Some(end) = end else { return };
    assert!(end <= lines.len());
    assert_eq!(whole.read(&lines), piecewise.read(&lines));
});
