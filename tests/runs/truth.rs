//! Runs record the truth: races at the start, bots that change, games that could not be played.

use insta::assert_snapshot;
use referee::suite::{NotPlayed, Outcome, SuiteVerdict};
use support::prelude::*;

#[test]
fn of_two_suites_that_start_one_run_exactly_one_gets_it() {
    let place = Place::new();
    place.script("loser", "exit 3");
    for race in 0..50 {
        let run = format!("run-{race}");
        let start = |seed: &str| {
            let args = ["--bot", "./loser", "--seed", seed, "--run", &run];
            place.suite(&args).stdout(Stdio::null()).stderr(Stdio::piped()).start()
        };
        let both = [start("1..3"), start("4..6")];
        let ends = both.map(|child| finished(child));
        let winner = ends.iter().position(|end| end.status.code() == Some(1)).expect("a winner");
        let loser = &ends[1 - winner];
        assert_code(loser, 2);
        assert!(loser.err().contains("exists; choose another folder"), "{}", loser.err());
        let folder = place.run(&run);
        let first = folder.run.plan.seeds.as_ref().expect("seeds").bounds().0.to_string();
        assert_eq!(first, ["1", "4"][winner]);
        assert_eq!(folder.played().expect("results of the plan").count(), 3);
    }
}

#[test]
fn suites_that_start_in_one_second_without_a_name_have_folders_of_their_own() {
    let place = Place::new();
    place.script("loser", "exit 3");
    let start = |_| place.suite(&["--bot", "./loser", "--seed", "1"]).stdout(Stdio::null()).start();
    let all = [0; 4].map(start);
    for child in all {
        assert_code(&finished(child), 1);
    }
    assert_eq!(fs::read_dir(place.path("runs")).expect("runs").count(), 4);
}

#[test]
fn a_run_that_can_be_made_nowhere_says_why() {
    let place = Place::new();
    fs::write(place.path("runs"), "").expect("written");
    for more in [&[][..], &["--run", "runs/mine"]] {
        let suite = place.suite(&["--bot", "@first", "--seed", "1"]).args(more);
        let said = finished(suite.stderr(Stdio::piped()).start()).exits(2).err();
        assert!(said.contains("runs") && said.contains("Not a directory"), "{said}");
    }
}

#[test]
fn a_bot_that_writes_the_same_into_a_file_of_its_command_plays_each_game_once() {
    let place = Place::new();
    place.script("bot", "echo again > \"$1\"; echo >> played; exit 3");
    fs::write(place.path("debug.log"), "again\n").expect("written");
    let suite = place.suite(&["--bot", "./bot debug.log", "--seed", "1..2", "--run", "run"]);
    assert_code(&finished(suite.stdout(Stdio::null()).stderr(Stdio::piped()).start()), 1);
    assert_eq!(place.results("run").len(), 2);
    let played = fs::read_to_string(place.path("played")).expect("its file");
    assert_eq!(played.lines().count(), 2);
}

#[test]
fn a_bot_that_is_replaced_while_it_plays_ends_the_suite_and_nothing_of_the_other_one_is_kept() {
    let place = Place::new();
    place.script("bot", "sleep 0.02; exit 3");
    let args = ["--bot", "./bot", "--seed", "1..2000", "--run", "run", "--jobs", "2"];
    let child =
        place.suite(&args).args(PATIENT).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    place.wait_for_results("run", 3);
    place.script("bot", "exit 4");
    let output = finished(child.expect("runs")).exits(2);
    assert_snapshot!(output.err().lines().last().unwrap_or_default(), @"error: the bot `./bot` changed while it was played: ./bot is not the same; no game of the new one was kept, and `referee resume` goes on with the old one");
    let results = place.results("run");
    assert!((3..2000).contains(&results.len()), "{}", results.len());
    for outcome in results {
        assert!(outcome.loss().contains("status 3"), "{}", outcome.loss());
    }
    assert_code(&place.resume("run", &[]), 2);
}

#[test]
fn a_bot_that_is_only_touched_plays_on() {
    let place = Place::new();
    place.script("bot", "sleep 0.05; exit 3");
    let args = ["--bot", "./bot", "--seed", "1..20", "--run", "run", "--jobs", "1", "--keep-going"];
    let child = place.suite(&args).args(PATIENT).stdout(Stdio::null()).start();
    place.wait_for_results("run", 2);
    place.script("bot", "sleep 0.05; exit 3");
    assert_code(&finished(child), 1);
    assert_eq!(place.results("run").len(), 20);
}

