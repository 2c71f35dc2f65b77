//! Comparisons of bots.

mod groups;
mod many;
mod measures;
mod pairs;
