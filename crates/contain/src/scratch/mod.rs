//! Folders for bots and judges, and the removal of what games leave, in the background.

pub(crate) mod folder;
pub(crate) mod later;
#[cfg(target_os = "linux")]
mod removal;
