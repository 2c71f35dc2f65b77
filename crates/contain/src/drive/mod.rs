//! The only loop: it polls a program's pipes, carries out what `decide` wants, and ends the program.

pub(crate) mod bystander;
pub(crate) mod dialogue;
mod eof;
pub(crate) mod exchange;
mod guard;
mod late_answer;
pub(crate) mod link;
mod meter;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/peer.rs")]
mod peer;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/pin.rs")]
mod pin;
pub(crate) mod pipes;
mod poll;
pub(crate) mod process;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/start.rs")]
mod start;
pub(crate) mod table;
pub(crate) mod teardown;

pub use self::guard::HostMemory;
