//! Decides about an exchange: how long to wait, when to sample the program, when a reply is whole or missing, and where the
//! time went.
//!
//! Nothing here reads a clock, makes a system call or starts a thread. The loop in `drive` reports [events](exchange::Event) with
//! their [moments](sample::Moment) and carries out the [actions](exchange::Action) that answer them, so that a recorded
//! [trace](trace::Trace) of events leads to the same decisions on any system.

pub(crate) mod clock;
pub(crate) mod exchange;
pub(crate) mod sample;
pub(crate) mod trace;
pub(crate) mod tuning;
pub(crate) mod watch;
