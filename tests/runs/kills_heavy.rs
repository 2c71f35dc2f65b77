//! Kills and full disks at every call that changes a file, and kills of processes at random moments.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;

use crate::contain::attacks::METHODS;
use crate::runs::kills::{Fault, MERGE, PRUNE, RECORDS, SESSION, START, SUBMIT, try_each};
use support::prelude::*;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_kill_at_every_write_loses_nothing_and_needs_no_hand() {
    for scene in [MERGE, RECORDS, PRUNE, SESSION, START, SUBMIT] {
        try_each(&scene, Fault::Kill, 1);
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_full_disk_at_every_write_loses_nothing_and_needs_no_hand() {
    for scene in [MERGE, PRUNE] {
        try_each(&scene, Fault::FullDisk, 1);
    }
}

/// The number of kills of each kind of process.
fn kills() -> usize {
    let kills = std::env::var("REFEREE_KILLS").ok();
    kills.map_or(30, |kills| kills.parse().expect("a number"))
}

/// Starts a suite whose games end at their limit; goes on with it if it was started before.
fn suite(method: &str, mark: &Mark, run: &Path) -> Child {
    let mut suite = referee();
    suite.arg("suite");
    if run.join("run.toml").exists() {
        suite.arg("--resume").arg(run);
    } else {
        suite.args(["--env", mark.env(), "--containment", method, "--bot", "sleep 3600"]);
        suite.args(["--seed", "1..100000", "--jobs", "2", "--first-turn", "20ms"]);
        suite.args(["--logs", "none", "--keep-going", "--run"]).arg(run);
    }
    suite.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts")
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
