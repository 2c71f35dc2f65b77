//! Folders for bots and judges, and the removal of what games leave, in the background.

#[cfg_attr(not(target_os = "linux"), path = "elsewhere/folder.rs")]
pub(crate) mod folder;
#[cfg(target_os = "linux")]
mod home;
pub(crate) mod later;
#[cfg(target_os = "linux")]
mod removal;
