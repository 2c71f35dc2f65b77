//! Games and runs to look at: pages, pictures, the terminal player, reports for programs.

mod hostile;
mod junit;
mod metrics;
mod page_heavy;
mod player;
mod report;
mod run_pages_heavy;
pub(crate) mod schemas;
mod tries_heavy;
