//! Runs of many games: played, killed, resumed, divided, listed, verified.

mod accidents;
mod agreement;
mod boards;
mod cluster_faults_heavy;
mod cluster_heavy;
mod commits;
mod kills;
mod labels;
mod leagues;
mod list;
mod metrics;
mod params;
mod parts;
mod progress;
mod results;
mod scale;
mod show;
mod slurm;
mod stream;
mod suite;
mod tables;
mod truth;
mod tuning_heavy;
mod verify;