#[test]
fn games_of_a_bot_that_was_removed_are_not_played_and_resuming_plays_them() {
    let place = Place::new();
    place.script("bot", "sleep 0.02; exit 3");
    let args =
        ["--bot", "./bot", "--seed", "1..100", "--run", "run", "--jobs", "1", "--keep-going"];
    let child =
        place.suite(&args).args(PATIENT).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    place.wait_for_results("run", 3);
    fs::remove_file(place.path("bot")).expect("removed");
    let output = finished(child.expect("runs")).exits(2);
    assert_snapshot!(output.err().lines().last().unwrap_or_default(), @"error: 5 games of `./bot` in a row could not be played: cannot start the bot: no such file: ./bot; `referee resume` plays them; once the bot or the game's judge has changed, start a new run");
    let results = place.results("run");
    let not_played = SuiteVerdict::NotPlayed(NotPlayed::CannotStart);
    // A worker may have played one more, and have begun with the next.
    let count = results.iter().filter(|outcome| outcome.verdict == not_played).count();
    assert!((5..=7).contains(&count), "{count}");
    assert!(results.len() < 100);
    assert_snapshot!(place.resume("run", &[]).err().trim_end(), @"error: run cannot be resumed: the bot `./bot` is incomplete: ./bot is missing; put back what it was planned with, or start a new run with `referee suite`");

    place.script("bot", "sleep 0.02; exit 3");
    let report = place.resume("run", &["--format", "json"]).exits(1).json();
    assert_eq!((&report["games"], &report["lost"]), (&100.into(), &100.into()), "{report}");
    assert_eq!(report["games_not_played"], 0);
    assert!(place.results("run").iter().all(Outcome::is_played));
}

#[test]
fn a_host_without_processes_is_no_loss_of_the_bots() {
    let place = Place::new();
    place.script("bot", "exit 3");
    let command = place
        .suite(&["--bot", "./bot", "--seed", "1..20", "--run", "run"])
        .args(PATIENT)
        .args(["--jobs", "1"]);
    // Few descriptors stand in for whatever a host may lack: the program starts with 11, and a game needs 17.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 14; exec \"$@\"", "sh"]).arg(command.get_program());
    limited.args(command.get_args()).current_dir(place.folder());
    let output = limited.env("NO_COLOR", "1").run().exits(3);
    assert!(output.err().contains("could not be played: cannot start the bot"), "{output:?}");
    assert!(place.results("run").iter().all(|outcome| !outcome.is_played()));
    let report = place.resume("run", &["--format", "json"]).json();
    assert_eq!((&report["games"], &report["lost"]), (&20.into(), &20.into()), "{report}");
}

#[test]
fn a_missing_bot_is_reported_before_a_run_is_made() {
    let place = Place::new();
    let error = |bot: &str| {
        let output = place.play(&["--bot", bot, "--seed", "1", "--run", "run"]).exits(2);
        assert!(!place.path("run").exists());
        output.err().trim_end().to_owned()
    };
    assert_snapshot!(error("./nope"), @"error: cannot start the bot: no such file: ./nope");
    assert_snapshot!(error("nope --fast"), @"error: cannot start the bot: no program `nope` in PATH (for a file in the current directory write `./nope`)");
    assert_snapshot!(error("/"), @"error: cannot start the bot: / is a directory");
}

#[test]
fn verdicts_that_are_named_are_played_again() {
    let place = Place::new();
    place.script("bot", "exit 3");
    assert_code(
        &place.play(&["--bot", "./bot", "--bot", "@first", "--seed", "1..3", "--run", "run"]),
        1,
    );
    let before = place.results("run");
    let crashes = |results: &[Outcome]| {
        results.iter().filter(|outcome| outcome.loss().contains("status 3")).count()
    };
    assert_eq!(crashes(&before), 3);
    // No game ended in a timeout: all results stay.
    assert_code(&place.resume("run", &["--again", "timeout"]), 1);
    assert_eq!(place.results("run"), before);
    assert_code(&place.resume("run", &["--again", "timeout", "--again", "crash"]), 1);
    let after = place.results("run");
    assert_eq!((after.len(), crashes(&after)), (6, 3));
    let sessions = |bot: &str| -> Vec<_> {
        after.iter().filter(|outcome| outcome.bot == bot).map(|outcome| outcome.session).collect()
    };
    assert_eq!(sessions("./bot"), [Some(2); 3], "played again");
    assert_eq!(sessions("@first"), [Some(1); 3], "kept");
    let unknown = place.resume("run", &["--again", "luck"]).err();
    assert!(unknown.contains("unknown variant `luck`, expected one of `completed`"), "{unknown}");
}

