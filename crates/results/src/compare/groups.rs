//! Groups of boards: by a property, or by what a bot said on them.

use std::collections::BTreeMap;
use std::fmt;

use crate::metrics::MetricValue;
use crate::suite::Outcome;

/// The most different numbers that are groups by themselves, if these have two boards or more on average; others are grouped
/// into ranges.
const MAX_NUMBERS: usize = 10;

/// The number of ranges, each with about equally many boards.
const RANGES: usize = 4;

/// A way to group boards: by each value under a name, or by chosen values.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// The name of a property of boards, or of what bots say.
    pub name: String,
    /// The chosen values, each of which is a group; every value is one if there are none.
    pub chosen: Vec<Chosen>,
}

/// A value, or a range of numbers with both ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Chosen {
    /// This text, or a number as it is written.
    Value(String),
    /// Numbers between these two, both included; `None` leaves that end open.
    Range(Option<f64>, Option<f64>),
}

/// Why a text is not a grouping.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a name such as `colors` nor values of one such as `n=2,3..5`")]
#[non_exhaustive]
pub struct GroupingError(String);

impl Grouping {
    /// Reads groupings such as `colors`, `n=10..20` and `n=2,3..5,set`. Values of one name belong together.
    ///
    /// # Errors
    /// When a text has a different form.
    pub fn parse(texts: &[String]) -> Result<Vec<Self>, GroupingError> {
        let mut all: Vec<Self> = Vec::new();
        for text in texts {
            let mut last = None;
            for word in text.split(',') {
                let wrong = || GroupingError(text.clone());
                let starts_value =
                    word.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c));
                let (name, value) = match (word.split_once('='), last) {
                    (Some((name, value)), _) => (name, Some(value)),
                    (None, Some(name)) if starts_value => (name, Some(word)),
                    (None, _) => (word, None),
                };
                last = value.map(|_| name);
                let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
                let chosen =
                    value.map(|value| Chosen::parse(value).ok_or_else(wrong)).transpose()?;
                if !is_name {
                    return Err(wrong());
                }
                let has_values = |known: &&mut Self| known.name == name && !known.chosen.is_empty();
                match all.iter_mut().find(has_values).filter(|_| value.is_some()) {
                    Some(known) => known.chosen.extend(chosen),
                    None => all
                        .push(Self { name: name.to_owned(), chosen: chosen.into_iter().collect() }),
                }
            }
        }
        Ok(all)
    }

    /// Groups boards by their values: in the order of the values, with boards without one last, or as chosen.
    pub(super) fn groups<B: Copy>(
        &self,
        boards: &[(Option<MetricValue>, B)],
    ) -> Vec<(String, Vec<B>)> {
        if self.chosen.is_empty() {
            return by_value(&self.name, boards);
        }
        let group = |chosen: &Chosen| {
            let has = |(value, _): &&(Option<MetricValue>, B)| {
                value.as_ref().is_some_and(|value| chosen.has(value))
            };
            let found = boards.iter().filter(has).map(|(_, board)| *board).collect();
            (format!("{} {chosen}", self.name), found)
        };
        self.chosen.iter().map(group).collect()
    }
}

impl Chosen {
    fn parse(text: &str) -> Option<Self> {
        let Some((low, high)) = text.split_once("..") else {
            return (!text.is_empty()).then(|| Self::Value(text.to_owned()));
        };
        let end = |text: &str| match text {
            "" => Some(None),
            text => text.parse().ok().filter(|end: &f64| end.is_finite()).map(Some),
        };
        let (low, high) = (end(low)?, end(high)?);
        let is_range = low.zip(high).map_or(low.or(high).is_some(), |(low, high)| low <= high);
        is_range.then_some(Self::Range(low, high))
    }

    /// Whether a value is among these.
    pub fn has(&self, value: &MetricValue) -> bool {
        match (self, value) {
            (Self::Value(text), MetricValue::Text(other)) => text == other,
            (Self::Value(text), MetricValue::Number(number)) => text.parse() == Ok(*number),
            (Self::Range(low, high), MetricValue::Number(number)) => {
                low.is_none_or(|low| low <= *number) && high.is_none_or(|high| *number <= high)
            }
            (Self::Range(..), MetricValue::Text(_)) => false,
        }
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(text) => f.write_str(text),
            Self::Range(Some(low), Some(high)) => write!(f, "{low} to {high}"),
            Self::Range(Some(low), None) => write!(f, "from {low}"),
            Self::Range(None, high) => write!(f, "up to {}", high.unwrap_or(f64::INFINITY)),
        }
    }
}

