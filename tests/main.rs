//! The integration tests, all in one binary: real child processes, real signals, real files.

mod bad_input;
mod cli;
mod codingame;
mod compare;
mod containment;
mod faults;
mod fidelity;
mod film;
mod foreign;
mod gamelog;
mod hostile;
mod limits;
mod page;
mod plain;
mod player;
mod project;
mod rerun;
mod robustness;
mod rules;
mod samples;
mod square_remover;
mod statistics;
mod suite;
mod support;
mod timing;
mod transcript;
