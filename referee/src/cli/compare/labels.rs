//! What to call the bots of several runs: by what distinguishes them for a user, and by their runs' folders only where nothing else
//! does.

use std::collections::{BTreeMap, BTreeSet};

use super::Side;
use results::suite::PlannedBot;

/// The longest part of a comment that is shown, in characters.
const MAX_COMMENT: usize = 60;

/// A bot of one of several runs.
struct Entry<'a> {
    /// The index of its run.
    side: usize,
    bot: &'a PlannedBot,
    comment: Option<String>,
}

/// Names the bots of several runs. A name that one bot alone has needs nothing else; behind others are the comments on their runs and
/// the settings in which they differ or, if these are the same, the folders of the runs.
pub(super) fn distinguish(sides: &mut [Side]) {
    let mut named: BTreeMap<&str, Vec<Entry<'_>>> = BTreeMap::new();
    for (side, of) in sides.iter().enumerate() {
        let comment = of.folder.comment().as_deref().map(shortened);
        for bot in of.planned() {
            let entry = Entry { side, bot, comment: comment.clone() };
            named.entry(&bot.name).or_default().push(entry);
        }
    }
    let mut shown: Vec<BTreeMap<String, String>> = vec![BTreeMap::new(); sides.len()];
    for (name, entries) in named.iter().filter(|(_, entries)| entries.len() > 1) {
        let details = details(entries);
        for (entry, detail) in entries.iter().zip(&details) {
            let is_clear = details.iter().filter(|other| *other == detail).count() == 1;
            let path = sides[entry.side].folder.path.display().to_string();
            let detail = if is_clear && !detail.is_empty() { detail } else { &path };
            shown[entry.side].insert((*name).to_owned(), format!("{name} ({detail})"));
        }
    }
    for (side, shown) in sides.iter_mut().zip(shown) {
        side.shown = shown;
    }
}

/// The first line of a comment, as much as fits into a table.
fn shortened(comment: &str) -> String {
    let line = comment.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(MAX_COMMENT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// For each of these bots of one name, what is special about it; empty if nothing is.
fn details(entries: &[Entry<'_>]) -> Vec<String> {
    let mut all: Vec<Vec<String>> =
        entries.iter().map(|entry| entry.comment.iter().cloned().collect()).collect();
    for part in settings(entries) {
        let values: BTreeSet<&String> = part.iter().collect();
        if values.len() > 1 {
            all.iter_mut().zip(&part).for_each(|(details, part)| details.push(part.clone()));
        }
    }
    all.into_iter().map(|details| details.join(", ")).collect()
}

/// The settings of these bots in words, a list for each setting.
fn settings(entries: &[Entry<'_>]) -> Vec<Vec<String>> {
    let of = |show: &dyn Fn(&PlannedBot) -> String| -> Vec<String> {
        entries.iter().map(|entry| show(entry.bot)).collect()
    };
    let variables: BTreeSet<&String> = entries
        .iter()
        .flat_map(|entry| entry.bot.env.keys().chain(entry.bot.params.keys()))
        .collect();
    let variable = |name: &String, bot: &PlannedBot| {
        let value = bot.env.get(name).or_else(|| bot.params.get(name));
        value.map_or_else(|| format!("no {name}"), |value| format!("{name}={value}"))
    };
    variables.into_iter().map(|name| of(&|bot| variable(name, bot))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The details of bots with these comments and values of `DEPTH`.
    fn of(bots: &[(Option<&str>, Option<&str>)]) -> Vec<String> {
        let planned: Vec<PlannedBot> = bots
            .iter()
            .map(|(_, depth)| {
                let env = depth.iter().map(|depth| ("DEPTH".to_owned(), (*depth).to_owned()));
                PlannedBot { env: env.collect(), ..PlannedBot::new("./bot", ["./bot"]) }
            })
            .collect();
        let entries: Vec<_> = planned
            .iter()
            .zip(bots)
            .enumerate()
            .map(|(side, (bot, (comment, _)))| Entry { side, bot, comment: comment.map(shortened) })
            .collect();
        details(&entries)
    }

    #[test]
    fn bots_of_one_name_are_told_apart_by_comments_and_by_what_differs() {
        assert_eq!(of(&[(None, None), (None, None)]), ["", ""]);
        assert_eq!(of(&[(Some("wide beam\nand more"), None), (None, None)]), ["wide beam", ""]);
        assert_eq!(of(&[(None, Some("3")), (None, Some("4"))]), ["DEPTH=3", "DEPTH=4"]);
        assert_eq!(
            of(&[(Some("old"), None), (Some("new"), Some("4"))]),
            ["old, no DEPTH", "new, DEPTH=4"]
        );
        assert_eq!(of(&[(Some("old"), Some("4")), (Some("new"), Some("4"))]), ["old", "new"]);
        let long = "x".repeat(100);
        assert_eq!(of(&[(Some(&long), None)])[0].chars().count(), 61);
    }
}
