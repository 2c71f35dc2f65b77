//! Folders for bots and judges, and the removal of what games leave, in the background.

pub(crate) mod folder;
mod home;
pub(crate) mod later;
mod removal;
