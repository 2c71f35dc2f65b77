//! The table of games, scores and measures: what settings and reports read.

use std::sync::Arc;
use std::time::Duration;

use rules::game::frames::{Change, Frame, Pace, Picture};
use rules::game::{GAMES, GameKind, SeatEnd, SeedOptions, UnknownGame, games, register};
use rules::measure::Measure;
use rules::score::{Direction, Score, shown};
use terms::limits::LimitKind;

#[test]
fn the_games_have_their_official_limits_bots_and_cases() {
    let [samegame, squares] = &*GAMES;
    let (first, turn) = (Duration::from_secs(20), Duration::from_millis(50));
    assert_eq!(samegame.limits, [(LimitKind::FirstTurn, first), (LimitKind::Turn, turn)].into());
    assert_eq!(samegame.limits.of(LimitKind::Turn), Some(turn));
    assert_eq!(samegame.limits.of(LimitKind::Total), None);
    assert_eq!(squares.limits, [(LimitKind::Total, Duration::from_secs(30))].into());
    assert_eq!(squares.limits.kinds().collect::<Vec<_>>(), [LimitKind::Total]);
    assert_eq!(samegame.default_bot.as_deref(), Some("@greedy"));
    assert_eq!(squares.default_bot.as_deref(), Some("@squares-greedy"));
    assert_eq!((samegame.stderr_per_turn, squares.stderr_per_turn), (Some(4096), None));
    assert_eq!((samegame.prints_summary, squares.prints_summary), (false, true));
    assert_eq!((samegame.measure, squares.measure), (Measure::Points, Measure::Ratio));
    let names =
        |kind: &GameKind| kind.bundled.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(samegame), ["random-1", "clearable", "no-move"]);
    assert_eq!(samegame.bundled("clearable"), Some(samegame.bundled[1].1.as_str()));
    assert_eq!((names(squares), squares.bundled("none")), (vec!["seed-1".to_owned()], None));
    assert!(format!("{samegame:?}").contains("\"samegame\""));
}

#[test]
fn a_seed_has_its_board_of_as_many_colours_as_are_asked_for() {
    let samegame = &GAMES[0];
    let bottom = |seed, colors| {
        let board = samegame.test_case(seed, SeedOptions { colors });
        board.map(|board| board.lines().last().unwrap_or_default().to_owned())
    };
    // By a second implementation of the generator.
    assert_eq!(bottom(2, None).as_deref(), Ok("3 2 4 1 2 4 4 0 3 4 2 4 4 0 1"));
    assert_eq!(bottom(i64::MIN, Some(3)).as_deref(), Ok("0 1 2 1 2 0 0 2 1 1 1 0 2 0 1"));
    let refused = bottom(1, Some(6)).expect_err("six colours");
    assert_eq!(refused.to_string(), "a SameGame board has 1 to 5 colours, not 6");
}

#[test]
fn a_game_is_added_once_and_found_by_its_name() {
    let kind = || Arc::new(GameKind::new("mine", "Mine", |_| unreachable!("nobody plays it")));
    let (mine, another) = (kind(), kind());
    assert!(GameKind::named("mine").is_none());
    assert_eq!(register(mine.clone()), Ok(()));
    assert_eq!(register(mine.clone()), Ok(()), "the same row");
    let taken = register(another).expect_err("another row");
    assert_eq!(taken.to_string(), "there is another game `mine`; give yours another name");
    assert!(Arc::ptr_eq(&GameKind::named("mine").expect("it is there"), &mine));
    assert_eq!(games().len(), 3);
    let unknown = UnknownGame::new("yours").to_string();
    assert_eq!(unknown, "there is no game `yours`; the games are: samegame, square-remover, mine");
    let refused = mine.test_case(1, SeedOptions::default()).expect_err("no seeds");
    assert_eq!(refused.to_string(), "this game has no test cases by seed");
}

