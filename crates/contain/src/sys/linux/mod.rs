//! Alarms, notices of an end, starts, cores, folders and this machine, as Linux has them.
#![expect(unsafe_code, reason = "a function to be linked, and errno")]

pub(crate) mod cgroup;
pub(crate) mod proc;
pub(crate) mod raw;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_int};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, chmod, openat, renameat};
use rustix::io::Errno;
use rustix::path::Arg;
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group,
    pidfd_open, prlimit, setpriority_process, waitid,
};
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};

use crate::sys::{Waitable, is_ready_within, limit_and_spawn};

pub(crate) use self::cgroup::{kills_are_of_group, memory_kills};
pub use self::cgroup::{memory_limit_of_host, process_limit_of_host, refused_processes};

pub use self::proc::online_cores;
pub(crate) use self::proc::{is_ending, lives};
pub(crate) use self::raw::separate_heaps;

/// What becomes ready to be read once it is rung, and stays so. Ringing it takes no lock and no memory, so that a signal handler
/// may do it.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// To be waited for.
    pub(crate) watched: Arc<File>,
}

impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        let watched = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { watched: Arc::new(File::from(watched)) })
    }

    pub(crate) fn ring(&self) {
        // Fails only if the counter is full, and then it is readable too.
        let _ = rustix::io::write(&self.watched, &1_u64.to_ne_bytes());
    }
}

/// Learns of the end of a child, which stays a zombie.
#[derive(Debug)]
pub(crate) struct EndNotice(OwnedFd);

impl EndNotice {
    /// The notice of a child that has not been reaped.
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        match pidfd_open(child, PidfdFlags::empty()) {
            // A filter around the referee may not know this call.
            Err(Errno::NOSYS | Errno::PERM) => Self::by_thread(child),
            pidfd => Ok(Self(pidfd?)),
        }
    }

    /// The reading end of a pipe, whose other end a thread closes once the child has ended.
    fn by_thread(child: Pid) -> io::Result<Self> {
        let (ended, end) = io::pipe()?;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(child), options), Err(Errno::INTR)) {}
            drop(end);
        };
        thread::Builder::new().name("end-of-bot".to_owned()).spawn(wait)?;
        Ok(Self(ended.into()))
    }

    /// What is readable once the child has ended.
    pub(crate) fn waitable(&self) -> Waitable<'_> {
        self.0.as_fd()
    }

    /// Whether the child ends within `limit`.
    pub(crate) fn comes_within(&mut self, limit: Duration) -> bool {
        is_ready_within(self.waitable(), limit)
    }
}

/// With this function, the standard library need not copy the referee's page tables for a child that has another working
/// directory. It takes it only from what is linked, and a static program links only what it names.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[used]
static LINKED: unsafe extern "C" fn(
    *mut libc::posix_spawn_file_actions_t,
    *const libc::c_char,
) -> c_int = libc::posix_spawn_file_actions_addchdir_np;

/// Spawns a child with these limits.
pub(crate) fn spawn_limited(
    command: &mut Command,
    limits: Vec<(Resource, Rlimit)>,
) -> io::Result<Child> {
    // A stack gets its room when the program begins. Other limits can wait until then: a child that does nothing before its
    // program needs no copy of the referee's page tables.
    if limits.iter().any(|(resource, _)| *resource == Resource::Stack) {
        return limit_and_spawn(command, limits);
    }
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    let limited = limits
        .iter()
        .try_for_each(|(resource, limit)| prlimit(Some(pid), *resource, *limit).map(drop));
    if let Err(error) = limited {
        let _ = kill_process_group(pid, Signal::KILL);
        let _ = child.wait();
        return Err(error.into());
    }
    Ok(child)
}

/// Has the calling thread use these cores alone.
///
/// # Errors
/// When the system refuses it, or has no such call.
pub fn move_thread_to(cores: &[usize]) -> io::Result<()> {
    Ok(move_to_cores(None, cores)?)
}

/// Has the calling thread run only where no other one wants a core, where the system can do that for one thread.
pub fn yield_to_others() {
    // A refusal is harmless.
    let _ = setpriority_process(Some(gettid()), 19);
}

/// The memory of this machine, in bytes.
pub fn memory() -> Option<u64> {
    let machine = rustix::system::sysinfo();
    Some((machine.totalram as u64).saturating_mul(machine.mem_unit.into()))
}

/// A core that this process has taken: an address that only one process can have, and that the kernel frees when it ends; no file
/// is left behind.
#[derive(Debug)]
pub struct CoreClaim {
    _address: UnixListener,
}

impl CoreClaim {
    /// Takes a core; `None` if another process has it.
    pub fn take(core: usize) -> Option<Self> {
        let address = SocketAddr::from_abstract_name(format!("referee-core-{core}")).ok()?;
        Some(Self { _address: UnixListener::bind_addr(&address).ok()? })
    }
}

/// Has a pipe hold no more than this number of bytes; returns whether it does. What is not a pipe is as large as it is.
pub(crate) fn narrow(pipe: Waitable<'_>, size: usize) -> bool {
    !matches!(fcntl_setpipe_size(pipe, size), Err(Errno::BUSY))
}

