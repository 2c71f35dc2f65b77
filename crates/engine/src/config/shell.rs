//! Command lines that only a shell understands, which no program here gives them to.

use toml::Value;

use terms::system::is_path;
use terms::text::shell_word;

/// Words that are operators of a shell.
const OPERATORS: [&str; 11] = ["|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", "|&"];

/// What only a shell understands in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellSyntax {
    /// What is wrong.
    pub problem: String,
    /// The line that starts a shell for it.
    pub instead: String,
}

impl ShellSyntax {
    /// Finds it in a line that is split into these words. What is quoted is left alone, except where a shell replaces it.
    pub fn find(line: &str, words: &[&str]) -> Option<Self> {
        let program = *words.first()?;
        let bare = || line.split_whitespace().filter(|word| words.contains(word));
        // A shell replaces variables and commands between double quotes too.
        let unquoted = line.split_whitespace().map(|word| word.replace('"', ""));
        let mut unquoted = unquoted.filter(|word| words.contains(&word.as_str()));
        let is_replaced = |word: &String| {
            let (before, after) = word.split_once('$').unwrap_or_default();
            let is_whole = before.is_empty() || before.ends_with('=') || *word == program;
            let is_variable =
                after.starts_with(|c: char| c == '{' || c == '_' || c.is_alphabetic());
            word.contains("$(") || word.contains('`') || is_whole && is_variable
        };
        let word = bare()
            .find_map(operator)
            .or_else(|| bare().find(|word| word.starts_with("~/")))
            .map(str::to_owned)
            .or_else(|| unquoted.find(is_replaced))
            .or_else(|| is_assignment(line, program).then(|| program.to_owned()))?;
        Some(Self {
            problem: format!("no shell runs here, which `{word}` needs"),
            instead: format!("sh -c {}", shell_word(line)),
        })
    }

    /// What is wrong, and what to write in the settings instead of the line.
    pub fn in_settings(&self) -> String {
        format!("{}; write command = {}", self.problem, Value::from(self.instead.as_str()))
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

/// Whether the first word sets a variable. Its value may be quoted.
fn is_assignment(line: &str, word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !is_path(name) && line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_a_shell_is_given_to_one() {
        let find = |line: &str| {
            let words = terms::system::split_words(line).expect("words");
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            ShellSyntax::find(line, &words)
        };
        for (line, word) in [
            ("PULL=1 python3 a.py", "PULL=1"),
            ("A=1 ./b 2> log", "2>"),
            ("./b >log", ">log"),
            ("cd x; ./b", ";"),
            ("./b $(nproc)", "$(nproc)"),
            ("./b `nproc`", "`nproc`"),
            ("$HOME/b", "$HOME/b"),
            ("./b ~/w 3", "~/w"),
            ("./b -w=$HOME/w", "-w=$HOME/w"),
            ("./b \"$HOME/w\" 3", "$HOME/w"),
            ("A='b c' ./b", "A=b c"),
        ] {
            let found = find(line).expect(line).in_settings();
            let expected = format!("no shell runs here, which `{word}` needs; write command = ");
            let said = found.strip_prefix(&expected).expect(&found);
            let settings: toml::Table = format!("command = {said}").parse().expect(said);
            let command = settings["command"].as_str().expect("a text");
            let words = terms::system::split_words(command).expect("words");
            assert_eq!(words, ["sh", "-c", line], "{found}");
        }
        for line in [
            "./b '$HOME' \\$HOME \">\"",
            "./b '>' ';'",
            "sh -c 'a && b $(c) `d`'",
            "./b x=1 <none> a$b",
            "a/b=c",
        ] {
            assert_eq!(find(line), None, "{line}");
        }
    }
}
