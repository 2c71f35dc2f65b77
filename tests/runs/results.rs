//! What is read from runs and merged, on runs made by hand.

use referee::suite::{Bests, NotPlayed, Records, RunFolder, SuiteVerdict, Summary};
use support::prelude::*;

fn records_of(run: &RunFolder) -> Records {
    Summary::of(run, &Bests::default()).expect("results").records(run)
}

/// The mean of yours/best of each bot.
fn ratios(run: &MadeRun, records: &Records) -> Vec<f64> {
    let folder = tempdir().expect("a folder");
    let run = run.save(&folder.path().join("run"));
    let summary = Summary::of(&run, &Bests::of("samegame", records)).expect("results");
    summary.bots.iter().map(|tally| tally.ratio().expect("boards with a best")).collect()
}

#[test]
fn no_bot_passes_the_best_since_its_own_best_is_one() {
    let folder = tempdir().expect("a folder");
    let before = MadeRun::new(&[("a", &[100, 200])]).save(&folder.path().join("before"));
    let records = records_of(&before);
    // Half of the record on one board, and above it on the other.
    assert_eq!(ratios(&MadeRun::new(&[("a", &[50, 300])]), &records), [0.75]);
    let rivals = MadeRun::new(&[("a", &[50, 300]), ("b", &[100, 75])]);
    assert_eq!(ratios(&rivals, &Records::default()), [0.75, 0.625]);
    // A game that does not count sets no record, but its score is still compared with the best known.
    let mut late = MadeRun::new(&[("a", &[50, 300])]);
    late.outcomes.iter_mut().for_each(|outcome| outcome.counts = false);
    assert_eq!(ratios(&late, &records), [0.75]);
    let run = late.save(&folder.path().join("late"));
    assert_eq!(records_of(&run), Records::default());
}

#[test]
fn a_lost_game_is_no_share_of_the_best_even_if_nobody_has_won_on_its_board() {
    let mut run = MadeRun::new(&[("a", &[0, 0]), ("b", &[0, 0])]);
    // Both lose on the first board; on the second, a wins with nothing and b loses.
    for game in [1, 2, 4] {
        run.outcomes[game - 1].won = false;
    }
    assert_eq!(ratios(&run, &Records::default()), [0.5, 0.0]);
}

#[test]
fn a_best_goes_to_the_first_of_equals_and_an_equal_score_is_none() {
    let folder = tempdir().expect("a folder");
    let before = MadeRun::new(&[("old", &[200, 300])]).save(&folder.path().join("before"));
    let records = records_of(&before);
    let run = MadeRun::new(&[("a", &[250, 300]), ("b", &[250, 300])]);
    let run = run.save(&folder.path().join("run"));
    let summary = Summary::of(&run, &Bests::of("samegame", &records)).expect("results");
    let new = summary.new_bests.iter().map(|best| (best.bot.as_str(), best.board.as_str()));
    assert_eq!(new.collect::<Vec<_>>(), [("a", "seed 1")]);
    assert_eq!(Bests::of("square-remover", &records), Bests::default(), "of another game");
}

#[test]
fn many_new_bests_are_a_number_and_the_first_ones() {
    let place = Place::new();
    MadeRun::new(&[("old", &[100; 12])]).save(&place.path("before"));
    MadeRun::new(&[("new", &[101; 12])]).save(&place.path("run"));
    for run in ["before", "run"] {
        let suite = ["resume", run, "--records", "records.toml"];
        let told = place.command(&suite).run().exits(0).out();
        let (first, last) = (
            "  seed 1: 101 by new, before 100 by old\n  seed 2:",
            "  and 7 more: 12 of 12 boards; `--format json` lists all\n",
        );
        assert_eq!(told.contains(first) && told.contains(last), run == "run", "{told}");
        assert_eq!(
            told.matches(" by new, before ").count(),
            if run == "run" { 5 } else { 0 },
            "{told}"
        );
    }
}

