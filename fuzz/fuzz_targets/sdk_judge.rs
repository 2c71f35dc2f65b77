//! Whatever a referee writes, of the SDK in whatever pieces or of cg-brutaltester's protocol, is a step or is refused, the same each
//! time. In a game of several players a step names only players of the game.
#![no_main]

use judges::brutaltester;
use judges::codingame::blocks::{Header, NextAction, Scanner};
use judges::codingame::official::end_of_several;
use judges::codingame::question_info;
use libfuzzer_sys::fuzz_target;
use terms::lines::{LineBuffer, Lines};

const PLAYERS: usize = 3;

fuzz_target!(|bytes: &[u8]| {
    let lines = Lines::split(bytes);
    match brutaltester::read_step(&lines, PLAYERS) {
        Ok(brutaltester::StepEnd::Ask(seat, lines)) => assert!(seat < PLAYERS && lines > 0),
        Ok(brutaltester::StepEnd::End(places)) => assert_places(places.into_iter()),
        Err(problem) => assert_one_line(&problem),
    }
    for line in lines.iter() {
        if let Ok(header) = Header::parse(line) {
            assert!(!header.name.is_empty());
        }
    }
    let mut whole = Scanner::default();
    let end = whole.whole(&lines);
    let mut buffer = LineBuffer::default();
    let mut piecewise = Scanner::default();
    let mut found = None;
    for piece in bytes.chunks(7) {
        buffer.push(piece);
        found = found.or_else(|| piecewise.whole(buffer.held()));
    }
    // A line that only the next byte completes is the same line.
    assert_eq!(end, found);
    let Some(end) = end else { return };
    assert!(end <= lines.len());
    let step = whole.read(&lines);
    assert_eq!(step, piecewise.read(&lines));
    match step.map(|step| step.then) {
        Ok(NextAction::Ask(info)) => match question_info(&info, PLAYERS) {
            Ok((seat, ..)) => assert!(seat < PLAYERS),
            Err(problem) => assert_one_line(&problem),
        },
        Ok(NextAction::End { metadata, scores, .. }) => {
            match end_of_several(PLAYERS, &metadata, &scores, Vec::new()) {
                Ok(end) => assert_places(end.end.seats.iter().map(|seat| seat.place)),
                Err(problem) => assert_one_line(&problem),
            }
        }
        Ok(NextAction::Fail(_) | NextAction::Nothing) => {}
        Err(problem) => assert_one_line(&problem),
    }
});

/// Each player has a place, and somebody the first one.
fn assert_places(places: impl Iterator<Item = u32>) {
    let places: Vec<_> = places.map(|place| place as usize).collect();
    assert_eq!(places.len(), PLAYERS);
    assert!(
        places.contains(&1) && places.iter().all(|place| (1..=PLAYERS).contains(place)),
        "{places:?}"
    );
}

fn assert_one_line(problem: &str) {
    assert!(!problem.is_empty() && !problem.contains('\n'), "{problem}");
}
