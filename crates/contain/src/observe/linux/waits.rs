//! Finds out whether a program waits for input.
//!
//! A program that has answered waits for input as well, so its output is read last. If the kernel does not report it, or not to
//! this user, the answer is no; only the diagnosis uses it.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use crate::sys::proc::{numbers_until, pipe_name, read, state};

/// Whether a process is blocked reading the empty pipe whose other end is `input`, while
/// no thread could run; no if that is not certain by `until`.
///
/// A process between the referee and the bot, such as the `cat` of `cat | ./bot`, reads for ever.
/// So the reader must be able to write to the bot's `output`, or else every process must be
/// waiting without a time limit.
pub(crate) fn awaits_input(
    processes: &[i32],
    input: impl AsFd,
    output: impl AsFd,
    until: Instant,
) -> bool {
    let (Some(input), Some(output)) = (pipe_name(input), pipe_name(output)) else { return false };
    let processes: Vec<WaitingProcess> =
        processes.iter().map(|&pid| WaitingProcess { pid, until }).collect();
    let readers: Vec<&WaitingProcess> = processes.iter().filter(|it| it.reads(&input)).collect();
    !readers.is_empty()
        && !processes.iter().any(WaitingProcess::is_runnable)
        && (readers.iter().any(|process| process.holds(&output))
            || processes.iter().all(WaitingProcess::waits_for_ever))
        && Instant::now() < until
}

/// As [`awaits_input`], or no process can do anything before another one does, which is found out sooner.
pub(crate) fn wait_for_each_other(
    processes: &[i32],
    input: BorrowedFd<'_>,
    output: BorrowedFd<'_>,
    until: Instant,
) -> bool {
    let waits = |&pid: &i32| WaitingProcess { pid, until }.waits_for_ever();
    let all_wait = !processes.is_empty() && processes.iter().all(waits) && Instant::now() < until;
    all_wait || awaits_input(processes, input, output, until)
}

/// Whether a process is blocked writing to the full pipe whose other end is `output`, while no thread could run, or no
/// process can do anything before another one does.
pub(crate) fn is_blocked_writing(processes: &[i32], output: impl AsFd, until: Instant) -> bool {
    let pipe = pipe_name(output);
    let processes: Vec<WaitingProcess> =
        processes.iter().map(|&pid| WaitingProcess { pid, until }).collect();
    let writes = |process: &WaitingProcess| pipe.as_ref().is_some_and(|pipe| process.writes(pipe));
    let is_blocked =
        processes.iter().any(writes) && !processes.iter().any(WaitingProcess::is_runnable);
    let all_wait = !processes.is_empty() && processes.iter().all(WaitingProcess::waits_for_ever);
    (is_blocked || all_wait) && Instant::now() < until
}

/// A process, whose files in /proc are read no later than `until`: others may share thousands of descriptors with it.
struct WaitingProcess {
    pid: i32,
    until: Instant,
}

impl WaitingProcess {
    /// Whether this descriptor is that pipe.
    fn is_pipe(&self, fd: i32, pipe: &str) -> bool {
        let file = fs::read_link(format!("/proc/{}/fd/{fd}", self.pid));
        file.is_ok_and(|name| name.as_os_str() == pipe)
    }

    fn holds(&self, pipe: &str) -> bool {
        numbers_until(&format!("/proc/{}/fd", self.pid), self.until)
            .any(|fd| self.is_pipe(fd, pipe))
    }

    fn reads(&self, input: &str) -> bool {
        let is_input = |fd: i32| self.is_pipe(fd, input);
        self.calls().any(|call| match call {
            Call::Read(fd) => is_input(fd),
            Call::EpollWait(epoll) => self.watched_by(epoll).into_iter().any(is_input),
            Call::Write(_) | Call::Other => false,
        })
    }

    fn writes(&self, output: &str) -> bool {
        self.calls().any(|call| matches!(call, Call::Write(fd) if self.is_pipe(fd, output)))
    }

