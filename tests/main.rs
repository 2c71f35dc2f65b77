//! The integration tests, all in one binary: real child processes, real signals, real files.

mod bad_input;
mod cli;
mod codingame;
mod compare;
mod containment;
mod faults;
mod fidelity;
mod gamelog;
mod limits;
mod plain;
mod project;
mod robustness;
mod rules;
mod samples;
mod square_remover;
mod statistics;
mod suite;
mod support;
mod timing;
