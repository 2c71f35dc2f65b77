//! The only loop: it polls a program's pipes, carries out what `decide` wants, and ends the program.

pub(crate) mod dialogue;
pub(crate) mod end;
pub(crate) mod exchange;
mod guard;
mod late_answer;
mod meter;
#[cfg(target_os = "linux")]
mod peer;
pub(crate) mod pipes;
pub(crate) mod process;
pub(crate) mod table;

pub use crate::drive::guard::HostMemory;
