//! The relay: the program that a tester starts in place of the bot.
//!
//! It is this program under another name. It hands its standard streams to the referee, which passes the bot's bytes
//! through them, waits until the referee says how the bot has ended, and ends in the same way.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use signal_hook::consts::SIGKILL;
use signal_hook::low_level::emulate_default_handler;

use terms::verdict::BotExit;

/// The name under which a tester starts it, and with another ending the name of the referee's socket beside it.
pub(super) const NAME: &str = "referee-bot";
pub(super) const SOCKET: &str = "referee-bot.socket";

/// Whether this program's `main` makes relays.
static MAKES_RELAYS: AtomicBool = AtomicBool::new(false);

/// Lets testers start this program as the relay between them and a bot: to be called first in `main`. In a process that
/// was started as a relay it does not return.
pub fn become_relay_if_asked() {
    MAKES_RELAYS.store(true, Ordering::Relaxed);
    let Some(program) = std::env::args_os().next().map(PathBuf::from) else { return };
    if program.file_name().is_some_and(|name| name == NAME) {
        let exit = relay(&program.with_file_name(SOCKET)).unwrap_or(BotExit::Unknown);
        end_like(exit);
    }
}

/// The program to start as a relay.
pub(super) fn program() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?;
    MAKES_RELAYS.load(Ordering::Relaxed).then_some(path)
}

/// Hands over the standard streams, and waits for the end of the bot.
fn relay(socket: &Path) -> io::Result<BotExit> {
    let socket = UnixStream::connect(socket)?;
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let streams = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    rights.push(SendAncillaryMessage::ScmRights(&streams));
    sendmsg(&socket, &[IoSlice::new(b"r")], &mut rights, SendFlags::NOSIGNAL)?;
    let nothing = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    let mut status = [0; 2];
    // A plain read, by which the referee knows that this process waits.
    if rustix::io::read(&socket, &mut status)? < status.len() {
        return Ok(BotExit::Unknown);
    }
    Ok(match status {
        [b'e', code] => BotExit::Code(code.into()),
        [_, signal] => BotExit::Signal(signal.into()),
    })
}

/// The message that says how the bot has ended.
pub(super) fn status(exit: BotExit) -> [u8; 2] {
    let byte = |number: i32| u8::try_from(number & 0xff).unwrap_or_default();
    match exit {
        BotExit::Code(code) => [b'e', byte(code)],
        BotExit::Signal(signal) => [b's', byte(signal)],
        BotExit::Unknown => [b's', byte(SIGKILL)],
    }
}

/// Receives the three standard streams of a relay; `None` if it has not sent them.
pub(super) fn streams(socket: &UnixStream) -> io::Result<Option<[OwnedFd; 3]>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut rights, RecvFlags::CMSG_CLOEXEC)?;
    let files = rights.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files.collect::<Vec<_>>()),
        _ => None,
    });
    Ok(files.flatten().collect::<Vec<_>>().try_into().ok())
}

/// Ends this process as the bot has ended.
fn end_like(exit: BotExit) -> ! {
    if let BotExit::Code(code) = exit {
        std::process::exit(code);
    }
    let signal = if let BotExit::Signal(signal) = exit { signal } else { SIGKILL };
    // Returns only if the signal ends no process.
    let _ = emulate_default_handler(signal);
    std::process::exit(1)
}
