//! The keeper's life: it starts the bot, reports the bot's end, and kills what is left.
//!
//! It runs after a fork of a process that may have threads, so nothing here may allocate, lock or panic.

use std::ffi::c_int;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    set_parent_process_death_signal, setsid, wait, waitpid,
};
use rustix::thread::{nanosleep, set_name};

use super::report::{Message, Step};
use super::{ForkPlan, bot, mounts, raw};
use crate::bot::method::ContainmentMethod;

/// Tries a namespace: only the steps that can fail.
pub(super) fn trial(plan: &ForkPlan<'_>) -> c_int {
    if settle(plan).is_some() {
        Message::Started(0).send(plan.report);
    }
    0
}

/// The keeper's life.
pub(super) fn keeper(plan: &ForkPlan<'_>) -> c_int {
    let Some(held) = settle(plan) else { return 1 };
    let Some(bot) = bot::start(plan) else { return 1 };
    // An end of the bot's pipes left open here would keep EOF from the referee.
    held.close_others(plan);
    Message::Started(bot.as_raw_pid()).send(plan.report);
    keep(bot, plan, &held);
    if !plan.method.is_namespace() {
        clear(bot, plan, held.children.as_ref().map(AsFd::as_fd));
    }
    0
}

/// The descriptors that a keeper opens before it starts the bot, which might later take away its right to
/// open files.
struct Held {
    /// Readable when a child has ended.
    signals: OwnedFd,
    /// The list of children, unless the kernel itself kills them.
    children: Option<OwnedFd>,
}

impl Held {
    fn open(method: ContainmentMethod) -> Option<Self> {
        let path = c"/proc/thread-self/children";
        let list = || open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok();
        let children = if method.is_namespace() { None } else { list() };
        Some(Self { signals: raw::child_signals().ok()?, children })
    }

    fn close_others(&self, plan: &ForkPlan<'_>) {
        let [control, report] = [plan.control, plan.report].map(|fd| fd.as_raw_fd());
        let signals = self.signals.as_raw_fd();
        let children = self.children.as_ref().map_or(signals, AsRawFd::as_raw_fd);
        let mut kept = [control, report, signals, children];
        kept.sort_unstable();
        raw::close_all_but(&kept);
    }
}

/// Prepares the keeper's own process. `None` after a failure, which is reported, or if the referee has died.
fn settle(plan: &ForkPlan<'_>) -> Option<Held> {
    // Done first, so that no other bot's pipe stays open here.
    raw::close_all_but(&plan.kept);
    raw::reset_signals();
    let _ = setsid();
    let _ = set_name(c"bot-keeper");
    if plan.method.is_namespace() {
        // Otherwise a bot with root's privileges could stop the keeper by tracing, and outlive the referee.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        // The referee sends a byte once it has mapped the users.
        if !matches!(rustix::io::read(plan.control, &mut [0]), Ok(1)) {
            return None;
        }
        plan.check(Step::Mounts, mounts::enter(plan.tree))?;
    } else {
        let _ = set_child_subreaper(Some(getpid()));
    }
    Held::open(plan.method)
}

/// The number of children to reap before the keeper polls the referee again.
const REAPED_AT_A_TIME: u32 = 1_000;

/// Reaps orphans until the bot has ended after the announced end of the game, or until the referee ends the
/// keeper or dies.
fn keep(bot: Pid, plan: &ForkPlan<'_>, held: &Held) {
    let mut has_ended = false;
    let mut at_most = None;
    loop {
        let mut fds = [
            // The referee's end closes when it ends the keeper or dies. A byte in the pipe can wait.
            PollFd::from_borrowed_fd(plan.control, PollFlags::empty()),
            PollFd::new(&held.signals, PollFlags::IN),
        ];
        let polled = poll(&mut fds[..if has_ended { 1 } else { 2 }], at_most.as_ref());
        if polled.is_ok() && !fds[0].revents().is_empty() {
            return;
        }
        if has_ended {
            continue;
        }
        // One read covers all signals of a kind.
        let _ = rustix::io::read(&held.signals, &mut [0_u8; 128]);
        match reap_orphans(bot) {
            Reaped::Bot(exit) => {
                has_ended = true;
                at_most = None;
                Message::Ended(exit).send(plan.report);
                if rustix::io::ioctl_fionread(plan.control).is_ok_and(|bytes| bytes > 0) {
                    return;
                }
            }
            Reaped::Some => at_most = Some(Timespec::default()),
            Reaped::All => at_most = None,
        }
    }
}

enum Reaped {
    /// The bot has ended, and remains a zombie.
    Bot(terms::verdict::BotExit),
    /// Some orphans; there may be more.
    Some,
    /// All; none is left for now.
    All,
}

/// Reaps processes that have ended, except the bot: while it is a zombie, the number of its group
/// is not reused.
fn reap_orphans(bot: Pid) -> Reaped {
    for _ in 0..REAPED_AT_A_TIME {
        match raw::ended_child() {
            Some((pid, exit)) if pid == bot => return Reaped::Bot(exit),
            Some((pid, _)) => {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            None => return Reaped::All,
        }
    }
    Reaped::Some
}

/// How long the keeper kills before it gives up.
const KILL_TIME: Duration = Duration::from_secs(3);

/// How long the keeper waits for the killed process group to end.
const GROUP_KILL_TIME: Duration = Duration::from_millis(200);

/// The sleep between attempts, which lets others run.
const NAP: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000 };

/// Kills the group; under all methods but `group`, then kills children until none is left. Orphaned
/// grandchildren are reparented to the keeper. Reports the survivors.
fn clear(bot: Pid, plan: &ForkPlan<'_>, children: Option<BorrowedFd<'_>>) {
    let _ = kill_process_group(bot, Signal::KILL);
    let kills_all = plan.method != ContainmentMethod::Group;
    let start = Instant::now();
    let limit = if kills_all { KILL_TIME } else { GROUP_KILL_TIME };
    let mut pass = 0_u32;
    while start.elapsed() < limit {
        if kills_all {
            each_child(children, |pid| {
                let _ = kill_process(pid, Signal::KILL);
            });
        }
        for _ in 0..REAPED_AT_A_TIME {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        // Frequent passes catch a process that keeps forking and exiting.
        pass = pass.wrapping_add(1);
        if pass.is_multiple_of(8) || !kills_all {
            let _ = nanosleep(&NAP);
        }
    }
    report_survivors(plan, children);
}

/// The most survivors to report by process number.
const NAMED: i32 = 8;

fn report_survivors(plan: &ForkPlan<'_>, children: Option<BorrowedFd<'_>>) {
    let mut count = 0;
    each_child(children, |pid| {
        count += 1;
        if count <= NAMED {
            Message::Survivor(pid.as_raw_pid()).send(plan.report);
        }
    });
    if count > NAMED {
        Message::MoreSurvivors(count - NAMED).send(plan.report);
    }
}

/// Calls `act` with the process number of each child.
fn each_child(list: Option<BorrowedFd<'_>>, mut act: impl FnMut(Pid)) {
    let Some(list) = list else { return };
    let mut buffer = [0_u8; 4096];
    let (mut offset, mut number) = (0, 0_i32);
    while let Ok(count @ 1..) = rustix::io::pread(list, &mut buffer, offset) {
        offset += count as u64;
        // Every number is followed by a space.
        for &byte in buffer.iter().take(count) {
            if byte.is_ascii_digit() {
                number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
            } else if let Some(pid) = Pid::from_raw(std::mem::take(&mut number)) {
                act(pid);
            }
        }
    }
}
