//! The launcher: a process with one thread that forks all keepers, and ends a bot whose referee stalls.
//!
//! It is a fork of the referee, from before the referee's threads if a [`Host`](crate::spawn::host::Host) is started early. It holds no
//! descriptor of the referee's but its socket, blocks every signal, and ends when the socket closes.

use std::fs;
use std::io::{self, PipeReader, Write as _};
use std::mem;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, pidfd_send_signal, setsid,
    waitid, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::set_name;

use super::deadline::{Deadlines, HeldDeadline, Passed};
use super::keeper;
use super::order::{self, Ends, Order};
use super::plan::Launch;
use super::report::{Message, Step};
use super::users::Users;
use crate::decide::tuning::TUNING;
use crate::sys::proc::state;
use crate::sys::raw;

/// The referee's hold on its launcher.
#[derive(Debug)]
pub(crate) struct Launcher {
    socket: UnixStream,
    pub(super) pid: Pid,
    deadlines: Arc<Deadlines>,
    /// The process that started it: a fork of that process cannot wait for it, and starts its own.
    owner: u32,
}

/// The launcher of this process. A thread that sends an order holds it until all of the order is sent.
static CURRENT: Mutex<Option<Arc<Launcher>>> = Mutex::new(None);

/// Starts the launcher if there is none.
pub(crate) fn start_launcher() -> io::Result<()> {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    Launcher::current(&mut current).map(drop)
}

