//! Observes a program's processes: reads their figures, and makes the plain values of `decide` of them.
//!
//! A sample covers every thread of all processes below the program's keeper, so it includes a program behind a wrapper
//! script, and orphans. Samples are taken outside the program's clock. Figures that the kernel does not offer are absent.
//!
//! The scheduler's counters of a *running* thread move in ticks of up to 10 ms, and a wait for a core does not show until it
//! ends; `decide` accounts for both.

//!
//! Other systems tell less, and so does `elsewhere`: of each process its CPU time and its memory.

#[cfg(target_os = "linux")]
mod held;
#[cfg(target_os = "linux")]
pub(crate) mod life;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/living.rs")]
pub(crate) mod living;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/memory.rs")]
pub(crate) mod memory;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/referee.rs")]
pub(crate) mod referee;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/root.rs")]
pub(crate) mod root;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/sampler.rs")]
pub(crate) mod sampler;
#[cfg(target_os = "linux")]
pub(crate) mod snapshot;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/waits.rs")]
pub(crate) mod waits;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/walk.rs")]
pub(crate) mod walk;