/// What a board is grouped by unless the user says otherwise, such as `colors` or `set`, with its values.
pub(super) fn of_board(outcome: &Outcome) -> BTreeMap<String, MetricValue> {
    let number = |value: u32| MetricValue::Number(f64::from(value));
    let traits = outcome.traits.iter().map(|(name, value)| (name.clone(), number(*value)));
    let set = outcome.set.iter().map(|set| ("set".to_owned(), MetricValue::Text(set.clone())));
    traits.chain(set).collect()
}

/// The value of a game under `name`: the last that its bot said, or a property of its board.
pub(super) fn value(outcome: &Outcome, name: &str) -> Option<MetricValue> {
    let said = outcome.said.get(name).map(|said| said.last.clone());
    let property = || outcome.traits.get(name).map(|value| MetricValue::Number(f64::from(*value)));
    let set = || outcome.set.clone().filter(|_| name == "set").map(MetricValue::Text);
    said.or_else(property).or_else(set)
}

/// Groups boards by their values, in the order of the values; boards without one come last.
pub(super) fn by_value<B: Copy>(
    name: &str,
    boards: &[(Option<MetricValue>, B)],
) -> Vec<(String, Vec<B>)> {
    let (mut numbers, mut texts, mut without) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (value, board) in boards {
        match value {
            Some(MetricValue::Number(number)) => numbers.push((*number, *board)),
            Some(MetricValue::Text(text)) => {
                texts.entry(format!("{name} {text}")).or_insert_with(Vec::new).push(*board);
            }
            None => without.push(*board),
        }
    }
    let mut groups = by_number(name, numbers);
    groups.extend(texts);
    groups.extend((!without.is_empty()).then(|| (format!("no {name}"), without)));
    groups
}

