//! Why a bot may not start.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a bot cannot be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum SpawnError {
    /// The working directory is missing or not a directory.
    Cwd(PathBuf),
    /// `PATH` holds no such program.
    NotInPath(PathBuf),
    /// The file does not exist.
    NoSuchFile(PathBuf),
    /// The file's interpreter is missing.
    NoInterpreter(PathBuf),
    /// The program is a folder.
    Directory(PathBuf),
    /// The file is not executable.
    NotExecutable(PathBuf),
    /// Only root may execute the file, but root's bots in a sandbox run as another user.
    NotForNobody(PathBuf),
    /// The file is neither a binary for this machine nor a script with a `#!` line.
    NoProgram(PathBuf),
    /// A word contains a NUL, which cannot be passed to a program.
    Nul(OsString),
    /// The system refuses the requested confinement.
    Confinement {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The system refuses for another reason.
    Refused {
        /// What should have been started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The referee itself lacks something: descriptors, memory, processes.
    Resources {
        /// What should have been started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot start the bot")?;
        match self {
            Self::Cwd(folder) => write!(f, " in {}: it is not a directory", folder.display()),
            Self::NotInPath(name) => write!(
                f,
                ": no program `{}` in PATH (for a file in the current directory write `./{0}`)",
                name.display()
            ),
            Self::NoSuchFile(file) => write!(f, ": no such file: {}", file.display()),
            Self::NoInterpreter(file) => write!(
                f,
                ": {} needs an interpreter that does not exist; see its first line, which must not end in CR LF \
                 (or the loader that a binary names)",
                file.display()
            ),
            Self::Directory(folder) => write!(f, ": {} is a directory", folder.display()),
            Self::NotExecutable(file) => {
                write!(f, ": {} is not executable (try `chmod +x {0}`)", file.display())
            }
            Self::NotForNobody(file) => write!(
                f,
                ": in a sandbox root's bots run as nobody, who may not execute {} (try `chmod o+rx` on it and \
                 its folder)",
                file.display()
            ),
            Self::NoProgram(file) => write!(
                f,
                ": {} is not a program for this machine (does a script lack its `#!` line?)",
                file.display()
            ),
            Self::Nul(word) => write!(f, ": {:?} holds a NUL character", word.to_string_lossy()),
            Self::Confinement { what, .. } => write!(f, ": {what} failed"),
            Self::Refused { program, .. } => write!(f, " `{}`", program.display()),
            Self::Resources { program, .. } => {
                write!(f, " `{}`: the referee is short of resources", program.display())
            }
        }
    }
}

impl Error for SpawnError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Confinement { source, .. }
            | Self::Refused { source, .. }
            | Self::Resources { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl SpawnError {
    /// The error for a name without a slash that names no program.
    pub fn not_in_path(name: &Path) -> Self {
        match name.to_str() {
            Some("." | "..") => Self::Directory(name.to_owned()),
            _ => Self::NotInPath(name.to_owned()),
        }
    }

    /// Whether the user can fix it with another command.
    pub fn is_user_error(&self) -> bool {
        !matches!(self, Self::Resources { .. })
    }
}
