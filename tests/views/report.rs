//! The page of runs, in a real browser: `browser/check.mjs` looks at it.

use insta::assert_snapshot;

use crate::timing::reports::named_limits;
use support::prelude::*;

/// A bot that loses each of its games.
pub(crate) const LOSER: &str = "@misbehaving exit 3 --on-turn 4";

/// Runs in a folder, and their pages.
pub(crate) struct Runs(TempDir);

impl Runs {
    pub(crate) fn new() -> Self {
        Self(tempdir().expect("a folder"))
    }

    /// Plays some bots, each on the boards of `seeds`, and returns itself.
    pub(crate) fn run(self, name: &str, bots: &[&str], seeds: &str, more: &[&str]) -> Self {
        self.play(name, bots, seeds, more);
        self
    }

    /// Plays some bots, each on the boards of `seeds`.
    pub(crate) fn play(&self, name: &str, bots: &[&str], seeds: &str, more: &[&str]) {
        let mut suite = referee()
            .current_dir(self.0.path())
            .args(["suite", "--seed", seeds, "--run", name])
            .args(more);
        if !more.contains(&"square-remover") {
            suite = suite.patient();
        }
        for bot in bots {
            suite = suite.args(["--bot", bot]);
        }
        let output = suite.run();
        let code = i32::from(bots.contains(&LOSER));
        let said = output.err();
        assert_eq!(output.status.code(), Some(code), "{said}");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn report(&self, args: &[&str]) -> Output {
        referee().current_dir(self.0.path()).arg("report").args(args).run()
    }

    /// The address of the page made with these arguments.
    #[track_caller]
    pub(crate) fn page(&self, args: &[&str]) -> String {
        let output = self.report(&[args, &["--html", "page.html"]].concat());
        let said = output.err();
        assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""));
        format!("file://{}", self.path("page.html").display())
    }

    /// The text of the page.
    fn html(&self) -> String {
        fs::read_to_string(self.path("page.html")).expect("a page")
    }

    /// Renames a bot, and all boards, which were seeds, in the plan of a run.
    fn rename(&self, run: &str, [bot, name]: [&str; 2], board: &str) {
        let file = self.path(run).join("run.toml");
        let text = fs::read_to_string(&file).expect("a run");
        let mut run: toml::Table = text.parse().expect("TOML");
        let plan = run["plan"].as_table_mut().expect("a table");
        let bots = plan["bots"].as_array_mut().expect("a list");
        let named = bots.iter_mut().find(|it| it["name"].as_str() == Some(bot)).expect("a bot");
        named["name"] = name.into();
        let seeds = plan.remove("seeds").and_then(|it| it["last"].as_integer()).expect("from 1");
        let board = [("name", board), ("test_case", "")];
        let board: toml::Table =
            board.map(|(key, value)| (key.to_owned(), value.into())).into_iter().collect();
        let boards: Vec<toml::Table> = (1..=seeds).map(|_| board.clone()).collect();
        plan.insert("boards".to_owned(), boards.into());
        fs::write(file, run.to_string()).expect("written");
    }

    /// The results of a run by game.
    pub(crate) fn results(&self, run: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(run).join("results.jsonl")).expect("results");
        let parse = |line| serde_json::from_str(line).expect("JSON");
        let mut results: Vec<Value> = text.lines().map(parse).collect();
        results.sort_by_key(|result| result["game"].as_u64());
        results
    }

    /// Changes each result of a run.
    fn change(&self, run: &str, change: impl Fn(&mut Value)) {
        let mut results = self.results(run);
        results.iter_mut().for_each(change);
        let lines: Vec<String> = results.iter().map(Value::to_string).collect();
        let path = self.path(run).join("results.jsonl");
        fs::write(path, lines.join("\n") + "\n").expect("written");
    }
}

/// The sum of a bot's points.
fn sum(results: &[Value], bot: &str) -> i64 {
    let mine = results.iter().filter(|result| result["bot"] == bot && result["won"] == true);
    mine.map(|result| result["score"].as_i64().expect("a number")).sum()
}

/// A record of each board, twice the score of `bot`, and ten times on the first: so that the mean of shares
/// differs from the share of sums.
pub(crate) fn records(results: &[Value], bot: &str) -> String {
    let mine = results.iter().filter(|result| result["bot"] == bot).enumerate();
    let record = |(index, result): (usize, &Value)| {
        let times = if index == 0 { 10 } else { 2 };
        format!(
            "[[record]]\nrecord_id = {}\nboard = {}\ngame = \"samegame\"\nbot = \"./ancestor\"\nscore = {}\n",
            result["record_id"],
            result["board"],
            times * result["score"].as_i64().expect("a number")
        )
    };
    format!("format = 1\n{}", mine.map(record).collect::<String>())
}

