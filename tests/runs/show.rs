//! `referee show`: a run's games in the order of somebody's choice, read from runs made by hand.

use referee::limits::Limits;
use referee::millis::Millis;
use referee::suite::{Outcome, SuiteVerdict};
use referee::verdict::Verdict;
use support::prelude::*;

/// Two runs: `old` of one bot, and `new` of two, on the same four boards.
fn scene() -> Place {
    let place = Place::new();
    MadeRun::new(&[("a", &[100, 200, 300, 400])]).save(&place.path("old"));
    let mut new = MadeRun::new(&[("a", &[90, 200, 360, 100]), ("b", &[100, 100, 100, 100])]);
    new.plan().rules.limits = Limits::from_kinds(|_| Some(Duration::from_millis(50)));
    let took = |outcome: &mut Outcome, first: u64, slowest: u64| {
        outcome.times.first = Some(Millis(Duration::from_millis(first)));
        outcome.times.slowest = Some(Millis(Duration::from_millis(slowest)));
    };
    for (game, (first, slowest)) in
        [(1, 1), (1, 1), (1, 30), (1, 1), (49, 2), (1, 1), (1, 1), (60, 1)].into_iter().enumerate()
    {
        took(&mut new.outcomes[game], first, slowest);
    }
    new.outcomes[7].verdict = SuiteVerdict::Played(Verdict::Timeout);
    new.outcomes[7].won = false;
    new.save(&place.path("new"));
    place
}

fn shown(place: &Place, args: &[&str]) -> String {
    place.command(&[&["show"], args].concat()).run().exits(0).out()
}

#[test]
fn the_seeds_of_the_games_that_matter_are_a_list_to_play_again() {
    let place = scene();
    for (args, seeds) in [
        (&["new:a"][..], "1,2,3,4"),
        (&["new:a", "--sort", "worst"], "1,4,2,3"),
        (&["new:b", "--sort", "worst"], "4,3,2,1"),
        (&["new", "--sort", "slowest", "--limit", "3"], "4,3,2"),
        (&["new:a", "--sort", "gain", "--against", "old"], "3,2,1,4"),
        (&["new", "--sort", "slowest", "--limit", "8"], "4,3,2,1"),
    ] {
        let list = shown(&place, &[args, &["--format", "seeds"]].concat());
        assert_eq!(list, format!("{seeds}\n"), "{args:?}");
    }
    let list = shown(&place, &["new", "--sort", "slowest", "--limit", "3", "--format", "seeds"]);
    let suite =
        ["suite", "--run", "none", "--bot", "@first", "--format", "json", "--seed", list.trim()];
    assert_eq!(place.command(&suite).run().json()["games"], 3);
}

#[test]
fn the_worst_games_come_first_and_those_without_a_score_last() {
    let place = Place::new();
    let scores: Vec<i64> = (0..60).map(|board| board * 37 % 60).collect();
    let mut made = MadeRun::new(&[("a", &scores)]);
    for unscored in made.outcomes.iter_mut().step_by(3) {
        unscored.score = None;
    }
    made.save(&place.path("run"));
    let sorted = shown(&place, &["run", "--sort", "worst", "--format", "json"]);
    let sorted: Value = serde_json::from_str(&sorted).expect("JSON");
    let games = sorted["games"].as_array().expect("games");
    let shown: Vec<Option<i64>> = games.iter().map(|game| game["score"].as_i64()).collect();
    let (first, last) = shown.split_at(40);
    assert!(first.iter().all(Option::is_some) && first.is_sorted(), "{shown:?}");
    assert_eq!(last, [None; 20]);
}

#[test]
fn a_game_is_shown_with_its_share_its_gain_and_its_part_of_a_limit() {
    let place = scene();
    let args = ["new:a", "--sort", "gain", "--against", "old"];
    let both: Value =
        serde_json::from_str(&shown(&place, &[&args[..], &["--format", "json"]].concat()))
            .expect("JSON");
    assert_eq!(both["summary"]["games"], 8);
    let games = both["games"].as_array().expect("games");
    let of = |field: &str| games.iter().map(|game| game[field].to_string()).collect::<Vec<_>>();
    assert_eq!(of("gain"), ["60", "0", "-10", "-300"]);
    assert_eq!(of("seed"), ["3", "2", "1", "4"]);
    assert_eq!((of("ratio")[2].as_str(), of("of_limit")[0].as_str()), ("0.9", "0.98"));
    let text = shown(&place, &[&args[..], &["--limit", "1"]].concat());
    assert!(text.contains("8 games of samegame, 1 lost") && text.contains("+60"), "{text}");
    assert!(text.contains("98.0 %") && !text.contains("-300"), "{text}");
    let csv = shown(&place, &[&args[..], &["--format", "csv"]].concat());
    assert!(csv.lines().next().is_some_and(|line| line.ends_with(",gain,of_limit")), "{csv}");
    assert!(shown(&place, &["new", "--format", "markdown"]).contains("| a | seed 1 |"));
}

#[test]
fn what_show_cannot_show_is_said() {
    let place = scene();
    for (args, problem) in [
        (&["show", "new", "--sort", "gain"][..], "--against"),
        (&["show", "old", "--against", "new"], "name one of its bots, new:BOT: `a`, `b`"),
        (&["show", "none"], "none"),
    ] {
        let output = place.command(args).run().exits(2);
        assert!(output.err().contains(problem), "{args:?}: {}", output.err());
    }
}

#[test]
fn the_list_of_runs_names_games_where_they_differ() {
    let place = Place::new();
    MadeRun::new(&[("a", &[1, 2])]).save(&place.path("runs/one"));
    let list = || place.command(&["runs"]).run().out();
    assert!(!list().contains("samegame"), "{}", list());
    let mut other = MadeRun::new(&[("a", &[1, 2])]);
    "square-remover".clone_into(&mut other.plan().game);
    other.save(&place.path("runs/two"));
    assert!(list().contains("samegame") && list().contains("square-remover"), "{}", list());
}
