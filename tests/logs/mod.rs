//! Logs: written, read, refereed again, and in other forms.

mod foreign;
mod replay;
mod rerun;
mod saved;
mod transcript;
mod write;
