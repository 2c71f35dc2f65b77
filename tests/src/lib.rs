//! What the integration tests share: folders, runs made by hand, a browser, a terminal, a cluster, and the programs that a test
//! needs.

pub mod browser;
pub mod command_line;
pub mod double;
pub mod grid;
pub mod hog;
pub mod made;
pub mod place;
pub mod prelude;
pub mod programs;
pub mod slurm;
pub mod terminal;
pub mod yardstick;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Once, OnceLock, mpsc};
use std::time::{Duration, Instant, UNIX_EPOCH};

pub use command_line::{Printed, Referee, Run, assert_code, referee, referee_of};
pub use programs::{leave_out, need};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, apply_filter};
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Limits that hold on a machine that is busy with other tests: for games that are not about time.
pub const PATIENT: [&str; 4] = ["--first-turn", "60s", "--turn", "60s"];

/// The fault of leaving a process that forks and exits for ever, as fast as it can.
pub const HOP: &str = "shell 'h() { h & exit; }; h &'";

/// The fault of leaving a process that writes to the standard output for ever, and hanging.
pub const LEAVE_WRITER: &str =
    r#"shell '(trap "" TERM; while :; do echo 0 0; sleep 0.01; done) & exec sleep 3600'"#;

/// The fault of leaving three processes that have forked twice and are in sessions of their own. It plays on once each of them sleeps,
/// and has left the bot's session where it may: an end of the game before that would find them in its process group.
pub const DAEMONS: &str = r#"shell 'setsid true 2>&- && leave=setsid; exec 3>&1; for i in 1 2 3; do
pid=$($leave sleep 3600 2>&- >&3 3>&- & echo $!); comm=/proc/$pid/comm;
until [ ! -e $comm ] || [ "$(cat $comm 2>&-)" = sleep ]; do :; done; done'"#;

/// Far longer than anything takes on a machine that is busy with other tests.
const BOUND: Duration = Duration::from_mins(5);

/// A bound for a machine of today, which `REFEREE_SLOWNESS` in the environment multiplies for one that is emulated.
pub fn bound(today: Duration) -> Duration {
    let slowness = std::env::var("REFEREE_SLOWNESS").ok();
    today * slowness.map_or(1, |times| times.parse().expect("REFEREE_SLOWNESS is a number"))
}

/// Waits until `is_so`.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patience = Instant::now() + BOUND;
    while !is_so() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The number of times that a test is played that the host disturbs each time.
const TRIES: usize = 8;

/// Plays again as long as the host has disturbed what was to be seen, by `is_disturbed`, which looks at the host's part alone: a
/// virtual machine may stall for a second at any moment. The last try counts in any case.
pub fn undisturbed<T>(is_disturbed: impl Fn(&T) -> bool, mut play: impl FnMut() -> T) -> T {
    let tries = (1..TRIES).map(|_| play()).find(|shown| !is_disturbed(shown));
    tries.unwrap_or_else(play)
}

/// The number of late replies in a game that are the bot's fault, and the host's.
#[track_caller]
pub fn overruns(result: &Value) -> (i64, i64) {
    let count = |culprit| result["timing"]["overruns"][culprit].as_i64();
    let count = |culprit| count(culprit).unwrap_or_else(|| panic!("no certificate: {result}"));
    (count("bot"), count("host"))
}

/// Whether the certificates of a game put a late reply on the host.
#[track_caller]
pub fn has_host_part(result: &Value) -> bool {
    overruns(result).1 > 0
}

/// Waits for a child to end, and kills it if it does not.
#[track_caller]
pub fn finished(child: Child) -> Output {
    let pid = Pid::from_child(&child);
    let (send, ended) = mpsc::channel();
    std::thread::spawn(move || send.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(BOUND) else {
        // It has not been waited for, so the number is still its own.
        let _ = kill_process(pid, Signal::KILL);
        panic!("it has not ended within {BOUND:?}");
    };
    output.expect("it can be waited for")
}

/// Restores the default action of `SIGINT` and similar signals. A shell ignores them for background jobs,
/// and a referee that inherits this cannot be interrupted by them.
fn heed_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = fs::read_to_string("/proc/self/status").expect("/proc");
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = u64::from_str_radix(ignored.expect("a mask").trim(), 16).expect("hex");
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            if ignored & (1 << (signal - 1)) != 0 {
                // What is handled here is back to its default in a new program.
                signal_hook::flag::register(signal, Arc::default()).expect("a handler");
            }
        }
    });
}

/// The path of the program under test. Cargo has built it for the test that asks, in the folder above its own.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        // Newer versions of Cargo tell it, and so does the caller that runs the tests on another machine.
        std::env::var("CARGO_BIN_EXE_referee").unwrap_or_else(|_| {
            let test = std::env::current_exe().expect("this program");
            let built = test.ancestors().nth(2).expect("a folder of builds").join("referee");
            built.into_os_string().into_string().expect("UTF-8")
        })
    })
}