#[test]
fn a_duplicate_result_counts_once_and_is_reported() {
    let place = Place::new();
    place.script("bot", "exit 3");
    assert_code(&place.play(&["--bot", "./bot", "--seed", "1..3", "--run", "run"]), 1);
    let path = place.path("run/results.jsonl");
    let text = fs::read_to_string(&path).expect("results");
    fs::write(&path, format!("{text}{text}")).expect("written");
    let told = referee().current_dir(place.folder()).args(["compare", "run", "run"]).run().err();
    let said = "run/results.jsonl: left out 3 results of games that have an earlier one";
    assert!(told.contains(said), "{told}");
    assert_eq!(place.results("run").len(), 3);
    let report = place.resume("run", &["--format", "json"]).json();
    assert_eq!(report["games"], 3);
    assert_eq!(fs::read_to_string(&path).expect("results"), text, "they are taken away");
}

#[test]
fn a_run_says_where_each_game_was_played() {
    let place = Place::new();
    place.script("bot", "exit 3");
    let first = place.suite(&["--bot", "./bot", "--seed", "1..2", "--run", "run"]);
    assert_code(&first.run(), 1);
    assert_code(&place.resume("run", &["--again", "crash"]), 1);
    assert_code(&place.resume("run", &[]), 1);
    let sessions = place.sessions("run");
    assert_eq!(
        sessions.iter().map(|session| session.number).collect::<Vec<_>>(),
        [1, 2],
        "one had no games"
    );
    let node = fs::read_to_string("/proc/sys/kernel/hostname").expect("a host");
    assert_eq!(sessions[1].host, node.trim());
    assert!(!sessions[1].cpu.is_empty() && !sessions[1].containment.is_empty());
    assert!(place.results("run").iter().all(|outcome| outcome.session == Some(2)));
}

#[test]
fn a_run_is_resumed_from_any_folder() {
    let place = Place::new();
    fs::create_dir_all(place.path("bots")).expect("made");
    fs::create_dir_all(place.path("elsewhere")).expect("made");
    place.script("bots/bot", "pwd >&2; exit 3");
    let suite = ["suite", "--bot", "./bots/bot", "--seed", "1..2", "--run", "run"];
    assert_code(&place.command(&suite).patient().run(), 1);
    let again = referee()
        .current_dir(place.path("elsewhere"))
        .args(["resume", "../run", "--again", "crash"]);
    assert_code(&again.run(), 1);
    assert_eq!(place.sessions("run").len(), 2);
    let log = place.run("run").kept_log(1).expect("readable").expect("kept");
    let stderr = String::from_utf8_lossy(&log.turns[0].stderr.0).into_owned();
    let real = fs::canonicalize(place.folder()).expect("a folder");
    assert_eq!(Path::new(stderr.trim()), real, "it runs where it ran before");
}

#[test]
fn games_from_different_machines_or_referees_are_warned_of() {
    let place = Place::new();
    place.script("bot", "exit 3");
    for run in ["a", "b"] {
        assert_code(&place.play(&["--bot", "./bot", "--seed", "1..2", "--run", run]), 1);
    }
    let free = ["--bot", "./bot", "--seed", "1..2", "--profile", "unlimited", "--run", "free"];
    assert_code(&place.suite(&free).run(), 1);
    let change = |run: &str, field: &str, value: Value| {
        let path = place.path(run).join("sessions.jsonl");
        let mut part: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("parts")).expect("one part");
        part[field] = value;
        fs::write(path, format!("{part}\n")).expect("written");
    };
    let told = |args: &[&str]| referee().current_dir(place.folder()).args(args).run().err();
    assert_eq!(told(&["compare", "a", "b"]), "");
    change("b", "cpu", "Abacus 7".into());
    change("free", "cpu", "Slide Rule".into());
    let cpus = "games come from different processors, so times, and what bots make of them, do not compare: ";
    for command in [&["compare", "a", "b"][..], &["report", "a", "b", "--html", "page.html"]] {
        let said = told(command);
        assert!(said.contains(cpus) && said.contains("Abacus 7"), "{command:?}: {said}");
    }
    assert!(
        !told(&["compare", "a", "free"]).contains("processors"),
        "it had all the time it wanted"
    );
    for (cores, told_of) in
        [(json!(7), "7 cores of their own"), (Value::Null, "those that the system gave them")]
    {
        change("b", "cores_per_bot", cores);
        let said = told(&["compare", "a", "b"]);
        assert!(said.contains("bots had different cores") && said.contains(told_of), "{said}");
    }
    change("b", "referee", "9.9.9".into());
    let this = env!("CARGO_PKG_VERSION");
    let versions = format!("games come from different versions of the referee: {this}; 9.9.9");
    assert!(told(&["compare", "a", "b"]).contains(&versions));
}

