//! Games with a bot's process, against a program that only serves the pipes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use referee::bot::{BotCommand, Confinement, Containment, Pinning};
use referee::gamelog::Event;
use referee::play::Match;

use super::bare::{Bare, Times};
use super::table::{Row, Target};
use super::{CONFIG, REFEREE, median, timed};

/// A board on which 0 0 is a legal move until the end.
pub(crate) const BOARD: &str = "@clearable";

/// Its content; the settings choose `SameGame`.
fn board() -> &'static str {
    CONFIG.game.bundled(&BOARD[1..]).expect("a bundled board")
}

/// The yardstick for games on the board.
pub(crate) fn bare() -> Bare {
    let case = (CONFIG.game.parse)(board()).expect("a board");
    let echo = command(Path::new(REFEREE), &["bot", "echo"], Containment::Auto, None);
    // The start and the end of a game are events as well.
    Bare::new(played(&echo, |_| ()).len() - 2, &case.text)
}

pub(crate) fn command(
    program: &Path,
    args: &[&str],
    containment: Containment,
    pinning: Option<Pinning>,
) -> BotCommand {
    BotCommand {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: None,
        env: BTreeMap::new(),
        pinning,
        confinement: Confinement {
            method: containment.method().expect("this host has it"),
            resources: CONFIG.resources,
            sandbox: None,
        },
    }
}

/// The pinning of `--pin`.
pub(crate) fn pinned() -> Option<Pinning> {
    Pinning::plan(1).ok()
}

/// Plays a game, shows `see` its events, and returns the time of each.
pub(crate) fn played(command: &BotCommand, mut see: impl FnMut(&Event)) -> Vec<Instant> {
    let game =
        Match::new(&CONFIG.game, board(), command).board(BOARD).bot("bench").rules(CONFIG.rules);
    let mut times = Vec::new();
    let end = game.play(|event| {
        see(&event);
        times.push(Instant::now());
    });
    let end = end.expect("a game");
    assert!(end.won, "0 0 is always legal, but {end:?}");
    times
}

/// (a) A turn of the match loop, events included.
pub(crate) fn turns() -> Vec<Row> {
    let bare = bare();
    let [free, pinned] =
        [None, pinned()].map(|pinning| command(&bare.bot(), &[], Containment::Auto, pinning));
    // Without the start, the first turn, which has the bot's own start in it, and the end.
    let turns = |command: &BotCommand| -> Vec<Duration> {
        let times = played(command, |_| ());
        times[2..times.len() - 1].windows(2).map(|pair| pair[1] - pair[0]).collect()
    };
    let (mut where_placed, mut shared, mut pings) = (Vec::new(), Vec::new(), Times::default());
    for _ in 0..60 {
        where_placed.extend(turns(&free));
        shared.extend(turns(&pinned));
        pings.add(|| bare.play(1).1.split_off(1));
    }
    let yardstick = ("a bare ping-pong of the same bytes", pings.best());
    let row =
        |what, times| Row { what, ours: median(times), yardstick, target: Target::AtMost(2.5) };
    vec![row("a turn with --pin", shared), row("a turn", where_placed)]
}

/// (b) A whole game.
pub(crate) fn games() -> Vec<Row> {
    let bare = bare();
    let bot = bare.bot();
    let group = command(&bot, &[], Containment::Plain, pinned());
    let default = command(&bot, &[], Containment::Auto, pinned());
    let free = command(&bot, &[], Containment::Auto, None);
    let games = [&group, &default, &free];
    let mut ours = [const { Vec::new() }; 3];
    let mut minimum = Times::default();
    for _ in 0..200 {
        for (command, times) in games.into_iter().zip(&mut ours) {
            times.push(timed(|| drop(black_box(played(command, |_| ())))));
        }
        minimum.add(|| vec![bare.play(4).0 / 4]);
    }
    let yardstick = ("a bare game", minimum.best());
    let names = ["a game with --containment plain and --pin", "a game with --pin", "a game"];
    let row =
        |(what, times)| Row { what, ours: median(times), yardstick, target: Target::AtMost(1.5) };
    names.into_iter().zip(ours).map(row).collect()
}

/// (g) Starting the program, and playing one game.
pub(crate) fn start() -> Vec<Row> {
    let bare = bare();
    let bot = bare.bot().into_os_string().into_string().expect("UTF-8");
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).stdout(Stdio::null());
        timed(|| assert!(command.status().expect("runs").success()))
    };
    let (mut version, mut nothing) = (Vec::new(), Vec::new());
    let (mut pinned, mut free, mut minimum) = (Vec::new(), Vec::new(), Times::default());
    let play = ["play", "--board", BOARD, "--bot", &bot, "--pin"];
    for _ in 0..100 {
        version.push(run(REFEREE, &["--version"]));
        nothing.push(run("/bin/true", &[]));
        pinned.push(run(REFEREE, &play));
        free.push(run(REFEREE, &play[..play.len() - 1]));
        minimum.add(|| vec![bare.play(1).0]);
    }
    let row = |what, ours, yardstick, most| Row {
        what,
        ours: median(ours),
        yardstick,
        target: Target::AtMost(most),
    };
    let bare = ("a bare game as a process", minimum.best());
    vec![
        row("`referee --version`", version, ("`/bin/true`", median(nothing)), 1.5),
        row("`referee play --pin`", pinned, bare, 1.4),
        row("`referee play`", free, bare, 1.4),
    ]
}
