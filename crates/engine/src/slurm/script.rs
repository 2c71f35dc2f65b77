//! The batch script of a run, which plays a part or merges all.

use std::path::Path;

use terms::text::shell_word;

/// The content of the script.
pub(super) struct Script<'a> {
    /// The run folder; an absolute path.
    pub(super) run: &'a Path,
    /// Options of `sbatch`, such as `--mem=1024M`; a later one overrides an earlier one.
    pub(super) directives: &'a [String],
    /// Arguments of the referee, besides the run and the part.
    pub(super) task: &'a [String],
    /// Arguments of `referee merge`, besides the run.
    pub(super) merge: &'a [String],
}

/// Whether a text can stand in a batch script as an option of `sbatch`.
pub fn is_directive(text: &str) -> bool {
    text.starts_with('-') && text.chars().all(is_allowed)
}

/// Whether a character can stand in an option of a batch script. `sbatch` has no escapes there, and takes a path with
/// a backslash for one without placeholders.
pub(super) fn is_allowed(c: char) -> bool {
    !c.is_control() && c != '"' && c != '\\'
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

/// An option as the script's comments hold it: a value with blanks, quotes or `#` in double quotes.
fn directive(option: &str) -> String {
    match option.split_once('=') {
        Some((name, value)) if value.contains([' ', '\'', '#']) => format!("{name}=\"{value}\""),
        _ => option.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_are() {
        let script = Script {
            run: Path::new("/a b/$run"),
            directives: &["--mem=5M", "--chdir=/a b", "--comment=it's#1"].map(str::to_owned),
            task: &["--logs".to_owned(), "it's".to_owned()],
            merge: &[],
        };
        let text = script.text();
        for line in [
            "#SBATCH --mem=5M",
            "#SBATCH --chdir=\"/a b\"",
            "#SBATCH --comment=\"it's#1\"",
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
        for text in ["", "short", "--a=\"b\"", "--a=b\\c", "--a\nrm -rf /", "--a\u{1b}"] {
            assert!(!is_directive(text), "{text:?}");
        }
    }
}
