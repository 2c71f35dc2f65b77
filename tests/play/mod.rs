//! Single games: what bots do wrong, what is said of it, and the limits that they have.

mod beginners;
mod children;
mod diagnoses;
mod examples;
pub(crate) mod faults;
mod library;
mod limits;
mod robustness;
mod samples;
