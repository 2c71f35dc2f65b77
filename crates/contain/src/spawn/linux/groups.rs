//! Control groups (version 2), where this process may make them: the kernel itself then enforces a bot's limits
//! on memory and processes, and kills all of the bot at once.
//!
//! Making a group takes the kernel tens of milliseconds, so each is reused for later games.
//! Only the group's counters, and cached pages of files, which the kernel may drop at any time,
//! carry over from one game to the next. A group that is not empty after its game is not
//! reused.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::decide::tuning::TUNING;
use crate::spawn::linux::launcher::launcher_pid;
use crate::spawn::linux::try_cgroup;
use crate::spawn::running::KernelLimits;
use crate::sys::cgroup::{counter, own_group, read};
use terms::limits::{Breach, Resource, Resources};

/// A control group for one bot at a time.
#[derive(Debug)]
pub(crate) struct Cgroup {
    folder: PathBuf,
    /// Open and locked while the referee lives.
    lock: File,
    limits: Resources,
    before: Counters,
}

/// The numbers of the kernel's refusals and kills in a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counters {
    /// Allocations that failed at the group's own memory limit.
    out_of_memory: u64,
    /// OOM kills in this group: at its own limit, at a parent group's, or on the host.
    memory_kills: u64,
    processes: u64,
}

const PREFIX: &str = "referee-bot-";

/// Groups that are not in use.
static FREE: Mutex<Vec<Cgroup>> = Mutex::new(Vec::new());

/// Removes the groups made here, and leaves the parent as it was. The next referee removes a killed one's groups.
pub(crate) fn remove_groups() {
    for group in FREE.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        group.remove();
    }
    let found = HOME.lock().unwrap_or_else(PoisonError::into_inner).take_if(|home| home.is_ok());
    if let Some(Ok(home)) = found {
        leave_as_found(&home);
    }
}

/// The parent of all groups made here, once known; or why there can be none, which has left nothing to undo.
static HOME: Mutex<Option<Result<PathBuf, String>>> = Mutex::new(None);

pub(crate) fn home_of_groups() -> Result<PathBuf, String> {
    let find = || {
        let home = find()?;
        sweep(&home);
        probe(&home).inspect_err(|_| leave_as_found(&home))?;
        Ok(home)
    };
    HOME.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(find).clone()
}

/// Tries to make a group in `home`, and to start a process in it.
fn probe(home: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot make one in {}: {error}", home.display());
    let group = Cgroup::make(home).map_err(failed)?;
    let tried = group.descriptor().and_then(try_cgroup);
    group.remove();
    tried.map_err(|error| format!("no process can start in one: {error}"))
}

/// Removes the groups of referees that were killed.
fn sweep(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && let Ok(group) = Cgroup::lock(entry.path())
        {
            group.remove();
        }
    }
}

impl Cgroup {
    /// A group with these limits; `None` without control groups.
    pub(crate) fn take(limits: &Resources) -> io::Result<Option<Self>> {
        let Ok(home) = home_of_groups() else { return Ok(None) };
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut group = match free {
            Some(group) => group,
            None => Self::make(&home)?,
        };
        if group.limits != *limits {
            group.limit(limits)?;
            group.limits = *limits;
        }
        group.before = group.counters();
        Ok(Some(group))
    }

