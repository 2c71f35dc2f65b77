//! Starts a bot beneath a keeper.
//!
//! # Theory of operation
//!
//! The *launcher* is a fork of the referee with one thread, from before the first bot. It forks all keepers, at
//! [orders](order) that come through a socket, and ends when that closes. Because no other thread can have left
//! anything locked, its forks are as free as any process; because it is small, they are quick. A keeper begins once the
//! launcher has mapped the users of its namespace, and has told the referee of it.
//!
//! A *keeper* stands between the referee and one bot. It never executes another program. It starts the bot, adopts
//! the processes that the bot orphans, and does not end before they do. A socket, the *channel*, joins it to the
//! referee:
//!
//! * Through it come the [messages](report) that the bot has started or why not, how the bot has ended, and which
//!   processes could not be killed. The ended bot stays a zombie, so that its usage can still be read.
//! * It is the referee's hold on the keeper's life. When the referee shuts it down, or dies, the keeper kills the
//!   bot's processes and ends. A byte in it announces the end of the game: then the keeper does so as soon as the bot
//!   ends.
//!
//! In a namespace the keeper is the init of a pid namespace, whose death makes the kernel kill all the others;
//! there the referee kills it with SIGKILL, and so does the kernel when the launcher dies. It is also the leader of a
//! session without a terminal, so a bot has no terminal to write to.
//!
//! What the host grants is tried by the start of a bot without a program.
//!
//! A [watchdog](watchdog) ends a bot whose referee is held up. All `unsafe` code is in [`sys`](crate::sys).

mod command;
mod exec;
mod groups;
mod handle;
mod keeper;
mod launcher;
mod mounts;
mod offers;
mod order;
mod report;
mod watchdog;

pub use self::offers::check_proc;
pub(crate) use self::{
    groups::{home_of_groups, remove_groups},
    launcher::{end_launcher, start_launcher},
};

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;

use crate::confine::ContainmentMethod;
use crate::spawn::linux::handle::{Keeper, MountNamespace, fork};
use crate::spawn::linux::order::Launch;
use crate::spawn::linux::report::{LaunchError, Step};
use crate::spawn::running::ChildPipes;

/// Starts a bot. When this returns, its program has been executed.
fn launch(launch: &Launch) -> Result<(Keeper, ChildPipes), LaunchError> {
    let (mut keeper, pipes) = begin(launch)?;
    rustix::io::ioctl_fionbio(&keeper.channel, true).map_err(|error| Step::Pipes.failed(error))?;
    if launch.method.is_namespace() && launch.tree.is_none() {
        keeper.mounts = Some(MountNamespace::open(keeper.pid));
    }
    Ok((keeper, pipes))
}

/// Has a new keeper start a bot.
fn begin(launch: &Launch) -> Result<(Keeper, ChildPipes), LaunchError> {
    // A launcher that was killed has left nothing, and the next one is as good.
    let started = match fork(launch)? {
        None => fork(launch)?,
        started => started,
    };
    let (mut keeper, pipes) = started.ok_or_else(|| Step::Clone.failed(Errno::CONNRESET))?;
    keeper.await_start()?;
    Ok((keeper, pipes))
}

/// Tries everything of a start without a program: only executing that fails.
fn try_out(launch: &Launch) -> Result<(), LaunchError> {
    match begin(launch) {
        Err(LaunchError { step: Step::Exec, .. }) => Ok(()),
        tried => tried.map(drop),
    }
}

/// Tries whether a keeper can start in this control group.
fn try_cgroup(cgroup: OwnedFd) -> io::Result<()> {
    let trial = Launch::new(CString::default(), ContainmentMethod::Seccomp);
    try_out(&Launch { cgroup: Some(cgroup), ..trial }).map_err(|failure| failure.error)
}
