//! The control groups of bots, where this process may make them.

pub(crate) mod group;
mod home;