#[test]
fn a_page_of_a_run_has_totals_and_the_lost_games_first_with_their_replays() {
    let Some(browser) = Browser::open() else { return };
    let runs = Runs::new().run("run", &["@greedy", LOSER], "1..8", &["--logs", "all"]);
    let results = runs.results("run");
    fs::write(runs.path("best.toml"), records(&results, "@greedy")).expect("written");
    let url = runs.page(&["run", "--records", "best.toml", "--games"]);
    let (mine, turns) = (sum(&results, "@greedy"), |bot: &str| {
        let turns = results.iter().filter(|result| result["bot"] == bot);
        turns.map(|result| result["turns"].as_u64().expect("a number")).sum::<u64>()
    });
    let boards: Vec<Value> = results
        .iter()
        .filter(|result| result["bot"] == "@greedy")
        .map(|result| json!([result["board"], format!("{}", result["score"])]))
        .collect();
    let expected = json!({
        "url": url,
        "title": format!("{LOSER} loses on 8 of 8 boards, @greedy on 0; too few to compare scores"),
        "totals": [
            ["@greedy", "8", "8", "0", mine.to_string()],
            [LOSER, "8", "0", "8", "0"],
        ],
        "shares": [format!("{:.2} %", (7.0 / 2.0 + 1.0 / 10.0) / 8.0 * 100.0), "0.00 %"],
        "lost": { "count": 1, "verdict": "crash", "why": "turn 4: the bot exited with status 3" },
        "boards": boards,
        "times": ["first turn: 8 turns", format!("later turns: {} turns", turns("@greedy") - 8)],
        "limit": "limit 60 s",
        // The games, the boards, and the boards of the comparison.
        "pages": 16 + 8 + 8,
        "replay": { "game": 2, "bot": LOSER, "other": "@greedy" },
    });
    browser.check("report", &expected);
}

#[test]
fn a_page_of_two_runs_has_the_distribution_of_their_differences() {
    let Some(browser) = Browser::open() else { return };
    let runs =
        Runs::new().run("old", &["@first"], "1..20", &[]).run("new", &["@greedy"], "1..22", &[]);
    let url = runs.page(&["old", "new"]);
    let compared = referee()
        .current_dir(runs.0.path())
        .args(["compare", "old", "new", "--format", "json"])
        .run();
    let compared: Value = serde_json::from_str(&compared.out()).expect("JSON");
    let compared = &compared[0];
    let differences: Vec<String> = compared["boards"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|board| format!("{:+.0}", board["difference"].as_f64().expect("a number")))
        .collect();
    let expected = json!({
        "url": url,
        "counts": format!(
            "20 boards: {} above 0, {} even, {} below 0",
            compared["wins"], compared["draws"], compared["losses"]
        ),
        "mean": format!("{:+.1}", compared["mean"].as_f64().expect("a number")),
        "differences": differences,
        "unpaired": "Only @greedy has played 2 boards: seed 21, seed 22.",
        "logs": "Logs were kept of 0 of 20 games",
    });
    browser.check("report_compares", &expected);
}

#[test]
fn tables_are_sorted_and_filtered_and_games_that_failed_alike_are_one_entry() {
    let Some(browser) = Browser::open() else { return };
    let runs = Runs::new().run("run", &["@greedy", LOSER], "1..20", &["--logs", "all"]);
    // Times that words would sort otherwise.
    runs.change("run", |result| {
        let game = result["game"].as_f64().expect("a number");
        result["slowest_ms"] = json!(if game > 20.0 { 1000.0 * game } else { 0.05 * game });
    });
    let results = runs.results("run");
    let mine: Vec<&Value> = results.iter().filter(|it| it["bot"] == "@greedy").collect();
    let boards: Vec<Value> = mine.iter().map(|it| json!([it["board"], it["score"]])).collect();
    let slowest: Vec<String> = mine
        .iter()
        .rev()
        .map(|it| {
            let game = it["game"].as_f64().expect("a number");
            if game > 20.0 { format!("{game} s") } else { format!("{} µs", game * 50.0) }
        })
        .collect();
    let url = runs.page(&["run", "--games"]);
    browser.check(
        "report_sorts",
        &json!({ "url": url, "boards": boards, "slowest": slowest, "lost": 20 }),
    );
}

