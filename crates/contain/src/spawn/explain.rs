//! Why the system refused to execute a program.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::io::Errno;

use super::command::BotCommand;
use super::error::SpawnError;
use terms::system::is_executable;

impl BotCommand {
    pub(super) fn explain_exec(&self, path: &Path, error: io::Error) -> SpawnError {
        let file = path.to_owned();
        let is_dir = path.is_dir();
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT) if path.exists() => SpawnError::NoInterpreter(file),
            Some(Errno::NOENT) if self.is_path() => SpawnError::NoSuchFile(file),
            Some(Errno::NOENT) => SpawnError::NotInPath(file),
            Some(Errno::ACCESS) if is_dir => SpawnError::Directory(file),
            Some(Errno::ACCESS) if path.exists() && !is_executable(path) => {
                SpawnError::NotExecutable(file)
            }
            Some(Errno::ACCESS) if self.runs_as_nobody() => SpawnError::NotForNobody(file),
            Some(Errno::NOEXEC) if begins_with_mark(path) => SpawnError::ByteOrderMark(file),
            Some(Errno::NOEXEC) => SpawnError::NoProgram(file),
            Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN) => {
                SpawnError::Resources { program: file, source: error }
            }
            _ => SpawnError::Refused { program: file, source: error },
        }
    }
}

/// Whether a file begins with a byte order mark (U+FEFF), as some editors write it.
fn begins_with_mark(file: &Path) -> bool {
    let mut first = [0; 3];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == "\u{feff}".as_bytes()
}