/// Where the calling thread's errno is.
pub(super) fn errno() -> *mut c_int {
    // SAFETY: it is a place of the thread's own.
    unsafe { libc::__errno_location() }
}

/// The set of these cores.
pub(crate) fn core_set(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core);
    }
    set
}

/// The cores that the calling thread may use.
pub(crate) fn usable_cores() -> rustix::io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The cores that the calling thread may use, in an order that puts the second threads of physical cores last.
pub(crate) fn usable_cores_apart() -> io::Result<Vec<usize>> {
    Ok(apart(usable_cores()?, place_of_core))
}

/// Cores in an order that puts the second ones in each place last, then the third ones.
fn apart<P: Ord>(cores: Vec<usize>, place: impl Fn(usize) -> P) -> Vec<usize> {
    let mut seen = BTreeMap::new();
    let rank = |core| {
        let before = seen.entry(place(core)).or_insert(0);
        *before += 1;
        (*before, core)
    };
    let mut ranked: Vec<(usize, usize)> = cores.into_iter().map(rank).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, core)| core).collect()
}

/// The number of physical cores that the calling thread may use.
pub(crate) fn physical_cores() -> io::Result<usize> {
    Ok(usable_cores()?.into_iter().map(place_of_core).collect::<BTreeSet<_>>().len())
}

/// Which core of which package a logical processor is on; itself where the kernel does not tell.
fn place_of_core(core: usize) -> (String, String) {
    let read = |file: &str| {
        fs::read_to_string(format!("/sys/devices/system/cpu/cpu{core}/topology/{file}"))
    };
    match (read("physical_package_id"), read("core_id")) {
        (Ok(package), Ok(core)) => (package.trim().to_owned(), core.trim().to_owned()),
        _ => (String::new(), core.to_string()),
    }
}

/// Moves a thread, or the calling one, to these cores.
pub(crate) fn move_to_cores(thread: Option<Pid>, cores: &[usize]) -> rustix::io::Result<()> {
    sched_setaffinity(thread, &core_set(cores))
}

/// A thread on the cores of a bot, which get them from it; dropping the last one of a thread gives it back those that it had
/// before the first.
///
/// Thread and bot take turns, and a core switches between processes faster than a second core wakes up.
#[derive(Debug)]
pub(crate) struct BesideBot {
    thread: Pid,
}

/// The number of bots of each thread that is next to any, and the cores that it had before.
static BEFORE: Mutex<BTreeMap<i32, (usize, CpuSet)>> = Mutex::new(BTreeMap::new());

impl BesideBot {
    /// Moves this thread to the bot's cores.
    pub(crate) fn join(own: &[usize]) -> io::Result<Self> {
        let (thread, before) = (gettid(), sched_getaffinity(None)?);
        move_to_cores(None, own)?;
        let mut all = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(thread.as_raw_pid()).or_insert((0, before)).0 += 1;
        Ok(Self { thread })
    }
}

impl Drop for BesideBot {
    fn drop(&mut self) {
        let thread = self.thread.as_raw_pid();
        let mut all = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((bots, before)) = all.get_mut(&thread) else { return };
        *bots -= 1;
        if *bots > 0 {
            return;
        }
        let before = *before;
        all.remove(&thread);
        // The number of a thread that has ended may be anybody's.
        if Path::new("/proc/self/task").join(thread.to_string()).exists() {
            let _ = sched_setaffinity(Some(self.thread), &before);
        }
    }
}

/// A folder, but not a link to one; its permissions do not matter.
const PLACE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

/// Moves all folders below a folder to its top, and gives their owner all rights to them, so that it can be removed whatever was put
/// there: folders that nobody may read, or nested deeper than the number of descriptors, or a stack, allows.
///
/// Processes that put it there may still live, and put a link in the place of a folder at any moment. So everything is named
/// relative to an open folder, and no link is followed.
pub(crate) fn flatten(path: &Path) -> io::Result<()> {
    let top = open(CWD, path)?;
    let mut folders = folders_in(&top)?;
    let mut moved = 0_u64;
    while let Some(name) = folders.pop() {
        let folder = open(&top, &*name)?;
        for inner in folders_in(&folder)? {
            // Moving a folder to another one takes the right to write to it.
            open(&folder, &*inner)?;
            folders.push(hoist(&folder, &inner, &top, &mut moved)?);
        }
    }
    Ok(())
}

