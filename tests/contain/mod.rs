//! Bots that attack the referee, its keepers or the host, and what is left of them.

pub(crate) mod attacks;
mod attacks_heavy;
mod delayed_ends;
mod delayed_ends_heavy;
mod held_up;
mod host_memory;
mod methods;
mod methods_heavy;
mod sandbox;
