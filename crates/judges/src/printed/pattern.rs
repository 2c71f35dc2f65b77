//! The pattern that finds the score in what a program has printed: the user's, or the usual ones of testers.

use regex_lite::Regex;
use rules::score::{Score, ScoreError};
use serde::{Deserialize, Serialize, Serializer};

use super::Printed;

/// How the score is found: by the user's pattern, or by the patterns of most testers.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct ScorePattern {
    /// The patterns, tried in turn.
    patterns: Vec<Regex>,
    /// Finds a line that is meant as a score, but has a number in a form that `patterns` do not know. A pattern of the user's
    /// has none.
    unclear: Option<Regex>,
}

impl Default for ScorePattern {
    /// The patterns of most testers, tried in turn. Each matches one whole line.
    fn default() -> Self {
        let number = r"(?P<score>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)";
        let (label, gap) = (r"(?:(?:final|total|raw) )?(?:score|cost)", r"[ \t\r]*");
        let patterns = [
            format!(r"(?mi)^{gap}{label}{gap}[=:]{gap}{number}{gap}(?:,[^\d\n].*|\(.*)?$"),
            format!(r"(?m)^{gap}{number}{gap}$"),
        ];
        // The label and the number alone, in other words or within marks.
        let words = format!(
            r#"[^\w\n]*(?:\[\w+\][^\w\n]*)?(?:your )?{label}["'*]*(?: is| was)?[=: \t]+[-+]?\d[\d.,e+-]*[^\w\n]*"#
        );
        let regex = |pattern: &String| Regex::new(pattern).expect("it is right");
        let unclear =
            format!(r"(?mi)^{gap}(?:{label}{gap}[=:]{gap}[^\s\d]*\d.*|{words}|{GROUPED}{gap})$");
        Self { patterns: patterns.iter().map(regex).collect(), unclear: Some(regex(&unclear)) }
    }
}

impl TryFrom<String> for ScorePattern {
    type Error = String;

    /// A pattern of the user's.
    fn try_from(pattern: String) -> Result<Self, String> {
        let pattern = Regex::new(&pattern).map_err(|error| error.to_string())?;
        if pattern.capture_names().flatten().all(|name| name != "score") {
            return Err("the pattern has no group `(?P<score>…)`".to_owned());
        }
        Ok(Self { patterns: vec![pattern], unclear: None })
    }
}

impl Serialize for ScorePattern {
    /// The user's pattern, if there is one.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.patterns[..] {
            [pattern] => serializer.serialize_str(pattern.as_str()),
            _ => serializer.serialize_none(),
        }
    }
}

/// A number with a mark between each three digits.
const GROUPED: &str = r"[-+]?\d{1,3}(?:[,_' ]\d{3})+(?:\.\d+)?";

/// The score in a number as programs print it: `.5` and `5.` have zeros left out, and `1,234` has a mark between groups of digits.
pub(super) fn score_of(number: &str) -> Result<Score, ScoreError> {
    let is_grouped = Regex::new(&format!("^{GROUPED}$")).expect("it is right").is_match(number);
    let plain =
        if is_grouped { number.replace([',', '_', '\'', ' '], "") } else { number.to_owned() };
    let (mantissa, exponent) = plain.split_at(plain.find(['e', 'E']).unwrap_or(plain.len()));
    let (sign, digits) = mantissa.split_at(usize::from(mantissa.starts_with(['-', '+'])));
    let whole = match digits {
        "." => mantissa.to_owned(),
        _ if digits.starts_with('.') => format!("{sign}0{digits}"),
        _ => mantissa.strip_suffix('.').unwrap_or(mantissa).to_owned(),
    };
    (whole + exponent).parse().map_err(|error| match error {
        ScoreError::NotANumber(_) => ScoreError::NotANumber(number.to_owned()),
        other => other,
    })
}

/// The score that a program has printed, and what stands before its line and after it.
pub(super) struct Found<'a> {
    pub(super) score: Score,
    pub(super) before: &'a str,
    pub(super) after: &'a str,
}

impl ScorePattern {
    /// Finds the score: the last match in standard error, or else in standard output.
    ///
    /// # Errors
    /// What is wrong with the number that stands for the score.
    pub(super) fn find<'a>(&self, printed: &'a Printed) -> Result<Option<Found<'a>>, String> {
        let texts = [&printed.stderr, &printed.stdout];
        let mut problem = None;
        for pattern in &self.patterns {
            for text in texts {
                let matches = pattern.captures_iter(text).filter_map(|found| found.name("score"));
                let Some(number) = matches.last() else { continue };
                match score_of(number.as_str()) {
                    Ok(score) => {
                        let (before, after) = (&text[..number.start()], &text[number.end()..]);
                        let before = before.rsplit_once('\n').map_or("", |(before, _)| before);
                        let after = after.split_once('\n').map_or("", |(_, after)| after);
                        return Ok(Some(Found { score, before, after }));
                    }
                    Err(error) => {
                        problem.get_or_insert_with(|| error.to_string());
                    }
                }
            }
        }
        match problem.or_else(|| self.unclear(texts)) {
            Some(problem) => Err(problem),
            None => Ok(None),
        }
    }

    /// Why there is no score in a line that is meant to have one.
    fn unclear(&self, texts: [&String; 2]) -> Option<String> {
        let unclear = self.unclear.as_ref()?;
        let line = texts.into_iter().flat_map(|text| unclear.find_iter(text)).last()?;
        Some(format!(
            "printed `{}`, in which no score is understood: a number such as 1360 or 53800.5; `score` in the settings is the \
             pattern that finds it",
            line.as_str().trim()
        ))
    }

    /// Whether a line has a score.
    pub(super) fn is_in(&self, line: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(line))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::printed;
    use super::*;

    #[test]
    fn a_number_may_lack_zeros_or_have_groups_of_digits() {
        for (number, expected) in [
            (".5", Some("0.5")),
            ("-.5e1", Some("-5")),
            ("5.", Some("5")),
            ("1,234,567", Some("1234567")),
            ("-1_234.5", Some("-1234.5")),
            ("1,23", None),
            ("1,2345", None),
            (".", None),
            ("..5", None),
            ("", None),
            ("nan", None),
        ] {
            let found = score_of(number).ok().map(|score| score.to_string());
            assert_eq!(found.as_deref(), expected, "{number}");
        }
    }

    #[test]
    fn a_pattern_of_ones_own_takes_the_place_of_the_usual_ones() {
        let pattern =
            ScorePattern::try_from(r"points: (?P<score>\d+)".to_owned()).expect("a pattern");
        let printed = printed("points: 3, points: 4\nScore = 9\n", "", 0);
        let found = pattern.find(&printed).expect("well");
        assert_eq!(found.map(|found| found.score), Some(4.into()));
        for (pattern, problem) in [("(", "open group"), (r"points: (\d+)", "(?P<score>…)")] {
            let found = ScorePattern::try_from(pattern.to_owned()).expect_err(pattern);
            assert!(found.contains(problem), "{found}");
        }
    }
}
