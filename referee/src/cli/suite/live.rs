//! A page of a suite that is rewritten while the games are played, on a thread of its own.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use clap::Args;

use crate::cli::Failure;
use crate::cli::output::ForceFlag;
use report::runs::{self, Pace, PageContext, RunsPage, ShownRun};
use results::suite::{Bests, FolderError, Opponent, RunFolder};

/// The shortest time between two pages.
const INTERVAL: Duration = Duration::from_secs(2);

/// Writing a page may take one part in this many of the time.
const SHARE: u32 = 10;

/// Whether a page follows the run.
#[derive(Debug, Args)]
pub(super) struct LiveFlags {
    /// Write a page of the run while games finish; an open browser refreshes it
    ///
    /// It is the page of `referee report`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_run", "parts", "part", "slurm"])]
    live: Option<PathBuf>,

    #[command(flatten)]
    force: ForceFlag,
}

/// The page of a run that is being played.
struct LivePage {
    file: PathBuf,
    force: ForceFlag,
    /// The opponent's run, if there is one, and the run, with the bots of each.
    folders: Vec<(RunFolder, Vec<String>)>,
    bests: Bests,
    /// The number of games that earlier processes played, and the time of the start.
    before: usize,
    started: Instant,
}

/// The thread that writes the page.
pub(super) struct Live {
    games: Sender<()>,
    thread: JoinHandle<Result<(), Failure>>,
}

impl LiveFlags {
    /// Refuses a page that cannot be written.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.live.as_ref().map_or(Ok(()), |file| self.force.check(file))
    }

    /// Writes the first page, and starts the thread that writes the others; `None` without the flag.
    pub(super) fn start(&self, folder: &RunFolder, bests: &Bests) -> Result<Option<Live>, Failure> {
        let Some(file) = self.live.clone() else { return Ok(None) };
        let elsewhere = |it: &&Opponent| !it.run.as_os_str().is_empty();
        let against = folder.run.against.iter().filter(elsewhere);
        let opponent = against
            .map(|it| Ok::<_, FolderError>((RunFolder::open(&it.run)?, vec![it.bot.clone()])));
        let bots = folder.run.plan.bots.iter().map(|bot| bot.name.clone()).collect();
        let folders = opponent.chain([Ok((folder.clone(), bots))]);
        let page = LivePage {
            file,
            force: self.force,
            folders: folders.collect::<Result<_, _>>()?,
            bests: bests.clone(),
            before: folder.progress()?.0,
            started: Instant::now(),
        };
        page.write(true)?;
        let (games, ended) = mpsc::channel();
        let follow = move || page.follow(&ended);
        let thread = thread::Builder::new().name("page".to_owned()).spawn(follow);
        let thread = thread.context("cannot start a thread").map_err(Failure::Referee)?;
        Ok(Some(Live { games, thread }))
    }
}

impl Live {
    /// A game has ended.
    pub(super) fn game(&self) {
        // If the thread has failed, `finish` says why.
        let _ = self.games.send(());
    }

    /// Writes the last page, which does not renew itself.
    pub(super) fn finish(self) -> Result<(), Failure> {
        drop(self.games);
        self.thread.join().unwrap_or_else(|_| Err(Failure::Referee(anyhow!("the page failed"))))
    }
}

impl LivePage {
    /// Writes the page while games end, and once more after the last one.
    fn follow(&self, ended: &Receiver<()>) -> Result<(), Failure> {
        // Bots take precedence on a crowded machine.
        contain::system::yield_to_others();
        while ended.recv().is_ok() {
            let since = Instant::now();
            self.write(true)?;
            let next = since + INTERVAL.max(since.elapsed() * SHARE);
            while let Some(left) = next.checked_duration_since(Instant::now()) {
                match ended.recv_timeout(left) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return self.write(false),
                }
            }
        }
        self.write(false)
    }

    fn write(&self, is_played: bool) -> Result<(), Failure> {
        let several = self.folders.len() > 1;
        let source = |(folder, bots): &'_ (RunFolder, Vec<String>)| {
            let path = folder.path.display();
            let name = |bot: &str| if several { format!("{bot} ({path})") } else { bot.to_owned() };
            bots.iter().map(|bot| (bot.clone(), name(bot))).collect::<Vec<_>>()
        };
        let names: Vec<_> = self.folders.iter().map(source).collect();
        let sources = self.folders.iter().zip(&names).map(|((folder, _), names)| ShownRun {
            folder,
            bots: names.iter().map(|(bot, name)| (bot.as_str(), name.clone())).collect(),
        });
        let sources: Vec<_> = sources.collect();
        let (run, _) = self.folders.last().expect("the run");
        let (played, planned) = run.progress()?;
        let pace = Pace {
            played,
            before: self.before,
            planned,
            elapsed: self.started.elapsed(),
            every: INTERVAL,
        };
        let around = PageContext { pace: is_played.then_some(pace), ..PageContext::default() };
        let compared = (&self.bests, run.run.plan.measure());
        let RunsPage { html, .. } =
            runs::page(&sources, compared, &around, |_, _| Ok::<_, FolderError>(None))?;
        self.force.write(&self.file, html.as_bytes())
    }
}
