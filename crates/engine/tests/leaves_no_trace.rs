//! What playing does to the program's own process is undone when it is over. One test, since it looks at its process.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use contain::bot::{BotCommand, Containment, Host, Pinning};
use contain::cancel::{Cancelled, CaughtSignals};
use engine::build::build;
use engine::config::Config;
use engine::play::{Match, PlayError};
use engine::suite::{RunPlayer, plan};
use results::suite::{Outcome, Plan, PlannedBoard, PlannedBot, Run, RunWriter};
use rustix::process::{Signal, getpid, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity};
use signal_hook::consts::SIGCHLD;
use signal_hook::flag::register;

/// What of a process playing may change.
#[derive(Debug, PartialEq, Eq)]
struct Traces {
    children: String,
    threads: Vec<String>,
    affinity: Vec<usize>,
    /// Blocked, ignored and caught signals.
    signals: Vec<String>,
    descriptors: Vec<String>,
    group: String,
    /// Those in this process's group.
    groups: Vec<String>,
    namespaces: Vec<String>,
    folder: String,
}

fn read(path: &str) -> String {
    fs::read_to_string(path).expect("a file of /proc")
}

/// The files of a folder, as `look` sees them, in order.
fn list(folder: &str, look: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder of /proc");
    let mut all: Vec<_> = entries.filter_map(|entry| look(&entry.ok()?.path())).collect();
    all.sort();
    all
}

fn link(path: &Path) -> Option<String> {
    fs::read_link(path).ok().map(|target| target.display().to_string())
}

