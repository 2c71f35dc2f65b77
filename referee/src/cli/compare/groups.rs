//! What `--by` may name.

use std::collections::BTreeSet;

use super::Side;
use crate::cli::{Failure, refuse};
use results::compare::{Contender, Grouping};
use results::metrics::MetricValue;
use results::suite::FolderError;

/// The most values that an error lists.
const LISTED: usize = 12;

/// Refuses a name that no board has a value for, and values that none has, and says which there are. `index` is the place
/// of the grouping among the contenders' groupings.
pub(super) fn refuse_unknown(
    by: &Grouping,
    index: usize,
    contenders: &[Contender],
    runs: &[Side],
) -> Result<(), Failure> {
    let name = &by.name;
    let values = || contenders.iter().flat_map(|bot| bot.values(index));
    if values().next().is_none() {
        let names = names(runs)?;
        let problem =
            "no bot said this name in any of these games, and boards have no such property";
        return refuse(format!("--by {name}: {problem}; there are: {names}"));
    }
    if let Some(chosen) = by.chosen.iter().find(|chosen| !values().any(|value| chosen.has(value))) {
        let there_are = listed(values());
        return refuse(format!("--by {name}: no board has {chosen}; there are: {there_are}"));
    }
    Ok(())
}

/// The names that games of these runs have values for.
fn names(runs: &[Side]) -> Result<String, FolderError> {
    let mut names = BTreeSet::new();
    for run in runs {
        for outcome in run.folder.outcomes()? {
            let outcome = outcome?;
            names.extend(outcome.said.into_keys().chain(outcome.traits.into_keys()));
            names.extend(outcome.set.map(|_| "set".to_owned()));
        }
    }
    let names: Vec<_> = names.into_iter().collect();
    Ok(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
}

/// The different values, or the smallest and the largest of many numbers.
fn listed<'a>(values: impl Iterator<Item = &'a MetricValue>) -> String {
    let (mut numbers, mut texts) = (Vec::new(), BTreeSet::new());
    for value in values {
        match value {
            MetricValue::Number(number) => numbers.push(*number),
            MetricValue::Text(text) => {
                texts.insert(text.clone());
            }
        }
    }
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let mut words: Vec<String> = match numbers.as_slice() {
        [first, .., last] if numbers.len() > LISTED => vec![format!("{first} to {last}")],
        few => few.iter().map(f64::to_string).collect(),
    };
    let more = texts.len() > LISTED;
    words.extend(texts.into_iter().take(LISTED));
    words.extend(more.then(|| "…".to_owned()));
    words.join(", ")
}
