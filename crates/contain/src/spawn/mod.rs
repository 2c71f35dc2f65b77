//! Starts programs and ends them: the launcher, the keepers, ordinary children, and what the host offers for them.
//!
//! Only Linux has keepers. `elsewhere` stands for them on other systems, and `windows` has the ordinary children there.

pub(crate) mod command;
pub(crate) mod ending;
pub(crate) mod error;
#[cfg(target_os = "linux")]
pub(crate) mod exec;
#[cfg_attr(windows, path = "windows/explain.rs")]
mod explain;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/groups.rs")]
pub(crate) mod groups;
#[cfg(target_os = "linux")]
pub(crate) mod handle;
pub(crate) mod host;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod keeper_end;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/kept.rs")]
mod kept;
#[cfg(target_os = "linux")]
pub(crate) mod launch;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/launcher.rs")]
mod launcher;
#[cfg_attr(windows, path = "windows/leash.rs")]
pub(crate) mod leash;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod numbers;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/offers.rs")]
pub(crate) mod offers;
#[cfg(target_os = "linux")]
mod order;
#[cfg_attr(windows, path = "windows/plain.rs")]
mod plain;
#[cfg(target_os = "linux")]
mod plan;
pub(crate) mod probe;
#[cfg(target_os = "linux")]
mod report;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/running.rs")]
pub(crate) mod running;
pub(crate) mod unavailable;
#[cfg(target_os = "linux")]
mod users;
#[cfg(target_os = "linux")]
mod watchdog;
#[cfg(target_os = "linux")]
mod wire;
