//! Runs in parts on a Slurm cluster: what tasks need, which parts are submitted in which order, and the wait for
//! their games.
//!
//! A task plays a part with the copy of the referee in the run folder, and a job merges the parts in the end. Only
//! the run folder says which games have been played; the queue says which may still come. A job in the queue is the
//! run's if it runs the run's batch script, and its argument says which parts it plays.

mod cluster_run;
mod programs;
mod queue;
mod script;
mod submissions;
mod tasks;

pub use self::cluster_run::{ClusterRun, SubmitError, Submitted, Waited, cancel_rest};
pub use self::programs::{Queued, SlurmError, array_size};
pub use self::script::is_directive;
pub use self::submissions::SubmissionLock;
pub use self::tasks::{ScriptError, Tasks, can_be_named};
