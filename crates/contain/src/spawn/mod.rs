//! Starts programs and ends them: the launcher, the keepers, and what the host offers for them.

pub(crate) mod command;
mod deadline;
pub(crate) mod ending;
pub(crate) mod error;
pub(crate) mod exec;
pub(crate) mod groups;
pub(crate) mod handle;
pub(crate) mod host;
mod keeper;
pub(crate) mod launch;
mod launcher;
mod mounts;
mod namespace;
mod numbers;
mod order;
mod pause;
mod plain;
mod plan;
pub(crate) mod probe;
mod report;
pub(crate) mod running;
mod users;
mod wire;
