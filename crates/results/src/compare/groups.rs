//! Groups of boards: by a property, or by what a bot said on them.

use std::collections::BTreeMap;

use crate::said::SaidValue;
use crate::suite::Outcome;

/// The most different numbers that are groups by themselves; more are grouped into ranges.
const MAX_NUMBERS: usize = 10;

/// The number of ranges, each with about equally many boards.
const RANGES: usize = 4;

/// The default groups of a board, such as `colors 5` or `set smoke`.
pub(super) fn of_board(outcome: &Outcome) -> Vec<String> {
    let traits = outcome.traits.iter().map(|(name, value)| format!("{name} {value}"));
    traits.chain(outcome.set.iter().map(|set| format!("set {set}"))).collect()
}

/// The value of a game under `name`: the last that its bot said, or a property of its board.
pub(super) fn value(outcome: &Outcome, name: &str) -> Option<SaidValue> {
    let said = outcome.said.get(name).map(|said| said.last.clone());
    let property = || outcome.traits.get(name).map(|value| SaidValue::Number(f64::from(*value)));
    let set = || outcome.set.clone().filter(|_| name == "set").map(SaidValue::Text);
    said.or_else(property).or_else(set)
}

/// Groups boards by their values, in the order of the values; boards without one come last.
pub(super) fn by_value<B: Copy>(
    name: &str,
    boards: &[(Option<SaidValue>, B)],
) -> Vec<(String, Vec<B>)> {
    let (mut numbers, mut texts, mut without) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (value, board) in boards {
        match value {
            Some(SaidValue::Number(number)) => numbers.push((*number, *board)),
            Some(SaidValue::Text(text)) => {
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
    let has_ranges = different.len() > MAX_NUMBERS;
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

    fn names(values: &[Option<SaidValue>]) -> Vec<(String, usize)> {
        let differences: Vec<_> = values.iter().map(|value| (value.clone(), 1.0)).collect();
        let groups = by_value("x", &differences).into_iter();
        groups.map(|(name, differences)| (name, differences.len())).collect()
    }

    fn group(name: &str, boards: usize) -> (String, usize) {
        (name.to_owned(), boards)
    }

    #[test]
    fn few_values_are_a_group_each_in_their_order() {
        let number = |number: f64| Some(SaidValue::Number(number));
        let text = |text: &str| Some(SaidValue::Text(text.to_owned()));
        let values = [number(10.0), text("b"), None, number(9.5), text("a"), number(10.0)];
        let expected = [("x 9.5", 1), ("x 10", 2), ("x a", 1), ("x b", 1), ("no x", 1)];
        assert_eq!(names(&values), expected.map(|(name, boards)| group(name, boards)));
    }

    #[test]
    fn many_numbers_are_ranges_with_about_as_many_boards() {
        let values: Vec<_> = (0..40).map(|n| Some(SaidValue::Number(f64::from(n)))).collect();
        let expected = ["x 0 to 9", "x 10 to 19", "x 20 to 29", "x 30 to 39"];
        assert_eq!(names(&values), expected.map(|name| group(name, 10)));
        // Half of them are equal, and stay together.
        let values: Vec<_> =
            (0..40).map(|n| Some(SaidValue::Number(f64::from((n - 19).max(0))))).collect();
        let groups = names(&values);
        assert_eq!(groups[0], group("x 0", 20));
        assert_eq!(groups.iter().map(|(_, boards)| boards).sum::<usize>(), 40);
    }
}
