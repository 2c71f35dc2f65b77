//! Completion in bash, whose own words end at `@`, `:` and `=` too.
//!
//! Such words look like words between blanks. So the script passes the line up to the cursor, with
//! the part that bash will replace, and the line is split here.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap_complete::engine;
use clap_complete::env::EnvCompleter;

/// Bash, since 4.4.
pub(super) struct Bash;

const SCRIPT: &str = r#"_complete_NAME() {
    mapfile -t COMPREPLY < <(VARIABLE=bash COMPLETER -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=] ]]; then
        compopt -o nospace
    fi
}
complete -o default -o nosort -F _complete_NAME NAME
"#;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        program: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let completer = shlex::try_quote(completer).map_err(io::Error::other)?;
        let script = SCRIPT.replace("NAME", program).replace("VARIABLE", variable);
        out.write_all(script.replace("COMPLETER", &completer).as_bytes())
    }

    fn write_complete(
        &self,
        cli: &mut clap::Command,
        args: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        let [line, replaced] = args.as_slice() else {
            return Err(io::Error::other("not called by the script of `referee completions bash`"));
        };
        let TypedLine { words, is_quoted } = TypedLine::split(line);
        let current = words.last().cloned().unwrap_or_default();
        // Bash keeps the text before the part that it replaces.
        let kept = current.strip_suffix(replaced.as_ref()).unwrap_or_default();
        let index = words.len().saturating_sub(1);
        let words = words.iter().map(OsString::from).collect();
        for candidate in engine::complete(cli, words, index, folder)? {
            let value = candidate.get_value().to_string_lossy();
            let Some(rest) = value.strip_prefix(kept) else { continue };
            if is_quoted {
                writeln!(out, "{rest}")?;
            } else {
                writeln!(out, "{}", escaped(rest))?;
            }
        }
        Ok(())
    }
}

/// A line that is being typed.
#[derive(Debug, PartialEq, Eq)]
struct TypedLine {
    /// Its words; the last one is to be completed.
    words: Vec<String>,
    /// Whether the last one is in quotes that are still open.
    is_quoted: bool,
}

impl TypedLine {
    fn split(line: &str) -> Self {
        // A letter at the end is part of the last word, and keeps an empty one.
        let closed = ["", "'", "\""].map(|quote| shlex::split(&format!("{line}x{quote}")));
        let open = closed.iter().position(Option::is_some).unwrap_or_default();
        let mut words = closed.into_iter().flatten().next().unwrap_or_default();
        if let Some(last) = words.last_mut() {
            last.pop();
        }
        Self { words, is_quoted: open > 0 }
    }
}

/// Text with a backslash before each character that a shell would interpret.
fn escaped(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || !c.is_ascii() || "@%+=:,./_-".contains(c);
    let escape = |c: char| if is_plain(c) { c.to_string() } else { format!("\\{c}") };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_as_far_as_it_is_typed() {
        for (line, words, is_quoted) in [
            ("referee ", &["referee", ""][..], false),
            ("referee pl", &["referee", "pl"], false),
            ("referee play --bot=@gr", &["referee", "play", "--bot=@gr"], false),
            ("referee play --bot 'py x' --b", &["referee", "play", "--bot", "py x", "--b"], false),
            ("referee play --bot 'py x", &["referee", "play", "--bot", "py x"], true),
            ("referee play --bot \"it's ", &["referee", "play", "--bot", "it's "], true),
            ("referee play --board a\\ b", &["referee", "play", "--board", "a b"], false),
        ] {
            let words = words.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(TypedLine::split(line), TypedLine { words, is_quoted }, "{line}");
        }
    }

    #[test]
    fn a_shell_reads_escaped_text_as_it_was() {
        for text in ["plain/path-1.txt", "a b", "it's $HOME; \"x\" `y` \\ * ~ ü"] {
            assert_eq!(shlex::split(&escaped(text)).expect("words"), [text]);
        }
    }
}
