//! Scores: decimals as their judges print them, and which of two is better.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};
use std::str::FromStr;

use rust_decimal::Decimal;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A score, or points: a decimal that stays as its judge printed it, `53800.0` as well as `1360`.
///
/// Scores are compared by value, so `53800.0` equals `53800`. In JSON a score is a number. It has at most 28 digits; more
/// decimals are rounded, and larger numbers are refused.
///
/// ```
/// # use rules::score::Score;
/// let score: Score = "53800.0".parse()?;
/// assert_eq!(score.to_string(), "53800.0");
/// assert!(score > "1.0E4".parse()?);
/// assert!("NaN".parse::<Score>().is_err());
/// # Ok::<(), rules::score::ScoreError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(Decimal);

/// Why a text is not a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// The text is not a decimal number.
    #[error("a score is a number such as 1360 or 53800.5, not `{0}`")]
    NotANumber(String),
    /// The number is too large.
    #[error("the score {0} is too large: scores are below 7.9e28 and above -7.9e28")]
    TooLarge(String),
}

impl Score {
    /// The score 0.
    pub const ZERO: Self = Self(Decimal::ZERO);

    /// The number of its decimals.
    pub fn decimals(self) -> usize {
        self.0.scale() as usize
    }

    /// The nearest floating-point number.
    pub fn as_f64(self) -> f64 {
        self.0.to_string().parse().expect("a decimal is a number")
    }
}

impl From<i64> for Score {
    fn from(score: i64) -> Self {
        Self(score.into())
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Score {
    type Err = ScoreError;

    fn from_str(text: &str) -> Result<Self, ScoreError> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        if !is_decimal(mantissa) || !is_integer(exponent) {
            return Err(ScoreError::NotANumber(text.to_owned()));
        }
        let too_large = || ScoreError::TooLarge(text.to_owned());
        let exponent: i32 = exponent.parse().map_err(|_| too_large())?;
        if exponent.abs() > MAX_EXPONENT {
            return Err(too_large());
        }
        shifted(mantissa, exponent).parse().map(Self).map_err(|_| too_large())
    }
}

/// The largest exponent to expand; doubles have smaller ones.
const MAX_EXPONENT: i32 = 400;

/// Whether this is a sign, digits, and perhaps a point with more digits.
fn is_decimal(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    is_integer(whole) && is_digits(decimals)
}

fn is_integer(text: &str) -> bool {
    is_digits(text.strip_prefix(['-', '+']).unwrap_or(text))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The decimal `mantissa` times ten to the power of `exponent`, without an exponent.
fn shifted(mantissa: &str, exponent: i32) -> String {
    if exponent == 0 {
        return mantissa.to_owned();
    }
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", mantissa.trim_start_matches('+')),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let length = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
    let before = zeros(1 - length(whole).saturating_add(exponent));
    let after = zeros(exponent.saturating_sub(length(decimals)));
    let point = (length(whole) + exponent).max(1);
    let all = format!("{before}{whole}{decimals}{after}");
    let (whole, decimals) = all.split_at(usize::try_from(point).expect("at least 1"));
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{decimals}")
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.scale() == 0
            && let Ok(whole) = i64::try_from(self.0)
        {
            return serializer.serialize_i64(whole);
        }
        // Only raw JSON keeps all digits.
        let raw = RawValue::from_string(self.to_string()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer)?.get().parse().map_err(D::Error::custom)
    }
}

/// A score for people; a game need not have any.
pub fn shown(score: Option<Score>) -> String {
    score.map_or_else(|| "none".to_owned(), |score| score.to_string())
}

/// Scores in TOML: an integer, or a text that keeps all digits.
pub mod in_toml {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Score;

    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "expected a score: an integer, or a number in quotes such as \"12.5\""
    )]
    enum Written {
        Whole(i64),
        Text(String),
    }

    /// Writes a score.
    ///
    /// # Errors
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(score: &Score, serializer: S) -> Result<S::Ok, S::Error> {
        let text = score.to_string();
        match text.parse() {
            Ok(whole) => serializer.serialize_i64(whole),
            Err(_) => serializer.serialize_str(&text),
        }
    }

    /// Reads a score.
    ///
    /// # Errors
    /// When it is not one.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Whole(whole) => Ok(whole.into()),
            Written::Text(text) => text.parse().map_err(D::Error::custom),
        }
    }

    /// A score as a settings file has it.
    pub fn written(score: Score) -> String {
        let text = score.0.normalize().to_string();
        if text.contains('.') { format!("\"{text}\"") } else { text }
    }

    /// Reads a score that may be left out.
    ///
    /// # Errors
    /// When it is not one.
    pub fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Score>, D::Error> {
        deserialize(deserializer).map(Some)
    }
}

