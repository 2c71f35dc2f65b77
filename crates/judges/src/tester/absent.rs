//! Games with testers that start the bot, which need the relay of Linux.

use rules::game::judge::Case;
use rules::game::{JudgeFailure, Placement, Referee};

use super::Tester;

/// Refuses the game.
pub(super) fn start(
    _tester: &Tester,
    _case: &Case,
    _place: &Placement,
) -> Result<Box<dyn Referee>, JudgeFailure> {
    let remedy =
        "play it in WSL 2 on Windows, or in a virtual machine or a container with Linux elsewhere";
    let what = "a tester that starts the bot itself needs Linux";
    Err(JudgeFailure { remedy: Some(remedy.to_owned()), ..JudgeFailure::new(what) })
}
