//! Suites: kills, faults, bad input. Bots are seeded, so that two runs have the same results.

use insta::assert_snapshot;
use rand_core::Rng as _;
use referee::suite::{Outcome, RunFolder, SuiteVerdict, Times};
use support::prelude::*;

fn folder() -> TempDir {
    tempdir().expect("a folder")
}

fn suite(args: &[&str]) -> Referee {
    referee().suite(args)
}

fn resume(args: &[&str]) -> Referee {
    referee().arg("resume").args(args)
}

fn stderr(output: &Output) -> String {
    output.err()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The results of a run by game, without the times.
fn results(run: &Path) -> Vec<Outcome> {
    let folder = RunFolder::open(run).expect("a run");
    let outcomes: Result<Vec<_>, _> = folder.outcomes().expect("results").collect();
    let mut outcomes = outcomes.expect("whole results");
    for outcome in &mut outcomes {
        outcome.times = Times::default();
        outcome.session = None;
    }
    outcomes.sort_by_key(|outcome| outcome.game);
    outcomes
}

/// Three seeded bots on 50 boards, each so often on each of them.
fn three_bots(into: [&str; 2], repeat: usize) -> Referee {
    suite(&["--bot", "@greedy", "--bot", "@first", "--bot", "@random --seed 7"])
        .args(["--seed", "1..50", "--repeat", &repeat.to_string(), "--logs", "none"])
        .args(["--jobs", "2"])
        .args(PATIENT)
        .args(into)
        .env("REFEREE_LOG", "error")
}

fn assert_succeeds(command: Referee) {
    let output = command.run();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// Kills a suite of 150 games for each repeat, and takes it up each time.
fn a_killed_suite_ends_as_an_undisturbed_one(kills: usize, repeat: usize) {
    let games = 150 * repeat;
    let folder = folder();
    let (calm, killed) = (folder.path().join("calm"), folder.path().join("killed"));
    let start = Instant::now();
    assert_succeeds(three_bots(["--run", text(&calm)], repeat));
    let longest = u32::try_from(start.elapsed().as_millis() / 32).expect("minutes at most");
    let played =
        || fs::read_to_string(killed.join("results.jsonl")).unwrap_or_default().lines().count();
    let mut random = rand_pcg::Pcg32::new(6, 6);
    let mut is_made = false;
    for kill in 0..kills {
        let command = if is_made {
            resume(&[text(&killed), "--jobs", "2"]).env("REFEREE_LOG", "error")
        } else {
            three_bots(["--run", text(&killed)], repeat)
        };
        let mut child = command.stderr(Stdio::null()).start();
        // The first half may come before there is even a run folder; on a slow machine, all of them do.
        if kill >= kills / 2 {
            wait_until("there is a run folder", || killed.join("run.toml").exists());
        }
        // The machine may have been busier before than it is now, or this process may stall: half of the games are
        // left for such moments.
        let end = Instant::now() + Duration::from_millis(u64::from(random.next_u32() % longest));
        while Instant::now() < end && played() < games / 2 / kills * (kill + 1) {
            sleep(Duration::from_millis(1));
        }
        child.kill().expect("SIGKILL");
        child.wait().expect("dies");
        if killed.join("run.toml").exists() {
            is_made = true;
        }
    }
    let partly = RunFolder::open(&killed).expect("a run").played().expect("whole results").count();
    assert!(partly < games, "it was over before it was killed often enough");
    assert_succeeds(resume(&[text(&killed)]));
    let results = results(&killed);
    assert_eq!(results.len(), games);
    assert_eq!(results, self::results(&calm));
}

#[test]
fn a_suite_killed_six_times_ends_with_the_results_of_an_undisturbed_one() {
    a_killed_suite_ends_as_an_undisturbed_one(6, 1);
}

/// Each fault with the verdict that it has alone (`tests/play/faults.rs`, `tests/contain/methods.rs`), and the
/// late replies that are the bot's own fault.
const FAULTS: [(&str, &str, u32); 35] = [
    ("late 120000 --on-turn 3", "timeout", 1),
    ("hang --on-turn 2", "timeout", 1),
    ("exit 3 --on-turn 2", "crash", 0),
    ("exit 0 --on-turn 2", "early_exit", 0),
    ("signal 11 --on-turn 2", "crash", 0),
    ("partial-line --on-turn 2", "timeout", 1),
    ("partial-line-exit --on-turn 2", "early_exit", 0),
    ("chatter --on-turn 2", "timeout", 1),
    ("endless-line --on-turn 2", "line_too_long", 0),
    ("no-read --on-turn 2", "timeout", 1),
    ("flood-stderr 3000000 --on-turn 2", "completed", 0),
    ("flood-stdout --on-turn 2", "illegal_move", 0),
    ("surplus 2 --on-turn 2", "illegal_move", 0),
    ("close-stdout --on-turn 2", "stdout_closed", 0),
    ("close-stdin --on-turn 2", "timeout", 1),
    ("ignore-sigterm --on-turn 2", "timeout", 1),
    ("leave-child --on-turn 2", "early_exit", 0),
    ("leave-child-and-play --on-turn 2", "completed", 0),
    ("invalid-utf8 --on-turn 2", "completed", 0),
    ("empty-line", "malformed_reply", 0),
    ("illegal out-of-bounds", "illegal_move", 0),
    ("illegal single-tile", "illegal_move", 0),
    ("fork 20 --on-turn 2", "completed", 0),
    ("fork 3000 --on-turn 2", "process_limit", 0),
    ("threads 3000 --on-turn 2", "process_limit", 0),
    ("memory 2000 --on-turn 2", "memory_limit", 0),
    ("reserve 4000 --on-turn 2", "completed", 0),
    (HOP, "completed", 0),
    (DAEMONS, "completed", 0),
    (LEAVE_WRITER, "illegal_move", 0),
    ("stop --on-turn 2", "timeout", 1),
    ("exec --on-turn 2", "timeout", 1),
    ("close-all --on-turn 2", "stdout_closed", 0),
    ("signal-parent 9 --on-turn 2", "completed", 0),
    ("signal-group 9 --on-turn 2", "crash", 0),
];

#[test]
fn no_fault_affects_a_concurrent_game() {
    // Where time is not the point, a turn has as much of it as a slow disk may take.
    for_each_in_parallel(&[(true, "2s"), (false, "60s")], |&(are_timeouts, turn)| {
        let is_of_kind = |verdict: &str| (verdict == "timeout") == are_timeouts;
        let faults: Vec<_> = FAULTS.into_iter().filter(|fault| is_of_kind(fault.1)).collect();
        let is_late_by_host = |outcome: &Outcome| outcome.times.host_overruns > 0;
        let is_disturbed = |outcomes: &Vec<Outcome>| outcomes.iter().any(is_late_by_host);
        let outcomes = undisturbed(is_disturbed, || play_side_by_side(&faults, turn));
        assert_eq!(outcomes.len(), 2 * faults.len());
        for outcome in outcomes {
            let fault = faults.iter().find(|(fault, _, _)| outcome.bot.ends_with(fault));
            let &(_, verdict, late) = fault.unwrap_or(&("", "completed", 0));
            assert_eq!(verdict_word(outcome.verdict), verdict, "{outcome:?}");
            let overruns = (outcome.times.bot_overruns, outcome.times.host_overruns);
            assert_eq!(overruns, (late, 0), "{outcome:?}");
        }
    });
}

fn play_side_by_side(faults: &[(&str, &str, u32)], turn: &str) -> Vec<Outcome> {
    let folder = folder();
    let run = folder.path().join("run");
    let mut command = suite(&["--board", "@random-1", "--jobs", "4", "--run", text(&run)]);
    // Between the faults, bots without one.
    for (number, (fault, _, _)) in faults.iter().enumerate() {
        command = command.args(["--bot", &format!("@misbehaving {fault}")]);
        command = command.args(["--bot", &format!("@random --seed {}", number + 1)]);
    }
    // Few enough processes that a busy machine can start more within a turn.
    let config = folder.path().join("few-processes.toml");
    fs::write(&config, "[resources]\nprocesses = 100\n").expect("written");
    let mark = Mark::new();
    command = command.args(["--first-turn", "60s", "--turn", turn, "--memory", "200MiB"]);
    command = command.args(["--config", text(&config), "--env", mark.env()]);
    // An ordinary child can kill its referee.
    let output = command.args(["--config", "containment=auto"]).run();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    mark.assert_gone();
    let run = RunFolder::open(&run).expect("a run");
    run.outcomes().expect("results").collect::<Result<_, _>>().expect("whole results")
}

fn verdict_word(ending: SuiteVerdict) -> String {
    serde_json::to_value(ending).expect("JSON").as_str().expect("a word").to_owned()
}

#[test]
fn bots_that_hang_or_crash_lose_their_games_and_no_others_and_one_that_cannot_start_is_not_played()
{
    let folder = folder();
    let run = folder.path().join("run");
    let bots = ["@misbehaving hang", "@misbehaving exit 7", "./not-a-program", "@first"];
    write_program(&folder.path().join("not-a-program"), "");
    let mut command =
        suite(&["--format", "json", "--seed", "1..3", "--run", text(&run)]).current_dir(&folder);
    for bot in bots {
        command = command.args(["--bot", bot]);
    }
    // Long enough for the first turn of a bot that answers on a busy machine.
    command = command.args(["--first-turn", "5s", "--turn", "60s", "--jobs", "4"]);
    let output = command.run();
    assert_eq!(output.status.code(), Some(2), "not all was played");
    let report = output.json();
    let tallies: Vec<_> = report["bots"].as_array().expect("an array").iter().collect();
    let counts = |tally: &Value| (tally["games"].as_i64(), tally["lost"].as_i64());
    assert_eq!(report["games_not_played"], 3);
    let expected = [(3, 3), (3, 3), (0, 0), (3, 0)].map(|(a, b)| (Some(a), Some(b)));
    assert_eq!(tallies.into_iter().map(counts).collect::<Vec<_>>(), expected);
    for (outcome, expected) in results(&run).iter().zip([
        "timeout: turn 1: no answer within 5 s of the first turn",
        "crash: turn 1: the bot exited with status 7",
        "cannot start: cannot start the bot: ./not-a-program is not a program for this machine",
        "completed",
    ]) {
        assert!(outcome.loss().starts_with(expected), "{expected}: {}", outcome.loss());
    }
}

#[test]
fn a_lost_game_leaves_a_log_with_its_input_which_plays_it_again() {
    let folder = folder();
    let run = folder.path().join("run");
    let args = ["--bot", "@misbehaving exit 9 --on-turn 3", "--board", "@clearable"];
    assert_code(
        &suite(&args).args(["--logs", "failed.gz", "--run", text(&run)]).args(PATIENT).run(),
        1,
    );
    let game = format!("{}:1", text(&run));
    let input = referee().args(["replay", &game, "--export", "input"]).run().exits(0).out();
    assert_eq!(input.lines().count(), 45);
    // Fed to the bot, it makes the bot repeat its moves.
    let stdin = folder.path().join("stdin.txt");
    fs::write(&stdin, input).expect("written");
    let bot = referee().args(["bot", "misbehaving", "exit", "9", "--on-turn", "3"]);
    let input = fs::File::open(stdin).expect("what the bot was sent");
    assert_eq!(bot.stdin(input).run().status.code(), Some(9));
    let again = referee().args(["play", "--again", &game]).current_dir("/").run().exits(0).out();
    assert_eq!(again, "The bot plays as in the log: 3 turns.\n");
    let entries = fs::read_dir(&run).expect("a folder").flatten();
    assert!(entries.map(|entry| entry.file_name()).all(|name| name != "failures"));
}

#[test]
fn a_torn_log_goes_when_the_game_is_played_again() {
    let folder = folder();
    let run = folder.path().join("run");
    let args = ["--bot", "@first", "--seed", "1..2", "--logs", "all", "--run", text(&run)];
    assert_succeeds(suite(&args).args(PATIENT));
    let results = fs::read_to_string(run.join("results.jsonl")).expect("results");
    let first = results.lines().next().expect("a line");
    fs::write(run.join("results.jsonl"), format!("{first}\n")).expect("written");
    let lost = if first.contains("\"game\":1,") { "000002" } else { "000001" };
    let plain = run.join(format!("games/{lost}.jsonl"));
    let whole = fs::read(&plain).expect("a log");
    fs::write(&plain, &whole[..whole.len() / 2]).expect("written");
    assert_succeeds(resume(&[text(&run)]));
    assert_code(&referee().replay(plain).run(), 0);
}

#[test]
fn logs_are_kept_as_asked_for() {
    let folder = folder();
    let logs = |logs: &str| {
        let run = folder.path().join(logs);
        let args = ["--bot", "@first", "--bot", "@misbehaving exit 1", "--seed", "1..2"];
        let output = suite(&args).args(["--logs", logs, "--run", text(&run)]).args(PATIENT).run();
        assert_eq!(output.status.code(), Some(1));
        let mut names = Vec::new();
        for entry in run.join("games").read_dir().into_iter().flatten() {
            names.push(entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        }
        names.sort();
        names
    };
    let all = ["000001.jsonl", "000002.jsonl", "000003.jsonl", "000004.jsonl"];
    assert_eq!(logs("all"), all);
    assert_eq!(logs("failed"), [all[1], all[3]]);
    assert!(logs("none").is_empty());
    assert!(!folder.path().join("none/failures").exists());
}

#[test]
fn a_signal_keeps_the_finished_games_and_resuming_plays_the_rest() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = folder();
    let run = folder.path().join("run");
    // Only the first game ends before it may.
    let script = "mkdir begun 2>&- || until [ -e go ]; do sleep 0.1; done; exit 3";
    let bot = format!("sh -c '{script}'");
    let bot = ["--bot", &bot, "--seed", "1..4", "--run", text(&run), "--jobs", "1"];
    let child = suite(&bot)
        .current_dir(&folder)
        .args(PATIENT)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("runs");
    wait_until("a game has ended", || {
        fs::metadata(run.join("results.jsonl")).is_ok_and(|file| file.len() > 0)
    });
    kill_process(Pid::from_child(&child), Signal::INT).expect("SIGINT");
    let output = finished(child);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(2));
    let said = stderr(&output);
    assert!(said.contains("interrupted by SIGINT after "), "{said}");
    assert!(said.contains(" of 4 games; `referee resume "), "{said}");
    let before = results(&run);
    assert_eq!(before.len(), 1);
    fs::write(folder.path().join("go"), "").expect("written");
    let resumed = resume(&[text(&run)]).run();
    assert_eq!(resumed.status.code(), Some(1), "{}", stderr(&resumed));
    let after = results(&run);
    assert_eq!(after.len(), 4);
    assert_eq!(after[..before.len()], before[..]);
}

/// A small run to be damaged.
fn small_run(folder: &TempDir) -> PathBuf {
    let run = folder.path().join("run");
    let args = ["--bot", "@first", "--seed", "1..3", "--logs", "none", "--run", text(&run)];
    assert_succeeds(suite(&args).args(PATIENT));
    run
}

/// The one-line error for these arguments.
#[track_caller]
fn error(folder: &TempDir, args: &[&str]) -> String {
    error_of(folder, &[&["suite"], args].concat())
}

#[track_caller]
fn error_of(folder: &TempDir, args: &[&str]) -> String {
    let output = referee().args(args).current_dir(folder.path()).run();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said.trim_end().to_owned()
}

#[test]
fn a_torn_last_line_is_played_again() {
    let folder = folder();
    let run = small_run(&folder);
    let whole = results(&run);
    let path = run.join("results.jsonl");
    let content = fs::read(&path).expect("results");
    for keep in [content.len() - 1, content.len() - 40] {
        fs::write(&path, &content[..keep]).expect("written");
        assert_eq!(results(&run).len(), 2);
        assert_succeeds(resume(&[text(&run)]));
        assert_eq!(results(&run), whole);
    }
}

#[test]
fn a_run_in_use_is_left_alone() {
    let folder = folder();
    let run = small_run(&folder);
    let lock = fs::File::open(run.join("run.toml")).expect("a run");
    lock.lock().expect("locked");
    assert_snapshot!(error_of(&folder, &["resume", "run"]), @"error: another process is playing the run in run; wait for it to finish");
    lock.unlock().expect("unlocked");
    assert_succeeds(resume(&[text(&run)]));
}

#[test]
fn a_changed_plan_is_not_resumed() {
    let folder = folder();
    small_run(&folder);
    let run = folder.path().join("run");
    assert_snapshot!(error_of(&folder, &["resume", "nowhere"]), @"error: nowhere: there is no such folder");
    assert_snapshot!(error(&folder, &["--run", "run"]), @"error: run exists; choose another folder, or resume the run in it with `referee resume`");

    let bot = folder.path().join("bot.sh");
    fs::write(&bot, "exit 1").expect("written");
    let args = ["--bot", "sh bot.sh", "--seed", "1..2", "--run", "own", "--logs", "none"];
    let played = suite(&args).current_dir(folder.path()).run();
    assert_eq!(played.status.code(), Some(1), "{}", stderr(&played));
    fs::write(&bot, "exit 2").expect("written");
    let complete = resume(&["own", "--format", "csv"]).current_dir(folder.path()).run();
    assert_eq!(complete.status.code(), Some(1));
    assert_eq!(complete.out().lines().count(), 3);
    assert!(stderr(&complete).contains("own is complete, so nothing is played"), "{complete:?}");
    let why_and_what = "the bot `sh bot.sh` has changed: bot.sh is not the same: `referee suite` plays what is there now";
    assert!(stderr(&complete).contains(why_and_what), "{complete:?}");
    let results = folder.path().join("own/results.jsonl");
    let lines = fs::read_to_string(&results).expect("results");
    fs::write(&results, lines.split_inclusive('\n').next().expect("a line")).expect("written");
    assert_snapshot!(error_of(&folder, &["resume", "own"]), @"error: own cannot be resumed: the bot `sh bot.sh` has changed: bot.sh is not the same; put back what it was planned with, or start a new run with `referee suite`");

    let path = run.join("results.jsonl");
    let line = fs::read_to_string(&path).expect("results");
    fs::write(&path, line.replace("\"seed 2\"", "\"seed 9\"")).expect("written");
    assert_snapshot!(error_of(&folder, &["resume", "run"]), @"error: run/results.jsonl:2: by the plan, game 2 is one of `@first` on seed 2; delete this line, and `referee resume` plays its game again");
    fs::write(&path, line.replacen("\"score\"", "score", 1)).expect("written");
    assert_snapshot!(error_of(&folder, &["resume", "run"]), @"error: run/results.jsonl:1: not a result: key must be a string; delete this line, and `referee resume` plays its game again");
}

#[test]
fn one_bad_board_among_fifty_is_named_and_nothing_is_played_unless_the_user_says_so() {
    let folder = folder();
    let boards = folder.path().join("boards");
    assert_code(&referee().args(["generate", "--seed", "1..50", "--out", text(&boards)]).run(), 0);
    fs::write(boards.join("seed-7.txt"), "1 2 3").expect("written");
    let args = ["--bot", "@first", "--board", "boards", "--run", "run", "--logs", "none"];
    assert_snapshot!(error(&folder, &args), @"error: boards/seed-7.txt:1:6: the row ends after 3 numbers; it must have 15; --keep-going leaves it out");
    assert!(!folder.path().join("run").exists());
    let output = suite(&args).arg("--keep-going").args(PATIENT).current_dir(folder.path()).run();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stderr(&output);
    let warning = "left out: boards/seed-7.txt:1:6: the row ends after 3 numbers";
    assert!(said.contains(warning), "{said}");
    let names: Vec<String> =
        results(&folder.path().join("run")).into_iter().map(|outcome| outcome.board).collect();
    assert_eq!(names.len(), 49);
    assert_eq!(names[1..3], ["boards/seed-2.txt", "boards/seed-3.txt"]);
}

#[test]
fn a_board_named_twice_is_refused_and_a_copy_warned_of() {
    let folder = folder();
    let made = referee().args(["generate", "--seed", "1..2", "--out", text(folder.path())]).run();
    assert_eq!(made.status.code(), Some(0));
    assert_snapshot!(error(&folder, &["--board", "seed-1.txt", "seed-2.txt", "seed-1.txt"]), @"error: seed-1.txt: this board is listed twice; --keep-going leaves it out");
    fs::copy(folder.path().join("seed-1.txt"), folder.path().join("copy.txt")).expect("copied");
    let args = ["--board", "seed-1.txt", "copy.txt", "--run", "run"];
    let output = suite(&args).args(PATIENT).current_dir(folder.path()).run().exits(0);
    assert!(stderr(&output).contains("copy.txt is the same board as seed-1.txt"), "{output:?}");
    assert_eq!(results(&folder.path().join("run")).len(), 2);
}

/// A small file system, unmounted when dropped.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = folder();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(folder.path())
            .output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // If it stays mounted, the next start of the machine takes it away.
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_ends_a_suite_with_the_results_so_far() {
    let Some(disk) = SmallDisk::mount() else {
        return leave_out("a full disk", "a small file system cannot be mounted here");
    };
    let run = disk.0.path().join("run");
    let bot = ["--bot", "sh -c 'exit 3'", "--seed", "1..400", "--logs", "none", "--keep-going"];
    let output = suite(&bot).args(["--run", text(&run)]).args(PATIENT).run();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("error: cannot write the run: failed to write to file"), "{said}");
    let remedy = "; the results so far are kept, and `referee resume` continues from them";
    assert!(said.contains("No space left on device") && said.contains(remedy), "{said}");
    let content = fs::read(run.join("results.jsonl")).expect("results");
    assert!(content.ends_with(b"\n"), "no torn line is left");
    let before = results(&run);
    assert!(before.len() > 50, "{}", before.len());

    assert_code(&Command::new("mount").args(["-o", "remount,size=8m"]).arg(disk.0.path()).run(), 0);
    let resumed = resume(&[text(&run)]).run();
    assert_eq!(resumed.status.code(), Some(1), "{}", stderr(&resumed));
    let after = results(&run);
    assert_eq!(after.len(), 400);
    assert_eq!(after[..before.len()], before[..]);
}