#[test]
fn a_bot_of_a_suite_has_cores_of_its_own_unless_the_system_is_to_place_it() {
    let place = Place::new();
    place.script("bot", "nproc >&2; exit 3");
    let all = std::thread::available_parallelism().expect("known").get();
    for (setting, own) in [("pin=auto", 1), ("cores-per-bot=2", 2), ("pin=off", 0)] {
        if own > all {
            leave_out("bots with two cores", "this machine has one");
            continue;
        }
        let config = format!("--config=suite.{setting}");
        let args = ["suite", "--bot", "./bot", "--seed", "1", "--logs", "all", "--run", setting];
        assert_code(&place.command(&args).arg(config).patient().run(), 1);
        let sessions = fs::read_to_string(place.path(setting).join("sessions.jsonl"));
        let session: Value = serde_json::from_str(&sessions.expect("sessions")).expect("one");
        assert_eq!(session["cores_per_bot"].as_u64().unwrap_or(0), own as u64, "{setting}");
        let log = fs::read(place.path(setting).join("games/000001.jsonl")).expect("a log");
        let log = referee::gamelog::read(&log).expect("a good log");
        assert_eq!(log.start.bot.cores.map_or(0, |cores| cores.len()), own, "{setting}");
        let seen = if own == 0 { all } else { own };
        assert_eq!(log.turns[0].stderr.0, format!("{seen}\n").into_bytes(), "{setting}");
    }
}

#[test]
fn a_run_that_cannot_have_its_cores_is_not_begun() {
    let place = Place::new();
    let args = ["--bot", "@first", "--seed", "1", "--run", "run"];
    let cores = "--config=suite.cores-per-bot=9999";
    let said = place.suite(&args).args([cores, "--config=suite.pin=always"]).run().exits(2).err();
    assert!(said.contains("pinning: the bots need 9999 cores in all"), "{said}");
    assert!(!place.path("run").exists());
    // Settings may be meant for another machine.
    fs::write(place.path("referee.toml"), "[suite]\ncores-per-bot = 9999\n").expect("written");
    let said = place.suite(&args).args(PATIENT).run().exits(0).err();
    assert!(said.contains("bots of 9999 cores"), "{said}");
}

#[test]
fn progress_of_a_resumed_run_counts_earlier_games() {
    let place = Place::new();
    place.script("bot", "[ -e slow ] && sleep 0.5; exit 3");
    assert_code(
        &place.play(&["--bot", "./bot", "--seed", "1..40", "--run", "run", "--keep-going"]),
        1,
    );
    let path = place.path("run/results.jsonl");
    let results = fs::read_to_string(&path).expect("results");
    let half: Vec<_> = results.lines().take(20).collect();
    fs::write(&path, half.join("\n") + "\n").expect("written");
    fs::write(place.path("slow"), "").expect("written");
    let Some(terminal) = Terminal::of_size(120, 24) else { return };
    terminal.referee(&["resume", "--jobs", "1"], &[&place.path("run")]);
    let played = |screen: &str| -> Option<u32> {
        screen.split_once("/40 games, ")?.0.rsplit([' ', '\n']).next()?.parse().ok()
    };
    let screen = terminal
        .wait_until("progress", |screen| played(screen).is_some_and(|it| (23..=30).contains(&it)));
    let played = played(&screen).expect("just seen");
    assert!(screen.contains(&format!("{played}/40 games, {played} lost")), "{screen}");
    let left = screen.split_whitespace().take_while(|word| *word != "left").last().expect("a time");
    let seconds: f64 = left.trim_end_matches('s').parse().expect("seconds");
    // Half a second for each game that is left, or more on a busy machine; a time that is shared out over all
    // that have a result would be less than a third of that.
    assert!(seconds >= 0.25 * f64::from(40 - played), "{screen}");
    terminal.press(&["C-c"]);
}
