//! The launcher: a process with one thread that forks all keepers.
//!
//! It is a fork of the referee, from before the referee's threads if a [`Host`](crate::spawn::host::Host) is started early. It holds no
//! descriptor of the referee's but its socket, blocks every signal, and ends when the socket closes.
//!
//! It maps the users of a keeper's namespace: root maps all users that it sees, anybody else only itself.

use std::fs;
use std::io::{self, PipeReader, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::net::UnixStream;
use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getegid, geteuid, kill_process, setsid, wait,
    waitid, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::set_name;

use crate::decide::tuning::TUNING;
use crate::spawn::linux::order::{ChildEnds, Launch, LaunchOrder, NOBODY};
use crate::spawn::linux::report::{Message, StartStep};
use crate::spawn::linux::{keeper, order};
use crate::sys::raw;

/// The referee's hold on its launcher.
#[derive(Debug)]
pub(crate) struct Launcher {
    socket: UnixStream,
    pub(super) pid: Pid,
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

/// Sends an order, and returns the launcher, which is started if there is none.
pub(crate) fn send(launch: &Launch, ends: &ChildEnds) -> io::Result<Arc<Launcher>> {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let launcher = Launcher::current(&mut current)?;
    order::send(&launcher.socket, launch, ends)?;
    Ok(launcher)
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
        let run = |(order, ends, gate)| keeper::run(order, ends, gate);
        let pid = raw::fork_apart(kept, || serve(theirs).map_or(0, run))?;
        Ok(Self { socket, pid, owner })
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

/// Forks a keeper at each order. Returns in each keeper what that needs, and `None` when the owner has ended.
#[expect(clippy::needless_pass_by_value, reason = "a keeper must not keep it open")]
fn serve(socket: UnixStream) -> Option<(LaunchOrder, ChildEnds, PipeReader)> {
    let _ = setsid();
    let _ = set_name(c"bot-launcher");
    // Descriptors of a bot must not have the numbers of its standard ones.
    let _ = (dup2_stdin(&socket), dup2_stdout(&socket), dup2_stderr(&socket));
    let users = Users::seen();
    loop {
        if has_order(&socket) {
            let (order, ends) = order::receive(&socket)?;
            if let Some(keeper) = start(order, ends, &users) {
                return Some(keeper);
            }
        }
    }
}

/// Waits for an order, and reaps keepers that have ended in the meantime. Returns false if none has come for a while.
fn has_order(socket: &UnixStream) -> bool {
    let has_keepers = loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    let reaping = Timespec::try_from(TUNING.launcher.reaping).ok();
    let at_most = reaping.filter(|_| has_keepers);
    poll(&mut [PollFd::new(socket, PollFlags::IN)], at_most.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Forks a keeper, and tells the referee. In the keeper, returns what it needs: it begins when the gate yields a byte, and ends if
/// that closes.
fn start(
    mut order: LaunchOrder,
    ends: ChildEnds,
    users: &Users,
) -> Option<(LaunchOrder, ChildEnds, PipeReader)> {
    let failed = |ends: &ChildEnds, step, error: io::Error| {
        Message::Failed(step, error.raw_os_error().unwrap_or_default()).send(&ends.channel);
    };
    let group = order.launch.cgroup.take();
    let gate = io::pipe();
    let forked = gate.and_then(|gate| {
        let group = group.as_ref().map(|group| group.as_fd());
        Ok((raw::fork(order.launch.namespaces(), group)?, gate))
    });
    let (pid, keeper, mut gate) = match forked {
        Ok((None, (gate, _))) => return Some((order, ends, gate)),
        Ok((Some((pid, keeper)), (_, gate))) => (pid, keeper, gate),
        Err(error) => {
            failed(&ends, StartStep::Clone, error);
            return None;
        }
    };
    let is_namespace = order.launch.method.is_namespace();
    match if is_namespace { users.map(pid) } else { Ok(()) } {
        Ok(()) => {
            Message::Launched(pid.as_raw_pid()).send_with(&ends.channel, keeper.as_fd());
            // Fails only for a keeper that was killed.
            let _ = gate.write(&[1]);
        }
        Err(error) => failed(&ends, StartStep::Users, error),
    }
    None
}

/// The users, and the groups, that this process's own namespace has, each mapped to itself.
pub(crate) struct Users([String; 2]);

impl Users {
    pub(crate) fn seen() -> Self {
        Self(["uid_map", "gid_map"].map(|name| {
            let map = fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
            let identity = |line: &str| {
                let mut numbers = line.split_whitespace();
                let (first, _, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
                Some(format!("{first} {first} {count}\n"))
            };
            map.lines().filter_map(identity).collect()
        }))
    }

    /// Maps users and groups in a process's new user namespace to themselves.
    pub(crate) fn map(&self, pid: Pid) -> io::Result<()> {
        let write = |file: &str, content: &str| {
            fs::write(format!("/proc/{}/{file}", pid.as_raw_pid()), content)
        };
        if maps_everybody() {
            let Self([users, groups]) = self;
            return write("uid_map", users).and_then(|()| write("gid_map", groups));
        }
        write("setgroups", "deny")?;
        let identity = |id: u32| format!("{id} {id} 1\n");
        write("uid_map", &identity(geteuid().as_raw()))?;
        write("gid_map", &identity(getegid().as_raw()))
    }
}

/// Whether root's bot can run as an unprivileged user, who has no number in some namespaces.
pub(crate) fn has_nobody() -> bool {
    static SEEN: OnceLock<Users> = OnceLock::new();
    let maps_nobody = |map: &str| {
        map.lines().any(|line| {
            let mut numbers = line.split_whitespace().map(str::parse::<u32>);
            let mut next = || numbers.next()?.ok();
            let range = next().zip(next()).zip(next());
            range.is_some_and(|((first, _), count)| {
                NOBODY.checked_sub(first).is_some_and(|at| at < count)
            })
        })
    };
    maps_everybody() && SEEN.get_or_init(Users::seen).0.iter().all(|map| maps_nobody(map))
}

/// Root may map all the users that it sees; anybody else only itself.
fn maps_everybody() -> bool {
    geteuid().is_root()
}
