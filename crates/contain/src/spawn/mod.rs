//! Starts programs and ends them: what a command asks for, and a [`running`] program however it is held.
//!
//! Which system holds it is decided here and nowhere above: `linux` has launcher and keepers, `unix` and `windows` the ordinary
//! children, and `portable` answers where there are no keepers.

pub(crate) mod command;
pub(crate) mod error;
pub(crate) mod host;
pub(crate) mod running;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use self::linux::*;
#[cfg(not(target_os = "linux"))]
pub use self::portable::*;
#[cfg(unix)]
pub(crate) use self::unix::*;
#[cfg(windows)]
pub(crate) use self::windows::*;
