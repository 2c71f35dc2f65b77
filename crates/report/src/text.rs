//! For people: the verdict first, then its details.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::advice::advice;
use super::{GameReport, ReplayReport, Response};
use results::gamelog::SeatEnd;
use results::replay::Difference;
use results::timing::longest_run;
use rules::game::{GameKind, Seat};
use rules::score::shown;
use terms::bounds::JUDGE_LINE;
use terms::limits::LimitKind;
use terms::millis::Millis;
use terms::text::{cut, duration, named, plural, printable};
use terms::verdict::{Culprit, Verdict};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const LABEL: Style = Style::new().dimmed();

/// The most differences to list; `--format json` lists all.
const MAX_DIFFERENCES: usize = 20;

pub(super) fn write(report: &GameReport, out: &mut dyn Write) -> io::Result<()> {
    headline(report, out)?;
    writeln!(out)?;
    row(out, "game", &report.start.game)?;
    row(out, "board", &report.start.board)?;
    let is_of_several = report.start.is_of_several();
    if !is_of_several {
        row(out, "bot", &report.start.bot.name)?;
    }
    if let Some(end) = report.end.as_ref().filter(|_| !is_of_several) {
        row(out, "verdict", &end.verdict.to_string())?;
        if has_differences(report) {
            // Otherwise it is the headline.
            row(out, "official", &words(report, &end.official))?;
        }
    }
    if !is_of_several {
        row(out, "score", &shown(report.score))?;
    }
    let of_all = if is_of_several { ", of all seats" } else { "" };
    row(out, "turns", &format!("{}{of_all}", report.turns))?;
    if !is_of_several {
        times(report, out)?;
    }
    let (bot, host) = (report.overruns(Culprit::Bot), report.overruns(Culprit::Host));
    if bot + host > 0 {
        row(out, "overruns", &format!("{bot} by the bot, {host} by the host"))?;
    }
    report.shown_seats().try_for_each(|seat| seat_rows(report, seat, out))?;
    let diagnosis = report.end.as_ref().and_then(|end| end.process.diagnosis.as_ref());
    if let Some(diagnosis) = diagnosis {
        let won = report.end.as_ref().is_some_and(|end| end.won);
        row(out, if won { "warning" } else { "diagnosis" }, diagnosis)?;
    }
    if let Some(log) = &report.log {
        row(out, "log", &log.display().to_string())?;
    }
    if let Some(page) = &report.page {
        row(out, "page", &page.display().to_string())?;
    }
    if let Some(replay) = &report.replay {
        replay_rows(replay, out)?;
    }
    stderr(report, out)?;
    let seats = report.end.iter().flat_map(|end| &end.seats);
    let of_seats = seats.filter_map(|seat| seat.process.diagnosis.as_deref());
    for (index, advice) in
        advice(diagnosis.map(String::as_str).into_iter().chain(of_seats)).enumerate()
    {
        let blank = if index == 0 { "\n" } else { "" };
        writeln!(out, "{blank}  {advice}")?;
    }
    official_lines(report, out)
}

/// Writes the result of a seat, and what there is to say about its bot.
fn seat_rows(report: &GameReport, seat: Seat, out: &mut dyn Write) -> io::Result<()> {
    let name = report.start.bots().nth(seat).map_or("", |bot| &bot.name);
    let label = format!("seat {seat}");
    let Some(end) = report.end.as_ref().and_then(|end| end.seats.get(seat)) else {
        return row(out, &label, name);
    };
    row(out, &label, &format!("{name}: {}", standing(end)))?;
    if !end.official.is_empty() {
        row(out, "  last words", &words(report, &end.official))?;
    }
    if let Some(slowest) = report.slowest_of(seat) {
        row(out, "  slowest", &format!("{} (turn {})", response(slowest), slowest.turn))?;
    }
    if let Some(Millis(cpu)) = end.ponder_cpu {
        row(out, "  pondered", &format!("{} of processor time in others' turns", duration(cpu)))?;
    }
    let Some(diagnosis) = &end.process.diagnosis else { return Ok(()) };
    let has_failed = end.verdict != Verdict::Completed;
    row(out, if has_failed { "  diagnosis" } else { "  warning" }, diagnosis)
}

/// A judge's words as a line, however long they are.
fn words(report: &GameReport, words: &str) -> String {
    cut(&named(words, &report.start.names()), JUDGE_LINE)
}

/// The place of a seat, its score, and what its bot did wrong.
pub(super) fn standing(end: &SeatEnd) -> String {
    let mut parts = vec![format!("place {}", end.place)];
    parts.extend(end.score.map(|score| format!("score {score}")));
    if end.verdict != Verdict::Completed {
        parts.push(end.verdict.to_string());
    }
    parts.push(plural(end.turns.into(), "turn"));
    parts.join(", ")
}

/// Writes the times of the first and of the slowest later turn, or where one limit holds for all turns together, the game's
/// and of its slowest turn.
fn times(report: &GameReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = report.first() else { return Ok(()) };
    let slowest = if first.kind == LimitKind::Total {
        let all = &report.exchanges;
        let wall = longest_run(all.iter().map(|turn| (turn.wall, turn.limit)));
        row(out, "time", &response(&Response { wall, ..*first }))?;
        let slowest = all.iter().rev().max_by_key(|turn| turn.wall).filter(|_| all.len() > 1);
        slowest.map(|turn| (duration(turn.wall.0), turn))
    } else {
        row(out, "first turn", &response(first))?;
        report.slowest().map(|turn| (response(turn), turn))
    };
    let Some((time, slowest)) = slowest else { return Ok(()) };
    row(out, "slowest turn", &format!("{time} (turn {})", slowest.turn))
}

