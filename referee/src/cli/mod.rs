//! The command line: turns arguments into validated settings, with one file for each command.

mod bot;
mod compare;
mod completions;
mod config;
mod doctor;
mod exit;
mod generate;
mod hints;
mod init;
mod inputs;
mod man;
mod merge;
mod named_run;
mod on_demand;
mod play;
mod replay;
mod report;
mod rerun;
mod runs;
mod shared;
mod spinner;
mod suite;
mod tester;
mod timing;
mod watch;
mod words;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use clap::builder::Styles;
use clap::{ArgAction, ColorChoice, Parser, Subcommand};
use log::LevelFilter;

use self::on_demand::OnDemand;
use contain::bot::{SpawnError, remove_cgroups};
use engine::play::PlayError;
use results::suite::{FolderError, RecordsError};
use terms::text::printable;

const ERROR: Style = AnsiColor::Red.on_default().bold();

/// An offline referee for single-player bot games.
///
/// Starts any executable as a bot, feeds it the game's turn protocol, enforces the deadlines,
/// validates its moves by the official rules, and says what the original referee would have said,
/// and what really happened.
#[derive(Debug, Parser)]
#[command(version = env!("REFEREE_VERSION"), styles = Styles::styled(), disable_help_subcommand = true, after_help = exit::HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colours
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        help_heading = "Global options"
    )]
    color: ColorChoice,

    /// Say more on standard error: each turn (-v), when processes start and end (-vv)
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    Play(OnDemand<play::PlayArgs>),
    Suite(OnDemand<suite::SuiteArgs>),
    Merge(OnDemand<merge::MergeArgs>),
    Compare(OnDemand<compare::CompareArgs>),
    Report(OnDemand<report::ReportArgs>),
    Runs(OnDemand<runs::RunsArgs>),
    Timing(OnDemand<timing::TimingArgs>),
    Replay(OnDemand<replay::ReplayArgs>),
    Generate(OnDemand<generate::GenerateArgs>),
    Init(OnDemand<init::InitArgs>),
    Config(OnDemand<config::ConfigArgs>),
    Doctor(OnDemand<doctor::DoctorArgs>),
    Bot(OnDemand<bot::BotArgs>),
    Tester(OnDemand<tester::TesterArgs>),
    Completions(OnDemand<completions::CompletionsArgs>),
    Man(OnDemand<man::ManArgs>),
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user's input is wrong.
    #[error("{0:#}")]
    User(anyhow::Error),
    /// The referee or its machine failed.
    #[error("{0:#}")]
    Referee(anyhow::Error),
    /// The result could not be written.
    #[error("cannot write the result: {0}")]
    Output(io::Error),
    /// A signal asked the referee to stop.
    #[error("interrupted by {}{kept}", signal_name(*signal))]
    Interrupted {
        /// Its number.
        signal: i32,
        /// What was saved, as a clause that follows the signal's name.
        kept: String,
    },
}

fn signal_name(signal: i32) -> &'static str {
    signal_hook::low_level::signal_name(signal).unwrap_or("a signal")
}

impl Failure {
    /// The documented exit code.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::User(_) => ExitCode::from(exit::USER_ERROR),
            Self::Referee(_) | Self::Output(_) | Self::Interrupted { .. } => {
                ExitCode::from(exit::REFEREE_ERROR)
            }
        }
    }

    /// The user's input is wrong.
    fn user(error: impl Into<anyhow::Error>) -> Self {
        Self::User(error.into())
    }

    /// The file at `path` is wrong.
    fn file(path: impl AsRef<Path>, error: impl std::fmt::Display) -> Self {
        Self::User(anyhow::anyhow!("{}: {error}", path.as_ref().display()))
    }

    /// The file at `path` is wrong; `error` starts with the line and column.
    fn place(path: impl AsRef<Path>, error: impl std::fmt::Display) -> Self {
        Self::User(anyhow::anyhow!("{}:{error}", path.as_ref().display()))
    }
}

