//! Why the system refused to execute a program.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;

use windows_sys::Win32::Foundation::{
    ERROR_BAD_EXE_FORMAT, ERROR_COMMITMENT_LIMIT, ERROR_EXE_MACHINE_TYPE_MISMATCH,
    ERROR_NO_SYSTEM_RESOURCES, ERROR_NOT_ENOUGH_MEMORY,
};

use super::command::BotCommand;
use super::error::SpawnError;

/// What runs scripts with these endings.
const SCRIPTS: [(&str, &str); 6] = [
    ("jar", "java -jar"),
    ("js", "node"),
    ("ps1", "powershell -File"),
    ("py", "py"),
    ("rb", "ruby"),
    ("sh", "bash"),
];

impl BotCommand {
    pub(super) fn explain_exec(&self, path: &Path, error: io::Error) -> SpawnError {
        let file = path.to_owned();
        let ending = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        let script = SCRIPTS.iter().find(|(known, _)| Some(*known) == ending.as_deref());
        match error.raw_os_error().map(i32::cast_unsigned) {
            _ if path.is_dir() => SpawnError::Directory(file),
            _ if error.kind() == ErrorKind::NotFound && self.is_path() => {
                SpawnError::NoSuchFile(file)
            }
            _ if error.kind() == ErrorKind::NotFound => SpawnError::NotInPath(file),
            Some(ERROR_BAD_EXE_FORMAT | ERROR_EXE_MACHINE_TYPE_MISMATCH) => match script {
                Some((_, runs)) => SpawnError::Script { file, runs },
                None => SpawnError::NoProgram(file),
            },
            Some(ERROR_COMMITMENT_LIMIT | ERROR_NO_SYSTEM_RESOURCES | ERROR_NOT_ENOUGH_MEMORY) => {
                SpawnError::resources(file, error)
            }
            _ => SpawnError::Refused { program: file, why: String::new(), source: error },
        }
    }
}
