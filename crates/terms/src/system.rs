//! What differs between operating systems in files, paths and command lines. Outside of `contain`, only this file and the start
//! of the console ask which system it is.

use std::ffi::{OsStr, OsString};
#[cfg(not(unix))]
use std::fs;
use std::fs::{Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Whether programs start as on Windows, by the ending of their name.
pub const IS_WINDOWS: bool = cfg!(windows);

/// The character between the paths of a list, such as a class path.
pub const LIST_SEPARATOR: char = if IS_WINDOWS { ';' } else { ':' };

/// For how long to try to replace a file: Windows refuses it while another process has the old one open, as readers do for a
/// moment.
pub const REPLACE_PATIENCE: Duration = Duration::from_secs(if IS_WINDOWS { 5 } else { 0 });

/// Whether a file could not be put in place because another process has it open: a reader of the old file or, on Windows, a scanner
/// that looks at the new one.
pub fn is_held(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    error.kind() == io::ErrorKind::PermissionDenied
        || IS_WINDOWS && error.raw_os_error() == Some(SHARING_VIOLATION)
}

/// Whether scripts are for `cmd`, rather than for a shell of Unix.
pub const IS_FOR_CMD: bool = IS_WINDOWS;

/// The usual name here of a compiler or an interpreter that has this one on Unix.
pub fn program_name(on_unix: &str) -> &str {
    match on_unix {
        "cc" if IS_WINDOWS => "gcc",
        "c++" if IS_WINDOWS => "g++",
        "python3" if IS_WINDOWS => "python",
        other => other,
    }
}

/// What has Java, and others, write UTF-8 whatever the user's locale is.
pub const UTF8_ENVIRONMENT: &[(&str, &str)] = if IS_WINDOWS {
    &[("JAVA_TOOL_OPTIONS", "-Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8"), ("PYTHONUTF8", "1")]
} else if cfg!(target_os = "macos") {
    // Before macOS 15 there is no C.UTF-8.
    &[("LC_ALL", "en_US.UTF-8")]
} else {
    &[("LC_ALL", "C.UTF-8")]
};

/// The system's shell with a line for it.
#[cfg(windows)]
pub fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt as _;

    let mut shell = Command::new("cmd");
    // The outer quotes go, and all within stays as it is.
    shell.args(["/D", "/S", "/C"]).raw_arg(format!("\"{line}\""));
    shell
}

/// The system's shell with a line for it.
#[cfg(not(windows))]
pub fn shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    shell
}

/// Changes whenever a file's content does: its place, its size and its times, if the system has these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    /// Changes when the file is written or replaced.
    #[cfg(unix)]
    pub fn of(data: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;

        Self {
            file: (data.dev(), data.ino()),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }

    /// Changes when the file is written or replaced.
    #[cfg(windows)]
    pub fn of(data: &Metadata) -> Self {
        use std::os::windows::fs::MetadataExt as _;

        let time = |time: u64| (time.cast_signed(), 0);
        Self {
            file: (0, 0),
            size: data.file_size(),
            modified: time(data.last_write_time()),
            changed: time(data.creation_time()),
        }
    }
}

/// The file next to `file` whose lock stands for a lock on `file` itself. `None` where others can read a file that is locked: on
/// Windows they cannot.
pub fn lock_beside(file: &Path) -> Option<PathBuf> {
    IS_WINDOWS.then(|| {
        let mut name = OsString::from(file);
        name.push(".lock");
        name.into()
    })
}

/// Makes a link `at` a place to `target`, which is an absolute path or one from there.
///
/// # Errors
/// When the place is taken, or the system refuses it.
#[cfg(unix)]
pub fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

/// Makes a link `at` a place to `target`, which is an absolute path or one from there: symbolic links need a right of their own, so a
/// file is linked in the file system or copied, and so are all files of a folder.
///
/// # Errors
/// When the place is taken, there is nothing to link to, or the system refuses it.
#[cfg(not(unix))]
pub fn link(target: &Path, at: &Path) -> io::Result<()> {
    let target = crate::path::folder_of(at).join(target);
    if !target.is_dir() {
        return match fs::hard_link(&target, at) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                fs::copy(&target, at).map(drop)
            }
            made => made,
        };
    }
    fs::create_dir(at)?;
    for entry in fs::read_dir(&target)? {
        let entry = entry?;
        link(&entry.path(), &at.join(entry.file_name()))?;
    }
    Ok(())
}

/// Whether a word is the path of a file rather than a name that is looked up. On Windows a drive makes it one too.
pub fn is_path(word: impl AsRef<OsStr>) -> bool {
    let marks: &[u8] = if IS_WINDOWS { b"/\\:" } else { b"/" };
    word.as_ref().as_encoded_bytes().iter().any(|byte| marks.contains(byte))
}