#[test]
fn records_come_from_games_that_count_and_the_best_known_is_shown() {
    let folder = folder();
    let records = folder.path().join("records.toml");
    let play = |bot: &str, run: &str, more: &[&str]| {
        let run = folder.path().join(run);
        let args = ["--format", "json", "--seed", "1..5", "--bot", bot, "--run", text(&run)];
        let args = [&["--game", "square-remover"], &args[..]].concat();
        suite(&args).args(["--records", text(&records)]).args(more).run().json()
    };
    // Of Square Remover, whose official limit holds on a busy machine too.
    let relaxed = play("@squares-greedy", "relaxed", &["--profile", "relaxed"]);
    assert_eq!(relaxed["bots"][0]["won"], 5);
    assert!(!records.exists(), "a game without the official limits sets no record");
    let first = play("@squares-random", "first", &[]);
    // Its own records are known once it has ended, as every later command sees them.
    assert_eq!(
        [&first["bots"][0]["compared"], &first["bots"][0]["ratio"]],
        [&json!(5), &json!(1.0)]
    );
    let source = fs::read_to_string(&records).expect("records");
    assert!(source.contains("bot = \"@squares-random\""), "{source}");
    let greedy = play("@squares-greedy", "greedy", &[]);
    assert_eq!(greedy["bots"][0]["compared"], 5, "{greedy}");
    let best = &greedy["new_bests"][0];
    assert_eq!(
        (&best["bot"], &best["by"]),
        (&"@squares-greedy".into(), &"@squares-random".into()),
        "{greedy}"
    );
    assert!(best["score"].as_i64() > best["before"].as_i64());
}

