//! Faults that reach beyond the bot's own process: resources taken, processes left, signals sent.
//!
//! After a fault that does not stop the bot itself, the bot plays on.

use std::env;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use clap::Subcommand;
use rustix::process::{Signal, getpid, getppid, kill_current_process_group, kill_process};

#[derive(Subcommand, Clone)]
pub(crate) enum Hostile {
    /// Starts this many processes as fast as it can, and plays on
    Fork { processes: usize },
    /// Stops itself with SIGSTOP
    Stop,
    /// Fills this much memory, in MiB, and plays on
    Memory { mebibytes: usize },
    /// Reserves this much memory, in MiB, without touching it, and plays on
    Reserve { mebibytes: usize },
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
    /// Sends a signal to its parent, and plays on
    SignalParent { number: i32 },
    /// Sends a signal to its process group
    SignalGroup { number: i32 },
    /// Runs a shell script, and plays on
    Shell { script: String },
}

impl Hostile {
    pub(crate) fn act(&self) -> io::Result<()> {
        match self {
            Self::Fork { processes } => fork(*processes),
            Self::Stop => Ok(kill_process(getpid(), Signal::STOP)?),
            Self::Memory { mebibytes } => fill(*mebibytes),
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
            Self::SignalParent { number } => {
                signal_parent(*number);
                Ok(())
            }
            Self::SignalGroup { number } => Ok(kill_current_process_group(signal(*number)?)?),
            Self::Shell { script } => shell(script),
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
