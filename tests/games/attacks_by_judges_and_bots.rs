//! Bots that disturb their tester, and testers and bots that write more than is read.

use support::prelude::*;

const SETTINGS: &str = r#"
[game.twice]
kind = "tester"
command = "./tester {case} {bot}"
cases = "in"
judge-limit = "20s"
limits = { first-turn = "60s", turn = "60s" }
"#;

/// A place that every user may write to, with a tester that prints standard error.
fn project() -> Place {
    let place = Place::new();
    let open = fs::Permissions::from_mode(0o777);
    fs::set_permissions(place.folder(), open).expect("its owner");
    fs::create_dir(place.path("in")).expect("made");
    fs::write(place.path("in/0003.txt"), "3\n").expect("written");
    fs::write(place.path("referee.toml"), SETTINGS).expect("written");
    // Not every user may read where it was built.
    let mut install = Command::new("install");
    let made = install.args(["--mode", "755"]).arg(double()).arg(place.path("double")).status();
    assert!(made.expect("starts").success(), "room for a copy");
    let tester = format!("exec '{}' tester relays \"$@\"", place.path("double").display());
    place.script("tester", &tester);
    place
}

fn play(place: &Place, user: User, more: &[&str]) -> Output {
    let play = ["play", "--game", "twice", "--seed", "3", "--format", "json", "--bot", "./bot"];
    referee_of(user).current_dir(place.folder()).args(play).args(more).run()
}

/// The verdict, the score and the diagnosis.
fn told(result: &Value) -> (&str, Option<i64>, &str) {
    let text = |key: &str| result[key].as_str().unwrap_or_default();
    (text("verdict"), result["score"].as_i64(), text("diagnosis"))
}

#[test]
fn standard_error_without_end_is_neither_trouble_nor_part_of_the_results() {
    let place = project();
    let flood = "head -c 25000000 /dev/zero | tr '\\0' 1 >&2";
    place.script("bot", &format!("read n; {flood}; echo 7; read -r end || :"));
    let suite = ["suite", "--game", "twice", "--bot", "./bot", "--run", "run", "--logs", "none"];
    assert_code(&place.referee(&suite), 1);
    assert_eq!(place.results("run")[0].verdict.to_string(), "lost");
    let size = fs::metadata(place.path("run/results.jsonl")).expect("results").len();
    assert!(size < 10_000, "{size} bytes");
}

#[test]
fn a_bot_that_connects_to_the_relays_socket_causes_no_trouble() {
    let place = project();
    let temporary = place.path("temporary");
    fs::create_dir(&temporary).expect("made");
    fs::set_permissions(&temporary, fs::Permissions::from_mode(0o777)).expect("its owner");
    let (double, folder) = (place.path("double"), temporary.display().to_string());
    place.script("bot", &format!("exec '{}' tester connects '{folder}'", double.display()));
    for (user, method) in grid(ALL_METHODS) {
        let play = ["play", "--game", "twice", "--seed", "3", "--format", "json", "--bot", "./bot"];
        let referee = referee_of(user).current_dir(place.folder()).env("TMPDIR", &temporary);
        let played = referee.args(play).args(["--containment", method]).run();
        assert_code(&played, 0);
        let result = played.json();
        assert_eq!(told(&result).1, Some(3), "{user:?} {method}: {result}");
        assert_eq!(result["stderr_tail"], json!(["connected to 1"]), "{user:?} {method}: {result}");
    }
}

/// A place whose tester sends this.
fn sending(what: &str) -> Place {
    let place = project();
    let settings = SETTINGS.replace("./tester {case} {bot}", "./sender {bot} {seed}");
    let settings = settings.replace("cases = \"in\"\n", "");
    fs::write(place.path("referee.toml"), settings).expect("written");
    let double = place.path("double");
    place.script("sender", &format!("exec '{}' tester sends {what} \"$1\"", double.display()));
    place
}

#[test]
fn large_inputs_and_answers_come_through_whole() {
    for (what, bot, score) in [
        ("line", "head -c 1000001 | wc -c", 1_000_001),
        ("line", "head -c 1000001 | (sleep 0.2; wc -c)", 1_000_001),
        ("short", "read -r n; head -c $n /dev/zero | tr '\\0' 7; echo", 1_000_000),
    ] {
        let place = sending(what);
        place.script("bot", bot);
        let result = play(&place, User::Mine, &[]).json();
        assert_eq!(
            (told(&result).0, told(&result).1),
            ("completed", Some(score)),
            "{bot}: {result}"
        );
    }
}

/// Asks this many questions of 20 bytes before it reads an answer.
fn asking(questions: u32) -> String {
    let ask = "printf 'question %10d\\n' $i";
    format!(
        "i=0; while [ $i -lt {questions} ]; do {ask}; i=$((i + 1)); done\n\
         while [ $i -gt 0 ]; do read -r answer; i=$((i - 1)); done"
    )
}

#[test]
fn a_bot_and_a_tester_that_both_write_without_reading_block_each_other() {
    let place = sending("answers");
    // What two pipes hold is answered later.
    place.script("bot", &asking(3_000));
    let result = play(&place, User::Mine, &[]).json();
    assert_eq!((told(&result).0, told(&result).1), ("completed", Some(3_000)), "{result}");
    // Each pipe holds less than 3,300 of 20,000, and no program has read more of them than it had answered.
    place.script("bot", &asking(20_000));
    for (user, method) in grid(ALL_METHODS) {
        let limits = ["--turn", "2s", "--containment", method];
        let result = play(&place, user, &limits).json();
        let (verdict, score, diagnosis) = told(&result);
        assert_eq!(verdict, "timeout", "{user:?} {method}: {result}");
        assert!(score < Some(20_000), "what was answered by then: {result}");
        assert!(diagnosis.contains("both pipes between them are full"), "{diagnosis}");
    }
}

/// The largest resident memory of a referee that plays, in KiB.
fn peak(mut referee: Child) -> (u64, Output) {
    let status = format!("/proc/{}/status", referee.id());
    let mut peak = 0;
    while referee.try_wait().expect("a child").is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = peak.max(now.unwrap_or_default());
        sleep(Duration::from_millis(5));
    }
    (peak, referee.wait_with_output().expect("it has ended"))
}

#[test]
fn a_tester_that_floods_the_bots_input_does_not_make_the_referee_grow() {
    // The tester sends 4 GiB, unless it waits for the bot.
    let place = sending("flood");
    for (bot, code, words) in [
        ("sleep 600", 1, "of its input"),
        ("cat >&2", 3, "the judge: wrote more than 64MiB to the bot in a game"),
    ] {
        place.script("bot", bot);
        let play = ["play", "--game", "twice", "--seed", "3", "--format", "json", "--bot", "./bot"];
        let limits = ["--first-turn", "2s", "--turn", "2s"];
        let referee = place.command(&play).args(limits).piped().start();
        let (peak, played) = peak(referee);
        assert_code(&played, code);
        let told = if code == 3 { played.err() } else { played.out() };
        assert!(told.contains(words), "{bot}: {told}");
        assert!(peak > 0 && peak < 300 << 10, "{bot}: {peak} KiB");
    }
}
