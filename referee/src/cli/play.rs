//! `referee play`: one bot, one board.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use super::export::Export;
use super::inputs::NamedBot;
use super::output::{ForceFlag, refuse_twins};
use super::shared::{BotFlags, ContainmentFlag, RuleFlags};
use super::signals::signal;
use super::watch::{LiveViewer, WatchFlags};
use super::words::{format, word};
use super::{Failure, again, bars, completions, exit, inputs, interrupt, print, refuse};
use contain::cancel::Cancelled;
use engine::play::{Match, PlayError, Traces};
use report::view::film::Film;
use report::view::page;
use report::{Format, GameReport};
use results::gamelog::{End, Event, Log, LogWriter, SeatEnd, drawings, outputs};
use rules::game::SeedOptions;
use rules::score::shown;
use terms::limits::OnHostDelay;
use terms::seed::Seed;
use terms::text::plural;
use terms::verdict::Verdict;

/// Play one game on one board
///
/// Without arguments, the bundled bot @greedy plays a bundled board under the official limits. With
/// several players, each --bot has the next seat, and a single --bot plays all
/// seats.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlayArgs {
    #[command(flatten)]
    bot: BotFlags,

    #[command(flatten)]
    rules: RuleFlags,

    #[command(flatten)]
    containment: ContainmentFlag,

    /// The board: a file, or the name of a bundled board such as @clearable
    ///
    /// A file is CodinGame test JSON, plain text or TOML, recognized by content; for Square Remover
    /// the text sent to a bot. The bundled boards are @random-1 (the default), @clearable and
    /// @no-move, and for Square Remover @seed-1.
    #[arg(long, value_name = "FILE", add = completions::boards())]
    board: Option<PathBuf>,

    /// Play the board of a seed instead of a file
    ///
    /// It is a random board, or for Square Remover the original tester's case. Seeds can be
    /// negative.
    #[arg(long, value_name = "N", conflicts_with = "board", allow_hyphen_values = true, value_parser = one_seed)]
    seed: Option<Seed>,

    /// The number of colours of a random board, if the game lets you choose
    #[arg(long, value_name = "N", requires = "seed", conflicts_with = "board")]
    colors: Option<u8>,

    /// What to do if the host made the bot late [default: fail]
    #[arg(long, value_name = "WHAT", value_parser = word::<OnHostDelay>())]
    on_host_delay: Option<OnHostDelay>,

    /// With several players: leave bots running while others are asked
    ///
    /// Without this flag they are paused then. The report shows how much they compute in others'
    /// turns. With --pin each bot has its own cores.
    #[arg(long)]
    ponder: bool,

    /// Write the game to this file while it is played, for `referee replay`
    ///
    /// It replaces an earlier log. Other files are never replaced, even with --force.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Write a self-contained page that plays the game in a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write the bot's answer and standard error to this folder, as 0007.txt and 0007.err
    ///
    /// The files are named after the board, with several players also after the seat.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    outputs: Option<PathBuf>,

    /// Print text instead of the result: `transcript`, or the bot's `answer`, `input` or `input:3`
    ///
    /// `transcript` is both sides of the game. `answer` is all replies of the bot, `input` the exact
    /// bytes that it was sent, and `input:3` only those in the third turn.
    #[arg(long, value_name = "WHAT", conflicts_with = "format")]
    export: Option<Export>,

    /// Record the samples of each exchange, so that you can report wrong blame
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Play the game of a log, or of a run such as latest:17, again with its bots
    ///
    /// It plays the logged board under the logged limits, and names the first turn that differs.
    /// The exit code is then 1. Use it only for logs that you trust: it runs the commands in the log.
    #[arg(long, value_name = "LOG", conflicts_with_all = OF_NEW_GAMES)]
    again: Option<PathBuf>,

    #[command(flatten)]
    watch: WatchFlags,

    #[command(flatten)]
    force: ForceFlag,

    /// The form of the result
    #[arg(long, value_parser = format(Format::OF_ONE), default_value = "text")]
    format: Format,
}

/// What a game that is played again has in its log, and what makes files of a new game.
const OF_NEW_GAMES: [&str; 24] = [
    "bot",
    "pin",
    "stray",
    "command",
    "EnvironmentFlags",
    "game",
    "profile",
    "first_turn",
    "turn",
    "total",
    "memory",
    "stack",
    "containment",
    "WatchFlags",
    "board",
    "seed",
    "on_host_delay",
    "ponder",
    "log",
    "html",
    "outputs",
    "export",
    "trace",
    "ForceFlag",
];

