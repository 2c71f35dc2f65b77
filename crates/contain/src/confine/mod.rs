//! What a program may do, as data: the method that keeps its processes together, its sandbox, its limits, its cores.

pub(crate) mod filter;
pub(crate) mod limits;
pub(crate) mod method;
pub(crate) mod pinning;
pub(crate) mod sandbox;
pub(crate) mod tree;
