//! A tournament: every bot on every board, several games at a time, each on a thread of its own choosing.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use referee::bot::{BotCommand, Host};
use referee::config::Config;
use referee::game::SeedOptions;
use referee::play::{Match, PlayError};
use referee::score::Score;

/// Each bot takes one corner of the board as long as it can: x and y, from the bottom left.
const BOTS: [(&str, &str); 3] = [("left", "0 0"), ("middle", "7 0"), ("top", "0 14")];
const BOARDS: i64 = 4;
const GAMES_AT_A_TIME: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    // One launcher for all games, forked before there are threads.
    let _host = Host::start()?;
    let config = Config::resolve(["profile = 'relaxed'".parse()?])?;
    let confinement = config.confinement(None)?;
    let bot = |answer: &str| {
        let script = format!(
            "while read -r row; do i=$((i + 1)); [ $((i % 15)) -eq 0 ] && echo '{answer}'; done"
        );
        BotCommand::new("sh", ["-c", &script], confinement.clone())
    };
    let bots = BOTS.map(|(name, answer)| (name, bot(answer)));
    let board = |seed| config.game.test_case(seed, SeedOptions::default());
    let boards = (1..=BOARDS).map(board).collect::<Result<Vec<_>, _>>()?;

    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let play_on = || -> Result<(), PlayError> {
        loop {
            let game = next.fetch_add(1, Ordering::Relaxed);
            let (bot, Some(board)) = (game % bots.len(), boards.get(game / bots.len())) else {
                return Ok(());
            };
            let (name, command) = &bots[bot];
            let game = Match::new(&config.game, board, command).rules(config.rules);
            let end = game.bot(name).play(|_event| {})?;
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((bot, end.score.unwrap_or(Score::ZERO), end.verdict));
        }
    };
    thread::scope(|scope| {
        let players: Vec<_> = (0..GAMES_AT_A_TIME).map(|_| scope.spawn(play_on)).collect();
        players.into_iter().try_for_each(|player| player.join().expect("no panic"))
    })?;

    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (bot, (name, _)) in bots.iter().enumerate() {
        let scores: Vec<Score> =
            results.iter().filter(|(of, ..)| *of == bot).map(|(_, score, _)| *score).collect();
        println!(
            "{name}: {} points in {} games",
            scores.iter().copied().sum::<Score>(),
            scores.len()
        );
    }
    Ok(())
}
