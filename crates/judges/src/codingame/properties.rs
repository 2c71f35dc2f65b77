//! The part of Java's property files that `config.ini` uses.

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
}
