//! Faults that reach beyond the bot's own process: resources taken, processes left, signals sent.
//!
//! After a fault that does not stop the bot itself, the bot plays on.

use std::env;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use clap::Subcommand;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpid, getppid, getpriority_process, getrlimit,
    kill_current_process_group, kill_process, prlimit, setpriority_process,
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

#[derive(Subcommand, Clone)]
pub(crate) enum Hostile {
    /// Starts this many processes as fast as it can, and plays on
    Fork { processes: usize },
    /// Leaves a process that forks and exits for ever, as fast as it can, and plays on
    Hop,
    /// Leaves this many such processes, and hangs
    Churn { processes: usize },
    /// Leaves processes that have forked twice and are in sessions of their own, and plays on
    Daemons { processes: usize },
    /// Leaves a process that writes to the standard output for ever, and hangs
    LeaveWriter,
    /// Stops itself with SIGSTOP
    Stop,
    /// Fills this much memory, in MiB, and plays on
    Memory { mebibytes: usize },
    /// Reserves this much memory, in MiB, without touching it, and plays on
    Reserve { mebibytes: usize },
    /// Fills this much memory, in MiB, through a descriptor, without mapping it, and plays on
    Memfd { mebibytes: usize },
    /// Starts this many threads, and plays on
    Threads { threads: usize },
    /// Opens files until it may open no more, and hangs
    OpenFiles,
    /// Writes this many MiB to a file that is deleted already, and plays on
    WriteFile { mebibytes: usize },
    /// Computes for ever
    Spin,
    /// Executes another program in its place, which hangs
    Exec,
    /// Closes all its descriptors, and hangs
    CloseAll,
    /// Writes to the terminal, if there is one, and plays on
    Terminal,
    /// Writes to all terminals that it finds, and plays on
    OtherTerminals,
    /// Deletes a file, such as its own program, and plays on
    Delete { file: PathBuf },
    /// Sends a signal to its parent, and plays on
    SignalParent { number: i32 },
    /// Sets its parent's limit on open files to 0, leaves daemons, and plays on
    CrippleParent,
    /// Tells on standard error whether it can change how its parent and that one's parent are limited, scheduled
    /// and traced; and plays on
    Meddle,
    /// Sends a signal to its process group
    SignalGroup { number: i32 },
    /// Tells on standard error whether it can create this file, change one called `victim` next to it,
    /// read one called `private`, and use the network; and plays on
    Pry { file: PathBuf },
}

impl Hostile {
    pub(crate) fn act(&self) -> io::Result<()> {
        match self {
            Self::Fork { processes } => fork(*processes),
            Self::Hop => shell("h() { h & exit; }; h &"),
            Self::Churn { processes } => {
                shell(&format!("h() {{ h & exit; }}; for i in $(seq {processes}); do h & done"))?;
                hang()
            }
            Self::Daemons { processes } => daemons(*processes),
            Self::LeaveWriter => {
                shell("(trap '' TERM; while :; do echo 0 0; sleep 0.01; done) &")?;
                hang()
            }
            Self::Stop => Ok(kill_process(getpid(), Signal::STOP)?),
            Self::Memory { mebibytes } => fill(*mebibytes),
            Self::Memfd { mebibytes } => fill_descriptor(*mebibytes),
            Self::Reserve { mebibytes } => {
                // Leaked, so that it stays until the end.
                Vec::<u8>::with_capacity(mebibytes << 20).leak();
                Ok(())
            }
            Self::Threads { threads } => start_threads(*threads),
            Self::OpenFiles => open_files(),
            Self::WriteFile { mebibytes } => write_file(*mebibytes),
            Self::Spin => spin(),
            Self::Exec => Err(Command::new("sleep").arg("3600").exec()),
            Self::CloseAll => {
                Err(Command::new("sh").args(["-c", "exec 0<&- 1>&- 2>&-; sleep 3600"]).exec())
            }
            Self::Terminal => shell(r"printf '\033]0;owned\007THE BOT WAS HERE\n' 2>&- >/dev/tty"),
            Self::OtherTerminals => {
                shell("for it in /dev/pts/*; do echo THE BOT WAS HERE 2>&- >$it; done")
            }
            Self::Delete { file } => fs::remove_file(file),
            Self::SignalParent { number } => {
                signal_parent(*number);
                Ok(())
            }
            Self::CrippleParent => cripple_parent(),
            Self::Meddle => {
                meddle();
                Ok(())
            }
            Self::SignalGroup { number } => Ok(kill_current_process_group(signal(*number)?)?),
            Self::Pry { file } => {
                pry(file);
                Ok(())
            }
        }
    }
}

pub(crate) fn hang() -> ! {
    loop {
        thread::sleep(Duration::from_hours(1));
    }
}

/// Tells whether the kernel allows it.
fn signal_parent(number: i32) {
    let parent = getppid().unwrap_or_else(getpid);
    let sent = signal(number).and_then(|signal| Ok(kill_process(parent, signal)?));
    eprintln!("signal {number} to the parent: {sent:?}");
}

fn cripple_parent() -> io::Result<()> {
    let parent = getppid().unwrap_or_else(getpid);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    eprintln!("limit of the parent: {:?}", prlimit(Some(parent), Resource::Nofile, none));
    daemons(3)
}

