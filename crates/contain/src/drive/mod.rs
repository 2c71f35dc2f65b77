//! The only loop: it polls a program's pipes, carries out what `decide` wants, and ends the program.

pub(crate) mod dialogue;
mod eof;
pub(crate) mod exchange;
mod guard;
mod last_look;
pub(crate) mod link;
mod meter;
mod origin;
mod peer;
mod pin;
pub(crate) mod pipes;
mod poll;
pub(crate) mod process;
pub(crate) mod teardown;

pub use self::guard::HostMemory;
