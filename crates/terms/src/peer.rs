//! The other end of a bot's pipes, where that is another program.

use std::fmt;
use std::fs::File;
use std::time::Instant;

use crate::verdict::NoReply;

/// The other end of a bot's pipes.
pub trait Peer: fmt::Debug + Send {
    /// What to poll besides the bot: ready to be read when there may be news.
    fn watched(&self) -> &File;

    /// How many bytes of the bot's standard output it takes now. The rest stays in the bot's pipe.
    fn room(&self) -> usize;

    /// Passes on the bot's standard output: more than there is [room](Self::room) for once the bot has exited.
    fn on_output(&mut self, output: &[u8]);

    /// Takes note that the bot will write nothing more, by its own choice.
    fn on_end(&mut self, end: NoReply);

    /// Checks for news, without waiting. Unless the bot `takes_input`, what was written for it stays where it is.
    fn poll(&mut self, takes_input: bool) -> News;

    /// Whether it has other things to do than to wait for the bot, although nothing has happened since this moment.
    fn is_busy(&mut self, since: Instant) -> bool;
}

/// What a peer has done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// The peer has sent nothing.
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