    fn make(home: &Path) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = home.join(format!("{PREFIX}{}-{count}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = Self::lock(folder)?;
        group.write("memory.swap.max", "0").or_else(ignore_missing)?;
        group.limit(&Resources::default())?;
        Ok(group)
    }

    /// Locks a group that no other referee holds.
    fn lock(folder: PathBuf) -> io::Result<Self> {
        let lock = File::options().read(true).custom_flags(libc::O_DIRECTORY).open(&folder)?;
        lock.try_lock()?;
        let (limits, before) = Default::default();
        Ok(Self { folder, lock, limits, before })
    }

    fn limit(&self, limits: &Resources) -> io::Result<()> {
        let text = |limit: Option<u64>| limit.map_or_else(|| "max".to_owned(), |it| it.to_string());
        self.write("memory.max", &text(limits.memory))?;
        // The keeper counts too.
        self.write("pids.max", &text(limits.processes.map(|limit| limit.saturating_add(1))))
    }

    fn write(&self, file: &str, content: &str) -> io::Result<()> {
        fs::write(self.folder.join(file), content)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap_or_default()
    }

    fn counters(&self) -> Counters {
        let memory = self.read("memory.events");
        Counters {
            out_of_memory: counter(&memory, "oom"),
            memory_kills: counter(&memory, "oom_kill"),
            processes: counter(&self.read("pids.events"), "max"),
        }
    }

    /// The descriptor with which `clone3` starts a process in this group.
    pub(crate) fn descriptor(&self) -> io::Result<OwnedFd> {
        self.lock.try_clone().map(Into::into)
    }

    /// Kills everything in the group, and returns whether it is empty.
    fn empty(&self) -> bool {
        let until = Instant::now() + TUNING.cleanup.group_empties;
        loop {
            if counter(&self.read("cgroup.events"), "populated") == 0 {
                return true;
            }
            let killed = self.write("cgroup.kill", "1");
            if killed.is_err() || Instant::now() >= until {
                return false;
            }
            sleep(Duration::from_micros(200));
        }
    }

    /// Returns the group for the next game, unless something is stuck in it.
    pub(crate) fn keep_for_next(self) {
        if self.empty() {
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
        } else {
            log::warn!("the control group {} does not empty", self.folder.display());
        }
    }

    fn remove(self) {
        self.empty();
        if let Err(error) = fs::remove_dir(&self.folder) {
            log::debug!("the control group {} stays: {error}", self.folder.display());
        }
    }
}

impl KernelLimits for Cgroup {
    fn breach(&self) -> Option<Breach> {
        let now = self.counters();
        let is_out_of_memory = now.memory_kills > self.before.memory_kills
            && now.out_of_memory > self.before.out_of_memory;
        let limit = |resource| self.limits.of(resource);
        // The kernel grants no more memory than the limit; of processes, the bot tried to have one more.
        let memory = limit(Resource::Memory).filter(|_| is_out_of_memory);
        let memory = memory.map(|limit| Breach { resource: Resource::Memory, used: limit, limit });
        let processes = limit(Resource::Processes);
        let processes = processes.filter(|_| now.processes > self.before.processes);
        memory.or(processes.map(|limit| Breach {
            resource: Resource::Processes,
            used: limit.saturating_add(1),
            limit,
        }))
    }

    fn lacked_memory_of_host(&self) -> bool {
        let now = self.counters();
        now.memory_kills > self.before.memory_kills
            && now.out_of_memory == self.before.out_of_memory
    }

    fn clear(&self) -> bool {
        self.empty()
    }

    fn give_back(self: Box<Self>) {
        self.keep_for_next();
    }
}

/// A kernel without swap has no file for its limit.
fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// The group for the referee next to its bots' groups.
const SUPERVISOR: &str = "referee";

/// The group in which groups with limits on memory and processes can be made. The referee leaves it if it must.
fn find() -> Result<PathBuf, String> {
    let own = own_group().ok_or("this process is in no control group of version 2")?;
    let controllers = read(&own, "cgroup.controllers");
    for needed in ["memory", "pids"] {
        if !controllers.split_whitespace().any(|name| name == needed) {
            return Err(format!("the controller `{needed}` is not offered in {}", own.display()));
        }
    }
    if enable(&own).is_ok() {
        return Ok(own);
    }
    // Only the root group may both contain processes and delegate controllers.
    let processes = read(&own, "cgroup.procs");
    let ours: Vec<String> = own_processes().collect();
    if !processes.lines().all(|process| ours.iter().any(|own| own == process)) {
        return Err(format!("{} is not delegated, or holds other processes", own.display()));
    }
    move_into(&own.join(SUPERVISOR)).and_then(|()| enable(&own)).map_err(|error| {
        leave_as_found(&own);
        format!("{} is not delegated: {error}", own.display())
    })?;
    Ok(own)
}

/// Moves the referee back to its original group, if it has left it.
fn leave_as_found(home: &Path) {
    let supervisor = home.join(SUPERVISOR);
    if own_group().is_some_and(|own| own == supervisor) {
        let _ = fs::write(home.join("cgroup.subtree_control"), "-memory -pids");
        let _ = enter(home);
        let _ = fs::remove_dir(supervisor);
    }
}

fn enable(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.subtree_control"), "+memory +pids")
}

fn move_into(group: &Path) -> io::Result<()> {
    fs::create_dir(group).or_else(|error| if group.is_dir() { Ok(()) } else { Err(error) })?;
    enter(group)
}

fn enter(group: &Path) -> io::Result<()> {
    own_processes().try_for_each(|process| fs::write(group.join("cgroup.procs"), process))
}

/// This process, and its launcher.
fn own_processes() -> impl Iterator<Item = String> {
    let launcher = launcher_pid().map(|pid| pid.as_raw_pid().cast_unsigned());
    [std::process::id()].into_iter().chain(launcher).map(|pid| pid.to_string())
}
