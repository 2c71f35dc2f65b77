//! The rules alone, and logs that are refereed again.

#[path = "../../../crates/rules/tests/rules/plain.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod plain;

use std::hint::black_box;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use referee::bot::Containment;
use referee::game::samegame::board::Board;
use referee::game::samegame::generate::random_board;
use referee::game::{Answer, GameKind};
use referee::gamelog;
use referee::lines::Lines;
use referee::replay::replay;
use serde_json::Value;

use super::games::{command, played};
use super::table::{Amount, Row, Target};
use super::{REFEREE, median};

/// (c) and (d): the rules without any process.
pub(crate) fn rules() -> Vec<Row> {
    let (mut bits, mut plain) = (Vec::new(), Vec::new());
    for seed in 1..=60 {
        bits.push(per_move(seed, playout));
        plain.push(per_move(seed, plain_playout));
    }
    let bits = median(bits);
    let yardstick = ("with the plain reference", median(plain));
    let second = Amount::Time(Duration::from_secs(1) / 4_000_000);
    vec![
        Row {
            what: "a random move with all legal moves",
            ours: bits,
            yardstick,
            target: Target::TimesLess(10.0),
        },
        Row {
            what: "a random move with all legal moves",
            ours: bits,
            yardstick: ("a second for 4 million", second),
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
    play_out(board.clone(), random, Board::legal_moves, Board::remove)
}

fn plain_playout(board: &Board, random: &mut Pcg32) -> u32 {
    play_out(plain::Board::from(board), random, plain::Board::legal_moves, plain::Board::remove)
}

/// Plays random moves to the end of the game; returns how many there were.
fn play_out<B, R>(
    mut board: B,
    random: &mut Pcg32,
    legal_moves: impl Fn(&B) -> Vec<R>,
    remove: impl Fn(&mut B, &R),
) -> u32 {
    let mut moves = 0;
    loop {
        let regions = legal_moves(&board);
        if regions.is_empty() {
            return moves;
        }
        remove(&mut board, &regions[random.next_u32() as usize % regions.len()]);
        moves += 1;
    }
}

fn square_remover() -> Row {
    let kind = GameKind::named("square-remover").expect("a game");
    let case = kind.bundled[0].1.as_str();
    let reply = answer_of("squares-greedy", case);
    let lines = Lines::split(&reply);
    let mut times = Vec::new();
    for _ in 0..400 {
        let case = (kind.parse)(case).expect("a case");
        let mut game = case.opening().expect("its rules are here");
        let start = Instant::now();
        black_box(game.answer(Answer::new(&lines, None))).expect("10,000 legal moves");
        times.push(start.elapsed());
    }
    let yardstick = ("a millisecond", Amount::Time(Duration::from_millis(1)));
    let what = "Square Remover's 10,000 moves";
    Row { what, ours: median(times), yardstick, target: Target::AtMost(1.0) }
}

fn answer_of(bot: &str, case: &str) -> Vec<u8> {
    let mut command = Command::new(REFEREE);
    command.args(["bot", bot]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    child.stdin.take().expect("piped").write_all(case.as_bytes()).expect("it reads");
    child.wait_with_output().expect("a child").stdout
}

/// (e) Refereeing a log again against parsing it.
pub(crate) fn replays() -> Vec<Row> {
    let mut log = Vec::new();
    played(&command(REFEREE.as_ref(), &["bot", "echo"], Containment::Auto, None), |event| {
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
