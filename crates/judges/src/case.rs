//! The test case of a program that takes it as a file or as a seed.

use std::path::Path;

use fs_err as fs;

use contain::bot::Scratch;
use rules::game::judge::{Case, Drawing, Trouble};

use crate::command::JudgeCommand;

/// The name of the case's file in the scratch folder.
pub(crate) const CASE_FILE: &str = "referee-case.txt";

/// The placeholders of a case, with their values; writes the case's file if the command wants one.
pub(crate) fn place(
    case: &Case,
    command: &JudgeCommand,
    scratch: &Scratch,
) -> Result<Vec<(&'static str, String)>, Trouble> {
    match case {
        Case::Seed(seed) if command.has("{case}") => Err(Trouble::new(format!(
            "its command takes a `{{case}}`, and seed {seed} has no file"
        ))),
        Case::Seed(seed) => {
            Ok(vec![("{seed}", seed.to_string()), ("{seed04}", format!("{seed:04}"))])
        }
        Case::Text(text) => {
            let file = write(scratch, CASE_FILE, text.as_bytes())?;
            Ok(vec![("{case}", file)])
        }
    }
}

/// Writes a file of the scratch folder; returns its path.
pub(crate) fn write(scratch: &Scratch, name: &str, content: &[u8]) -> Result<String, Trouble> {
    let file = scratch.path().join(name);
    fs::write(&file, content).map_err(|error| Trouble::new(error.to_string()))?;
    Ok(file.display().to_string())
}

/// Whether a file is not to be linked into the scratch folder: one that the referee writes there, or a picture, which
/// the judge may write over.
pub(crate) fn is_written_anew(file: &Path) -> bool {
    let is_own = file.to_string_lossy().starts_with("referee-");
    is_own || Drawing::has_ending(file)
}
