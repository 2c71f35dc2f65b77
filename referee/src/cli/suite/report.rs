//! The report on a run at its end.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as ValueError, StrDeserializer};

use crate::cli::named_run::Places;
use crate::cli::words::{OF_SUITE, one_of};
use crate::cli::{Failure, exit, inputs, print};
use engine::config::Config;
use report::Format;
use report::suite::{SuiteReport, write_game};
use results::compare::{self, MeasureError, Relation, Standing};
use results::ratings::League;
use results::suite::{
    Bests, FolderError, Listing, NotPlayed, Records, RunFolder, SuiteVerdict, Summary, Tally,
    noisy_hosts,
};
use terms::verdict::Verdict;

/// Flags for the report and the exit code.
#[derive(Debug, Args)]
pub(in crate::cli) struct ReportFlags {
    /// Keep the best scores of bots on boards in this file, and compare with them
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Exit with 1 if a bot's mean of yours/best is below this, such as 0.95
    ///
    /// Where lower scores are better, it is best/yours. Boards without a known best do not count.
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    fail_below: Option<f64>,

    /// Exit with 1 if a bot was late by its own fault even once, forgiven or not
    #[arg(long)]
    fail_on_timeout: bool,

    /// The form of the result
    #[arg(long, value_parser = one_of(OF_SUITE), default_value = "text")]
    pub(super) format: Format,
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
    pub(super) fn check(&self, config: &Config) -> Result<(), Failure> {
        let file = self.record_file(config);
        file.as_deref().map_or(Ok(()), Records::check).map_err(Failure::user)
    }

    /// The flags for a command that merges the parts: the typed ones, or all that they and the settings mean.
    pub(super) fn merge_words(&self, config: Option<&Config>) -> Result<Vec<String>, Failure> {
        let mut words = Vec::new();
        let records = config.map_or_else(|| self.records.clone(), |it| self.record_file(it));
        if let Some(path) = records {
            let path = std::path::absolute(path).map_err(Failure::user)?;
            words.extend(["--records".to_owned(), path.display().to_string()]);
        }
        if let Some(ratio) = self.fail_below {
            words.extend(["--fail-below".to_owned(), ratio.to_string()]);
        }
        words.extend(self.fail_on_timeout.then(|| "--fail-on-timeout".to_owned()));
        Ok(words)
    }

    /// The first of these flags that was given and is for a whole run.
    pub(super) fn of_whole_run(&self) -> Option<&'static str> {
        let format = !matches!(self.format, Format::Text | Format::Jsonl);
        [
            ("--format", format),
            ("--records", self.records.is_some()),
            ("--fail-below", self.fail_below.is_some()),
            ("--fail-on-timeout", self.fail_on_timeout),
        ]
        .into_iter()
        .find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    /// The best known scores.
    pub(super) fn bests(&self, config: &Config) -> Result<Bests, Failure> {
        let records = self.record_file(config).as_deref().map(Records::read).transpose()?;
        Ok(Bests::of(&config.game.name, &records.unwrap_or_default()))
    }

    /// Warns of a bot that --fail-below cannot fail.
    fn warn_without_effect(&self, summary: &Summary) {
        let mut bots = summary.bots.iter().filter(|_| self.fail_below.is_some());
        if let Some(Tally { bot, .. }) = bots.find(|tally| tally.ratio().is_none()) {
            log::warn!(
                "--fail-below has no effect on `{bot}`: none of its boards has a known best score, as in the file of --records"
            );
        }
    }

    /// Whether every bot meets the flags --fail-below and --fail-on-timeout.
    fn is_fine(&self, summary: &Summary) -> bool {
        let too_low = |tally: &Tally| {
            let limits = self.fail_below.zip(tally.ratio());
            limits.is_some_and(|(limit, ratio)| ratio < limit)
        };
        let late = |tally: &Tally| self.fail_on_timeout && tally.late > 0;
        !summary.bots.iter().any(|tally| tally.lost > 0 || too_low(tally) || late(tally))
    }
}

/// Parses a verdict as results name it.
pub(super) fn verdict(text: &str) -> Result<Verdict, String> {
    let word: StrDeserializer<'_, ValueError> = text.into_deserializer();
    Verdict::deserialize(word).map_err(|error| error.to_string())
}

/// Parses a part of the best score.
fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.trim().parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
    ratio.ok_or_else(|| "it must be a number from 0 to 1, such as 0.95".to_owned())
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
    // The listing is kept so that the list of runs need not read the results.
    let mut summary =
        if is_kept { Listing::read(folder, &bests)?.summary } else { Summary::of(folder, &bests)? };
    let noisy_hosts = noisy_hosts(folder, || Ok(&summary))?;
    flags.warn_without_effect(&summary);
    let is_fine = flags.is_fine(&summary);
    let records = flags.record_file(config).filter(|_| is_kept);
    let saved = records.map_or(Ok(()), |path| summary.records(folder).save_into(&path));
    // As every later command compares them.
    summary.compare(&flags.bests(config)?);
    add_values(folder, &mut summary)?;
    let listed_in = runs_elsewhere(config, folder);
    let league = League::of_runs(std::iter::once(folder))?;
    let report = SuiteReport { summary, decision, league, noisy_hosts, folder, is_kept, listed_in };
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
