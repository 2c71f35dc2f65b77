//! `referee game check`: starts a game's judge, and shows what it does.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::{Args, Subcommand};

use super::inputs::NamedBot;
use super::rejudge::judged_again;
use super::shared::{BotFlags, ConfigFlag};
use super::{Failure, completions, exit, inputs, interrupt, print, signals};
use contain::bot::BotCommand;
use contain::cancel::Canceller;
use engine::config::Config;
use engine::play::{Match, Seated};
use results::gamelog::{End, Event, Log, SeatEnd, Turn};
use results::replay::{Difference, Replayed, replay};
use rules::game::judge::JudgeProgram;
use rules::game::{Answer, GameKind, JudgeFailure, Placement, SeedOptions, TestCase};
use rules::score::in_toml::written;
use rules::score::shown;
use terms::bounds::JUDGE_LINE;
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines, Progress};
use terms::seed::Seed;
use terms::text::{cut, duration, plural, printable, quote, size};
use terms::verdict::{NoReply, Verdict};

/// The turns of a game that are shown.
const SHOWN_TURNS: usize = 5;

/// Check custom games
#[derive(Debug, Args)]
pub(super) struct GameArgs {
    #[command(subcommand)]
    command: GameCommand,
}

#[derive(Debug, Subcommand)]
enum GameCommand {
    Check(Box<CheckArgs>),
}

/// Start a game's judge, and show what it does
///
/// Play a game with a bot that exits at once, send the judge bad answers, such as 5,000 digits, and
/// with --bot play another one, whose replies are then sent to a second judge: its messages must be
/// the same. With several players, a bot that exits at once first has all seats, and then one after
/// the other among yours. Exit with 1 if the messages differ or if a bad answer makes the judge
/// fail, and with 3 if it fails otherwise.
#[derive(Debug, Args)]
struct CheckArgs {
    /// The game: a table [game.NAME] of the settings, or a settings file with one [default: the settings' default game]
    #[arg(value_name = "NAME", add = completions::games())]
    game: Option<String>,

    #[command(flatten)]
    bot: BotFlags,

    /// The board, as for `referee play` [default: the first case, or seed 1]
    #[arg(long, value_name = "FILE", add = completions::boards())]
    board: Option<PathBuf>,

    /// Play the board of a seed
    #[arg(long, value_name = "N", conflicts_with = "board", allow_negative_numbers = true)]
    seed: Option<Seed>,

    #[command(flatten)]
    config: ConfigFlag,
}

pub(super) fn run(args: &GameArgs) -> Result<ExitCode, Failure> {
    let GameCommand::Check(args) = &args.command;
    args.bot.refuse_without_bot()?;
    let game = args.game.as_deref().map(inputs::game_layer).transpose()?;
    let config = inputs::settings(game.into_iter().chain(args.config.layers()?))?;
    let options = SeedOptions::default();
    let case = inputs::case(&config.game, args.board.as_deref(), args.seed, options)?;
    let interrupt = interrupt()?;
    print(|out| write_settings(&config, &case.0, out))?;
    let silent = BotCommand::new("sh", ["-c", ":"], config.confinement(None)?);
    let silent = Seated { name: "a bot that ends at once", command: &silent };
    let check = Check { config: &config, case: &case, interrupt: &interrupt };
    let (log, start) = check.play(vec![silent; config.game.players])?;
    print(|out| write_game(&log, start, out))?;
    print(|out| write_refused(&log, &config.game, out))?;
    let failures = check.failures()?;
    let code = exit::code(failures.is_empty());
    print(|out| write_failures(&failures, &config.game, out))?;
    if !args.bot.is_named() {
        return Ok(code);
    }
    let bots = args.bot.resolve_seats(&config, false)?;
    let seats: Vec<Seated<'_>> = bots.iter().map(NamedBot::seated).collect();
    if let [_, _, ..] = seats[..] {
        for seat in 0..seats.len() {
            let mut seats = seats.clone();
            seats[seat] = silent;
            let (log, _) = check.play(seats)?;
            print(|out| write_seats(&log, out))?;
        }
    }
    let (log, start) = check.play(seats)?;
    print(|out| write_game(&log, start, out))?;
    let Some(again) = check.judged_again(&log)? else { return Ok(code) };
    print(|out| write_comparison(again.difference.as_ref(), out))?;
    Ok(if again.difference.is_none() { code } else { exit::code(false) })
}

