//! The seeds of a plan, held as ranges, so that their number costs no memory.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use terms::seed::Seed;

/// Seeds in the order in which they are played. They are held as ranges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SeedsForm", into = "SeedsForm")]
pub struct Seeds {
    spans: Vec<Span>,
    /// The number of colours, if the game has no fixed number.
    pub colors: Option<u8>,
    /// Their board set.
    pub set: Option<String>,
}

/// A range, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    first: Seed,
    last: Seed,
    /// The number of seeds before it.
    before: usize,
}

/// The form in files: a single range has `first` and `last`, a list has `ranges`.
#[derive(Serialize, Deserialize)]
struct SeedsForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<Stored>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<Stored>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ranges: Vec<(Stored, Stored)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    colors: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set: Option<String>,
}

/// A seed in a file: a number, or text where TOML has no such number.
#[derive(Clone, Copy, Deserialize)]
struct Stored(Seed);

impl Serialize for Stored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(seed) => serializer.serialize_i64(seed),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}

/// Why ranges are not the seeds of a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeedsError {
    /// There are none.
    #[error("no seeds are given")]
    Empty,
    /// A range ends before it begins.
    #[error("{first}..{last} ends before it begins")]
    Backwards {
        /// Its first seed.
        first: Seed,
        /// Its last seed.
        last: Seed,
    },
    /// A seed is listed twice.
    #[error("seed {0} is listed twice")]
    Twice(Seed),
}

impl Seeds {
    /// The seeds in these ranges, each from its first to its last; ranges that continue one another are joined.
    ///
    /// # Errors
    /// When there are none, a range ends before it begins, or a seed is listed twice.
    pub fn new<S: Into<Seed>>(
        ranges: impl IntoIterator<Item = (S, S)>,
    ) -> Result<Self, SeedsError> {
        let mut spans: Vec<Span> = Vec::new();
        for (first, last) in ranges {
            let (first, last) = (first.into(), last.into());
            if first > last {
                return Err(SeedsError::Backwards { first, last });
            }
            match spans.last_mut() {
                Some(span) if span.last.after(1) == Some(first) => span.last = last,
                previous => {
                    let before =
                        previous.map_or(0, |span| span.before.saturating_add(span.count()));
                    spans.push(Span { first, last, before });
                }
            }
        }
        if spans.is_empty() {
            return Err(SeedsError::Empty);
        }
        refuse_twins(&spans)?;
        Ok(Self { spans, colors: None, set: None })
    }

    /// The number of seeds, at most `usize::MAX`.
    pub fn count(&self) -> usize {
        self.spans.last().map_or(0, |span| span.before.saturating_add(span.count()))
    }

    /// The seed at this place, from 0.
    pub fn get(&self, index: usize) -> Option<Seed> {
        let after = self.spans.partition_point(|span| span.before <= index);
        let span = &self.spans[after.checked_sub(1)?];
        let seed = span.first.after((index - span.before) as u64)?;
        (seed <= span.last).then_some(seed)
    }

    /// The first and the last one, if all between them are there in order.
    pub fn range(&self) -> Option<(Seed, Seed)> {
        match self.spans.as_slice() {
            [span] => Some((span.first, span.last)),
            _ => None,
        }
    }

    /// The smallest and the largest one.
    pub fn bounds(&self) -> (Seed, Seed) {
        let first = self.spans.iter().map(|span| span.first).min();
        let last = self.spans.iter().map(|span| span.last).max();
        first.zip(last).expect("there are seeds")
    }

    /// Whether this seed is among them.
    pub fn has(&self, seed: Seed) -> bool {
        self.spans.iter().any(|span| (span.first..=span.last).contains(&seed))
    }
}

impl Span {
    fn count(self) -> usize {
        self.first.count_to(self.last)
    }
}

/// Refuses ranges that share a seed.
fn refuse_twins(spans: &[Span]) -> Result<(), SeedsError> {
    let mut sorted: Vec<_> = spans.iter().map(|span| (span.first, span.last)).collect();
    sorted.sort_unstable();
    let twin = sorted.windows(2).find(|pair| pair[1].0 <= pair[0].1);
    twin.map_or(Ok(()), |pair| Err(SeedsError::Twice(pair[1].0)))
}

