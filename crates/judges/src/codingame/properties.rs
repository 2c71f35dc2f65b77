//! The part of Java's property files that `config.ini` and the parameters of a game use.

use std::collections::BTreeMap;

/// The properties of a file: `key=value` or `key: value`, and comments after `#` or `!`. A backslash at the end of a line
/// continues it; other escapes stand for their letter.
pub(super) fn parse(text: &str) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_owned();
        if line.starts_with(['#', '!']) || line.is_empty() {
            continue;
        }
        while has_continuation(&line) {
            line.pop();
            line.push_str(lines.next().unwrap_or_default().trim_start());
        }
        let end = line.find(['=', ':']).unwrap_or(line.len());
        let value = line.get(end + 1..).unwrap_or_default();
        properties.insert(unescaped(line[..end].trim()), unescaped(value.trim()));
    }
    properties
}

/// A line that Java reads as this key and this value.
pub(super) fn line(key: &str, value: &str) -> String {
    format!("{}={}", escaped(key), escaped(value))
}

fn escaped(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        match letter {
            '\t' => line.push_str("\\t"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\\' | '=' | ':' | '#' | '!' | ' ' => line.extend(['\\', letter]),
            ' '..='~' => line.push(letter),
            _ => {
                let mut units = [0; 2];
                let units = letter.encode_utf16(&mut units).iter();
                line.extend(units.map(|unit| format!("\\u{unit:04X}")));
            }
        }
    }
    line
}

fn has_continuation(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(escape(&mut letters)),
            _ => plain.push(letter),
        }
    }
    plain
}

fn escape(letters: &mut std::str::Chars<'_>) -> Option<char> {
    match letters.next()? {
        'u' => {
            let code: String = letters.by_ref().take(4).collect();
            char::from_u32(u32::from_str_radix(&code, 16).ok()?)
        }
        't' => Some('\t'),
        'n' => Some('\n'),
        letter => Some(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_as_java_reads_them() {
        let text = "# a comment\n! another\ntitle=Same\\u0047ame\n\n criteria : Level \ntype=opti\r\nlong=a\\\n   b\npath=a\\:b\nempty\n";
        let read = parse(text);
        let expected = [
            ("title", "SameGame"),
            ("criteria", "Level"),
            ("type", "opti"),
            ("long", "ab"),
            ("path", "a:b"),
            ("empty", ""),
        ];
        assert_eq!(read, expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
        assert_eq!(parse("a=\\"), [("a".to_owned(), String::new())].into());
    }

    #[test]
    fn a_line_is_read_as_it_was_meant() {
        assert_eq!(line("size", "12"), "size=12");
        assert_eq!(
            line("a b", " \\=:#!\té\u{1f600}"),
            "a\\ b=\\ \\\\\\=\\:\\#\\!\\t\\u00E9\\uD83D\\uDE00"
        );
        for (key, value) in [("note", "a\tb = c"), ("x", "\\"), ("#k", "!v\n2"), ("key", "v:w=x")] {
            let read = parse(&line(key, value));
            assert_eq!(read, [(key.to_owned(), value.to_owned())].into(), "{key} {value}");
        }
    }
}