/// The user who starts the referee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// The tests' own user.
    Mine,
    /// A user without privileges; the same as `Mine` unless the tests run as root.
    Nobody,
}

/// Makes this user run a command.
pub fn run_as(user: User, command: &mut Command) {
    if user == User::Nobody && rustix::process::getuid().is_root() {
        as_nobody(command);
    }
}

/// Whether this user's bots are in control groups, which the kernel empties under every method.
pub fn has_control_groups(user: User) -> bool {
    let doctor = referee_of(user).arg("doctor").output().expect("runs");
    String::from_utf8_lossy(&doctor.stdout).contains("by the kernel, in a control group")
}

/// Whether the kernel is this Linux or a later one.
pub fn is_linux(version: (u32, u32)) -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(version.0), Some(version.1))
}

/// Whether this method has a sandbox; a namespace always has, and `plain` never.
pub fn has_sandbox(method: &str) -> bool {
    if method == "plain" {
        return false;
    }
    let play = referee().play(["--sandbox", "--containment", method]).patient();
    let refused = method != "namespace" && play.run().err().contains("needs Landlock");
    if refused {
        leave_out("a sandbox outside a namespace", "the kernel's Landlock is too old");
    }
    !refused
}

/// A bot that serves a file system of its own (FUSE), with a device that every user may open. Where `/dev/fuse` itself is for
/// root alone, root makes another node of it, which stays for later tests; anyone else is told what is left out.
pub fn stalling_file_system(what: &str) -> Option<String> {
    const DEVICE: &str = "/dev/fuse";
    let program = include_str!("../data/stalling-file-system.py");
    let is_open = |path: &Path| {
        fs::metadata(path).is_ok_and(|device| device.permissions().mode() & 0o006 == 0o006)
    };
    if is_open(Path::new(DEVICE)) {
        return Some(program.to_owned());
    }
    let node = std::env::temp_dir().join("referee-tests-fuse");
    if !is_open(&node) && fs::exists(DEVICE).is_ok_and(|is_there| is_there) {
        let mode = Mode::from_raw_mode(0o666);
        let done = mknodat(CWD, &node, FileType::CharacterDevice, mode, makedev(10, 229));
        // Another test may have made it; the umask does not matter here.
        let _ = done.map(|()| fs::set_permissions(&node, fs::Permissions::from_mode(0o666)));
    }
    if !is_open(&node) {
        leave_out(what, "not every user may open /dev/fuse here");
        return None;
    }
    Some(program.replace(DEVICE, node.to_str().expect("UTF-8")))
}

/// Makes a user without privileges run a command; only root can.
pub fn as_nobody(command: &mut Command) {
    const NOBODY: u32 = 65534;
    command.uid(NOBODY).gid(NOBODY).current_dir("/");
}

/// A copy of the program that everybody can read. It is kept for the tests of this very build, in place
/// of earlier ones: a copy for each process that runs a test would fill the disk.
fn public_copy() -> PathBuf {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let program = Path::new(program());
        let built = fs::metadata(program).and_then(|file| file.modified()).expect("it was built");
        let built = built.duration_since(UNIX_EPOCH).expect("a clock").as_nanos();
        let mut checkout = DefaultHasher::new();
        program.hash(&mut checkout);
        let name = format!("referee-tests-{:x}-", checkout.finish());
        let copy = std::env::temp_dir().join(format!("{name}{built}"));
        if !copy.exists() {
            let new = tempfile::NamedTempFile::new().expect("a file").into_temp_path();
            // As in `write_program`.
            let mut install = Command::new("install");
            let made = install.args(["--mode", "755"]).args([program, &new]).status();
            assert!(made.expect("starts").success(), "room for a copy");
            for old in fs::read_dir(std::env::temp_dir()).expect("a folder").flatten() {
                if old.file_name().as_encoded_bytes().starts_with(name.as_bytes()) {
                    // Another test may have been faster.
                    let _ = fs::remove_file(old.path());
                }
            }
            new.persist(&copy).expect("the same file system");
        }
        copy
    };
    COPY.get_or_init(make).clone()
}

/// Writes a program that everybody may run.
///
/// Another process does it: a file that this one had open would be open for writing in a child that another test starts at
/// that moment as well, and until that child executes its own program the kernel would execute this one for nobody.
#[track_caller]
pub fn write_program(path: &Path, text: &str) {
    let mut install = Command::new("install");
    let install = install.args(["--mode", "755", "/dev/stdin"]).arg(path).stdin(Stdio::piped());
    let mut install = install.spawn().expect("starts");
    let mut input = install.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("it is read");
    drop(input);
    assert!(install.wait().expect("a child").success(), "{}", path.display());
}

