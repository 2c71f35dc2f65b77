//! The types that the crates of `referee` share: time limits, resources, lines of text, verdicts, the cost of a turn.
//!
//! [`limits`] says what a bot may use and [`verdict`] how it can end; [`lines`] cuts a reply into lines as the original
//! referees do; a [`certificate`] says where the time of a turn went, and [`fault`] whose an error is; [`bounds`] are the sizes
//! that outside programs cannot exceed; [`millis`] and [`text`] format times and sizes; [`path`] finds the folder of a file,
//! and [`system`] has what differs between operating systems; test cases are made from a [`seed`]; a [`peer`] is a program at
//! the other end of a bot's pipes.
//!
//! It knows no game, opens no file, reads no clock and starts no process.
//!
//! With the feature `serde` its types can be stored; with `settings`, `values` reads what users write in settings.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod bounds;
pub mod certificate;
pub mod fault;
pub mod limits;
pub mod lines;
pub mod millis;
pub mod path;
pub mod peer;
pub mod seed;
pub mod system;
pub mod text;
#[cfg(feature = "settings")]
pub mod values;
pub mod verdict;
