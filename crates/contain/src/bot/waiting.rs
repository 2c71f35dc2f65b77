//! Finds out whether a bot that has not answered is a little late, or is itself waiting for input.
//!
//! A bot that has answered waits for input as well, so its output is read last. If the kernel does not say, or not to this user, assume no; only the diagnosis uses it.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use super::BotProcess;
use super::clock::Overtime;
use super::exchange::Request;
use super::pipes::{Captured, name};
use super::usage::{Sample, numbers_in, read, state};
use terms::lines::Progress;

/// How much longer an answer is awaited, so that one that is a little late is known.
const LAST_LOOK: Duration = Duration::from_millis(10);

/// What a bot did whose time was up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLook {
    /// It has answered after all, no later than this.
    Answered(Instant),
    /// It waits for more input.
    AwaitsInput,
    Silent,
}

impl BotProcess {
    /// Looks once more at a bot without an answer, of which `after` was sampled. An answer beyond a fixed overtime
    /// is none.
    pub(super) fn look_once_more(
        &mut self,
        request: &Request<'_>,
        after: &Sample,
        stderr: &mut Captured,
    ) -> io::Result<LastLook> {
        let until = Instant::now() + LAST_LOOK;
        let is_open = matches!(request.overtime, Overtime::WhileStarved(_));
        while is_open && !self.has_answered(request) && self.hears_more(until, stderr)? {}
        let awaits_input = self.stdin.unread()? == 0 && self.awaits_input(&after.pids());
        self.read_stdout()?;
        Ok(match (self.has_answered(request), awaits_input) {
            (true, _) if is_open => LastLook::Answered(Instant::now()),
            (false, true) => LastLook::AwaitsInput,
            _ => LastLook::Silent,
        })
    }

    fn has_answered(&mut self, request: &Request<'_>) -> bool {
        matches!(self.lines.progress(&request.rules), Progress::Complete(_))
    }

    /// Polls once, and reads what has arrived. Returns whether more may come before `until`.
    fn hears_more(&mut self, until: Instant, stderr: &mut Captured) -> io::Result<bool> {
        let ready = self.wait(Some(until))?;
        if ready.stdout {
            self.read_stdout()?;
        }
        if ready.stderr {
            self.read_some_stderr(stderr)?;
        }
        if ready.stdin {
            self.stdin.flush()?;
        }
        Ok(!ready.ended && !ready.interrupted && Instant::now() < until)
    }

    fn awaits_input(&self, processes: &[i32]) -> bool {
        let pipes = self.stdin.fd().zip(self.stdout.fd());
        pipes.is_some_and(|(input, output)| awaits_input(processes, input, output))
    }
}

/// Whether a process is blocked reading the empty pipe whose other end is `input`, while
/// no thread could run.
///
/// A process between the referee and the bot, such as the `cat` of `cat | ./bot`, reads for ever.
/// So the reader must be able to write to the bot's `output`, or else every process must be
/// waiting without a time limit.
fn awaits_input(processes: &[i32], input: impl AsFd, output: impl AsFd) -> bool {
    let (Some(input), Some(output)) = (name(input), name(output)) else { return false };
    let reader = |pid: i32| Process { pid, files: open_files(pid) };
    let processes: Vec<Process> = processes.iter().map(|&pid| reader(pid)).collect();
    let mut readers = processes.iter().filter(|process| process.reads(&input)).peekable();
    readers.peek().is_some()
        && !processes.iter().any(Process::is_runnable)
        && (readers.any(|process| process.holds(&output))
            || processes.iter().all(Process::waits_for_ever))
}

/// As [`awaits_input`], or no process can do anything before another one does.
pub(super) fn wait_for_each_other(
    processes: &[i32],
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
) -> bool {
    if awaits_input(processes, input, output) {
        return true;
    }
    let process = |&pid: &i32| Process { pid, files: Vec::new() };
    !processes.is_empty()
        && processes
            .iter()
            .map(process)
            .all(|process| !process.is_runnable() && process.waits_for_ever())
}

fn link(path: &str) -> Option<String> {
    fs::read_link(path).ok()?.into_os_string().into_string().ok()
}

/// The open files of a process, by number.
fn open_files(pid: i32) -> Vec<(i32, String)> {
    let folder = format!("/proc/{pid}/fd");
    let named = |fd| Some((fd, link(&format!("{folder}/{fd}"))?));
    numbers_in(&folder).into_iter().filter_map(named).collect()
}

struct Process {
    pid: i32,
    files: Vec<(i32, String)>,
}