#[test]
fn the_standard_boards_are_known_in_any_colours() {
    let Some(shared) = shared_data("the published bests") else { return };
    let folder = folder();
    let boards = shared.join("samegame/codingame");
    let board = |number: u32| boards.join(format!("test{number}.json"));
    let run = folder.path().join("run");
    let command = suite(&["--format", "json", "--bot", "@greedy", "--run", text(&run), "--board"]);
    // The 20 boards, and their recoloured twins.
    let report = command.args((11..=50).map(board)).args(PATIENT).run().json();
    assert_eq!(report["bots"][0]["compared"], 40, "{report}");
    let sum = |from: usize| {
        results(&run)[from..from + 20]
            .iter()
            .map(|outcome| outcome.record_id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(sum(0), sum(20), "twins have the same records");
}

/// A suite that is killed again and again.
mod heavy {
    use super::a_killed_suite_ends_as_an_undisturbed_one;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_suite_killed_31_times_ends_with_the_results_of_an_undisturbed_one() {
        a_killed_suite_ends_as_an_undisturbed_one(31, 2);
    }
}

#[test]
fn more_games_at_a_time_than_this_machine_can_time_are_refused_if_limits_are_short() {
    let place = Place::new();
    let many = ["--bot", "@first", "--seed", "1..2", "--jobs", "1000", "--run", "run"];
    let suite = |more: &[&str]| place.command(&["suite"]).args(many).args(more).run();
    let cores = std::thread::available_parallelism().expect("cores");
    let refused = suite(&[]).exits(2).err();
    assert!(
        refused.contains("--jobs 1000: with limits as short as 50 ms this machine"),
        "{refused}"
    );
    assert!(refused.contains(&format!("use --jobs {cores}, ")), "{refused}");
    assert!(!place.path("run").exists(), "no run begins");
    assert_code(&suite(&PATIENT), 0);
    let resumed = place.command(&["resume", "run", "--jobs", "1000"]).run();
    assert_code(&resumed, 0);
    fs::remove_dir_all(place.path("run")).expect("it is there");
    assert_code(&suite(&["--on-host-delay", "accept", "--first-turn", "60s"]), 0);
    // A run that was interrupted is not resumed like that either.
    fs::remove_dir_all(place.path("run")).expect("it is there");
    let one = ["suite", "--bot", "@first", "--seed", "1..2", "--run", "run"];
    assert!(place.command(&one).run().status.code() < Some(2), "a late game is lost");
    fs::write(place.path("run/results.jsonl"), "").expect("written");
    let resumed = place.command(&["resume", "run", "--jobs", "1000"]).run().exits(2);
    assert!(resumed.err().contains("--jobs 1000: with limits as short as"), "{}", resumed.err());
}
