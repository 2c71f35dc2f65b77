//! Signals to all processes of a program.

use std::fs;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// The `oom_score_adj` of the bot at a table that is asked, in thousandths of all memory (proc(5)): if memory runs out, the kernel kills
/// the bot that runs, and so takes memory.
const ASKED_BADNESS: &str = "1000";

/// The `oom_score_adj` of a stopped bot, which is still killed before the referee.
const STOPPED_BADNESS: &str = "500";

/// Stops, continues or kills the processes of a program, of which its keeper or its group may know more than a sample.
#[derive(Debug)]
pub(crate) struct Leash {
    /// Its process group. A program in a namespace can have several.
    pub(crate) group: Option<Pid>,
}

impl Leash {
    /// Stops its group, and these of its processes, which were sampled just now.
    pub(crate) fn stop(&self, processes: &[i32]) {
        self.send(processes, Signal::STOP);
        offer_to_memory_killer(processes, STOPPED_BADNESS);
    }

    /// Continues them.
    pub(crate) fn resume(&self, processes: &[i32]) {
        offer_to_memory_killer(processes, ASKED_BADNESS);
        self.send(processes, Signal::CONT);
    }

    /// Kills them.
    pub(crate) fn kill(&self, processes: &[i32]) {
        self.send(processes, Signal::KILL);
    }

    /// A process that has ended needs no signal.
    fn send(&self, processes: &[i32], signal: Signal) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, signal);
        }
        for pid in processes.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            let _ = kill_process(pid, signal);
        }
    }
}

/// Tells the kernel which processes to kill if memory runs out. Where it refuses, it chooses by size alone.
fn offer_to_memory_killer(processes: &[i32], badness: &str) {
    for pid in processes {
        let _ = fs::write(format!("/proc/{pid}/oom_score_adj"), badness);
    }
}
