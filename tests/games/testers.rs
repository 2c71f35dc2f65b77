//! Games whose testers start the bot themselves: kind = "tester".

use support::prelude::*;

const SETTINGS: &str = r#"
[game.twice]
kind = "tester"
command = "./tester {case} {bot}"
cases = "in/*.txt"
judge-limit = "20s"
limits = { first-turn = "60s", turn = "60s" }
refused = 0
"#;

const DOUBLES: &str = "while read -r n; do echo $((n * 2)); done";

fn project() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("in")).expect("made");
    for (file, text) in
        [("referee.toml", SETTINGS), ("doubles.sh", DOUBLES), ("in/none.txt", "none 5\n")]
    {
        fs::write(place.path(file), text).expect("written");
    }
    place.double("tester", "tester faulty");
    place
}

/// Plays a game with the tester that has this fault.
fn play(place: &Place, fault: &str, bot: &str, more: &[&str]) -> Output {
    fs::write(place.path("case"), format!("{fault} 5\n")).expect("written");
    let args = ["play", "--game", "twice", "--board", "case", "--format", "json", "--bot", bot];
    place.referee(&[&args, more].concat())
}

fn set(place: &Place, from: &str, to: &str) {
    assert!(SETTINGS.contains(from), "{from}");
    fs::write(place.path("referee.toml"), SETTINGS.replace(from, to)).expect("written");
}

/// The verdict, what the tester said, and the diagnosis.
fn told(result: &Value) -> (&str, &str, &str) {
    let text = |key: &str| result[key].as_str().unwrap_or_default();
    (text("verdict"), text("official"), text("diagnosis"))
}

