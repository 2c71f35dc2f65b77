//! Logs: written, read, refereed again, and in other forms.

mod again;
mod foreign;
mod replay;
mod saved;
mod transcript;
mod write;
