//! `--param`: plays a bot with each of several values, and with each combination of them.

use std::path::{Path, PathBuf};

use rust_decimal::Decimal;

use crate::cli::{Failure, refuse};
use results::suite::PlannedBot;
use terms::system::program_file;

/// The most bots of a run by combination of values.
const MAX_BOTS: usize = 1000;

/// The largest file, in bytes, in which the name of a parameter is looked for.
const LARGEST: u64 = 16 << 20;

/// The name of a parameter, and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Param {
    name: String,
    values: Vec<String>,
}

/// Parses `NAME=1,2,4` or `NAME=0.1..1.0:0.1`.
pub(super) fn param(text: &str) -> Result<Param, String> {
    let (name, values) =
        text.split_once('=').ok_or("it must be of the form NAME=1,2,4 or NAME=0.1..1.0:0.1")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        return Err(format!("`{name}` is not a name: names have letters, digits and _"));
    }
    if let Some((first, last)) = values.split_once('-')
        && [first, last].iter().all(|text| decimal(text).is_some() && !text.starts_with('-'))
    {
        return Err(format!("`{values}` is one value; did you mean `{first}..{last}`?"));
    }
    let values = match values.split_once("..") {
        Some((first, rest)) => range(first, rest)?,
        None => values.split(',').map(str::to_owned).collect(),
    };
    if values.iter().any(|value| value.is_empty() || value.contains('\0')) {
        return Err("a value is empty".to_owned());
    }
    if let Some(twin) = (1..values.len()).find(|&at| values[..at].contains(&values[at])) {
        return Err(format!("the value `{}` is listed twice", values[twin]));
    }
    Ok(Param { name: name.to_owned(), values })
}

/// The numbers from `first` to the last one, both included, in steps; `rest` is `LAST` or `LAST:STEP`.
fn range(first: &str, rest: &str) -> Result<Vec<String>, String> {
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let number = |text: &str| {
        decimal(text).ok_or_else(|| format!("`{text}` is not a number such as 4 or 0.25"))
    };
    let (first, last, step) = (number(first)?, number(last)?, number(step)?);
    if step <= Decimal::ZERO || last < first {
        return Err(
            "a range goes from the smaller number to the larger one, in steps above 0".into()
        );
    }
    if (last - first) / step >= MAX_BOTS.into() {
        return Err(format!("a range has at most {MAX_BOTS} numbers"));
    }
    let (mut value, mut values) = (first, Vec::new());
    value.rescale(first.scale().max(step.scale()));
    while value <= last {
        values.push(value.to_string());
        value += step;
    }
    Ok(values)
}

/// A number without an exponent.
fn decimal(text: &str) -> Option<Decimal> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte));
    let fits = text.len() <= 20 && !text.ends_with('.');
    text.parse().ok().filter(|_| is_plain && fits)
}

/// Each bot with each combination of values. `{NAME}` in a bot's command stands for the value; without it
/// an environment variable of that name has it.
pub(super) fn combined(
    bots: Vec<PlannedBot>,
    params: &[Param],
) -> Result<Vec<PlannedBot>, Failure> {
    let twin = (1..params.len()).find(|&at| params[..at].iter().any(|p| p.name == params[at].name));
    if let Some(twin) = twin {
        return refuse(format!("--param {}: it is given twice", params[twin].name));
    }
    let combinations: usize = params.iter().map(|param| param.values.len()).product();
    let count = combinations.saturating_mul(bots.len());
    if count > MAX_BOTS {
        return refuse(format!(
            "--param: these are {count} combinations; a run has at most {MAX_BOTS}"
        ));
    }
    let mut all = bots;
    for param in params {
        if let Some(bot) = all.iter().find(|bot| bot.env.contains_key(&param.name)) {
            let problem = format!("the environment of `{}` sets it as well", bot.name);
            return refuse(format!("--param {}: {problem}", param.name));
        }
        let each = |bot: &PlannedBot| -> Vec<PlannedBot> {
            param.values.iter().map(|value| with(bot, &param.name, value)).collect()
        };
        all = all.iter().flat_map(each).collect();
    }
    Ok(all)
}

