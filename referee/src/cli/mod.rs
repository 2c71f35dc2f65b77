//! The command line: turns arguments into validated settings, with one file for each command.

mod again;
mod bars;
mod board_files;
mod bot;
mod compare;
mod completions;
mod config;
mod doctor;
mod exit;
mod export;
mod game_check;
mod games;
mod generate;
mod hints;
mod init;
mod inputs;
mod merge;
mod named_run;
mod new;
mod output;
mod play;
mod ratings;
mod rejudge;
mod remedies;
mod replay;
mod report;
mod runs;
mod shared;
mod show;
mod signals;
mod status;
mod suite;
mod tester;
mod timing;
mod verify;
mod watch;
mod words;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::builder::Styles;
use clap::{ArgAction, ColorChoice, Parser, Subcommand};
use log::LevelFilter;

use self::signals::interrupt;
use contain::bot::Host;
use contain::cancel::{prepare_signals, separate_heaps};
use engine::config::ConfigError;
use terms::fault::AtFault;
use terms::text::printable;

const ERROR: Style = AnsiColor::Red.on_default().bold();

/// An offline referee for bots in games for one or more players.
///
/// Start any executable as a bot, send it the game's turns, enforce the deadlines, validate its
/// moves by the official rules, and report the original referee's verdict and the real cause.
#[derive(Debug, Parser)]
#[command(version = env!("REFEREE_VERSION"), styles = Styles::styled(), after_help = exit::HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colours
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    color: ColorChoice,

    /// Show more on standard error: each turn (-v), starts and exits of processes (-vv)
    #[arg(short, long, global = true, action = ArgAction::Count, hide_short_help = true, help_heading = "Global options")]
    verbose: u8,

    /// Show only errors and the result: no progress, no warnings
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Play(Box<play::PlayArgs>),
    Suite(Box<suite::SuiteArgs>),
    Resume(Box<suite::resume::ResumeArgs>),
    Submit(Box<suite::submit::SubmitArgs>),
    Merge(Box<merge::MergeArgs>),
    Status(Box<status::StatusArgs>),
    Verify(Box<verify::VerifyArgs>),
    Show(Box<show::ShowArgs>),
    Compare(Box<compare::CompareArgs>),
    Ratings(Box<ratings::RatingsArgs>),
    Report(Box<report::ReportArgs>),
    Runs(Box<runs::RunsArgs>),
    Timing(Box<timing::TimingArgs>),
    Replay(Box<replay::ReplayArgs>),
    Games(Box<games::GamesArgs>),
    Game(Box<game_check::GameArgs>),
    Generate(Box<generate::GenerateArgs>),
    Init(Box<init::InitArgs>),
    New(Box<new::NewArgs>),
    Config(Box<config::ConfigArgs>),
    Doctor(Box<doctor::DoctorArgs>),
    Bot(Box<bot::BotArgs>),
    Tester(Box<tester::TesterArgs>),
    Completions(Box<completions::CompletionsArgs>),
}

impl Command {
    /// Whether it starts bots.
    fn plays(&self) -> bool {
        matches!(
            self,
            Self::Play(_)
                | Self::Suite(_)
                | Self::Resume(_)
                | Self::Timing(_)
                | Self::Doctor(_)
                | Self::Tester(_)
        )
    }
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
        /// What was saved, as a clause after the signal's name.
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

    /// The failure whose fault is known.
    fn of(fault: AtFault, error: impl Into<anyhow::Error>) -> Self {
        match fault {
            AtFault::User => Self::User(error.into()),
            AtFault::Host | AtFault::Referee => Self::Referee(error.into()),
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

/// Refuses the user's input.
fn refuse<T>(problem: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::User(anyhow::Error::msg(problem.into())))
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        match &error {
            // Only flags fix limits for whichever game is played.
            ConfigError::StrayLimit(stray) => {
                Self::user(anyhow::anyhow!("--{}: {stray}", stray.limit.name()))
            }
            ConfigError::UnknownGame(unknown) => {
                let hint = hints::unknown_game(unknown);
                Self::user(anyhow::anyhow!("{error}{hint}"))
            }
            _ => Self::user(error),
        }
    }
}

/// The whole program: parses the arguments, runs the command, prints an error if it fails, and returns the
/// exit code; or answers a shell that completes a line. Programs with [games of their own](rules::game::register) call this too.
pub fn main() -> ExitCode {
    // A bundled bot is a program like any other.
    if std::env::args_os().nth(1).is_none_or(|word| word != "bot") {
        prepare_signals();
        separate_heaps();
    }
    completions::answer_shell();
    let failure = match Cli::try_parse().map_or_else(|error| explain(&hints::add_hint(error)), run)
    {
        Ok(code) => return code,
        Err(failure) => failure,
    };
    // Errors may quote a file, whose content must not control the terminal.
    let message = failure.to_string();
    let message: Vec<String> = message.lines().map(printable).collect();
    let message = message.join("\n");
    // If standard error is closed too, the message is lost.
    let _ = writeln!(anstream::stderr(), "{ERROR}error{ERROR:#}: {message}");
    if let Failure::Interrupted { signal, .. } = failure {
        // Only returns if the signal cannot end the process.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    failure.exit_code()
}

/// Prints help, or ends the program with an error in its arguments, as [`Parser::parse`] does. That would not notice
/// where help cannot be written.
fn explain(error: &clap::Error) -> Result<ExitCode, Failure> {
    if error.use_stderr() {
        error.exit();
    }
    print(|_| error.print())
}

/// Runs a command.
///
/// # Errors
/// [`Failure`], which knows its exit code.
pub fn run(cli: Cli) -> Result<ExitCode, Failure> {
    // Before there are threads, and before a test case is read. If it fails, the first bot's start says so.
    let _started = cli.command.plays().then(Host::start);
    let _host = Host::hold();
    set_colors(cli.color);
    start_logger(cli.verbose, cli.quiet);
    run_command(cli.command)
}

fn run_command(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Play(args) => play::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Resume(args) => suite::resume::run(&args),
        Command::Submit(args) => suite::submit::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Ratings(args) => ratings::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Runs(args) => runs::run(&args),
        Command::Timing(args) => timing::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Games(args) => games::run(&args),
        Command::Game(args) => game_check::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Init(args) => init::run(&args),
        Command::New(args) => new::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Bot(args) => bot::run(&args),
        Command::Tester(args) => tester::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}

/// Prints a result, which is all that many commands do. A closed pipe is not an error: the reader of `referee play | head -1` has all
/// that it wanted.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Whether standard error is for errors alone, without progress.
fn is_quiet() -> bool {
    !log::log_enabled!(log::Level::Warn)
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

/// Diagnostics of the referee itself, on standard error; `REFEREE_LOG` beats `-v` and `-q`.
fn start_logger(verbose: u8, quiet: bool) {
    let level = match verbose {
        _ if quiet => LevelFilter::Error,
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
