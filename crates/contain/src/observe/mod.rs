//! Observes a program's processes: reads their figures, and makes the plain values of `decide` of them.
//!
//! A sample covers every thread of all processes below the program's keeper, so it includes a program behind a wrapper
//! script, and orphans. Samples are taken outside the program's clock. Figures that the kernel does not offer are absent.
//!
//! What the counters do, by experiment (Linux 6.18 and 6.1):
//!
//! - Counters of a *running* thread, and the CPU clock of its process, move in ticks (4 ms there, 10 ms at most). A wait for a
//!   core shows only when it ends.
//! - A throttled control group shows as a wait, when the period ends.
//! - Forgotten children leave no `cutime`.
//! - When a virtual machine continues after a stop, the clocks of its running threads jump, and timers ring late. Stolen time
//!   that the hypervisor reports is subtracted from the threads instead.
//! - The times of a pipe's inode do not change since Linux 6.15.
//!
//! Other systems than Linux tell less, and so does `portable`: of each process its CPU time and its memory.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use self::linux::*;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::portable::*;