/// Answers that bots give by mistake, each a line or two, with their names.
fn bad_answers() -> [(&'static str, Vec<u8>); 8] {
    [
        ("an empty line", b"\n".to_vec()),
        ("5,000 digits", "9".repeat(5_000).into_bytes()),
        ("the digit `٣`", "٣\n".into()),
        ("a NUL byte", b"\0\n".to_vec()),
        ("1 MB", vec![b'x'; 1_000_000]),
        ("1e999", b"1e999\n".to_vec()),
        ("a lone CR", b"1\r".to_vec()),
        ("invalid UTF-8", b"\xff\xfe\n".to_vec()),
    ]
}

/// Whether the game's judge is sent answers, instead of starting the bot itself.
fn is_sent_answers(game: &GameKind) -> bool {
    game.judge.as_ref().is_some_and(|judge| !judge.starts_bot())
}

/// What the games of a check have in common.
struct Check<'a> {
    config: &'a Config,
    case: &'a (String, String),
    interrupt: &'a Canceller,
}

impl Check<'_> {
    /// Plays a game; returns its log, and the time of the judge's start.
    fn play(&self, seats: Vec<Seated<'_>>) -> Result<(Log, Duration), Failure> {
        let game = Match::new(&self.config.game, &self.case.1, seats[0].command)
            .board(&self.case.0)
            .seats(seats)
            .rules(self.config.rules)
            .canceller(self.interrupt);
        let (begun, mut start, mut log) = (Instant::now(), Duration::ZERO, None);
        game.play(|event| {
            if let Event::Start(_) = event {
                start = begun.elapsed();
            }
            Log::record(&mut log, event);
        })?;
        let log = log.expect("a played game has started");
        let replayed = replay(&log).map_err(|error| Failure::Referee(error.into()))?;
        match replayed.difference {
            Some(found) => {
                Err(Failure::Referee(anyhow!("the game's log does not replay: {found}")))
            }
            None => Ok((log, start)),
        }
    }

    fn test_case(&self) -> Result<TestCase, Failure> {
        let (name, case) = self.case;
        (self.config.game.parse)(case).map_err(|error| Failure::place(name, error))
    }

    /// What a second judge says to the replies in this log; `None` if it takes them from a bot alone.
    fn judged_again(&self, log: &Log) -> Result<Option<Replayed>, Failure> {
        judged_again(log, &self.test_case()?, self.interrupt)
    }

    /// The bad answers that make the judge fail, and how it fails.
    fn failures(&self) -> Result<Vec<(&'static str, JudgeFailure)>, Failure> {
        let mut failures = Vec::new();
        if is_sent_answers(&self.config.game) {
            let case = self.test_case()?;
            for (name, answer) in bad_answers() {
                let failure = self.send(&case, &answer).err();
                if let Some(signal) = self.interrupt.cancelled().map(signals::signal) {
                    return Err(Failure::Interrupted { signal, kept: String::new() });
                }
                failures.extend(failure.map(|failure| (name, failure)));
            }
        }
        Ok(failures)
    }

    /// Gives a new judge this answer to its first questions, one for each player.
    fn send(&self, case: &TestCase, answer: &[u8]) -> Result<(), JudgeFailure> {
        let place = Placement { alarm: Some(self.interrupt.alarm()), ..Placement::default() };
        let mut game = case.start(&place)?;
        for _ in 0..self.config.game.players {
            let Some(ask) = game.next_ask() else { break };
            let count = if ask.lines.count == LineRules::UNTIL_END { 1 } else { ask.lines.count };
            let mut lines = Lines::split(&answer.repeat(count));
            lines.end_partial();
            let is_too_long = lines.progress(&ask.lines) == Progress::TooLong;
            let no_reply = is_too_long.then_some(NoReply::LineTooLong);
            game.answer(Answer::new(&lines, no_reply))?;
        }
        Ok(())
    }
}

