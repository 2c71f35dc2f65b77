//! The report on a run at its end.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;

use crate::cli::named_run::Places;
use crate::cli::words::format;
use crate::cli::{Failure, exit, inputs, print};
use engine::config::Config;
use report::suite::{SuiteReport, write_game};
use report::{Format, Report as _};
use results::compare::{self, MeasureError, Relation, Standing};
use results::ratings::League;
use results::suite::{
    Bests, FolderError, NotPlayed, Records, RunFolder, SuiteVerdict, Summary, Tally,
};

/// Flags for the report and the exit code.
#[derive(Debug, Args)]
pub(in crate::cli) struct ReportFlags {
    /// A file that keeps the best score on each board, to compare with
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Exit with 1 also for `timeout`, a late answer, or `below=0.95`, a low mean score (repeatable)
    ///
    /// `timeout` is an answer that is late through the bot's own fault, forgiven or not. `below` is for a bot's
    /// mean of yours/best; where lower scores are better, of best/yours. Boards without a known best do
    /// not count.
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    fail_on: Vec<FailOn>,

    /// The form of the result: text, json, jsonl, csv, markdown, junit
    #[arg(long, value_name = "FORM", value_parser = format(Format::OF_RUN), default_value = "text", hide_default_value = true, hide_possible_values = true)]
    pub(super) format: Format,
}

/// What makes a run fail besides lost games.
#[derive(Debug, Clone, Copy)]
enum FailOn {
    /// A late answer.
    Timeout,
    /// A bot's mean share of the best score below this one.
    Below(f64),
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ratio = |text: &str| text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
        match text.strip_prefix("below=") {
            _ if text == "timeout" => Some(Self::Timeout),
            Some(text) => ratio(text).map(Self::Below),
            None => None,
        }
        .ok_or_else(|| "it must be `timeout`, or `below=` and a number from 0 to 1".to_owned())
    }
}

/// Whether the games of a run are kept, and whether they have been printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Games {
    /// They are kept.
    Kept,
    /// They are kept, and with `--format jsonl` each was printed as it ended.
    Told,
    /// Each was printed as well, and none is kept.
    Dropped,
}

impl ReportFlags {
    /// The file of the records: the flag's, or the project's.
    fn record_file(&self, config: &Config) -> Option<PathBuf> {
        self.records.clone().or_else(|| inputs::record_file(&config.project))
    }

    /// Refuses records that cannot be kept.
    pub(in crate::cli) fn check(&self, config: &Config) -> Result<(), Failure> {
        let file = self.record_file(config);
        file.as_deref().map_or(Ok(()), Records::check).map_err(Failure::user)
    }

    /// The best known scores.
    pub(super) fn bests(&self, config: &Config) -> Result<Bests, Failure> {
        let records = self.record_file(config).as_deref().map(Records::read).transpose()?;
        Ok(Bests::of(&config.game.name, &records.unwrap_or_default()))
    }

    /// The lowest mean that does not fail a bot.
    fn below(&self) -> Option<f64> {
        let ratios = self.fail_on.iter().filter_map(|it| match it {
            FailOn::Below(ratio) => Some(*ratio),
            FailOn::Timeout => None,
        });
        ratios.reduce(f64::max)
    }

    /// Warns of a bot that `--fail-on below` cannot fail.
    fn warn_without_effect(&self, summary: &Summary) {
        let mut bots = summary.bots.iter().filter(|_| self.below().is_some());
        if let Some(Tally { bot, .. }) = bots.find(|tally| tally.ratio().is_none()) {
            log::warn!(
                "--fail-on below has no effect on `{bot}`: none of its boards has a known best score, as in the file of --records"
            );
        }
    }

    /// Whether no bot lost a game, and every bot meets --fail-on.
    fn is_fine(&self, summary: &Summary) -> bool {
        let fails_late = self.fail_on.iter().any(|it| matches!(it, FailOn::Timeout));
        let too_low = |tally: &Tally| {
            self.below().zip(tally.ratio()).is_some_and(|(least, ratio)| ratio < least)
        };
        let late = |tally: &Tally| fails_late && tally.late > 0;
        !summary.bots.iter().any(|tally| tally.lost > 0 || too_low(tally) || late(tally))
    }
}

/// Reports on a run and on how its bot compares with an opponent, keeps its records, and returns the exit
/// code.
pub(in crate::cli) fn report(
    flags: &ReportFlags,
    config: &Config,
    folder: &RunFolder,
    decision: Option<Standing>,
    games: Games,
) -> Result<ExitCode, Failure> {
    let bests = flags.bests(config)?;
    let is_kept = games != Games::Dropped;
    let mut summary = Summary::of(folder, &bests)?;
    flags.warn_without_effect(&summary);
    let is_fine = flags.is_fine(&summary) && folder.run.out.is_empty();
    let records = flags.record_file(config).filter(|_| is_kept);
    let saved = records.map_or(Ok(()), |path| summary.records(folder).save_into(&path));
    // As every later command compares them.
    summary.compare(&flags.bests(config)?);
    add_values(folder, &mut summary)?;
    let listed_in = runs_elsewhere(config, folder);
    let league = League::of_runs(std::iter::once(folder))?;
    let report = SuiteReport { summary, decision, league, folder, is_kept, listed_in };
    if flags.format == Format::Jsonl && games == Games::Kept {
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            print(|out| write_game(&outcome, &bests, out))?;
        }
    }
    print(|out| report.write(flags.format, out))?;
    // The results stand without the records.
    saved?;
    if let Some(not_played) = report.summary.not_played.first() {
        return Ok(not_played_code(not_played.verdict));
    }
    let worse = report.decision.as_ref().is_some_and(|found| found.bot_is == Some(Relation::Worse));
    Ok(exit::code(is_fine && !worse))
}

/// Adds what each bot has in the measure of the run; a run whose scores have none keeps its other figures.
pub(in crate::cli) fn add_values(
    folder: &RunFolder,
    summary: &mut Summary,
) -> Result<(), FolderError> {
    match compare::add_values(folder, summary) {
        Err(MeasureError::Folder(error)) => Err(error),
        Err(error) => {
            log::warn!("{error}");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// The folder of the project's runs, if this run is where they are not looked for.
fn runs_elsewhere(config: &Config, folder: &RunFolder) -> Option<PathBuf> {
    let places = Places::of(&config.project);
    (!places.have(&folder.path)).then_some(places.runs)
}

/// The exit code after games that were not played, as `play` has it for the first of them.
pub(super) fn not_played_code(why: SuiteVerdict) -> ExitCode {
    let is_bots = why == SuiteVerdict::NotPlayed(NotPlayed::CannotStart);
    ExitCode::from(if is_bots { exit::USER_ERROR } else { exit::REFEREE_ERROR })
}
