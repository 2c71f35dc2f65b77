//! `referee resume`: the missing games of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::play::{PlayFlags, play_all};
use super::report::{Games, report};
use crate::cli::named_run::run_path;
use crate::cli::shared::{ConfigFlag, of_run};
use crate::cli::{Failure, completions, refuse};
use engine::suite::plan_now;
use results::compare::Decider;
use results::suite::{Outcome, Plan, RunFolder, RunWriter, SuiteVerdict};
use terms::verdict::Verdict;

/// Play the missing games of a run
///
/// The run's folder determines what is played, by which rules, and which games leave a log. Games
/// whose bot could not start, or for which the host lacked resources, are missing games too. Exit
/// as `referee suite` does.
#[derive(Debug, Args)]
pub(in crate::cli) struct ResumeArgs {
    /// The run: its folder, or `latest` as in `referee runs`
    #[arg(value_name = "RUN", add = completions::runs())]
    run: PathBuf,

    /// Play the games with this verdict again, such as `timeout` (repeatable)
    ///
    /// Their earlier results are dropped.
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    again: Vec<Verdict>,

    #[command(flatten)]
    config: ConfigFlag,

    #[command(flatten)]
    play: PlayFlags,
}

pub(in crate::cli) fn run(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    let folder = RunFolder::open(&run_path(&args.run)?)?;
    let path = folder.path.display();
    let config = of_run(&folder, &args.config)?;
    args.play.report.check(&config)?;
    let (stored, judge) = (&folder.run.plan, config.game.judge.clone());
    let is_complete = folder.played()?.count() == folder.planned();
    if let Some(difference) = stored.difference(&Plan { judge, ..plan_now(&folder) }) {
        if is_complete && args.again.is_empty() {
            log::warn!(
                "{path} is complete, so nothing is played and these are its results; but {difference}: `referee suite` plays what \
                 is there now"
            );
            let decision = Decider::of(&folder)?.map(|decider| decider.standing());
            return report(&args.play.report, &config, &folder, decision, Games::Kept);
        }
        let advice = "put back what it was planned with, or start a new run with `referee suite`";
        return refuse(format!("{path} cannot be resumed: {difference}; {advice}"));
    }
    args.play.prepare_outputs(stored)?;
    let is_again = |outcome: &Outcome| matches!(outcome.verdict, SuiteVerdict::Played(verdict) if args.again.contains(&verdict));
    let writer = RunWriter::resume(folder.clone(), is_again)?;
    if writer.folder.played()?.count() == writer.folder.planned() {
        log::warn!("{path}: nothing is left to play; these are the results");
    }
    play_all(&args.play, &config, writer, Games::Told, false)
}

/// Parses a verdict as results name it.
fn verdict(text: &str) -> Result<Verdict, String> {
    let word: StrDeserializer<'_, ValueError> = text.into_deserializer();
    Verdict::deserialize(word).map_err(|error| error.to_string())
}
