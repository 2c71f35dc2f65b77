//! What pahcer's settings say of a contest: its name, its scores, and its steps.

use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::step::Step;
use super::{ImportedSettings, psytester, read_if_there};

/// The file of pahcer's settings.
const FILE: &str = "pahcer_config.toml";

/// Reads them, if there are any: what they say of the contest, and the steps before all tests and of each test.
pub(super) fn read(folder: &Path) -> io::Result<Option<(ImportedSettings, [Vec<Step>; 2])>> {
    let Some(text) = read_if_there(&folder.join(FILE))? else { return Ok(None) };
    let table: Table = text.parse().map_err(io::Error::other)?;
    let text = |section: &str, key: &str| Some(table.get(section)?.get(key)?.as_str()?.to_owned());
    let better = text("problem", "objective");
    let imported = ImportedSettings {
        name: text("problem", "problem_name"),
        better: better.map(|objective| if objective == "Min" { "lower" } else { "higher" }),
        score: text("problem", "score_regex"),
        cases: text("test", "in_dir").map(PathBuf::from),
        ..ImportedSettings::default()
    };
    Ok(Some((imported, ["compile_steps", "test_steps"].map(|list| steps(&table, list)))))
}

fn steps(table: &Table, name: &str) -> Vec<Step> {
    let steps = table.get("test").and_then(|test| test.get(name)).and_then(Value::as_array);
    steps.into_iter().flatten().filter_map(Value::as_table).flat_map(step).collect()
}

/// A step, or those that a shell is given as one.
fn step(table: &Table) -> Vec<Step> {
    let text = |key: &str| table.get(key).and_then(Value::as_str);
    let arguments = table.get("args").and_then(Value::as_array).into_iter().flatten();
    let Some(program) = text("program") else { return Vec::new() };
    let words: Vec<&str> =
        [program].into_iter().chain(arguments.filter_map(Value::as_str)).collect();
    let folder = text("current_dir");
    if let ["sh" | "bash" | "zsh", "-c", line] = words[..]
        && line.contains("{SEED")
        && !line.contains(['$', '`', '(', '*'])
    {
        return psytester::steps_of_shell(line, folder);
    }
    vec![Step::new(&words, folder).with_files(text("stdin"), text("stdout"))]
}
