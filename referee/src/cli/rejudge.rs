//! `referee replay --rejudge`: the game's judge hears the replies of a log again.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use contain::cancel::Canceller;

use super::{Failure, exit, inputs, interrupt, print, signals};
use report::Format;
use results::gamelog::Log;
use results::replay::{Difference, Replayed, rejudge};
use rules::game::judge::JudgeProgram;
use rules::game::{GameKind, JudgeFailure, Placement, TestCase};
use terms::text::{plural, printable};

pub(super) fn run(path: &Path, log: &Log, format: Format) -> Result<ExitCode, Failure> {
    let Some(judge) = &log.start.judge else {
        let problem =
            "--rejudge: this game has no judge program; without the flag its rules are applied";
        return Err(Failure::file(path, problem));
    };
    let kind = inputs::game(Some(&log.start.game))?;
    if !JudgeProgram::are_alike(kind.judge.as_ref(), Some(judge)) {
        log::warn!("the judge in the settings is not the one that the log names");
    }
    let replayed = again(log, &kind, path)?;
    print(|out| match format {
        Format::Json => {
            let Replayed { turns, difference, .. } = &replayed;
            let agrees = difference.is_none();
            let object =
                serde_json::json!({ "agrees": agrees, "turns": turns, "difference": difference });
            writeln!(out, "{object}")
        }
        _ => write_text(&replayed, out),
    })?;
    Ok(exit::code(replayed.difference.is_none()))
}

fn again(log: &Log, kind: &GameKind, path: &Path) -> Result<Replayed, Failure> {
    let case = (kind.parse)(&log.start.test_case);
    let case = case.map_err(|error| Failure::place(path, format!("1: {error}")))?;
    let again = judged_again(log, &case, &interrupt()?)?;
    again.ok_or_else(|| {
        let what = "starts the bot itself, and cannot be given the replies of a log";
        Failure::Referee(JudgeFailure::new(what).into())
    })
}

/// Passes the replies of a log to a newly started judge; `None` if it takes them from a bot alone.
pub(super) fn judged_again(
    log: &Log,
    case: &TestCase,
    interrupt: &Canceller,
) -> Result<Option<Replayed>, Failure> {
    let place = Placement { alarm: Some(interrupt.alarm()), ..Placement::default() };
    let again = case.start(&place).and_then(|game| rejudge(log, game));
    again.map_err(|trouble| match interrupt.cancelled().map(signals::signal) {
        Some(signal) => Failure::Interrupted { signal, kept: String::new() },
        None => Failure::Referee(trouble.into()),
    })
}

fn write_text(replayed: &Replayed, out: &mut dyn Write) -> io::Result<()> {
    let Some(found) = &replayed.difference else {
        let turns = plural(replayed.turns.into(), "turn");
        return writeln!(out, "The judge's messages are the same as in the log: {turns}.");
    };
    let Difference { turn, what, .. } = found;
    let (logged, refereed) = found.shown();
    writeln!(out, "The judge says something else at turn {turn}: {what}")?;
    writeln!(out, "  in the log  {}", printable(&logged))?;
    writeln!(out, "  now         {}", printable(&refereed))
}
