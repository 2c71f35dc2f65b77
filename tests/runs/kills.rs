//! Kills and full disks at each call that changes a file: nothing is lost, and the same command ends it. `heavy` tries every
//! call, this set some of them.

use support::prelude::*;

/// The calls that change files; those that this processor does not have are left out.
const CHANGES: &str = "?write,?writev,?pwrite64,?rename,?renameat,?renameat2,?link,?linkat,?unlink,?unlinkat,\
                       ?rmdir,?mkdir,?mkdirat,?chmod,?fchmod,?fchmodat,?ftruncate,?fsync,?fdatasync,\
                       ?copy_file_range,?sendfile,?symlink,?symlinkat";

/// More than any command here makes.
const MOST_CALLS: usize = 400;

/// What happens at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The process is killed.
    Kill,
    /// The call fails, since the disk is full. Not for commands that start a bot: the pipe to its keeper cannot fail so.
    FullDisk,
}

/// A command that is disturbed.
struct Scene {
    name: &'static str,
    /// Makes the folder in which it runs, once: each try gets a copy.
    prepare: fn(&Place),
    /// The command.
    args: fn(&Place) -> Vec<String>,
    /// The command that ends it, and its exit code.
    mend: fn(&Place) -> (Vec<String>, i32),
    /// The files that matter afterwards, which must equal an undisturbed command's.
    outcome: fn(&Place) -> String,
    /// Checks what holds right after the fault.
    holds: fn(&Place),
}

/// Runs a command with a fault at one of its main thread's calls; returns its output, and whether it came so far.
fn disturbed(
    strace: &str,
    place: &Place,
    args: &[String],
    fault: Fault,
    call: usize,
) -> (Output, bool) {
    let fault = match fault {
        Fault::Kill => "signal=KILL",
        Fault::FullDisk => "error=ENOSPC",
    };
    let command = place.command(&[]);
    let calls = place.path("calls");
    let mut strace = Command::new(strace);
    strace.args(["-q", "-o"]).arg(&calls).args(["-e", &format!("trace={CHANGES}")]);
    strace.args(["-e", &format!("inject={CHANGES}:{fault}:when={call}")]);
    strace.arg(command.get_program()).args(args).current_dir(place.folder());
    let output = strace.env_remove("REFEREE_LOG").env("PATH", path(place)).output();
    let output = output.expect("strace");
    let calls = fs::read_to_string(calls).expect("its calls");
    let is_killed = output.status.signal() == Some(Signal::KILL.as_raw());
    (output, is_killed || calls.contains("(INJECTED)"))
}

/// The size above which a file is a program, which nothing here changes, so that copies of a folder can share it.
const PROGRAM: u64 = 1 << 20;

/// Copies what is in a folder.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (data, to) = (entry.metadata().expect("there"), to.join(entry.file_name()));
        if data.is_dir() {
            fs::create_dir(&to).expect("made");
            copy(&entry.path(), &to);
        } else if data.len() > PROGRAM {
            fs::hard_link(entry.path(), &to).expect("linked");
        } else {
            fs::copy(entry.path(), &to).expect("copied");
        }
    }
}

/// Has a fault at each `step`th call of the command, each time in a new folder, and ends the command.
fn try_each(scene: &Scene, fault: Fault, step: usize) {
    let Some([strace]) = need("faults at each write", ["strace"]) else { return };
    let prepared = Place::new();
    (scene.prepare)(&prepared);
    let new = || {
        let place = Place::new();
        copy(prepared.folder(), place.folder());
        place
    };
    let calm = new();
    run(&calm, &(scene.args)(&calm));
    let expected = (scene.outcome)(&calm);
    for (tried, call) in (1..MOST_CALLS).step_by(step).enumerate() {
        let place = new();
        let (output, is_disturbed) = disturbed(strace, &place, &(scene.args)(&place), fault, call);
        if !is_disturbed {
            assert!(tried > 0, "{}: {}", scene.name, output.err());
            println!("{}: {fault:?} at {tried} calls", scene.name);
            return;
        }
        (scene.holds)(&place);
        let (mend, code) = (scene.mend)(&place);
        let mended = run(&place, &mend);
        let context = || {
            let said = [&output, &mended].map(Printed::err).concat();
            format!("{}: {fault:?} at call {call}: {said}", scene.name)
        };
        assert_eq!(mended.status.code(), Some(code), "{}", context());
        assert_eq!((scene.outcome)(&place), expected, "{}", context());
    }
    panic!("the command makes more than {MOST_CALLS} calls");
}

