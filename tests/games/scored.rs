//! Games whose bots answer once, and whose answers a program scores: kind = "scored".

use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::ZlibDecoder;
use support::prelude::*;

const SETTINGS: &str = r#"
[game.sum]
kind = "scored"
command = "./scorer {case} {answer}"
cases = "in"
traits = "n"
judge-limit = "20s"
limits = { total = "60s" }
refused = 0
"#;

/// Adds everything that it reads until the end of its input.
const ADDS: &str = "read -r n; sum=0; while read -r x; do sum=$((sum + x)); done; echo $sum";

fn project() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("in")).expect("made");
    for (file, text) in [
        ("referee.toml", SETTINGS),
        ("in/0001.txt", "2\n3\n4\n"),
        ("in/0012.txt", "3\n10\n20\n30\n"),
        ("out.svg", "mine"),
        ("adds.sh", ADDS),
    ] {
        fs::write(place.path(file), text).expect("written");
    }
    place.double("scorer", "scorer");
    place
}

fn play(place: &Place, bot: &str, more: &[&str]) -> Output {
    let args = ["play", "--game", "sum", "--board", "0012", "--format", "json", "--bot", bot];
    place.referee(&[&args, more].concat())
}

#[test]
fn the_cases_of_a_game_are_timed_whatever_their_numbers() {
    let place = project();
    let timing = |args: &[&str]| {
        let timing = ["timing", "--game", "sum", "--bot", "sh adds.sh", "--format", "csv"];
        let csv = place.command(&timing).args(args).run().exits(0).out();
        let boards =
            csv.lines().skip(1).map(|row| row.split(',').nth(1).expect("a board").to_owned());
        boards.collect::<Vec<_>>()
    };
    assert_eq!(timing(&[]), ["0001", "0012"]);
    assert_eq!(timing(&["--games", "3"]), ["0001", "0012", "0001"]);
    assert_eq!(timing(&["--seed", "12"]), ["seed 12"]);
}

#[test]
fn an_answer_is_scored_and_its_log_needs_no_scorer() {
    let place = project();
    let played = play(&place, "sh adds.sh", &["--log", "log"]);
    assert_code(&played, 0);
    let result = played.json();
    assert_eq!((&result["verdict"], &result["score"]), (&"completed".into(), &1000.into()));
    assert_eq!(result["summary"], json!(["Score = 1000"]));
    assert_eq!(fs::read_to_string(place.path("out.svg")).expect("there"), "mine");
    assert_code(&place.referee(&["replay", "log", "--rejudge"]), 0);
    assert_code(&place.referee(&["game", "check", "sum", "--bot", "sh adds.sh"]), 0);
    fs::remove_file(place.path("scorer")).expect("removed");
    fs::remove_file(place.path("referee.toml")).expect("removed");
    assert_eq!(place.referee(&["replay", "log", "--format", "json"]).json()["agrees"], true);
}

#[test]
fn a_judge_is_an_ordinary_child_if_the_bots_are() {
    let place = project();
    place.script("scorer", "read -r parent </proc/$PPID/comm; echo \"Score = 1, $parent\"");
    for (method, parent) in [("plain", "referee"), ("auto", "bot-keeper")] {
        let played = play(&place, "sh adds.sh", &["--containment", method]);
        assert_eq!(played.json()["summary"], json!([format!("Score = 1, {parent}")]), "{method}");
    }
}