fn write_settings(config: &Config, board: &str, out: &mut dyn Write) -> io::Result<()> {
    let kind = &config.game;
    let row = |out: &mut dyn Write, name: &str, value: &str| {
        writeln!(out, "  {name:<12} {}", printable(value))
    };
    let title = Some(&kind.title).filter(|title| **title != kind.name);
    let title = title.map(|title| format!(": {}", printable(title))).unwrap_or_default();
    writeln!(out, "{}{title}", kind.name)?;
    if let Some(judge) = &kind.judge {
        row(out, "kind", &judge.kind)?;
        row(out, "command", &judge.command.join(" "))?;
        for (name, value) in &judge.settings {
            row(out, name, value)?;
        }
        for (file, digest) in &judge.files {
            row(out, "file", &format!("{file} {digest}"))?;
        }
    }
    let limit = |of: LimitKind| Some(format!("{} {}", of.name(), duration(kind.limits.of(of)?)));
    let limits: Vec<_> = LimitKind::ALL.into_iter().filter_map(limit).collect();
    let names_limits = kind.judge.as_ref().is_some_and(JudgeProgram::can_name_limits);
    let limits = limits.join(", ");
    let unless = if names_limits { ", where the judge names none" } else { "" };
    row(out, "limits", &format!("{limits}{unless}"))?;
    let memory = config.resources.memory.map_or_else(|| "no limit".to_owned(), size);
    let sandboxed = config.sandbox_memory.map(|limit| format!(", with --sandbox {}", size(limit)));
    row(out, "memory", &(memory + &sandboxed.unwrap_or_default()))?;
    row(out, "better", if kind.better.is_higher() { "higher" } else { "lower" })?;
    let is_any = !kind.seeds_choose_cases;
    let takes_seeds = is_any && kind.test_case(1, SeedOptions::default()).is_ok();
    let seeds = if takes_seeds { ", and any seed" } else { "" };
    row(out, "cases", &format!("{}{seeds}", kind.bundled.len()))?;
    kind.note.iter().try_for_each(|note| row(out, "note", note))?;
    row(out, "board", board)
}

fn write_game(log: &Log, start: Duration, out: &mut dyn Write) -> io::Result<()> {
    if log.start.is_of_several() {
        write_names(log, out)?;
    } else {
        writeln!(out, "\n{}", printable(&log.start.bot.name))?;
    }
    writeln!(out, "  the judge's first question came after {}", duration(start))?;
    let is_tester = log.start.judge.as_ref().is_some_and(JudgeProgram::starts_bot);
    for turn in log.turns.iter().take(SHOWN_TURNS) {
        let seat =
            if log.start.is_of_several() { format!("seat {}, ", turn.seat) } else { String::new() };
        writeln!(out, "  {seat}{}", describe(turn, is_tester))?;
    }
    let more = log.turns.len().saturating_sub(SHOWN_TURNS);
    if more > 0 {
        writeln!(out, "  and {}", plural(more as u64, "further turn"))?;
    }
    let Some(end) = &log.end else { return Ok(()) };
    if log.start.is_of_several() {
        write_places(end, out)?;
    } else {
        let score = shown(end.score);
        let words = printable(&cut(&end.official, JUDGE_LINE));
        writeln!(out, "  end: {}, score {score}: {words}", end.verdict)?;
    }
    if let Some(why) = &end.process.diagnosis {
        writeln!(out, "  diagnosis: {}", printable(why))?;
    }
    let is_open =
        |turn: &&Turn| turn.asked.as_ref().is_some_and(|asked| !ends_its_line(&asked.input));
    if let Some(turn) = log.turns.iter().find(is_open) {
        writeln!(
            out,
            "  the text of turn {} does not end with a line break: a bot that reads lines waits for the rest",
            turn.turn
        )?;
    }
    Ok(())
}

/// Proposes the setting for refused answers, if a bot that writes nothing has a score.
fn write_refused(log: &Log, game: &GameKind, out: &mut dyn Write) -> io::Result<()> {
    let Some(score) = log.end.as_ref().and_then(|end| end.score) else { return Ok(()) };
    let names_refusal = |judge: &&JudgeProgram| judge.settings.contains_key("refused");
    let judge = game.judge.as_ref().filter(|judge| judge.is_of_contest());
    if judge.is_none_or(|judge| names_refusal(&judge)) {
        return Ok(());
    }
    let (name, written) = (&game.name, written(score));
    writeln!(
        out,
        "  a bot that writes nothing has the score {score}: if that means a refused answer, add `refused = {written}` to \
         [game.{name}], so that it loses the game"
    )
}

