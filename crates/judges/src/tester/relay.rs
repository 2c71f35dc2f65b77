//! The relay: the program that a tester starts instead of the bot (`relay/main.rs` of this crate).
//!
//! It hands its standard input and output to the referee, which passes the bot's bytes through them, waits until the referee
//! says how the bot has ended, and ends in the same way. It writes nothing to its standard error, and keeps it open until then.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::Signal;

use terms::verdict::BotExit;

/// Its name, and the suffix that makes the name of the referee's socket next to it.
pub(super) const NAME: &str = "referee-bot";
pub(super) const SOCKET: &str = "referee-bot.socket";

/// The program, as `build.rs` has built it.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/relay"));

/// Makes a program of it.
pub(super) fn write(path: &Path) -> io::Result<()> {
    if PROGRAM.is_empty() {
        let why = "there is no relay for this processor, only for x86-64, AArch64 and RISC-V";
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    }
    make(path).map_err(|error| {
        io::Error::new(error.kind(), format!("{error}; TMPDIR can name another folder"))
    })
}

fn make(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o700).open(path)?;
    // Whatever is not to be given to new files. A file system may refuse this.
    let _ = file.set_permissions(Permissions::from_mode(0o700));
    file.write_all(PROGRAM)
}

/// The message that says how the bot has ended.
pub(super) fn status(exit: BotExit) -> [u8; 2] {
    let byte = |number: i32| u8::try_from(number & 0xff).unwrap_or_default();
    match exit {
        BotExit::Code(code) => [b'e', byte(code)],
        BotExit::Signal(signal) => [b's', byte(signal)],
        BotExit::Unknown => [b's', byte(Signal::KILL.as_raw())],
    }
}

/// Receives the standard input and output of a relay; `None` if it has not sent them.
pub(super) fn streams(socket: &UnixStream) -> io::Result<Option<[OwnedFd; 2]>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut rights, RecvFlags::CMSG_CLOEXEC)?;
    let files = rights.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files.collect::<Vec<_>>()),
        _ => None,
    });
    Ok(files.flatten().collect::<Vec<_>>().try_into().ok())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::net::UnixListener;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// Starts the relay, with an argument that it ignores.
    fn started(program: &Path) -> Child {
        let patience = Instant::now() + Duration::from_secs(20);
        let mut command = Command::new(program);
        command.arg("x").stdin(Stdio::piped()).stdout(Stdio::piped());
        loop {
            match command.spawn() {
                // Another test has just forked, and its child has not closed the file yet.
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                    assert!(Instant::now() < patience, "{error}");
                }
                child => return child.expect("starts"),
            }
        }
    }

    #[test]
    fn a_relay_whose_tester_has_closed_a_stream_has_none_there() {
        for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
            let folder = tempfile::tempdir().expect("a folder");
            let program = folder.path().join(NAME);
            write(&program).expect("written");
            let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("bound");
            // It is written no more when the shell has started.
            let script = format!("until \"$0\" {closed}; do [ $? = 126 ] || exit; done");
            let shell = Command::new("sh").args(["-c", &script]).arg(&program).spawn();
            let mut shell = shell.expect("there is a shell");
            let (socket, _) = listener.accept().expect("it comes");
            streams(&socket).expect("received").expect("both streams");
            rustix::io::write(&socket, &status(BotExit::Code(0))).expect("told");
            assert!(shell.wait().expect("ends").success(), "{closed}");
        }
    }

    /// How the relay ends after a talk, when it is told this.
    fn ended_after(told: &[u8]) -> ExitStatus {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join(NAME);
        write(&program).expect("written");
        let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("bound");
        let mut relay = started(&program);
        let (socket, _) = listener.accept().expect("it comes");
        let [stdin, stdout] = streams(&socket).expect("received").expect("both streams");
        let mut to_bot = relay.stdin.take().expect("piped");
        to_bot.write_all(b"question\n").expect("written");
        let mut heard = [0; 9];
        rustix::io::read(&stdin, &mut heard).expect("read");
        rustix::io::write(&stdout, b"answer\n").expect("written");
        drop((stdin, stdout));
        let mut from_bot = BufReader::new(relay.stdout.take().expect("piped"));
        let mut line = String::new();
        from_bot.read_line(&mut line).expect("read");
        assert_eq!((&heard, line.as_str()), (b"question\n", "answer\n"));
        line.clear();
        // The relay itself holds no stream open.
        assert_eq!(from_bot.read_line(&mut line).expect("the end"), 0);
        rustix::io::write(&socket, told).expect("told");
        drop(socket);
        relay.wait().expect("ends")
    }

    #[test]
    fn a_relay_hands_over_its_streams_and_ends_as_it_is_told() {
        for code in [0, 7, 255] {
            assert_eq!(ended_after(&status(BotExit::Code(code))).code(), Some(code));
        }
        for signal in [6, 9, 11, 13, 15, 31] {
            assert_eq!(ended_after(&status(BotExit::Signal(signal))).signal(), Some(signal));
        }
        let killed = Some(Signal::KILL.as_raw());
        assert_eq!(ended_after(&status(BotExit::Unknown)).signal(), killed);
        assert_eq!(ended_after(b"").signal(), killed, "the referee has died");
        let ignored = Signal::CHILD.as_raw();
        assert_eq!(ended_after(&status(BotExit::Signal(ignored))).code(), Some(1), "it ends none");
    }

    #[test]
    fn a_relay_without_a_referee_is_killed() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = folder.path().join("x".repeat(90));
        fs_err::create_dir(&long).expect("made");
        for folder in [folder.path(), &long] {
            let program = folder.join(NAME);
            write(&program).expect("written");
            let ended = started(&program).wait().expect("ends");
            assert_eq!(ended.signal(), Some(Signal::KILL.as_raw()));
        }
    }
}
