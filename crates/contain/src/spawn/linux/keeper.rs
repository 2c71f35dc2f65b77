//! The keeper's life: it starts the bot, reports the bot's end, and kills what is left.
//!
//! What it needs later it opens before the bot starts, which might take away its right to open files.

use std::ffi::c_int;
use std::fs::File;
use std::io::{PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, fchdir, geteuid, getpid, kill_process,
    kill_process_group, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal, setsid, wait, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::set_name;

use crate::decide::tuning::TUNING;
use crate::spawn::linux::exec;
use crate::spawn::linux::order::{ChildEnds, Launch, LaunchOrder};
use crate::spawn::linux::report::{Failure, Message, StartStep, at, is_end_announced};
use crate::sys::{self, raw};

/// The keeper's life, which begins when the launcher opens the gate.
pub(crate) fn run(order: LaunchOrder, ends: ChildEnds, gate: PipeReader) -> c_int {
    let LaunchOrder { launch, cores, here } = order;
    // These were the launcher's socket, through which it takes orders.
    let _ = (dup2_stdin(&ends.channel), dup2_stdout(&ends.channel), dup2_stderr(&ends.channel));
    set_cores(&cores);
    let held = match settle(&launch, gate, &here) {
        Ok(Some(held)) => held,
        Ok(None) => return 1,
        Err(failure) => return fail(failure, &ends.channel),
    };
    drop(here);
    play(&launch, ends, held)
}

/// Reports a failed start. Returns the keeper's exit code.
fn fail((step, errno): Failure, channel: &UnixStream) -> c_int {
    Message::Failed(step, errno.raw_os_error()).send(channel);
    1
}

/// Starts the bot, and keeps it until the end of its game.
fn play(launch: &Launch, ends: ChildEnds, mut held: Held) -> c_int {
    let ChildEnds { stdin, stdout, stderr, channel } = ends;
    let started =
        held.close_namespace(launch).and_then(|()| exec::start(launch, [&stdin, &stdout, &stderr]));
    let bot = match started {
        Ok(bot) => bot,
        Err(failure) => return fail(failure, &channel),
    };
    // An end of the bot's pipes left open here would keep EOF from the referee.
    drop((stdin, stdout, stderr));
    Message::Started(bot.as_raw_pid()).send(&channel);
    keep(bot, &channel, &held);
    if !launch.method.is_namespace() {
        clear(bot, &channel, held.children.as_ref());
        Message::Cleared.send(&channel);
    }
    0
}

/// What a keeper holds open.
struct Held {
    /// Readable when a child has ended.
    children_ended: OwnedFd,
    /// The list of children.
    children: Option<File>,
    /// The maximum of the namespace's process numbers.
    numbers: Option<File>,
}

impl Held {
    /// Limits the process numbers of the keeper's own namespace, and leaves nobody the right to undo that, or its mounts.
    fn close_namespace(&mut self, launch: &Launch) -> Result<(), Failure> {
        if !launch.method.is_namespace() {
            return Ok(());
        }
        if let (Some(numbers), Some(processes)) = (self.numbers.take(), launch.processes) {
            exec::limit(&numbers, processes);
        }
        exec::fix().map_err(at(StartStep::Privileges))
    }
}

/// Prepares the keeper's own process. `None` if the launcher has died, or could not map the users.
fn settle(launch: &Launch, mut gate: PipeReader, here: &OwnedFd) -> Result<Option<Held>, Failure> {
    let _ = setsid();
    let _ = set_name(c"bot-keeper");
    fchdir(here).map_err(at(StartStep::Directory))?;
    let mut numbers = None;
    if launch.method.is_namespace() {
        // Otherwise a bot with root's privileges could stop the keeper by tracing, and outlive the referee.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
    // The users are mapped by then, and the referee knows this process.
    if gate.read_exact(&mut [0]).is_err() {
        return Ok(None);
    }
    drop(gate);
    if launch.method.is_namespace() {
        if geteuid().is_root() {
            // Its memory belongs to the namespace outside, where a bot has no right to trace what is not dumpable. The files of
            // another user's keeper would then be closed to the referee, and that user's bot has no such right anyway.
            set_dumpable_behavior(DumpableBehavior::NotDumpable)
                .map_err(at(StartStep::Privileges))?;
        }
        numbers = exec::enter(launch.tree.as_ref()).map_err(at(StartStep::Mounts))?;
    } else {
        let _ = set_child_subreaper(Some(getpid()));
    }
    let children = File::open("/proc/thread-self/children").ok();
    let children_ended = raw::child_notices().map_err(at(StartStep::Pipes))?;
    Ok(Some(Held { children_ended, children, numbers }))
}

/// Takes the cores of the referee's thread, which the bot inherits.
fn set_cores(cores: &[usize]) {
    // If the referee has lost these cores in the meantime, the system decides.
    let _ = sys::move_to_cores(None, cores);
}

/// The number of children to reap before the keeper polls the referee again.
const REAPED_AT_A_TIME: u32 = 1_000;

/// Reaps orphans until the bot has ended after the announced end of the game, or until the referee ends the keeper or dies.
fn keep(bot: Pid, channel: &UnixStream, held: &Held) {
    let (mut has_ended, mut expects_end) = (false, false);
    let mut at_most = None;
    loop {
        let mut fds = [
            // The referee's end closes when it ends the keeper or dies.
            PollFd::new(channel, PollFlags::RDHUP | PollFlags::IN),
            PollFd::new(&held.children_ended, PollFlags::IN),
        ];
        let polled = poll(&mut fds, at_most.as_ref());
        if polled.is_ok() && fds[0].revents().intersects(ENDED) {
            return;
        }
        expects_end |= is_end_announced(channel);
        // Empties it: the children tell the rest.
        let _ = rustix::io::read(&held.children_ended, &mut [0; 128]);
        if has_ended {
            reap_others(bot, held.children.as_ref());
            at_most = None;
            continue;
        }
        at_most = match reap_orphans(bot) {
            Reaped::Bot(exit) => {
                has_ended = true;
                Message::Ended(exit).send(channel);
                if expects_end {
                    return;
                }
                Some(Timespec::default())
            }
            Reaped::Some => Some(Timespec::default()),
            Reaped::All => None,
        };
    }
}

/// What poll reports of a channel that the referee has closed.
const ENDED: PollFlags = PollFlags::RDHUP.union(PollFlags::HUP).union(PollFlags::ERR);

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

/// Reaps orphans once the bot has ended: it is the oldest child, behind which waitid(2) shows no other.
fn reap_others(bot: Pid, children: Option<&File>) {
    for pid in list(children).into_iter().filter(|&pid| pid != bot) {
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Kills the group, then children until none is left. Orphaned grandchildren are reparented to the keeper. Reports the
/// survivors.
fn clear(bot: Pid, channel: &UnixStream, children: Option<&File>) {
    let _ = kill_process_group(bot, Signal::KILL);
    let start = Instant::now();
    let mut pass = 0_u32;
    while start.elapsed() < TUNING.launcher.kill_time {
        for pid in list(children) {
            let _ = kill_process(pid, Signal::KILL);
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
        if pass.is_multiple_of(8) {
            sleep(TUNING.launcher.kill_nap);
        }
    }
    let survivors = list(children).len();
    Message::Survivors(i32::try_from(survivors).unwrap_or(i32::MAX)).send(channel);
}

/// The process numbers of all children, from their list.
fn list(children: Option<&File>) -> Vec<Pid> {
    let Some(file) = children else { return Vec::new() };
    let (mut text, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = file.read_at(&mut chunk, text.len() as u64) {
        text.extend_from_slice(&chunk[..count]);
    }
    let text = String::from_utf8_lossy(&text);
    text.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}
