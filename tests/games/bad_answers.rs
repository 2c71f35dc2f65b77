//! A bot's answer and a judge that it breaks: what the judge never sees, what a failure tells, and what `game check` finds before.

use support::prelude::*;

/// A judge of one player, or of two: it asks once, and `$answer` is what it then has.
fn asks(players: u32, then: &str) -> Place {
    let place = Place::new();
    let player = if players > 1 { r#","player":1"# } else { "" };
    let judge = format!(
        "echo() {{ printf '%s\\n' \"$1\"; }}; read case; echo '{{\"ask\":\"go\\n\"{player}}}'; read -r answer; {then}"
    );
    fs::write(place.path("judge.sh"), judge).expect("room");
    set(&place, &format!("players = {players}"));
    place
}

fn set(place: &Place, more: &str) {
    let settings = format!("[game.asks]\nkind = \"judge\"\ncommand = \"sh judge.sh\"\n{more}\n");
    fs::write(place.path("referee.toml"), settings).expect("room");
}

fn play(place: &Place, bot: &str, players: usize) -> Output {
    let bots = ["--bot", bot].repeat(players);
    place
        .command(&["play", "--game", "asks", "--seed", "1", "--log", "log"])
        .patient()
        .args(bots)
        .run()
}

#[test]
fn a_judge_that_a_reply_breaks_names_it_keeps_it_and_ends_no_suite() {
    for (players, bot, reply, of) in [
        (1, "echo 7", "the reply before it was `7`", ""),
        (2, "echo 7", "the reply of seat 1 (echo 7) before it was `7`", "seat\":1"),
        (2, "true", "instead of a reply of seat 1 (true) it was told: early exit", "seat\":1"),
    ] {
        let place = asks(players, "echo oops >&2; exit 3");
        let failed = play(&place, bot, players as usize).exits(3).err();
        let after = "exited with status 3 after the reply to its question 1: oops; ";
        assert!(failed.contains(&format!("{after}{reply}\n")), "{failed}");
        let log = fs::read_to_string(place.path("log")).expect("kept");
        assert!(log.lines().count() == 2 && log.contains(of), "{log}");
        let again = place.referee(&["replay", "log", "--rejudge"]).exits(3).err();
        assert!(again.contains("question 1: oops"), "{again}");
        let bots = ["--bot", bot].repeat(players as usize);
        let bots: Vec<String> = (1..)
            .zip(bots)
            .map(|(at, word)| if at % 2 == 0 { format!("{word} {at}") } else { word.to_owned() })
            .collect();
        place
            .command(&["suite", "--game", "asks", "--seed", "1..8", "--run", "run"])
            .patient()
            .args(&bots)
            .run();
        let results = place.results("run");
        assert_eq!(results.len(), 8 * (players * players) as usize, "{bot}");
        for result in results.iter().filter(|result| result.game == result.table()) {
            let game = place.run("run").log_path(result.game);
            let log = fs::read_to_string(game).expect("kept");
            assert!(log.lines().count() == 2, "{log}");
        }
    }
}

#[test]
fn a_judge_never_sees_an_answer_beyond_its_limit() {
    let ends = r#"case $answer in *line_too_long*) how=lost ;; *) how=completed ;; esac; echo "{\"end\":\"$how\"}""#;
    let place = asks(1, ends);
    for (setting, bytes, verdict) in [
        ("", 9_999, "completed"),
        ("", 10_000, "line too long"),
        ("answer-limit = \"20kB\"", 19_999, "completed"),
        ("answer-limit = \"20kB\"", 20_000, "line too long"),
        ("answer-limit = \"none\"", 100_000, "completed"),
    ] {
        set(&place, setting);
        let bot = format!("sh -c 'head -c {bytes} /dev/zero | tr \"\\0\" 1; echo'");
        let played = play(&place, &bot, 1).out();
        assert!(played.contains(&format!("verdict       {verdict}\n")), "{setting}: {played}");
        assert_eq!(place.referee(&["replay", "log", "--format", "json"]).json()["agrees"], true);
    }
}

#[test]
fn a_run_from_before_the_limit_on_answers_goes_on_and_verifies() {
    let place = asks(1, r#"echo '{"end":"completed"}'"#);
    let suite = ["suite", "--game", "asks", "--bot", "echo 1", "--seed", "1..4", "--logs", "all"];
    assert_code(&place.command(&suite).args(["--run", "run"]).patient().run(), 0);
    let change = |file: &str, change: &dyn Fn(String) -> String| {
        let text = fs::read_to_string(place.path(file)).expect("text");
        let changed = change(text.clone());
        assert_ne!(changed, text, "{file}");
        fs::write(place.path(file), changed).expect("room");
    };
    change("run/run.toml", &|text| text.replace("max_bytes = 10000\n", ""));
    change("run/results.jsonl", &|text| text.split_inclusive('\n').take(2).collect());
    assert_code(&place.command(&["resume", "run"]).run(), 0);
    let verified = place.referee(&["verify", "run"]).exits(0).out();
    assert!(verified.starts_with("4 of 4 games of asks agree"), "{verified}");
    // The setting is a rule of the run's.
    set(&place, "answer-limit = \"20kB\"");
    change("run/results.jsonl", &|text| text.split_inclusive('\n').take(2).collect());
    let said = place.referee(&["resume", "run"]).exits(2).err();
    assert!(said.contains("the game's judge is not the same"), "{said}");
}

#[test]
fn a_check_names_the_answers_that_break_a_judge() {
    let place = asks(1, r#"[ ${#answer} -lt 4000 ] && echo '{"end":"lost"}'"#);
    let checked = place.referee(&["game", "check", "asks"]).exits(1).out();
    assert!(checked.contains("The judge fails on 5,000 digits: exited with status 1"), "{checked}");
    assert_eq!(checked.matches("The judge fails").count(), 1, "{checked}");
    let place = asks(1, r#"echo '{"end":"lost"}'"#);
    let checked = place.referee(&["game", "check", "asks"]).exits(0).out();
    assert!(
        checked.contains("The judge rules on bad answers: an empty line, 5,000 digits"),
        "{checked}"
    );
}

#[test]
fn a_failed_bot_in_the_first_place_is_told() {
    let first = r#"echo '{"end":"completed","scores":[0,0]}'"#;
    let last = r#"echo '{"end":"completed","scores":[1,0]}'"#;
    for (then, is_told) in [(first, true), (last, false)] {
        let place = asks(2, then);
        let bots = ["--bot", "echo 1", "--bot", "false"];
        let checked = place.command(&["game", "check", "asks"]).args(bots).run().out();
        let warning = "warning: the judge gives seat 1 the first place, although its bot failed";
        assert_eq!(checked.contains(warning), is_told, "{checked}");
    }
}

#[test]
fn a_long_text_of_a_judge_does_not_fill_the_terminal() {
    let text = r"text=$(head -c 65536 /dev/zero | tr '\0' x); ";
    for (players, then) in [
        (1, r#"echo "{\"end\":\"lost\",\"official\":\"$text\"}""#),
        (1, r#"echo "$text" >&2; exit 1"#),
        (1, r#"echo "$text""#),
        (
            2,
            r#"echo "{\"end\":\"completed\",\"scores\":[1,0],\"out\":[{\"player\":1,\"how\":\"lost\",\"official\":\"$text\"}]}""#,
        ),
    ] {
        let place = asks(players, &format!("{text}{then}"));
        let played = play(&place, "echo 1", players as usize);
        let (out, err) = (played.out(), played.err());
        let shown = out.matches('x').count() + err.matches('x').count();
        assert!((20..1000).contains(&shown), "{then}: {shown} {out} {err}");
    }
}