/// Returns once each of them sleeps, and has left this bot's session where it may: an end of the game before that would
/// find them in its process group.
fn daemons(processes: usize) -> io::Result<()> {
    let daemon = "$leave sleep 3600 2>&- >&3 3>&- & echo $!";
    let sleeps = "comm=/proc/$pid/comm; [ ! -e $comm ] || [ \"$(cat $comm 2>&-)\" = sleep ]";
    shell(&format!(
        "setsid true 2>&- && leave=setsid; exec 3>&1
        for i in $(seq {processes}); do pid=$({daemon}); until {sleeps}; do :; done; done"
    ))
}

fn signal(number: i32) -> io::Result<Signal> {
    Signal::from_named_raw(number)
        .ok_or_else(|| io::Error::other(format!("there is no signal {number}")))
}

fn shell(script: &str) -> io::Result<()> {
    Command::new("sh").args(["-c", script]).status().map(drop)
}

fn fork(processes: usize) -> io::Result<()> {
    for _ in 0..processes {
        match Command::new("sleep").arg("3600").spawn() {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    // They are all alive at one time, for long enough to be seen.
    thread::sleep(Duration::from_millis(300));
    Ok(())
}

/// Touches every page, in steps that a watcher can see.
fn fill(mebibytes: usize) -> io::Result<()> {
    let mut held = Vec::new();
    for _ in 0..mebibytes {
        held.push(black_box(vec![1_u8; 1 << 20]));
    }
    io::stderr().write_all(format!("{} MiB filled\n", held.len()).as_bytes())?;
    held.leak();
    Ok(())
}

/// Fills a file without a name, one MiB every few milliseconds so that a watcher can see it grow.
fn fill_descriptor(mebibytes: usize) -> io::Result<()> {
    let file = memfd_create("held", MemfdFlags::empty())?;
    let mut file = File::from(file);
    for _ in 0..mebibytes {
        file.write_all(&vec![1; 1 << 20])?;
    }
    // A watcher that takes a second for a look, because the machine stood still, lets 20 s pass until the next one.
    thread::sleep(Duration::from_secs(25));
    // Held to the end.
    let _ = std::os::fd::IntoRawFd::into_raw_fd(file);
    Ok(())
}

fn start_threads(threads: usize) -> io::Result<()> {
    for _ in 0..threads {
        thread::Builder::new().stack_size(16 * 1024).spawn(|| hang())?;
    }
    thread::sleep(Duration::from_millis(300));
    Ok(())
}

fn open_files() -> io::Result<()> {
    let mut files = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        files.push(file);
    }
    io::stderr().write_all(format!("{} files opened\n", files.len()).as_bytes())?;
    hang()
}

fn write_file(mebibytes: usize) -> io::Result<()> {
    let path = env::temp_dir().join(format!("misbehaving-{}", getpid()));
    let mut file = File::create(&path)?;
    fs::remove_file(path)?;
    let chunk = vec![1; 1 << 20];
    for _ in 0..mebibytes {
        file.write_all(&chunk)?;
    }
    Ok(())
}

fn spin() -> ! {
    loop {
        black_box(Instant::now());
    }
}

/// Tries to change the processes above, and prints the results for the tests.
fn meddle() {
    let keeper = getppid().unwrap_or_else(getpid);
    // In a namespace nothing above the keeper is visible.
    let stat =
        fs::read_to_string(format!("/proc/{}/stat", keeper.as_raw_pid())).unwrap_or_default();
    let above = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
    let referee = above.and_then(Pid::from_raw);
    for (who, pid) in [("keeper", Some(keeper)), ("referee", referee)] {
        let Some(pid) = pid else { continue };
        let same = getrlimit(Resource::Core);
        let memory = format!("/proc/{}/mem", pid.as_raw_pid());
        // Some calls are answered with success, but have no effect.
        let (cores, priority) = (sched_getaffinity(Some(pid)), getpriority_process(Some(pid)));
        let mut one_core = CpuSet::new();
        one_core.set(
            (0..CpuSet::MAX_CPU).find(|&core| cores.is_ok_and(|it| it.is_set(core))).unwrap_or(0),
        );
        let _ = sched_setaffinity(Some(pid), &one_core);
        let _ = setpriority_process(Some(pid), 1);
        let tried = [
            ("limit", prlimit(Some(pid), Resource::Core, same).is_ok()),
            ("affinity", sched_getaffinity(Some(pid)) != cores),
            ("priority", getpriority_process(Some(pid)) != priority),
            ("memory", File::options().write(true).open(memory).is_ok()),
        ];
        for (what, done) in tried {
            eprintln!("{what} of the {who}: {}", if done { "yes" } else { "no" });
        }
    }
}

/// Tries what a sandbox forbids, and prints the results for the tests.
fn pry(file: &PathBuf) {
    use std::net::{TcpListener, UdpSocket};
    use std::os::unix::fs::PermissionsExt as _;
    let here = file.with_file_name("victim");
    let scratch = env::temp_dir().join("mine");
    let mode = fs::Permissions::from_mode(0o777);
    let tried = [
        ("create", File::create(file).map(drop)),
        ("append", File::options().append(true).open(&here).map(drop)),
        ("mode", fs::set_permissions(&here, mode)),
        ("remove", fs::remove_file(&here)),
        ("tcp", TcpListener::bind("127.0.0.1:0").map(drop)),
        ("udp", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("read", File::open(file.with_file_name("private")).map(drop)),
        ("scratch", fs::write(&scratch, "mine").and_then(|()| fs::remove_file(&scratch))),
        ("system", File::open("/etc/passwd").map(drop)),
    ];
    for (what, result) in tried {
        eprintln!("{what}: {}", if result.is_ok() { "yes" } else { "no" });
    }
}
