//! The other end of a bot's pipes, where that is a program, as the loop sees it.

use std::time::{Duration, Instant};

use crate::decide::tuning::TUNING;
use crate::drive::process::BotProcess;
use crate::sys::narrow;
use terms::bounds::PIPE_PART;
use terms::peer::Peer;

/// A peer, and when it was checked.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) peer: Box<dyn Peer>,
    /// What it has written for the bot in this exchange.
    pub(crate) passed: Vec<u8>,
    /// The time until the next check of it, if it has closed the bot's input.
    closing: Option<Duration>,
    /// When a bot without a limit was last checked for its sake.
    checked: Instant,
    /// Whether the bot's pipes are still larger than their part in a connection.
    pub(crate) has_wide_pipes: bool,
}

impl Link {
    pub(crate) fn new(peer: Box<dyn Peer>) -> Self {
        Self {
            peer,
            passed: Vec::new(),
            closing: None,
            checked: Instant::now(),
            has_wide_pipes: true,
        }
    }

    /// Starts an exchange.
    pub(crate) fn begin(&mut self) {
        self.passed.clear();
        self.closing = None;
        self.checked = Instant::now();
    }

    /// Notes that the peer has closed the bot's input: the bot's end is watched for now, since a program that polls for it does
    /// not look as if it waited.
    pub(crate) fn note_closing(&mut self) {
        let at_first = TUNING.peer.closing_at_first;
        self.closing =
            Some(self.closing.map_or(at_first, |pause| TUNING.peer.closing.min(2 * pause)));
    }

    /// When to wake, no later than `wake`, for news that nothing may announce.
    pub(crate) fn wake(&self, wake: Instant) -> Instant {
        self.closing.map_or(wake, |pause| wake.min(Instant::now() + pause))
    }

    /// Whether a bot without a limit is to be checked, which this answers once.
    pub(crate) fn is_check_due(&mut self) -> bool {
        let is_due = self.checked.elapsed() >= TUNING.peer.watch;
        if is_due {
            self.checked = Instant::now();
        }
        is_due
    }
}

impl BotProcess {
    /// Gives the bot's pipes their part of the connection, unless they are fuller than that now.
    pub(crate) fn narrow_pipes(&mut self) {
        let Some(link) = self.link.as_mut().filter(|link| link.has_wide_pipes) else { return };
        let pipes = [self.pipes.stdin.waitable(), self.pipes.stdout.waitable()];
        let mut are_narrow = pipes.into_iter().flatten().map(|pipe| narrow(pipe, PIPE_PART));
        link.has_wide_pipes = !are_narrow.all(|is_narrow| is_narrow);
    }
}
