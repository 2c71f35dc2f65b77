//! Why the system refused to execute a program.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

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
            Some(Errno::NOEXEC) if begins_with_mark(path) => SpawnError::ByteOrderMark(file),
            Some(Errno::NOEXEC) => SpawnError::NoProgram(file),
            Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN) => {
                SpawnError::resources(file, error)
            }
            errno => {
                let why = match errno {
                    Some(Errno::ACCESS) => self.why_denied(path),
                    Some(Errno::TXTBSY) => Some(IS_WRITTEN.to_owned()),
                    _ => None,
                };
                SpawnError::Refused { program: file, why: why.unwrap_or_default(), source: error }
            }
        }
    }

    /// What keeps the bot from executing a file, or the interpreter that the file's first line names.
    fn why_denied(&self, path: &Path) -> Option<String> {
        let interpreter = || {
            let line = BufReader::new(File::open(path).ok()?.take(256)).lines().next()?.ok()?;
            let words = line.strip_prefix("#!")?.trim_start();
            Some(PathBuf::from(words.split([' ', '\t']).next()?))
        };
        self.forbids_execution(path).or_else(|| {
            let interpreter = interpreter().filter(|it| it.exists())?;
            let is_missing = || format!("{} is not executable", interpreter.display());
            let found = self.forbids_execution(&interpreter);
            found.or_else(|| (!is_executable(&interpreter)).then(is_missing))
        })
    }
}

/// Why a file that is open for writing cannot be executed.
const IS_WRITTEN: &str = "another program, such as a compiler, is still writing to it";

/// Whether a file begins with a byte order mark (U+FEFF), as some editors write it.
fn begins_with_mark(file: &Path) -> bool {
    let mut first = [0; 3];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == "\u{feff}".as_bytes()
}
