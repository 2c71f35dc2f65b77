//! Makes text from bots, boards and users inert for programs that read a report.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use terms::text::{printable, printable_lines};

/// Text in a CSV file. A spreadsheet evaluates text that begins like a formula, unless a quote
/// precedes it.
pub(super) fn cell(text: &str) -> String {
    let text = printable(text);
    // Bundled bots are called @NAME; a formula that begins with @ has parentheses.
    let is_formula =
        text.starts_with(['=', '+', '-']) || text.starts_with('@') && text.contains('(');
    if is_formula { format!("'{text}") } else { text }
}

/// Writes an object on one line. Characters that change the direction of text, or do not show, are escaped.
pub(super) fn write_json(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    object.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, Visible))?;
    writeln!(out)
}

struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_invisible) {
            let (before, after) = rest.split_at(at);
            CompactFormatter.write_string_fragment(out, before)?;
            let c = after.chars().next().expect("just found");
            write!(out, "\\u{:04x}", u32::from(c))?;
            rest = &after[c.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(out, rest)
    }
}

/// A value in JSON for the script of a page: nothing in it ends the script's element, and text is inert for people.
pub(super) fn page_json(value: &impl Serialize) -> String {
    let mut json = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut json, InPage);
    value.serialize(&mut serializer).expect("plain data");
    String::from_utf8(json).expect("JSON")
}

struct InPage;

impl Formatter for InPage {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let text = printable_lines(fragment).replace('\\', "\\\\").replace('<', "\\u003c");
        out.write_all(text.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match escape {
            CharEscape::CarriageReturn => Ok(()),
            CharEscape::Backspace => self.write_string_fragment(out, "\u{8}"),
            CharEscape::FormFeed => self.write_string_fragment(out, "\u{c}"),
            CharEscape::AsciiControl(byte) => {
                self.write_string_fragment(out, char::from(byte).encode_utf8(&mut [0]))
            }
            plain => CompactFormatter.write_char_escape(out, plain),
        }
    }
}

/// Control characters beyond ASCII, which JSON escapes by itself, and marks of direction; none beyond U+FFFF.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_shows_what_it_says_and_reads_back_the_same() {
        let text = "a\u{202e}b\"\u{9b}31m\n\u{1b}\u{feff}é🎲";
        let mut out = Vec::new();
        write_json(&text, &mut out).expect("memory");
        let shown = String::from_utf8(out).expect("UTF-8");
        assert!(!shown.trim_end().contains(|c: char| c.is_control() || is_invisible(c)), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), text);
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, shown) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("@first", "@first"),
            ("a=1", "a=1"),
            ("\u{202e}x", "\\u{202e}x"),
        ] {
            assert_eq!(cell(text), shown);
        }
    }
}
