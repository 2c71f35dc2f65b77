//! Waits for a suite that a cluster plays, and shows how far it is.
//!
//! What counts is what is in the run folder. The queue is asked for what is told of it, and whether
//! anything is left that could still play; without it, waiting goes on.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::{Games, SuiteArgs, parts, play};
use crate::cli::Failure;
use engine::config::Config;
use engine::slurm::{self, Queued, Submissions};
use results::suite::RunFolder;

/// How often it is looked, unless looking takes long.
const INTERVAL: Duration = Duration::from_secs(2);

/// Looking takes at most one part in so many of the time.
const LOOKING_SHARE: u32 = 10;

/// Looks in a row without a task in the queue, after which what is missing will not come any more. Results
/// may take a while to be seen on a shared file system.
const LOOKS_WITHOUT_TASKS: u32 = 5;

/// Waits until all games are there, and reports on them.
pub(super) fn wait(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
    submissions: &Submissions,
) -> Result<ExitCode, Failure> {
    let interrupt = play::interrupt()?;
    let mut progress = WaitProgress::new(folder);
    let mut without_tasks = 0;
    let mut told = String::new();
    loop {
        let (look, mut pause) = (Instant::now(), INTERVAL);
        if parts::is_complete(folder)? {
            progress.finish();
            return parts::merged(&args.report, config, folder, Games::Kept);
        }
        match slurm::queue() {
            Ok(queue) => {
                let mine = submissions.mine(&queue);
                let tasks: Vec<&Queued> =
                    mine.into_iter().filter(|job| submissions.part(job).is_some()).collect();
                progress.show(folder, &tasks)?;
                without_tasks = if tasks.is_empty() { without_tasks + 1 } else { 0 };
                told.clear();
                pause = INTERVAL.max(look.elapsed() * LOOKING_SHARE);
            }
            // The controller may be away for long, and Slurm's programs wait for it themselves.
            Err(error) if error.to_string() != told => {
                log::warn!("{error}; waiting all the same");
                told = error.to_string();
            }
            Err(_) => {}
        }
        if without_tasks > LOOKS_WITHOUT_TASKS {
            progress.finish();
            return Err(nothing_comes(folder)?);
        }
        if let Some(signal) = interrupt.wait(pause) {
            progress.finish();
            return Err(Failure::Interrupted { signal, kept: goes_on(folder, submissions) });
        }
    }
}

/// What a user does who no longer waits.
fn goes_on(folder: &RunFolder, submissions: &Submissions) -> String {
    let jobs: Vec<String> = submissions.jobs().map(|job| job.to_string()).collect();
    format!(
        "; the jobs go on: `squeue --jobs={}` shows them, `scancel {}` cancels them, `referee suite \
         --resume {} --slurm --wait` waits for them again",
        jobs.join(","),
        jobs.join(" "),
        folder.path.display(),
    )
}

/// Why waiting any longer is of no use.
fn nothing_comes(folder: &RunFolder) -> Result<Failure, Failure> {
    let missing = parts::still_missing(folder)?;
    let path = folder.path.display();
    Ok(Failure::user(anyhow!(
        "no task is in the queue any more, and {missing}. What tasks said is in {path}/parts/*.out; if there \
         is nothing, the nodes do not share {path}"
    )))
}

/// A bar for somebody who is looking, and a line for each change in a log.
struct WaitProgress {
    bar: Option<ProgressBar>,
    planned: usize,
    /// The games that were there at first, and when that was.
    before: Option<(usize, Instant)>,
    told: (usize, String),
}

impl WaitProgress {
    fn new(folder: &RunFolder) -> Self {
        let planned = folder.planned();
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {msg}");
            ProgressBar::new(planned as u64).with_style(style.expect("a valid template"))
        });
        Self { bar, planned, before: None, told: (0, String::new()) }
    }

    fn show(&mut self, folder: &RunFolder, tasks: &[&Queued]) -> Result<(), Failure> {
        let done = folder.played()?.count();
        let (before, since) = *self.before.get_or_insert((done, Instant::now()));
        let states = states(tasks);
        if let Some(bar) = &self.bar {
            let played = u32::try_from(done - before.min(done)).unwrap_or(u32::MAX);
            let left = u32::try_from(self.planned - done).unwrap_or(u32::MAX);
            let each = since.elapsed().checked_div(played);
            let left =
                each.map(|each| format!(", {:#} left", HumanDuration(each.saturating_mul(left))));
            bar.set_position(done as u64);
            bar.set_message(format!("{states}{}", left.unwrap_or_default()));
            return Ok(());
        }
        // A line for each tenth of the games, and for each new kind of state.
        let tenth = done * 10 / self.planned.max(1);
        let kinds: String = states.chars().filter(|c| !c.is_ascii_digit()).collect();
        if self.told != (tenth, kinds.clone()) {
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(io::stderr(), "{done}/{} games, {states}", self.planned);
            self.told = (tenth, kinds);
        }
        Ok(())
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The tasks by their states, such as `2 running, 18 pending (Resources)`.
fn states(tasks: &[&Queued]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for task in tasks {
        let state = task.state.to_lowercase();
        let why = if state == "pending" { format!(" ({})", task.reason) } else { String::new() };
        *counts.entry(format!("{state}{why}")).or_default() += 1;
    }
    let counts: Vec<_> = counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    if counts.is_empty() { "no task in the queue".to_owned() } else { counts.join(", ") }
}