#[test]
fn histograms_have_numbers_and_a_checker_of_accessibility_finds_nothing() {
    let Some(browser) = Browser::open() else { return };
    let bots = ["@first", "@greedy"];
    let runs = Runs::new().run("run", &bots, "1..20", &["--logs", "all"]);
    let url = runs.page(&["run:@first", "run:@greedy"]);
    browser.check("report_labels", &json!({ "url": url }));
    browser.check("accessible", &json!({ "url": url }));
}

#[test]
fn a_page_of_runs_fits_a_phone_in_light_and_dark() {
    let Some(browser) = Browser::open() else { return };
    let name = "./bot --with many words ".repeat(40);
    let long = format!("@misbehaving exit 3 --on-turn 4 --because {}", "x".repeat(200));
    let board = format!("boards/{}.txt", "y".repeat(90));
    let runs = Runs::new().run("run", &["@greedy", "@first", LOSER], "1..4", &["--logs", "all"]);
    runs.change("run", |result| {
        result["diagnosis"] = json!(long);
        result["board"] = json!(board);
        let bot = result["bot"].as_str().expect("a name").replace("@greedy", &name);
        result["bot"] = json!(bot);
    });
    runs.rename("run", ["@greedy", &name], &board);
    let url = runs.page(&["run"]);
    browser.check("report_phone", &json!({ "url": url }));
    fs::create_dir(runs.path("runs")).expect("made");
    fs::rename(runs.path("run"), runs.path("runs").join(format!("run-{}", "z".repeat(90))))
        .expect("moved");
    let url = runs.page(&["--history"]);
    browser.check("report_phone", &json!({ "url": url }));
}

#[test]
fn no_text_from_a_run_runs_in_its_page() {
    let Some(browser) = Browser::open() else { return };
    let evil = "</title></style><script>ran=1</script><img src=x onerror=ran=1>\" onclick='ran=1' \
                {{content}} javascript:ran=1 \u{1b}[31m\u{1b}]52;c;aGk=\u{7}\u{202e}x\u{2066}\0\u{9b}";
    let runs = Runs::new().run("run", &["@greedy", LOSER], "1..3", &["--logs", "all"]);
    runs.change("run", |result| {
        let bot = result["bot"].as_str().expect("a name").replace("@greedy", evil);
        for field in ["board", "official", "diagnosis"] {
            result[field] = json!(evil);
        }
        result["bot"] = json!(bot);
    });
    runs.rename("run", ["@greedy", evil], evil);
    let url = runs.page(&["run", "--games"]);
    assert!(!runs.html().contains(['\u{1b}', '\u{7}', '\u{202e}', '\0', '\u{9b}']));
    let shown = "</title></style><script>ran=1</script><img src=x onerror=ran=1>\" onclick='ran=1' {{content}}";
    browser.check("report_inert", &json!({ "url": url, "shown": shown, "links": 6 + 3 + 3 }));
}

#[test]
fn a_game_without_turns_has_the_times_of_whole_games() {
    let bots = ["@squares-greedy"];
    let runs = Runs::new().run("run", &bots, "1..2", &["--game", "square-remover"]);
    runs.page(&["run"]);
    let html = runs.html();
    assert!(html.contains("<b>whole game</b>: 2 games"), "{html}");
    assert!(!html.contains("later turn") && !html.contains("Logs were kept"), "{html}");
}

