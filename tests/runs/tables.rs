//! Runs of games of several players, made by hand: what is resumed, rated, compared and shown.

use referee::compare::{Comparison, Contender, Decider, Relation};
use referee::limits::{LimitKind, OnHostDelay};
use referee::measure::Measure;
use referee::millis::Millis;
use referee::stats::{Conclusion, Risk};
use referee::suite::{FolderError, Outcome, RunFolder, RunWriter, SuiteVerdict};
use referee::verdict::{Culprit, Verdict};
use support::prelude::*;

/// The places of a table where bots with a lower index are better, except for one board in `upset`, where they are worse.
fn ranked(board: usize, table: &[usize], upset: usize) -> Vec<u32> {
    let is_upset = board % upset == upset - 1;
    let beats = |one: usize, other: usize| if is_upset { one > other } else { one < other };
    let place = |bot: &usize| 1 + table.iter().filter(|other| beats(**other, *bot)).count();
    table.iter().map(|bot| u32::try_from(place(bot)).expect("few")).collect()
}

fn league(boards: usize) -> MadeRun {
    MadeRun::of_tables(3, [&["one", "two", "three", "four"], &[]], boards, |board, table| {
        ranked(board, table, 3)
    })
}

/// The numbers of the games with a result, once the run is resumed.
fn resumed(run: &RunFolder, is_dropped: impl Fn(&Outcome) -> bool) -> Vec<usize> {
    let mut writer = None;
    // A process that another test has just started may hold the lock of the last writer until it executes its program.
    wait_until("the run is free", || {
        match RunWriter::resume(run.clone(), &is_dropped) {
            Err(FolderError::InUse(_)) => {}
            resumed => writer = Some(resumed.expect("a run")),
        }
        writer.is_some()
    });
    let writer = writer.expect("it is free");
    let outcomes = writer.folder.outcomes().expect("results");
    outcomes.map(|outcome| outcome.expect("a result").game).collect()
}

#[test]
fn a_run_that_was_killed_has_every_game_whole_or_not_at_all() {
    let folder = tempdir().expect("a folder");
    let made = league(4);
    let all: Vec<usize> = (1..=made.outcomes.len()).collect();
    // A kill may leave any part of the lines of a write.
    for lines in [1, 2, 3, 7, 11, 12] {
        let run = made.save(&folder.path().join(format!("run {lines}")));
        let path = run.path.join("results.jsonl");
        let text = fs::read_to_string(&path).expect("results");
        let kept: String = text.split_inclusive('\n').take(lines).collect();
        fs::write(&path, format!("{kept}{{\"game\":")).expect("written");
        assert_eq!(resumed(&run, |_| false), all[..lines / 3 * 3], "{lines} lines");
    }
}

#[test]
fn all_seats_of_a_game_are_played_again_with_one_of_them() {
    let folder = tempdir().expect("a folder");
    let mut made = league(2);
    let all: Vec<usize> = (1..=made.outcomes.len()).collect();
    made.outcomes[4].verdict = SuiteVerdict::Played(Verdict::Crash);
    let run = made.save(&folder.path().join("crash"));
    let is_crash = |it: &Outcome| it.verdict == SuiteVerdict::Played(Verdict::Crash);
    let others = |from: usize| [&all[..from], &all[from + 3..]].concat();
    assert_eq!(resumed(&run, is_crash), others(3));
    assert_eq!(resumed(&run, |_| false), others(3), "they stay away");
    // The host has made one bot late: nothing of the game counts, and it is played again.
    for outcome in &mut made.outcomes[6..9] {
        outcome.seat.as_mut().expect("a seat").spoilt = true;
    }
    let run = made.save(&folder.path().join("host"));
    assert_eq!(resumed(&run, |_| false), others(6));
}

#[test]
fn what_the_host_disturbed_is_played_again_by_the_same_rule_for_one_player_and_for_several() {
    let place = Place::new();
    let [one, several] = ["one", "several"].map(|name| place.path(name));
    let made = || MadeRun::new(&[("a", &[1, 2, 3])]).late(&[2], Culprit::Host);
    let mut table = league(2);
    for outcome in &mut table.outcomes[3..6] {
        outcome.seat.as_mut().expect("a seat").spoilt = true;
    }
    let all: Vec<usize> = (1..=table.outcomes.len()).collect();
    for (mut run, games, others) in [
        (made().save(&one), vec![1, 2, 3], vec![1, 3]),
        (table.save(&several), all.clone(), [&all[..3], &all[6..]].concat()),
    ] {
        run.run.leaves_delayed = true;
        assert_eq!(resumed(&run, |_| false), games, "--on-host-delay fail");
        run.run.leaves_delayed = false;
        run.run.plan.rules.on_host_delay = OnHostDelay::Retry;
        assert_eq!(resumed(&run, |_| false), games, "each was played again at once");
        run.run.plan.rules.on_host_delay = OnHostDelay::Fail;
        assert_eq!(resumed(&run, |_| false), others);
    }
}

