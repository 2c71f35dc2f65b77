//! The yardstick of games: a program in C that plays with a bot over two pipes and does nothing else.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use tempfile::TempDir;

use super::median;
use super::table::Amount;

/// Runs a closure in a thread pinned to a core, as are all processes that it starts.
pub(crate) fn on_core<T: Send>(core: usize, act: impl FnOnce() -> T + Send) -> T {
    let act = || {
        let mut set = CpuSet::new();
        set.set(core);
        sched_setaffinity(None, &set).expect("this process has the core");
        act()
    };
    std::thread::scope(|scope| scope.spawn(act).join().expect("measured"))
}

/// The cores that this process may use.
pub(crate) fn cores() -> Vec<usize> {
    let cores = sched_getaffinity(None).expect("known");
    (0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect()
}

/// The two programs, and the message of each turn.
pub(crate) struct Bare {
    folder: TempDir,
    turns: usize,
}

impl Bare {
    /// Compiles them. Each turn sends `message`.
    pub(crate) fn new(turns: usize, message: &str) -> Self {
        let bare = Self { folder: tempfile::tempdir().expect("a folder"), turns };
        for (name, source) in [
            ("bare", include_str!("bare.c")),
            ("instant", include_str!("instant.c")),
            ("parsing", include_str!("parsing.c")),
        ] {
            let file = bare.path(&format!("{name}.c"));
            fs::write(&file, source).expect("written");
            let built =
                Command::new("cc").args(["-O2", "-o"]).args([&bare.path(name), &file]).status();
            assert!(built.expect("a C compiler").success());
        }
        fs::write(bare.path("message"), message).expect("written");
        bare
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A bot that answers as soon as it has its input.
    pub(crate) fn bot(&self) -> PathBuf {
        self.path("instant")
    }

    /// A bot that reads numbers, as most do, and plays to the end.
    pub(crate) fn parsing_bot(&self) -> PathBuf {
        self.path("parsing")
    }

    /// The program that plays this many games with a bot.
    fn loop_of(&self, bot: PathBuf, games: usize) -> Command {
        let [games, turns] = [games, self.turns].map(|count| count.to_string());
        let mut command = Command::new(self.path("bare"));
        command.arg(bot).args([games, turns]).arg(self.path("message"));
        command
    }

    /// Plays games with the parsing bot in several loops at once, each on a core; returns how long all took.
    pub(crate) fn play_at_once(&self, loops: usize, games: usize) -> Duration {
        let play = || {
            let mut one = self.loop_of(self.parsing_bot(), games / loops);
            assert!(one.stdout(Stdio::null()).status().expect("starts").success());
        };
        let start = Instant::now();
        std::thread::scope(|scope| {
            for core in cores().into_iter().take(loops) {
                scope.spawn(move || on_core(core, play));
            }
        });
        start.elapsed()
    }

    /// Plays games; returns how long all took, and each turn.
    pub(crate) fn play(&self, games: usize) -> (Duration, Vec<Duration>) {
        let mut command = self.loop_of(self.bot(), games);
        let start = Instant::now();
        let output = command.output().expect("runs");
        let time = start.elapsed();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).expect("numbers");
        let turns = text.lines().map(|turn| Duration::from_nanos(turn.parse().expect("a number")));
        (time, turns.collect())
    }
}

/// The yardstick's times with both processes placed by the system, and with both on one core.
#[derive(Default)]
pub(crate) struct Times {
    placed: Vec<Duration>,
    on_one_core: Vec<Duration>,
}

impl Times {
    /// Measures in both ways.
    pub(crate) fn add(&mut self, measure: impl Fn() -> Vec<Duration> + Sync) {
        self.placed.extend(measure());
        let core = *cores().last().expect("there is one");
        self.on_one_core.extend(on_core(core, &measure));
    }

    /// The median of the faster way.
    pub(crate) fn best(self) -> Amount {
        let [placed, on_one_core] = [self.placed, self.on_one_core].map(median);
        if placed.number() < on_one_core.number() { placed } else { on_one_core }
    }
}
