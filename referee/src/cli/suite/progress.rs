//! How far a suite is, on standard error while it goes on.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Instant;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use report::suite::interval;
use results::compare::Standing;
use results::suite::{Bests, FolderError, Outcome, RunFolder, Tally};

/// How many lines are written without a terminal.
const LINES: usize = 10;

/// A progress bar on a terminal, and occasional lines elsewhere.
pub(super) struct SuiteProgress<'a> {
    bests: &'a Bests,
    /// All games of the run, those of earlier processes included.
    tally: Tally,
    planned: usize,
    /// How many games other processes have played.
    before: usize,
    started: Instant,
    /// How the bot stands against its opponent, if it has one.
    standing: String,
    bar: Option<ProgressBar>,
}

impl<'a> SuiteProgress<'a> {
    /// The progress of a run that may have been begun by another process.
    pub(super) fn of(folder: &RunFolder, bests: &'a Bests) -> Result<Self, FolderError> {
        let mut tally = Tally::default();
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            tally.add(&outcome, bests.best(&outcome.record_id));
        }
        let planned = folder.planned();
        let done = tally.games as u64;
        let bar = io::stderr().is_terminal().then(|| {
            let template = "{bar:30} {pos}/{len} games, {msg}";
            let style = ProgressStyle::with_template(template).expect("a valid template");
            ProgressBar::new(planned as u64).with_style(style).with_position(done)
        });
        let (before, started) = (tally.games, Instant::now());
        Ok(Self { bests, tally, planned, before, started, standing: String::new(), bar })
    }

    /// Counts a game.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.tally.add(outcome, self.bests.best(&outcome.record_id));
        let done = self.tally.games + self.tally.not_played;
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}{}", self.message(), self.time_left()));
            bar.inc(1);
        } else if done * LINES / self.planned != (done - 1) * LINES / self.planned {
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(
                io::stderr(),
                "{done}/{} games, {}",
                self.planned,
                self.message().trim_end_matches(", ")
            );
        }
    }

    /// The estimated time left, from this process's games alone.
    fn time_left(&self) -> String {
        let games = self.tally.games + self.tally.not_played;
        let mine = u32::try_from(games - self.before).unwrap_or(u32::MAX).max(1);
        let left = u32::try_from(self.planned.saturating_sub(games)).unwrap_or(u32::MAX);
        format!("{:#} left", HumanDuration((self.started.elapsed() / mine).saturating_mul(left)))
    }

    fn message(&self) -> String {
        let Tally { lost, sum, .. } = self.tally;
        let ratio =
            self.tally.ratio().map(|ratio| format!("{:.1} % of the best known, ", 100.0 * ratio));
        format!("{lost} lost, sum {sum}, {}{}", ratio.unwrap_or_default(), self.standing)
    }

    /// Shows how the bot stands against its opponent.
    pub(super) fn show_standing(&mut self, standing: &Standing) {
        self.standing = format!("{}, ", interval(standing));
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}{}", self.message(), self.time_left()));
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