/// Writes the original's summary, for games whose original prints one, without a first line that is the headline.
fn official_lines(report: &GameReport, out: &mut dyn Write) -> io::Result<()> {
    if !GameKind::named(&report.start.game).is_some_and(|kind| kind.prints_summary) {
        return Ok(());
    }
    let headline = report.end.as_ref().filter(|_| !has_differences(report));
    let is_shown =
        report.summary.first().zip(headline).is_some_and(|(line, end)| *line == end.official);
    let lines = &report.summary[usize::from(is_shown)..];
    if !lines.is_empty() {
        writeln!(out)?;
    }
    for line in lines {
        writeln!(out, "{}", printable(line))?;
    }
    Ok(())
}

fn has_differences(report: &GameReport) -> bool {
    report.replay.as_ref().is_some_and(|replay| !replay.differences.is_empty())
}

fn headline(report: &GameReport, out: &mut dyn Write) -> io::Result<()> {
    let difference = report.replay.as_ref().and_then(|replay| replay.differences.first());
    if let Some(difference) = difference {
        let turn = difference.turn;
        writeln!(out, "{BAD}The replay differs from the log at turn {turn}.{BAD:#}")
    } else if let Some(end) = &report.end {
        let style = if end.won { GOOD } else { BAD };
        let line = winner(report).unwrap_or_else(|| words(report, &end.official));
        writeln!(out, "{style}{}{style:#}", printable(&line))
    } else {
        let turns = plural(report.turns.into(), "turn");
        writeln!(out, "{BAD}The game has not ended after {turns}.{BAD:#}")
    }
}

/// The winner of a game of several players, in words.
fn winner(report: &GameReport) -> Option<String> {
    let seats = &report.end.as_ref()?.seats;
    let best = seats.iter().map(|seat| seat.place).min()?;
    let first: Vec<(Seat, &str)> = (0..)
        .zip(report.start.bots().zip(seats))
        .filter(|(_, (_, end))| end.place == best)
        .map(|(seat, (bot, _))| (seat, bot.name.as_str()))
        .collect();
    Some(match first.as_slice() {
        [(seat, name)] => format!("{name} wins in seat {seat}"),
        all => {
            let seats = all.iter().map(|(seat, _)| seat.to_string()).collect::<Vec<_>>();
            format!("seats {} share the first place", seats.join(", "))
        }
    })
}

fn row(out: &mut dyn Write, label: &str, value: &str) -> io::Result<()> {
    writeln!(out, "  {LABEL}{label:<13}{LABEL:#} {}", printable(value))
}

fn response(response: &Response) -> String {
    let wall = duration(response.wall.0);
    match response.limit {
        Some(Millis(limit)) => format!("{wall} of {}", duration(limit)),
        None => format!("{wall}, no limit"),
    }
}

fn replay_rows(replay: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
    if !replay.complete {
        row(out, "incomplete", "the log stops before the end of the game")?;
    }
    if replay.differences.is_empty() {
        return row(out, "replay", "agrees with the log");
    }
    for found in replay.differences.iter().take(MAX_DIFFERENCES) {
        let Difference { turn, what, .. } = found;
        let (logged, refereed) = found.shown();
        row(out, "replay", &format!("differs from the log at turn {turn}: {what}"))?;
        row(out, "  in the log", &logged)?;
        row(out, "  by the rules", &refereed)?;
    }
    let more = replay.differences.len().saturating_sub(MAX_DIFFERENCES);
    if more > 0 {
        row(out, "", &format!("and {} more", plural(more as u64, "difference")))?;
    }
    Ok(())
}

/// Shows the standard error of a bot that lost, or of each one if that is wanted. Of a loser's output after its input was closed only the last line is shown, apart: it is a
/// consequence of the verdict, not its cause, unless a sanitizer reports what stopped the bot.
fn stderr(report: &GameReport, out: &mut dyn Write) -> io::Result<()> {
    if report.start.is_of_several() {
        for seat in report.shown_seats() {
            let end = report.end.as_ref().and_then(|end| end.seats.get(seat));
            let has_failed = end.is_none_or(|end| end.verdict != Verdict::Completed);
            let title = format!("the standard error of seat {seat}:");
            stderr_of(report, seat, has_failed, &title, out)?;
        }
        return Ok(());
    }
    let has_failed = !report.end.as_ref().is_some_and(|end| end.won);
    stderr_of(report, 0, has_failed, "the bot's standard error:", out)
}

fn stderr_of(
    report: &GameReport,
    seat: Seat,
    has_failed: bool,
    title: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stderr = &report.stderr[seat];
    let after = stderr.after_verdict();
    if !has_failed {
        let all = [stderr.before_verdict(), after].concat();
        return if report.shows_stderr { block(out, title, &all) } else { Ok(()) };
    }
    block(out, title, &stderr.before_verdict())?;
    if stderr.has_finding() {
        return block(out, "what it wrote after the verdict:", &after);
    }
    let Some(last) = after.last() else { return Ok(()) };
    let title = "after the verdict, when its input had been closed (not the cause):";
    writeln!(out, "\n  {LABEL}{title}{LABEL:#} {}", printable(last.trim()))
}

fn block(out: &mut dyn Write, title: &str, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  {LABEL}{title}{LABEL:#}")?;
    lines.iter().try_for_each(|line| writeln!(out, "    {}", printable(line)))
}
