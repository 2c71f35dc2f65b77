//! `referee replay`: referees a saved game again, and shows it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use serde_json::json;

use super::export::Export;
use super::named_run::log_of;
use super::output::ForceFlag;
use super::watch::{WatchFlags, watch_saved};
use super::words::format;
use super::{Failure, completions, exit, hints, inputs, print, refuse, rejudge};
use report::view::film::Film;
use report::view::page;
use report::{Format, GameReport, ReplayReport};
use results::gamelog::foreign::{self, Foreign};
use results::gamelog::{self, Log, LogFileError, Start};
use results::replay::foreign::Refereed;
use results::replay::{self, Difference, Replayed, replay};
use rules::game::games;
use terms::text::printable;

/// Referee a saved game again, without its bot, and show it
///
/// Referee the replies in the log again, and compare every turn and the end with the log. Times and
/// timeouts are taken from the log. Exit with 1 at a difference.
///
/// With --board, read games saved by other programs: JSON of CodinGame's SDK runner, website and
/// IDE, and plain lists of moves. List every difference from these files.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReplayArgs {
    /// A log, a game saved by another program, or a game of a run such as `latest:17`
    ///
    /// Logs can be packed with gzip. RUN:GAME is a game of a run by its number or its board. With
    /// --html, a second log of the same board is shown next to the first.
    #[arg(value_name = "LOG", default_value = "latest", num_args = 1..=2)]
    logs: Vec<PathBuf>,

    /// The board of a game saved by another program, as for `referee play`
    #[arg(long, value_name = "FILE", add = completions::boards())]
    board: Option<PathBuf>,

    #[arg(
        long,
        value_name = "NAME",
        requires = "board",
        add = completions::games(),
        help = inputs::game_help("The game's name, for a game saved by another program")
    )]
    game: Option<String>,

    /// Write a self-contained page that plays the game in a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    watch: WatchFlags,

    /// Print text instead of the result: `transcript`, or the bot's `answer`, `input` or `input:3`
    ///
    /// `transcript` is both sides of the game. `answer` is all replies of the bot, `input` the exact
    /// bytes that it was sent, and `input:3` only those in the third turn.
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["format", "rejudge"])]
    export: Option<Export>,

    /// With several players: show only the exchanges of this seat, from 0
    #[arg(long, value_name = "N", conflicts_with = "rejudge")]
    seat: Option<usize>,

    #[command(flatten)]
    force: ForceFlag,

    /// Send the logged replies to the custom game's judge again, and name the first turn that
    /// differs
    #[arg(long, conflicts_with_all = ["watch", "board"])]
    rejudge: bool,

    /// The form of the result
    #[arg(long, value_parser = format(Format::OF_ONE), default_value = "text")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  referee replay game.jsonl
  referee replay game.jsonl --watch
  referee replay latest:17 --html game.html
  referee replay game.jsonl --html game.html
  referee replay before.jsonl after.jsonl --html both.html
  referee replay codingame.json --board test13.json --html game.html";

pub(super) fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    args.html.as_ref().map_or(Ok(()), |html| args.force.check(html))?;
    let logs: Vec<PathBuf> = args.logs.iter().map(|log| log_of(log)).collect::<Result<_, _>>()?;
    match logs.as_slice() {
        [left, right] => compare(left, right, args),
        [path] => show(path, args),
        _ => unreachable!("clap counts them"),
    }
}

/// A saved game, and the differences from its log.
struct Saved {
    log: Log,
    replayed: Replayed,
    differences: Vec<Difference>,
    /// The only seat to show.
    seat: Option<usize>,
}

impl Saved {
    /// The log with the exchanges that are to be shown.
    fn shown(&self) -> Log {
        let log = self.log.clone();
        match self.seat {
            Some(seat) => log.of_seat(seat),
            None => log,
        }
    }

    fn film(&self, path: &Path) -> Result<Film, Failure> {
        let log = self.shown();
        let film = Film::refereed(log, &self.replayed, self.differences.first());
        film.map_err(|error| Failure::place(path, error))
    }

    /// The film for a page, with what the judge has drawn.
    fn film_of_page(&self, path: &Path, page: &Path) -> Result<Film, Failure> {
        Ok(self.film(path)?.illustrated(path, page))
    }
}

fn show(path: &Path, args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let watches = args.watch.watches()?;
    let mut saved = read(path, args)?;
    saved.seat = seat(args, &saved.log.start)?;
    if watches {
        watch_saved(saved.film(path)?)?;
    }
    if let Some(html) = &args.html {
        args.force.write(html, page::page(&saved.film_of_page(path, html)?).as_bytes())?;
    }
    if args.rejudge {
        return rejudge::run(path, &saved.log, args.format);
    }
    let agrees = saved.differences.is_empty();
    let Some(export) = args.export else {
        let report = report(path, saved, args);
        print(|out| report.write(args.format, out))?;
        return Ok(exit::code(agrees));
    };
    export.print(&saved.shown())?;
    // The transcript says where the game differs.
    Ok(exit::code(agrees || export != Export::Transcript))
}

