//! A user's own game, which one row adds to the whole command line. Lower scores are better in it: a lost game, which is given 0,
//! ranks below all others.
//!
//! The game: say what the journey costs. The answer is the score, with all its digits; what is not a number loses.

use std::sync::{Arc, LazyLock};

use clap::Parser as _;
use referee::cli::Cli;
use referee::game::{
    Answer, Ask, End, GameKind, JudgeFailure, Next, Referee, Ruling, Seat, Step, TestCase,
    UnknownGame, games, register,
};
use referee::limits::LimitKind;
use referee::lines::LineRules;
use referee::score::{Direction, Score};
use referee::verdict::Verdict;

use crate::views::schemas::{Documents, validator};
use support::prelude::*;

static COST: LazyLock<Arc<GameKind>> = LazyLock::new(|| cost_as("cost").into());

/// The game, under this name.
fn cost_as(name: &str) -> GameKind {
    GameKind {
        from_seed: Arc::new(|seed, _| Ok(seed.to_string())),
        limits: [(LimitKind::Turn, Duration::from_mins(1))].into(),
        better: Direction::Lower,
        ..GameKind::new(name, "Cost", |text| {
            let game = Cost { case: text.to_owned(), score: None, result: None };
            Ok(TestCase::new(text, game))
        })
    }
}

#[derive(Clone)]
struct Cost {
    case: String,
    score: Option<Score>,
    result: Option<&'static str>,
}

impl Cost {
    fn end(&mut self, score: Option<Score>, result: &'static str) {
        (self.score, self.result) = (score, Some(result));
    }

    fn rule(&mut self, answer: Answer<'_>) -> Ruling {
        let Answer::Reply { lines, .. } = answer else {
            self.end(Some(Score::ZERO), "Lost.");
            return Ruling::default();
        };
        let text = String::from_utf8_lossy(lines.iter().next().unwrap_or_default()).into_owned();
        match text.trim().parse() {
            Ok(score) => self.end(Some(score), "There."),
            Err(_) if text.trim() == "free" => self.end(None, "There, and nobody counts."),
            Err(_) => {
                self.end(Some(Score::ZERO), "Lost.");
                return Ruling::against(Verdict::MalformedReply);
            }
        }
        Ruling::counts(json!(text.trim()))
    }

    fn step(&self, ruling: Ruling) -> Step {
        let lines = LineRules { max_bytes: Some(100), ..LineRules::any(1) };
        let next = match self.result {
            None => Next::Ask(Ask::new(format!("{}\n", self.case), lines, LimitKind::Turn)),
            Some(result) => Next::End(End::new(result)),
        };
        let scores = self.score.into_iter().collect();
        Step { ruling, scores, summary: self.result.into_iter().map(str::to_owned).collect(), next }
    }
}

impl Referee for Cost {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        Ok(self.step(Ruling::default()))
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        let ruling = self.rule(answer);
        Ok(self.step(ruling))
    }
}

/// Not a test by itself: the next one runs it as a program, a referee that has one game more.
#[test]
#[ignore = "it is a program, which another test runs"]
fn a_custom_referee() {
    let Ok(line) = std::env::var(ARGUMENTS) else { return };
    register(COST.clone()).expect("nobody else has the name");
    let cli = Cli::parse_from(shlex::split(&line).expect("words"));
    referee::cli::run(cli).expect("no error");
}

const ARGUMENTS: &str = "REFEREE_TEST_ARGUMENTS";

/// What that referee prints, between the lines of the harness.
fn own_output(folder: &Path, line: &str) -> String {
    let itself = std::env::current_exe().expect("this program");
    let output = Command::new(itself)
        .args(["--ignored", "--exact", "--nocapture", "games::lower_is_better::a_custom_referee"])
        .env(ARGUMENTS, format!("referee {line}"))
        .current_dir(folder)
        .run();
    assert!(output.status.success(), "{line}: {output:?}");
    output.out()
}

/// What that referee prints, as JSON.
fn own_referee(folder: &Path, line: &str) -> Value {
    let text = own_output(folder, &format!("{line} --format json"));
    // The harness may have begun the line.
    let result = text.lines().find_map(|line| line.find('{').map(|start| &line[start..]));
    let result = result.unwrap_or_else(|| panic!("{line}: {text}"));
    serde_json::from_str(result).expect("JSON")
}

#[test]
fn the_table_has_each_name_once() {
    register(COST.clone()).expect("nobody else has the name");
    register(COST.clone()).expect("the same row again");
    let taken = register(cost_as("samegame")).expect_err("a bundled game has the name");
    assert_eq!(taken.to_string(), "there is another game `samegame`; give yours another name");
    assert_eq!(games().iter().filter(|kind| kind.name == "cost").count(), 1);
    let unknown = UnknownGame::new("chess");
    assert_eq!(unknown.known, ["samegame", "square-remover", "cost"]);
}

/// Bots that say n and a half, ten times that, and a quarter more than n, but on seeds 1 and 2 what is not a number.
const BOTS: [(&str, &str); 4] = [
    ("good", "read n; echo $n.50"),
    ("dear", "read n; echo ${n}5.00"),
    ("rash", "read n; if [ $n -le 2 ]; then echo what; else echo $n.25; fi"),
    ("free", "read n; echo free"),
];

