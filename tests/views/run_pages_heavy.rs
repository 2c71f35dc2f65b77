//! Pages of runs as a reader meets them: from one to the next, with long tables, and while a suite is played.

use std::thread;

use crate::views::metrics::charts_are_accessible;
use crate::views::page_heavy::all_replay_pages_are_accessible;
use crate::views::report::{LOSER, Runs, records};
use support::prelude::*;

/// A run of `@first`, in a folder that knows a best score for each of its boards.
fn run_with_records() -> Runs {
    let runs = Runs::new().run("runs/a", &["@first"], "1..20", &["--logs", "all"]);
    let bests = records(&runs.results("runs/a"), "@first");
    fs::write(runs.path("records.toml"), bests).expect("written");
    fs::write(runs.path("referee.toml"), "[suite]\nrecords = 'records.toml'\n").expect("written");
    runs
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_reader_walks_from_the_list_of_runs_to_a_game_and_back() {
    let Some(browser) = Browser::open() else { return };
    let bots = ["@first", "@greedy"];
    let runs = run_with_records().run("runs/b", &bots, "1..20", &["--logs", "all"]);
    let expected = json!({
        "url": runs.page(&["--history", "--games"]),
        "bots": bots,
        "points": 3,
        // The two that were ticked last: `@first` of the older run, and `@greedy`.
        "compared": "referee compare runs/a:@first runs/b:@greedy",
    });
    browser.check("walks", &expected);
    let url = runs.page(&["runs/a", "runs/b", "--games"]);
    let sides = ["@first (runs/a)", "@first (runs/b)"];
    browser.check("leads_to_both", &json!({ "url": url, "bots": sides }));
}

/// The page of a run of 120 boards, with its scores.
fn long_page(runs: &Runs) -> (String, Vec<i64>) {
    let scores: Vec<i64> = (1..=120).map(|board| board * 37 % 121).collect();
    MadeRun::new(&[("a", &scores)]).save(&runs.path("long"));
    (runs.page(&["long"]), scores)
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_long_table_draws_its_first_rows_and_the_others_when_asked() {
    let Some(browser) = Browser::open() else { return };
    let runs = Runs::new();
    let (url, scores) = long_page(&runs);
    browser.check("report_folds", &json!({ "url": url, "scores": scores, "board": "seed 117" }));
}

/// A suite that is being played, and its page.
struct Live {
    runs: Runs,
    suite: Child,
    report: Child,
}

impl Live {
    fn start() -> Self {
        let runs = Runs::new();
        let mut suite = referee()
            .current_dir(runs.path("."))
            .args(["suite", "--seed", "1..1000", "--run", "run"])
            .args(["--jobs", "1"])
            .patient();
        for bot in ["@thinker --sleep 1", "@greedy", LOSER] {
            suite = suite.args(["--bot", bot]);
        }
        let suite = suite.silent().start();
        wait_until("a run", || runs.path("run/results.jsonl").exists());
        let report = ["report", "run", "--html", "live.html", "--live"];
        let report = referee().current_dir(runs.path(".")).args(report).silent().start();
        let live = Self { runs, suite, report };
        wait_until("the first page", || live.page().contains("id=\"live\""));
        live
    }

    fn page(&self) -> String {
        fs::read_to_string(self.runs.path("live.html")).unwrap_or_default()
    }

    fn url(&self) -> String {
        format!("file://{}", self.runs.path("live.html").display())
    }

    /// Interrupts the suite, and returns the page that it leaves.
    fn stop(self) -> String {
        for child in [self.suite, self.report] {
            kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
            finished(child);
        }
        fs::read_to_string(self.runs.path("live.html")).expect("a page")
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_page_of_a_suite_that_is_played_renews_itself_until_the_end() {
    let Some(browser) = Browser::open() else { return };
    let live = Live::start();
    let why = "turn 4: the bot exited with status 3";
    browser.check("report_lives", &json!({ "url": live.url(), "bot": "@greedy", "why": why }));
    let page = live.stop();
    assert!(!page.contains("id=\"live\"") && page.contains("of 3000 games"), "{page}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_list_of_runs_that_is_kept_up_to_date_shows_new_ones_by_itself() {
    let Some(browser) = Browser::open() else { return };
    let runs = Runs::new().run("runs/1", &["@first"], "1..3", &[]);
    let live = referee().current_dir(runs.path("."));
    let live = live.args(["report", "--all", "--live", "--html", "live.html"]).silent().start();
    let page = runs.path("live.html");
    wait_until("the page", || page.exists());
    // The browser's script says when to play the second and the third run.
    let signs = ["second", "third"].map(|sign| runs.path(sign));
    let [second, third] = &signs;
    let expected =
        json!({ "url": format!("file://{}", page.display()), "second": second, "third": third });
    thread::scope(|scope| {
        scope.spawn(|| {
            for (sign, name) in signs.iter().zip(["runs/2", "runs/3"]) {
                wait_until("a sign", || sign.exists());
                runs.play(name, &["@first"], "1..3", &[]);
            }
        });
        browser.check("list_lives", &expected);
    });
    kill_process(Pid::from_child(&live), Signal::INT).expect("it runs");
    finished(live);
}

/// Looks at pages of runs and of their games, and at the list of runs, in each state.
fn all_pages_of_runs_are_accessible(browser: Browser) {
    let accessible = |url: &str, clicks: &[&str]| {
        browser.check("accessible", &json!({ "url": url, "clicks": clicks }));
    };
    let bots = ["@first", "@greedy", LOSER];
    let runs = run_with_records().run("runs/run", &bots, "1..20", &["--logs", "all"]);
    let values = ["--param", "S=1..3", "--logs", "all"];
    let runs = runs.run("runs/tried", &["@random --seed {S}"], "1..20", &values);
    let url = runs.page(&["runs/run", "--games"]);
    accessible(&url, &["#boards .sort", "#lost summary", ".heat summary"]);
    let games = |games: &str| url.replace("page.html", &format!("page-games.html#{games}"));
    accessible(&games("game=1&with=2"), &[".trial summary", "#save"]);
    let kept = [".board", ".trial .keep", ".trial .undo", "#save"];
    accessible(&games("game=1"), &kept);
    accessible(&runs.page(&["runs/run:@first", "runs/tried"]), &["#tried h2", ".heat summary"]);
    accessible(&runs.page(&["--history"]), &[]);
    accessible(&long_page(&runs).0, &["#boards .draws-all"]);
    let live = Live::start();
    accessible(&format!("{}#stay", live.url()), &[]);
    live.stop();
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_checker_of_accessibility_finds_nothing_in_any_page() {
    if let Some(browser) = Browser::open() {
        all_replay_pages_are_accessible(browser);
        all_pages_of_runs_are_accessible(browser);
        charts_are_accessible(browser);
    }
}
