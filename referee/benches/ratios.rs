//! What the referee costs, each figure as a ratio to a yardstick that is measured in the same run, in
//! turn with it: a machine that is busy for a while is busy for both. Where two processes talk, the
//! bot is on one core and this one on another, for the yardstick as well: a wake-up from core to core
//! costs several times one on the same core, and where the system puts them is chance.
//!
//! `cargo bench` prints a table; `cargo bench -- --json` one object a line, for
//! `scripts/performance-report.py`.

#[path = "../../tests/plain.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod plain;

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use referee::bot::{BotCommand, Confinement, Containment, Pinning};
use referee::config::{Config, ConfigFile, Overrides};
use referee::game::samegame::board::Board;
use referee::game::samegame::generate::random_board;
use referee::game::{Game, GameKind};
use referee::gamelog::{self, Event};
use referee::lines::Lines;
use referee::play::{Setup, play};
use referee::replay::replay;
use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::Value;

/// A board on which 0 0 is a legal move until the end.
const BOARD: &str = "@clearable";

fn main() {
    let json = std::env::args().any(|arg| arg == "--json");
    let bench = |name: &str| {
        let wanted =
            std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect::<Vec<_>>();
        wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str()))
    };
    let all: [(&str, Measure); 5] =
        [("turn", turns), ("game", games), ("rules", rules), ("replay", replays), ("start", start)];
    for (_, measure) in all.into_iter().filter(|(name, _)| bench(name)) {
        for row in measure() {
            row.show(json);
        }
    }
}

/// Measures some lines of the table.
type Measure = fn() -> Vec<Row>;

/// One line of the table.
struct Row {
    what: &'static str,
    ours: Duration,
    yardstick: (&'static str, Duration),
    /// The most that the ratio should be, or the least where more is better.
    target: Target,
}

enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// So much time beyond the yardstick.
    More(Duration),
}

impl Row {
    fn show(&self, json: bool) {
        let (yardstick, other) = self.yardstick;
        let ratio = self.ours.as_secs_f64() / other.as_secs_f64();
        let (ratio, target, met) = match self.target {
            Target::AtMost(most) => (ratio, format!("at most {most}"), ratio <= most),
            Target::AtLeast(least) => {
                (1.0 / ratio, format!("at least {least}"), 1.0 / ratio >= least)
            }
            Target::More(more) => {
                (ratio, format!("at most {more:?} more"), self.ours.saturating_sub(other) <= more)
            }
        };
        let Self { what, ours, .. } = self;
        if json {
            let object = serde_json::json!({
                "what": what, "ours_us": ours.as_secs_f64() * 1e6, "yardstick": yardstick,
                "yardstick_us": other.as_secs_f64() * 1e6, "ratio": ratio, "target": target, "met": met,
            });
            println!("{object}");
        } else {
            let met = if met { "" } else { "  <-- missed" };
            println!("{what}: {ours:.2?}; {yardstick}: {other:.2?}; {ratio:.2} ({target}){met}");
        }
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

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

/// The program that runs the bundled bots.
fn referee() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_referee"))
}

fn samegame() -> &'static GameKind {
    GameKind::named("samegame").expect("a game")
}

fn board(name: &str) -> &'static str {
    let boards = samegame().bundled.iter();
    let found = boards.copied().find(|(bundled, _)| name.ends_with(bundled));
    found.expect("a bundled board").1
}

fn command(program: &Path, args: &[&str], containment: Containment) -> BotCommand {
    let config = Config::resolve(&ConfigFile::default(), &Overrides::default()).expect("defaults");
    BotCommand {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: None,
        env: BTreeMap::new(),
        pinning: Some(Pinning { bot: vec![THERE], referee: HERE }),
        confinement: Confinement {
            means: containment.means().expect("this host has it"),
            resources: config.resources,
            sandbox: None,
        },
    }
}