/// Ends the launcher, which has no bot any more.
pub(crate) fn end_launcher() {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// The launcher's process number, if there is one.
pub(crate) fn launcher_pid() -> Option<Pid> {
    let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    current.as_ref().map(|launcher| launcher.pid)
}

/// Sends an order; starts a launcher if there is none. Returns it, and the bot's deadline.
pub(crate) fn send(launch: &Launch, ends: &Ends) -> io::Result<(Arc<Launcher>, HeldDeadline)> {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let launcher = Launcher::current(&mut current)?;
    let deadline = HeldDeadline::take(Arc::clone(&launcher.deadlines))?;
    order::send(&launcher.socket, launch, deadline.place(), ends)?;
    Ok((launcher, deadline))
}

impl Launcher {
    fn current(current: &mut Option<Arc<Self>>) -> io::Result<Arc<Self>> {
        let usable = current.take_if(|launcher| launcher.has_ended());
        drop(usable);
        match current {
            Some(launcher) => Ok(Arc::clone(launcher)),
            None => Ok(Arc::clone(current.insert(Arc::new(Self::start()?)))),
        }
    }

    fn start() -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let owner = process::id();
        let kept = theirs.as_raw_fd();
        let deadlines = Arc::new(Deadlines::new()?);
        let run = |(order, ends, gate)| keeper::run(order, ends, gate);
        let pid = raw::fork_apart(kept, || serve(theirs, owner, &deadlines).map_or(0, run))?;
        let launcher = Self { socket, pid, deadlines, owner };
        launcher.deadlines.keep_from_forks()?;
        Ok(launcher)
    }

    /// Whether it can start nothing any more. Its socket is closed later: keepers that die with it have copies.
    pub(crate) fn has_ended(&self) -> bool {
        let mut socket = [PollFd::new(&self.socket, PollFlags::empty())];
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.owner != process::id()
            || poll(&mut socket, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
            || !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        if self.owner == process::id() {
            // It ends when the socket closes, unless somebody has stopped it.
            let _ = kill_process(self.pid, Signal::KILL);
            let _ = waitpid(Some(self.pid), WaitOptions::empty());
        }
    }
}

/// A game under way.
struct Game {
    keeper: OwnedFd,
    is_namespace: bool,
    /// Its place among the deadlines.
    place: usize,
    /// When to look again after its deadline has passed.
    next: Option<Instant>,
    /// The referee's thread when its deadline had passed.
    sampled: Option<Sampled>,
    is_told: bool,
}

/// Forks a keeper at each order. Returns in each keeper what that needs, and `None` when the owner has ended.
#[expect(clippy::needless_pass_by_value, reason = "a keeper must not keep it open")]
fn serve(
    socket: UnixStream,
    owner: u32,
    deadlines: &Deadlines,
) -> Option<(Order, Ends, PipeReader)> {
    deadlines.keep_from_forks().ok()?;
    let _ = setsid();
    // The kernel may have no keyrings, or the user no right to one.
    let _ = raw::join_session_keyring();
    let _ = set_name(c"bot-launcher");
    // Descriptors of a bot must not have the numbers of its standard ones.
    let _ = (dup2_stdin(&socket), dup2_stdout(&socket), dup2_stderr(&socket));
    let users = Users::seen();
    let mut games: Vec<Game> = Vec::new();
    let mut tick = Instant::now() + TUNING.launcher.dying_check;
    loop {
        let has_order = wait(&socket, &games);
        games.retain(|game| !game.has_ended());
        let mut is_owner_dying = false;
        if Instant::now() >= tick {
            tick = Instant::now() + TUNING.launcher.dying_check;
            is_owner_dying = !games.is_empty() && is_dying(owner);
        }
        for game in &mut games {
            game.settle(owner, is_owner_dying, deadlines);
        }
        if has_order {
            let (order, ends) = order::receive(&socket)?;
            match start(order, ends, &users) {
                Forked::Keeper(keeper) => return Some(*keeper),
                Forked::Launcher(game) => games.extend(game),
            }
        }
    }
}

/// Waits for an order, whose coming it returns, or until something is due for a game.
fn wait(socket: &UnixStream, games: &[Game]) -> bool {
    let now = Instant::now();
    let due = games.iter().map(|game| {
        game.next.map_or(now + TUNING.launcher.deadline_check, |next| {
            next.min(now + TUNING.launcher.deadline_check)
        })
    });
    let left = due.min().map(|due| due.saturating_duration_since(now));
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    poll(&mut [PollFd::new(socket, PollFlags::IN)], left.as_ref()).is_ok_and(|ready| ready > 0)
}

enum Forked {
    Launcher(Option<Game>),
    /// It begins when the gate yields a byte, and ends if that closes.
    Keeper(Box<(Order, Ends, PipeReader)>),
}

/// Forks a keeper, and tells the referee.
fn start(mut order: Order, ends: Ends, users: &Users) -> Forked {
    let failed = |ends: &Ends, step, error: io::Error| {
        Message::Failed(step, error.raw_os_error().unwrap_or_default()).send(&ends.channel);
    };
    let group = order.launch.cgroup.take();
    let gate = io::pipe();
    let forked = gate.and_then(|gate| {
        let group = group.as_ref().map(|group| group.as_fd());
        Ok((raw::fork(order.launch.namespaces(), group)?, gate))
    });
    let (pid, keeper, mut gate) = match forked {
        Ok((None, (gate, _))) => return Forked::Keeper(Box::new((order, ends, gate))),
        Ok((Some((pid, keeper)), (_, gate))) => (pid, keeper, gate),
        Err(error) => {
            failed(&ends, Step::Clone, error);
            return Forked::Launcher(None);
        }
    };
    let is_namespace = order.launch.method.is_namespace();
    match if is_namespace { users.map(pid) } else { Ok(()) } {
        Ok(()) => {
            Message::Launched(pid.as_raw_pid()).send_with(&ends.channel, keeper.as_fd());
            // Fails only for a keeper that was killed.
            let _ = gate.write(&[1]);
        }
        Err(error) => failed(&ends, Step::Users, error),
    }
    Forked::Launcher(Some(Game {
        keeper,
        is_namespace,
        place: order.place,
        next: None,
        sampled: None,
        is_told: false,
    }))
}

impl Game {
    /// Whether the keeper has ended; reaps it.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        waitid(WaitId::PidFd(self.keeper.as_fd()), options).is_ok_and(|status| status.is_some())
    }

    /// Ends a game whose referee is dying, or has been held up in the kernel since its deadline passed some time ago. A referee
    /// that waits for a core is not held up, and one that was stopped, by Ctrl-Z or in a debugger, goes on with its games.
    fn settle(&mut self, owner: u32, is_owner_dying: bool, deadlines: &Deadlines) {
        if is_owner_dying {
            self.next.get_or_insert_with(Instant::now);
        }
        let passed = deadlines.passed(self.place);
        let is_due = self.next.is_some_and(|next| Instant::now() >= next);
        match passed {
            _ if is_owner_dying || self.is_told => {
                if is_due {
                    self.end();
                }
            }
            None => (self.next, self.sampled) = (None, None),
            Some(passed) if is_due || self.next.is_none() => {
                let sampled = Sampled::new(owner, passed);
                let before = self.sampled.replace(sampled);
                if before.is_some_and(|before| sampled.was_held_up_since(&before))
                    && deadlines.end(self.place, passed)
                {
                    self.end();
                } else {
                    self.next = Some(Instant::now() + TUNING.launcher.respite);
                }
            }
            Some(_) => {}
        }
    }

    /// Ends the bot: in a namespace with its keeper, which a bot may have tampered with; elsewhere only the keeper can
    /// find all processes.
    fn end(&mut self) {
        let is_told = mem::replace(&mut self.is_told, true);
        let signal = if self.is_namespace || is_told { Signal::KILL } else { Signal::TERM };
        // Fails only on a keeper that has ended.
        let _ = pidfd_send_signal(&self.keeper, signal);
        self.next = Some(Instant::now() + TUNING.launcher.clearing);
    }
}

