//! Flags that have another spelling since this version. The old spelling holds for one version, with a warning.

use std::ffi::OsString;

/// Each old spelling and the new one, which the value follows.
const RENAMED: [(&str, &str); 4] = [
    ("--part-length", "--parts="),
    ("--sandbox-read", "--sandbox="),
    ("--slurm-max-tasks", "--slurm="),
    ("--turn-input", "--export=input:"),
];

/// The words of a command line in today's spelling, and a warning for each that was not.
pub(super) fn renamed(line: impl IntoIterator<Item = OsString>) -> (Vec<OsString>, Vec<String>) {
    let mut line = line.into_iter();
    let (mut words, mut new_words, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    // What follows `--` is the command line of a bot.
    let mut rest = Vec::new();
    while let Some(word) = line.next() {
        if word == "--" {
            rest = std::iter::once(word).chain(line).collect();
            break;
        }
        let text = word.to_string_lossy();
        let split = text.split_once('=').map(|(flag, value)| (flag, Some(value)));
        let (flag, value) = split.unwrap_or((&text, None));
        let Some((old, new)) = RENAMED.into_iter().find(|(old, _)| *old == flag) else {
            words.push(word);
            continue;
        };
        let mut new_word = OsString::from(new);
        new_word.push(value.map(OsString::from).or_else(|| line.next()).unwrap_or_default());
        warnings.push(warning(old, &new_word.to_string_lossy()));
        new_words.push(new_word);
    }
    // Of a flag that is repeated, such as `--slurm --slurm=4`, the last one holds.
    words.extend(new_words);
    words.extend(rest);
    (words, warnings)
}

/// What is said of an old spelling.
pub(super) fn warning(old: &str, new: &str) -> String {
    format!("{old} is now {new}; the next version does not accept the old spelling")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_spellings_become_new_ones_but_not_in_the_command_line_of_a_bot() {
        for (old, new, count) in [
            ("suite --slurm --slurm-max-tasks 4", "suite --slurm --slurm=4", 1),
            ("suite --part-length=1h --seed 1", "suite --seed 1 --parts=1h", 1),
            ("play --turn-input 3 --sandbox-read a", "play --export=input:3 --sandbox=a", 2),
            ("play --pin -- bot --turn-input 3", "play --pin -- bot --turn-input 3", 0),
            ("replay log --turn-input", "replay log --export=input:", 1),
        ] {
            let (words, warnings) = renamed(old.split(' ').map(OsString::from));
            assert_eq!((words.join(" ".as_ref()).to_str(), warnings.len()), (Some(new), count));
        }
        let (_, warnings) = renamed(["--part-length=1h".into()]);
        let expected =
            "--part-length is now --parts=1h; the next version does not accept the old spelling";
        assert_eq!(warnings, [expected]);
    }
}
