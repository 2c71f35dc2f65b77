//! The settings of a game whose judge is another program: a table `[game.NAME]`.
//!
//! A key is a field here, or of the struct of its kind of game, and a word in the list of those that may be in a file. What a plan stores
//! of it follows from the field.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer as _};
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use crate::brutaltester::Brutaltester;
use crate::case;
use crate::codingame::Codingame;
use crate::command::{JudgeCommand, JudgeLimits};
use crate::json_lines::JsonLines;
use crate::scored::Scored;
use crate::tester::Tester;
use rules::measure::Measure;
use rules::score::Direction;
use terms::limits::{LimitKind, Limits};
use terms::system::split_words;
use terms::values::{Bound, GameLimits, Limit, Size, words};

/// The table `[game.NAME]` of a settings file.
#[derive(Debug, Clone)]
pub struct GameSettings {
    /// The keys that games of every kind have.
    pub common: Common,
    /// The keys of its kind.
    pub judge: JudgeSettings,
}

/// The keys that only games of one kind have, by the value of `kind`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum JudgeSettings {
    /// A referee of CodinGame's SDK.
    Codingame(Codingame),
    /// A judge in any language, JSON lines.
    Judge(JsonLines),
    /// A referee of the old protocol of cg-brutaltester.
    Brutaltester(Brutaltester),
    /// A program that scores one answer.
    Scored(Scored),
    /// A tester that starts the bot itself.
    Tester(Tester),
}

/// The keys that games of every kind have.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", expecting = "a table [game.NAME]")]
pub struct Common {
    /// The game's name.
    #[serde(skip)]
    pub name: String,
    /// The folder of the settings, in which relative paths start.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The protocol that its judge speaks.
    #[serde(deserialize_with = "kind")]
    pub kind: &'static Kind,
    /// What starts the judge, split into words as a shell would.
    pub command: String,
    /// The game's name to display.
    pub title: Option<String>,
    /// Which scores are better.
    pub better: Option<Direction>,
    /// What its leaderboard adds up.
    #[serde(default)]
    pub measure: Measure,
    /// The files of its test cases.
    #[serde(default, deserialize_with = "words")]
    pub cases: Vec<String>,
    /// Limits for questions for which the judge names none.
    #[serde(default)]
    pub limits: GameLimits,
    /// The judge's time from its start to its first question.
    pub start_limit: Option<Limit>,
    /// The judge's time for each later step.
    pub judge_limit: Option<Limit>,
    /// The judge's memory.
    pub memory: Option<Bound<Size>>,
    /// Environment variables to set for the judge.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// A setting that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct SettingError {
    /// The key in `[game.NAME]`.
    pub key: &'static str,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// A kind of game.
#[derive(Debug)]
pub struct Kind {
    /// The value of the setting `kind`.
    pub name: &'static str,
    /// The keys that not all kinds have.
    keys: &'static [&'static str],
    read: fn(Spanned<DeValue<'_>>) -> Result<JudgeSettings, toml::de::Error>,
}

static KINDS: [Kind; 5] = [
    Kind {
        name: "codingame",
        keys: &["project", "criteria", "players", "params", "league", "engine"],
        read: |it| read(it).map(JudgeSettings::Codingame),
    },
    Kind {
        name: "judge",
        keys: &["players", "answer-limit"],
        read: |it| read(it).map(JudgeSettings::Judge),
    },
    Kind {
        name: "brutaltester",
        keys: &["players", "answer-limit"],
        read: |it| read(it).map(JudgeSettings::Brutaltester),
    },
    Kind {
        name: "scored",
        keys: &["score", "refused", "traits"],
        read: |it| read(it).map(JudgeSettings::Scored),
    },
    Kind {
        name: "tester",
        keys: &["stdin", "score", "refused", "traits", "bots"],
        read: |it| read(it).map(JudgeSettings::Tester),
    },
];

/// The keys that games of all kinds have.
const COMMON_KEYS: [&str; 11] = [
    "kind",
    "command",
    "title",
    "better",
    "measure",
    "cases",
    "limits",
    "start-limit",
    "judge-limit",
    "memory",
    "env",
];

/// Deserializes a table; keys that are not fields are ignored.
fn read<T: DeserializeOwned>(table: Spanned<DeValue<'_>>) -> Result<T, toml::de::Error> {
    T::deserialize(table.into_deserializer())
}

impl GameSettings {
    /// Reads the table `[game.NAME]` of the game called `name`.
    ///
    /// # Errors
    /// The offset of the mistake in the text, and what is wrong.
    pub fn read(name: &str, table: Spanned<DeValue<'_>>) -> Result<Self, (usize, String)> {
        let start = table.span().start;
        let wrong = |error: toml::de::Error| {
            let offset = error.span().map_or(start, |span| span.start);
            (offset, error.message().replace('\n', " "))
        };
        refuse_keys(&table)?;
        let common: Common = read(table.clone()).map_err(wrong)?;
        let common = Common { name: name.to_owned(), ..common };
        Ok(Self { judge: (common.kind.read)(table).map_err(wrong)?, common })
    }