#[test]
fn a_line_of_another_seat_is_refused() {
    let folder = tempdir().expect("a folder");
    let mut made = league(1);
    made.outcomes[1].seat.as_mut().expect("a seat").seat = 2;
    let run = made.save(&folder.path().join("run"));
    let error = run.played().expect_err("it is not the plan's").to_string();
    assert!(error.contains("results.jsonl:2") && error.contains("in seat 1"), "{error}");
    let mut made = league(1);
    made.outcomes[0].seat = None;
    let run = made.save(&folder.path().join("other"));
    assert!(run.played().is_err());
}

#[test]
fn ratings_order_the_bots_of_a_run_with_intervals_and_seats() {
    let place = Place::new();
    league(30).save(&place.path("run"));
    let shown = place.command(&["ratings", "run"]).run().exits(0).out();
    insta::assert_snapshot!(shown);
    let found = place.command(&["ratings", "run", "--anchor", "two=1500"]).json();
    let bots: Vec<&str> = found["bots"]
        .as_array()
        .expect("bots")
        .iter()
        .map(|it| it["bot"].as_str().expect("a name"))
        .collect();
    assert_eq!(bots, ["one", "two", "three", "four"]);
    assert_eq!(found["bots"][1]["elo"], 1500.0);
    assert_eq!(found["bots"][1]["margin"], 0.0);
    assert!(found["bots"][0]["margin"].as_f64().expect("an interval") > 10.0);
}

#[test]
fn ratings_of_games_of_one_player_and_of_unknown_bots_are_refused() {
    let place = Place::new();
    MadeRun::new(&[("a", &[1]), ("b", &[2])]).save(&place.path("alone"));
    let error = place.command(&["ratings", "alone"]).run().exits(2).err();
    assert!(error.contains("these games have one player each"), "{error}");
    league(2).save(&place.path("run"));
    let error = place.command(&["ratings", "run", "--anchor", "none=1"]).run().exits(2).err();
    assert!(error.contains("no bot `none`; the bots are: `one`, `two`"), "{error}");
    let error = place.command(&["ratings", "run", "--anchor", "one"]).run().exits(2).err();
    assert!(error.contains("old=1500"), "{error}");
    let error = place.command(&["ratings", "run:one"]).run().exits(2).err();
    assert!(error.contains("name the run alone"), "{error}");
    let shown = place.command(&["ratings", "run", "--format", "csv"]).run().exits(0).out();
    assert!(
        shown.starts_with("bot,games,failed,place,group,elo,margin,is_unbounded,seeds,seat_0,")
    );
    assert!(shown.contains("\none,18,0,"), "no interval below twenty seeds: {shown}");
}

#[test]
fn one_program_in_two_runs_is_one_bot_and_two_of_one_name_are_two() {
    let place = Place::new();
    let mut made = league(20);
    made.save(&place.path("first"));
    made.plan().bots[0].files.insert("one".to_owned(), "another".to_owned());
    made.save(&place.path("second"));
    let found = place.command(&["ratings", "first", "second", "first"]).json();
    let mut names: Vec<&str> = found["bots"]
        .as_array()
        .expect("bots")
        .iter()
        .map(|it| it["bot"].as_str().expect("a name"))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["four", "one (first)", "one (second)", "three", "two"]);
    assert_eq!((&found["seeds"], &found["games"]), (&20.into(), &480.into()));
}

#[test]
fn bots_are_compared_by_their_mean_places_on_whole_seeds() {
    let folder = tempdir().expect("a folder");
    let run = league(90).save(&folder.path().join("run"));
    let bots = [("one", "one".to_owned()), ("four", "four".to_owned())];
    let contenders = Contender::read(&run, &bots).expect("results");
    let found = Comparison::of(&contenders[1], &contenders[0], Risk::default());
    // On a third of the boards the order is reversed.
    assert_eq!((found.paired.pairs, found.measure), (90, Measure::Place));
    assert!((20.0..45.0).contains(&found.paired.all.mean), "{}", found.paired.all.mean);
    assert_eq!(found.paired.conclusion, Conclusion::Better);
}

/// The standing of a bot against the other one of its run, after the games of the first `boards`.
fn head_to_head(boards: usize, spoil: impl Fn(usize, &mut Outcome)) -> (Option<Relation>, usize) {
    let folder = tempdir().expect("a folder");
    let mut made =
        MadeRun::of_tables(2, [&["new", "old"], &[]], 150, |board, table| ranked(board, table, 5));
    for (index, outcome) in made.outcomes.iter_mut().enumerate() {
        spoil(index, outcome);
    }
    made.outcomes.truncate(4 * boards);
    let run = made.against_rival("old").save_games(&folder.path().join("run"));
    let standing = Decider::of(&run).expect("results").expect("an opponent").standing();
    (standing.bot_is, standing.boards)
}