/// The only seat to show, if one was chosen.
fn seat(args: &ReplayArgs, start: &Start) -> Result<Option<usize>, Failure> {
    let Some(seat) = args.seat else { return Ok(None) };
    let seats = start.bots().count();
    if seats == 1 {
        return refuse("--seat: this is a game of one player");
    }
    if seat >= seats {
        let last = seats - 1;
        return refuse(format!("--seat: there is no {seat}; the seats are 0 to {last}"));
    }
    if start.judge.is_none() {
        return refuse("--seat: it is for games that have a judge");
    }
    Ok(Some(seat))
}

fn report(path: &Path, saved: Saved, args: &ReplayArgs) -> GameReport {
    let mut log = saved.shown();
    let Saved { replayed, differences, seat, .. } = saved;
    let complete = log.end.is_some();
    log.turns.retain(|turn| turn.turn <= replayed.turns);
    log.end = replayed.end;
    let mut report = GameReport::of(&log);
    report.seat = seat;
    // With one seat, the last turns can be of others.
    report.turns = replayed.turns;
    // Games that other programs saved have no times.
    if report.exchanges.iter().all(|exchange| exchange.wall.0.is_zero()) {
        report.exchanges.clear();
    }
    if log.end.is_none() {
        (report.score, report.summary) = (replayed.score, replayed.summary);
    }
    report.log = Some(path.to_owned());
    report.page.clone_from(&args.html);
    report.shows_stderr |= log::log_enabled!(log::Level::Info);
    report.replay = Some(ReplayReport { complete, differences });
    report
}

/// Shows two games on the same board side by side.
fn compare(left: &Path, right: &Path, args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let html = args.html.as_ref().ok_or_else(|| {
        Failure::user(anyhow!("two logs are shown on one page: name it with --html FILE"))
    })?;
    if args.rejudge || args.export.is_some() || args.seat.is_some() || args.watch.watches()? {
        return refuse("--rejudge, --seat, --export and --watch are for one log");
    }
    let film = |path: &Path| read(path, args)?.film_of_page(path, html);
    let [one, other] = &[film(left)?, film(right)?];
    if !one.is_of_same_board(other) {
        let of = |film: &Film| format!("{} on {}", film.kind.name, film.start.board);
        let problem = format!(
            "{} is {}, and {} is {}; side by side two games must be on the same board",
            left.display(),
            of(one),
            right.display(),
            of(other)
        );
        return refuse(problem);
    }
    args.force.write(html, page::comparison(one, other).as_bytes())?;
    let first = one.first_difference(other);
    print(|out| {
        let html = html.display().to_string();
        if args.format == Format::Json {
            return writeln!(out, "{}", json!({ "page": html, "first_different_move": first }));
        }
        let html = printable(&html);
        match first {
            Some(number) => {
                writeln!(out, "The games differ first in move {number}; {html} shows them.")
            }
            None => writeln!(out, "The games have the same moves; {html} shows them."),
        }
    })
}

/// The text of a log, packed or not.
pub(super) fn unpacked(path: &Path) -> Result<Vec<u8>, Failure> {
    let text = gamelog::unpacked(inputs::read_bytes(path, gamelog::MAX_LOG_BYTES)?);
    text.map_err(|error| Failure::file(path, format!("cannot be unpacked: {error}")))
}

fn read(path: &Path, args: &ReplayArgs) -> Result<Saved, Failure> {
    let text = unpacked(path)?;
    let log = match gamelog::read(&text) {
        Ok(log) => log,
        Err(_) if args.board.is_none() && is_board(&text) => {
            let play = format!("`referee play --board {}`", hints::shell_path(path));
            return Err(Failure::file(
                path,
                format!("this is a board, not a saved game; {play} plays on it"),
            ));
        }
        Err(error) => match (foreign::read(&text), error) {
            (Some(game), _) => return elsewhere(path, &game, args),
            (None, error) => {
                return Err(Failure::user(LogFileError::Log { path: path.to_owned(), error }));
            }
        },
    };
    if args.board.is_some() {
        return Err(Failure::file(
            path,
            "--board is for games saved by other programs; this log has its board",
        ));
    }
    let mut replayed = replay(&log).map_err(|error| Failure::place(path, error))?;
    let differences = replayed.difference.take().into_iter().collect();
    Ok(Saved { log, replayed, differences, seat: None })
}

/// Whether this is a board of some game.
fn is_board(text: &[u8]) -> bool {
    let text = std::str::from_utf8(text);
    text.is_ok_and(|text| games().iter().any(|kind| (kind.parse)(text).is_ok()))
}

/// Referees a game that another program saved.
fn elsewhere(path: &Path, game: &Foreign, args: &ReplayArgs) -> Result<Saved, Failure> {
    let Some(board) = &args.board else {
        let what = format!("{} has no board; name it with --board FILE", game.format.name());
        return Err(Failure::file(path, what));
    };
    let kind = inputs::game(args.game.as_deref())?;
    if kind.judge.is_some() {
        let problem = format!("the rules of {} are in another program", kind.name);
        let remedy = "name the game of this file with --game";
        return Err(Failure::file(path, format!("{problem}; {remedy}")));
    }
    let case = inputs::load_board(&kind, board)?;
    let refereed = replay::foreign::referee(game, &kind, &case, &board.display().to_string());
    let refereed = refereed.map_err(|error| Failure::place(board, error))?;
    let replayed = replay(&refereed.log).map_err(|error| Failure::place(path, error))?;
    let Refereed { log, differences } = refereed;
    Ok(Saved { log, replayed, differences, seat: None })
}