impl Process {
    fn holds(&self, pipe: &str) -> bool {
        self.files.iter().any(|(_, name)| name == pipe)
    }

    fn reads(&self, input: &str) -> bool {
        let is_input = |fd: i32| self.files.iter().any(|(held, name)| *held == fd && name == input);
        self.calls().any(|call| match call {
            Call::Read(fd) => is_input(fd),
            Call::EpollWait(epoll) => self.watched_by(epoll).into_iter().any(is_input),
            Call::Other => false,
        })
    }

    /// Whether each thread waits for another, for a child or for input.
    fn waits_for_ever(&self) -> bool {
        self.threads().all(|thread| {
            read(&format!("{thread}/syscall")).and_then(|text| Call::parse(&text)).is_some()
        })
    }

    fn is_runnable(&self) -> bool {
        self.threads().any(|thread| state(&format!("{thread}/stat")) == 'R')
    }

    fn calls(&self) -> impl Iterator<Item = Call> {
        self.threads().filter_map(|thread| Call::parse(&read(&format!("{thread}/syscall"))?))
    }

    fn threads(&self) -> impl Iterator<Item = String> {
        let folder = format!("/proc/{}/task", self.pid);
        numbers_in(&folder).into_iter().map(move |thread| format!("{folder}/{thread}"))
    }

    /// The descriptors that an epoll watches: runtimes such as Node's wait this way.
    fn watched_by(&self, epoll: i32) -> Vec<i32> {
        let text = read(&format!("/proc/{}/fdinfo/{epoll}", self.pid)).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.strip_prefix("tfd:"));
        lines.filter_map(|rest| rest.split_whitespace().next()?.parse().ok()).collect()
    }
}

/// A system call without a time limit in which a thread is blocked.
#[derive(Debug, PartialEq, Eq)]
enum Call {
    Read(i32),
    /// An endless epoll: a bot that also waits for a timer may have other plans.
    EpollWait(i32),
    /// A wait for a thread or a child.
    Other,
}

const OTHERS: [libc::c_long; 3] = [libc::SYS_futex, libc::SYS_wait4, libc::SYS_waitid];

#[cfg(target_arch = "x86_64")]
const EPOLL_WAITS: [libc::c_long; 2] = [libc::SYS_epoll_wait, libc::SYS_epoll_pwait];
#[cfg(not(target_arch = "x86_64"))]
const EPOLL_WAITS: [libc::c_long; 1] = [libc::SYS_epoll_pwait];

impl Call {
    /// Parses /proc/PID/task/TID/syscall: the call's number, and its arguments in hexadecimal.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let number: libc::c_long = words.next()?.parse().ok()?;
        if OTHERS.contains(&number) {
            return Some(Self::Other);
        }
        let mut argument = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
        let fd = i32::try_from(argument()?).ok()?;
        if number == libc::SYS_read || number == libc::SYS_readv {
            return Some(Self::Read(fd));
        }
        let (_events, _room, timeout) = (argument()?, argument()?, argument()?);
        // An `int`, of which only the lower half is certain.
        let is_endless = timeout & u64::from(u32::MAX) == u64::from(u32::MAX);
        (EPOLL_WAITS.contains(&number) && is_endless).then_some(Self::EpollWait(fd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_wait_for_input_are_known() {
        let (read, epoll) = (libc::SYS_read, libc::SYS_epoll_pwait);
        for (text, expected) in [
            (
                format!("{read} 0x0 0x557c816cd770 0x2000 0x0 0x0 0x0 0x7f 0x7f"),
                Some(Call::Read(0)),
            ),
            (
                format!("{epoll} 0xe 0x7fffa7343a80 0x400 0xffffffff 0x0 0x8 0x7f 0x7f"),
                Some(Call::EpollWait(14)),
            ),
            (
                format!("{epoll} 0xe 0x7fffa7343a80 0x400 0xffffffffffffffff 0x0"),
                Some(Call::EpollWait(14)),
            ),
            (format!("{epoll} 0xe 0x7fffa7343a80 0x400 0x64 0x0 0x8 0x7f 0x7f"), None),
            (
                format!("{} 0xffffffff 0x7ff 0x0 0x0 0x0 0x0 0x7f 0x7f", libc::SYS_wait4),
                Some(Call::Other),
            ),
            ("running".to_owned(), None),
            (String::new(), None),
            ("-1 0x7ffc 0x7f".to_owned(), None),
        ] {
            assert_eq!(Call::parse(&text), expected, "{text}");
        }
    }
}
