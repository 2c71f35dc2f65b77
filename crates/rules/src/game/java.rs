//! The parts of Java's library that affect the original referees' results.

use std::borrow::Cow;

/// Reads a number as Java's `Integer.parseInt` does: an optional sign and decimal digits of any
/// script, within 32 bits. Text that is not UTF-8 is not a number.
pub fn parse_int(text: &[u8]) -> Option<i32> {
    let (sign, digits) = sign_and_digits(text)?;
    // The common case: too few digits to overflow.
    if digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit) {
        let number = digits.iter().fold(0, |number, byte| 10 * number + i32::from(byte - b'0'));
        return Some(if sign == -1 { -number } else { number });
    }
    parse_digits(sign, digits)?.try_into().ok()
}

/// Reads a number as Java's `Long.parseLong` does: as [`parse_int`], within 64 bits.
pub fn parse_long(text: &[u8]) -> Option<i64> {
    let (sign, digits) = sign_and_digits(text)?;
    parse_digits(sign, digits)
}

/// The sign as 1 or -1, and at least one digit. Leading zeros are skipped: a line may hold megabytes of them.
fn sign_and_digits(text: &[u8]) -> Option<(i64, &[u8])> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
    Some((sign, &digits[zeros.min(digits.len().checked_sub(1)?)..]))
}

fn parse_digits(sign: i64, digits: &[u8]) -> Option<i64> {
    let mut digits = str::from_utf8(digits).ok()?.chars();
    digits.try_fold(0_i64, |number, c| number.checked_mul(10)?.checked_add(sign * digit(c)?))
}

/// Decodes UTF-8 as Java does. Each part that is not UTF-8 becomes one U+FFFD; Java takes a surrogate
/// that was encoded by itself (`ED A0 80`) for one such part, Rust for three.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let mut text = Cow::Borrowed("");
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        rest = &rest[chunk.valid().len()..];
        text += chunk.valid();
        if !chunk.invalid().is_empty() {
            text += "\u{FFFD}";
            rest = &rest[surrogate(rest).unwrap_or(chunk.invalid().len())..];
        }
    }
    text
}

/// The length of the surrogate, or of its first two bytes, that `bytes` start with.
fn surrogate(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => Some(3),
        [0xED, 0xA0..=0xBF, ..] => Some(2),
        _ => None,
    }
}

/// Splits a command line into words as Java's `Runtime.exec(String)` does: at blanks and line ends,
/// without quotes and comments.
pub fn split_command(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', '\n', '\r', '\x0C']).filter(|word| !word.is_empty())
}

/// The zeros of the runs of ten that `Character.digit(char, 10)` knows: the decimal digits (general
/// category Nd) of the Basic Multilingual Plane, as listed by Java 17. Digits beyond the plane are
/// two `char`s in Java, which does not read them as digits.
const ZEROS: [u16; 37] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
    0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80,
    0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10,
];

fn digit(c: char) -> Option<i64> {
    let code = u16::try_from(u32::from(c)).ok()?;
    let run = ZEROS.partition_point(|&zero| zero <= code).checked_sub(1)?;
    let value = code - ZEROS[run];
    (value < 10).then_some(i64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_of_every_run_has_its_value() {
        for zero in ZEROS {
            for value in 0..10 {
                let c = char::from_u32(u32::from(zero) + value).expect("no surrogates here");
                assert_eq!(digit(c), Some(i64::from(value)), "{c:?}");
            }
        }
        assert!(ZEROS.is_sorted());
        for c in ['/', ':', 'a', '²', '½', '一'] {
            assert_eq!(digit(c), None, "{c:?}");
        }
    }

    #[test]
    fn numbers_are_those_of_32_bits() {
        for (text, expected) in [
            ("0", Some(0)),
            ("+5", Some(5)),
            ("-2147483648", Some(i32::MIN)),
            ("2147483647", Some(i32::MAX)),
            ("2147483648", None),
            ("", None),
            ("-", None),
            ("+-1", None),
            ("-00000000000000000012", Some(-12)),
            ("00000000000000000000", Some(0)),
            ("0000000000000000000x", None),
            ("00000000002147483648", None),
            (" 1", None),
            ("1.0", None),
        ] {
            assert_eq!(parse_int(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn long_numbers_are_those_of_64_bits() {
        for (text, expected) in [
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("+4", Some(4)),
            ("٣", Some(3)),
            ("", None),
            ("3.0", None),
        ] {
            assert_eq!(parse_long(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_not_utf8_is_replaced_as_in_java() {
        // Each was decoded by Java 17.
        for (bytes, expected) in [
            (&b"plain"[..], "plain"),
            (b"", ""),
            (b"\xFFhi", "�hi"),
            (b"\xED\xA0\x80", "�"),
            (b"a\xED\xB0\x80b", "a�b"),
            (b"\xED\xA0\x80\xED\xB0\x80", "��"),
            (b"\xED\xA0A", "�A"),
            (b"\xED\xA0", "�"),
            (b"\xED\x80A", "�A"),
            (b"\xED", "�"),
            (b"\xE0\x80\x80", "���"),
            (b"\xE2\x82A", "�A"),
            (b"\xF0\x9F\x98", "�"),
            (b"\xF4\x90\x80\x80", "����"),
            (b"\xF8\x88\x80\x80\x80", "�����"),
            (b"\xC0\x80", "��"),
        ] {
            assert_eq!(decode(bytes), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn a_command_line_is_split_at_blanks_and_nothing_else() {
        let words: Vec<&str> = split_command(" a 'b c'\td\x0Ce\r\nf\\ #\x0Bg ").collect();
        assert_eq!(words, ["a", "'b", "c'", "d", "e", "f\\", "#\x0Bg"]);
        assert_eq!(split_command(" \n").count(), 0);
    }
}
