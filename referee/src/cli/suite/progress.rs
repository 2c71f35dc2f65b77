//! The progress of a suite on standard error.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar};

use crate::cli::bars::bar;
use crate::cli::is_quiet;
use report::runs::Pace;
use report::suite::{self, interval};
use results::compare::Standing;
use results::suite::{FolderError, Outcome, RunFolder, Tally, Times};
use rules::game::judge::JudgeProgram;
use rules::score::shown;
use terms::text::{duration, plural, printable};

/// The end of a line of progress: as much of the message as there is room for.
const MESSAGE: &str = "{wide_msg}";

/// The number of lines that are written without a terminal.
const LINES: usize = 10;

/// A progress bar on a terminal, and occasional lines elsewhere.
pub(super) struct SuiteProgress {
    /// All games of the run, also of earlier processes.
    tally: Tally,
    planned: usize,
    /// The games of earlier processes.
    before: usize,
    started: Instant,
    /// The results of a game: one for each seat.
    players: usize,
    /// How the bot compares with its opponent, if it has one.
    standing: String,
    /// The games of each bot, if each game has a line of a table.
    table: Option<BTreeMap<String, Tally>>,
    bar: Option<ProgressBar>,
}

impl SuiteProgress {
    /// The progress of a run that may have been begun by another process. On a terminal a game of a contest has a table if it
    /// `may_have_table`, as its users know it, and others if it `has_table`.
    pub(super) fn of(
        folder: &RunFolder,
        may_have_table: bool,
        has_table: bool,
    ) -> Result<Self, FolderError> {
        let plan = &folder.run.plan;
        let new = || Tally { better: plan.better, ..Tally::default() };
        let (mut tally, mut of_bots) = (new(), BTreeMap::new());
        of_bots.extend(plan.bots.iter().map(|bot| (bot.name.clone(), new())));
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            tally.add(&outcome);
            of_bots.entry(outcome.bot.clone()).or_default().add(&outcome);
        }
        let (players, planned) = (plan.players(), plan.tables(folder.planned()));
        let before = plan.tables(tally.games);
        let bar = bar(planned, MESSAGE).map(|bar| bar.with_position(before as u64));
        let (started, standing) = (Instant::now(), String::new());
        let is_contest = plan.judge.as_ref().is_some_and(JudgeProgram::is_of_contest);
        let has_table = has_table || may_have_table && is_contest && bar.is_some();
        let table = has_table.then_some(of_bots);
        Ok(Self { tally, planned, before, started, players, standing, table, bar })
    }

    /// Starts the clock from which the remaining time is estimated, and a table.
    pub(super) fn begin(&mut self) {
        self.started = Instant::now();
        if self.table.is_some() {
            let share = self.tally.better.share_name();
            self.print(&row(["case", "score", share, "mean score", "time", "state"]));
        }
    }

    /// Prints a line above the bar.
    fn print(&self, line: &str) {
        // If standard error is closed, there is nobody to tell.
        let print = || drop(writeln!(io::stderr(), "{}", printable(line)));
        self.bar.as_ref().map_or_else(print, |bar| bar.suspend(print));
    }

    /// The line of a game in the table.
    fn line(&mut self, outcome: &Outcome) -> Option<String> {
        let bots = self.table.as_mut()?;
        let tally = bots.get_mut(&outcome.bot)?;
        tally.add(outcome);
        let share = outcome.ratio(outcome.best_known, tally.better);
        let Times { first, slowest, wall, .. } = outcome.times;
        // Where a game is one answer, the time of the answer.
        let time = if slowest.is_some() { wall } else { first };
        let state = outcome.verdict.to_string();
        let state = if bots.len() > 1 { format!("{state}  {}", outcome.bot) } else { state };
        Some(row([
            &outcome.board,
            &shown(outcome.score),
            &share.map_or("-".to_owned(), suite::share),
            &suite::mean(&bots[&outcome.bot]),
            &time.map_or("-".to_owned(), |time| duration(time.0)),
            &state,
        ]))
    }

    /// Counts a game.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.tally.add(outcome);
        if let Some(line) = self.line(outcome) {
            self.print(&line);
        } else if log::log_enabled!(log::Level::Info) {
            match &self.bar {
                Some(bar) => bar.suspend(|| log_game(outcome)),
                None => log_game(outcome),
            }
        }
        let results = self.tally.games + self.tally.not_played;
        let (done, planned) = (results / self.players, self.planned);
        let is_whole = results.is_multiple_of(self.players);
        if let Some(bar) = &self.bar {
            // In this order, so that a number of games is never shown before their results.
            bar.set_message(self.message_and_time_left());
            bar.set_position(done as u64);
        } else if self.table.is_none()
            && !is_quiet()
            && is_whole
            && done * LINES / planned != (done - 1) * LINES / planned
        {
            let message = self.message();
            // If standard error is closed, there is nobody to tell.
            let _ = writeln!(
                io::stderr(),
                "{done}/{planned} games, {}",
                message.trim_end_matches(", ")
            );
        }
    }

    /// The message, with the time for the missing games once that can be estimated.
    fn message_and_time_left(&self) -> String {
        let played = (self.tally.games + self.tally.not_played) / self.players;
        let &Self { before, planned, started, .. } = self;
        let elapsed = started.elapsed();
        let pace = Pace { played, before, planned, elapsed, every: Duration::ZERO };
        match pace.left() {
            Some(left) => format!("{}{:#} left", self.message(), HumanDuration(left)),
            None => self.message().trim_end_matches(", ").to_owned(),
        }
    }

    fn message(&self) -> String {
        let (lost, sum) = (self.tally.lost, suite::sum(&self.tally));
        if self.players > 1 {
            // The scores of opponents have no sum that says anything.
            return format!("{}, {}", plural(lost as u64, "failure"), self.standing);
        }
        format!("{lost} lost, sum {sum}, {}", self.standing)
    }

    /// Shows how the bot compares with its opponent.
    pub(super) fn show_standing(&mut self, standing: &Standing) {
        self.standing = format!("{}, ", interval(standing));
        if let Some(bar) = &self.bar {
            bar.set_message(self.message_and_time_left());
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A row of the table.
fn row([case, score, share, mean, time, state]: [&str; 6]) -> String {
    format!("  {case:<12} {score:>14} {share:>10} {mean:>14} {time:>9}  {state}")
}

/// Shows a game with `-v`.
fn log_game(outcome: &Outcome) {
    let Outcome { bot, board, turns, .. } = outcome;
    let result = if outcome.won {
        format!("score {} in {}", shown(outcome.score), plural((*turns).into(), "turn"))
    } else {
        outcome.loss()
    };
    log::info!("game {}: {bot} on {board}: {result}", outcome.number());
}