impl Add for Score {
    type Output = Self;

    /// The sum, or the largest score where there is none.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Score {
    /// Whether this may be a sum that stopped at the largest or the smallest score.
    pub fn is_at_limit(self) -> bool {
        self.0 == Decimal::MAX || self.0 == Decimal::MIN
    }
}

impl Sub for Score {
    type Output = Self;

    /// The difference, or the largest score where there is none.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Self>>(scores: I) -> Self {
        scores.fold(Self::ZERO, Self::add)
    }
}

/// Which scores of a game are better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Higher scores are better.
    #[default]
    Higher,
    /// Lower scores are better.
    Lower,
}

impl Direction {
    /// Whether this is the default, which files need not state.
    pub fn is_higher(&self) -> bool {
        *self == Self::Higher
    }

    /// Whether `one` is better than `other`.
    pub fn is_better(self, one: Score, other: Score) -> bool {
        match self {
            Self::Higher => one > other,
            Self::Lower => one < other,
        }
    }

    /// The better of two scores; the first one if they are equal.
    pub fn better(self, one: Score, other: Score) -> Score {
        if self.is_better(other, one) { other } else { one }
    }

    /// The worse of two scores.
    pub fn worse(self, one: Score, other: Score) -> Score {
        if self.is_better(one, other) { other } else { one }
    }

    /// The name of the share of the best score, which is 1 if a score is the best.
    pub fn share_name(self) -> &'static str {
        match self {
            Self::Higher => "yours/best",
            Self::Lower => "best/yours",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(text: &str) -> Score {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_score_stays_as_its_judge_printed_it() {
        for (text, shown) in [
            ("1360", "1360"),
            ("53800.0", "53800.0"),
            ("12.50", "12.50"),
            ("-0.125", "-0.125"),
            ("+7", "7"),
            ("1.0E7", "10000000"),
            ("1.25e2", "125"),
            ("1.234567E2", "123.4567"),
            ("5E-3", "0.005"),
            ("-1.7976931348623157E-5", "-0.000017976931348623157"),
            ("9007199254740993", "9007199254740993"),
            ("9223372036854775808", "9223372036854775808"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("7.9e28", "79000000000000000000000000000"),
            // More decimals than it has are rounded.
            ("1.1102230246251565E-16", "0.0000000000000001110223024625"),
            ("4.9E-324", "0.0000000000000000000000000000"),
            ("1e-400", "0.0000000000000000000000000000"),
        ] {
            assert_eq!(score(text).to_string(), shown, "{text}");
            let json = serde_json::to_string(&score(text)).expect("JSON");
            assert_eq!(json, shown, "{text}");
            let read: Score = serde_json::from_str(&json).expect("a score");
            assert_eq!(read.to_string(), shown, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_score_is_refused() {
        for text in [
            "", "NaN", "Infinity", "-inf", "1_000", "1,5", "0x10", ".", "1.", ".5", "1e", "1e1.5",
            "--1",
        ] {
            assert_eq!(text.parse::<Score>(), Err(ScoreError::NotANumber(text.to_owned())));
        }
        for text in ["8e28", "-1e300", "1e-401", "1e99999999999", "79228162514264337593543950336"] {
            assert_eq!(text.parse::<Score>(), Err(ScoreError::TooLarge(text.to_owned())));
        }
        for json in ["\"12\"", "null", "[1]", "1e300", "true"] {
            assert!(serde_json::from_str::<Score>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn scores_are_compared_and_added_by_value() {
        assert_eq!(score("53800.0"), score("5.38e4"));
        assert!(score("-2") < score("-1.5") && score("9.9") < score("10"));
        assert_eq!(["0.1", "0.2", "-1"].map(score).into_iter().sum::<Score>(), score("-0.7"));
        assert_eq!(score("10") - score("0.5"), score("9.5"));
        assert!(score("7e28") + score("7e28") > score("7.9e28"), "no panic");
        assert!((score("-12.25").as_f64() + 12.25).abs() < f64::EPSILON);
        assert!(Direction::Lower.is_better(score("1"), score("2")));
        assert_eq!(Direction::Higher.better(score("1"), score("2")), score("2"));
    }

    #[test]
    fn toml_keeps_a_score_whole() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Kept {
            #[serde(with = "in_toml")]
            score: Score,
        }
        for (text, kept) in [("2857", "score = 2857\n"), ("53800.0", "score = \"53800.0\"\n")] {
            assert_eq!(toml::to_string(&Kept { score: score(text) }).expect("TOML"), kept);
            let read: Kept = toml::from_str(kept).expect("a score");
            assert_eq!(read.score.to_string(), text);
        }
        assert!(toml::from_str::<Kept>("score = 1.5").is_err());
    }
}
