//! A real Slurm cluster of two nodes, which `scripts/slurm-here` starts on this host.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use results::suite::{Outcome, RunFolder, Times};
use tempfile::TempDir;

use super::{Referee, need, referee, repository};

/// The time limit of every operation here.
const BOUND: Duration = Duration::from_mins(4);

/// A cluster, until it is dropped.
#[derive(Debug)]
pub struct Cluster {
    script: Child,
    /// The folder with the cluster's own files in `cluster`, and the runs.
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster.
    pub fn start(test: &str) -> Option<Self> {
        need(test, ["/usr/sbin/slurmctld", "/usr/sbin/munged"])?;
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(repository().join("scripts/slurm-here"));
        command.arg("-d").arg(folder.path().join("cluster"));
        // It ends at EOF, so no later than this process.
        let mut script = command.arg("cat").stdin(Stdio::piped()).spawn().expect("bash");
        let patience = Instant::now() + BOUND;
        while !folder.path().join("cluster/ready").exists() {
            assert!(script.try_wait().expect("a child").is_none(), "the cluster does not start");
            assert!(Instant::now() < patience);
            sleep(Duration::from_millis(50));
        }
        Some(Self { script, folder })
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

    /// The tasks in this state, as `squeue` names them, with their nodes.
    pub fn tasks(&self, state: &str) -> Vec<(String, String)> {
        let queue = self.slurm("squeue", &["-hr", "-t", state, "-o", "%i %N"]);
        let task = |line: &str| {
            let (task, node) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            (task.to_owned(), node.to_owned())
        };
        queue.lines().map(task).filter(|(task, _)| task.contains('_')).collect()
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
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // It ends within seconds; nobody is left to be told if not.
        let _ = self.script.wait();
    }
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
