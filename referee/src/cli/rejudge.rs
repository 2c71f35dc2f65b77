//! `referee replay --rejudge`: the game's judge hears the replies of a log again.

use std::path::Path;
use std::process::ExitCode;

use contain::cancel::Canceller;

use super::again::print_again;
use super::{Failure, inputs, interrupt, signals};
use report::Format;
use results::gamelog::Log;
use results::replay::{Replayed, rejudge};
use rules::game::judge::JudgeProgram;
use rules::game::{GameKind, JudgeFailure, Placement, TestCase};

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
    let told = ["The judge's messages are the same as in the log", "The judge says something else"];
    print_again(told, replayed.turns as usize, replayed.difference.as_ref(), format)
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