    /// Whether each thread waits for another, for a child or for input. One that could run is in no call.
    fn waits_for_ever(&self) -> bool {
        self.threads().all(|thread| {
            let call = read(&format!("{thread}/syscall")).and_then(|text| Call::parse(&text));
            call.is_some_and(|call| !matches!(call, Call::Write(_)))
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
        numbers_until(&folder, self.until).map(move |thread| format!("{folder}/{thread}"))
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
    /// To a full pipe.
    Write(i32),
    /// An endless epoll: a bot that also waits for a timer may have other plans.
    EpollWait(i32),
    /// A wait for a thread or a child, or an endless poll, whose descriptors are not shown.
    Other,
}

const OTHERS: [libc::c_long; 3] = [libc::SYS_futex, libc::SYS_wait4, libc::SYS_waitid];

#[cfg(target_arch = "x86_64")]
const EPOLL_WAITS: [libc::c_long; 2] = [libc::SYS_epoll_wait, libc::SYS_epoll_pwait];
#[cfg(not(target_arch = "x86_64"))]
const EPOLL_WAITS: [libc::c_long; 1] = [libc::SYS_epoll_pwait];

/// How a poll is told its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timeout {
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "newer processors have no poll")
    )]
    Number,
    /// The address of a time, which is null without a limit.
    Address,
}

/// The calls that poll descriptors, and which of their arguments is the time limit.
#[cfg(target_arch = "x86_64")]
const POLLS: [(libc::c_long, usize, Timeout); 4] = [
    (libc::SYS_poll, 2, Timeout::Number),
    (libc::SYS_ppoll, 2, Timeout::Address),
    (libc::SYS_select, 4, Timeout::Address),
    (libc::SYS_pselect6, 4, Timeout::Address),
];
#[cfg(not(target_arch = "x86_64"))]
const POLLS: [(libc::c_long, usize, Timeout); 2] =
    [(libc::SYS_ppoll, 2, Timeout::Address), (libc::SYS_pselect6, 4, Timeout::Address)];

impl Call {
    /// Parses /proc/PID/task/TID/syscall: the call's number, and its arguments in hexadecimal.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let number: libc::c_long = words.next()?.parse().ok()?;
        if OTHERS.contains(&number) {
            return Some(Self::Other);
        }
        let number_of = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        let arguments: Vec<u64> = words.map_while(number_of).collect();
        // An `int`, of which only the lower half is certain.
        let is_endless = |timeout: u64| timeout & u64::from(u32::MAX) == u64::from(u32::MAX);
        if let Some(&(_, at, form)) = POLLS.iter().find(|(poll, ..)| *poll == number) {
            let timeout = *arguments.get(at)?;
            let has_none = if form == Timeout::Number { is_endless(timeout) } else { timeout == 0 };
            return has_none.then_some(Self::Other);
        }
        let fd = i32::try_from(*arguments.first()?).ok()?;
        if number == libc::SYS_read || number == libc::SYS_readv {
            return Some(Self::Read(fd));
        }
        if number == libc::SYS_write || number == libc::SYS_writev {
            return Some(Self::Write(fd));
        }
        let is_endless = is_endless(*arguments.get(3)?);
        (EPOLL_WAITS.contains(&number) && is_endless).then_some(Self::EpollWait(fd))
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::Duration;

    use super::*;

    #[test]
    fn nothing_is_read_of_a_process_once_the_time_is_up() {
        let (_reader, writer) = io::pipe().expect("a pipe");
        let pipe = pipe_name(&writer).expect("its name");
        let pid = rustix::process::getpid().as_raw_pid();
        let look = |until| {
            let me = WaitingProcess { pid, until };
            (me.holds(&pipe), me.threads().next().is_some())
        };
        assert_eq!(look(Instant::now() + Duration::from_mins(1)), (true, true));
        assert_eq!(look(Instant::now()), (false, false));
    }

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
            (
                format!("{} 0x1 0x7ffc 0x1000 0x0 0x0 0x0 0x7f 0x7f", libc::SYS_write),
                Some(Call::Write(1)),
            ),
            (
                format!("{} 0x7ffc12345678 0x2 0x0 0x0 0x8 0x0 0x7f 0x7f", libc::SYS_ppoll),
                Some(Call::Other),
            ),
            (format!("{} 0x7ffc12345678 0x2 0x7ffc 0x0 0x8 0x0 0x7f 0x7f", libc::SYS_ppoll), None),
            ("running".to_owned(), None),
            (String::new(), None),
            ("-1 0x7ffc 0x7f".to_owned(), None),
        ] {
            assert_eq!(Call::parse(&text), expected, "{text}");
        }
    }
}
