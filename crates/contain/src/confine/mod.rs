//! What a program may do, as data: the method that keeps its processes together, its sandbox, its limits, its cores.

#[cfg(target_os = "linux")]
pub(crate) mod filter;
#[cfg(unix)]
pub(crate) mod limits;
pub(crate) mod method;
pub(crate) mod pinning;
#[cfg(target_os = "linux")]
pub(crate) mod privileges;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/sandbox.rs")]
pub(crate) mod sandbox;
#[cfg(target_os = "linux")]
pub(crate) mod tree;
