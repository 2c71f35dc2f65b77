//! Command lines that only a shell understands, which no program here gives them to.

use toml::Value;

use terms::system::is_path;
use terms::text::shell_word;

/// Words that are operators of a shell.
const OPERATORS: [&str; 11] = ["|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", "|&"];

/// What only a shell understands in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellSyntax {
    /// An operator, such as `|`.
    Operator {
        /// The operator, with the name of a file if that follows without a blank.
        operator: String,
        /// The program that would get it as a word.
        program: String,
    },
    /// A word such as `$(date)`, which a shell replaces by the output of a command.
    Substitution(String),
    /// A `~` at the start of a word.
    Home {
        /// The line with the user's home in its place.
        line: String,
    },
    /// A word with a variable.
    Variable(String),
    /// A variable that is set before the program.
    Assignment {
        /// Its name.
        name: String,
        /// The value that a shell would set it to.
        value: String,
        /// The rest of the line.
        rest: String,
    },
}

impl ShellSyntax {
    /// Finds it in a line that is split into these words. What is quoted is left alone, except where a shell replaces it.
    pub fn find(line: &str, words: &[&str]) -> Option<Self> {
        let program = *words.first()?;
        let bare: Vec<&str> = line.split_whitespace().filter(|word| words.contains(word)).collect();
        if let Some(operator) = bare.iter().find_map(|word| operator(word)) {
            let program = words.iter().find(|word| assignment(word).is_none()).unwrap_or(&program);
            let (operator, program) = (operator.to_owned(), (*program).to_owned());
            return Some(Self::Operator { operator, program });
        }
        // A shell replaces these between double quotes too.
        let unquoted = line.split_whitespace().map(|word| word.replace('"', ""));
        let unquoted: Vec<String> =
            unquoted.filter(|word| words.contains(&word.as_str())).collect();
        if let Some(word) = unquoted.iter().find(|word| word.contains("$(") || word.contains('`')) {
            return Some(Self::Substitution(word.clone()));
        }
        if let Some((word, rest)) =
            bare.iter().find_map(|word| Some((word, word.strip_prefix("~/")?)))
        {
            let home = std::env::home_dir()?.join(rest);
            let line = line.replacen(*word, &home.to_string_lossy(), 1);
            return Some(Self::Home { line });
        }
        let is_variable = |word: &&String| {
            let (before, after) = word.split_once('$').unwrap_or_default();
            let is_whole = before.is_empty() || before.ends_with('=') || *word == program;
            is_whole && after.starts_with(|c: char| c == '{' || c == '_' || c.is_alphabetic())
        };
        if let Some(word) = unquoted.iter().find(is_variable) {
            return Some(Self::Variable(word.clone()));
        }
        let (name, value) = assignment(program)?;
        let rest = line.trim_start();
        // Its value may be quoted.
        let rest = match rest.strip_prefix(program) {
            Some(rest) => rest.trim_start().to_owned(),
            None if rest.strip_prefix(name)?.starts_with('=') => {
                words[1..].iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
            }
            None => return None,
        };
        let (name, value) = (name.to_owned(), value.to_owned());
        Some(Self::Assignment { name, value, rest })
    }

    /// What is wrong.
    pub fn problem(&self) -> String {
        match self {
            Self::Operator { operator, program } => {
                format!("no shell runs, so `{operator}` would be a word for {program}")
            }
            Self::Substitution(word) => {
                format!("no shell runs here to replace `{word}` with a command's output")
            }
            Self::Home { .. } => "no shell runs here to replace `~`".to_owned(),
            Self::Variable(program) => {
                format!("no shell runs here to replace the variable in `{program}`")
            }
            Self::Assignment { name, .. } => format!("no shell runs here to set `{name}`"),
        }
    }

    /// What is wrong, and what to write in the settings instead of `command = "LINE"`.
    pub fn in_settings(&self, line: &str) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let instead = match self {
            Self::Operator { .. } | Self::Substitution(_) | Self::Variable(_) => {
                quoted(&format!("sh -c {}", shell_word(line)))
            }
            Self::Home { line } => quoted(line),
            Self::Assignment { name, value, rest } => {
                format!("{} and env = {{ {name} = {} }}", quoted(rest), quoted(value))
            }
        };
        format!("{}; write command = {instead}", self.problem())
    }
}

/// The operator in a word without quotes: the word itself, or a `;` at its end, or a redirection with its file.
fn operator(word: &str) -> Option<&str> {
    let after_number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_redirection = after_number.starts_with('>')
        || word.starts_with("&>")
        || word.starts_with('<') && !word.ends_with('>');
    if OPERATORS.contains(&word) || is_redirection {
        return Some(word);
    }
    word.ends_with(';').then_some(";")
}

/// The name and the value that a word before the program sets.
fn assignment(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, _)| !is_path(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_what_to_write() {
        let home = std::env::home_dir().expect("a home").display().to_string();
        for (line, expected) in [
            (
                "PULL=1 python3 a.py",
                "here to set `PULL`; write command = \"python3 a.py\" and env = { PULL = \"1\" }",
            ),
            (
                "A=1 ./b 2> log",
                "so `2>` would be a word for ./b; write command = \"sh -c 'A=1 ./b 2> log'\"",
            ),
            ("./b >log", "so `>log` would be a word for ./b; write command = \"sh -c './b >log'\""),
            (
                "./b $(nproc)",
                "replace `$(nproc)` with a command's output; write command = \"sh -c './b $(nproc)'\"",
            ),
            (
                "./b `nproc`",
                "replace ``nproc`` with a command's output; write command = \"sh -c './b `nproc`'\"",
            ),
            ("$HOME/b", "in `$HOME/b`; write command = \"sh -c '$HOME/b'\""),
            ("~/b -d 3", &format!("write command = \"{home}/b -d 3\"")),
            ("./b ~/w 3", &format!("write command = \"./b {home}/w 3\"")),
            ("./b -w=$HOME/w", "in `-w=$HOME/w`; write command = \"sh -c './b -w=$HOME/w'\""),
            (
                "./b \"$HOME/w\" 3",
                "in `$HOME/w`; write command = \"\"\"sh -c './b \"$HOME/w\" 3'\"\"\"",
            ),
            ("A='b c' ./b 'd e'", "= \"./b 'd e'\" and env = { A = \"b c\" }"),
        ] {
            let words = terms::system::split_words(line).expect("words");
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let found = ShellSyntax::find(line, &words).expect(line).in_settings(line);
            assert!(found.contains(expected), "{line}: {found}");
        }
        for line in [
            "./b '$HOME' \\$HOME \">\"",
            "./b '>' ';'",
            "sh -c 'a && b $(c) `d`'",
            "./b x=1 <none> a$b",
            "a/b=c",
        ] {
            let words = terms::system::split_words(line).expect("words");
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(ShellSyntax::find(line, &words), None, "{line}");
        }
    }
}