fn run(place: &Place, args: &[String]) -> Output {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    place.command(&args).env("PATH", path(place)).run()
}

/// The search path, with programs of the test's own first.
fn path(place: &Place) -> String {
    format!("{}:{}", place.path("bin").display(), std::env::var("PATH").expect("PATH"))
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// Plays games of a quick bot.
fn suite(place: &Place, line: &str) {
    let suite = place.command(&["suite", "--jobs", "1"]);
    assert_code(&suite.args(line.split(' ')).args(PATIENT).run(), 0);
}

/// The scores of a run by game, the number of its sessions, and the names of its files.
fn results(place: &Place) -> String {
    let run = place.run("run");
    let outcomes = run.outcomes().expect("results").map(|outcome| outcome.expect("whole"));
    let mut scores: Vec<_> = outcomes.map(|outcome| (outcome.game, outcome.score)).collect();
    scores.sort_unstable();
    run.sessions().expect("whole sessions");
    format!("{scores:?} {:?}", names(&place.path("run")))
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// Merging two shards.
const MERGE: Scene = Scene {
    name: "merge",
    prepare: |place| {
        suite(place, "--bot @first --seed 1..4 --shard 1/2 --run one");
        suite(place, "--bot @first --seed 1..4 --shard 2/2 --run two");
    },
    args: |_| words("merge one two --run run"),
    mend: |place| {
        let is_merged = place.path("run").exists();
        (words(if is_merged { "status run" } else { "merge one two --run run" }), 0)
    },
    // A kill may leave a file that nobody reads.
    outcome: |place| {
        let kept = |name: &&str| !name.contains(".new-");
        results(place).split(['[', ']', ',', ' ']).filter(kept).collect()
    },
    holds: |place| {
        let played = |run| place.run(run).played().expect("whole results").count();
        assert_eq!(played("one") + played("two"), 4);
    },
};

/// Adding a record to another bot's records.
const RECORDS: Scene = Scene {
    name: "records",
    prepare: |place| {
        for (bot, run) in [("@squares-random", "first"), ("@squares-greedy", "greedy")] {
            // Games under other limits than the official ones set no record. This game's hold on a busy machine.
            let suite = place
                .command(&["suite", "--game", "square-remover", "--seed", "1..2"])
                .args(["--jobs", "1", "--bot", bot, "--run", run]);
            assert_code(&suite.run(), 0);
        }
        let first = ["resume", "first", "--records", "records.toml"];
        assert_code(&place.command(&first).run(), 0);
    },
    args: |_| words("resume greedy --records records.toml"),
    mend: |_| (words("resume greedy --records records.toml"), 0),
    outcome: |place| {
        let records = fs::read_to_string(place.path("records.toml")).unwrap_or_default();
        let mut names = names(place.folder());
        names.retain(|name| name != "calls");
        format!("{records}{names:?}")
    },
    holds: |place| {
        let records = fs::read_to_string(place.path("records.toml")).expect("records");
        assert!(records.contains("@squares-"), "{records}");
    },
};

/// Resuming a run, with a session and results.
const SESSION: Scene = Scene {
    name: "session",
    prepare: |place| {
        suite(place, "--bot @first --seed 1..4 --run run");
        let path = place.path("run/results.jsonl");
        let text = fs::read_to_string(&path).expect("results");
        let first: String = text.split_inclusive('\n').take(2).collect();
        fs::write(path, first).expect("written");
    },
    args: |_| words("resume run --jobs 1"),
    mend: |_| (words("resume run --jobs 1"), 0),
    outcome: results,
    holds: |place| assert!(place.run("run").played().expect("whole results").count() >= 2),
};

/// Starting a run.
const START: Scene = Scene {
    name: "start",
    prepare: |_| (),
    args: |_| start(),
    mend: |place| {
        let is_made = place.path("run/run.toml").exists();
        (if is_made { words("resume run") } else { start() }, 0)
    },
    outcome: results,
    holds: |_| (),
};

fn start() -> Vec<String> {
    let mut start = words("suite --bot @first --seed 1..2 --jobs 1 --run run");
    start.extend(PATIENT.map(str::to_owned));
    start
}

#[test]
fn a_fault_at_some_of_the_calls_that_change_files_loses_nothing_and_needs_no_hand() {
    let kills = [(MERGE, 11), (RECORDS, 11), (SESSION, 17), (START, 17)];
    for (scene, step) in kills {
        try_each(&scene, Fault::Kill, step);
    }
    try_each(&MERGE, Fault::FullDisk, 11);
}

/// Kills and full disks at every call that changes a file, and kills of processes at random moments.
mod heavy {
    use super::{Fault, MERGE, RECORDS, SESSION, START, try_each};
    use rand_core::{Rng as _, SeedableRng as _};
    use rand_pcg::Pcg32;
    use support::prelude::*;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_kill_at_every_write_loses_nothing_and_needs_no_hand() {
        for scene in [MERGE, RECORDS, SESSION, START] {
            try_each(&scene, Fault::Kill, 1);
        }
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_full_disk_at_every_write_loses_nothing_and_needs_no_hand() {
        try_each(&MERGE, Fault::FullDisk, 1);
    }

    /// The number of kills of each kind of process.
    fn kills() -> usize {
        let kills = std::env::var("REFEREE_KILLS").ok();
        kills.map_or(30, |kills| kills.parse().expect("a number"))
    }

    /// Starts a suite whose games end at their limit; goes on with it if it was started before.
    fn suite(method: &str, mark: &Mark, run: &Path) -> Child {
        let suite = if run.join("run.toml").exists() {
            referee().arg("resume").arg(run)
        } else {
            let config = format!("containment={method}");
            referee()
                .suite(["--env", mark.env(), "--config", &config, "--bot", "sleep 3600"])
                .args(["--seed", "1..100000", "--jobs", "2", "--first-turn", "20ms"])
                .args(["--logs", "none", "--keep-going", "--run"])
                .arg(run)
        };
        suite.stdout(Stdio::null()).stderr(Stdio::null()).start()
    }

    /// The results of a run, without the line that is being written.
    fn results(run: &Path) -> String {
        let results = fs::read_to_string(run.join("results.jsonl")).unwrap_or_default();
        let end = results.rfind('\n').map_or(0, |end| end + 1);
        results[..end].to_owned()
    }

    /// Finds those to kill among the processes of the referee with this number.
    type Victims = fn(u32) -> Vec<Pid>;

    /// Kills some process of a suite at random moments; returns the number of kills.
    fn kill_at_random(method: &str, kills: usize, victims: Victims) -> usize {
        let (mut random, mark) = (Pcg32::seed_from_u64(11), Mark::new());
        let folder = tempdir().expect("a folder");
        let run = folder.path().join("run");
        let (mut killed, mut seen) = (0, String::new());
        let mut child = suite(method, &mark, &run);
        while killed < kills || seen.is_empty() {
            // The first results take a third of a second.
            sleep(Duration::from_micros(u64::from(random.next_u32() % 600_000)));
            if child.try_wait().expect("a child").is_some() {
                // Only referees that are alive leave bots alive.
                mark.assert_gone();
                child = suite(method, &mark, &run);
                continue;
            }
            let victims = victims(child.id());
            let victim = victims.get(random.next_u32() as usize % victims.len().max(1));
            killed +=
                victim.filter(|victim| kill_process(**victim, Signal::KILL).is_ok()).iter().count();
            let now = results(&run);
            assert!(now.starts_with(&seen), "{method}: results were lost");
            seen = now;
        }
        let _ = kill_process(Pid::from_child(&child), Signal::INT);
        child.wait().expect("a child");
        mark.assert_gone();
        assert!(results(&run).starts_with(&seen), "{method}: results were lost");
        killed
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn processes_killed_at_random_moments_leave_nothing_and_lose_no_result() {
        let referees = |referee: u32| Pid::from_raw(referee.cast_signed()).into_iter().collect();
        let kinds: [(&str, Victims); 3] =
            [("referee", referees), ("launcher", children), ("keeper", keepers)];
        for (kind, victims) in kinds {
            let each = kills().div_ceil(METHODS.len());
            let killed: usize =
                METHODS.iter().map(|method| kill_at_random(method, each, victims)).sum();
            println!("{kind}: {killed} kills");
        }
    }
}
