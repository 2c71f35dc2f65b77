//! Plays many games with random faults in one process, two at a time, and looks for leaks of
//! descriptors, processes, threads, memory, folders.
//!
//! ```console
//! $ cargo build --release && cargo run --release --example soak -- 10000
//! ```
//!
//! Exits with 1 if anything but memory is left at the end, or if memory has grown by more than a few
//! MiB since the first tenth.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use referee::bot::{BotCommand, Confinement, Containment, Host, Sandbox, await_removals};
use referee::config::Config;
use referee::limits::{LimitKind, Limits, MatchRules};
use referee::play::Match;
use referee::verdict::Verdict;
use support::{DAEMONS, HOP};

const FAULTS: [&str; 24] = [
    "late 0",
    "late 300",
    "hang",
    "exit 0",
    "exit 3",
    "signal 9",
    "signal 11",
    "partial-line",
    "endless-line",
    "chatter",
    "no-read",
    "flood-stderr 300000",
    "flood-stdout",
    "surplus 3",
    "close-stdout",
    "close-stdin",
    "ignore-sigterm",
    "leave-child",
    "fork 5",
    DAEMONS,
    HOP,
    "stop",
    "exec",
    "close-all",
];

const MEANS: [Containment; 3] = [Containment::Auto, Containment::Seccomp, Containment::Plain];

/// The number of games at a time.
const PLAYERS: u64 = 2;

fn main() -> ExitCode {
    let games = std::env::args().nth(1).and_then(|games| games.parse().ok()).unwrap_or(100);
    let played = AtomicU64::new(0);
    // Allocations made once, such as the first probe's, are not leaks.
    game(0).expect("a game");
    let before = Census::take();
    let host = Host::start().expect("a launcher");
    let early = thread::scope(|scope| {
        let players: Vec<_> = (0..PLAYERS)
            .map(|first| {
                let done = &played;
                scope.spawn(move || some_games(first, games, done))
            })
            .collect();
        let early = watch(games, &played);
        for player in players {
            println!("{:?}", player.join().expect("no game panics"));
        }
        early
    });
    drop(host);
    let after = Census::take();
    println!("before: {before:?}\nearly:  {early:?}\nafter:  {after:?}");
    let leaks = before.leaks(&after) || after.memory_kib > early.memory_kib + 4096;
    println!("{games} games: {}", if leaks { "something leaks" } else { "nothing leaks" });
    ExitCode::from(u8::from(leaks))
}

/// Shows the progress, and returns a census when a tenth has been played.
fn watch(games: u64, played: &AtomicU64) -> Census {
    let mut early = None;
    let mut shown = 0;
    loop {
        let now = played.load(Ordering::Relaxed);
        if now * 10 >= games && early.is_none() {
            early = Some(Census::take());
        }
        if now / 1000 > shown {
            shown = now / 1000;
            println!("{now}: {:?}", Census::take());
        }
        if now >= games {
            return early.unwrap_or_else(Census::take);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Plays every `PLAYERS`th game from the `first` on; returns the number of each verdict.
fn some_games(first: u64, games: u64, done: &AtomicU64) -> BTreeMap<String, u32> {
    let mut verdicts = BTreeMap::<String, u32>::new();
    for number in (first..games).step_by(usize::try_from(PLAYERS).expect("few")) {
        let verdict = game(number).map_or_else(|error| error, |verdict| verdict.to_string());
        *verdicts.entry(verdict).or_default() += 1;
        done.fetch_add(1, Ordering::Relaxed);
    }
    verdicts
}

/// Plays one game; its number decides everything about it.
fn game(number: u64) -> Result<Verdict, String> {
    let mut random = Pcg32::seed_from_u64(number);
    let mut draw = |below: usize| random.next_u32() as usize % below;
    let fault = FAULTS[draw(FAULTS.len())];
    let containment = MEANS[draw(MEANS.len())];
    let sandbox = (draw(4) == 0).then(|| Sandbox::new(&[]).expect("this host has sandboxes"));
    let on_turn = (draw(5) + 1).to_string();
    let config = Config::resolve([]).map_err(|error| error.to_string())?;
    let words = shlex::split(fault).expect("words").into_iter();
    let words = words.chain(["--on-turn".to_owned(), on_turn]);
    let command = BotCommand {
        program: referee().into(),
        args: ["bot", "misbehaving"]
            .map(str::to_owned)
            .into_iter()
            .chain(words)
            .map(Into::into)
            .collect(),
        cwd: None,
        env: BTreeMap::new(),
        pinning: None,
        confinement: Confinement {
            method: containment.method().map_err(|error| error.to_string())?,
            resources: config.resources,
            sandbox,
        },
    };
    let limits = Limits::from_kinds(|kind| match kind {
        LimitKind::FirstTurn => Some(Duration::from_millis(500)),
        LimitKind::Turn | LimitKind::Total => Some(Duration::from_millis(100)),
    });
    let game = Match::new(&config.game, &config.game.bundled[0].1, &command)
        .board("@random-1")
        .bot(fault)
        .rules(MatchRules { limits, grace: Duration::from_millis(20), ..config.rules });
    game.play(drop).map(|end| end.verdict).map_err(|error| error.to_string())
}

/// The program that runs the bundled bots: it is built next to this one's folder.
fn referee() -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.ancestors().nth(2).unwrap_or(Path::new(".")).join("referee")
}

/// The resources of this process.
#[derive(Debug)]
struct Census {
    descriptors: usize,
    children: usize,
    folders: usize,
    memory_kib: u64,
}

impl Census {
    fn take() -> Self {
        await_removals();
        let count = |folder: &Path| fs::read_dir(folder).map_or(0, Iterator::count);
        let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let children = tasks.map(|task| {
            let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            list.split_whitespace().count()
        });
        let folders = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
        let is_ours =
            |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("referee-");
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        Self {
            descriptors: count(Path::new("/proc/self/fd")),
            children: children.sum(),
            folders: folders.filter(is_ours).count(),
            memory_kib: resident
                .and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok())
                .unwrap_or(0),
        }
    }

    fn leaks(&self, after: &Self) -> bool {
        let [before, after] = [self, after].map(|it| (it.descriptors, it.children, it.folders));
        before != after
    }
}
