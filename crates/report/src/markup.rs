//! Escapes untrusted text and file names for a page's markup.

use std::fmt::{self, Write as _};

use terms::text::printable;

/// Appends formatted text to a string.
macro_rules! put {
    ($out:expr, $($what:tt)*) => {
        std::fmt::Write::write_fmt($out, format_args!($($what)*)).expect("memory")
    };
}

pub(crate) use put;

/// Untrusted text, escaped so that it is inert in HTML, both between tags and in quoted attributes, and on
/// terminals.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in printable(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The most characters of a bot's name on a page. A command line may be a screen of text.
pub(crate) const LONGEST_NAME: usize = 160;

/// A name, as a link if it leads somewhere.
pub(crate) fn linked(address: Option<&str>, name: &str) -> String {
    match address {
        Some(address) => format!("<a href=\"{}\">{}</a>", Text(address), Text(name)),
        None => Text(name).to_string(),
    }
}

/// A file name as a part of a relative address, escaped so that it can only be a name.
pub fn address_of(name: &[u8]) -> String {
    let mut address = String::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                address.push(char::from(byte));
            }
            byte => write!(address, "%{byte:02X}").expect("memory"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_inert_between_tags_and_in_attributes() {
        let evil = "</p><img onerror='x'>\"&\x1b[0m\u{202e}é";
        let inert = "&lt;/p&gt;&lt;img onerror=&#39;x&#39;&gt;&quot;&amp;\\u{1b}[0m\\u{202e}é";
        assert_eq!(Text(evil).to_string(), inert);
    }

    #[test]
    fn names_of_files_stay_names_in_addresses() {
        assert_eq!(address_of(b"run-1_a.html"), "run-1_a.html");
        assert_eq!(address_of(b"javascript:a b#?%\"\xff"), "javascript%3Aa%20b%23%3F%25%22%FF");
    }
}
