//! Games whose tester starts the bot, against the tester alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use referee::bot::{BotCommand, Containment, Pinning};
use referee::config::{Config, Layer};
use referee::play::Match;
use tempfile::TempDir;

use super::bare::on_core;
use super::games::{command, pinned};
use super::table::{Amount, Row, Target};
use super::timed;

/// The exchanges of a long game; a short one has one.
const EXCHANGES: u32 = 1_001;

/// The short and the long games of each way.
const GAMES: (usize, usize) = (100, 20);

/// The names of a game and an exchange, with and without a core of the bot's own.
const PINNED: [&str; 2] = ["a tester's game with --pin", "a tester's exchange with --pin"];
const FREE: [&str; 2] = ["a tester's game", "a tester's exchange"];

/// (j) A tester's game and its exchanges, beyond the tester alone.
pub(crate) fn tester() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a folder");
    let program = compiled(&folder);
    let free = costs(&program, None);
    let shared = pinned().map(|pinning| costs(&program, Some(pinning)));
    let pinned = shared.map(|costs| rows(PINNED, costs));
    let free = rows(FREE, free);
    pinned.into_iter().flatten().chain(free).collect()
}

/// The times of a short game and of a long one, each through the referee and next to it: by the tester alone, on the bot's core
/// if that is chosen.
fn costs(program: &Path, pinning: Option<Pinning>) -> [[Duration; 2]; 2] {
    let config = config(program);
    let core = pinning.as_ref().map(|pinning| pinning.cores[0]);
    let bot = command(program, &[], Containment::Auto, pinning);
    [(1, GAMES.0), (EXCHANGES, GAMES.1)].map(|(turns, games)| {
        let (mut ours, mut alone) = (Vec::new(), Vec::new());
        let by_itself = || timed(|| play_alone(program, turns));
        for _ in 0..games {
            alone.push(core.map_or_else(by_itself, |core| on_core(core, by_itself)));
            ours.push(timed(|| play(&config, &bot, turns)));
        }
        [ours, alone].map(middle)
    })
}

fn rows(
    names: [&'static str; 2],
    [[ours, alone], [long, long_alone]]: [[Duration; 2]; 2],
) -> [Row; 2] {
    let [game, exchange] = names;
    eprintln!(
        "{game}: {ours:?}, alone {alone:?}; {long:?} with {EXCHANGES} exchanges, alone {long_alone:?}"
    );
    let of_game = ours.saturating_sub(alone);
    let of_exchange = long.saturating_sub(long_alone).saturating_sub(of_game) / (EXCHANGES - 1);
    let row = |what, ours, yardstick, most| Row {
        what,
        ours: Amount::Time(ours),
        yardstick: (yardstick, Amount::Time(most)),
        target: Target::AtMost(1.0),
    };
    [
        row(game, of_game, "2 ms more than alone", Duration::from_millis(2)),
        row(exchange, of_exchange, "30 µs more than alone", Duration::from_micros(30)),
    ]
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The program that is both the tester and its bot.
fn compiled(folder: &TempDir) -> PathBuf {
    let [source, program] = ["doubles.c", "doubles"].map(|name| folder.path().join(name));
    fs::write(&source, include_str!("doubles.c")).expect("written");
    let built = Command::new("cc").args(["-O2", "-o"]).args([&program, &source]).status();
    assert!(built.expect("a C compiler").success());
    program
}

/// The settings of its game, in which the seed is the number of turns.
fn config(program: &Path) -> Config {
    let settings = format!(
        "[game]\ndefault = 'doubles'\n\n[game.doubles]\nkind = 'tester'\ncommand = '{} {{seed}} {{bot}}'\nlimits = {{ total = '60s' }}\n",
        program.display()
    );
    let settings = settings.parse::<Layer>().expect("settings");
    Config::resolve([settings.in_file(&program.with_file_name("referee.toml"))]).expect("a game")
}

fn play(config: &Config, bot: &BotCommand, turns: u32) {
    let case = format!("{{\"seed\":{turns}}}");
    let played = Match::new(&config.game, &case, bot).rules(config.rules);
    let end = played.play(|_| ()).expect("a game");
    assert_eq!(end.score, Some(i64::from(turns).into()), "{end:?}");
}

fn play_alone(program: &Path, turns: u32) {
    let mut command = Command::new(program);
    let played = command.arg(turns.to_string()).arg(program).stdout(Stdio::null()).status();
    assert!(played.expect("runs").success());
}
