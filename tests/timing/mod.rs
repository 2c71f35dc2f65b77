//! Times of turns, next to other work. What needs the machine to itself is in the binary `alone`.

mod certificates;
mod engine_grace;
mod interrupted;
pub(crate) mod reports;
mod several_bots;
