//! The parts of Java's library that affect the original referees' results.

/// Reads a number as Java's `Integer.parseInt` does: an optional sign and decimal digits of any
/// script, within 32 bits. Text that is not UTF-8 is not a number.
pub(super) fn parse_int(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    if digits.is_empty() {
        return None;
    }
    // Leading zeros are skipped first: a line may hold megabytes of them.
    let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
    let digits = &digits[zeros.min(digits.len() - 1)..];
    // The common case: too few digits to overflow.
    if digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit) {
        let number = digits.iter().fold(0, |number, byte| 10 * number + i32::from(byte - b'0'));
        return Some(sign * number);
    }
    str::from_utf8(digits)
        .ok()?
        .chars()
        .try_fold(0_i32, |number, c| number.checked_mul(10)?.checked_add(sign * digit(c)?))
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

fn digit(c: char) -> Option<i32> {
    let code = u16::try_from(u32::from(c)).ok()?;
    let run = ZEROS.partition_point(|&zero| zero <= code).checked_sub(1)?;
    let value = code - ZEROS[run];
    (value < 10).then_some(i32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_of_every_run_has_its_value() {
        for zero in ZEROS {
            for value in 0..10 {
                let c = char::from_u32(u32::from(zero) + value).expect("no surrogates here");
                assert_eq!(digit(c), i32::try_from(value).ok(), "{c:?}");
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
}
