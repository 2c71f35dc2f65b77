//! Every game that was measured on the original referee, twice: rules alone, and whole program.

use std::sync::atomic::{AtomicUsize, Ordering};

use referee::game::GameKind;
use referee::lines::{LineBuffer, Progress};
use referee::play::rule;
use referee::verdict::{BotExit, Silence};

use crate::support::{self, Case, PATIENT, bot_line, json, referee, summary};

/// Plays a case without a process: a bot that writes its outputs turn by turn and then exits.
fn play_scripted(case: &Case) -> (Vec<String>, bool, i64) {
    let kind = GameKind::named("samegame").expect("a game");
    let mut game = (kind.parse)(&case.board.join("\n")).expect("a board");
    let mut outputs = case.outputs.iter();
    let mut lines = LineBuffer::default();
    while let Some(exchange) = game.next_exchange() {
        let rules = exchange.lines;
        let silence = loop {
            match lines.progress(&rules) {
                Progress::Complete(_) => break None,
                Progress::TooLong => break Some(Silence::LineTooLong),
                Progress::Incomplete => match outputs.next() {
                    Some(output) => lines.push(output.as_bytes()),
                    None => break Some(Silence::Ended(BotExit::Code(0))),
                },
            }
        };
        rule(game.as_mut(), &lines.take(rules.count), silence);
    }
    let won = game.official().starts_with("Endgame.");
    (game.summary().to_vec(), won, game.score())
}

#[test]
fn the_rules_agree_with_the_original_in_all_627_games() {
    for case in support::cases() {
        assert_eq!(play_scripted(&case), case.expected(), "{}", case.id);
    }
}

#[test]
fn the_program_agrees_with_the_original_in_all_627_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = support::cases();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check_through_the_program(case, folder.path());
                }
            });
        }
    });
}

fn check_through_the_program(case: &Case, folder: &std::path::Path) {
    let board = folder.join(format!("{}.txt", case.id));
    let script = folder.join(format!("{}.json", case.id));
    std::fs::write(&board, case.board.join("\n")).expect("written");
    std::fs::write(&script, serde_json::to_vec(&case.outputs).expect("JSON")).expect("written");
    let output = referee()
        .args(["play", "--format", "json", "--bot"])
        .arg(bot_line(&["@script".as_ref(), script.as_os_str()]))
        .args(["--board".as_ref(), board.as_os_str()])
        .args(PATIENT)
        .output()
        .expect("runs");
    let result = json(&output);
    let (lines, won, score) = case.expected();
    assert_eq!(summary(&result), lines, "{}", case.id);
    assert_eq!(result["won"], won, "{}", case.id);
    assert_eq!(result["score"], score, "{}", case.id);
    assert_eq!(result["metadata"]["Score"], score.to_string(), "{}", case.id);
    assert_eq!(output.status.code(), Some(i32::from(!won)), "{}", case.id);
}