#[test]
fn a_tester_plays_with_a_bot_that_the_referee_starts() {
    let place = project();
    for fault in ["none", "waits", "kills"] {
        let played = play(&place, fault, "sh doubles.sh", &["--log", "log"]);
        assert_code(&played, 0);
        let result = played.json();
        assert_eq!((&result["verdict"], &result["score"]), (&"completed".into(), &5.into()));
        assert_eq!(told(&result).1, "Score 5", "{fault}");
        let drawn = fs::read_to_string(place.path("log.pictures/vis.html")).expect("kept");
        assert_eq!(drawn, "<p>drawn</p>");
        let log = fs::read_to_string(place.path("log")).expect("written");
        assert!(log.contains(r#""input":"3\n""#) && log.contains(r#""reply":"6\n""#), "{log}");
        assert_eq!(place.referee(&["replay", "log", "--format", "json"]).json()["agrees"], true);
    }
    let again = place.referee(&["replay", "log", "--rejudge"]).exits(3);
    assert!(again.err().contains("starts the bot itself"), "{}", again.err());
    assert_code(&place.referee(&["game", "check", "twice", "--bot", "sh doubles.sh"]), 0);
}

#[test]
fn a_tester_that_splits_the_bots_path_at_blanks_finds_it_in_any_temporary_folder() {
    let place = project();
    fs::write(place.path("later.sh"), format!("read -r seed; {DOUBLES}")).expect("written");
    for name in ["with a blank", "it's", "$x;y"] {
        let temporary = place.path(name);
        fs::create_dir(&temporary).expect("made");
        place.double("tester", "tester marathon");
        set(&place, "{case} {bot}\"\ncases = \"in/*.txt\"", "-exec {bot} -seed {seed}\"");
        let play = ["play", "--game", "twice", "--seed", "5", "--format", "json", "--bot"];
        let played =
            place.command(&play).args(["sh later.sh"]).env("TMPDIR", &temporary).run().exits(0);
        assert_eq!(played.json()["score"], 5, "{name}");
    }
    // A tester that gives a shell its command.
    place.script("tester", "sh -c \"$2\" <\"$4\"; echo Score = 1");
    let temporary = place.path("with a blank");
    set(&place, "{case} {bot}\"", "-exec {bot} -case {case}\"");
    let play = ["play", "--game", "twice", "--board", "in/none.txt", "--bot", "cat"];
    assert_code(&place.command(&play).env("TMPDIR", &temporary).run(), 0);
}

#[test]
fn a_tester_may_read_the_case_from_its_standard_input_or_take_a_seed() {
    let place = project();
    set(&place, "tester {case} {bot}\"", "tester {bot}\"\nstdin = \"{case}\"");
    let result = play(&place, "none", "sh doubles.sh", &[]).json();
    assert_eq!(told(&result).1, "Score 5", "{result}");
    let place = project();
    for seed in ["0007", "0008"] {
        fs::write(place.path(&format!("{seed}.txt")), format!("none {seed}")).expect("written");
    }
    set(&place, "{case} {bot}\"\ncases = \"in/*.txt\"", "{seed04}.txt {bot}\"");
    let args = ["suite", "--game", "twice", "--seed", "7..8", "--bot", "sh doubles.sh"];
    assert_code(&place.referee(&[&args[..], &["--format", "json", "--run", "run"]].concat()), 0);
    let scores: Vec<_> = place
        .run("run")
        .outcomes()
        .expect("readable")
        .map(|outcome| outcome.expect("sound").score)
        .collect();
    assert_eq!(scores, [Some(7.into()), Some(8.into())]);
}

#[test]
fn seeds_are_numbers_of_64_bits_as_contests_have_them() {
    let place = project();
    place.script(
        "tester",
        "printf '%s\\n' \"$4\" | \"$2\" >answer; echo Score = $(grep -cx -e \"$4\" answer)",
    );
    set(&place, "{case} {bot}\"\ncases = \"in/*.txt\"", "-exec {bot} -seed {seed}\"");
    let play = ["play", "--game", "twice", "--bot", "cat", "--seed", "18446744073709551615"];
    assert_code(&place.referee(&[&play[..], &["--log", "log"]].concat()), 0);
    let log = fs::read_to_string(place.path("log")).expect("written");
    assert!(log.contains(r#"{\"seed\":18446744073709551615}"#), "{log}");
    assert_eq!(place.referee(&["replay", "log", "--format", "json"]).json()["agrees"], true);
    let check = ["game", "check", "twice", "--bot", "cat", "--seed", "9223372036854775808"];
    assert_code(&place.referee(&check), 0);
    for (run, seeds) in [
        ("runs/list", "-9223372036854775808,9223372036854775808,18446744073709551615"),
        ("runs/range", "9223372036854775807..9223372036854775809"),
    ] {
        let suite = ["suite", "--game", "twice", "--bot", "cat", "--seed", seeds, "--run", run];
        assert_code(&place.referee(&suite), 0);
        assert_code(&place.referee(&["resume", run]), 0);
        assert_eq!(place.results(run).len(), 3);
        assert_eq!(place.run(run).run.plan.seeds.expect("seeds").to_string(), seeds);
        let shown = place.referee(&["show", run, "--format", "csv"]).exits(0).out();
        assert!(shown.contains("seed 9223372036854775808"), "{shown}");
    }
    let seeds = place.referee(&["show", "runs/range", "--format", "seeds"]).exits(0).out();
    assert!(seeds.contains("9223372036854775809"), "{seeds}");
    let games = place.referee(&["show", "runs/range", "--format", "json"]).exits(0).out();
    let games = games.replace(": ", ":");
    assert!(games.contains("\"seed\":9223372036854775809"), "{games}");
    let runs = place.referee(&["runs"]).exits(0).out();
    assert!(runs.contains("seeds 9223372036854775807..9223372036854775809"), "{runs}");
    // A generator of Java's has no more than its `long`.
    for game in ["samegame", "square-remover"] {
        for command in ["play", "suite", "generate"] {
            let seed = [command, "--game", game, "--seed", "9223372036854775808"];
            let refused = place.referee(&seed).exits(2).err();
            let why = "no test case of this seed; its seeds are -9223372036854775808 to 9223372036854775807";
            assert!(refused.contains(why), "{command}: {refused}");
        }
    }
    let beyond =
        place.referee(&["suite", "--bot", "cat", "--seed", "18446744073709551616"]).exits(2);
    assert!(beyond.err().contains("is neither a number nor a range"), "{}", beyond.err());
}

/// Wants the double of the case's number. It captures the bot's standard error, prints it in one of several ways, or never gets it.
/// What it captures must be empty, and end only once the bot has written the file `ended`.
const PYTHON: &str = r#"
import os, select, subprocess, sys, threading
how, case, bot, ended = sys.argv[1:]
errors = {"inherited": None, "merged": subprocess.STDOUT}.get(how, subprocess.PIPE)
child = subprocess.Popen([bot], stdin=-1, stdout=-1, stderr=errors, text=True, bufsize=1)
def print_errors():
    for line in child.stderr:
        print("[bot] " + line, end="", file=sys.stderr if how == "passed" else sys.stdout)
printer = threading.Thread(target=print_errors)
if how in ("prefixed", "passed"):
    printer.start()
number = int(open(case).read())
child.stdin.write(f"{number}\n")
answer = child.stdout.readline()
early = how == "captured" and select.select([child.stderr], [], [], 0.2)[0]
child.stdin.close()
captured = child.stderr.read() if how == "captured" else ""
outlasts = how == "captured" and not os.path.exists(ended)
if printer.ident:
    printer.join()
print("wrong" if early or captured or outlasts or int(answer) != 2 * number else f"Score = {number}")
"#;

#[test]
fn a_bots_standard_error_is_empty_for_its_tester_and_ends_with_the_bot() {
    let Some([python]) = need("testers in Python", ["python3"]) else { return };
    let place = project();
    fs::write(place.path("tester.py"), PYTHON).expect("written");
    fs::write(place.path("in/none.txt"), "3\n").expect("written");
    let ended = place.path("ended");
    for how in ["captured", "prefixed", "passed", "inherited", "merged"] {
        let command = format!("{python} tester.py {how} {{case}} {{bot}} {}", ended.display());
        set(&place, "./tester {case} {bot}", &command);
        for errors in ["", "Score = 3\\n", "Score = 3"] {
            let _ = fs::remove_file(&ended);
            let answer = format!("read -r n; printf '{errors}' >&2; echo $((2 * n))");
            let bot = format!("{answer}; read -r end; sleep 0.1; : >'{}'", ended.display());
            fs::write(place.path("bot.sh"), bot).expect("written");
            let play = ["play", "--game", "twice", "--board", "in/none.txt", "--format", "json"];
            let result = place.referee(&[&play[..], &["--bot", "sh bot.sh"]].concat()).json();
            assert_eq!(told(&result).1, "Score 3", "{how} {errors}: {result}");
            let said = (&result["verdict"], &result["score"], &result["summary"]);
            let expected = (&json!("completed"), &json!(3), &json!(["Score = 3"]));
            assert_eq!(said, expected, "{how} {errors}: {result}");
            let kept = result["stderr_tail"].as_array().map_or(0, Vec::len);
            assert_eq!(kept > 0, !errors.is_empty(), "{how} {errors}: {result}");
        }
    }
}

#[test]
fn a_tester_that_polls_for_the_bots_end_learns_of_it_at_once() {
    let place = project();
    // It ends after the tester has closed its input, and does not wait for that.
    let bot = "for i in 1 2 3 4 5; do read n; echo $((n * 2)); done; sleep 0.3";
    fs::write(place.path("bot.sh"), bot).expect("written");
    let turns = || {
        let result = play(&place, "polls", "sh bot.sh", &["--log", "log"]).json();
        assert_eq!(told(&result).1, "Score 5", "{result}");
        let log = fs::read_to_string(place.path("log")).expect("written");
        log.matches(r#""reply":"#).count()
    };
    // After a second the bot is told that its input has ended, in one more turn: on a loaded machine that can come first.
    assert!((0..5).any(|_| turns() == 5), "nobody watched the bot while the tester polled");
}

#[test]
fn a_tester_leaves_nothing_behind() {
    let (mark, place) = (Mark::new(), project());
    let (name, value) = mark.env().split_once('=').expect("a variable");
    set(&place, "cases", &format!("env = {{ {name} = \"{value}\" }}\ncases"));
    for fault in ["children", "kills", "crash"] {
        fs::write(place.path("case"), format!("{fault} 5\n")).expect("written");
        let args = ["play", "--game", "twice", "--board", "case", "--bot", "sh doubles.sh"];
        let bot = ["--env", mark.env()];
        place.referee(&[&args[..], &bot].concat());
        mark.assert_gone();
    }
}

#[test]
fn a_bot_in_a_sandbox_reads_neither_the_tester_nor_the_cases() {
    let place = project();
    let spy = "cat tester in/none.txt >&2 2>/dev/null; cat doubles.sh >/dev/null && echo own >&2";
    fs::write(place.path("spy.sh"), format!("{spy}; {DOUBLES}")).expect("written");
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.folder(), open).expect("its owner");
    let read = |more: &[&str]| {
        let result = play(&place, "none", "sh spy.sh doubles.sh", more).json();
        assert_eq!(told(&result).1, "Score 5", "{more:?}: {result}");
        result["stderr_tail"].as_array().expect("lines").clone()
    };
    for method in sandboxes() {
        let sandbox = ["--sandbox", "--containment", method];
        assert_eq!(read(&sandbox), ["own"], "{method}");
        let shown = read(&[&sandbox[..], &["--sandbox=in"]].concat());
        assert_eq!(shown, ["none 5", "own"], "{method}");
        // What the bot's own command names is its own.
        let own = play(&place, "none", "sh spy.sh doubles.sh in/none.txt", &sandbox).json();
        assert_eq!(own["stderr_tail"], json!(["none 5", "own"]), "{method}");
    }
    assert_eq!(read(&[])[..].last_chunk(), Some(&["none 5".into(), "own".into()]));
}

#[test]
fn a_tester_may_start_the_bot_several_times_if_its_settings_say_so() {
    let place = project();
    set(&place, "judge-limit", "bots = 2\njudge-limit");
    for fault in ["twice", "overlap"] {
        let result = play(&place, fault, "sh doubles.sh", &["--log", "log"]).json();
        assert_eq!(told(&result).1, "Score 5", "{fault}: {result}");
        assert_eq!(place.referee(&["replay", "log", "--format", "json"]).json()["agrees"], true);
    }
}
