//! Bots that attack the referee, its keepers or the host, and what is left of them.

pub(crate) mod attacks;
mod delayed_ends;
mod held_up;
mod host_memory;
mod methods;
mod sandbox;
mod secrets;
