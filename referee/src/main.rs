//! The `referee` command: parse, run, print one error, set the exit code.

use std::io::Write as _;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Parser as _;
use referee::cli::{Cli, Failure, run};
use referee::text::printable;

const ERROR: Style = AnsiColor::Red.on_default().bold();

fn main() -> ExitCode {
    let failure = match run(Cli::parse()) {
        Ok(code) => return code,
        Err(failure) => failure,
    };
    // What is wrong may quote a file, and what is in a file is not for the terminal to obey.
    let message: Vec<String> = failure.to_string().lines().map(printable).collect();
    let message = message.join("\n");
    // Where standard error is closed too there is nobody left to tell.
    let _ = writeln!(anstream::stderr(), "{ERROR}error{ERROR:#}: {message}");
    if let Failure::Interrupted { signal, .. } = failure {
        // Only returns if the signal cannot end the process.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    failure.exit_code()
}