#[test]
fn replay_pages_are_written_for_kept_logs_when_asked_for() {
    let runs = Runs::new().run("run", &["@first", LOSER], "1..2", &["--logs", "failed.gz"]);
    let runs = runs.run("unlogged", &["@first"], "1..2", &[]);
    runs.page(&["run"]);
    assert!(!runs.path("page-games.html").exists());
    assert!(!runs.html().contains("page-games"));
    let games = || fs::read_to_string(runs.path("page-games.html")).expect("a page");
    let said = runs.report(&["run", "--games", "--html", "page.html"]).out();
    assert_snapshot!(said, @"
    too few boards to compare @misbehaving exit 3 --on-turn 4 with @first

      The page is page.html.
      2 games are in page-games.html.
    ");
    assert!(games().contains("\"id\":\"2\"") && games().contains("\"id\":\"4\""));
    assert!(runs.html().contains("<a href=\"page-games.html#game=2\">game 2</a>"));
    runs.page(&["run", "unlogged", "--games"]);
    assert!(games().contains("\"id\":\"1-2\"") && !games().contains("\"id\":\"2\""));
    let said = runs.report(&["unlogged", "--games", "--html", "a b#.html"]).out();
    assert!(
        said.ends_with("  No game left a log; `referee suite --logs all` keeps them.\n"),
        "{said}"
    );
}

#[test]
fn one_bot_of_a_run_is_shown_alone() {
    let runs = Runs::new().run("run", &["@first", LOSER], "1..3", &[]);
    let output = runs.report(&["run:@first", "--html", "page.html"]);
    assert!(output.out().starts_with("3 games of samegame, 0 lost\n"), "{output:?}");
    assert!(!runs.html().contains("misbehaving"));
}

#[test]
fn an_unreadable_log_is_skipped_with_a_warning() {
    let runs = Runs::new().run("run", &["@first"], "1..3", &["--logs", "all"]);
    fs::write(runs.path("run/games/000001.jsonl"), "{}\n").expect("written");
    fs::remove_file(runs.path("run/games/000003.jsonl")).expect("there");
    fs::write(runs.path("run/games/000003.jsonl.zst"), b"\x28\xb5\x2f\xfd").expect("written");
    let output = runs.report(&["run", "--games", "--html", "page.html"]);
    assert_eq!(output.status.code(), Some(0));
    let said = output.err();
    assert!(said.contains("left out: run/games/000001.jsonl:1: not a game log: "), "{said}");
    let packed =
        "left out: run/games/000003.jsonl.zst: it is packed with zstd; unpack it with `zstd -d`";
    assert!(said.contains(packed), "{said}");
    assert!(runs.html().contains("Logs were kept of 1 of 3 games"));
}

#[test]
fn runs_without_a_page_are_refused_with_a_reason() {
    let runs = Runs::new().run("run", &["@first"], "1..2", &[]);
    let runs = runs.run("squares", &["@squares-greedy"], "1", &["--game", "square-remover"]);
    let error = |args: &[&str]| {
        let output = runs.report(args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        output.err().trim_end().to_owned()
    };
    let page = ["--html", "page.html"];
    let with = |args: &[&'static str]| [args, &page[..]].concat();
    let none = Runs::new().report(&page).exits(2).err();
    assert!(none.starts_with("error: latest: there are no runs in runs"), "{none}");
    assert!(error(&["run"]).contains("--html <FILE>"));
    assert_snapshot!(error(&with(&["nope"])), @"error: nope: there is no such folder");
    assert_snapshot!(error(&with(&["run:@second"])), @"error: run has no bot `@second`; it has: `@first`");
    assert_snapshot!(error(&with(&["run", "squares"])), @"error: run and squares are of different games");
    assert_snapshot!(error(&with(&["run", "--records", "nope.toml"])), @"error: nope.toml: no such file");
    assert_snapshot!(error(&["run", "--html", "nowhere/page.html"]), @"error: cannot write nowhere/page.html: there is no folder nowhere");
    assert_snapshot!(error(&["run", "--games", "--html", "nowhere/page.html"]), @"error: cannot write nowhere/page.html: there is no folder nowhere");
    assert!(!runs.path("page.html").exists());
}

#[test]
fn a_judges_game_has_its_times_with_the_limits_that_its_judge_has_named() {
    let place = named_limits();
    let suite =
        ["suite", "--game", "named", "--seed", "1..2", "--bot", "./bot", "--logs", "all", "--run"];
    let page = |run: &str, args: &[&str]| {
        assert_code(&place.command(&suite).arg(run).args(args).run(), 0);
        assert_code(&place.command(&["report", run, "--html", "page.html"]).run(), 0);
        fs::read_to_string(place.path("page.html")).expect("a page")
    };
    let html = page("run", &[]);
    let shown = place.command(&["show", "run"]).json();
    for game in shown["games"].as_array().expect("games") {
        let share = game["of_limit"].as_f64().expect("a share");
        assert!(share > 0.0 && share < 1.0, "{game}");
    }
    for part in [
        "profile official (first-turn 1 ms or the judge&#39;s, turn 1 ms or the judge&#39;s)",
        "<b>first turn</b>: 2 turns",
        "<b>later turns</b>: 4 turns",
        "<th colspan=\"3\">limit 60 s</th>",
        "<th colspan=\"3\">limits 50 s to 70 s</th>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_code(&place.command(&["verify", "run"]).run(), 0);
    let html = page("fixed", &["--turn", "65s"]);
    for part in [
        "profile official (first-turn 1 ms or the judge&#39;s, turn 65 s)",
        "<th colspan=\"3\">limit 60 s</th>",
        "<th colspan=\"3\">limit 65 s</th>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}