/// The names of the folders in a folder.
fn folders_in(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type() == FileType::Directory && name != c"." && name != c".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Moves a folder to the top; returns its new name.
fn hoist(from: &OwnedFd, name: &CStr, top: &OwnedFd, moved: &mut u64) -> io::Result<CString> {
    loop {
        *moved += 1;
        let place = CString::new(format!("moved-{moved}"))?;
        match renameat(from, name, top, &*place) {
            // The name is taken.
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            renamed => return Ok(renamed.map(|()| place)?),
        }
    }
}

/// Gives the owner all rights to a folder, and opens it for reading.
fn open(around: impl AsFd, path: impl Arg) -> io::Result<OwnedFd> {
    let place = openat(around, path, PLACE | OFlags::CLOEXEC, Mode::empty())?;
    // fchmod(2) refuses such a descriptor; this name is the very same folder.
    // A file system that refuses it may grant these rights already.
    let _ = chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU);
    Ok(openat(&place, c".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::Stdio;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::scope;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_thread_notices_an_end_as_a_pidfd_does_and_leaves_the_child_a_zombie() {
        for notice in [EndNotice::of, EndNotice::by_thread] {
            let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("it runs");
            let mut end = notice(Pid::from_child(&child)).expect("a notice");
            assert!(!end.comes_within(Duration::from_millis(20)));
            drop(child.stdin.take());
            assert!(end.comes_within(Duration::from_mins(1)));
            assert!(child.wait().expect("a zombie").success());
        }
    }

    #[test]
    fn second_threads_of_physical_cores_come_last() {
        assert_eq!(apart((0..6).collect(), |core| core / 2), [0, 2, 4, 1, 3, 5]);
        assert_eq!(apart(vec![1, 2, 5], |core| core % 4), [1, 2, 5]);
    }

    /// The cores that this thread may use.
    fn mine() -> Vec<usize> {
        usable_cores().expect("known")
    }

    #[test]
    fn a_thread_is_on_the_bots_cores_until_the_bot_is_dropped() {
        let all = mine();
        let own = [all[0]];
        let beside = BesideBot::join(&own).expect("allowed");
        assert_eq!(mine(), [all[0]]);
        drop(beside);
        assert_eq!(mine(), all);
        let both = [(); 2].map(|()| BesideBot::join(&own).expect("allowed"));
        let [first, second] = both;
        drop(first);
        assert_eq!(mine(), [all[0]], "the second bot plays on");
        drop(second);
        assert_eq!(mine(), all);
        let beside = thread::spawn(move || BesideBot::join(&own).expect("allowed"));
        drop(beside.join().expect("ends"));
        assert_eq!(mine(), all, "that thread has ended");
    }

    /// Puts a link in the place of a folder, again and again.
    fn keep_swapping(folder: &Path, target: &Path, is_over: &AtomicBool) {
        let (inner, aside) = (folder.join("folder"), folder.join("aside"));
        while !is_over.load(Ordering::Relaxed) {
            let _ = fs::create_dir_all(inner.join("deep"));
            let _ = fs::rename(&inner, &aside);
            let _ = symlink(target, &inner);
            let _ = fs::remove_file(&inner);
            let _ = fs::rename(&aside, &inner);
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_leads_nowhere() {
        let all = tempfile::tempdir().expect("a folder");
        let (scratch, precious) = (all.path().join("scratch"), all.path().join("precious"));
        let keep = precious.join("deep/file");
        fs::create_dir_all(&scratch).expect("room");
        fs::create_dir_all(precious.join("deep")).expect("room");
        fs::write(&keep, "").expect("room");
        fs::set_permissions(&precious, fs::Permissions::from_mode(0o755)).expect("its owner");
        let is_over = AtomicBool::new(false);
        scope(|scope| {
            scope.spawn(|| keep_swapping(&scratch, &precious, &is_over));
            let until = Instant::now() + Duration::from_secs(1);
            while Instant::now() < until {
                // It may be filled again at any moment.
                let _ = flatten(&scratch).and_then(|()| fs::remove_dir_all(&scratch));
                let _ = fs::create_dir(&scratch);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let mode = fs::metadata(&precious).expect("it is there").permissions().mode();
        assert!(keep.exists() && mode & 0o777 == 0o755, "{mode:o}");
    }

    #[test]
    fn folders_that_nobody_may_enter_come_to_the_top() {
        let top = tempfile::tempdir().expect("a folder");
        let inner = top.path().join("moved-1/b");
        fs::create_dir_all(&inner).expect("room");
        fs::write(inner.join("file"), "x").expect("room");
        symlink("/", inner.join("link")).expect("room");
        for folder in [&inner, &top.path().join("moved-1"), top.path()] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o0)).expect("its owner");
        }
        flatten(top.path()).expect("its owner");
        for folder in ["", "moved-1", "moved-2"] {
            let data = fs::metadata(top.path().join(folder)).expect("it is there");
            assert_eq!(data.permissions().mode() & 0o777, 0o700, "{folder}");
        }
        assert!(top.path().join("moved-2/file").exists());
    }

    #[test]
    fn folders_nested_deeper_than_the_usual_number_of_descriptors_come_to_the_top() {
        let top = tempfile::tempdir().expect("a folder");
        let [inner, outer] = ["inner", "outer"].map(|name| top.path().join(name));
        fs::create_dir(&inner).expect("room");
        for _ in 0..1_500 {
            fs::create_dir(&outer).expect("room");
            fs::rename(&inner, outer.join("inner")).expect("its owner");
            fs::rename(&outer, &inner).expect("its owner");
        }
        flatten(top.path()).expect("its owner");
        assert_eq!(fs::read_dir(top.path()).expect("a folder").count(), 1_501);
    }
}
