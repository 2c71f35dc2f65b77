//! The exit codes that scripts rely on.

use std::process::ExitCode;

/// The game was completed, the replay agrees, or no bot is worse.
pub(super) const OK: u8 = 0;

/// A bot lost or is worse, or the replay differs.
pub(super) const LOST: u8 = 1;

/// The user's input is wrong: flags, board, settings, or a bot that cannot be started. Clap uses the same
/// code for a command line that does not parse.
pub(super) const USER_ERROR: u8 = 2;

/// The referee or its machine failed, or a signal stopped it.
pub(super) const REFEREE_ERROR: u8 = 3;

/// Their description in `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0  the game was completed; the replay agrees; a comparison is undecided
  1  a bot lost (illegal move, timeout, crash) or is worse; the replay differs; games are missing
  2  invalid input: flags, board, settings, or the bot cannot be started
  3  the referee, its machine or a judge failed

Environment:
  NO_COLOR     disables colours
  REFEREE_LOG  overrides -v, with a level such as `debug` or `off`";

/// The exit code for a good or a bad result.
pub(super) fn code(is_fine: bool) -> ExitCode {
    ExitCode::from(if is_fine { OK } else { LOST })
}