#[test]
fn a_game_without_a_log_is_played_again_by_the_command_that_replay_names() {
    let place = project();
    fs::write(place.path("adds.sh"), format!("{ADDS}{AT_END}")).expect("written");
    let suite = ["suite", "--game", "sum", "--bot", "sh adds.sh", "--env", "LAST=a b", "--run"];
    assert_code(&place.referee(&[&suite[..], &["run", "--profile", "relaxed"]].concat()), 0);
    let none = place.referee(&["replay", "run"]).exits(2).err();
    assert!(none.contains("`referee replay run:1` says how to play one again"), "{none}");
    let told = place.referee(&["replay", "run:0012"]).exits(2).err();
    let command = told.split('`').find(|part| part.starts_with("referee play")).expect("a command");
    let referee = program();
    let line = command.replacen("referee", &format!("'{referee}'"), 1);
    let again = Command::new("sh").args(["-c", &line]).current_dir(place.folder()).output();
    assert_code(&again.expect("a shell"), 0);
    let replayed = place.referee(&["replay", "game.jsonl", "--format", "json"]).json();
    assert_eq!(
        (&replayed["board"], &replayed["bot"], &replayed["score"]),
        (&"seed 12".into(), &"sh adds.sh".into(), &1000.into())
    );
    let log = fs::read_to_string(place.path("game.jsonl")).expect("a log");
    assert!(log.contains("for a b") && log.contains(r#""profile":"relaxed""#), "{log}");
}

/// Says to standard error what the environment of a bot has.
const AT_END: &str = "; echo for $LAST >&2";

#[test]
fn the_default_game_is_checked_without_its_name() {
    let place = project();
    let check = ["game", "check", "--bot", "sh adds.sh"];
    let builtin = place.referee(&check).exits(0).out();
    assert!(builtin.contains("samegame: SameGame"), "{builtin}");
    let settings = format!("[game]\ndefault = \"sum\"\n{SETTINGS}");
    fs::write(place.path("referee.toml"), settings).expect("written");
    let checked = place.referee(&check).exits(0).out();
    assert!(checked.contains("kind         scored"), "{checked}");
}

#[test]
fn answers_and_standard_error_are_files_for_a_visualizer() {
    let place = project();
    fs::write(place.path("adds.sh"), format!("{ADDS}; echo {{}} notes >&2")).expect("written");
    let file = |name: &str| fs::read_to_string(place.path(name)).expect("a file");
    let played = place.referee(&[
        "play",
        "--game",
        "sum",
        "--seed",
        "12",
        "--bot",
        "sh adds.sh",
        "--outputs",
        "a/b",
        "--log",
        "log",
    ]);
    let shown = played.exits(0).out();
    assert!(shown.contains("the bot's standard error:\n    {} notes"), "{shown}");
    assert_eq!((file("a/b/0012.txt"), file("a/b/0012.err")), ("60\n".into(), "{} notes\n".into()));
    assert_eq!(place.referee(&["replay", "log", "--export", "answer"]).exits(0).out(), "60\n");
    let suite = ["suite", "--game", "sum", "--run", "none", "--outputs"];
    assert_code(&place.referee(&[&suite[..], &["out", "--bot", "sh adds.sh"]].concat()), 0);
    assert_eq!(file("out/0001.txt"), "7\n");
    place.script("fails", "echo 5; echo oops >&2; exit 1");
    assert_code(&place.referee(&[&suite[..], &["out", "--bot", "./fails"]].concat()), 1);
    assert_eq!((file("out/0001.txt"), file("out/0001.err")), ("5\n".into(), "oops\n".into()));
    // Several games of a board have their numbers.
    assert_code(
        &place.referee(&[&suite[..], &["two", "--bot", "sh adds.sh", "--repeat", "2"]].concat()),
        0,
    );
    assert_eq!((file("two/0001-1.txt"), file("two/0012-4.txt")), ("7\n".into(), "60\n".into()));
    // Of the cases none is replaced.
    let cases = place.referee(&[&suite[..], &["in", "--bot", "sh adds.sh"]].concat()).exits(2);
    assert!(cases.err().contains("in/0001.txt: exists, and is not of a game"), "{}", cases.err());
    // Nor is any other file of the user's, and no run is made without a folder for them.
    fs::create_dir(place.path("mine")).expect("made");
    for (name, repeat, outputs, problem) in [
        ("mine/0012-4.txt", "2", "mine", "mine/0012-4.txt: exists, and is not of a game"),
        ("mine/0001.err", "1", "mine", "mine/0001.err: exists, and is not of a game"),
        ("file", "1", "file", "--outputs file: cannot write there: "),
    ] {
        fs::write(place.path(name), "mine").expect("written");
        let words = ["--bot", "sh adds.sh", "--repeat", repeat, "--run", "run"];
        let suite = ["suite", "--game", "sum", "--outputs", outputs];
        let refused = place.referee(&[&suite[..], &words].concat()).exits(2).err();
        assert!(refused.contains(problem), "{refused}");
        assert!(!place.path("run").exists() && file(name) == "mine");
    }
    // Other games show it with -v.
    place.script("loud", &format!("echo loud >&2; exec '{}' bot greedy", program()));
    let shown = |more: &[&str]| {
        place.command(&["play", "--bot", "./loud"]).args(more).patient().run().exits(0).out()
    };
    assert!(
        !shown(&[]).contains("loud\n    loud")
            && shown(&["-v"]).contains("standard error:\n    loud")
    );
}

#[test]
fn a_bot_that_fails_at_once_leaves_later_cases_and_a_slow_one_does_not() {
    let place = project();
    for case in 1..=15 {
        fs::write(place.path(&format!("in/{case:0>4}.txt")), "1\n5\n").expect("written");
    }
    let settings = SETTINGS.replace("60s", "100ms");
    fs::write(place.path("referee.toml"), settings).expect("written");
    let suite = |run: &str, bot: &str| {
        let words = ["suite", "--game", "sum", "--jobs", "1", "--bot", "sh adds.sh", "--run", run];
        place.command(&words).args(["--on-host-delay", "accept", "--bot", bot]).run()
    };
    let said = suite("crashes", "false").exits(1).err();
    let out = "false is out: it lost its first games in the first turn, with one verdict, and its later ones are not played; \
               `referee resume crashes` plays them";
    assert!(said.contains(out), "{said}");
    assert_eq!(place.results("crashes").len(), 15 + 10);
    assert_code(&place.command(&["resume", "crashes"]).run(), 1);
    assert_eq!(place.results("crashes").len(), 15 + 15);
    assert!(!suite("slow", "sleep 1").exits(1).err().contains("is out"));
    assert_eq!(place.results("slow").len(), 15 + 15);
}

#[test]
fn each_finished_case_has_a_line_of_a_table() {
    let place = project();
    let suite = ["suite", "--game", "sum", "--bot", "sh adds.sh", "--records", "best.toml"];
    let live = place.referee(&[&suite[..], &["--live-table", "--run", "one"]].concat()).exits(0);
    assert!(live.out().contains("2 games of sum, 0 lost: Accepted 2/2"), "{}", live.out());
    let rows = |said: String| -> Vec<Vec<String>> {
        let lines = said.lines().filter(|line| line.contains("  "));
        lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let [head, first, _] = &rows(live.err())[..] else { panic!("{}", live.err()) };
    assert_eq!(head.join(" "), "case score yours/best mean score time state");
    assert_eq!(first[..4], ["0001", "1000", "-", "1000.0"]);
    assert_eq!(first.last().map(String::as_str), Some("completed"));
    place.script("less", "echo 57");
    let less = ["suite", "--game", "sum", "--bot", "./less", "--records", "best.toml"];
    let live = place.referee(&[&less[..], &["--live-table", "--run", "two"]].concat()).exits(0);
    let [_, _, last] = &rows(live.err())[..] else { panic!("{}", live.err()) };
    assert_eq!(last[..5], ["0012", "997", "99.70", "%", "973.5"]);
    let Some(terminal) = Terminal::of_size(120, 20) else { return };
    terminal.run(&format!("cd '{}'", place.folder().display()));
    terminal.referee(&[&suite[..], &["--run", "three", "--jobs", "1"]].concat(), &[]);
    let screen = terminal.wait_for("status: 0");
    assert!(screen.contains("mean score") && screen.contains("  0012  "), "{screen}");
}

#[test]
fn a_page_that_is_a_picture_is_shown_and_another_is_linked_first() {
    let place = project();
    let page = |vis: &str| {
        place.script("scorer", &format!("echo '{vis}' >vis.html; echo Score = 1"));
        assert_code(&play(&place, "sh adds.sh", &["--html", "game.html", "--force"]), 0);
        fs::read_to_string(place.path("game.html")).expect("a page")
    };
    let look = |is_picture: bool| {
        let url = format!("file://{}", place.path("game.html").display());
        let expected = json!({ "url": url, "isPicture": is_picture });
        Browser::open().map(|browser| browser.check("shows_drawing", &expected));
    };
    let shown = page("<html><body><svg width=\"9\"><rect/></svg></body></html>");
    let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\"><rect/></svg>";
    let address = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(picture));
    assert!(shown.contains(&format!(r#""image":"{address}""#)), "{shown}");
    look(true);
    for needs_more in ["<script>draw()</script><svg></svg>", "<svg></svg><svg></svg>", "<p>x</p>"] {
        let linked = page(needs_more);
        assert!(!linked.contains("data:image/svg+xml;base64") && linked.contains("vis.html"));
        look(false);
    }
}

#[test]
fn what_the_scorer_draws_is_kept_with_the_log_and_pages_lead_to_it() {
    let place = project();
    let drawn = |file: &str| fs::read_to_string(place.path(file)).ok();
    let page = |file: &str| fs::read_to_string(place.path(file)).expect("a page");
    assert_code(&play(&place, "sh adds.sh", &["--html", "game.html"]), 0);
    assert_eq!(drawn("game.html.pictures/out.svg").as_deref(), Some("<svg/>"));
    assert!(page("game.html").contains(r#""address":"./game.html.pictures/out.svg""#));
    let shown = r#""image":"data:image/svg+xml;base64,PHN2Zy8+""#;
    assert!(page("game.html").contains(shown), "it is in the page");
    assert_code(&play(&place, "sh adds.sh", &["--log", "my log.jsonl"]), 0);
    fs::create_dir(place.path("pages")).expect("made");
    assert_code(&place.referee(&["replay", "my log.jsonl", "--html", "pages/game.html"]), 0);
    assert!(page("pages/game.html").contains(r#""address":"./../my%20log.pictures/out.svg""#));
    assert!(page("pages/game.html").contains(shown));
    // The page of another game takes nothing from a log of its name.
    assert_code(&play(&place, "false", &["--html", "my log.html"]), 1);
    assert_eq!(drawn("my log.pictures/out.svg").as_deref(), Some("<svg/>"));
    // A bot without an answer has no picture, and the earlier game's must not pass for its own.
    assert_code(&play(&place, "false", &["--log", "my log.jsonl"]), 1);
    assert_eq!(drawn("my log.pictures/out.svg"), None);

    let suite = ["suite", "--game", "sum", "--run", "one", "--logs", "all", "--bot", "sh adds.sh"];
    assert_code(&place.referee(&suite), 0);
    assert_eq!(drawn("one/games/000002.pictures/out.svg").as_deref(), Some("<svg/>"));
    assert_code(&place.referee(&["report", "one", "--html", "pages/one.html", "--games"]), 0);
    let films = films(&page("pages/one-games.html"));
    let address = r#""address":"./../one/games/000002.pictures/out.svg""#;
    assert!(films.iter().any(|film| film.contains(address)), "{films:?}");
    assert!(
        !films.iter().any(|film| film.contains("data:image")),
        "a page of many links: {films:?}"
    );
}

/// The games of a page of many, which it has packed.
fn films(page: &str) -> Vec<String> {
    let film = |text: &str| {
        let packed = serde_json::Deserializer::from_str(text).into_iter::<String>().next();
        let packed = packed.expect("a film").expect("a string");
        let bytes = BASE64_STANDARD.decode(packed).expect("base 64");
        io::read_to_string(ZlibDecoder::new(&bytes[..])).expect("a film")
    };
    page.split(r#""film":"#).skip(1).map(film).collect()
}

#[test]
fn the_scorer_gets_the_answer_byte_by_byte() {
    let place = project();
    fs::write(place.path("bytes.sh"), "printf 'bytes\\r\\n\\n x'").expect("written");
    assert_eq!(play(&place, "sh bytes.sh", &[]).json()["score"], 10);
}

#[test]
fn a_refused_answer_sets_no_record_where_the_settings_name_its_score() {
    let place = project();
    let named = SETTINGS.replace("traits", "better = \"lower\"\ntraits");
    let counts = named.replace("refused = 0\n", "");
    for (settings, is_named) in [(named, true), (counts, false)] {
        fs::write(place.path("referee.toml"), settings).expect("written");
        let checked = place.referee(&["game", "check", "sum"]).exits(0).out();
        let proposal = "add `refused = 0` to [game.sum]";
        assert_eq!(checked.contains(proposal), !is_named, "{checked}");
        let result = play(&place, "echo seven", &[]).json();
        let official = if is_named { "Not a number: seven" } else { "Score 0" };
        assert_eq!((&result["won"], &result["official"]), (&(!is_named).into(), &official.into()));
        place.suite(&["--game", "sum", "--bot", "echo seven", "--records", "records.toml"]).run();
        let records = fs::read_to_string(place.path("records.toml")).unwrap_or_default();
        assert_eq!(records.contains("[[record]]"), !is_named, "{records}");
    }
}

#[test]
fn cases_are_chosen_by_number_and_grouped_by_traits() {
    let place = project();
    let suite = ["suite", "--game", "sum", "--seed", "1,12", "--run", "one", "--logs", "all"];
    assert_code(&place.referee(&[&suite[..], &["--bot", "sh adds.sh"]].concat()), 0);
    let outcomes = fs::read_to_string(place.path("one/results.jsonl")).expect("results");
    for traits in [r#""traits":{"n":2}"#, r#""traits":{"n":3}"#] {
        assert!(outcomes.contains(traits), "{outcomes}");
    }
    fs::remove_file(place.path("referee.toml")).expect("removed");
    assert_code(&place.referee(&["verify", "one"]), 0);
    // Naming another property makes no other game of it.
    fs::write(place.path("referee.toml"), SETTINGS.replace("\"n\"", "\"size\"")).expect("written");
    let two = ["suite", "--game", "sum", "--seed", "1,12", "--run", "two", "--bot", "sh adds.sh"];
    assert_code(&place.referee(&two), 0);
    let compared = place.referee(&["compare", "one", "two"]);
    assert!(!compared.err().contains("different judges"), "{}", compared.err());
    assert!(!compared.out().contains("Only "), "both have played all boards: {}", compared.out());
    let place = project();
    let missing =
        place.referee(&["play", "--game", "sum", "--seed", "2", "--bot", "true"]).exits(2);
    assert!(missing.err().contains(
        "`cases` has no file of the number 2, such as 0002.txt; it has 2 files, from 0001 to 0012"
    ));
}

#[test]
fn a_suite_of_a_contest_has_the_columns_that_its_users_know() {
    let place = project();
    place.script("ones", "echo 1");
    place.script("same", ADDS);
    let suite = ["suite", "--game", "sum", "--bot", "sh adds.sh"];
    let more = ["--bot", "./ones", "--bot", "./same", "--run", "all", "--format", "json"];
    let result = place.referee(&[&suite[..], &more].concat()).json();
    let of = |key: &str| -> Vec<_> { (0..3).map(|bot| result["bots"][bot][key].clone()).collect() };
    assert_eq!(
        (of("bests"), of("uniques")),
        (vec![2.into(), 0.into(), 2.into()], vec![0.into(); 3])
    );
    assert_eq!(of("mean_log10")[0], 3.0);
    let text = place.referee(&[&suite[..], &["--run", "alone"]].concat()).out();
    let row = |name: &str| text.lines().find(|line| line.contains(name)).expect("a row").to_owned();
    assert!(
        row("mean log10").ends_with("mean  mean log10  mean time  longest")
            && row("adds.sh").contains("  3.0000  "),
        "{text}"
    );
    let text = place.referee(&["show", "all", "--sort", "worst"]).stdout;
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(text.contains("mean log10  bests  uniques"), "{text}");
}

#[test]
fn a_contests_tools_become_a_game_whose_best_scores_are_kept() {
    let place = Place::new();
    fs::create_dir_all(place.path("tools/in")).expect("made");
    fs::write(place.path("tools/in/0003.txt"), "1\n").expect("written");
    fs::write(place.path("pahcer_config.toml"), "[problem]\nproblem_name = 'sum'\n")
        .expect("written");
    place.script("tools/score", "read -r answer <$2; echo Score = $answer");
    assert_code(&place.referee(&["init", "--ahc", "."]), 0);
    for (bot, share) in [("echo 8", 1.0), ("echo 4", 0.5)] {
        let suite = place.referee(&["suite", "--bot", bot, "--format", "json"]).exits(0);
        assert_eq!(suite.json()["bots"][0]["ratio"], share, "{bot}");
    }
}

#[test]
fn a_bot_is_not_sent_the_byte_order_mark_of_a_case() {
    let place = project();
    fs::write(place.path("in/0012.txt"), "\u{feff}3\n10\n20\n30\n").expect("written");
    assert_code(&play(&place, "sh adds.sh", &["--log", "log"]), 0);
    let log = fs::read(place.path("log")).expect("a log");
    let log = referee::gamelog::read(&log).expect("a good log");
    assert_eq!(log.turns[0].asked.as_ref().expect("asked").input, "3\n10\n20\n30\n");
}

#[test]
fn files_that_begin_with_a_dot_are_not_cases() {
    let place = project();
    for name in ["._0001.txt", "._0012.txt", ".0012.txt.swp", ".hidden.txt"] {
        fs::write(place.path(&format!("in/{name}")), b"\0\x05\x16\x07\xff").expect("written");
    }
    for cases in ["in", "in/*.txt", "in/*"] {
        let settings = SETTINGS.replace("\"in\"", &format!("\"{cases}\""));
        fs::write(place.path("referee.toml"), settings).expect("written");
        let suite = ["suite", "--game", "sum", "--bot", "sh adds.sh", "--format", "json"];
        let suite = place.referee(&[&suite[..], &["--run", "none"]].concat());
        assert_code(&suite, 0);
        assert_eq!(suite.json()["bots"][0]["games"], 2, "{cases}");
    }
    fs::write(place.path("in/0012.in"), "1\n").expect("written");
    let suite = place.referee(&["suite", "--game", "sum", "--bot", "sh adds.sh"]);
    assert_code(&suite, 2);
    let error = suite.err();
    assert!(
        error.contains("in/0012.txt: there is another case `0012`, ") && error.contains("0012.in"),
        "{error}"
    );
}

#[test]
fn a_folder_of_cases_has_any_name_and_one_of_two_endings() {
    let place = Place::new();
    let file = |name: &str| place.path(&format!("in [1]/{name}"));
    fs::create_dir_all(file("old.in")).expect("made");
    fs::write(place.path("adds.sh"), ADDS).expect("written");
    place.double("scorer", "scorer");
    let cases_of = |cases: &str| {
        let settings = SETTINGS.replace("\"in\"", &format!("\"{cases}\""));
        fs::write(place.path("referee.toml"), settings).expect("written");
        let timing = ["timing", "--game", "sum", "--bot", "sh adds.sh", "--format", "csv"];
        place.command(&timing).run()
    };
    let names = |output: &Output| {
        let csv = output.out();
        let boards = csv.lines().skip(1).filter_map(|row| row.split(',').nth(1));
        boards.map(str::to_owned).collect::<Vec<_>>()
    };
    let none = cases_of("in [1]");
    assert_code(&none, 2);
    assert!(none.err().contains("no .txt or .in file is in "), "{}", none.err());
    for name in ["a10.in", "a2.in", ".a3.in", "other"] {
        fs::write(file(name), "1\n5\n").expect("written");
    }
    assert_eq!(names(&cases_of("in [1]")), ["a2", "a10"]);
    assert_eq!(names(&cases_of("in [1]/a2.in")), ["a2"]);
    assert_eq!(names(&cases_of("in ?1]/*.in")), ["a2", "a10"]);
    let seeded = ["play", "--game", "sum", "--seed", "10", "--bot", "sh adds.sh"];
    assert_code(&place.referee(&seeded), 0);
    fs::write(file("7.txt"), "1\n5\n").expect("written");
    assert_eq!(names(&cases_of("in [1]")), ["7"]);
}

#[test]
fn the_worst_cases_of_a_contest_are_played_again_by_their_numbers() {
    let place = project();
    fs::write(place.path("in/0045.txt"), "1\n5\n").expect("written");
    let bot = "sh -c 'read n; read x; echo $x'";
    let suite = ["suite", "--game", "sum", "--bot", bot, "--run"];
    let worst = ["show", "all", "--sort", "worst", "--format", "seeds", "--limit", "2"];
    assert_code(&place.referee(&[&suite[..], &["all"]].concat()), 0);
    let seeds = place.referee(&worst);
    assert_code(&seeds, 0);
    let seeds = String::from_utf8(seeds.stdout).expect("text");
    assert!(
        ["1,12\n", "12,1\n", "1,45\n", "45,1\n", "12,45\n", "45,12\n"].contains(&&*seeds),
        "{seeds}"
    );
    assert_code(&place.referee(&[&suite[..], &["again", "--seed", seeds.trim()]].concat()), 0);
    let plan = place.run("again").run.plan;
    let names: Vec<String> = (0..plan.boards()).map(|board| plan.board_name(board)).collect();
    let expected: Vec<String> = seeds.trim().split(',').map(|seed| format!("{seed:0>4}")).collect();
    assert_eq!(names, expected);
}

#[test]
fn cases_are_taken_by_board_as_by_seed() {
    let place = project();
    for (run, words) in
        [("boards", &["--board", "0001", "0012"][..]), ("seeds", &["--seed", "1,12"])]
    {
        let suite = ["suite", "--game", "sum", "--bot", "sh adds.sh", "--run", run];
        assert_code(&place.referee(&[&suite[..], words].concat()), 0);
        let plan = place.run(run).run.plan;
        let names: Vec<String> = (0..plan.boards()).map(|board| plan.board_name(board)).collect();
        assert_eq!(names, ["0001", "0012"]);
    }
    let unknown = ["suite", "--game", "sum", "--bot", "sh adds.sh", "--board", "0099"];
    assert!(place.referee(&unknown).exits(2).err().contains("0099: no such file"));
}

#[test]
fn one_game_of_a_run_is_named_by_its_number_or_its_case() {
    let place = project();
    let suite =
        ["suite", "--game", "sum", "--bot", "sh adds.sh", "--bot", "echo 5", "--logs", "all"];
    assert_code(&place.referee(&[&suite[..], &["--seed", "1,12"]].concat()), 0);
    for (game, bot) in [("latest:3", "sh adds.sh"), ("latest:4", "echo 5")] {
        let replayed = place.referee(&["replay", game, "--format", "json"]);
        assert_code(&replayed, 0);
        assert_eq!(
            (&replayed.json()["bot"], &replayed.json()["board"]),
            (&bot.into(), &"0012".into())
        );
    }
    for (game, problem) in [
        ("latest", "latest: these games have logs: 1, 2, 3, 4; name one, such as latest:1"),
        (
            "latest:0012",
            "latest:0012: these games have logs: 3 (sh adds.sh), 4 (echo 5); name one, such as latest:3",
        ),
        ("latest:0013", "latest: `0013` is neither the number of a game nor the name of a board"),
    ] {
        let refused = place.referee(&["replay", game]);
        assert_code(&refused, 2);
        assert!(refused.err().contains(problem), "{}", refused.err());
    }
    let shown = place.referee(&["show", "--board", "0012", "--format", "csv"]);
    assert_eq!(String::from_utf8_lossy(&shown.stdout).lines().count(), 3);
    let shown = place.referee(&["show", "--board", "12"]).exits(2).err();
    assert!(shown.contains("no game is on `12`; did you mean 0012?"), "{shown}");
    let board = place.referee(&["show", "latest:0012"]).exits(2).err();
    assert!(board.contains("it is a board; `referee show"), "{board}");
    let seed = ["suite", "--bot", "@first", "--seed", "7", "--logs", "none", "--run", "with seed"];
    assert_code(&place.command(&[&seed[..], &["--game", "samegame"]].concat()).patient().run(), 0);
    let board = place.referee(&["show", "with seed:seed 7"]).exits(2).err();
    let remedy = board.split('`').find(|part| part.starts_with("referee show")).expect("one");
    let remedy = shlex::split(remedy).expect("words");
    let shown = place.command(&[]).args(&remedy[1..]).run().exits(0).out();
    assert!(shown.contains("seed 7"), "{remedy:?}: {shown}");
    let like = place.referee(&["replay", "latest:1"]).err();
    assert!(!like.contains("is on the board"), "0001 is the board of game 1: {like}");
    let turned = ["suite", "--game", "sum", "--bot", "sh adds.sh", "--logs", "all"];
    assert_code(&place.referee(&[&turned[..], &["--seed", "12,1", "--run", "turned"]].concat()), 0);
    let like = place.referee(&["replay", "turned:1"]).exits(0).err();
    let told = "game 1 is on the board 0012; turned:0001 is a game on the board 0001";
    assert!(like.contains(told), "{like}");
    let unlogged = ["suite", "--game", "sum", "--bot", "sh adds.sh", "--logs", "none"];
    let unlogged = [&unlogged[..], &["--seed", "12,1", "--run", "unlogged"]].concat();
    assert_code(&place.referee(&unlogged), 0);
    let error = place.referee(&["replay", "unlogged:1"]).exits(2).err();
    assert!(
        error.starts_with("error: unlogged:1: no log") && error.contains("unlogged:0001 is a game"),
        "the error comes first: {error}"
    );
    let compared = place.referee(&["compare"]);
    assert!(!compared.err().contains("required"), "{}", compared.err());
    let bundles = ["suite", "--game", "sum", "--bot", "false", "--seed", "1", "--run", "lost"];
    place.referee(&bundles);
    // Version 1.0.0 made a folder for each lost game.
    fs::create_dir_all(place.path("lost/failures/000001")).expect("made");
    let logs = ["lost/games/000001.jsonl", "lost/failures/000001/game.jsonl"];
    fs::copy(place.path(logs[0]), place.path(logs[1])).expect("copied");
    assert_code(&place.referee(&["replay", "lost/failures/000001"]), 0);
    assert_code(&place.referee(&["replay", "lost"]), 0);
}

/// Changes each file that it finds, and prints the number that was in one of them.
const CHANGES: &str = "read -r n <out.txt; echo 99 >out.txt; echo 99 >>log.csv; : >changes.sh;\
    mv moved in-its-place; echo 99 >read-only; echo Score = $n";

#[test]
fn a_judge_that_changes_its_files_leaves_the_users_as_they_are() {
    let settings = SETTINGS.replace("./scorer {case}", "sh changes.sh {case}");
    let files = [
        ("referee.toml", &*settings),
        ("changes.sh", CHANGES),
        ("out.txt", "5\n"),
        ("log.csv", "5\n"),
        ("moved", "5\n"),
        ("read-only", "5\n"),
        ("in/0001.txt", "1\n"),
        ("in/0002.txt", "2\n"),
        ("adds.sh", ADDS),
    ];
    for user in USERS {
        let place = Place::new();
        let allow = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its owner");
        };
        fs::create_dir(place.path("in")).expect("made");
        for (file, text) in files {
            fs::write(place.path(file), text).expect("written");
            allow(&place.path(file), if file == "read-only" { 0o444 } else { 0o666 });
        }
        for folder in [place.folder(), &place.path("in")] {
            allow(folder, 0o777);
        }
        let suite = ["--game", "sum", "--bot", "sh adds.sh", "--run", "run", "--jobs", "1"];
        let played = referee_of(user).current_dir(place.folder()).suite(suite).run();
        assert_code(&played, 0);
        let scores: Vec<_> = place.results("run").iter().map(|outcome| outcome.score).collect();
        assert_eq!(scores, [Some(5.into()), Some(5.into())], "{user:?}: each finds its files");
        for (file, text) in files {
            let now = fs::read_to_string(place.path(file)).expect("it is there");
            assert_eq!(now, text, "{user:?}: {file}");
        }
    }
}
