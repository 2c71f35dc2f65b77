//! The control groups around this process, read from the host.

pub(crate) mod hierarchy;
pub(crate) mod host;
