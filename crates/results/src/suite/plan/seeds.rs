//! The seeds of a plan, held as ranges, so that their number costs no memory.

use std::fmt;

use serde::{Deserialize, Serialize};

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
    first: i64,
    last: i64,
    /// The number of seeds before it.
    before: usize,
}

/// The form in files: a single range has `first` and `last`, a list has `ranges`.
#[derive(Serialize, Deserialize)]
struct SeedsForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ranges: Vec<(i64, i64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    colors: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set: Option<String>,
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
        first: i64,
        /// Its last seed.
        last: i64,
    },
    /// A seed is listed twice.
    #[error("seed {0} is listed twice")]
    Twice(i64),
}

impl Seeds {
    /// The seeds in these ranges, each from its first to its last; ranges that continue one another are joined.
    ///
    /// # Errors
    /// When there are none, a range ends before it begins, or a seed is listed twice.
    pub fn new(ranges: impl IntoIterator<Item = (i64, i64)>) -> Result<Self, SeedsError> {
        let mut spans: Vec<Span> = Vec::new();
        for (first, last) in ranges {
            if first > last {
                return Err(SeedsError::Backwards { first, last });
            }
            match spans.last_mut() {
                Some(span) if span.last.checked_add(1) == Some(first) => span.last = last,
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
    pub fn get(&self, index: usize) -> Option<i64> {
        let after = self.spans.partition_point(|span| span.before <= index);
        let span = &self.spans[after.checked_sub(1)?];
        let seed = span.first.checked_add(i64::try_from(index - span.before).ok()?)?;
        (seed <= span.last).then_some(seed)
    }

    /// The first and the last one, if all between them are there in order.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self.spans.as_slice() {
            [span] => Some((span.first, span.last)),
            _ => None,
        }
    }

    /// The smallest and the largest one.
    pub fn bounds(&self) -> (i64, i64) {
        let first = self.spans.iter().map(|span| span.first).min();
        let last = self.spans.iter().map(|span| span.last).max();
        first.zip(last).expect("there are seeds")
    }

    /// Whether this seed is among them.
    pub fn has(&self, seed: i64) -> bool {
        self.spans.iter().any(|span| (span.first..=span.last).contains(&seed))
    }
}

impl Span {
    fn count(self) -> usize {
        let count = i128::from(self.last) - i128::from(self.first) + 1;
        usize::try_from(count).unwrap_or(usize::MAX)
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
        let seeds = Self::new(range.into_iter().chain(form.ranges));
        let seeds = seeds.map_err(|error| error.to_string())?;
        Ok(Self { colors: form.colors, set: form.set, ..seeds })
    }
}

impl From<Seeds> for SeedsForm {
    fn from(seeds: Seeds) -> Self {
        let (first, last) = seeds.range().unzip();
        let ranges = if first.is_some() { &[][..] } else { &seeds.spans };
        let ranges = ranges.iter().map(|span| (span.first, span.last)).collect();
        Self { first, last, ranges, colors: seeds.colors, set: seeds.set }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(seeds: &Seeds) -> Vec<i64> {
        (0..seeds.count()).map(|index| seeds.get(index).expect("a seed")).collect()
    }

    #[test]
    fn seeds_are_held_as_ranges_in_the_order_of_the_list() {
        let seeds = Seeds::new([(9, 11), (-1, -1), (3, 3), (4, 5)]).expect("seeds");
        assert_eq!(all(&seeds), [9, 10, 11, -1, 3, 4, 5]);
        assert_eq!(seeds.get(7), None);
        assert_eq!(seeds.to_string(), "9..11,-1,3..5");
        assert_eq!((seeds.range(), seeds.bounds()), (None, (-1, 11)));
        let huge = Seeds::new([(i64::MIN, i64::MAX)]).expect("seeds");
        assert_eq!((huge.count(), huge.get(1)), (usize::MAX, Some(i64::MIN + 1)));
    }

    #[test]
    fn a_single_range_is_written_as_before_and_a_list_as_ranges() {
        for (ranges, text) in [
            (vec![(1, 3)], "first = 1\nlast = 3\n"),
            (vec![(1, 1), (5, 9)], "ranges = [[1, 1], [5, 9]]\n"),
        ] {
            let seeds = Seeds::new(ranges).expect("seeds");
            assert_eq!(toml::to_string(&seeds).expect("TOML"), text);
            assert_eq!(toml::from_str::<Seeds>(text).expect(text), seeds);
        }
    }

    #[test]
    fn what_is_no_list_of_seeds_is_refused() {
        for (ranges, problem) in [
            (vec![], "no seeds are given"),
            (vec![(3, 1)], "3..1 ends before it begins"),
            (vec![(1, 5), (9, 9), (4, 4)], "seed 4 is listed twice"),
        ] {
            assert_eq!(Seeds::new(ranges).expect_err(problem).to_string(), problem);
        }
        assert!(toml::from_str::<Seeds>("first = 1\nlast = 2\nranges = [[5, 6]]").is_err());
        assert!(toml::from_str::<Seeds>("colors = 5").is_err());
    }
}
