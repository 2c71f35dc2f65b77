//! Accidents of runs: torn files, missing locks, folders that move. Nothing is lost, and nothing needs a hand.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use fs::OpenOptions;
use libc::{ENOLCK, SYS_flock};
use support::prelude::*;

/// Plays games of a quick bot on these seeds.
fn play(place: &Place, run: &str, seeds: &str) {
    let suite = place.command(&["suite", "--bot", "@first", "--seed", seeds, "--run", run]);
    assert_code(&suite.args(PATIENT).run(), 0);
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).open(path).expect("it is there");
    file.write_all(text.as_bytes()).expect("written");
}

/// Leaves only the first line of the results.
fn keep_one_result(results: &Path) {
    let text = fs::read_to_string(results).expect("results");
    fs::write(results, text.split_inclusive('\n').next().expect("a line")).expect("written");
}

/// Runs a command on a file system without locks.
fn without_locks(mut command: Referee) -> Output {
    command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    finished(start_without(SYS_flock, Vec::new(), ENOLCK.cast_unsigned(), command))
}

#[test]
fn a_torn_session_is_cut_off_when_the_run_is_taken_up() {
    let place = Place::new();
    play(&place, "run", "1..3");
    append(&place.path("run/sessions.jsonl"), r#"{"number":2,"started":"2026-"#);
    keep_one_result(&place.path("run/results.jsonl"));
    for _ in 0..2 {
        assert_code(&place.command(&["resume", "run"]).run(), 0);
    }
    let sessions = place.run("run").sessions().expect("whole sessions");
    assert_eq!(sessions.iter().map(|session| session.number).collect::<Vec<_>>(), [1, 2]);
    for command in [&["compare", "run", "run"][..], &["runs"]] {
        assert_code(&place.command(command).run(), 0);
    }
}

#[test]
fn a_damaged_session_is_named_as_one() {
    let place = Place::new();
    play(&place, "run", "1");
    append(&place.path("run/sessions.jsonl"), "{\"num{\"number\":2}\n");
    let output = place.command(&["compare", "run", "run"]).run();
    let said = output.err();
    assert_code(&output, 2);
    assert!(said.contains("run/sessions.jsonl:2: not a session: "), "{said}");
    assert!(said.ends_with("; delete this line\n"), "{said}");
}

#[test]
fn where_files_cannot_be_locked_a_run_is_played_and_resumed_with_a_warning() {
    let place = Place::new();
    play(&place, "run", "1..4");
    let results = place.path("run/results.jsonl");
    keep_one_result(&results);
    append(&results, r#"{"game":"#);
    let output = without_locks(place.command(&["resume", "run"]));
    assert_code(&output, 0);
    assert_eq!(output.err().matches("cannot be locked").count(), 1, "{}", output.err());
    assert_eq!(place.run("run").played().expect("whole results").count(), 4);
}

#[test]
fn a_run_that_is_renamed_or_removed_while_it_is_played_is_noticed_at_the_next_result() {
    let place = Place::new();
    for (run, logs) in [("renamed", "none"), ("removed", "none"), ("logged", "all")] {
        let suite = place
            .command(&["suite", "--bot", "@thinker --sleep 10", "--seed", "1..1000"])
            .args(["--jobs", "1", "--logs", logs, "--run", run])
            .args(PATIENT)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .start();
        let results = place.path(run).join("results.jsonl");
        wait_until("it begins", || fs::metadata(&results).is_ok_and(|file| file.len() > 0));
        if run == "removed" {
            fs::remove_dir_all(place.path(run)).expect("removed");
        } else {
            fs::rename(place.path(run), place.path("elsewhere")).expect("renamed");
        }
        let output = finished(suite);
        let said = output.err();
        assert!(said.contains("was removed, renamed") || logs == "all", "{said}");
        assert!(matches!(output.status.code(), Some(2 | 3)), "{said}");
        assert!(!place.path(run).exists(), "it is not made again");
        if run != "removed" {
            let kept = place.run("elsewhere").played().expect("whole results").count();
            assert!((1..1000).contains(&kept), "{kept}");
            fs::remove_dir_all(place.path("elsewhere")).expect("removed");
        }
    }
}

/// The files in a folder, with their lengths.
fn files(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut files = BTreeMap::new();
    // What is listed may be gone by now.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        files.insert(entry.path(), metadata.len());
        if metadata.is_dir() {
            files.append(&mut self::files(&entry.path()));
        }
    }
    files
}

/// Kills a command once it has changed something in the folder, once it has done so twice, and so on, and lets it end
/// at last.
fn kill_again_and_again(place: &Place, args: &[&str]) -> Output {
    for changes in 1..=8 {
        let mut child = place.command(args).stdout(Stdio::null()).stderr(Stdio::null()).start();
        let (mut seen, mut count) = (files(place.folder()), 0);
        while count < changes && child.try_wait().expect("a child").is_none() {
            let now = files(place.folder());
            count += u32::from(now != seen);
            seen = now;
            sleep(Duration::from_millis(1));
        }
        // It may have ended by itself.
        let _ = child.kill();
        finished(child);
    }
    place.command(args).run()
}

#[test]
fn kills_of_a_suite_that_is_taken_up_lose_nothing() {
    let place = Place::new();
    let suite = ["suite", "--bot", "@first", "--seed", "1..60", "--run", "run"];
    let mut child = place.command(&suite).args(PATIENT).start();
    wait_until("it is planned", || place.path("run/run.toml").exists());
    child.kill().expect("it plays");
    finished(child);
    assert_code(&kill_again_and_again(&place, &["resume", "run", "--jobs", "1"]), 0);
    let run = place.run("run");
    assert_eq!(run.played().expect("whole results").count(), 60);
    run.sessions().expect("whole sessions");
    let left: Vec<_> = fs::read_dir(place.path("run"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().into_string().expect("UTF-8"))
        .filter(|name| name.starts_with(".new-"))
        .collect();
    assert!(left.len() <= 1, "the report's own at most: {left:?}");
}

#[test]
fn a_plan_that_cannot_be_held_is_refused_before_anything_is_written() {
    let place = Place::new();
    for seeds in ["1..20261123000000", "-9223372036854775808..9223372036854775807"] {
        for more in [&[][..], &["--repeat", "4000000000"], &["--shard", "2/7"]] {
            let output =
                place.command(&["suite", "--seed", seeds, "--run", "runs/huge"]).args(more).run();
            let said = output.err();
            assert_code(&output, 2);
            assert!(said.contains("games, and a run has at most 100000000"), "{said}");
        }
    }
    assert!(!place.path("runs").exists());
    assert_code(&place.command(&["timing", "--seed", "1..20261123000000"]).run(), 2);
}

#[test]
fn a_run_whose_plan_cannot_be_held_stops_no_list_of_runs() {
    let place = Place::new();
    for run in ["runs/a", "runs/b", "runs/huge"] {
        play(&place, run, "1..3");
    }
    let plan = place.path("runs/huge/run.toml");
    let text = fs::read_to_string(&plan).expect("a plan");
    fs::write(&plan, text.replace("last = 3", "last = 20261123000000")).expect("written");
    let said = place.command(&["runs"]).run().exits(0).out();
    assert!(said.contains("20261123000000 games; a run has at most"), "{said}");
    for command in
        [&["compare", "latest~1", "latest"][..], &["report", "latest", "--html", "page.html"]]
    {
        assert_code(&place.command(command).run(), 0);
    }
    assert_code(&place.command(&["resume", "runs/huge"]).run(), 2);
}

#[test]
fn a_plan_of_more_players_or_rounds_than_can_be_counted_is_refused() {
    let place = Place::new();
    MadeRun::new(&[("a", &[50])]).save(&place.path("run"));
    let plan = place.path("run/run.toml");
    let text = fs::read_to_string(&plan).expect("a plan");
    let (rest, bots) = text.split_once("[[plan.bots]]").expect("a bot");
    let players = "[plan]\nplayers = 9223372036854775807\n";
    for damaged in [
        text.replace("[plan]\n", players),
        text.replace("[plan]\n", &format!("{players}seats = \"all\"\n")),
        rest.replace("[plan]\n", "[plan]\nbots = []\n")
            .replace("last = 1", "last = 9223372036854775807"),
    ] {
        assert!(damaged != text && bots.contains("name"), "{damaged}");
        fs::write(&plan, damaged).expect("written");
        let said = finished(place.command(&["status", "run"]).piped().start()).exits(2).err();
        assert!(said.contains("games; a run has at most"), "{said}");
    }
}

#[test]
fn results_of_another_plan_are_refused_wherever_they_are_read() {
    let place = Place::new();
    for (run, bots) in [("one", ["a", "b"]), ("other", ["a", "c"])] {
        MadeRun::new(&[(bots[0], &[50, 60]), (bots[1], &[70, 80])]).save(&place.path(run));
    }
    fs::copy(place.path("other/results.jsonl"), place.path("one/results.jsonl")).expect("copied");
    let problem =
        "one/results.jsonl:2: by the plan, game 2 is one of `b` on seed 1; delete this line";
    for args in [
        &["show", "one"][..],
        &["status", "one"],
        &["compare", "one"],
        &["report", "one", "--html", "page.html"],
    ] {
        let said = place.command(args).run().exits(2).err();
        assert!(said.contains(problem), "{args:?}: {said}");
    }
    let listed = place.command(&["runs"]).run().exits(0).out();
    assert!(listed.contains("by the plan, game 2 is one of `b`"), "{listed}");
    assert_code(&place.command(&["verify", "one"]).run(), 1);
}

#[test]
fn a_suite_that_is_interrupted_reports_what_was_played_to_a_file() {
    let place = Place::new();
    for format in ["junit", "csv", "json", "markdown"] {
        let bot =
            ["--bot", "@thinker --sleep 10", "--jobs", "1", "--format", format, "--run", format];
        let suite = place
            .command(&["suite", "--seed", "1..1000"])
            .args(bot)
            .args(PATIENT)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .start();
        let results = place.path(format).join("results.jsonl");
        wait_until("it begins", || fs::metadata(&results).is_ok_and(|file| file.len() > 0));
        kill_process(Pid::from_child(&suite), Signal::INT).expect("it runs");
        let output = finished(suite);
        assert!(output.err().contains("interrupted by SIGINT"), "{}", output.err());
        let report = output.out();
        assert!(!report.is_empty(), "{format}");
        if format == "junit" {
            assert!(
                report.contains("</testsuites>") && report.contains("games have no result"),
                "{report}"
            );
        }
    }
}

/// Runs these lines of a shell in a place whose folder `full` is a file system of 64 kB and three files; `referee` is the
/// program under test. `None` if this user can mount nothing. To remount it, name both `none` and `full`: otherwise an ordinary
/// user's mount repeats the numbers of its owner, which the namespace does not have.
fn on_a_small_disk(place: &Place, lines: &str) -> Option<Output> {
    fs::create_dir(place.path("full")).expect("made");
    let mount = "mount -t tmpfs -o size=64k,nr_inodes=4 none full || exit 77";
    let program = place.command(&[]).get_program().to_owned();
    let script = format!("{mount}\nreferee() {{ \"$0\" \"$@\"; }}\n{lines}\n");
    let mut shell = Command::new("unshare");
    shell.args(["-rm", "sh", "-c", &script]).arg(program);
    shell.current_dir(place.folder()).env("NO_COLOR", "1").env_remove("REFEREE_LOG");
    let output = shell.output().expect("util-linux is there");
    let is_refused = output.status.code() == Some(77) || output.err().starts_with("unshare");
    (!is_refused).then_some(output)
}

#[test]
fn a_tester_whose_bot_may_not_be_started_where_temporary_files_are_says_what_helps() {
    let place = Place::new();
    let game = "[game.any]\nkind = 'tester'\ncommand = 'true {seed} {bot}'\n";
    fs::write(place.path("referee.toml"), game).expect("written");
    let output = on_a_small_disk(
        &place,
        "mount -o remount,noexec,nr_inodes=1000 none full\n\
         TMPDIR=\"$PWD/full\" referee play --game any --seed 1 --bot cat; echo \"code $?\"; ls full",
    );
    let Some(output) = output else {
        return leave_out("a folder without programs", "this user can mount nothing");
    };
    assert_eq!(output.out(), "code 3\n");
    assert!(output.err().contains("may not be started (noexec); set TMPDIR"), "{output:?}");
}

#[test]
fn a_bot_on_a_file_system_without_execution_is_told_so() {
    let place = Place::new();
    write_program(&place.path("by-other"), "#!full/bot\n");
    let play = "referee play --bot";
    let lines = format!(
        "cp by-other full/bot; mount -o remount,noexec none full\n\
         for bot in ./full/bot \"./full/bot --sandbox\" ./by-other; do {play} $bot; echo \"code $?\"; done"
    );
    let Some(output) = on_a_small_disk(&place, &lines) else {
        return leave_out("a bot where nothing may be executed", "this user can mount nothing");
    };
    assert_eq!(output.out(), "code 2\n".repeat(3), "{output:?}");
    let told = output.err().matches("full/bot is mounted noexec; ").count();
    assert_eq!(told, 3, "{}", output.err());
}

#[test]
fn a_disk_that_is_full_when_a_bot_is_started_costs_no_game() {
    let place = Place::new();
    let game = "[game.any]\nkind = 'judge'\ncommand = 'cat'\n";
    fs::write(place.path("referee.toml"), game).expect("written");
    let output = on_a_small_disk(
        &place,
        "touch full/a full/b full/c; export TMPDIR=\"$PWD/full\"\n\
         suite='referee suite --seed 1..8 --jobs 1 --first-turn 60s --turn 60s'\n\
         $suite --run judged --game any --bot cat; echo \"code $?\"\n\
         $suite --bot @first --run run --sandbox --config containment=seccomp; echo \"code $?\"; rm full/*\n\
         referee resume run --format csv; echo \"code $?\"",
    );
    let Some(output) = output else {
        return leave_out("a full disk", "this user can mount nothing");
    };
    let printed = output.out();
    let codes: Vec<&str> = printed.lines().filter(|line| line.starts_with("code ")).collect();
    let said = output.err();
    if said.contains("needs Landlock") {
        return leave_out("a full disk", "the kernel's Landlock is too old");
    }
    assert_eq!(codes, ["code 3", "code 3", "code 0"], "{printed}{said}");
    for words in [
        "cannot start the bot `",
        "the judge: cannot get a scratch folder with the files in ",
        "No space left on device",
        "TMPDIR can name another folder",
        "`referee resume` plays them",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(place.run("run").played().expect("whole results").count(), 8);
}

#[test]
fn a_disk_that_is_full_when_a_log_is_written_keeps_all_games_before() {
    let place = Place::new();
    let output = on_a_small_disk(
        &place,
        "mount -o remount,nr_inodes=1000 none full\n\
         suite='referee suite --logs all --jobs 1'\n\
         $suite --bot @first --seed 1..20 --run full/run --first-turn 60s --turn 60s; echo \"code $?\"\n\
         wc -l <full/run/results.jsonl\n\
         referee play --log full/log --first-turn 60s --turn 60s >full/../played; echo \"code $?\"\n\
         mount -o remount,size=16M none full\n\
         referee resume full/run; echo \"code $?\"; referee verify full/run; echo \"code $?\"",
    );
    let Some(output) = output else {
        return leave_out("a full disk", "this user can mount nothing");
    };
    let (printed, said) = (output.out(), output.err());
    let codes: Vec<&str> = printed.lines().filter(|line| line.starts_with("code ")).collect();
    assert_eq!(codes, ["code 3", "code 3", "code 0", "code 0"], "{printed}{said}");
    assert!(
        said.contains("the results so far are kept, and `referee resume` continues from them"),
        "{said}"
    );
    assert!(said.contains("the log full/log is incomplete: No space left on device"), "{said}");
    let kept = printed.lines().find_map(|line| line.parse::<u32>().ok()).expect("a number");
    assert!((1..20).contains(&kept), "{kept}");
    assert!(printed.contains("20 of 20 games of samegame agree with their logs"), "{printed}");
}

#[test]
fn a_path_that_run_files_cannot_name_is_refused_before_a_game() {
    let place = Place::new();
    let odd = place.folder().join(OsStr::from_bytes(b"odd-\xff"));
    fs::create_dir(&odd).expect("made");
    let suite = || referee().suite(["--bot", "@first", "--seed", "1"]).args(PATIENT);
    let sandbox = OsStr::from_bytes(b"--sandbox=odd-\xff");
    for command in [
        suite().args(["--run", "run"]).current_dir(&odd),
        suite().arg("--run").arg(odd.join("run")).current_dir(place.folder()),
        suite().args(["--run", "run"]).arg(sandbox).current_dir(place.folder()),
    ] {
        let said = command.run().exits(2).err();
        assert!(said.contains("which is not UTF-8; rename it"), "{said}");
    }
    assert_eq!(fs::read_dir(&odd).expect("a folder").count(), 0);
    // A run that was moved there plays on.
    let squares = ["suite", "--game", "square-remover", "--bot", "@squares-random", "--seed", "1"];
    assert_code(&place.command(&squares).args(["--run", "run"]).run(), 0);
    let moved = odd.join("run");
    fs::rename(place.path("run"), &moved).expect("renamed");
    let resume = referee().arg("resume").arg(&moved).current_dir(place.folder());
    let output = resume.args(["--records", "records.toml"]).run().exits(0);
    assert!(output.out().contains("1 game of square-remover, 0 lost"), "{output:?}");
    let records = fs::read_to_string(place.path("records.toml")).expect("records");
    assert!(records.contains("bot = \"@squares-random\""), "{records}");
}

#[test]
fn a_full_disk_leaves_no_half_written_file_of_the_users() {
    let place = Place::new();
    let output = on_a_small_disk(
        &place,
        "mount -o remount,nr_inodes=1000 none full; cd full; printf PK >t.jar\n\
         printf '#%4090s\\n' >referee.toml; cp referee.toml before; cat /dev/zero >fill\n\
         referee generate --seed 1..3 --out .; echo \"code $?\"\n\
         referee new mine --lang c; echo \"code $?\"\n\
         referee init --tester t.jar; echo \"code $?\"; cmp referee.toml before; rm before; ls\n\
         rm fill; referee generate --seed 1..3 --out .; echo \"code $?\"\n\
         referee new mine --lang c >/dev/null; echo \"code $?\"\n\
         referee init --tester t.jar >/dev/null; echo \"code $?\"",
    );
    let Some(output) = output else {
        return leave_out("a full disk", "this user can mount nothing");
    };
    let expected =
        "code 3\ncode 3\ncode 3\nfill\nreferee.toml\nt.jar\n3 files in .\ncode 0\ncode 0\ncode 0\n";
    assert_eq!(output.out(), expected, "{}", output.err());
    for file in ["seed-1.txt", "mine.c", "referee.toml"] {
        let problem = format!("{file}: No space left on device");
        assert!(output.err().contains(&problem), "{problem}: {}", output.err());
    }
}
