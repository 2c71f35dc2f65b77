//! `referee verify`: checks a run against the logs of its games.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::named_run::run_path;
use super::words::format;
use super::{Failure, completions, exit, inputs, print};
use report::{Format, suite};
use results::suite::{Disagreement, Plan, RunFolder, Tally, Verified, verify};
use terms::text::{plural, printable};

/// Check the results of a run against its logs
///
/// Referee every log again, and compare it with the plan and the results. Name the games that do not
/// agree or have no log, and exit with 1 if there is one. This requires neither the bots nor the machine
/// that played, but all logs (`referee suite --logs all`). Times, and whose fault a late reply is, are
/// taken from the logs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    /// The run: its folder, or `latest` as in `referee runs`
    #[arg(value_name = "RUN", add = completions::runs())]
    run: PathBuf,

    /// The form of the result
    #[arg(long, value_parser = format(Format::OF_ONE), default_value = "text")]
    format: Format,
}

/// The most disagreements that the text names; JSON has all.
const NAMED: usize = 20;

const EXAMPLES: &str = "\
Examples:
  referee suite --bot ./mybot --seed 1..1000 --logs all.gz --run published
  referee verify published";

pub(super) fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let folder = RunFolder::open(&run_path(&args.run)?)?;
    let verified = verify(&folder, is_strict(&folder.run.plan)?)?;
    print(|out| match args.format {
        Format::Json => write_json(&folder, &verified, out),
        _ => write_text(&folder, &verified, out),
    })?;
    Ok(exit::code(verified.disagreements.is_empty()))
}

/// Whether the limits of a plan are as strict as the official ones.
fn is_strict(plan: &Plan) -> Result<bool, Failure> {
    Ok(inputs::settings_of_plan(plan, [inputs::stored(plan)])?.is_as_strict_as_official())
}

/// A result that does not agree: its game and, if that has several players, the seat.
fn named(folder: &RunFolder, result: usize) -> String {
    let players = folder.run.plan.players();
    let (number, seat) = ((result - 1) / players + 1, (result - 1) % players);
    if players == 1 { format!("game {number}: ") } else { format!("game {number}, seat {seat}: ") }
}

fn write_text(folder: &RunFolder, verified: &Verified, out: &mut dyn Write) -> io::Result<()> {
    let Verified { summary, agree, disagreements, digest } = verified;
    let planned = plural(summary.planned() as u64, "game");
    writeln!(out, "{agree} of {planned} of {} agree with their logs", summary.game)?;
    let mut listed: Vec<&Disagreement> = disagreements.iter().collect();
    if *agree == 0 && disagreements.iter().any(Disagreement::is_without_log) {
        writeln!(out, "No logs were kept; `referee suite --logs all` keeps all logs.")?;
        listed.retain(|found| !found.is_without_log());
    }
    writeln!(out)?;
    for Disagreement { game, problem } in listed.iter().take(NAMED) {
        let game = game.map(|game| named(folder, game)).unwrap_or_default();
        writeln!(out, "  {game}{}", printable(problem))?;
    }
    if listed.len() > NAMED {
        writeln!(out, "  and {} more, which `--format json` lists", listed.len() - NAMED)?;
    }
    if !listed.is_empty() {
        writeln!(out)?;
    }
    for tally in &summary.bots {
        let Tally { bot, games, lost, .. } = tally;
        let games = plural(*games as u64, "game");
        let figures = if summary.opponents > 0 {
            format!("{lost} failed, place {}", suite::place(tally))
        } else {
            format!("{lost} lost, sum {}, mean {}", suite::sum(tally), suite::mean(tally))
        };
        writeln!(out, "  {}: {games}, {figures}", printable(bot))?;
    }
    writeln!(out, "\n  The digest of the plan, the results and the logs is {digest}.")
}

fn write_json(folder: &RunFolder, verified: &Verified, out: &mut dyn Write) -> io::Result<()> {
    let Verified { summary, agree, disagreements, digest } = verified;
    let bot = |tally: &Tally| {
        let Tally { bot, games, won, lost, sum, .. } = tally;
        json!({ "bot": bot, "games": games, "won": won, "lost": lost, "sum": sum, "mean": tally.mean(), "place": tally.place })
    };
    let players = folder.run.plan.players();
    let found = |Disagreement { game, problem }: &Disagreement| json!({ "game": game, "number": game.map(|game| (game - 1) / players + 1), "problem": problem });
    let object = json!({
        "run": folder.path.display().to_string(),
        "game": summary.game,
        "planned": summary.planned(),
        "agree": agree,
        "disagreements": disagreements.iter().map(found).collect::<Vec<_>>(),
        "bots": summary.bots.iter().map(bot).collect::<Vec<_>>(),
        "digest": digest,
    });
    writeln!(out, "{object}")
}
