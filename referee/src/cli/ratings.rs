//! `referee ratings`: the ratings of bots that play against each other.

use std::process::ExitCode;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::compare::{Side, refuse_different_games, warn_of_places};
use super::words::format;
use super::{Failure, completions, print, refuse};
use ::report::{Format, Report as _};
use results::ratings::League;
use results::suite::RunFolder;
use terms::text::shell_word;

/// Rate the bots of games with several players
///
/// Take the places of all games together, so their order does not matter, with 95 % intervals that count the games of a seed
/// together. A rating describes a field of bots; `referee compare` decides which of two is better.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RatingsArgs {
    /// Runs of one game that `referee suite` has made: their folders, or `latest` and `latest~1` as in `referee runs`. The same
    /// program in several runs is one bot
    #[arg(value_name = "RUN", value_parser = NonEmptyStringValueParser::new(), default_value = "latest", add = completions::runs())]
    runs: Vec<String>,

    /// Set the rating of this bot, such as `old=1500`, and rate the others relative to it [default: the mean is 0]
    #[arg(long, value_name = "BOT=RATING", value_parser = anchor)]
    anchor: Option<(String, f64)>,

    /// How to show them
    #[arg(long, value_parser = format(Format::OF_TABLE), default_value = "text")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  referee ratings
  referee ratings latest latest~1 --anchor ./old=1500
  referee ratings runs/league --format csv";

pub(super) fn run(args: &RatingsArgs) -> Result<ExitCode, Failure> {
    let sides: Vec<Side> = args.runs.iter().map(|run| Side::open(run)).collect::<Result<_, _>>()?;
    if let Some((run, _)) = args.runs.iter().zip(&sides).find(|(_, side)| side.names_bot()) {
        return refuse(format!("{run} is one bot of a run; name the run alone"));
    }
    refuse_different_games(&sides)?;
    let runs: Vec<RunFolder> = sides.into_iter().map(|side| side.folder).collect();
    warn_of_places(runs.iter())?;
    let anchor = args.anchor.as_ref().map(|(bot, rating)| (bot.as_str(), *rating));
    let league = League::of(&runs, anchor)?;
    print(|out| {
        league.write(args.format, out)?;
        if args.format == Format::Text {
            let runs: Vec<String> = args.runs.iter().map(|run| shell_word(run)).collect();
            writeln!(
                out,
                "\n  `referee report {} --html FILE` makes a page of them.",
                runs.join(" ")
            )?;
        }
        Ok(())
    })
}

/// Reads `BOT=RATING`. A bot's name may contain `=`.
fn anchor(text: &str) -> Result<(String, f64), String> {
    let (bot, rating) = text.rsplit_once('=').ok_or("a bot and its rating look like old=1500")?;
    match rating.parse() {
        Ok(rating) if f64::is_finite(rating) => Ok((bot.to_owned(), rating)),
        _ => Err(format!("`{rating}` is not a rating such as 1500")),
    }
}