/// A group for each number, or for each range of many different ones. Equal numbers stay together.
fn by_number<B: Copy>(name: &str, mut numbers: Vec<(f64, B)>) -> Vec<(String, Vec<B>)> {
    numbers.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    #[expect(clippy::float_cmp, reason = "equal numbers, not near ones")]
    let different: Vec<&[(f64, B)]> = numbers.chunk_by(|(a, _), (b, _)| a == b).collect();
    // Most of a few boards with as many numbers would be a group alone, which tells nothing.
    let are_alone = different.len() > RANGES && numbers.len() < 2 * different.len();
    let has_ranges = different.len() > MAX_NUMBERS || are_alone;
    let mut groups: Vec<(usize, Vec<(f64, B)>)> = Vec::new();
    let mut before = 0;
    for (index, equal) in different.iter().enumerate() {
        let group = if has_ranges { before * RANGES / numbers.len() } else { index };
        before += equal.len();
        match groups.last_mut() {
            Some((last, all)) if *last == group => all.extend(*equal),
            _ => groups.push((group, equal.to_vec())),
        }
    }
    let named = |(_, all): (usize, Vec<(f64, B)>)| {
        let (low, high) = (all[0].0, all[all.len() - 1].0);
        let range = if low < high { format!("{low} to {high}") } else { low.to_string() };
        (format!("{name} {range}"), all.into_iter().map(|(_, board)| board).collect())
    };
    groups.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(values: &[Option<MetricValue>]) -> Vec<(String, usize)> {
        let differences: Vec<_> = values.iter().map(|value| (value.clone(), 1.0)).collect();
        let groups = by_value("x", &differences).into_iter();
        groups.map(|(name, differences)| (name, differences.len())).collect()
    }

    fn group(name: &str, boards: usize) -> (String, usize) {
        (name.to_owned(), boards)
    }

    #[test]
    fn numbers_with_hardly_more_than_a_board_each_are_ranges() {
        let numbers = |count: u32, times: usize| -> Vec<_> {
            let all = (1..=count).map(|number| Some(MetricValue::Number(f64::from(number))));
            all.flat_map(|number| vec![number; times]).collect()
        };
        let ranges = [("x 1 to 2", 2), ("x 3 to 4", 2), ("x 5 to 6", 2), ("x 7 to 8", 2)];
        assert_eq!(names(&numbers(8, 1)), ranges.map(|(name, boards)| group(name, boards)));
        assert_eq!(names(&numbers(8, 2)).len(), 8);
        assert_eq!(names(&numbers(4, 1)).len(), 4);
    }

    #[test]
    fn few_values_are_a_group_each_in_their_order() {
        let number = |number: f64| Some(MetricValue::Number(number));
        let text = |text: &str| Some(MetricValue::Text(text.to_owned()));
        let values = [number(10.0), text("b"), None, number(9.5), text("a"), number(10.0)];
        let expected = [("x 9.5", 1), ("x 10", 2), ("x a", 1), ("x b", 1), ("no x", 1)];
        assert_eq!(names(&values), expected.map(|(name, boards)| group(name, boards)));
    }

    fn parsed(texts: &[&str]) -> Result<Vec<Grouping>, GroupingError> {
        Grouping::parse(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn groupings_are_names_values_and_ranges() {
        let value = |text: &str| Chosen::Value(text.to_owned());
        let range = |low, high| Chosen::Range(low, high);
        let grouping = |name: &str, chosen: Vec<Chosen>| Grouping { name: name.to_owned(), chosen };
        for (texts, expected) in [
            (&["colors"][..], vec![grouping("colors", vec![])]),
            (&["colors,n"], vec![grouping("colors", vec![]), grouping("n", vec![])]),
            (&["n=10..20"], vec![grouping("n", vec![range(Some(10.0), Some(20.0))])]),
            (
                &["n=2,3..5,6..,set", "n=..1"],
                vec![
                    grouping(
                        "n",
                        vec![
                            value("2"),
                            range(Some(3.0), Some(5.0)),
                            range(Some(6.0), None),
                            range(None, Some(1.0)),
                        ],
                    ),
                    grouping("set", vec![]),
                ],
            ),
            (
                &["phase=end,phase=begin,colors"],
                vec![
                    grouping("phase", vec![value("end"), value("begin")]),
                    grouping("colors", vec![]),
                ],
            ),
            (&["n", "n=3"], vec![grouping("n", vec![]), grouping("n", vec![value("3")])]),
        ] {
            assert_eq!(parsed(texts), Ok(expected), "{texts:?}");
        }
        for text in ["", "3..5", "n=", "n=5..3", "n=..", "n=a..b", "n,3", "=3", "n=1,,2"] {
            assert_eq!(parsed(&[text]), Err(GroupingError(text.to_owned())));
        }
    }

    #[test]
    fn chosen_values_are_groups_in_their_order_and_the_others_are_in_none() {
        let values: Vec<_> =
            (0..20).map(|n| (Some(MetricValue::Number(f64::from(n))), n)).collect();
        let grouping = parsed(&["n=15..,3,5..7,..1,99"]).expect("a grouping").swap_remove(0);
        let found = grouping.groups(&values);
        let expected = [
            ("n from 15", vec![15, 16, 17, 18, 19]),
            ("n 3", vec![3]),
            ("n 5 to 7", vec![5, 6, 7]),
            ("n up to 1", vec![0, 1]),
            ("n 99", vec![]),
        ];
        assert_eq!(found, expected.map(|(name, boards)| (name.to_owned(), boards)));
        let texts = [(Some(MetricValue::Text("end".to_owned())), 1), (None, 2)];
        let grouping = parsed(&["phase=end,1.."]).expect("a grouping").swap_remove(0);
        let found = grouping.groups(&texts);
        assert_eq!(found, [("phase end".to_owned(), vec![1]), ("phase from 1".to_owned(), vec![])]);
    }

    #[test]
    fn many_numbers_are_ranges_with_about_as_many_boards() {
        let values: Vec<_> = (0..40).map(|n| Some(MetricValue::Number(f64::from(n)))).collect();
        let expected = ["x 0 to 9", "x 10 to 19", "x 20 to 29", "x 30 to 39"];
        assert_eq!(names(&values), expected.map(|name| group(name, 10)));
        // Half of them are equal, and stay together.
        let values: Vec<_> =
            (0..40).map(|n| Some(MetricValue::Number(f64::from((n - 19).max(0))))).collect();
        let groups = names(&values);
        assert_eq!(groups[0], group("x 0", 20));
        assert_eq!(groups.iter().map(|(_, boards)| boards).sum::<usize>(), 40);
    }
}