#[test]
fn a_page_calls_the_share_of_the_best_as_lists_do() {
    let place = Place::new();
    MadeRun::new(&[("a", &[50, 300]), ("b", &[100, 75])]).save(&place.path("rivals"));
    MadeRun::new(&[("a", &[50, 300])]).save(&place.path("alone"));
    let page = |run: &str| {
        let output = place.command(&["report", run, "--html", "page.html", "--force"]).output();
        assert_code(&output.expect("runs"), 0);
        fs::read_to_string(place.path("page.html")).expect("a page")
    };
    let (rivals, alone) = (page("rivals"), page("alone"));
    for (page, share) in [(&rivals, "<td>75.00 %</td>"), (&alone, "<td>-</td>")] {
        assert!(page.contains(">yours/best</th>") && page.contains(share), "{page}");
        assert!(!page.contains("1,000,000"), "{page}");
    }
}

#[test]
fn a_command_to_go_on_with_can_be_pasted_whatever_the_run_is_called() {
    let place = Place::new();
    for run in ["two words", "it's", "a#b", "a \"b\" $HOME"] {
        let mut made = MadeRun::new(&[("a", &[1, 2, 3, 4])]).in_shard("1/1");
        made.outcomes[2].verdict = SuiteVerdict::NotPlayed(NotPlayed::CannotStart);
        made.save(&place.path(run));
        let said = place.command(&["merge", run]).run().exits(2).err();
        let command = said.split('`').nth(1).unwrap_or_else(|| panic!("no command: {said}"));
        let words = shlex::split(command).expect("words");
        assert_eq!(words, ["referee", "resume", run], "{said}");
    }
}

#[test]
fn each_run_has_a_page_of_its_own_even_if_another_one_has_its_name() {
    let place = Place::new();
    fs::write(place.path("referee.toml"), "").expect("written");
    fs::create_dir(place.path("runs")).expect("made");
    let runs = ["runs/a", "a", "runs/A"];
    for run in runs {
        MadeRun::new(&[("a", &[1])]).save(&place.path(run));
    }
    let report = ["report", "--all", "--html", "page.html"];
    assert_code(&place.command(&report).run(), 0);
    let read = |name: &str| fs::read_to_string(place.path(name)).expect("a page");
    for (run, name) in runs.into_iter().zip(["a-3.html", "a-2.html", "A.html"]) {
        assert!(read("page.html").contains(&format!("\"page-runs/{name}\"")), "{name}");
        assert!(
            read(&format!("page-runs/{name}")).contains(&format!("<p>{run}, started")),
            "{name}"
        );
    }
    let none = place.command(&report).args(["-n", "0"]).run().exits(2).err();
    assert!(none.contains("'0'") && !none.contains("there are no runs"), "{none}");
}

#[test]
fn a_result_of_no_game_of_the_plan_is_refused_by_everyone_who_reads_it() {
    let place = Place::new();
    let mut run = MadeRun::new(&[("a", &[1, 2]), ("b", &[3, 4])]);
    run.outcomes[3].game = 99;
    run.save(&place.path("run"));
    for line in ["report run --html page.html", "compare run", "verify run", "resume run"] {
        let said = place.command(&line.split(' ').collect::<Vec<_>>()).run().exits(2).err();
        assert!(
            said.contains("results.jsonl:4: there is no game 99 in the plan"),
            "{line}: {said}"
        );
    }
}

#[test]
fn what_is_not_in_any_run_is_told_apart_from_no_runs() {
    let place = Place::new();
    fs::write(place.path("referee.toml"), "").expect("written");
    let list = |args: &[&str]| place.command(args).run().exits(0).out();
    fs::create_dir(place.path("runs")).expect("made");
    assert!(list(&["runs"]).contains("There are no runs in runs or the working directory."));
    MadeRun::new(&[("a", &[1]), ("b", &[2])]).save(&place.path("runs/one"));
    let said = place.command(&["compare", "runs/one", "--by", "N"]).run().exits(2).err();
    assert!(said.contains("boards have no such property; there are: colors\n"), "{said}");
}