#[test]
fn a_head_to_head_is_decided_by_seeds_from_both_seats() {
    let (found, boards) = head_to_head(150, |_, _| {});
    assert_eq!((found, boards), (Some(Relation::Better), 150));
    assert_eq!(head_to_head(99, |_, _| {}), (None, 99), "too few");
    // One game of each of ten boards is disturbed: nothing of these boards counts.
    let spoil = |index: usize, outcome: &mut Outcome| {
        outcome.seat.as_mut().expect("a seat").spoilt = index < 40 && index % 4 < 2;
    };
    assert_eq!(head_to_head(150, spoil).1, 140);
}

#[test]
fn a_seed_counts_when_its_last_game_has_come() {
    let folder = tempdir().expect("a folder");
    let made =
        MadeRun::of_tables(2, [&["new", "old"], &[]], 3, |board, table| ranked(board, table, 5));
    let games = made.outcomes.clone();
    let run = made.against_rival("old").save_none(&folder.path().join("run"));
    let mut decider = Decider::of(&run).expect("results").expect("an opponent");
    let mut counted = Vec::new();
    for game in games {
        decider.add(&game);
        counted.push(decider.standing().boards);
    }
    assert_eq!(counted, [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3]);
}

#[test]
fn a_new_bot_and_an_old_one_are_compared_over_a_pool() {
    let place = Place::new();
    let run = |bot: &str, best: usize| {
        MadeRun::of_tables(3, [&[bot], &["x", "y", "z"]], 120, move |board, table| {
            // The bot beats the pool except on one board of `best`.
            ranked(board, table, best)
        })
    };
    let old = run("old", 2).save(&place.path("old"));
    let new = run("new", 9).against(old.path.clone(), "old").measured_in_places();
    let new = new.save(&place.path("new"));
    let standing = Decider::of(&new).expect("results").expect("an opponent").standing();
    assert_eq!((standing.bot_is, standing.boards), (Some(Relation::Better), 120));
    let shown = place.command(&["compare", "old:old", "new:new"]).run().exits(0).out();
    assert!(shown.contains(" is better than old"), "{shown}");
}

#[test]
fn the_page_of_a_run_has_ratings_and_what_each_bot_has_against_each_other() {
    let place = Place::new();
    league(20).save(&place.path("run"));
    assert_code(&place.command(&["report", "run", "--html", "page.html"]).run(), 0);
    let page = fs::read_to_string(place.path("page.html")).expect("a page");
    assert!(
        page.contains("<a href=\"#ratings\">Ratings</a>") && page.contains("Against each other")
    );
    assert!(
        page.contains("<a href=\"#pair-1-2\">")
            && page.contains("<p class=\"meeting\" id=\"pair-1-2\">")
    );
    let shown = place.command(&["show", "run"]).run().exits(0).out();
    assert!(shown.contains("place by seat"), "{shown}");
    assert!(shown.lines().any(|line| line.contains(" place  against")), "{shown}");
    let totals = page.split("id=\"totals\"").nth(1).expect("totals");
    assert!(totals.contains(">failed</th>") && !totals.contains(">won</th>"), "{totals}");
    let status = place.command(&["status", "run"]).run().exits(0).out();
    let games = shown.lines().next().expect("a headline").split(' ').next().expect("a number");
    assert!(status.starts_with(&format!("run: {games} of {games} games")), "{status} {shown}");
}

#[test]
fn a_game_in_which_both_bots_were_late_counts_for_both() {
    let place = Place::new();
    let mut made = MadeRun::of_tables(2, [&["one", "two"], &[]], 3, |_, _| vec![1, 2]);
    made.plan().rules.limits = [(LimitKind::Turn, Duration::from_millis(1))].into();
    for outcome in &mut made.outcomes {
        outcome.session = Some(1);
        outcome.times.slowest_limit = Some(Millis(Duration::from_millis(50)));
        // Both bots were late in the first game.
        outcome.times.host_overruns = u32::from(outcome.game < 3);
    }
    made.save(&place.path("run"));
    let shown = place.command(&["show", "run"]).run().exits(0).out();
    for bot in ["one", "two"] {
        let counted = format!("{bot} won 1 game with a reply after its limit, which counts");
        assert!(shown.contains(&counted), "{shown}");
    }
}

#[test]
fn places_are_compared_over_all_games_lost_ones_included() {
    let place = Place::new();
    let mut made = MadeRun::of_tables(2, [&["one", "two", "three"], &[]], 3, |board, table| {
        ranked(board, table, 9)
    });
    for outcome in made.outcomes.iter_mut().filter(|outcome| outcome.bot == "three").step_by(2) {
        outcome.verdict = SuiteVerdict::Played(Verdict::Crash);
        outcome.won = false;
    }
    made.save(&place.path("run"));
    let text = place.command(&["compare", "run"]).run().out();
    let headings = text.lines().find(|line| line.contains("verdict")).expect("a table of all bots");
    for heading in [" boards ", " failed games ", " mean place "] {
        assert!(headings.contains(heading), "{heading}: {text}");
    }
    assert!(text.contains("three failed on 3 (") && !text.contains("both finish"), "{text}");
}
