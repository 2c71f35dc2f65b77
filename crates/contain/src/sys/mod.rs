//! The system: raw calls, the files of /proc and control groups. No policy is here. All `unsafe` code of the crate is in this
//! folder.
//!
//! Each system has its own files, which offer the same names as far as others use them: `linux` and `macos` with what every
//! `unix` has, and `windows`. `portable` stands in for what only Linux has.

mod common;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod unix;

#[cfg(target_os = "linux")]
pub(crate) mod cgroup;
#[cfg(target_os = "linux")]
pub(crate) mod cores;
#[cfg(target_os = "linux")]
pub(crate) mod landlock;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) mod proc;
#[cfg(target_os = "linux")]
pub(crate) mod raw;

#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(windows)]
mod windows;

pub use self::common::*;
#[cfg(target_os = "linux")]
pub use self::linux::*;
#[cfg(all(unix, not(target_os = "linux")))]
pub use self::macos::*;
#[cfg(not(target_os = "linux"))]
pub use self::portable::*;
#[cfg(unix)]
pub(crate) use self::signals::*;
#[cfg(unix)]
pub use self::unix::*;
#[cfg(windows)]
pub use self::windows::*;
