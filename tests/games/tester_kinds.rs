//! Testers that print and behave as testers of real contests do, apart from the usual line `Score = N`.

use support::prelude::*;

const SETTINGS: &str = r#"
[game.twice]
kind = "tester"
command = "./tester {bot}"
stdin = "{case}"
cases = "in"
judge-limit = "20s"
limits = { total = "60s" }
"#;

/// A project whose cases are of this kind; `settings` are further ones.
fn project(kind: &str, settings: &str) -> Place {
    let place = Place::new();
    fs::create_dir(place.path("in")).expect("made");
    place.double("tester", "tester printing");
    fs::write(place.path("referee.toml"), format!("{SETTINGS}{settings}\n")).expect("written");
    for number in 1..=3 {
        let case = place.path(&format!("in/000{number}.txt"));
        fs::write(case, format!("{kind} {number}\n")).expect("written");
    }
    place.script("twice", "while read -r n rest; do echo $((2 * n)); done");
    place.script("more", "while read -r n rest; do echo $((3 * n)); done");
    place
}

/// The game of case 2.
fn play(place: &Place, bot: &str) -> Value {
    let play = ["play", "--game", "twice", "--seed", "2", "--format", "json", "--log", "log"];
    let result = place.command(&[&play[..], &["--bot", bot]].concat()).run().json();
    let again = place.command(&["replay", "log", "--format", "json"]).run();
    assert_eq!(again.json()["agrees"], true, "{result}");
    result
}

#[test]
fn the_time_of_a_game_is_that_of_all_its_turns() {
    let place = project("elapsed", "");
    place.script(
        "slow",
        "read -r n; sleep 0.2; echo $((2 * n)); read -r n rest; sleep 0.4; echo $((2 * n))",
    );
    play(&place, "./slow");
    let shown = place.command(&["replay", "log"]).run();
    let shown = shown.out();
    let time = |label: &str| {
        let line = shown.lines().find_map(|line| line.trim().strip_prefix(label));
        let mut words = line.unwrap_or_else(|| panic!("{label}: {shown}")).split_whitespace();
        let number: f64 = words.next().expect("a time").parse().expect("a number");
        if words.next() == Some("s") { number } else { number / 1000.0 }
    };
    assert!(time("time ") > time("slowest turn ") + 0.19, "{shown}");
    assert!(!shown.contains("first turn"), "{shown}");
    let suite = ["suite", "--game", "twice", "--bot", "./slow", "--seed", "2", "--run", "run"];
    assert_code(&place.command(&suite).run(), 0);
    let suite = place.command(&["show", "run"]).json();
    let game = &suite["games"][0];
    let of = |key: &str| game[key].as_f64().unwrap_or_default();
    assert!(of("first_ms") >= 600.0 && of("of_limit") >= 0.01, "600 ms of 60 s: {game}");
}

#[test]
fn a_check_of_a_tester_promises_neither_seeds_nor_the_end_of_output() {
    let place = project("bare", "");
    let shown = place.command(&["game", "check", "twice", "--bot", "./twice"]).run().exits(0).out();
    for part in
        ["  limits       total 60 s\n", "  cases        3\n", "wants an answer within 60 s;"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn a_tester_and_its_bot_have_different_process_numbers() {
    // Two programs of Java's with one number quarrel about a file in /tmp, and say so on standard output.
    let may_choose = fs::File::options().write(true).open("/proc/sys/kernel/ns_last_pid").is_ok();
    if !may_choose {
        return leave_out("process numbers", "this user cannot choose them");
    }
    let place = project("bare", "");
    place.double("tester", "tester meets number");
    place.script("number", "while read -r n; do echo $$; done");
    assert_eq!(play(&place, "./number")["official"], "Score 0");
}

#[test]
fn a_tester_shares_the_core_of_a_pinned_bot() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores == 1 {
        return leave_out("a pinned bot with its tester", "this machine has one core");
    }
    let place = project("bare", "");
    place.double("tester", "tester meets cores");
    place.script(
        "where",
        "while read -r key value; do case $key in Cpus_allowed_list:) cores=$value ;; esac; done </proc/self/status\n\
         while read -r n; do echo $cores; done",
    );
    let met = |more: &[&str]| {
        let play = ["play", "--game", "twice", "--seed", "2", "--format", "json"];
        let play = [&play[..], &["--bot", "./where"], more].concat();
        place.command(&play).run().json()["score"] == 1
    };
    assert!(met(&["--pin"]));
}

#[test]
fn the_first_bot_to_cost_less_is_better_and_a_suite_says_so() {
    let place = project("cost", "better = \"lower\"\nmeasure = \"ratio\"");
    let suite = ["suite", "--game", "twice", "--bot", "./more", "--bot", "./twice", "--run", "run"];
    let bots =
        place.command(&[&suite[..], &["--format", "json"]].concat()).run().exits(0).json()["bots"]
            .clone();
    let of = |bot: usize, key: &str| bots[bot][key].clone();
    assert_eq!((of(0, "sum"), of(1, "sum")), (18.into(), 12.into()), "{bots}");
    assert_eq!((of(0, "bests"), of(1, "bests")), (0.into(), 3.into()), "{bots}");
    let compared = place.command(&["compare", "run", "--format", "json"]).run().exits(0);
    let compared = compared.json()[0].clone();
    assert_eq!(compared["measure"], "ratio", "{compared}");
    let mean = compared["mean"].as_f64().expect("a number");
    assert!((mean - 100.0 / 3.0).abs() < 1e-6, "the best is 2 of 3, in percent: {compared}");
}
