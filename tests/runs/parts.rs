//! Runs in parts: each part on its own, merged to the results of the same suite in one piece.

use fs::File;

use insta::assert_snapshot;
use referee::suite::{Outcome, RunFolder, RunWriter, Times, merge};
use support::prelude::*;

/// A bot whose first game ends, and whose others wait for a file `go`.
const FIRST_ENDS: &str = "mkdir begun 2>&- || until [ -e go ]; do sleep 0.1; done; exit 3";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The results of a run by game, without times and hosts.
fn results(folder: &RunFolder) -> Vec<Outcome> {
    let outcomes: Result<Vec<_>, _> = folder.outcomes().expect("results").collect();
    let mut outcomes = outcomes.expect("whole results");
    for outcome in &mut outcomes {
        outcome.times = Times::default();
        outcome.session = None;
        // Such as `the bot exited with status 3 after 954 µs`.
        let told = outcome.diagnosis.take();
        outcome.diagnosis = told.map(|told| told.split(" after ").next().unwrap_or("").to_owned());
    }
    outcomes.sort_by_key(|outcome| outcome.game);
    outcomes
}

fn entries(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect()
}

#[test]
fn parts_that_are_merged_are_the_whole() {
    let place = Place::new();
    place.script("loser", "exit 3");
    let bots = ["@greedy", "@random --seed 7", "./loser"];
    place.plan("run", "4", &bots, "1..10");
    let mut whole = place.command(&["suite", "--run", "whole", "--seed", "1..10", "--jobs", "2"]);
    for bot in bots {
        whole = whole.args(["--bot", bot]);
    }
    assert_code(&whole.args(PATIENT).run(), 1);

    // A bot that loses does not fail the part; the order does not matter, nor does a second time.
    for part in ["3", "1", "4", "3"] {
        assert_code(&place.part("run", part), 0);
    }
    let played = place.part("run", "3").out();
    assert_snapshot!(played.trim_end(), @"part 3 of 4 of run: 6 games of samegame, 2 lost");
    let missing = place.referee(&["merge", "run"]).exits(2);
    assert_snapshot!(missing.err().trim_end(), @"error: 1 of 4 parts are not complete (2), 9 of 30 games are missing; `referee suite --resume run` plays them here, and with --part on several machines");
    // Before it is merged it can be read like any other run.
    assert_code(&place.referee(&["compare", "run", "--format", "json"]), 0);
    assert_eq!(results(&place.run("run")).len(), 21);

    assert_code(&place.part("run", "2"), 0);
    let merged = place.referee(&["merge", "run"]).exits(1);
    assert!(merged.out().starts_with("30 games of samegame, 10 lost"), "{}", merged.out());
    assert_eq!(results(&place.run("run")), results(&place.run("whole")));
    let sessions = place.run("run").sessions().expect("sessions");
    assert_eq!(sessions.iter().map(|session| session.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let names = entries(&place.path("run"));
    assert!(!names.contains("parts") && !names.iter().any(|name| name.starts_with(".new-")));

    // It is a run like any other now.
    assert_code(&place.referee(&["merge", "run"]), 1);
    assert_code(&place.part("run", "2"), 0);
    assert_code(&place.referee(&["suite", "--resume", "run", "--again", "crash"]), 1);
    assert_eq!(results(&place.run("run")), results(&place.run("whole")));
}

#[test]
fn what_is_left_of_a_run_in_parts_can_be_played_on_one_machine() {
    let place = Place::new();
    place.plan("run", "3", &["@first"], "1..7");
    assert_code(&place.part("run", "2"), 0);
    assert_code(&place.referee(&["suite", "--resume", "run", "--format", "json"]), 0);
    assert_eq!(results(&place.run("run")).len(), 7);
    assert!(place.path("run/results.jsonl").exists());
}

#[test]
fn flags_of_a_run_in_parts_are_those_of_its_parts_and_of_its_report() {
    let place = Place::new();
    // Far above what the bot scores on seed 1.
    let best = "format = 1\n[[record]]\nrecord_id = \"afe9ea1c3fbed28411563dfe0304a60f\"\nboard = \"seed 1\"\n\
                game = \"samegame\"\nbot = \"@greedy\"\nscore = 9999\nrun = \"other\"\n";
    fs::write(place.path("the best"), best).expect("written");
    fs::write(place.path("mine.toml"), "").expect("written");
    let plan = "suite --bot @first --seed 1..2 --parts 2 --run run --jobs 1 --cores-per-bot 1 --pin=off --logs all \
                --compress --keep-going --containment plain --config mine.toml --fail-below 1 --fail-on-timeout --records";
    let planned = place.command(&words(plan)).arg("the best").patient().run().exits(0).out();
    let folder = place.folder().display();
    let told = planned.replace(&format!("{folder}/"), "");
    assert_snapshot!(told.trim_end(), @"
    2 games in 2 parts are planned in run.

      one part    run/referee suite --run run --part 1 --jobs 1 --cores-per-bot 1 '--pin=off' --logs all --compress --keep-going --config mine.toml --containment plain
      what is left, here    referee suite --resume run --jobs 1 --cores-per-bot 1 '--pin=off' --logs all --compress --keep-going --config mine.toml --containment plain --records 'the best' --fail-below 1 --fail-on-timeout
      at the end    referee merge run --records 'the best' --fail-below 1 --fail-on-timeout
    ");
    let command = |label: &str| {
        let line = planned.lines().find_map(|line| line.trim().strip_prefix(label));
        let words = shlex::split(line.expect(label)).expect("words");
        place.command(&[]).args(&words[1..]).run()
    };
    assert_code(&command("one part"), 0);
    assert!(place.path("run/games/000001.jsonl.gz").exists());
    assert_code(&command("at the end"), 2);
    let failed = |output: Output| {
        // No game is lost, but the best score is far better.
        let shown = output.exits(1).out();
        assert!(shown.contains(" 0 lost"), "{shown}");
    };
    failed(command("what is left, here"));
    failed(command("at the end"));
    for flag in ["--fail-below=1", "--fail-on-timeout", "--records=best", "--format=json"] {
        let refused = place.referee(&["suite", "--run", "run", "--part", "1", flag]).exits(2).err();
        let flag = flag.split('=').next().expect("a flag");
        let problem =
            "is for the report on a whole run, which is not made here; `referee merge` takes it";
        assert!(refused.contains(&format!("{flag} {problem}")), "{refused}");
    }
}

#[test]
fn a_live_page_of_the_rest_of_a_run_in_parts_has_all_its_games() {
    let place = Place::new();
    place.plan("run", "3", &["@first"], "1..6");
    assert_code(&place.part("run", "2"), 0);
    assert_code(&place.resume("run", &["--live", "live.html"]), 0);
    let page = fs::read_to_string(place.path("live.html")).expect("a page");
    let has = |seed: u32| page.contains(&format!("seed {seed}"));
    assert!((1..=6).all(has), "{:?}", (1..=6).map(has).collect::<Vec<_>>());
    assert!(
        page.contains("<title>6 games of samegame, 0 lost</title>")
            && !page.contains("id=\"live\""),
        "{page}"
    );
}

#[test]
fn a_part_is_played_from_copies_of_the_bot_as_it_was_planned() {
    let place = Place::new();
    place.script("bot", "exit \"$(cat \"$1\")\"");
    fs::write(place.path("status"), "3").expect("written");
    place.plan("run", "2", &["./bot status"], "1..4");
    place.script("bot", "exit 5");
    fs::write(place.path("status"), "4").expect("written");
    assert_code(&place.part("run", "1"), 0);
    fs::remove_file(place.path("bot")).expect("removed");
    // From anywhere, and by the copy of the referee.
    let mut copy = Command::new(place.path("run/referee"));
    copy.args(["suite", "--part", "2", "--run"]).arg(place.path("run")).current_dir("/");
    assert_code(&copy.run(), 0);
    let losses: BTreeSet<_> = results(&place.run("run")).iter().map(Outcome::loss).collect();
    assert_eq!(losses.len(), 1);
    assert!(losses.first().expect("one").contains("status 3"), "{losses:?}");

    fs::write(place.path("run/bots/1/1/status"), "9").expect("written");
    fs::remove_dir_all(place.path("run/parts/0002")).expect("removed");
    let changed = place.part("run", "2").exits(2);
    assert_snapshot!(changed.err().trim_end(), @"error: run cannot be resumed: the bot `./bot status` has changed: status is not the same; put back what it was planned with, or start a new run, without --resume");
}

#[test]
fn a_bot_finds_what_is_beside_its_program_when_a_part_is_played() {
    let place = Place::new();
    for (file, text) in [("bots/words", "exit 7"), ("bots/lib/more", "cat"), ("bots/.hidden", "")] {
        let file = place.path(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, text).expect("written");
    }
    // By its own path, as a program finds its libraries, and an interpreter the modules of a script.
    place.script(
        "bots/run",
        "here=${0%/*}; cat $here/.hidden $here/lib/more >/dev/null && . $here/words",
    );
    place.script("bots/other", "exec sh \"$1\"");
    let told = |run: &str, more: &[&str], words: &str| {
        let suite = ["suite", "--parts", "1", "--seed", "1..3", "--run", run];
        let bots = ["--bot", "bots/run", "--bot", "sh bots/run", "--bot", "bots/other bots/run"];
        assert_code(&place.command(&suite).args(bots).args(more).patient().run(), 0);
        assert_code(&place.part(run, "1"), 0);
        let outcomes = place.run(run).outcomes().expect("results");
        let diagnoses: Vec<_> =
            outcomes.map(|outcome| outcome.expect("whole").diagnosis.unwrap_or_default()).collect();
        assert_eq!(diagnoses.len(), 9);
        assert!(diagnoses.iter().all(|why| why.contains(words)), "{run}: {diagnoses:?}");
    };
    told("run", &[], "status 7");
    told("bots/runs/inside", &[], "status 7");
    // What is installed in a virtual environment finds it from there.
    for folder in ["env/bin", "env/lib"] {
        fs::create_dir_all(place.path(folder)).expect("made");
    }
    fs::write(place.path("env/pyvenv.cfg"), "").expect("written");
    fs::write(place.path("env/lib/module"), "exit 7").expect("written");
    place.script("env/bin/run", ". ${0%/*}/../lib/module");
    place.plan("env/run", "1", &["env/bin/run"], "1..3");
    assert_code(&place.part("env/run", "1"), 0);
    assert!(results(&place.run("env/run")).iter().all(|game| game.loss().contains("status 7")));
    // A sandbox shows of it what it shows next to the original.
    for method in sandboxes() {
        let run = |name: &str| format!("{method}-{name}");
        let containment = ["--containment", method];
        told(
            &run("none"),
            &[&containment[..], &["--sandbox"]].concat(),
            "; add `--sandbox=bots/.hidden`",
        );
        let files = ["--sandbox=bots/.hidden", "--sandbox=bots/lib/more", "--sandbox=bots/words"];
        told(&run("files"), &[&containment[..], &files].concat(), "status 7");
        let folder = ["--sandbox=bots"];
        told(&run("folder"), &[&containment[..], &folder].concat(), "status 7");
    }
    assert_code(&place.referee(&["merge", "run"]), 1);
    fs::remove_dir_all(place.path("run")).expect("removed");
    assert!(!place.path("run").exists());
    assert!(place.path("bots/words").exists() && place.path("bots/lib/more").exists());
}

#[test]
fn a_part_stops_as_a_suite_does_when_a_bot_loses_its_first_games_alike() {
    let place = Place::new();
    place.plan("run", "2", &["sh -c 'exit 3'"], "1..80");
    let part = ["suite", "--run", "run", "--part", "1", "--logs", "none", "--jobs", "1"];
    let stopped = place.referee(&part).exits(1);
    let why = "lost its first 10 games in the first turn, with one verdict: fix the bot and start a new run; as it is, `referee suite --run run --part 1` plays the rest";
    assert!(stopped.err().contains(why), "{}", stopped.err());
    let count = results(&place.run("run")).len();
    assert!((10..=12).contains(&count), "{count}");
    // This message has been read if it is started again.
    assert_code(&place.referee(&part), 0);
    assert_eq!(results(&place.run("run")).len(), 40);
    let part = ["suite", "--run", "run", "--part", "2", "--logs", "none", "--keep-going"];
    assert_code(&place.referee(&part), 0);
    assert_eq!(results(&place.run("run")).len(), 80);
}

#[test]
fn a_part_that_is_played_already_is_waited_for() {
    let place = Place::new();
    place.script("bot", FIRST_ENDS);
    place.plan("run", "2", &["./bot"], "1..6");
    let first = place.start_part("run", "1");
    place.wait_for_results("run/parts/0001", 1);
    let second = place.command(&["suite", "--run", "run", "--part", "1"]);
    let said = File::create(place.path("said")).expect("made");
    let second = second.stdout(Stdio::null()).stderr(said).start();
    wait_until("it says that it waits", || {
        let said = fs::read_to_string(place.path("said")).expect("text");
        said.contains("another process is playing the run in run/parts/0001")
    });
    fs::write(place.path("go"), "").expect("written");
    assert_code(&finished(first), 0);
    assert_code(&finished(second), 0);
    assert_eq!(place.run("run").sessions().expect("sessions").len(), 1, "no game was left for it");
}

#[test]
fn parts_are_not_merged_while_one_of_them_is_played() {
    let place = Place::new();
    place.script("bot", FIRST_ENDS);
    place.plan("run", "2", &["./bot"], "1..6");
    let part = place.start_part("run", "2");
    place.wait_for_results("run/parts/0002", 1);
    let refused = merge(&place.run("run")).expect_err("a part is played").to_string();
    assert!(refused.contains("is playing the run in "), "{refused}");
    assert!(refused.ends_with("run/parts/0002; wait for it to finish"), "{refused}");
    fs::write(place.path("go"), "").expect("written");
    assert_code(&finished(part), 0);
    assert_code(&place.part("run", "1"), 0);
    let part = RunWriter::resume(place.run("run").of_part(2), |_| false).expect("it is free");
    let refused = place.referee(&["merge", "run"]).exits(2).err();
    assert_snapshot!(refused.trim_end(), @"error: another process is playing the run in run/parts/0002; wait for it to finish");
    drop(part);
    assert_code(&place.referee(&["merge", "run"]), 1);
    assert_eq!(results(&place.run("run")).len(), 6);
}

#[test]
fn a_part_that_a_signal_ends_keeps_its_results_and_goes_on() {
    let place = Place::new();
    place.script("bot", FIRST_ENDS);
    place.plan("run", "1", &["./bot"], "1..8");
    let child = place.start_part("run", "1");
    place.wait_for_results("run/parts/0001", 1);
    kill_process(Pid::from_child(&child), Signal::TERM).expect("SIGTERM");
    let ended = finished(child);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended.status), Some(15));
    let said = ended.err();
    assert!(said.contains("; `referee suite --run run --part 1` plays the rest"), "{said}");
    let before = results(&place.run("run"));
    assert_eq!(before.len(), 1);
    fs::write(place.path("go"), "").expect("written");
    assert_code(&place.part("run", "1"), 0);
    assert_eq!(results(&place.run("run")).len(), 8);
}

#[test]
fn parts_that_cannot_be_are_refused() {
    let place = Place::new();
    place.plan("run", "100", &["@first"], "1..3");
    let error = |args: &[&str]| {
        place.referee(args).exits(2).err().lines().next().unwrap_or_default().to_owned()
    };
    assert_snapshot!(error(&["suite", "--run", "run", "--part", "4"]), @"error: --part 4: the run in run has 3 parts");
    assert_snapshot!(error(&["suite", "--part", "4"]), @"error: the following required arguments were not provided:");
    assert_snapshot!(error(&["suite", "--run", "none", "--part", "4"]), @"error: none: there is no such folder");
    assert_snapshot!(error(&["suite", "--run", "run", "--part", "0"]), @"error: invalid value '0' for '--part <K>': 0 is not in 1..=4294967295");
    let gone = place.path("gone");
    fs::create_dir(&gone).expect("made");
    let planned = referee()
        .current_dir(&gone)
        .args(["suite", "--seed", "1", "--parts", "1", "--run", "../far"]);
    assert_code(&planned.run(), 0);
    fs::remove_dir(&gone).expect("removed");
    let far = error(&["suite", "--run", "far", "--part", "1"]);
    assert!(far.ends_with("/gone: this folder, which the run was planned in, is not on this machine; it must be on a file system that all machines share, and so must everything that the bots read"), "{far}");
    assert_code(&place.referee(&["suite", "--seed", "1", "--run", "whole"]), 0);
    assert_code(&place.referee(&["merge", "whole"]), 0);
    fs::write(place.path("whole/results.jsonl"), "").expect("written");
    let status = place.referee(&["status", "whole"]).exits(1).out();
    assert!(status.ends_with("`referee suite --resume whole` plays the rest\n"), "{status}");
    assert_snapshot!(error(&["merge", "whole"]), @"error: 1 of 1 games are missing; `referee suite --resume whole` plays them");
    assert_snapshot!(error(&["suite", "--run", "whole", "--part", "1"]), @"error: --part 1: the run in whole was not planned in parts; `referee suite --resume whole` plays what is missing of it, and --parts plans a new run for several machines");
}

#[test]
fn a_merge_that_was_killed_is_done_again_and_two_do_it_once() {
    let place = Place::new();
    place.plan("run", "2", &["@first"], "1..4");
    for part in ["1", "2"] {
        assert_code(&place.part("run", part), 0);
    }
    let whole = results(&place.run("run"));
    // The state after a kill: sessions without results, or results next to parts.
    fs::write(place.path("run/sessions.jsonl"), "").expect("written");
    let start =
        |_| place.command(&["merge", "run"]).stdout(Stdio::null()).stderr(Stdio::piped()).start();
    for child in [0; 4].map(start) {
        assert_code(&finished(child), 0);
    }
    assert_eq!(results(&place.run("run")), whole);
    assert_eq!(place.run("run").sessions().expect("sessions").len(), 2);
    fs::create_dir_all(place.path("run/parts/0001")).expect("made");
    assert_code(&place.referee(&["merge", "run"]), 0);
    assert!(!place.path("run/parts").exists());
}

#[test]
fn a_machine_that_is_too_noisy_for_the_limits_is_named_with_its_late_replies() {
    let place = Place::new();
    place.script("loser", "exit 3");
    place.plan("run", "2", &["./loser"], "1..6");
    for part in ["1", "2"] {
        assert_code(&place.part("run", part), 0);
    }
    let sessions = place.run("run").sessions().expect("sessions");
    assert!(sessions.iter().all(|session| session.smallest_limit.is_some()), "{sessions:?}");
    // As if the second part had come from another machine.
    let change = |file: &str, change: &dyn Fn(&mut Value)| {
        let path = place.path("run/parts/0002").join(file);
        let text = fs::read_to_string(&path).expect("lines");
        let (first, rest) = text.split_once('\n').expect("a line");
        let mut first = serde_json::from_str(first).expect("JSON");
        change(&mut first);
        fs::write(path, format!("{first}\n{rest}")).expect("written");
    };
    change("sessions.jsonl", &|session| {
        session["host"] = "n13".into();
        session["smallest_limit_ms"] = 90_000.0.into();
    });
    change("results.jsonl", &|result| result["host_overruns"] = 1.into());
    let noisy = "n13 is too noisy for limits of 60 s: limits below 90 s cannot be judged there; 1 of its 3 games had a late reply";
    let compared = place.referee(&["compare", "run", "run"]);
    assert!(compared.err().contains(noisy), "{}", compared.err());
    let merged = place.referee(&["merge", "run"]);
    assert!(merged.out().contains(&format!("\n  {noisy}\n")), "{}", merged.out());
    let json = place.referee(&["merge", "run", "--format", "json"]).json();
    assert_eq!(json["noisy_hosts"], json!([noisy]));
    let markdown = place.referee(&["merge", "run", "--format", "markdown"]);
    assert!(markdown.out().contains("n13 is too noisy"), "{}", markdown.out());
}