/// Splits a command line into words as users of this system write them; `None` if a quote is not closed, or on Unix a backslash
/// ends the line.
pub fn split_words(line: &str) -> Option<Vec<String>> {
    if IS_WINDOWS { split_as_on_windows(line) } else { shlex::split(line) }
}

/// Backslashes are ordinary characters, except before a double quote, as programs there split their own lines. A single quote quotes too
/// where it begins a word, since settings are written on other systems as well.
fn split_as_on_windows(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let (mut word, mut quote): (Option<String>, Option<char>) = (None, None);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote != Some('\'') => {
                let mut count = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    count += 1;
                }
                let word = word.get_or_insert_default();
                if chars.peek() == Some(&'"') {
                    word.extend(std::iter::repeat_n('\\', count / 2));
                    if count % 2 == 1 {
                        word.extend(chars.next());
                    }
                } else {
                    word.extend(std::iter::repeat_n('\\', count));
                }
            }
            c if quote == Some(c) => quote = None,
            '"' if quote.is_none() => (quote, word) = (Some(c), Some(word.unwrap_or_default())),
            '\'' if word.is_none() => (quote, word) = (Some(c), Some(String::new())),
            c if c.is_whitespace() && quote.is_none() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Quotes text so that a shell, and [`split_words`], take it as one word.
pub fn quoted_word(text: &str) -> String {
    if !IS_WINDOWS {
        // Neither a path nor an argument can hold a NUL, the only character that has no quoted form.
        return shlex::try_quote(text).map_or_else(|_| text.to_owned(), Into::into);
    }
    quoted_as_on_windows(text)
}

fn quoted_as_on_windows(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "\\/:._-+=@,~".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let (mut quoted, mut backslashes) = ("\"".to_owned(), 0);
    for c in text.chars() {
        if c == '"' {
            quoted.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        quoted.push(c);
    }
    quoted.extend(std::iter::repeat_n('\\', backslashes));
    quoted + "\""
}

/// The endings of programs that Windows starts by themselves, and that users leave out.
const PROGRAMS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// The file of a program: this one, or on Windows one with the ending that users leave out.
pub fn program_file(path: &Path) -> PathBuf {
    let with_ending = |ending| {
        let name: OsString =
            [path.as_os_str(), ".".as_ref(), OsStr::new(ending)].into_iter().collect();
        PathBuf::from(name)
    };
    if IS_WINDOWS && !is_executable(path) {
        let mut named = PROGRAMS.into_iter().map(with_ending);
        return named.find(|file| file.is_file()).unwrap_or_else(|| path.to_owned());
    }
    path.to_owned()
}

/// Whether the system executes a file that is there.
#[cfg(unix)]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Whether the system executes a file that is there, which its name tells.
#[cfg(not(unix))]
pub fn is_executable(file: &Path) -> bool {
    let ending = file.extension().and_then(OsStr::to_str);
    let is_known = |ending: &str| PROGRAMS.iter().any(|known| known.eq_ignore_ascii_case(ending));
    ending.is_some_and(is_known) && file.is_file()
}

/// The permissions to make a file with that the user's mask then restricts; `None` where files inherit these from their folder.
pub fn usual_permissions() -> Option<Permissions> {
    with_mode(0o666)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
fn with_mode(mode: u32) -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn with_mode(_mode: u32) -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_users_of_windows_write_them() {
        let words = |line| split_as_on_windows(line).map(|words| words.join("|"));
        for (line, expected) in [
            (r"C:\bots\a.exe --seed 3", r"C:\bots\a.exe|--seed|3"),
            (r#""C:\my bots\a.exe" x"#, r"C:\my bots\a.exe|x"),
            (r#"a.exe "b c\\" d"#, r"a.exe|b c\|d"),
            (r#"say \"hi\""#, r#"say|"hi""#),
            (r#"a "" b"#, "a||b"),
            (r"python 'my bot.py' it's", "python|my bot.py|it's"),
            ("  a\tb  ", "a|b"),
            (r"\\server\share\bot.exe", r"\\server\share\bot.exe"),
        ] {
            assert_eq!(words(line).as_deref(), Some(expected), "{line}");
        }
        assert_eq!([words("\"a"), words("'a b")], [None, None]);
        assert_eq!(words(""), Some(String::new()));
    }

    #[test]
    fn what_is_quoted_is_one_word() {
        for text in ["a", "", "a b", r"C:\a b\", r#"say "hi""#, r#"\\"x"#, "it's", "a;b", "ä ö"] {
            let quoted = quoted_as_on_windows(text);
            assert_eq!(split_as_on_windows(&quoted), Some(vec![text.to_owned()]), "{quoted}");
        }
    }
}
