//! What to type after an error: the library's errors know no command line.

use std::error::Error;

use contain::bot::Unavailable;
use engine::play::PlayError;
use engine::suite::{BotError, PoolError, RunError};
use results::compare::NoLogarithm;
use results::gamelog::OpenError;
use results::suite::FolderError;
#[cfg(test)]
use rules::game::judge::Trouble;

const GO_ON: &str = "; the results so far are kept, and --resume goes on from them";

/// In a line of its own: what the judge wrote comes before.
const MISSING_JAR: &str = "\n`referee init --codingame FOLDER` names the jars that a game needs";

const OTHER_SCORES: &str = "; take --score points, ratio or rank";

/// The end of the error's sentence.
pub(super) fn remedy(error: &anyhow::Error) -> &'static str {
    error.chain().find_map(of_cause).unwrap_or_default()
}

fn of_cause(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let of_run = cause.downcast_ref().and_then(of_run);
    let of_folder = || cause.downcast_ref().and_then(of_folder);
    let of_log = || cause.downcast_ref().and_then(of_log);
    let of_score = || cause.is::<NoLogarithm>().then_some(OTHER_SCORES);
    let of_method = || cause.downcast_ref().and_then(of_method);
    let of_game = || cause.downcast_ref().and_then(of_game);
    of_run.or_else(of_folder).or_else(of_log).or_else(of_score).or_else(of_method).or_else(of_game)
}

/// These are transparent: what they hold is not among their causes.
fn of_run(error: &RunError) -> Option<&'static str> {
    match error {
        RunError::Folder(error) => of_folder(error),
        RunError::Game(PoolError::Keep(_)) => Some(GO_ON),
        RunError::Bot(BotError::Containment(error)) => of_method(error),
        _ => None,
    }
}

fn of_folder(error: &FolderError) -> Option<&'static str> {
    match error {
        FolderError::Exists(_) => {
            Some("; choose another folder, or resume the run in it with --resume")
        }
        FolderError::Damaged { .. } => {
            Some("; delete this line, and --resume plays its game again")
        }
        FolderError::Write(_) => Some(GO_ON),
        _ => None,
    }
}

fn of_log(error: &OpenError) -> Option<&'static str> {
    match error {
        OpenError::NotALog(_) => Some("; remove it or choose another name for --log"),
        OpenError::InUse(_) => Some("; choose another name for --log"),
        _ => None,
    }
}

fn of_method(error: &Unavailable) -> Option<&'static str> {
    let is_method = matches!(error, Unavailable::Method { .. });
    is_method.then_some("; `referee doctor` shows what this host offers")
}

fn of_game(error: &PlayError) -> Option<&'static str> {
    let PlayError::Judge(trouble) = error else { return None };
    let remedy = trouble.remedy.as_deref().unwrap_or_default();
    remedy.contains("a jar is missing").then_some(MISSING_JAR)
}

#[test]
fn a_missing_jar_is_named_by_a_command() {
    let remedy = Some("a jar is missing on the class path".to_owned());
    let trouble = Trouble { remedy, ..Trouble::new("failed") };
    assert_eq!(self::remedy(&PlayError::Judge(trouble).into()), MISSING_JAR);
    assert_eq!(self::remedy(&PlayError::Judge(Trouble::new("failed")).into()), "");
}