/// Says which parameters are environment variables, of bots whose files do not contain the name: they may not read it.
pub(super) fn warn_of_variables(bots: &[PlannedBot], params: &[Param]) {
    for Param { name, .. } in params {
        let place = place(name);
        let has_place = |bot: &&PlannedBot| bot.command.iter().any(|word| word.contains(&place));
        let mut unread = bots.iter().filter(|bot| !has_place(bot) && !names(bot, name));
        if let Some(bot) = unread.next() {
            log::warn!(
                "--param {name}: `{}` has no {place} in its command, so it gets an environment variable {name}, which its files do not name",
                bot.name
            );
        }
    }
}

/// Whether a bot's command, or a file that it names, contains this text.
fn names(bot: &PlannedBot, text: &str) -> bool {
    let folder = bot.cwd.as_deref().map_or(Path::new(""), Path::new);
    let contains = |file: PathBuf| {
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
        // A larger program is not worth the time.
        let content = if size > LARGEST { return Some(true) } else { std::fs::read(file).ok()? };
        Some(content.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    let is_named = |word: &String| {
        word.contains(text) || contains(program_file(&folder.join(word))).unwrap_or(false)
    };
    bot.command.iter().any(is_named)
}

/// `{NAME}`, which stands for the value in a command.
fn place(name: &str) -> String {
    format!("{{{name}}}")
}

fn with(bot: &PlannedBot, name: &str, value: &str) -> PlannedBot {
    let place = place(name);
    let mut bot = bot.clone();
    if bot.command.iter().any(|word| word.contains(&place)) {
        bot.command = bot.command.iter().map(|word| word.replace(&place, value)).collect();
    } else {
        bot.env.insert(name.to_owned(), value.to_owned());
    }
    bot.name = if bot.name.contains(&place) {
        bot.name.replace(&place, value)
    } else {
        format!("{} {name}={value}", bot.name)
    };
    bot.params.insert(name.to_owned(), value.to_owned());
    bot
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn values(text: &str) -> Result<String, String> {
        param(text).map(|param| param.values.join(" "))
    }

    #[test]
    fn lists_and_ranges_are_exact() {
        for (text, expected) in [
            ("X=1,2,4", "1 2 4"),
            ("X=fast,very slow", "fast very slow"),
            ("X=7", "7"),
            ("X=1..4", "1 2 3 4"),
            ("X=-2..2:2", "-2 0 2"),
            ("X=0.1..0.5:0.1", "0.1 0.2 0.3 0.4 0.5"),
            ("X=0.1..1.0:0.3", "0.1 0.4 0.7 1.0"),
            ("X=1..2:0.25", "1.00 1.25 1.50 1.75 2.00"),
            ("X=-0.5..0.5:0.5", "-0.5 0.0 0.5"),
            ("X=1..2.5", "1 2"),
            ("X=5..5", "5"),
        ] {
            assert_eq!(values(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_makes_no_values_is_refused() {
        for (text, problem) in [
            ("X", "it must be of the form"),
            ("1X=2", "`1X` is not a name"),
            ("=2", "`` is not a name"),
            ("X=", "a value is empty"),
            ("X=1,,2", "a value is empty"),
            ("X=1,2,1", "the value `1` is listed twice"),
            ("X=4..1", "from the smaller number"),
            ("X=1..4:0", "in steps above 0"),
            ("X=1..4:-1", "in steps above 0"),
            ("X=1..x", "`x` is not a number"),
            ("X=1..4:", "`` is not a number"),
            ("X=1e3..4", "`1e3` is not a number"),
            ("X=0..1:0.0001", "at most 1000 numbers"),
        ] {
            let said = values(text).expect_err(text);
            assert!(said.contains(problem), "{text}: {said}");
        }
    }

    #[test]
    fn a_value_is_in_the_command_or_in_the_environment_and_in_the_name() {
        let bot = PlannedBot {
            name: "./bot --w {W}".to_owned(),
            command: ["./bot", "--w", "{W}", "{w}"].map(str::to_owned).into(),
            ..PlannedBot::default()
        };
        let bot = with(&with(&bot, "W", "3"), "T", "0.5");
        assert_eq!(bot.name, "./bot --w 3 T=0.5");
        assert_eq!(bot.command, ["./bot", "--w", "3", "{w}"]);
        assert_eq!(bot.env, BTreeMap::from([("T".to_owned(), "0.5".to_owned())]));
    }
}
