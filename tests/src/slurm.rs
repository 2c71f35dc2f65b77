//! A real Slurm cluster of two nodes, which `scripts/slurm-here` starts on this host.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use results::suite::{Outcome, RunFolder, Times};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{Referee, assert_code, finished, need, referee, repository, write_program};

/// The time limit of every operation here.
const BOUND: Duration = Duration::from_mins(4);

/// A cluster, until it is dropped.
#[derive(Debug)]
pub struct Cluster {
    script: Child,
    /// `slurmctld`.
    pub controller: &'static str,
    /// The folder with the cluster's own files in `cluster`, and the runs.
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster with these additional lines in its `slurm.conf`.
    pub fn start(test: &str, settings: &[&str]) -> Option<Self> {
        let [controller, _] = need(test, ["/usr/sbin/slurmctld", "/usr/sbin/munged"])?;
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(repository().join("scripts/slurm-here"));
        command.arg("-d").arg(folder.path().join("cluster"));
        for setting in settings {
            command.args(["-o", setting]);
        }
        // It ends at EOF, so no later than this process.
        let mut script = command.arg("cat").stdin(Stdio::piped()).spawn().expect("bash");
        let patience = Instant::now() + BOUND;
        while !folder.path().join("cluster/ready").exists() {
            assert!(script.try_wait().expect("a child").is_none(), "the cluster does not start");
            assert!(Instant::now() < patience);
            sleep(Duration::from_millis(50));
        }
        Some(Self { script, controller, folder })
    }

    /// The path of a file in the folder that the cluster and the runs share.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that finds the cluster.
    pub fn on(&self, mut command: Command) -> Command {
        command.current_dir(self.folder.path()).env("SLURM_CONF", self.path("cluster/slurm.conf"));
        command
    }

    /// The referee in that folder, which finds the cluster.
    pub fn referee(&self, args: &[&str]) -> Referee {
        let config = self.path("cluster/slurm.conf");
        referee().current_dir(self.folder.path()).env("SLURM_CONF", config).args(args)
    }