impl From<SpawnError> for Failure {
    fn from(error: SpawnError) -> Self {
        if error.is_user_error() { Self::User(error.into()) } else { Self::Referee(error.into()) }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        if error.is_user_error() { Self::User(error.into()) } else { Self::Referee(error.into()) }
    }
}

impl From<RecordsError> for Failure {
    fn from(error: RecordsError) -> Self {
        if error.is_user_error() { Self::User(error.into()) } else { Self::Referee(error.into()) }
    }
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::TestCase(_) => Self::User(error.into()),
            PlayError::Spawn(error) => error.into(),
            PlayError::Interrupted { signal, .. } => {
                Self::Interrupted { signal, kept: String::new() }
            }
            PlayError::HostMemory(error) => Self::Referee(error.into()),
            PlayError::Exchange(error) => Self::Referee(error.into()),
        }
    }
}

/// The whole program: parses the arguments, runs the command, prints an error if it fails, and returns the
/// exit code; or answers a shell that completes a line. Programs with [games of their own](rules::game::register) call this too.
pub fn main() -> ExitCode {
    completions::answer_shell();
    let result = if is_version_asked() { print_version() } else { run(on_demand::parse()) };
    let failure = match result {
        Ok(code) => return code,
        Err(failure) => failure,
    };
    // Errors may quote a file, whose content must not control the terminal.
    let message: Vec<String> = failure.to_string().lines().map(printable).collect();
    let message = message.join("\n");
    // If standard error is closed too, the message is lost.
    let _ = writeln!(anstream::stderr(), "{ERROR}error{ERROR:#}: {message}");
    if let Failure::Interrupted { signal, .. } = failure {
        // Only returns if the signal cannot end the process.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    failure.exit_code()
}

fn is_version_asked() -> bool {
    let mut args = std::env::args_os().skip(1);
    args.next().is_some_and(|arg| arg == "--version" || arg == "-V") && args.next().is_none()
}

/// Prints what clap would print as well, once it has the whole command line defined.
fn print_version() -> Result<ExitCode, Failure> {
    print(|out| writeln!(out, "referee {}", env!("REFEREE_VERSION")))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a command.
///
/// # Errors
/// [`Failure`], which knows its exit code.
pub fn run(cli: Cli) -> Result<ExitCode, Failure> {
    set_colors(cli.color);
    start_logger(cli.verbose);
    let result = run_command(cli.command);
    remove_cgroups();
    result
}

fn run_command(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Play(args) => play::run(&args.0),
        Command::Suite(args) => suite::run(&args.0),
        Command::Merge(args) => merge::run(&args.0),
        Command::Compare(args) => compare::run(&args.0),
        Command::Report(args) => report::run(&args.0),
        Command::Runs(args) => runs::run(&args.0),
        Command::Timing(args) => timing::run(&args.0),
        Command::Replay(args) => replay::run(&args.0),
        Command::Generate(args) => generate::run(&args.0),
        Command::Init(args) => init::run(&args.0),
        Command::Config(args) => config::run(&args.0),
        Command::Doctor(args) => doctor::run(&args.0),
        Command::Bot(args) => bot::run(&args.0),
        Command::Tester(args) => tester::run(&args.0),
        Command::Completions(args) => completions::run(&args.0),
        Command::Man(args) => man::run(&args.0),
    }
}

/// Prints a result. A closed pipe is not an error: the reader of `referee play | head -1` has what it
/// wanted.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Writes a file that the user named.
fn write_file(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::write(path, content)
        .with_context(|| format!("cannot write {}", path.display()))
        .map_err(Failure::User)
}

fn set_colors(choice: ColorChoice) {
    match choice {
        // anstream looks at NO_COLOR, CLICOLOR_FORCE, TERM and whether this is a terminal.
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Diagnostics of the referee itself, on standard error; `REFEREE_LOG` beats `-v`.
fn start_logger(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::Warn,
        1 => LevelFilter::Info,
        _ => LevelFilter::Debug,
    };
    env_logger::Builder::new()
        .filter_level(level)
        .parse_env("REFEREE_LOG")
        .format_timestamp(None)
        .format_target(false)
        .init();
}