const EXAMPLES: &str = "\
Examples:
  referee play --bot \"python3 bot.py\" --board test13.json
  referee play --board board.txt --log game.jsonl -- ./bot --depth 3
  referee play --bot ./bot --watch
  referee play --bot ./bot --html game.html
  referee play --bot ./bot --profile unlimited --format json
  referee play --game square-remover --bot ./bot --seed 1
  referee play --game NAME --bot ./new --bot ./old --seed 7
  referee play --again latest:17";

/// Parses the seed of one board.
fn one_seed(text: &str) -> Result<Seed, String> {
    text.parse().map_err(|_| {
        let is_list = text.contains("..") || text.contains(',');
        let remedy = if is_list {
            format!("; `referee suite --seed {text}` plays several")
        } else {
            String::new()
        };
        format!("play takes one seed, a whole number{remedy}")
    })
}

pub(super) fn run(args: &PlayArgs) -> Result<ExitCode, Failure> {
    if let Some(game) = &args.again {
        return again::run(game, args.rules.config(), args.format);
    }
    refuse_twins([&args.log, &args.html, &args.trace].into_iter().flatten())?;
    for file in [&args.html, &args.trace].into_iter().flatten() {
        args.force.check(file)?;
    }
    let config = args.rules.resolve(args.on_host_delay, args.containment.containment)?;
    let shows = args.watch.watches()?;
    if args.ponder && config.game.players == 1 {
        return refuse("--ponder is for games of several players");
    }
    let bots = args.bot.resolve_seats(&config, args.ponder)?;
    let options = SeedOptions { colors: args.colors };
    let (board, test_case) = inputs::case(&config.game, args.board.as_deref(), args.seed, options)?;
    if let Some(folder) = &args.outputs {
        inputs::prepare_outputs(folder, outputs::names(&board, None, bots.len()).into_iter())?;
    }
    let open = |path| LogWriter::open(path, config.log_size);
    let mut log = args.log.as_deref().map(open).transpose()?;
    let interrupt = interrupt()?;
    let viewer = shows.then(|| LiveViewer::spawn(interrupt.clone())).transpose()?;
    let traces = args.trace.as_ref().map(|_| Traces::default());
    let game = Match::new(&config.game, &test_case, &bots[0].command)
        .seats(bots.iter().map(NamedBot::seated).collect::<Vec<_>>())
        .ponder(args.ponder)
        .traces(&traces)
        .board(&board)
        .rules(config.rules)
        .canceller(&interrupt);
    // With a viewer, no spinner is needed.
    let spinner = if viewer.is_none() { bars::spinner() } else { None };
    let mut recorded = None;
    let played = game.play(|event| {
        if let Some(log) = &mut log {
            log.write(&event);
        }
        if let Some(spinner) = &spinner {
            bars::note(spinner, &event);
        }
        log_event(&event);
        Log::record(&mut recorded, event.clone());
        if let Some(viewer) = &viewer {
            viewer.show(event);
        }
    });
    if let Some(spinner) = spinner {
        spinner.finish_and_clear();
    }
    let kept = [write_trace(args, traces.as_ref()), finish_log(log)];
    let watched = viewer.map_or(Ok(()), LiveViewer::join);
    let concluded = conclude(args, played, recorded, kept, interrupt.cancelled());
    watched.and(concluded)
}

/// Shows the result, if the game has one, and reports failures.
fn conclude(
    args: &PlayArgs,
    played: Result<End, PlayError>,
    log: Option<Log>,
    [traced, logged]: [Result<(), Failure>; 2],
    cancelled: Option<Cancelled>,
) -> Result<ExitCode, Failure> {
    match played {
        Ok(end) => {
            let log = log.expect("a played game has started");
            let mut report = GameReport::of(&log);
            report.log.clone_from(&args.log);
            report.shows_stderr |= log::log_enabled!(log::Level::Info);
            let kept = keep_outputs(args, &log);
            let exported = args.export.map(|export| export.print(&log));
            let page = args.html.as_ref().map(|html| write_page(args, html, log, &end));
            // The result stands without its files.
            report.page = args.html.clone().filter(|_| matches!(page, Some(Ok(()))));
            let printed = match &exported {
                Some(Ok(_)) => Ok(()),
                _ => print(|out| report.write(args.format, out)).map(drop),
            };
            let exported = exported.map_or(Ok(()), |exported| exported.map(drop));
            fail_with_first([printed, exported, page.unwrap_or(Ok(())), kept, traced, logged])?;
            // The signal came after the game was over.
            if let Some(by) = cancelled {
                return Err(Failure::Interrupted { signal: signal(by), kept: String::new() });
            }
            let has_failed = |seat: &SeatEnd| seat.verdict != Verdict::Completed;
            Ok(exit::code(end.won && !end.seats.iter().any(has_failed)))
        }
        Err(PlayError::Cancelled { by, stderr }) => {
            print_stderr(&stderr);
            if let Err(failure) = traced {
                log::error!("{failure}");
            }
            let kept = what_was_kept(log.as_ref(), args.log.as_deref(), logged.err());
            Err(Failure::Interrupted { signal: signal(by), kept })
        }
        Err(error) => {
            for failure in [traced, logged].into_iter().filter_map(Result::err) {
                log::error!("{failure}");
            }
            Err(error.into())
        }
    }
}