#[test]
fn a_measure_has_its_name_unit_and_decimals() {
    use Direction::{Higher, Lower};
    for (measure, name, unit, decimals, is_relative) in [
        (Measure::Points, "points", ["points a board"; 2], 1, false),
        (Measure::Ratio, "ratio", ["% of yours/best a board", "% of best/yours a board"], 2, false),
        (Measure::Log, "log", ["% by logarithm a board"; 2], 2, true),
        (Measure::Rank, "rank", ["% more boards won than lost"; 2], 2, true),
        (Measure::Place, "place", ["% of the places a board"; 2], 2, true),
    ] {
        assert_eq!(measure.to_string(), name);
        assert_eq!([measure.unit(Higher), measure.unit(Lower)], unit);
        assert_eq!((measure.decimals(1), measure.is_relative()), (decimals, is_relative), "{name}");
        assert_eq!(measure.is_points(), name == "points");
    }
}

#[test]
fn scores_are_shown_ranked_and_bounded() {
    let score = |text: &str| text.parse::<Score>().expect("a score");
    let (one, two) = (score("1"), score("2"));
    assert_eq!((shown(None), shown(Some(score("1.50")))), ("none".to_owned(), "1.50".to_owned()));
    assert_eq!((score("1.50").decimals(), two.decimals(), score("1.5").as_f64()), (2, 0, 1.5));
    for (direction, better, worse, share) in
        [(Direction::Higher, two, one, "yours/best"), (Direction::Lower, one, two, "best/yours")]
    {
        for (left, right) in [(one, two), (two, one)] {
            assert_eq!(
                (direction.better(left, right), direction.worse(left, right)),
                (better, worse)
            );
        }
        assert!(direction.is_better(better, worse) && !direction.is_better(worse, better));
        assert!(!direction.is_better(one, one));
        assert_eq!(direction.share_name(), share);
        assert_eq!(direction.is_higher(), direction == Direction::Higher);
        let tie = [score("1.0"), score("1")];
        assert_eq!(direction.better(tie[0], tie[1]).to_string(), "1.0", "the first of equal ones");
        assert_eq!(direction.worse(tie[0], tie[1]).to_string(), "1.0", "the first of equal ones");
    }
    let largest = score("79228162514264337593543950335");
    let smallest = Score::ZERO - largest;
    assert!((largest + one).is_at_limit() && (smallest - one).is_at_limit());
    assert!(!two.is_at_limit() && !(largest - one).is_at_limit());
}

#[test]
fn a_frame_concerns_what_it_removes_or_else_what_it_moves() {
    let moved = vec![(3, 4)];
    let taking = Change { gone: vec![1], moved: moved.clone(), new: vec![] };
    let swapping = Change { moved, ..Change::default() };
    let concerned = |steps: Vec<Change>| {
        let frame = Frame { steps, ..Frame::default() };
        (0..5).filter(|&place| frame.concerns(place)).collect::<Vec<_>>()
    };
    assert_eq!(concerned(vec![taking.clone(), swapping.clone()]), [1]);
    assert_eq!(concerned(vec![swapping, taking]), [3]);
    assert!(concerned(vec![]).is_empty());
    let labels = vec!["a".to_owned()];
    let picture = Picture {
        columns: 2,
        colors: 2,
        labels,
        tiles: vec![Some(1), None, Some(1)],
        ..Picture::default()
    };
    assert_eq!((&*picture.label(0), &*picture.label(1)), ("a", "1"));
    assert_eq!(picture.left(), [0, 2]);
    assert!(!picture.is_none() && Picture::default().is_none());
    assert_eq!((Pace::Turns.noun(), Pace::Moves.noun()), ("turn", "move"));
}

#[test]
fn equal_scores_share_a_place() {
    let scores: Vec<Score> = ["7", "4", "7"].map(|score| score.parse().expect("a score")).into();
    let places = |better| -> Vec<u32> {
        SeatEnd::by_scores(&scores, better).iter().map(|seat| seat.place).collect()
    };
    assert_eq!(places(Direction::Higher), [1, 3, 1]);
    assert_eq!(places(Direction::Lower), [2, 1, 2]);
}