/// The run of the first three bots on four boards, with their records, and its table of games.
fn played() -> (TempDir, String) {
    let folder = tempdir().expect("a folder");
    for (name, script) in BOTS {
        fs::write(folder.path().join(name), script).expect("written");
    }
    let bots = "--bot 'sh good' --bot 'sh dear' --bot 'sh rash'";
    let line = format!("suite --game cost --seed 1..4 {bots} {KEPT} --logs all --format csv");
    let table = own_output(folder.path(), &line);
    (folder, table)
}

const KEPT: &str = "--run runs/one --records records.toml";

/// What that referee prints as a JSON array.
fn list(folder: &Path, line: &str) -> Value {
    let text = own_output(folder, &format!("{line} --format json"));
    let (_, array) = text.split_once("[{").unwrap_or_else(|| panic!("{text}"));
    let array = array.lines().next().expect("a line");
    serde_json::from_str(&format!("[{{{array}")).expect("JSON")
}

#[track_caller]
fn assert_near(value: &Value, expected: f64) {
    assert!((value.as_f64().expect("a number") - expected).abs() < 1e-9, "{value} {expected}");
}

#[test]
fn where_lower_is_better_a_lost_game_ranks_last_and_scores_keep_their_digits() {
    let (folder, table) = played();
    let folder = folder.path();
    for row in
        ["sh good,seed 3,,1,completed,true,3.50,", "sh rash,seed 1,,1,malformed_reply,false,0,"]
    {
        assert!(table.contains(row), "{row}: {table}");
    }
    let results = fs::read_to_string(folder.join("runs/one/results.jsonl")).expect("results");
    assert!(results.contains(r#""won":true,"score":3.50,"#), "{results}");
    let log = fs::read_to_string(folder.join("runs/one/games/000001.jsonl")).expect("a log");
    assert!(log.contains(r#""better":"lower""#), "{log}");
    assert!(log.contains(r#""gain":1.50,"score":1.50,"#), "{log}");
    let suite = own_referee(folder, "resume runs/one --records records.toml");
    let bots = &suite["bots"];
    let good = (1.0 + 1.0 + 3.25 / 3.5 + 4.25 / 4.5) / 4.0;
    let dear = (1.5 / 15.0 + 2.5 / 25.0 + 3.25 / 35.0 + 4.25 / 45.0) / 4.0;
    for (bot, ratio, mean) in [(0, good, 3.0), (1, dear, 30.0), (2, 0.5, 3.75)] {
        assert_near(&bots[bot]["ratio"], ratio);
        assert_near(&bots[bot]["mean"], mean);
        assert_eq!(bots[bot]["better"], "lower");
    }
    let records = fs::read_to_string(folder.join("records.toml")).expect("records");
    assert_eq!(records.matches("better = \"lower\"").count(), 10, "{records}");
    assert!(records.contains("score = \"1.50\"") && !records.contains("score = 0"), "{records}");
    let page = own_output(folder, "resume runs/one --records records.toml");
    assert!(page.contains("best/yours") && page.contains("Lower is better: "), "{page}");
    assert!(own_output(folder, "verify runs/one").contains("12 of 12 games"));
}

#[test]
fn where_lower_is_better_comparisons_lists_and_pages_are_turned() {
    let (folder, _) = played();
    let folder = folder.path();
    let compared = list(folder, "compare 'runs/one:sh good' 'runs/one:sh rash'");
    let boards = compared[0]["boards"].as_array().expect("boards");
    let differences: Vec<_> = boards.iter().map(|board| board["difference"].as_f64()).collect();
    assert_eq!(differences, [-7.5, -6.5, 0.25, 0.25].map(Some));
    assert_near(&compared[0]["lost_points"], 9.0);
    let text = own_output(folder, "compare 'runs/one:sh dear' 'runs/one:sh good'");
    assert!(text.contains("Lower scores are better; a difference above 0 is a gain."), "{text}");
    assert!(text.contains("seed 4           45.00     4.50      +40.50"), "{text}");
    assert!(!text.contains("A lost game counts as"), "none was lost: {text}");
    let lost = own_output(folder, "compare 'runs/one:sh good' 'runs/one:sh rash'");
    assert!(lost.contains("A lost game counts as 9.00 points"), "{lost}");
    let alone = own_output(folder, "suite --game cost --seed 1 --bot 'sh good' --run none");
    assert!(alone.contains("leave out lost games.") && !alone.contains("best/yours"), "{alone}");
    let runs = list(folder, "runs --records records.toml");
    assert_near(&runs[0]["bots"][2]["ratio"], 0.5);
    assert_eq!(runs[0]["bots"][2]["better"], "lower");
    own_output(folder, "report runs/one --html page.html --records records.toml");
    let page = fs::read_to_string(folder.join("page.html")).expect("a page");
    for words in ["best/yours", "Lower is better.", "<em>lost</em>", "data-lower", ">1.50<"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn what_is_written_of_such_a_game_fits_its_schema() {
    let Some(python) = validator() else {
        return leave_out("the schemas", "there is no Python with the package jsonschema");
    };
    let (folder, _) = played();
    let folder = folder.path();
    own_output(folder, "suite --game cost --seed 1..4 --bot 'sh free' --run runs/two");
    let mut documents = Documents::default();
    for (name, line) in [
        ("suite", "resume runs/one --records records.toml"),
        ("suite", "resume runs/two"),
        ("play", "play --game cost --seed 1 --bot 'sh good'"),
        ("compare", "compare runs/one runs/two"),
        ("compare", "compare runs/two 'runs/one:sh good'"),
        ("runs", "runs"),
        ("verify", "verify runs/one"),
    ] {
        let text = own_output(folder, &format!("{line} --format json"));
        let json = text.lines().find_map(|line| line.find(['{', '[']).map(|start| &line[start..]));
        documents.add(name, json.unwrap_or_else(|| panic!("{text}")));
    }
    documents.add_file("records-file", &folder.join("records.toml"));
    for run in ["runs/one", "runs/two"] {
        documents.add_file("run-file", &folder.join(run).join("run.toml"));
        documents.add_file("result-line", &folder.join(run).join("results.jsonl"));
    }
    documents.add_file("log-line", &folder.join("runs/one/games/000001.jsonl"));
    assert_eq!(documents.problems(python), "");
}

#[test]
fn a_page_of_a_game_without_a_picture_has_the_text_that_was_sent_beside_the_answer() {
    let Some(browser) = Browser::open() else { return };
    let (folder, _) = played();
    let folder = folder.path();
    let url = |game: u32| {
        let page = format!("{game}.html");
        own_output(folder, &format!("replay runs/one/games/{game:06}.jsonl --html {page}"));
        format!("file://{}", folder.join(page).display())
    };
    let won =
        json!({ ".sent": "1\n", ".answer": "1.50\n", ".what": "1.50", ".time small": "of 60 s" });
    browser
        .check("shows_texts", &json!({ "url": url(1), "turn": won, "end": "1.50", "good": true }));
    let lost = json!({ ".sent": "1\n", ".answer": "what\n", ".what": "what" });
    browser
        .check("shows_texts", &json!({ "url": url(3), "turn": lost, "end": "0", "good": false }));
}

#[test]
fn the_player_shows_what_was_sent_and_the_answer_and_needs_no_judge() {
    let (folder, _) = played();
    let log = fs::read_to_string(folder.path().join("runs/one/games/000001.jsonl")).expect("a log");
    // As if the rules were in another program, so that the plain referee reads it.
    let judged = |line: &str| {
        let mut event: Value = serde_json::from_str(line).expect("JSON");
        match event["type"].as_str() {
            Some("start") => {
                let reading = json!({ "eof_ends_line": true });
                event["judge"] =
                    json!({ "kind": "judge", "command": ["judge"], "reading": reading });
            }
            Some("turn") => event["asked"] = json!({ "input": "which way?\n", "lines": 1 }),
            _ => {}
        }
        event.to_string() + "\n"
    };
    let path = folder.path().join("judged.jsonl");
    fs::write(&path, log.lines().map(judged).collect::<String>()).expect("written");
    let Some(terminal) = Terminal::open() else { return };
    terminal.referee(&["replay", "--watch"], &[&path]);
    let screen = terminal.wait_for("which way?");
    for words in ["sent to the bot:", "the bot's answer:\n1.50", "turn 1 of 1", "score "] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    terminal.press(&["q"]);
    terminal.wait_for("status:");
}

#[test]
fn a_lower_score_is_a_new_best_and_a_game_without_a_score_has_none() {
    let (folder, _) = played();
    let folder = folder.path();
    fs::write(folder.join("cheap"), "read n; echo 2").expect("written");
    let records = "--records records.toml --seed 1..4 --game cost";
    let cheap = own_referee(folder, &format!("suite --bot 'sh cheap' {records} --run runs/two"));
    let new: Vec<_> = cheap["new_bests"].as_array().expect("a list").iter().collect();
    let mut before: Vec<_> = new.iter().map(|best| best["before"].to_string()).collect();
    before.sort();
    assert_eq!(before, ["2.5", "3.25", "4.25"], "{new:?}");
    let results = fs::read_to_string(folder.join("runs/two/results.jsonl")).expect("results");
    let best_known = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["best_known"].to_string()
    };
    let known: Vec<_> = results.lines().map(best_known).collect();
    assert!(before.iter().all(|best| known.contains(best)), "{known:?}");
    let free = own_referee(folder, &format!("suite --bot 'sh free' {records} --run runs/three"));
    let bot = &free["bots"][0];
    let figures = [&bot["won"], &bot["without_score"], &bot["mean"], &bot["ratio"]];
    assert_eq!(figures, [&json!(4), &json!(4), &Value::Null, &Value::Null], "{bot}");
    let results = fs::read_to_string(folder.join("runs/three/results.jsonl")).expect("results");
    assert!(results.contains(r#""won":true,"score":null,"#), "{results}");
}
