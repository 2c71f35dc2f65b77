//! The system: raw calls, the files of /proc, Landlock and control groups. No policy is here. All `unsafe` code is in
//! [`raw`] and [`signals`].

pub(crate) mod cgroup;
pub(crate) mod cores;
pub(crate) mod landlock;
pub(crate) mod proc;
pub(crate) mod raw;
pub(crate) mod signals;
