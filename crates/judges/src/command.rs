//! The command of a judge, and its limits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use contain::bot::{BotCommand, Confinement, Containment, Pinning, Scratch};
use rules::game::judge::Reading;
use rules::game::{JudgeFailure, Placement};
use terms::bounds::{ANSWER, JUDGE_QUESTIONS};
use terms::limits::Resources;
use terms::system::{LIST_SEPARATOR, UTF8_ENVIRONMENT};
use terms::values::{Bound, Size};

/// The command that starts a judge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgeCommand {
    /// The program and its arguments. Relative paths start at `folder`.
    pub words: Vec<String>,
    /// The folder of the settings file, whose content the judge finds in its working directory.
    pub folder: PathBuf,
    /// Environment variables to set for it.
    pub env: BTreeMap<String, String>,
    /// What the judge may use: time, memory and output.
    pub limits: JudgeLimits,
}

/// What bounds a judge, which is trusted but may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeLimits {
    /// From its start to its first question.
    pub start: Duration,
    /// For each later step.
    pub step: Duration,
    /// The resident memory of its processes together, in bytes.
    pub memory: Option<u64>,
    /// The number of questions in a game.
    pub questions: u32,
}

impl Default for JudgeLimits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            step: Duration::from_secs(10),
            memory: Some(2 << 30),
            questions: JUDGE_QUESTIONS,
        }
    }
}

/// How a judge reads replies under its setting `answer-limit`.
pub(crate) fn reading(answer_limit: Option<Bound<Size>>) -> Reading {
    let bytes = |Size(bytes)| usize::try_from(bytes).unwrap_or(usize::MAX);
    let max_bytes = answer_limit.map_or(Some(ANSWER), |limit| limit.limit().map(bytes));
    Reading { max_bytes, ..Reading::default() }
}

impl JudgeCommand {
    /// Prepares its start in a scratch folder.
    pub(crate) fn prepare(
        &self,
        place: &Placement,
        scratch: &Scratch,
        step_output: Option<u64>,
    ) -> Result<BotCommand, JudgeFailure> {
        let containment = if place.is_plain { Containment::Plain } else { Containment::Auto };
        let method = containment.method().map_err(|error| JudgeFailure::new(error.to_string()))?;
        let resources = Resources {
            memory: self.limits.memory,
            turn_output: step_output,
            ..Resources::default()
        };
        let words: Vec<_> = self.words.iter().map(|word| from_folder(&self.folder, word)).collect();
        let (program, args) = words
            .split_first()
            .ok_or_else(|| JudgeFailure::new("cannot be started: its `command` is empty"))?;
        let confinement = Confinement { method, resources, sandbox: None };
        let mut command = BotCommand::new(program, args, confinement);
        command.cwd = Some(scratch.path().to_owned());
        command.pinning = place.core.map(|core| Pinning { cores: vec![core] });
        command.env = self.environment(scratch.path());
        Ok(command)
    }

    /// A scratch folder with copies of small files of the settings' folder and links to everything else there, except what
    /// `leaves_out` names: the judge finds its files, and what it writes replaces neither the user's nor another game's.
    pub(crate) fn working_directory(
        &self,
        leaves_out: impl Fn(&Path) -> bool,
    ) -> Result<Scratch, JudgeFailure> {
        let filled = || -> io::Result<Scratch> {
            let folder = std::path::absolute(&self.folder)?;
            let mut files = BTreeMap::new();
            for entry in folder.read_dir()? {
                let entry = entry?;
                if !leaves_out(Path::new(&entry.file_name())) {
                    files.insert(entry.file_name(), entry.path());
                }
            }
            Scratch::with_files(files)
        };
        filled().map_err(|error| {
            JudgeFailure::new(format!(
                "cannot get a scratch folder with the files in {}: {error}",
                self.folder.display()
            ))
        })
    }

    /// The command with the values of its placeholders, such as `{case}`.
    pub(crate) fn filled(&self, values: &[(&str, String)]) -> Self {
        let fill = |word: &String| {
            values.iter().fold(word.clone(), |word, (name, value)| word.replace(name, value))
        };
        Self { words: self.words.iter().map(fill).collect(), ..self.clone() }
    }

    /// Whether it has this placeholder.
    pub(crate) fn has(&self, placeholder: &str) -> bool {
        self.words.iter().any(|word| word.contains(placeholder))
    }

    fn environment(&self, scratch: &Path) -> BTreeMap<OsString, OsString> {
        // Without it Java writes `?` for what it cannot encode.
        let utf8 = UTF8_ENVIRONMENT.iter().map(|(name, value)| (name.into(), value.into()));
        let mut env: BTreeMap<OsString, OsString> = utf8.collect();
        env.extend(["TMPDIR", "TMP", "TEMP", "PWD"].map(|name| (name.into(), scratch.into())));
        env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        env
    }
}

/// A word of the command whose paths that lead out of the folder still do so from the scratch folder. A class path holds
/// several, and a flag may stand before one.
fn from_folder(folder: &Path, word: &str) -> String {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let leads_out = |path: &str| {
        let mut parts = Path::new(path).components();
        parts.find(|part| *part != Component::CurDir) == Some(Component::ParentDir)
    };
    let (flag, paths) = match word.split_once('=') {
        Some((flag, paths)) if paths.split(LIST_SEPARATOR).any(leads_out) => {
            (format!("{flag}="), paths)
        }
        _ => (String::new(), word),
    };
    let outside = |path: &str| absolute.join(path).display().to_string();
    let paths = paths
        .split(LIST_SEPARATOR)
        .map(|path| if leads_out(path) { outside(path) } else { path.to_owned() });
    flag + &paths.collect::<Vec<_>>().join(&LIST_SEPARATOR.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_of_the_folder_become_absolute_and_all_other_words_stay() {
        for (word, expected) in [
            ("java", "java"),
            ("game.jar:lib/*", "game.jar:lib/*"),
            ("../a.jar:b.jar:../c/d.jar", "/x/y/../a.jar:b.jar:/x/y/../c/d.jar"),
            ("..", "/x/y/.."),
            ("./../tools/vis", "/x/y/./../tools/vis"),
            ("--board=../b", "--board=/x/y/../b"),
            ("a=b", "a=b"),
            ("...", "..."),
            ("", ""),
        ] {
            assert_eq!(from_folder(Path::new("/x/y"), word), expected, "{word}");
        }
    }
}
