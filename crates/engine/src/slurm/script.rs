//! The batch script of a run, which plays a part or merges all.

use std::path::Path;

use terms::text::shell_word;

/// The content of the script.
pub(super) struct Script<'a> {
    /// The run folder; an absolute path.
    pub(super) run: &'a Path,
    /// Options of `sbatch`, such as `--mem=1024M`; a later one overrides an earlier one.
    pub(super) directives: &'a [String],
    /// Arguments of the referee, beside the run and the part.
    pub(super) task: &'a [String],
    /// Arguments of `referee merge`, beside the run.
    pub(super) merge: &'a [String],
}

/// Whether a text can stand in a batch script as an option of `sbatch`.
pub fn is_directive(text: &str) -> bool {
    text.starts_with('-') && !text.contains(char::is_control)
}

impl Script<'_> {
    /// The script. Its argument is the part of index 0 of the array, or `merge`.
    pub(super) fn text(&self) -> String {
        let words = |words: &[String]| {
            let quoted = words.iter().map(|word| format!(" {}", shell_word(word)));
            quoted.collect::<Vec<_>>().concat()
        };
        let directives = self.directives.iter();
        let directives = directives.map(|option| format!("#SBATCH {}\n", directive(option)));
        let directives = directives.collect::<Vec<_>>().concat();
        format!(
            "#!/bin/sh\n\
             # Written by `referee suite --slurm`, which submits it. Its argument is `merge`, or the part\n\
             # that index 0 of the array stands for.\n\
             {directives}\
             run={}\n\
             if [ \"$1\" = merge ]; then\n    \
                 exec \"$run/referee\" merge \"$run\"{}\n\
             fi\n\
             exec \"$run/referee\" suite --run \"$run\" --part $(($1 + SLURM_ARRAY_TASK_ID)){}\n",
            shell_word(&self.run.display().to_string()),
            words(self.merge),
            words(self.task),
        )
    }
}

/// An option as `sbatch` reads it in a script's comments, where a backslash escapes quotes, `#`, and blanks. A
/// blank before any `=` stands between an option and its value.
fn directive(option: &str) -> String {
    let value = option.find('=').unwrap_or(option.len());
    let is_escaped = |at, c| matches!(c, '\'' | '"' | '#' | '\\') || (c == ' ' && at > value);
    let escape = |(at, c)| is_escaped(at, c).then_some('\\').into_iter().chain([c]);
    option.char_indices().flat_map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_are() {
        let script = Script {
            run: Path::new("/a b/$run"),
            directives: &["--mem=5M", "--chdir=/a b", "-p short", "--comment=it's \"x\" #1 \\"]
                .map(str::to_owned),
            task: &["--logs".to_owned(), "it's".to_owned()],
            merge: &[],
        };
        let text = script.text();
        for line in [
            "#SBATCH --mem=5M",
            "#SBATCH -p short",
            "#SBATCH --chdir=/a\\ b",
            "#SBATCH --comment=it\\'s\\ \\\"x\\\"\\ \\#1\\ \\\\",
            "run='/a b/$run'",
            "exec \"$run/referee\" suite --run \"$run\" --part $(($1 + SLURM_ARRAY_TASK_ID)) --logs \"it's\"",
            "    exec \"$run/referee\" merge \"$run\"",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn what_would_break_the_script_is_no_option() {
        assert!(is_directive("--constraint=a&b") && is_directive("-pshort"));
        for text in ["", "short", "--a\nrm -rf /", "--a\u{1b}"] {
            assert!(!is_directive(text), "{text:?}");
        }
    }
}
