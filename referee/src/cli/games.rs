//! `referee games`: lists the games, built in and from settings.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::words::format;
use super::{Failure, inputs, print};
use report::Format;
use rules::game::games;
use terms::text::printable;

/// List the built-in games and your settings' games
#[derive(Debug, Args)]
pub(super) struct GamesArgs {
    /// The form of the list
    #[arg(long, value_parser = format(Format::OF_ONE), default_value = "text")]
    format: Format,
}

/// A game of the list.
struct Listed {
    name: String,
    /// What it is.
    about: String,
    /// The file and line of its settings, unless it is built in.
    place: Option<String>,
}

pub(super) fn run(args: &GamesArgs) -> Result<ExitCode, Failure> {
    let built_in = games();
    let built_in = built_in.iter().map(|kind| {
        let (name, about) = (kind.name.clone(), format!("{}, built in", kind.title));
        Listed { name, about, place: None }
    });
    let own = inputs::project()?.games;
    let own = own.iter().map(|(name, game)| Listed {
        name: name.clone(),
        about: format!("{}: {}", game.settings.common.kind.name, game.settings.common.command),
        place: Some(game.place()),
    });
    let listed: Vec<Listed> = built_in.chain(own).collect();
    print(|out| match args.format {
        Format::Json => {
            let object = |Listed { name, about, place }: &Listed| json!({ "name": name, "about": about, "settings": place });
            writeln!(out, "{}", listed.iter().map(object).collect::<Value>())
        }
        _ => write_text(&listed, out),
    })
}

fn write_text(listed: &[Listed], out: &mut dyn Write) -> io::Result<()> {
    let width = listed.iter().map(|game| game.name.chars().count()).max().unwrap_or(0);
    for Listed { name, about, place } in listed {
        let place = place.as_ref().map(|place| format!(" ({})", printable(place)));
        let place = place.unwrap_or_default();
        writeln!(out, "{name:width$}  {}{place}", printable(about))?;
    }
    Ok(())
}
