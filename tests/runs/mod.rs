//! Runs of many games: played, killed, resumed, divided, listed, verified.

mod accidents;
mod agreement;
mod boards;
mod commits;
mod kills;
mod labels;
mod leagues;
mod list;
mod metrics;
mod params;
mod progress;
mod results;
mod scale;
mod shards;
mod show;
mod stream;
mod suite;
mod tables;
mod totals;
mod truth;
mod tuning_heavy;
mod verify;
