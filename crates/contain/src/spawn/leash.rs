//! Signals to all processes of a program.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

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
    }

    /// Continues them.
    pub(crate) fn resume(&self, processes: &[i32]) {
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
