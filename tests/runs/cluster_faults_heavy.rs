//! Failures of a cluster: no played game is lost, and the user is told how to continue.

use std::os::unix::fs::symlink;

use referee::suite::RunFolder;
use support::prelude::*;
use support::slurm::{Cluster, ended, outcomes, part_of, start_daemon};

/// Submits a suite of a bot that loses.
fn losers(cluster: &Cluster, run: &str, more: &[&str]) -> Referee {
    cluster
        .referee(&["suite", "--bot", "./loser", "--seed", "1..50"])
        .args(PATIENT)
        .args(["--slurm", "--keep-going", "--run", run])
        .args(more)
}

/// A cluster for several tests: it takes long to start. Both wait for most of their time, so they run side by side.
fn cluster(test: &str) -> Option<Cluster> {
    let settings = [
        "PartitionName=down Nodes=ALL State=DOWN",
        "PreemptType=preempt/partition_prio",
        "PreemptMode=REQUEUE",
        "PartitionName=urgent Nodes=ALL PriorityTier=10",
    ];
    let cluster = Cluster::start(test, &settings)?;
    cluster.script("loser", "exit 3");
    Some(cluster)
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_user_is_told_what_a_cluster_does_not_do_and_no_game_is_lost() {
    let test = "a_user_is_told_what_a_cluster_does_not_do_and_no_game_is_lost";
    let Some(cluster) = cluster(test) else { return };
    // Its minute passes on the second node in the meantime.
    let short = a_task_has_too_little_time(&cluster);
    a_program_is_missing(&cluster);
    a_partition_that_is_down(&cluster);
    what_slurm_refuses(&cluster);
    too_few_processors(&cluster);
    a_controller_that_is_away(&cluster);
    it_keeps_its_games_and_is_submitted_again(&cluster, short);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn whatever_happens_to_tasks_and_nodes_no_game_is_lost() {
    let test = "whatever_happens_to_tasks_and_nodes_no_game_is_lost";
    let Some(cluster) = cluster(test) else { return };
    tasks_that_are_preempted_or_lose_their_node_go_on(&cluster);
    submitted_again_by_another(&cluster);
    a_node_is_lost(&cluster);
    nodes_that_do_not_share_the_run_folder(&cluster);
}

fn a_program_is_missing(cluster: &Cluster) {
    const PROGRAMS: [&str; 4] = ["sbatch", "scontrol", "squeue", "scancel"];
    for missing in PROGRAMS {
        let folder = cluster.path(&format!("without-{missing}"));
        fs::create_dir(&folder).expect("made");
        for other in PROGRAMS.iter().filter(|program| **program != missing) {
            symlink(format!("/usr/bin/{other}"), folder.join(other)).expect("made");
        }
        let refused =
            losers(cluster, "none", &["--parts", "2"]).env("PATH", &folder).run().exits(2);
        let said = refused.err();
        assert!(said.contains(&format!("there is no {missing} in PATH")), "{said}");
        assert!(!cluster.path("none").exists(), "nothing is made");
    }
}

fn a_partition_that_is_down(cluster: &Cluster) {
    // Slurm takes the job and does not start it. Ctrl-C leaves it there.
    let down = ["--parts", "2", "--wait", "--slurm-arg=--partition=down"];
    let waiting = losers(cluster, "down", &down);
    let said = || fs::read_to_string(cluster.path("said")).expect("text");
    let told = fs::File::create(cluster.path("said")).expect("made");
    let waiting = waiting.stdout(Stdio::null()).stderr(told).start();
    cluster.wait_until("it is told", || said().contains("0/50 games, 2 pending (PartitionDown)"));
    kill_process(Pid::from_child(&waiting), Signal::INT).expect("SIGINT");
    finished(waiting);
    let said = said();
    assert!(
        said.contains("interrupted by SIGINT; the jobs go on: `referee status down`"),
        "{said}"
    );
    assert_eq!(cluster.tasks("PENDING").len(), 2);
    let status = cluster.referee(&["status", "down"]).run().exits(1);
    let status = status.out();
    assert!(
        status.contains("in the queue: 2 pending (PartitionDown), and 1 job to merge"),
        "{status}"
    );
    assert_code(&cluster.referee(&["cancel", "down"]).run(), 0);
    cluster.wait_until("they are gone", || cluster.tasks("PENDING").is_empty());
}

fn what_slurm_refuses(cluster: &Cluster) {
    // The error says that the run can be submitted later.
    let refused =
        losers(cluster, "refused", &["--parts", "2", "--slurm-arg=--partition=none"]).run();
    assert_code(&refused, 2);
    let said = refused.err();
    let expected = "error: refused is planned, but cannot be submitted: sbatch failed: invalid partition specified: none; ";
    assert!(said.starts_with(expected), "{said}");
    let remedy = "; fix its options, from --slurm-arg and `cluster` in referee.toml; `referee \
                  suite --resume refused --slurm` submits what is not";
    assert!(said.trim_end().ends_with(remedy), "{said}");
    let mended = [
        "suite",
        "--resume",
        "refused",
        "--slurm",
        "--wait",
        "--keep-going",
        "--slurm-arg=--time=5",
    ];
    assert_code(&ended(cluster.referee(&mended)), 1);
}

fn too_few_processors(cluster: &Cluster) {
    // The task plays nothing, and waiting for it ends.
    let few = ["--parts", "1", "--wait", "--slurm-arg=--cpus-per-task=1"];
    let few = ended(losers(cluster, "few", &few)).exits(2);
    let said = few.err();
    assert!(
        said.contains("no task is in the queue any more, and 1 of 1 parts are not complete"),
        "{said}"
    );
    let task = fs::read_dir(cluster.path("few/parts")).expect("parts").flatten().next();
    let told = fs::read_to_string(task.expect("its output").path()).expect("text");
    assert!(told.contains("need 2 processors, and this task has 1,"), "{told}");
}

fn a_controller_that_is_away(cluster: &Cluster) {
    // The waiting command goes on waiting, and warns once; nothing new is submitted.
    let tasks = ["--seed", "1..60", "--parts", "2", "--wait"];
    let waiting = slow_losers(cluster, "away", &tasks);
    let said = || fs::read_to_string(cluster.path("said")).expect("text");
    let told = fs::File::create(cluster.path("said")).expect("made");
    let waiting = waiting.stdout(Stdio::null()).stderr(told).start();
    cluster.playing("away", "n1", 60);
    cluster.stop_controller();
    cluster.wait_until("it is told", || said().contains("squeue failed: "));
    let told = losers(cluster, "none", &["--parts", "2"]).run().exits(2).err();
    let asked = "error: the cluster cannot be asked, so nothing was submitted: scontrol failed: ";
    assert!(told.starts_with(asked) && told.contains("`scontrol ping` tells"), "{told}");
    assert!(!cluster.path("none").exists(), "nothing is made");
    start_daemon(&mut cluster.on(Command::new(cluster.controller)));
    set_delay(cluster, "away", "0");
    assert_code(&finished(waiting), 1);
    let said = said();
    let told: Vec<_> = said.lines().filter(|line| line.contains("squeue failed: ")).collect();
    let different: BTreeSet<_> = told.iter().collect();
    assert!(!told.is_empty() && told.len() == different.len(), "{said}");
}

fn nodes_that_do_not_share_the_run_folder(cluster: &Cluster) {
    if !rustix::process::getuid().is_root() {
        return leave_out("nodes that share no folder", "only root can hide a folder from a node");
    }
    fs::create_dir(cluster.path("home")).expect("made");
    for node in ["n1", "n2"] {
        cluster.kill_daemon(node);
        let hidden = "mount -t tmpfs none \"$1\" && exec \"$2\" \"$3\"";
        let mut start = cluster.on(Command::new("unshare"));
        start.args(["--mount", "sh", "-c", hidden, "sh"]).arg(cluster.path("home"));
        start.arg(cluster.path("cluster/start-node")).arg(node);
        start_daemon(&mut start);
    }
    let submit = cluster
        .referee(&["suite", "--bot", "@first", "--seed", "1..4", "--parts", "2"])
        .args(PATIENT)
        .args(["--slurm", "--wait", "--run", "home/run"]);
    let said = ended(submit).exits(2).err();
    assert!(said.contains("the nodes do not share home/run"), "{said}");
    // Nothing is lost: games that the cluster cannot play are played here.
    assert_code(&cluster.referee(&["suite", "--resume", "home/run"]).run(), 0);
}

/// Submits a suite of a bot that loses slowly, so that it can be disturbed while it is played.
fn slow_losers(cluster: &Cluster, run: &str, more: &[&str]) -> Referee {
    let (bot, delay) = (format!("./slow-{run}"), cluster.path(&format!("delay-{run}")));
    cluster.script(&bot, &format!("sleep \"$(cat '{}')\"; exit 3", delay.display()));
    set_delay(cluster, run, "0.2");

    cluster
        .referee(&["suite", "--bot", &bot, "--slurm", "--keep-going", "--run", run])
        .args(PATIENT)
        .args(["--logs", "none"])
        .args(more)
}

/// Makes each game of a run's bots take `seconds` from now on.
fn set_delay(cluster: &Cluster, run: &str, seconds: &str) {
    fs::write(cluster.path("new-delay"), seconds).expect("written");
    fs::rename(cluster.path("new-delay"), cluster.path(&format!("delay-{run}"))).expect("renamed");
}

/// Has the rest of a run played quickly, and checks that the run is complete.
fn plays_the_rest(cluster: &Cluster, run: &str, games: usize, more: &[&str]) {
    set_delay(cluster, run, "0");
    assert_code(
        &ended(
            cluster
                .referee(&["suite", "--resume", run, "--slurm", "--wait", "--keep-going"])
                .args(more),
        ),
        1,
    );
    let folder = RunFolder::open(&cluster.path(run)).expect("a run");
    let results = outcomes(&folder);
    assert_eq!(results.len(), games);
    for (number, outcome) in (1..).zip(&results) {
        assert_eq!(outcome.game, number);
        assert!(outcome.loss().contains("exited with status 3"), "{}", outcome.loss());
    }
    cluster.wait_until_idle();
}

fn tasks_that_are_preempted_or_lose_their_node_go_on(cluster: &Cluster) {
    let parts = ["--seed", "1..150", "--parts", "6"];
    assert_code(&slow_losers(cluster, "run", &parts).run(), 0);

    let preempted = cluster.playing("run", "n1", 5);
    // Slurm may take a while; in the meantime the wait must not end.
    set_delay(cluster, "run", "5");
    let urgent = ["--partition=urgent", "--nodelist=n1", "--exclusive", "--output=/dev/null"];
    cluster.slurm("sbatch", &[&urgent[..], &["--wrap=sleep 1"]].concat());
    cluster.start_again(&preempted);
    set_delay(cluster, "run", "0.2");

    // Tasks on a draining node run to their end, and no new ones start.
    let drained = cluster.playing("run", "n2", 20);
    cluster.update(&["NodeName=n2", "State=DRAIN", "Reason=test"]);
    cluster.wait_until("it is drained", || {
        cluster.slurm("sinfo", &["-h", "-n", "n2", "-o", "%T"]).starts_with("drained")
    });
    assert_eq!(cluster.results_of_part("run", part_of(&drained)), 25);
    cluster.update(&["NodeName=n2", "State=RESUME"]);

    let down = cluster.playing("run", "n1", 15);
    set_delay(cluster, "run", "5");
    cluster.update(&["NodeName=n1", "State=DOWN", "Reason=test"]);
    cluster.start_again(&down);

    plays_the_rest(cluster, "run", 150, &[]);
    let sessions = RunFolder::open(&cluster.path("run")).expect("a run").sessions();
    assert!(sessions.expect("sessions").len() > 6, "tasks were started again");
}

/// While a process waits, all tasks are cancelled, and another process submits the rest.
fn submitted_again_by_another(cluster: &Cluster) {
    let waiting = slow_losers(cluster, "again", &["--seed", "1..40", "--parts", "2", "--wait"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start();
    cluster.wait_until("it plays", || cluster.results("again") > 0);
    assert_code(&cluster.referee(&["cancel", "again"]).run(), 0);
    cluster.wait_until("no task plays", || cluster.tasks("RUNNING,PENDING,COMPLETING").is_empty());
    // Each game outlasts the patience of a process that only knew the first tasks.
    set_delay(cluster, "again", "5");
    assert_code(
        &cluster.referee(&["suite", "--resume", "again", "--slurm", "--keep-going"]).run(),
        0,
    );
    let before = cluster.results("again");
    cluster.wait_until("games are played", || cluster.results("again") > before + 8);
    set_delay(cluster, "again", "0");
    assert_code(&finished(waiting), 1);
}

fn a_node_is_lost(cluster: &Cluster) {
    let submit = slow_losers(cluster, "lost", &["--seed", "1..100", "--parts", "1"]);
    set_delay(cluster, "lost", "1");
    assert_code(&submit.run(), 0);
    cluster.wait_until("it plays", || cluster.results_of_part("lost", 1) > 0);
    let (lost, node) = cluster.tasks("RUNNING").pop().expect("a task");
    // Slurm gives up a node that does not answer while its task goes on; the one that it starts elsewhere waits.
    cluster.kill_daemon(&node);
    cluster.start_again(&lost);
    cluster.wait_until("the new task waits", || {
        let outputs = fs::read_dir(cluster.path("lost/parts")).into_iter().flatten().flatten();
        let mut said = outputs.map(|file| fs::read_to_string(file.path()).unwrap_or_default());
        said.any(|said| said.contains("another process is playing the run in"))
    });
    cluster.start_node(&node);
    plays_the_rest(cluster, "lost", 100, &[]);
}

/// Starts a suite whose one task cannot play it in a minute, next to which the first node is free.
fn a_task_has_too_little_time(cluster: &Cluster) -> Child {
    // Slurm counts in minutes, and warns a minute before.
    let short = ["--seed", "1..100", "--parts", "1", "--wait", "--slurm-arg=--time=1"];
    let mut losers = slow_losers(cluster, "short", &short);
    set_delay(cluster, "short", "1");
    losers = losers.arg("--slurm-arg=--nodelist=n2").stdout(Stdio::piped()).stderr(Stdio::piped());
    losers.start()
}

fn it_keeps_its_games_and_is_submitted_again(cluster: &Cluster, short: Child) {
    let said = finished(short).exits(2).err();
    let left = "no task is in the queue any more, and 1 of 1 parts are not complete";
    assert!(said.contains(left), "{said}");
    let played = cluster.results("short");
    assert!((1..100).contains(&played), "{played}");
    let merged = fs::read_to_string(cluster.path("short/merge.out")).expect("text");
    let missing = format!("{} of 100 games are missing; `referee suite --resume", 100 - played);
    assert!(merged.contains(&missing), "{merged}");
    let tasks = fs::read_dir(cluster.path("short/parts")).expect("parts").flatten();
    let told = tasks.map(|task| fs::read_to_string(task.path()).unwrap_or_default());
    let told: String = told.collect();
    assert!(told.contains("interrupted by SIGTERM after"), "{told}");
    plays_the_rest(cluster, "short", 100, &["--slurm-arg=--time=30"]);
}