    /// The output of a Slurm program.
    pub fn slurm(&self, program: &str, args: &[&str]) -> String {
        let output = self.on(Command::new(program)).args(args).output().expect("runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Changes a setting with `scontrol`.
    #[track_caller]
    pub fn update(&self, what: &[&str]) {
        let output = self.on(Command::new("scontrol")).arg("update").args(what).output();
        assert_code(&output.expect("runs"), 0);
    }

    /// The tasks in this state, as `squeue` names them, with their nodes.
    pub fn tasks(&self, state: &str) -> Vec<(String, String)> {
        let queue = self.slurm("squeue", &["-hr", "-t", state, "-o", "%i %N"]);
        let task = |line: &str| {
            let (task, node) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            (task.to_owned(), node.to_owned())
        };
        queue.lines().map(task).filter(|(task, _)| task.contains('_')).collect()
    }

    /// A task of the first array of `run` that plays on this node, and has played a game of its part and at most
    /// `most`.
    #[track_caller]
    pub fn playing(&self, run: &str, node: &str, most: usize) -> String {
        let is_playing =
            |task: &str| (1..=most).contains(&self.results_of_part(run, part_of(task)));
        let mut found = None;
        self.wait_until("a task plays", || {
            let running = self.tasks("RUNNING").into_iter().filter(|(_, on)| on == node);
            found = running.map(|(task, _)| task).find(|task| is_playing(task));
            found.is_some()
        });
        found.expect("one")
    }

    /// Waits until a task that is requeued has left its node, and has it start again at once: Slurm would have it
    /// wait for the time that `slurm-here` sets, which is over at last.
    #[track_caller]
    pub fn start_again(&self, task: &str) {
        self.wait_until("it is requeued", || {
            let is_held = || {
                let state = self.slurm("squeue", &["-hr", "-j", task, "-o", "%T %r"]);
                state.trim() == "PENDING BeginTime"
            };
            let has_started = || {
                let job = self.slurm("scontrol", &["show", "job", task]);
                job.contains("JobState=RUNNING") && !job.contains("Restarts=0 ")
            };
            is_held() || has_started()
        });
        self.slurm("scontrol", &["update", &format!("JobId={task}"), "StartTime=now"]);
    }

    /// Waits until it is noticed that a task has no step any more, for which a node looks now and then, or when it
    /// is told to read its settings again.
    #[track_caller]
    pub fn notice_the_end(&self, task: &str, node: &str) {
        let task = (task.to_owned(), node.to_owned());
        self.wait_until("its end is noticed", || {
            self.signal_daemon(node, Signal::HUP);
            sleep(Duration::from_secs(1));
            !self.tasks("RUNNING").contains(&task)
        });
    }

    /// Waits until nothing is in the queue any more.
    #[track_caller]
    pub fn wait_until_idle(&self) {
        self.wait_until("nothing is left in the queue", || {
            self.slurm("squeue", &["-h", "-t", "PENDING,RUNNING"]).is_empty()
        });
    }

    /// Waits until `is_so`.
    #[track_caller]
    pub fn wait_until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let patience = Instant::now() + BOUND;
        while !is_so() {
            let state = || self.slurm("squeue", &["-r"]) + &self.slurm("sinfo", &["-N"]);
            assert!(Instant::now() < patience, "{what}\n{}", state());
            sleep(Duration::from_millis(50));
        }
    }

    /// The number of results of a run.
    pub fn results(&self, run: &str) -> usize {
        RunFolder::open(&self.path(run)).map_or(0, |run| outcomes(&run).len())
    }

    /// The number of results of a part of a run.
    pub fn results_of_part(&self, run: &str, part: u32) -> usize {
        let path = self.path(run).join(format!("parts/{part:04}/results.jsonl"));
        fs::read_to_string(path).unwrap_or_default().lines().count()
    }

    /// Writes a shell script into that folder.
    pub fn script(&self, name: &str, text: &str) {
        write_program(&self.path(name), &format!("#!/bin/sh\n{text}\n"));
    }

    /// Kills a daemon: a node's, or `slurmctld`.
    pub fn kill_daemon(&self, name: &str) {
        self.signal_daemon(name, Signal::KILL);
    }

    /// Ends the controller, which first saves its state.
    pub fn stop_controller(&self) {
        self.signal_daemon("slurmctld", Signal::TERM);
        let file = self.path("cluster/slurmctld.pid");
        self.wait_until("the controller ends", || !file.exists());
    }

    fn signal_daemon(&self, name: &str, signal: Signal) {
        let file = self.path("cluster").join(format!("{name}.pid"));
        let pid = fs::read_to_string(file).expect("it runs").trim().parse().expect("a number");
        kill_process(Pid::from_raw(pid).expect("a process"), signal).expect("it runs");
    }

    /// Starts the daemon of a node again.
    pub fn start_node(&self, node: &str) {
        let start = Command::new(self.path("cluster/start-node"));
        start_daemon(self.on(start).arg(node));
    }

    /// Kills the daemon of a step on a node, with a process in it that goes on; whether there is one.
    pub fn kill_step(&self, node: &str) -> bool {
        let log = self.path("cluster").join(format!("{node}.log"));
        for process in fs::read_dir("/proc").expect("/proc").flatten() {
            let name = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let files = fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
            let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
            let pid = process.file_name().to_str().and_then(|name| name.parse().ok());
            if let (true, true, Some(pid)) =
                (name.starts_with(b"slurmstepd"), links.any(|link| link == log), pid)
            {
                return kill_process(Pid::from_raw(pid).expect("a process"), Signal::KILL).is_ok();
            }
        }
        false
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // It ends within seconds; nobody is left to be told if not.
        let _ = self.script.wait();
    }
}

/// The part that a task of a run's first array plays.
pub fn part_of(task: &str) -> u32 {
    let index: u32 = task.split('_').nth(1).expect("an index").parse().expect("a number");
    index + 1
}

/// Starts a daemon, which keeps the given file as its output.
pub fn start_daemon(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.expect("runs").success());
}

/// The results so far by game, without times and places.
pub fn outcomes(folder: &RunFolder) -> Vec<Outcome> {
    let Ok(outcomes) = folder.outcomes() else { return Vec::new() };
    let mut outcomes: Vec<Outcome> = outcomes.map_while(Result::ok).collect();
    for outcome in &mut outcomes {
        outcome.times = Times::default();
        outcome.session = None;
    }
    outcomes.sort_by_key(|outcome| outcome.game);
    outcomes
}

/// Runs a command that must end within the bound of all tests.
pub fn ended(command: Referee) -> Output {
    finished(command.piped().start())
}
