//! Any line of a judge is a message or is refused in one line, in a game of one player and of several.
#![no_main]

use judges::json_lines::message::{FromJudge, parse};
use judges::json_lines::several::parse_several;
use libfuzzer_sys::fuzz_target;
use rules::score::Direction;

const PLAYERS: usize = 3;

fuzz_target!(|bytes: &[u8]| {
    match parse(bytes) {
        Ok(FromJudge::Ask(ask)) => assert!(ask.lines.is_none_or(|lines| lines > 0)),
        Ok(FromJudge::End(end)) => assert!(!end.end.official.is_empty()),
        Err(problem) => assert_one_line(&problem),
    }
    match parse_several(bytes, PLAYERS, Direction::Lower) {
        Ok(FromJudge::Ask(ask)) => {
            assert!(ask.seat < PLAYERS && ask.out.iter().all(|out| out.seat < PLAYERS));
        }
        Ok(FromJudge::End(end)) => {
            let places: Vec<_> = end.end.seats.iter().map(|seat| seat.place as usize).collect();
            assert_eq!(places.len(), PLAYERS);
            assert!(
                places.contains(&1) && places.iter().all(|place| (1..=PLAYERS).contains(place))
            );
        }
        Err(problem) => assert_one_line(&problem),
    }
});

fn assert_one_line(problem: &str) {
    assert!(!problem.is_empty() && !problem.contains('\n'), "{problem}");
}
