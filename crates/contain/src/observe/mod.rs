//! Observes a program's processes: reads their figures, and makes the plain values of `decide` of them.
//!
//! A sample covers every thread of all processes below the program's keeper, so it includes a program behind a wrapper
//! script, and orphans. Samples are taken outside the program's clock. Figures that the kernel does not offer are absent.
//!
//! The scheduler's counters of a *running* thread move in ticks of up to 10 ms, and a wait for a core does not show until it
//! ends; `decide` accounts for both.

mod held;
pub(crate) mod life;
pub(crate) mod living;
pub(crate) mod memory;
pub(crate) mod referee;
pub(crate) mod root;
pub(crate) mod sampler;
pub(crate) mod snapshot;
pub(crate) mod waits;
pub(crate) mod walk;
