//! A referee of CodinGame's SDK that repeats a recorded conversation. It writes the referee's lines, and compares what it reads
//! with the host's lines. At the first byte that differs it prints the number of the line and exits with status 1.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// `codingame FILE`: repeats the conversation of a file.
pub(crate) fn run(words: impl Iterator<Item = String>) -> ExitCode {
    match &words.collect::<Vec<_>>()[..] {
        [file] => exit_code(repeat(file.as_ref())),
        words => exit_code(Err(format!("one file, not {words:?}"))),
    }
}

/// Prints what is wrong, if anything is.
pub(crate) fn exit_code(result: Result<(), impl Display>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// Repeats the conversation in `file`. Lines of the host begin with `>>> `, and remarks with `# `.
pub(crate) fn repeat(file: &Path) -> Result<(), String> {
    let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut input = BufReader::new(io::stdin());
    let mut output = BufWriter::new(io::stdout());
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    for (index, line) in lines.enumerate().filter(|(_, line)| !line.starts_with(b"# ")) {
        let differs = |found: &[u8], expected: &str| {
            let found = String::from_utf8_lossy(found);
            let found = found.lines().next().unwrap_or("nothing more");
            format!("{}:{}: the host wrote {found:?}, not {expected}", file.display(), index + 1)
        };
        if let Some(expected) = line.strip_prefix(b">>> ") {
            output.flush().map_err(|error| error.to_string())?;
            let mut found = Vec::new();
            input.read_until(b'\n', &mut found).map_err(|error| error.to_string())?;
            if found != expected {
                let expected = format!("{:?}", String::from_utf8_lossy(expected));
                return Err(differs(&found, &expected));
            }
        } else if input.buffer().is_empty() {
            output.write_all(line).map_err(|error| error.to_string())?;
        } else {
            return Err(differs(input.buffer(), "nothing before the referee's line"));
        }
    }
    output.flush().map_err(|error| error.to_string())
}

/// A block of the SDK: its name, and its lines.
pub(crate) fn block(name: &str, lines: &[&str]) -> String {
    let lines = lines.iter();
    lines.clone().fold(format!("[[{name}] {}]\n", lines.len()), |text, line| text + line + "\n")
}