/// A sample of the thread of a referee whose deadline has passed.
#[derive(Debug, Clone, Copy)]
struct Sampled {
    at: Instant,
    passed: Passed,
    state: char,
    /// How long it has run, and how often it was given a core.
    run: Duration,
    turns: u64,
}

impl Sampled {
    fn new(owner: u32, passed: Passed) -> Self {
        let thread = format!("/proc/{owner}/task/{}", passed.thread());
        let times = fs::read_to_string(format!("{thread}/schedstat")).unwrap_or_default();
        // Run time and waits for a core in nanoseconds, then the number of times that it was given one.
        let number = |place| {
            times.split_whitespace().nth(place).and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        let state = state(&format!("{thread}/stat"));
        Self {
            at: Instant::now(),
            passed,
            state,
            run: Duration::from_nanos(number(0)),
            turns: number(2),
        }
    }

    /// Whether the thread has slept in one system call since an earlier sample, or the kernel has worked for it. If it was
    /// ready to run without a core, or ran in the meantime, it will check its deadline by itself.
    fn was_held_up_since(&self, before: &Self) -> bool {
        let is_stopped = |sampled: &Self| matches!(sampled.state, 'T' | 't');
        if self.passed != before.passed || is_stopped(self) || is_stopped(before) {
            return false;
        }
        if self.state == 'R' {
            self.run.saturating_sub(before.run) * 2 > self.at - before.at
        } else {
            self.turns == before.turns
        }
    }
}

/// Whether a process has been killed, though a thread of it may still sleep in the kernel.
fn is_dying(process: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    threads.into_iter().flatten().flatten().any(|thread| {
        let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        let pending = status.lines().find_map(|line| line.strip_prefix("SigPnd:"));
        let pending = pending.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
        pending.is_some_and(|set| set & KILL_BIT != 0)
    })
}

/// SIGKILL in `/proc/PID/status`.
const KILL_BIT: u64 = 1 << (libc::SIGKILL - 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_referee_is_held_up_that_sleeps_in_one_call_or_for_which_the_kernel_works() {
        let start = Instant::now();
        let sampled = |(state, run, turns, deadline): (char, u64, u64, u64), after| Sampled {
            at: start + Duration::from_millis(after),
            passed: Passed(deadline),
            state,
            run: Duration::from_millis(run),
            turns,
        };
        for (before, after, is_held_up) in [
            (('D', 10, 5, 7), ('D', 10, 5, 7), true),
            (('R', 10, 5, 7), ('S', 11, 5, 7), true),
            (('R', 10, 5, 7), ('R', 160, 5, 7), true),
            // It waits for a core, has had one, has another deadline, or is stopped.
            (('R', 10, 5, 7), ('R', 10, 5, 7), false),
            (('D', 10, 5, 7), ('R', 10, 5, 7), false),
            (('S', 10, 5, 7), ('S', 11, 6, 7), false),
            (('D', 10, 5, 7), ('D', 10, 5, 8), false),
            (('T', 10, 5, 7), ('D', 10, 5, 7), false),
            (('D', 10, 5, 7), ('t', 10, 5, 7), false),
        ] {
            let (earlier, later) = (sampled(before, 0), sampled(after, 150));
            assert_eq!(later.was_held_up_since(&earlier), is_held_up, "{before:?} {after:?}");
        }
    }
}