    /// The folder of a contribution, which has its test cases and their validators.
    pub fn project(&self) -> Option<PathBuf> {
        match &self.judge {
            JudgeSettings::Codingame(judge) => {
                judge.project.as_ref().map(|project| self.common.folder.join(project))
            }
            _ => None,
        }
    }

    /// The folders of the files of its test cases.
    pub fn folders_of_cases(&self) -> Vec<PathBuf> {
        let Common { cases, folder, .. } = &self.common;
        cases.iter().flat_map(|word| case::folders_of_files(word, folder)).collect()
    }
}

impl Common {
    /// The words of the command.
    ///
    /// # Errors
    /// When there are none.
    pub fn words(&self) -> Result<Vec<String>, SettingError> {
        let words = split_words(&self.command).unwrap_or_default();
        if words.is_empty() {
            let problem = "the command is empty, or has a quote that is not closed".to_owned();
            return Err(SettingError { key: "command", problem });
        }
        Ok(words)
    }

    /// The command that starts the judge, with its limits.
    pub(crate) fn judge_command(&self) -> Result<JudgeCommand, SettingError> {
        let defaults = JudgeLimits::default();
        let memory = self.memory.map(|memory| memory.limit().map(|size| size.0));
        let limits = JudgeLimits {
            start: self.start_limit.map_or(defaults.start, |limit| limit.0),
            step: self.judge_limit.map_or(defaults.step, |limit| limit.0),
            memory: memory.unwrap_or(defaults.memory),
            ..defaults
        };
        let folder = self.folder.clone();
        Ok(JudgeCommand { words: self.words()?, folder, env: self.env.clone(), limits })
    }

    /// The time limits of its games over the defaults; refuses limits that have no default.
    pub(crate) fn times(&self, defaults: &Limits) -> Result<Limits, SettingError> {
        let times = self.limits.times();
        let strange = times.kinds().find(|kind| defaults.of(*kind).is_none()).map(LimitKind::name);
        let Some(strange) = strange.or(self.limits.resource()) else {
            return Ok(times.or(defaults));
        };
        let kind = self.kind.name;
        let known: Vec<_> = defaults.kinds().map(LimitKind::name).collect();
        let known = known.join(", ");
        let problem =
            format!("games of kind = \"{kind}\" have no limit `{strange}`; they have: {known}");
        Err(SettingError { key: "limits", problem })
    }

    /// What decides its games besides the command, as plans and logs store it: what this kind of game says.
    pub(crate) fn deciding<K: Serialize>(&self, kind: &K) -> BTreeMap<String, String> {
        let kind = serde_json::to_value(kind).expect("plain data");
        let fields = kind.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let text = |value: &serde_json::Value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        };
        let env = self.env.iter().map(|(name, value)| (format!("env.{name}"), value.clone()));
        fields.map(|(key, value)| (key.clone(), text(value))).chain(env).collect()
    }
}

/// Refuses keys that no game has, and those that are for games of other kinds.
fn refuse_keys(table: &Spanned<DeValue<'_>>) -> Result<(), (usize, String)> {
    let Some(fields) = table.get_ref().as_table() else { return Ok(()) };
    let named = fields.get("kind").and_then(|kind| kind.get_ref().as_str());
    let of_kind = KINDS.iter().filter(|kind| named == Some(kind.name));
    let known = of_kind.flat_map(|kind| kind.keys).chain(&COMMON_KEYS);
    let known: Vec<&str> = known.copied().collect();
    for (key, value) in fields.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
        let (offset, key) = (key.span().start, key.get_ref().as_ref());
        let takers = KINDS.iter().filter(|kind| kind.keys.contains(&key));
        let takers: Vec<_> = takers.map(|kind| format!("kind = \"{}\"", kind.name)).collect();
        if takers.is_empty() {
            let known = known.join("`, `");
            return Err((offset, format!("unknown field `{key}`, expected one of `{known}`")));
        }
        // The error about a kind that does not exist comes first.
        if KINDS.iter().any(|kind| named == Some(kind.name)) {
            let problem = format!("`{key}` is for games of {}", takers.join(" or "));
            return Err((value.span().start, problem));
        }
    }
    Ok(())
}

/// Reads the setting `kind`.
fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static Kind, D::Error> {
    let name = String::deserialize(deserializer)?;
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let kinds: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        let kinds = kinds.join(", ");
        D::Error::custom(format!("there is no kind `{name}`; the kinds are: {kinds}"))
    })
}