/// As a user writes them, such as `1,5,9..20`.
impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Span { first, last, .. }) in self.spans.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{first}")?;
            if first != last {
                write!(f, "..{last}")?;
            }
        }
        Ok(())
    }
}

impl TryFrom<SeedsForm> for Seeds {
    type Error = String;

    fn try_from(form: SeedsForm) -> Result<Self, String> {
        let range = form.first.zip(form.last);
        if range.is_some() != form.ranges.is_empty() {
            return Err("seeds have either `first` and `last`, or `ranges`".to_owned());
        }
        let ranges = range.into_iter().chain(form.ranges);
        let seeds = Self::new(ranges.map(|(Stored(first), Stored(last))| (first, last)));
        let seeds = seeds.map_err(|error| error.to_string())?;
        Ok(Self { colors: form.colors, set: form.set, ..seeds })
    }
}

impl From<Seeds> for SeedsForm {
    fn from(seeds: Seeds) -> Self {
        let stored = |(first, last)| (Stored(first), Stored(last));
        let (first, last) = seeds.range().map(stored).unzip();
        let ranges = if first.is_some() { &[][..] } else { &seeds.spans };
        let ranges = ranges.iter().map(|span| stored((span.first, span.last))).collect();
        Self { first, last, ranges, colors: seeds.colors, set: seeds.set }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(seeds: &Seeds) -> Vec<i64> {
        let seed = |index| i64::try_from(seeds.get(index).expect("a seed")).expect("small");
        (0..seeds.count()).map(seed).collect()
    }

    #[test]
    fn seeds_are_held_as_ranges_in_the_order_of_the_list() {
        let seeds = Seeds::new([(9, 11), (-1, -1), (3, 3), (4, 5)]).expect("seeds");
        assert_eq!(all(&seeds), [9, 10, 11, -1, 3, 4, 5]);
        assert_eq!(seeds.get(7), None);
        assert_eq!(seeds.to_string(), "9..11,-1,3..5");
        assert_eq!((seeds.range(), seeds.bounds()), (None, (Seed::of(-1), Seed::of(11))));
        let huge = Seeds::new([(i64::MIN, i64::MAX)]).expect("seeds");
        assert_eq!((huge.count(), huge.get(1)), (usize::MAX, Some(Seed::of(i64::MIN + 1))));
    }

    #[test]
    fn a_single_range_is_written_as_before_and_a_list_as_ranges() {
        for (ranges, text) in [
            (vec![(1, 3)], "first = 1\nlast = 3\n"),
            (vec![(1, 1), (5, 9)], "ranges = [[1, 1], [5, 9]]\n"),
            // Numbers that TOML does not have.
            (
                vec![(9_223_372_036_854_775_807, u64::MAX)],
                "first = 9223372036854775807\nlast = \"18446744073709551615\"\n",
            ),
            (
                vec![(1, 1), (u64::MAX, u64::MAX)],
                "ranges = [[1, 1], [\"18446744073709551615\", \"18446744073709551615\"]]\n",
            ),
        ] {
            let seeds = Seeds::new(ranges).expect("seeds");
            assert_eq!(toml::to_string(&seeds).expect("TOML"), text);
            assert_eq!(toml::from_str::<Seeds>(text).expect(text), seeds);
        }
    }

    #[test]
    fn what_is_no_list_of_seeds_is_refused() {
        for (ranges, problem) in [
            (Vec::<(i64, i64)>::new(), "no seeds are given"),
            (vec![(3, 1)], "3..1 ends before it begins"),
            (vec![(1, 5), (9, 9), (4, 4)], "seed 4 is listed twice"),
        ] {
            assert_eq!(Seeds::new(ranges).expect_err(problem).to_string(), problem);
        }
        assert!(toml::from_str::<Seeds>("first = 1\nlast = 2\nranges = [[5, 6]]").is_err());
        assert!(toml::from_str::<Seeds>("colors = 5").is_err());
    }
}
