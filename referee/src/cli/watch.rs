//! `--watch`: shows a game in the terminal, saved or while it is being played.

use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use anyhow::{Context as _, anyhow};
use clap::Args;
use log::LevelFilter;
use signal_hook::consts::SIGINT;

use super::signals::signal;
use super::{Failure, interrupt, refuse};
use crate::view::player::{self, Show, Watched};
use contain::cancel::Canceller;
use contain::system::yield_to_others;
use report::view::film::Film;
use results::gamelog::Event;

/// Whether and how to watch.
#[derive(Debug, Args)]
pub(super) struct WatchFlags {
    /// Show the game in the terminal, move by move
    #[arg(long)]
    watch: bool,
}

impl WatchFlags {
    /// Whether to show the game.
    pub(super) fn watches(&self) -> Result<bool, Failure> {
        match player::obstacle() {
            Some(obstacle) if self.watch => {
                refuse(format!("--watch: {obstacle}; --html FILE makes a page instead"))
            }
            _ => Ok(self.watch),
        }
    }
}

/// Shows a saved game until the user quits.
pub(super) fn watch_saved(film: Film) -> Result<(), Failure> {
    let interrupt = interrupt()?;
    let watched = player::watch(Show::Saved(Box::new(film)), &interrupt);
    match watched.context("the terminal failed").map_err(Failure::Referee)? {
        Watched::Quit => Ok(()),
        Watched::Interrupted => {
            let signal = interrupt.cancelled().map_or(SIGINT, signal);
            Err(Failure::Interrupted { signal, kept: String::new() })
        }
    }
}

/// The terminal player of a running game, on its own thread.
pub(super) struct LiveViewer {
    events: Sender<Event>,
    thread: JoinHandle<std::io::Result<()>>,
    level: LevelFilter,
}

impl LiveViewer {
    /// Opens the player. Diagnostics are off while it is open, since they would garble the screen.
    pub(super) fn spawn(interrupt: Canceller) -> Result<Self, Failure> {
        let (events, shown) = mpsc::channel();
        let watching = move || {
            // On a single core the bot takes precedence.
            yield_to_others();
            let watched = player::watch(Show::Live(shown), &interrupt)?;
            if watched == Watched::Interrupted && interrupt.cancelled().is_none() {
                // In raw mode Ctrl-C arrives as a key, and not as a signal.
                interrupt.cancel();
            }
            Ok(())
        };
        let thread = thread::Builder::new().name("player".to_owned()).spawn(watching);
        let thread = thread.context("cannot start the player").map_err(Failure::Referee)?;
        let level = log::max_level();
        log::set_max_level(LevelFilter::Off);
        Ok(Self { events, thread, level })
    }

    /// Shows an event, without waiting.
    pub(super) fn show(&self, event: Event) {
        // If the user has closed the player, the event is dropped.
        let _ = self.events.send(event);
    }

    /// Waits until the user closes the player.
    pub(super) fn join(self) -> Result<(), Failure> {
        drop(self.events);
        let watched = self.thread.join();
        log::set_max_level(self.level);
        match watched {
            Ok(watched) => watched.context("the terminal failed").map_err(Failure::Referee),
            Err(_) => Err(Failure::Referee(anyhow!("the player failed"))),
        }
    }
}