/// Fails with the first failure, after a message about each other one.
fn fail_with_first<const N: usize>(results: [Result<(), Failure>; N]) -> Result<(), Failure> {
    let mut failures = results.into_iter().filter_map(Result::err);
    let Some(first) = failures.next() else { return Ok(()) };
    failures.for_each(|failure| log::error!("{failure}"));
    Err(first)
}

/// Writes the samples of the game, if it has them.
fn write_trace(args: &PlayArgs, traces: Option<&Traces>) -> Result<(), Failure> {
    let (Some(file), Some(traces)) = (&args.trace, traces) else { return Ok(()) };
    let lines = traces.to_json_lines().context("cannot record the game");
    args.force.write(file, lines.map_err(Failure::Referee)?.as_bytes())
}

/// Writes what the bots wrote, if it is wanted.
fn keep_outputs(args: &PlayArgs, log: &Log) -> Result<(), Failure> {
    let Some(folder) = &args.outputs else { return Ok(()) };
    let names = outputs::names(&log.start.board, None, log.start.bots().count());
    outputs::keep(folder, &names, log).map_err(Failure::user)
}

/// Writes the page that plays the game.
fn write_page(args: &PlayArgs, html: &Path, log: Log, end: &End) -> Result<(), Failure> {
    let beside = args.log.as_deref().unwrap_or(html);
    if args.log.is_none() {
        drawings::keep(html, &end.drawings).map_err(Failure::user)?;
    }
    let film = Film::of_log(log).map_err(Failure::user)?;
    args.force.write(html, page::page(&film.illustrated(beside, html)).as_bytes())
}

/// Warns of a game that is repeated; `-v` shows each turn.
fn log_event(event: &Event) {
    match event {
        Event::Start(start) => {
            if let Some(diagnosis) = start.retried.last() {
                log::warn!("playing again: {diagnosis}");
            }
        }
        Event::Turn(turn) => {
            let wall = terms::text::duration(turn.wall.0);
            let result = match turn.no_reply {
                None => format!("gain {}, score {}", shown(turn.gain), shown(turn.score)),
                Some(no_reply) => no_reply.verdict().to_string(),
            };
            let reply = terms::text::quote(turn.reply.0.trim_ascii_end());
            let seat = if turn.seat > 0 { format!(", seat {}", turn.seat) } else { String::new() };
            log::info!("turn {}{seat}: {reply} in {wall}, {result}", turn.turn);
        }
        // The report shows the end.
        _ => {}
    }
}

fn what_was_kept(game: Option<&Log>, log: Option<&Path>, failure: Option<Failure>) -> String {
    let turns = plural(game.map_or(0, |game| game.turns.len()) as u64, "turn");
    match (log, failure) {
        (_, Some(failure)) => format!(" after {turns}; {failure}"),
        (Some(log), None) => format!(" after {turns}; they are in {}", log.display()),
        (None, None) => format!(" after {turns}"),
    }
}

/// Shows the end of the bot's standard error in the interrupted turn.
fn print_stderr(stderr: &[u8]) {
    const MAX_STDERR_LINES: usize = 10;
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().collect();
    let mut out = anstream::stderr().lock();
    for line in &lines[lines.len().saturating_sub(MAX_STDERR_LINES)..] {
        // If standard error is closed, the lines are lost.
        let _ = writeln!(out, "{}", terms::text::printable(line));
    }
}

/// Reports a log that could not be written; the result of the game stands.
fn finish_log(log: Option<LogWriter>) -> Result<(), Failure> {
    let Some(log) = log else { return Ok(()) };
    let path = log.path().display().to_string();
    log.finish().with_context(|| format!("the log {path} is incomplete")).map_err(Failure::Referee)
}
