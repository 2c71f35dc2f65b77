//! The other end of a bot's pipes, where that is a program, as the loop sees it.

use std::fmt;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use crate::decide::tuning::TUNING;
use terms::verdict::NoReply;

/// The other end of a bot's pipes.
pub trait Peer: fmt::Debug + Send {
    /// What to poll besides the bot: ready when there may be news.
    fn watched(&self) -> BorrowedFd<'_>;

    /// Passes on the bot's standard output.
    fn hear(&mut self, output: &[u8]);

    /// Passes on the bot's standard error.
    fn hear_stderr(&mut self, output: &[u8]);

    /// Takes note that the bot will write nothing more, by its own choice.
    fn hear_end(&mut self, end: NoReply);

    /// Checks for news, without waiting.
    fn look(&mut self) -> News;

    /// Whether it has other things to do than to wait for the bot, although nothing has happened since this moment.
    fn is_busy(&mut self, since: Instant) -> bool;
}

/// What a peer has done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// Nothing.
    Nothing,
    /// It has written this for the bot, which has not answered yet.
    Input(Vec<u8>),
    /// It has closed the bot's input.
    EndOfInput,
    /// It has closed the bot's input after the bot's output: the reply is over unless the bot itself ends.
    Closing,
    /// The reply is over: it has written again after the bot's output, or will hear no more.
    Over,
}

/// A peer, and when it was checked.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) peer: Box<dyn Peer>,
    /// The time until the next check of it, if it has closed the bot's input.
    closing: Option<Duration>,
    /// When a bot without a limit was last checked for its sake.
    checked: Instant,
}

impl Link {
    pub(crate) fn new(peer: Box<dyn Peer>) -> Self {
        Self { peer, closing: None, checked: Instant::now() }
    }

    /// Starts an exchange.
    pub(crate) fn begin(&mut self) {
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