/// The bad answers that make the judge fail.
fn write_failures(
    failures: &[(&str, JudgeFailure)],
    game: &GameKind,
    out: &mut dyn Write,
) -> io::Result<()> {
    if failures.is_empty() && is_sent_answers(game) {
        let names = bad_answers().map(|(name, _)| name).join(", ");
        return writeln!(out, "\nThe judge rules on bad answers: {names}.");
    }
    for (name, JudgeFailure { what, .. }) in failures {
        writeln!(
            out,
            "\nThe judge fails on {name}: {}\nA bot that answers this spoils its game instead of losing it.",
            printable(what)
        )?;
    }
    Ok(())
}

/// The bots of a game of several players, by seat.
fn write_names(log: &Log, out: &mut dyn Write) -> io::Result<()> {
    let names = log.start.bots().enumerate();
    let names = names.map(|(seat, bot)| format!("{seat} {}", printable(&bot.name)));
    writeln!(out, "\n{}", names.collect::<Vec<_>>().join(", "))
}

/// The result of each seat.
fn write_places(end: &End, out: &mut dyn Write) -> io::Result<()> {
    for (seat, end) in end.seats.iter().enumerate() {
        let SeatEnd { place, score, verdict, turns, .. } = end;
        let (score, turns) = (shown(*score), plural((*turns).into(), "turn"));
        writeln!(out, "  seat {seat}: {verdict}, place {place}, score {score}, {turns}")?;
        if let Some(why) = &end.process.diagnosis {
            writeln!(out, "    diagnosis: {}", printable(why))?;
        }
    }
    let has_failed = |seat: &&SeatEnd| seat.verdict != Verdict::Completed;
    let is_odd = end.seats.iter().any(|seat| !has_failed(&seat));
    if let Some(seat) = end.seats.iter().position(|seat| seat.place == 1 && has_failed(&seat))
        && is_odd
    {
        writeln!(
            out,
            "  warning: the judge gives seat {seat} the first place, although its bot failed"
        )?;
    }
    Ok(())
}

/// A game in brief.
fn write_seats(log: &Log, out: &mut dyn Write) -> io::Result<()> {
    write_names(log, out)?;
    log.end.iter().try_for_each(|end| write_places(end, out))
}

/// Whether a bot that reads lines gets all of this text.
fn ends_its_line(input: &str) -> bool {
    input.is_empty() || input.ends_with('\n')
}

/// What the judge asked, and what came. What a tester wants ends only when it writes again.
fn describe(turn: &Turn, is_tester: bool) -> String {
    let asked = turn.asked.clone().unwrap_or_default();
    let lines = match asked.lines {
        Some(lines) => plural(lines.into(), "line"),
        None if is_tester => "an answer".to_owned(),
        None => "all output".to_owned(),
    };
    let limit = asked.limit.map(|limit| format!(" within {}", duration(limit.0)));
    let limit = limit.unwrap_or_default();
    let came = match turn.no_reply {
        Some(no_reply) => no_reply.verdict().to_string(),
        None => quote(turn.reply.0.trim_ascii_end()),
    };
    let input = quote(asked.input.trim_end().as_bytes());
    format!("turn {}: sends {input}, wants {lines}{limit}; came: {came}", turn.turn)
}

fn write_comparison(difference: Option<&Difference>, out: &mut dyn Write) -> io::Result<()> {
    match difference {
        None => writeln!(out, "\nA second judge says the same to these replies."),
        Some(found) => {
            let Difference { turn, what, .. } = found;
            let (first, second) = found.shown();
            let [first, second] = [first, second].map(|value| printable(&value));
            writeln!(
                out,
                "\nA second judge says something else to these replies, at turn {turn}: {what} is {first}, then {second}. \
                 Games on this board cannot be compared: let the judge take chance from the seed or the case alone."
            )
        }
    }
}
