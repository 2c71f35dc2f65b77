//! The system: raw calls, the files of /proc, Landlock and control groups. No policy is here. All `unsafe` code is in
//! [`raw`], [`signals`] and [`start`], and on other systems than Linux in `windows`, `macos` and `end_notice`.
//!
//! What other systems do not have is in `elsewhere`, and says so.

#[cfg_attr(windows, path = "windows/alarm.rs")]
pub(crate) mod alarm;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/cgroup.rs")]
pub(crate) mod cgroup;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/cores.rs")]
pub(crate) mod cores;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/end_notice.rs")]
pub(crate) mod end_notice;
#[cfg(not(target_os = "linux"))]
mod figures;
pub(crate) mod flag;
#[cfg_attr(windows, path = "windows/here.rs")]
pub(crate) mod here;
pub(crate) mod inherited;
#[cfg(target_os = "linux")]
pub(crate) mod landlock;
#[cfg_attr(windows, path = "windows/pipe.rs")]
pub(crate) mod pipe;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/proc.rs")]
pub(crate) mod proc;
#[cfg(not(target_os = "linux"))]
#[cfg_attr(windows, path = "windows/processes.rs")]
#[cfg_attr(target_os = "macos", path = "macos/processes.rs")]
#[cfg_attr(not(any(windows, target_os = "macos")), path = "elsewhere/processes.rs")]
pub(crate) mod processes;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/raw.rs")]
pub(crate) mod raw;
pub(crate) mod ready;
#[cfg_attr(windows, path = "windows/signals.rs")]
pub(crate) mod signals;
#[cfg_attr(windows, path = "windows/start.rs")]
pub(crate) mod start;
#[cfg_attr(windows, path = "windows/wait.rs")]
pub(crate) mod wait;

#[cfg(windows)]
#[path = "windows/event.rs"]
mod event;
