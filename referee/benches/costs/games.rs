//! Games with a bot's process. The bot is on one core and this program on another, for the yardstick as
//! well: a wake-up from core to core costs several times one on the same core, and where the system
//! puts them is chance.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use referee::bot::{BotCommand, Confinement, Containment, Pinning};
use referee::game::GameKind;
use referee::gamelog::Event;
use referee::play::Match;
use rustix::thread::{CpuSet, sched_setaffinity};

use super::table::{Row, Target};
use super::{CONFIG, REFEREE, median};

/// A board on which 0 0 is a legal move until the end.
const BOARD: &str = "@clearable";

/// The core of this process, and that of the bots.
const HERE: usize = 0;
const THERE: usize = 1;

/// Starts something on the bots' core; afterwards this thread is on its own.
fn start_there<T>(start: impl FnOnce() -> T) -> T {
    let go = |core: usize| {
        let mut set = CpuSet::new();
        set.set(core);
        // With a single core all are on it anyway.
        let _ = sched_setaffinity(None, &set);
    };
    go(THERE);
    let started = start();
    go(HERE);
    started
}

fn samegame() -> &'static GameKind {
    GameKind::named("samegame").expect("a game")
}

fn board(name: &str) -> &'static str {
    let boards = samegame().bundled.iter();
    let found = boards.copied().find(|(bundled, _)| name.ends_with(bundled));
    found.expect("a bundled board").1
}

pub(crate) fn command(program: &Path, args: &[&str], containment: Containment) -> BotCommand {
    BotCommand {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: None,
        env: BTreeMap::new(),
        pinning: Some(Pinning { bot: vec![THERE], referee: HERE }),
        confinement: Confinement {
            method: containment.method().expect("this host has it"),
            resources: CONFIG.resources,
            sandbox: None,
        },
    }
}

/// Plays a game, shows `see` its events, and returns when each came.
pub(crate) fn played(command: &BotCommand, mut see: impl FnMut(&Event)) -> Vec<Instant> {
    let game = Match {
        game: samegame(),
        board: BOARD,
        test_case: board(BOARD),
        bot: "bench",
        command,
        rules: CONFIG.rules,
        interrupt: None,
    };
    let mut times = Vec::new();
    let end = game.play(|event| {
        see(&event);
        times.push(Instant::now());
    });
    let end = end.expect("a game");
    assert!(end.won, "0 0 is always legal, but {end:?}");
    times
}

/// A child that answers as fast as it can, spoken to over bare pipes.
struct Bare {
    child: std::process::Child,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Bare {
    fn start(program: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = start_there(|| command.spawn()).expect("starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut bare = Self { child, input, output };
        bare.ping(&full_board());
        bare
    }

    fn ping(&mut self, board: &str) -> Duration {
        let mut reply = String::new();
        let start = Instant::now();
        self.input.write_all(board.as_bytes()).expect("it reads");
        self.output.read_line(&mut reply).expect("it answers");
        start.elapsed()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a bot is sent in the first turn.
fn full_board() -> String {
    let game = (samegame().parse)(board(BOARD)).expect("a board");
    game.test_case().to_owned()
}

/// (a) A turn of the match loop, events included.
pub(crate) fn turns() -> Vec<Row> {
    let echo = ["bot", "echo"];
    let command = command(Path::new(REFEREE), &echo, Containment::Auto);
    let mut bare = Bare::start(Path::new(REFEREE), &echo);
    let board = full_board();
    let (mut ours, mut pings) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        let times = played(&command, |_| ());
        // Without the start, the first turn, which has the bot's own start in it, and the end.
        let turns = times[2..times.len() - 1].windows(2).map(|pair| pair[1] - pair[0]);
        let turns: Vec<_> = turns.collect();
        pings.extend((0..turns.len()).map(|_| bare.ping(&board)));
        ours.extend(turns);
    }
    let yardstick = ("a bare ping-pong of the same bytes", median(pings));
    vec![Row { what: "a turn", ours: median(ours), yardstick, target: Target::AtMost(3.0) }]
}

/// (b) A whole game against the bare minimum that it is made of.
pub(crate) fn games() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a folder");
    let bot = instant_bot(folder.path());
    let mut bare = Bare::start(&bot, &[]);
    let board = full_board();
    let group = command(&bot, &[], Containment::Group);
    let default = command(&bot, &[], Containment::Auto);
    let (mut in_group, mut by_default, mut minimum) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..200 {
        for (command, times) in [(&group, &mut in_group), (&default, &mut by_default)] {
            let start = Instant::now();
            black_box(played(command, |_| ()));
            times.push(start.elapsed());
        }
        let turns = played(&group, |_| ()).len() - 2;
        let start = Instant::now();
        Command::new("/bin/true").status().expect("runs");
        let started = start.elapsed();
        minimum.push(started + (0..turns).map(|_| bare.ping(&board)).sum::<Duration>());
    }
    let yardstick = ("`/bin/true` and the ping-pongs", median(minimum));
    let (in_group, by_default) = (median(in_group), median(by_default));
    vec![
        Row {
            what: "a game with --containment group",
            ours: in_group,
            yardstick,
            target: Target::AtMost(1.6),
        },
        Row {
            what: "a game with the default containment",
            ours: by_default,
            yardstick: ("the same with --containment group", in_group),
            target: Target::More(Duration::from_millis(2)),
        },
    ]
}

/// Compiles a bot that answers as soon as it has 15 lines.
fn instant_bot(folder: &Path) -> PathBuf {
    const SOURCE: &str = r#"
        #include <unistd.h>
        int main(void) {
            char buffer[4096];
            int lines = 0;
            for (long count; (count = read(0, buffer, sizeof buffer)) > 0;)
                for (long i = 0; i < count; i++)
                    if (buffer[i] == '\n' && ++lines % 15 == 0)
                        if (write(1, "0 0\n", 4) < 0) return 1;
        }
    "#;
    let (source, bot) = (folder.join("bot.c"), folder.join("bot"));
    fs::write(&source, SOURCE).expect("written");
    let built = Command::new("cc").args(["-O2", "-o"]).args([&bot, &source]).status();
    assert!(built.expect("a C compiler").success());
    bot
}

/// (g) Starting the program.
pub(crate) fn start() -> Vec<Row> {
    let run = |program: &Path, args: &[&str]| {
        let start = Instant::now();
        let output = Command::new(program).args(args).output().expect("runs");
        assert!(output.status.success());
        start.elapsed()
    };
    let (mut ours, mut minimum) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        ours.push(run(Path::new(REFEREE), &["--version"]));
        minimum.push(run(Path::new("/bin/true"), &[]));
    }
    let yardstick = ("`/bin/true`", median(minimum));
    let target = Target::AtMost(3.0);
    vec![Row { what: "`referee --version`", ours: median(ours), yardstick, target }]
}