/// Plays a game, shows `see` its events, and returns when each came.
fn played(command: &BotCommand, mut see: impl FnMut(&Event)) -> Vec<Instant> {
    let config = Config::resolve(&ConfigFile::default(), &Overrides::default()).expect("defaults");
    let mut game = (samegame().parse)(board(BOARD)).expect("a board");
    let setup = Setup {
        game: "samegame",
        board: BOARD,
        bot: "bench",
        command,
        rules: config.rules,
        retried: &[],
        interrupt: None,
    };
    let (mut won, mut times) = (false, Vec::new());
    play(game.as_mut(), &setup, |event| {
        see(event);
        won = matches!(event, Event::End(end) if end.won);
        times.push(Instant::now());
    })
    .expect("a game");
    assert!(won, "0 0 is always legal");
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
fn turns() -> Vec<Row> {
    let echo = ["bot", "echo"];
    let command = command(&referee(), &echo, Containment::Auto);
    let mut bare = Bare::start(&referee(), &echo);
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
fn games() -> Vec<Row> {
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
            target: Target::AtMost(1.5),
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

/// (c) and (d): the rules without any process.
fn rules() -> Vec<Row> {
    let (mut bits, mut plain) = (Vec::new(), Vec::new());
    for seed in 1..=60 {
        bits.push(per_move(seed, playout));
        plain.push(per_move(seed, plain_playout));
    }
    let bits = median(bits);
    let yardstick = ("with the plain reference", median(plain));
    let second = ("a second for 1.5 million", Duration::from_secs(1) / 1_500_000);
    vec![
        Row {
            what: "a random move with all legal moves",
            ours: bits,
            yardstick,
            target: Target::AtLeast(10.0),
        },
        Row {
            what: "a random move with all legal moves",
            ours: bits,
            yardstick: second,
            target: Target::AtMost(1.0),
        },
        square_remover(),
    ]
}

/// The time for each move of the playouts of one board.
fn per_move(seed: i64, playout: fn(&Board, &mut Pcg32) -> u32) -> Duration {
    let board = random_board(seed, 5).expect("a board");
    let mut random = Pcg32::seed_from_u64(seed.unsigned_abs());
    let start = Instant::now();
    let moves: u32 = (0..20).map(|_| playout(&board, &mut random)).sum();
    start.elapsed() / moves
}

fn playout(board: &Board, random: &mut Pcg32) -> u32 {
    let mut board = board.clone();
    let mut moves = 0;
    loop {
        let regions = board.legal_moves();
        if regions.is_empty() {
            return moves;
        }
        board.remove(&regions[random.next_u32() as usize % regions.len()]);
        moves += 1;
    }
}

fn plain_playout(board: &Board, random: &mut Pcg32) -> u32 {
    let mut board = plain::Board::from(board);
    let mut moves = 0;
    loop {
        let regions = board.legal_moves();
        if regions.is_empty() {
            return moves;
        }
        board.remove(&regions[random.next_u32() as usize % regions.len()]);
        moves += 1;
    }
}

fn square_remover() -> Row {
    let kind = GameKind::named("square-remover").expect("a game");
    let case = kind.bundled[0].1;
    let reply = answer_of("squares-greedy", case);
    let lines = Lines::split(&reply);
    let mut times = Vec::new();
    for _ in 0..400 {
        let mut game: Box<dyn Game> = (kind.parse)(case).expect("a case");
        let start = Instant::now();
        black_box(game.accept(&lines)).expect("10,000 legal moves");
        times.push(start.elapsed());
    }
    let yardstick = ("a millisecond", Duration::from_millis(1));
    let what = "Square Remover's 10,000 moves";
    Row { what, ours: median(times), yardstick, target: Target::AtMost(1.0) }
}

fn answer_of(bot: &str, case: &str) -> Vec<u8> {
    let mut command = Command::new(referee());
    command.args(["bot", bot]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    child.stdin.take().expect("piped").write_all(case.as_bytes()).expect("it reads");
    child.wait_with_output().expect("a child").stdout
}

/// (e) Refereeing a log again against parsing it.
fn replays() -> Vec<Row> {
    let mut log = Vec::new();
    played(&command(&referee(), &["bot", "echo"], Containment::Auto), |event| {
        serde_json::to_writer(&mut log, event).expect("JSON");
        log.push(b'\n');
    });
    let (mut ours, mut parsing) = (Vec::new(), Vec::new());
    for _ in 0..500 {
        let start = Instant::now();
        let read = gamelog::read(&log).expect("a log");
        assert!(black_box(replay(&read)).expect("a game").difference.is_none());
        ours.push(start.elapsed());
        let start = Instant::now();
        for line in log.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            black_box(serde_json::from_slice::<Value>(line).expect("JSON"));
        }
        parsing.push(start.elapsed());
    }
    let yardstick = ("parsing it with serde_json alone", median(parsing));
    let target = Target::AtMost(2.0);
    vec![Row { what: "refereeing a log again", ours: median(ours), yardstick, target }]
}

/// (g) Starting the program.
fn start() -> Vec<Row> {
    let run = |program: &Path, args: &[&str]| {
        let start = Instant::now();
        let output = Command::new(program).args(args).output().expect("runs");
        assert!(output.status.success());
        start.elapsed()
    };
    let (mut ours, mut minimum) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        ours.push(run(&referee(), &["--version"]));
        minimum.push(run(Path::new("/bin/true"), &[]));
    }
    let yardstick = ("`/bin/true`", median(minimum));
    let target = Target::AtMost(3.0);
    vec![Row { what: "`referee --version`", ours: median(ours), yardstick, target }]
}