fn traces() -> Traces {
    let cores = sched_getaffinity(None).expect("known");
    let own = format!("/proc/{}/fd", getpid());
    let threads = list("/proc/self/task", |task| fs::read_to_string(task.join("comm")).ok());
    let children = list("/proc/self/task", |task| fs::read_to_string(task.join("children")).ok());
    let status = read("/proc/thread-self/status");
    let signals = status.lines().filter(|line| line.starts_with("Sig"));
    Traces {
        children: children.concat(),
        threads,
        affinity: (0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect(),
        signals: signals.filter(|line| !line.starts_with("SigQ")).map(str::to_owned).collect(),
        // The folder that is being read is open too.
        descriptors: list("/proc/self/fd", link).into_iter().filter(|file| *file != own).collect(),
        group: read("/proc/self/cgroup"),
        groups: groups(),
        namespaces: list("/proc/self/ns", link),
        folder: std::env::current_dir().expect("a folder").display().to_string(),
    }
}

/// The control groups of version 2 in this process's own, where that is mounted.
fn groups() -> Vec<String> {
    let groups = read("/proc/self/cgroup");
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let own = Path::new("/sys/fs/cgroup").join(own);
    if !own.join("cgroup.procs").exists() {
        return Vec::new();
    }
    list(&own.to_string_lossy(), |group| group.is_dir().then(|| group.display().to_string()))
}

/// Waits until everything is as it was: a thread that was joined is listed until the kernel has removed it.
#[track_caller]
fn assert_undone(before: &Traces, after: &str) {
    let until = Instant::now() + Duration::from_secs(10);
    while traces() != *before && Instant::now() < until {
        sleep(Duration::from_millis(10));
    }
    assert_eq!(traces(), *before, "{after}");
}

/// It answers each board, which has 15 rows, with the tile at the bottom left.
const BOT: &str = "while read -r row; do i=$((i + 1)); [ $((i % 15)) -eq 0 ] && echo 0 0; done";

fn config(method: Containment) -> Config {
    let patient = "profile = \"unlimited\"".parse().expect("settings");
    let mut config = Config::resolve([patient]).expect("settings");
    config.containment = method;
    config
}

fn command(config: &Config, script: &str) -> BotCommand {
    let confinement = config.confinement(None).expect("allowed");
    // A machine of one core has none for the referee.
    BotCommand {
        pinning: Pinning::plan(1).ok(),
        ..BotCommand::new("sh", ["-c", script], confinement)
    }
}

/// Plays a game to its end, and one that a signal ends.
fn play_games(config: &Config) {
    let caught = CaughtSignals::catch().expect("handlers");
    let again = CaughtSignals::catch().expect_err("once is enough");
    assert_eq!(again.kind(), ErrorKind::ResourceBusy);
    let (_, test_case) = &config.game.bundled[1];
    let game = |script| {
        let command = command(config, script);
        let game = Match::new(&config.game, test_case, &command).rules(config.rules);
        game.canceller(caught.canceller()).play(drop)
    };
    let end = game(BOT).expect("a game");
    assert_eq!(end.official, "Endgame. Obtained a score of 2857.");

    kill_process(getpid(), Signal::USR1).expect("sent");
    let ended = game("exec sleep 1000").expect_err("a signal came");
    let signal = Cancelled::BySignal(Signal::USR1.as_raw());
    assert!(matches!(ended, PlayError::Cancelled { by, .. } if by == signal), "{ended:?}");
}

fn play_run(config: &Config) {
    let folder = tempfile::tempdir().expect("a folder");
    let (name, board) = &config.game.bundled[1];
    let board = PlannedBoard { name: name.clone(), set: None, test_case: board.clone() };
    let plan = plan(config, vec![PlannedBot::new("bottom left", ["sh", "-c", BOT])]);
    let plan = Plan { boards: vec![board], repeat: 3, ..plan };
    let run = RunWriter::create(&folder.path().join("run"), Run::new(plan, None));
    let (mut run, mut games) = (run.expect("a run"), 0);
    let mut player = RunPlayer::new(&mut run, config);
    player.play(&mut |_: &Outcome| games += 1).expect("games");
    assert_eq!(games, 3);
}

#[test]
fn the_process_is_as_it_was_before() {
    let before = traces();
    let ignored = before.signals.iter().find_map(|line| line.strip_prefix("SigIgn:\t"));
    let ignored = u64::from_str_radix(ignored.expect("a mask"), 16).expect("a mask");
    let is_ignored = ignored & (1 << (Signal::CHILD.as_raw() - 1)) != 0;
    assert_eq!(is_ignored, std::env::var_os(IGNORES_CHILDREN).is_some());
    for method in [Containment::Auto, Containment::Plain] {
        let config = config(method);
        assert_undone(&before, "methods were probed");
        play_games(&config);
        play_run(&config);
        assert_undone(&before, &format!("{method:?}"));
    }
    let host = Host::start().expect("a launcher");
    let config = config(Containment::Auto);
    play_games(&config);
    let while_held = traces();
    assert_ne!(while_held.children, before.children, "the launcher waits for more");
    assert_eq!(while_held.signals, before.signals, "a host handles none");
    drop(host);
    assert_undone(&before, "after a host");
    if std::env::var_os(IGNORES_CHILDREN).is_some() {
        build_at_once();
    } else {
        again_ignoring_children();
        build_beside_handlers();
    }
    // The first wait for a build leaves a handler of SIGCHLD, and the pipe that it writes to.
    let built = traces();
    assert_eq!(built.descriptors.len(), before.descriptors.len() + 2);
    play_games(&config);
    assert_undone(&built, "after a build");
}

fn build_at_once() {
    let started = Instant::now();
    build("a bot", "sleep 0.1", Path::new("."), || ()).expect("it is built");
    assert!(started.elapsed() < Duration::from_secs(10), "its exit was missed");
}

/// Handlers of SIGCHLD from before and after the first build are both called, and no exit is missed.
fn build_beside_handlers() {
    let flags = [(), ()].map(|()| Arc::new(AtomicBool::new(false)));
    for count in 1..=flags.len() {
        register(SIGCHLD, Arc::clone(&flags[count - 1])).expect("a handler");
        build_at_once();
        for flag in &flags[..count] {
            assert!(flag.swap(false, Ordering::SeqCst), "{count} handlers");
        }
    }
}

/// In the environment of the second run of this test.
const IGNORES_CHILDREN: &str = "IGNORES_CHILDREN";

/// The same in a process that was started with SIGCHLD ignored, whose children leave no zombies.
fn again_ignoring_children() {
    let itself = std::env::current_exe().expect("this program");
    let run = Command::new("env")
        .arg("--ignore-signal=CHLD")
        .arg(itself)
        .args(["--exact", "the_process_is_as_it_was_before"])
        .env(IGNORES_CHILDREN, "1")
        .output();
    let run = run.expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}
