//! Certificates of turns, and bots that are late whatever else the machine does. Where others must not keep bots waiting,
//! the tests are in `tests/timing/turns.rs`.

use support::prelude::*;

fn play(args: &[&str]) -> Value {
    referee().play(args).json()
}

#[test]
fn each_exchange_has_a_certificate() {
    let result = play(
        &[&["--bot", "@thinker --compute 20", "--board", "@clearable"], &PATIENT[..]].concat(),
    );
    let exchanges = result["timing"]["exchanges"].as_array().expect("an array");
    assert_eq!(exchanges.len(), 21);
    for exchange in exchanges {
        let number =
            |field: &str| exchange[field].as_f64().unwrap_or_else(|| panic!("{field}: {exchange}"));
        // Two ticks of the coarsest scheduler, since the counters may lag behind.
        assert!(
            number("cpu_ms") >= 0.0 && number("cpu_ms") <= number("wall_ms") + 20.0,
            "{exchange}"
        );
        assert!(number("wall_ms") >= 20.0, "{exchange}");
        assert!(number("peak_memory_bytes") > 100_000.0, "{exchange}");
        for always_there in ["wait_ms", "referee_wait_ms", "page_faults"] {
            number(always_there);
        }
    }
    let sum = |field: &str| -> f64 {
        exchanges.iter().map(|exchange| exchange[field].as_f64().expect("a number")).sum()
    };
    assert!(sum("cpu_ms") > 21.0 * 15.0, "most of the computing shows: {}", sum("cpu_ms"));
    // It sleeps until its turn, unless that is there already when it looks.
    assert!(sum("context_switches") >= 10.0, "{exchanges:?}");
}

#[test]
fn what_a_bots_own_children_use_counts() {
    let bot = format!("sh -c '\"{}\" bot thinker --compute 30; true'", program());
    let result = play(&[&["--bot", &bot, "--board", "@clearable"], &PATIENT[..]].concat());
    let exchanges = result["timing"]["exchanges"].as_array().expect("an array");
    let cpu: f64 =
        exchanges.iter().map(|exchange| exchange["cpu_ms"].as_f64().expect("a number")).sum();
    assert!(cpu > 21.0 * 20.0, "{cpu} ms behind a shell");
}

#[test]
fn a_sleeping_bot_is_late_by_its_own_fault() {
    let args = ["--bot", "@thinker --sleep 4000", "--first-turn", "1s"];
    let result = undisturbed(has_host_part, || play(&args));
    assert_eq!(result["verdict"], "timeout");
    assert_eq!(overruns(&result), (1, 0), "{result}");
    let diagnosis = result["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("the bot's fault: in "), "{diagnosis}");
}

#[test]
fn chatter_does_not_extend_a_deadline() {
    let args = ["--first-turn", "1s", "--bot", "@misbehaving chatter"];
    let result = undisturbed(has_host_part, || play(&args));
    assert_eq!(result["verdict"], "timeout");
    assert!(result["timing"]["first_turn"]["wall_ms"].as_f64().expect("a number") < 20_000.0);
    let diagnosis = result["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("it had written `xxx"), "{diagnosis}");
}

#[test]
fn sdk_soft_forgives_two_late_answers_and_not_the_third() {
    let folder = tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(&config, "profile = 'sdk-soft'\n[sdk-soft]\nextra = '60s'").expect("written");
    let args =
        ["--bot", "@thinker --sleep 300", "--first-turn", "60s", "--turn", "100ms", "--config"];
    let log = folder.path().join("game.jsonl");
    let log = ["--log", log.to_str().expect("UTF-8")];
    let args = [&args[..], &[config.to_str().expect("UTF-8")], &log].concat();
    let result = undisturbed(has_host_part, || play(&args));
    assert_eq!(result["verdict"], "timeout", "{result}");
    assert_eq!(result["turns"], 4, "turns 2 and 3 are forgiven");
    let diagnosis = result["diagnosis"].as_str().expect("text");
    let forgiven = "2 turns answered late, and forgiven (the first is turn 2)";
    assert!(diagnosis.contains(forgiven), "{diagnosis}");
    let replayed = referee().args(["replay", log[1]]).json();
    assert_eq!(replayed["agrees"], true, "a late reply that is whole is a timeout: {replayed}");
}

#[test]
fn sdk_soft_waits_no_longer_than_it_says() {
    let folder = tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(&config, "profile = 'sdk-soft'\n[sdk-soft]\nextra = '500ms'").expect("written");
    let args = ["--bot", "@thinker --sleep 5000", "--first-turn", "100ms", "--config"];
    let args = [&args[..], &[config.to_str().expect("UTF-8")]].concat();
    let result = undisturbed(has_host_part, || play(&args));
    assert_eq!((&result["verdict"], &result["turns"]), (&"timeout".into(), &1.into()));
    assert!(result["timing"]["first_turn"]["wall_ms"].as_f64().expect("a number") >= 600.0);
}
