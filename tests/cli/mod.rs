//! What people read and type: help, errors, completions, pages of documentation; and the gate itself.

mod bad_input;
mod completions;
mod dependencies;
mod docs;
mod guide_heavy;
mod man;
mod mistakes;
mod new_bots;
mod output;
mod project;
mod recipes;
mod user_files;
