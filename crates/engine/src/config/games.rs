//! Games of the user's own: tables `[game.NAME]`, whose judge is another program.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeValue;

use super::ConfigError;
use super::judge_files::{digests, of_judge};
use super::over::Layered;
use super::shell::ShellSyntax;
use judges::{GameSettings, SettingError};
use rules::game::judge::JudgeProgram;
use rules::game::{GAMES, GameKind, UnknownGame};
use rules::source::SourceError;
use terms::path::folder_of;

/// The setting `game`: the game to play, and the games of the user's own.
#[derive(Debug, Clone, Default)]
pub(super) struct GameSetting {
    /// `game = "NAME"`, or `default = "NAME"` among one's own games.
    pub(super) chosen: Option<String>,
    pub(super) own: BTreeMap<String, CustomGame>,
}

/// A game of the user's own, as its settings describe it.
#[derive(Debug, Clone)]
pub struct CustomGame {
    /// Its table.
    pub settings: GameSettings,
    /// The settings file.
    pub file: PathBuf,
    /// Where in the file its table starts, and the values of its keys: errors without a problem.
    start: SourceError,
    values: BTreeMap<String, SourceError>,
}

/// The settings of a game of the user's own are wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{problem}", file.display())]
#[non_exhaustive]
pub struct CustomGameError {
    /// The file of the settings.
    pub file: PathBuf,
    /// What is wrong, and where.
    pub problem: SourceError,
}

impl Layered for GameSetting {
    fn over(self, below: Self) -> Self {
        Self { chosen: self.chosen.or(below.chosen), own: self.own.over(below.own) }
    }
}

impl GameSetting {
    /// Chooses a game.
    pub(super) fn of(name: &str) -> Self {
        Self { chosen: Some(name.to_owned()), ..Self::default() }
    }

    /// Reads the setting from the text that it is in, and checks it where no other file is needed. The error has an
    /// offset in the text, and the problem.
    pub(super) fn read(value: Spanned<DeValue<'_>>, source: &str) -> Result<Self, (usize, String)> {
        let mut offset = value.span().start;
        let mut setting = Self::default();
        match value.into_inner() {
            DeValue::String(name) => setting.chosen = Some(name.into_owned()),
            DeValue::Table(games) => {
                for (name, value) in games {
                    match value.get_ref().as_str() {
                        Some(default) if name.get_ref() == "default" => {
                            setting.chosen = Some(default.to_owned());
                            offset = value.span().start;
                        }
                        _ => {
                            let game = CustomGame::read(name.get_ref(), value, source)?;
                            setting.own.insert(name.into_inner().into_owned(), game);
                        }
                    }
                }
            }
            other => {
                let problem = "expected a game's name, or tables [game.NAME]";
                return Err((offset, format!("invalid type: {}, {problem}", other.type_str())));
            }
        }
        match &setting.chosen {
            Some(name) if !setting.has(name) => Err((offset, setting.unknown(name).to_string())),
            _ => Ok(setting),
        }
    }

    /// Whether there is a game of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.own.contains_key(name) || GameKind::named(name).is_some()
    }

    /// The row of the game called `name`: one of the user's own, or of the table of games.
    pub(super) fn kind(&self, name: &str) -> Result<Arc<GameKind>, ConfigError> {
        match self.own.get(name) {
            Some(own) => Ok(own.game()?.into()),
            None => GameKind::named(name).ok_or_else(|| self.unknown(name).into()),
        }
    }

    /// The error for a name that no game has.
    pub(super) fn unknown(&self, name: &str) -> UnknownGame {
        let mut unknown = UnknownGame::new(name);
        unknown.known.extend(self.own.keys().cloned());
        unknown
    }

    /// Notes the file that the games were read from.
    pub(super) fn in_file(&mut self, file: &Path) {
        for game in self.own.values_mut() {
            let folder = folder_of(file);
            game.settings.common.folder =
                std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
            file.clone_into(&mut game.file);
        }
    }
}

impl CustomGame {
    fn read(
        name: &str,
        table: Spanned<DeValue<'_>>,
        source: &str,
    ) -> Result<Self, (usize, String)> {
        let start = table.span().start;
        if GAMES.iter().any(|kind| kind.name == name) {
            let problem = format!("there is another game `{name}`; give yours another name");
            return Err((start, problem));
        }
        let is_plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            let problem = "a game's name has letters, digits, `-` and `_` only";
            return Err((start, format!("`{name}`: {problem}")));
        }
        let fields = table.get_ref().as_table().into_iter().flatten();
        let at = |offset| SourceError::at(source, offset, "");
        let values = fields.map(|(key, value)| (key.get_ref().to_string(), at(value.span().start)));
        let (values, start, file) = (values.collect(), at(start), PathBuf::new());
        Ok(Self { settings: GameSettings::read(name, table)?, file, start, values })
    }

    /// Where its settings are: file and line.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.start.line)
    }

    /// The row of the table of games. Reads the files that the settings name, and starts nothing.
    ///
    /// # Errors
    /// What is wrong in its settings.
    pub fn game(&self) -> Result<GameKind, CustomGameError> {
        self.try_game().map_err(|SettingError { key, problem }| {
            let place = self.values.get(key).unwrap_or(&self.start).clone();
            CustomGameError { file: self.file.clone(), problem: SourceError { problem, ..place } }
        })
    }

    fn try_game(&self) -> Result<GameKind, SettingError> {
        let command = &self.settings.common.command;
        let words = self.settings.common.words()?;
        let split: Vec<&str> = words.iter().map(String::as_str).collect();
        if let Some(found) = ShellSyntax::find(command, &split) {
            return Err(SettingError { key: "command", problem: found.in_settings() });
        }
        let kind = self.settings.game()?;
        let files = self.files_now();
        let files =
            files.map_err(|error| SettingError { key: "command", problem: error.to_string() })?;
        let judge = kind.judge.map(|judge| JudgeProgram { files, ..judge });
        Ok(GameKind { judge, ..kind })
    }

    /// The digests of the files that its command names, as they are now.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(crate) fn files_now(&self) -> io::Result<BTreeMap<String, String>> {
        digests(&self.words(), &self.settings.common.folder)
    }

    /// Where the files of its judge and its test cases are.
    pub(super) fn withheld_from_bots(&self) -> Vec<PathBuf> {
        let folder = &self.settings.common.folder;
        let places = [folder.clone()].into_iter().chain(self.settings.project());
        let places = places.chain(of_judge(&self.words(), folder));
        places.chain(self.settings.folders_of_cases()).collect()
    }

    /// The words of its command, where it can be split into words.
    fn words(&self) -> Vec<String> {
        self.settings.common.words().unwrap_or_default()
    }
}
