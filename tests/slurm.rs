//! Suites on a real Slurm cluster of two nodes, which `scripts/slurm-here` starts on this host.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use referee::suite::{Outcome, RunFolder, Times};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{PATIENT, finished, leave_out, referee, repository};

/// The longest that anything here may take.
const BOUND: Duration = Duration::from_mins(4);

/// A cluster, until it is dropped.
struct Cluster {
    script: Child,
    /// The cluster's own files in `cluster`, and what is played beside.
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster with these lines more in its `slurm.conf`.
    fn start(test: &str, settings: &[&str]) -> Option<Self> {
        if !Path::new("/usr/sbin/slurmctld").exists() || !Path::new("/usr/sbin/munged").exists() {
            leave_out(test, "Slurm is missing (Debian: apt-get install slurm-wlm munge)");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(repository().join("scripts/slurm-here"));
        command.arg("-d").arg(folder.path().join("cluster"));
        for setting in settings {
            command.args(["-o", setting]);
        }
        // It ends when its input does, which is when this process ends at the latest.
        let mut script = command.arg("cat").stdin(Stdio::piped()).spawn().expect("bash");
        let patience = Instant::now() + BOUND;
        while !folder.path().join("cluster/ready").exists() {
            assert!(script.try_wait().expect("a child").is_none(), "the cluster does not start");
            assert!(Instant::now() < patience);
            sleep(Duration::from_millis(50));
        }
        Some(Self { script, folder })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that finds the cluster.
    fn on(&self, mut command: Command) -> Command {
        command.current_dir(self.folder.path()).env("SLURM_CONF", self.path("cluster/slurm.conf"));
        command
    }

    fn referee(&self, args: &[&str]) -> Command {
        let mut command = self.on(referee());
        command.args(args);
        command
    }

    /// What a program of Slurm's prints.
    fn slurm(&self, program: &str, args: &[&str]) -> String {
        let output = self.on(Command::new(program)).args(args).output().expect("runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// The tasks in this state, as `squeue` names them, with their nodes.
    fn tasks(&self, state: &str) -> Vec<(String, String)> {
        let queue = self.slurm("squeue", &["-hr", "-t", state, "-o", "%i %N"]);
        let task = |line: &str| {
            let (task, node) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            (task.to_owned(), node.to_owned())
        };
        queue.lines().map(task).filter(|(task, _)| task.contains('_')).collect()
    }

    /// A task that runs on this node, once there is one.
    fn running(&self, node: &str) -> String {
        let task = || self.tasks("RUNNING").into_iter().find(|(_, on)| on == node);
        self.wait_until("a task runs", || task().is_some());
        // It may have ended meanwhile; then nothing can be done to it.
        task().map_or_else(String::new, |(task, _)| task)
    }

    /// Waits until `is_so`.
    fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let patience = Instant::now() + BOUND;
        while !is_so() {
            let queue = || self.slurm("squeue", &["-r"]);
            assert!(Instant::now() < patience, "{what}\n{}", queue());
            sleep(Duration::from_millis(50));
        }
    }

    fn results(&self, run: &str) -> usize {
        RunFolder::open(&self.path(run)).map_or(0, |run| outcomes(&run).len())
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its owner");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // It ends within seconds; nobody is left to be told if not.
        let _ = self.script.wait();
    }
}

/// The results so far by game, without times and places.
fn outcomes(folder: &RunFolder) -> Vec<Outcome> {
    let Ok(outcomes) = folder.outcomes() else { return Vec::new() };
    let mut outcomes: Vec<Outcome> = outcomes.map_while(Result::ok).collect();
    for outcome in &mut outcomes {
        outcome.times = Times::default();
        outcome.session = None;
    }
    outcomes.sort_by_key(|outcome| outcome.game);
    outcomes
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

/// Runs a command that must end within the bound of all tests.
fn ended(command: &mut Command) -> Output {
    finished(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs"))
}

/// Starts a daemon, which keeps what it is given for its output.
fn start_node(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.expect("runs").success());
}

/// Kills the daemon of a step on a node, with a process in it that goes on.
fn kill_stepd(cluster: &Cluster, node: &str) {
    let log = cluster.path("cluster").join(format!("{node}.log"));
    for process in fs::read_dir("/proc").expect("/proc").flatten() {
        let name = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let files = fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok());
        if let (true, true, Some(pid)) =
            (name.starts_with(b"slurmstepd"), links.any(|link| link == log), pid)
        {
            let _ = kill_process(Pid::from_raw(pid).expect("a process"), Signal::KILL);
            return;
        }
    }
    panic!("there is no step on {node}");
}

/// Cancels two tasks, requeues one, kills the daemon of a step and that of a node.
fn disturb(cluster: &Cluster) {
    cluster.slurm("scancel", &[&cluster.running("n1")]);
    cluster.slurm("scancel", &[&cluster.tasks("PENDING")[0].0]);
    let requeued = cluster.running("n2");
    cluster.slurm("scontrol", &["requeue", &requeued]);
    cluster.wait_until("it waits again", || {
        cluster.tasks("PENDING").iter().any(|(task, _)| *task == requeued)
    });
    // Slurm would have it wait for two minutes.
    cluster.slurm("scontrol", &["update", &format!("JobId={requeued}"), "StartTime=now"]);
    cluster.running("n1");
    kill_stepd(cluster, "n1");
    cluster.running("n2");
    let slurmd = fs::read_to_string(cluster.path("cluster/n2.pid")).expect("it runs");
    let slurmd = Pid::from_raw(slurmd.trim().parse().expect("a number")).expect("a process");
    kill_process(slurmd, Signal::KILL).expect("SIGKILL");
    sleep(Duration::from_secs(3));
    start_node(cluster.on(Command::new(cluster.path("cluster/start-node"))).arg("n2"));
}

#[test]
fn what_is_done_to_tasks_and_nodes_does_not_change_the_results_of_a_suite() {
    let test = "what_is_done_to_tasks_and_nodes_does_not_change_the_results_of_a_suite";
    let Some(cluster) = Cluster::start(test, &[]) else { return };
    // Two games a board; REFEREE_SLURM_BOARDS=1000 plays 2,000 games.
    let boards = std::env::var("REFEREE_SLURM_BOARDS").unwrap_or_else(|_| "200".to_owned());
    let seeds = format!("1..{boards}");
    let suite = ["suite", "--bot", "@greedy", "--bot", "@random --seed 7", "--seed", &seeds];
    let mut whole = cluster.referee(&suite);
    whole.args(PATIENT).args(["--run", "whole", "--jobs", "2", "--logs", "none"]);
    assert_code(&whole.env("REFEREE_LOG", "error").output().expect("runs"), 0);

    let mut submit = cluster.referee(&suite);
    submit.args(PATIENT).args(["--run", "big", "--slurm", "--parts", "20", "--logs", "none"]);
    assert_code(&submit.output().expect("runs"), 0);
    cluster.wait_until("there are results", || cluster.results("big") > 5);
    disturb(&cluster);

    // Cancelled tasks are not submitted by themselves; what is asked for again is.
    let mut last = None;
    for _ in 0..4 {
        let mut again = cluster.referee(&["suite", "--resume", "big", "--slurm", "--wait"]);
        let output = ended(&mut again);
        let is_done = output.status.success();
        last = Some(output);
        if is_done {
            break;
        }
    }
    assert_code(&last.expect("one"), 0);
    let [big, whole] =
        ["big", "whole"].map(|run| RunFolder::open(&cluster.path(run)).expect("a run"));
    assert!(!cluster.path("big/parts").exists(), "it is merged");
    assert_eq!(outcomes(&big), outcomes(&whole));
    assert_eq!(outcomes(&big).len(), 2 * boards.parse::<usize>().expect("a number"));
    let sessions = big.sessions().expect("sessions");
    assert!(sessions.len() >= 20);
    assert!(sessions.iter().all(|session| session.job.is_some()));
    cluster.wait_until("nothing is left in the queue", || {
        cluster.slurm("squeue", &["-h", "-t", "PENDING,RUNNING"]).is_empty()
    });
}

#[test]
fn a_small_cluster_takes_several_arrays_and_tells_what_it_waits_for() {
    let test = "a_small_cluster_takes_several_arrays_and_tells_what_it_waits_for";
    let settings = ["MaxArraySize=11", "PartitionName=down Nodes=ALL State=DOWN"];
    let Some(cluster) = Cluster::start(test, &settings) else { return };
    cluster.script("loser", "sleep 0.05; exit 3");
    several_arrays(&cluster);
    a_partition_that_is_down(&cluster);
    what_slurm_refuses(&cluster);
    too_few_processors(&cluster);
}

/// A suite of a bot that loses, submitted.
fn losers(cluster: &Cluster, run: &str, more: &[&str]) -> Command {
    let mut command = cluster.referee(&["suite", "--bot", "./loser", "--seed", "1..50"]);
    command.args(PATIENT).args(["--slurm", "--run", run]).args(more);
    command
}

fn several_arrays(cluster: &Cluster) {
    // The path has a blank and a per cent sign, which Slurm reads as a placeholder.
    let several = losers(cluster, "a %j run", &["--parts", "23"]).output().expect("runs");
    assert_code(&several, 0);
    let said = text(&several.stdout);
    assert!(said.starts_with("50 games in 23 parts (1-23) are submitted"), "{said}");
    let submitted = fs::read_to_string(cluster.path("a %j run/submissions.jsonl")).expect("jobs");
    let arrays: Vec<_> = submitted.lines().filter(|line| line.contains("first_part")).collect();
    assert_eq!(arrays.len(), 3, "{submitted}");
    // All of it is in the queue, so nothing is submitted again; then the job that waits merges it.
    let again =
        ended(&mut cluster.referee(&["suite", "--resume", "a %j run", "--slurm", "--wait"]));
    assert_code(&again, 1);
    assert!(text(&again.stderr).contains("are in the queue already"), "{again:?}");
    assert!(text(&again.stdout).starts_with("50 games of samegame, 50 lost"), "{again:?}");
}

fn a_partition_that_is_down(cluster: &Cluster) {
    // It the job and does not start it. Ctrl-C leaves it there.
    let down = ["--parts", "2", "--wait", "--slurm-arg=--partition=down"];
    let mut waiting = losers(cluster, "down", &down);
    let waiting = waiting.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("runs");
    let pid = Pid::from_child(&waiting);
    cluster.wait_until("it is submitted", || cluster.tasks("PENDING").len() == 2);
    sleep(Duration::from_secs(4));
    kill_process(pid, Signal::INT).expect("SIGINT");
    let said = text(&finished(waiting).stderr);
    assert!(said.contains("0/50 games, 2 pending (PartitionDown)"), "{said}");
    assert!(said.contains("interrupted by SIGINT; the jobs go on: `squeue --jobs="), "{said}");
    assert_eq!(cluster.tasks("PENDING").len(), 2);
}

fn what_slurm_refuses(cluster: &Cluster) {
    // It is told, and the run is there to be submitted.
    let refused =
        losers(cluster, "refused", &["--parts", "2", "--slurm-arg=--partition=none"]).output();
    let refused = refused.expect("runs");
    assert_code(&refused, 2);
    let said = text(&refused.stderr);
    assert!(
        said.contains("`referee suite --resume refused --slurm` submits what is not"),
        "{said}"
    );
    assert!(said.contains("invalid partition specified: none"), "{said}");
    let mended = ["suite", "--resume", "refused", "--slurm", "--wait", "--slurm-arg=--time=5"];
    assert_code(&ended(&mut cluster.referee(&mended)), 1);
}

fn too_few_processors(cluster: &Cluster) {
    // The task plays nothing, and waiting for it ends.
    let few = ["--parts", "1", "--wait", "--slurm-arg=--cpus-per-task=1"];
    let few = ended(&mut losers(cluster, "few", &few));
    assert_code(&few, 2);
    let said = text(&few.stderr);
    assert!(
        said.contains("no task is in the queue any more, and 1 of 1 parts are not complete"),
        "{said}"
    );
    let task = fs::read_dir(cluster.path("few/parts")).expect("parts").flatten().next();
    let told = fs::read_to_string(task.expect("its output").path()).expect("text");
    assert!(told.contains("need 2 processors, and this task has 1,"), "{told}");
}

#[test]
fn nodes_that_do_not_share_the_run_folder_are_told() {
    let test = "nodes_that_do_not_share_the_run_folder_are_told";
    let Some(cluster) = Cluster::start(test, &[]) else { return };
    if !rustix::process::getuid().is_root() {
        return leave_out(test, "only root can hide a folder from a node");
    }
    fs::create_dir(cluster.path("home")).expect("made");
    for node in ["n1", "n2"] {
        let file = cluster.path("cluster").join(format!("{node}.pid"));
        let pid = fs::read_to_string(file).expect("it runs").trim().parse().expect("a number");
        kill_process(Pid::from_raw(pid).expect("a process"), Signal::KILL).expect("SIGKILL");
        let hidden = "mount -t tmpfs none \"$1\" && exec \"$2\" \"$3\"";
        let mut start = cluster.on(Command::new("unshare"));
        start.args(["--mount", "sh", "-c", hidden, "sh"]).arg(cluster.path("home"));
        start.arg(cluster.path("cluster/start-node")).arg(node);
        start_node(&mut start);
    }
    let mut submit =
        cluster.referee(&["suite", "--bot", "@first", "--seed", "1..4", "--parts", "2"]);
    submit.args(PATIENT).args(["--slurm", "--wait", "--run", "home/run"]);
    let told = ended(&mut submit);
    assert_code(&told, 2);
    let said = text(&told.stderr);
    assert!(said.contains("the nodes do not share home/run"), "{said}");
    // Nothing is lost: what the cluster cannot play is played here.
    assert_code(&cluster.referee(&["suite", "--resume", "home/run"]).output().expect("runs"), 0);
}

#[test]
fn a_suite_on_a_cluster_stops_once_it_is_decided() {
    let test = "a_suite_on_a_cluster_stops_once_it_is_decided";
    let Some(cluster) = Cluster::start(test, &[]) else { return };
    let mut old =
        cluster.referee(&["suite", "--bot", "@first", "--seed", "1..600", "--run", "old"]);
    assert_code(&old.args(PATIENT).args(["--logs", "none"]).output().expect("runs"), 0);
    let new = ["suite", "--bot", "@greedy", "--against", "old", "--until-decided", "--run", "new"];
    let mut new = cluster.referee(&new);
    new.args(PATIENT).args(["--slurm", "--parts", "30", "--wait", "--logs", "none"]);
    let decided = ended(&mut new);
    assert_code(&decided, 0);
    let said = text(&decided.stdout);
    assert!(said.contains("@greedy is better than @first"), "{said}");
    let folder = RunFolder::open(&cluster.path("new")).expect("a run");
    let games = outcomes(&folder).len();
    assert!((100..600).contains(&games), "{games} were played");
    cluster.wait_until("nothing is left in the queue", || {
        cluster.slurm("squeue", &["-h", "-t", "PENDING,RUNNING"]).is_empty()
    });
}

#[test]
fn without_slurm_nothing_is_made_and_the_way_round_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = referee();
    command.current_dir(&folder).env("PATH", "/nowhere");
    command.args(["suite", "--bot", "@first", "--seed", "1..4", "--slurm", "--run", "run"]);
    let output = command.output().expect("runs");
    assert_code(&output, 2);
    insta::assert_snapshot!(text(&output.stderr).trim_end(), @"error: there is no scontrol in PATH, so this is no machine of a Slurm cluster; submit from a login node, or plan with --parts and play with --part elsewhere");
    assert!(!folder.path().join("run").exists());
}
