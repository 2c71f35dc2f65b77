//! `referee config`: the settings that apply here, and where each comes from.

use std::process::ExitCode;

use clap::Args;
use toml::{Table, Value};

use super::shared::ConfigFlag;
use super::{Failure, inputs, print};
use engine::config::DEFAULT;
use rules::game::GAMES;
use terms::limits::LimitKind;
use terms::text::{exact_duration, exact_size};

/// Show the settings that apply here, and where each comes from
///
/// KEY=VALUE takes precedence over the settings file, and that over the defaults. Limits are shown
/// before the profile changes them.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    #[command(flatten)]
    config: ConfigFlag,
}

/// A setting: its dotted name, its value, and the origin of the value.
type Setting = (String, Value, String);

pub(super) fn run(args: &ConfigArgs) -> Result<ExitCode, Failure> {
    // It is read once: a pipe, such as /dev/stdin, has nothing left for a second time.
    let flag = &args.config;
    let path = flag.path()?;
    let text = path.as_deref().map(inputs::read_text).transpose()?;
    let file = path.zip(text);
    let layer = file.as_ref().map(|(path, text)| inputs::parse_layer(path, text)).transpose()?;
    // Resolving the settings refuses invalid ones, as any other command would.
    inputs::settings(flag.single_layers()?.into_iter().chain(layer))?;
    let mut settings = Vec::new();
    let default: Table = toml::from_str(DEFAULT).expect("tested: the defaults are valid");
    collect("", &default, "default", &mut settings);
    for game in GAMES.iter() {
        let time = |kind: LimitKind| Some((kind.name(), exact_duration(game.limits.of(kind)?)));
        let memory = game.memory.map(|bytes| ("memory", exact_size(bytes)));
        for (limit, value) in LimitKind::ALL.into_iter().filter_map(time).chain(memory) {
            let name = format!("limits.{}.{limit}", game.name);
            settings.push((name, Value::String(value), "default".to_owned()));
        }
    }
    settings.sort_by(|one, other| one.0.cmp(&other.0));
    let mut put_all = |text: &str, origin: &str| {
        let table: Table = toml::from_str(text).expect("it is a layer");
        let mut own = Vec::new();
        collect("", &table, origin, &mut own);
        for setting in own {
            put(&mut settings, setting);
        }
    };
    if let Some((path, text)) = file {
        put_all(&text, &path.display().to_string());
    }
    let single: Vec<String> = flag.single().collect();
    single.iter().rev().for_each(|text| put_all(text, "--config"));
    let width = settings.iter().map(|(name, value, _)| line(name, value).len()).max().unwrap_or(0);
    print(|out| {
        for (name, value, origin) in &settings {
            writeln!(out, "{:width$}  # {origin}", line(name, value))?;
        }
        Ok(())
    })
}

fn line(name: &str, value: &Value) -> String {
    format!("{name} = {value}")
}

/// Collects the settings of a table and its nested tables, under dotted names.
fn collect(prefix: &str, table: &Table, origin: &str, settings: &mut Vec<Setting>) {
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        match value {
            Value::Table(inner) => collect(&format!("{name}."), inner, origin, settings),
            value => settings.push((name, value.clone(), origin.to_owned())),
        }
    }
}

/// Replaces the setting of the same name, or appends a new one.
fn put(settings: &mut Vec<Setting>, setting: Setting) {
    match settings.iter_mut().find(|(name, _, _)| *name == setting.0) {
        Some(known) => *known = setting,
        None => settings.push(setting),
    }
}