/// A file that comes with the tests.
pub fn data(name: &str) -> PathBuf {
    repository().join("tests/data").join(name)
}

/// The top of the source tree.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// Calls `check` with each of `items`, on as many threads as keep the machine busy with games that
/// mostly wait.
pub fn for_each_in_parallel<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(item);
                }
            });
        }
    });
}

/// The summary of a result, as strings.
pub fn summary(result: &Value) -> Vec<String> {
    let lines = result["summary"].as_array().expect("an array");
    lines.iter().map(|line| line.as_str().expect("a string").to_owned()).collect()
}

/// The folder of measured data that is not part of the project, if this machine has it; otherwise
/// says what is left out.
pub fn shared_data(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("REFEREE_SHARED_DATA").map(PathBuf::from);
    if folder.is_none() {
        leave_out(
            test,
            "REFEREE_SHARED_DATA names no folder with measured data; see CONTRIBUTING.md",
        );
    }
    folder
}

/// Runs git in a folder, whatever the user's own settings are.
#[track_caller]
pub fn git(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=n", "-c", "user.email=e@example.com"]).args(args);
    git.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = git.output().expect("runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

/// Marks the processes of one test, so that it can look for those that outlive it.
#[derive(Debug)]
pub struct Mark(String);

impl Mark {
    /// A mark that no other test has.
    #[expect(clippy::new_without_default, reason = "each one differs")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("REFEREE_TEST_MARK={}-{count}", std::process::id()))
    }

    /// What `--env` takes to mark a bot; its children inherit it.
    pub fn env(&self) -> &str {
        &self.0
    }

    /// The marked processes that are alive.
    pub fn processes(&self) -> BTreeMap<u32, String> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir("/proc").expect("/proc").flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            // A process may end in the meantime; a zombie no longer has an environment.
            let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
            if environ.split(|&byte| byte == 0).any(|var| var == self.0.as_bytes()) {
                let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                found.insert(pid, String::from_utf8_lossy(&command).replace('\0', " "));
            }
        }
        found
    }

    /// Waits until `count` marked processes are alive.
    #[track_caller]
    pub fn wait_for(&self, count: usize) {
        let is_left = self.wait(count, BOUND);
        assert!(is_left.is_none(), "not {count}: {is_left:?}");
    }

    /// The marked processes, if their number still differs from `count` when `patience` has ended.
    fn wait(&self, count: usize, patience: Duration) -> Option<BTreeMap<u32, String>> {
        let patience = Instant::now() + patience;
        loop {
            let found = self.processes();
            if found.len() == count {
                return None;
            }
            if Instant::now() >= patience {
                return Some(found);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Fails if a marked process is left. A killed process may take a moment to disappear, on a machine that is busy
    /// or stalls, but processes that nobody kills here live for at least two minutes.
    #[track_caller]
    pub fn assert_gone(&self) {
        let left = self.wait(0, Duration::from_mins(1));
        assert!(left.is_none(), "left: {left:?}");
    }
}

/// A bundled bot's command line, with arguments quoted.
pub fn bot_line(words: &[impl AsRef<OsStr>]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.as_ref().to_str().expect("UTF-8")).collect();
    shlex::try_join(words).expect("no NUL")
}

/// The keepers of a referee, which are its launcher's children.
pub fn keepers(referee: u32) -> Vec<Pid> {
    let launchers = children(referee).into_iter();
    launchers.flat_map(|launcher| children(launcher.as_raw_pid().cast_unsigned())).collect()
}

/// The children of all threads of a process; none if it has ended.
pub fn children(pid: u32) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let of_thread = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children"));
    let lists = threads.flatten().filter_map(|thread| of_thread(thread).ok());
    let numbers = |list: String| -> Vec<_> {
        list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
    };
    lists.flat_map(numbers).collect()
}

/// Starts a program for which the kernel answers `call`, where the rules match or there are none, with
/// `answer`, and does nothing.
pub fn start_without(
    call: i64,
    rules: Vec<SeccompRule>,
    answer: u32,
    program: impl Into<Command>,
) -> Child {
    let mut program = program.into();
    let processor = std::env::consts::ARCH.try_into().expect("a known processor");
    let calls = [(call, rules)].into_iter().collect();
    let answer = SeccompAction::Errno(answer);
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, answer, processor);
    let filter: BpfProgram = filter.and_then(TryInto::try_into).expect("a short filter");
    // The filter applies to this thread and the processes that it starts.
    let child = std::thread::spawn(move || {
        apply_filter(&filter).expect("the kernel has filters");
        program.start()
    });
    child.join().expect("no panic")
}
