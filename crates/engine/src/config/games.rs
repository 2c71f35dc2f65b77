//! Games of the user's own: tables `[game.NAME]`, whose judge is another program.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fs_err as fs;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use toml::Spanned;

use super::ConfigError;
use super::judge_files::{beside_settings, digests};
use super::over::Over;
use super::resources::{Bound, Size};
use super::values::Limit;
use judges::{JudgeCommand, JudgeLimits, Protocol, Settings, Wrong};
use rules::game::judge::JudgeProgram;
use rules::game::{GAMES, GameKind, UnknownGame};
use rules::measure::Measure;
use rules::score::Direction;
use rules::source::SourceError;
use terms::limits::LimitKind;
use terms::path::folder_of;

/// The setting `game`: the game to play, and the games of the user's own.
#[derive(Debug, Clone, Default)]
pub(super) struct GameSetting {
    /// `game = "NAME"`, or `default = "NAME"` among one's own games.
    pub(super) chosen: Option<Spanned<String>>,
    pub(super) own: BTreeMap<String, OwnGame>,
}

/// A game of the user's own, as its settings describe it.
#[derive(Debug, Clone)]
pub struct OwnGame {
    table: Spanned<GameTable>,
    /// The settings file, and its content.
    file: PathBuf,
    source: Arc<str>,
}

/// The settings of a game of the user's own are wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{problem}", file.display())]
#[non_exhaustive]
pub struct OwnGameError {
    /// The file of the settings.
    pub file: PathBuf,
    /// What is wrong, and where.
    pub problem: SourceError,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct GameTable {
    kind: Spanned<String>,
    command: Spanned<String>,
    title: Option<String>,
    project: Option<Spanned<PathBuf>>,
    engine: Option<Spanned<String>>,
    league: Option<Spanned<u32>>,
    criteria: Option<Spanned<String>>,
    better: Option<Direction>,
    measure: Option<Measure>,
    score: Option<Spanned<String>>,
    stdin: Option<Spanned<String>>,
    bots: Option<Spanned<u32>>,
    traits: Option<Spanned<Words>>,
    cases: Option<Spanned<Words>>,
    limits: Option<Spanned<OwnLimitsTable>>,
    start_limit: Option<Limit>,
    judge_limit: Option<Limit>,
    memory: Option<Bound<Size>>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OwnLimitsTable {
    first_turn: Option<Limit>,
    turn: Option<Limit>,
    total: Option<Limit>,
}

/// One text, or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Several(Vec<String>),
}

impl Words {
    fn list(&self) -> &[String] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Several(words) => words,
        }
    }
}

impl Over for GameSetting {
    fn over(self, below: Self) -> Self {
        Self { chosen: self.chosen.or(below.chosen), own: self.own.over(below.own) }
    }
}

impl GameSetting {
    /// Chooses a game.
    pub(super) fn of(name: &str) -> Self {
        Self { chosen: Some(Spanned::new(0..0, name.to_owned())), ..Self::default() }
    }

    /// Gives the games the text that they were read from, and checks them as far as no other file is needed. The error
    /// has an offset in it, and the problem.
    pub(super) fn read_from(&mut self, source: &str) -> Result<(), (usize, String)> {
        let source: Arc<str> = source.into();
        for (name, game) in &mut self.own {
            game.source = Arc::clone(&source);
            let start = game.table.span().start;
            if GAMES.iter().any(|kind| kind.name == *name) {
                let problem = format!("there is another game `{name}`; give yours another name");
                return Err((start, problem));
            }
            let is_plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
            if name.is_empty() || !name.chars().all(is_plain) {
                let problem = "a game's name has letters, digits, `-` and `_` only";
                return Err((start, format!("`{name}`: {problem}")));
            }
            let kind = &game.table.get_ref().kind;
            Protocol::named(kind.get_ref()).map_err(|wrong| (kind.span().start, wrong.problem))?;
        }
        Ok(())
    }

    /// The row of the game called `name`: one of the user's own, or of the table of games.
    pub(super) fn kind(&self, name: &str) -> Result<Arc<GameKind>, ConfigError> {
        match self.own.get(name) {
            Some(own) => Ok(own.game(name)?.into()),
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
            file.clone_into(&mut game.file);
        }
    }
}

impl OwnGame {
    /// The `kind` of its judge.
    pub fn kind(&self) -> &str {
        self.table.get_ref().kind.get_ref()
    }

    /// The command of its judge.
    pub fn command(&self) -> &str {
        self.table.get_ref().command.get_ref()
    }

    /// The file of its settings.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Where its settings are: file and line.
    pub fn place(&self) -> String {
        let SourceError { line, .. } = SourceError::at(&self.source, self.table.span().start, "");
        format!("{}:{line}", self.file.display())
    }

    /// The row of the table of games. Reads the files that the settings name, and starts nothing.
    ///
    /// # Errors
    /// What is wrong in its settings.
    pub fn game(&self, name: &str) -> Result<GameKind, OwnGameError> {
        self.try_game(name).map_err(|Wrong { key, problem }| OwnGameError {
            file: self.file.clone(),
            problem: SourceError::at(&self.source, self.offset(key), problem),
        })
    }

    fn try_game(&self, name: &str) -> Result<GameKind, Wrong> {
        let table = self.table.get_ref();
        let words = shlex::split(table.command.get_ref()).unwrap_or_default();
        if words.is_empty() {
            let problem = "is empty, or has a quote that is not closed".to_owned();
            return Err(Wrong { key: "command", problem: format!("the command {problem}") });
        }
        let folder = self.folder();
        let files = digests(&words, &folder);
        let files = files.map_err(|error| Wrong { key: "command", problem: error.to_string() })?;
        let kind = Protocol::named(self.kind())?.game(&self.settings(name, words, &folder)?)?;
        let judge = kind.judge.map(|judge| JudgeProgram { files, ..judge });
        Ok(GameKind { judge, measure: table.measure.unwrap_or_default(), ..kind })
    }

    /// The digests of the files that its command names, as they are now.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(crate) fn files_now(&self) -> io::Result<BTreeMap<String, String>> {
        let words = shlex::split(self.command()).unwrap_or_default();
        digests(&words, &self.folder())
    }

    /// What a bot in a sandbox is not to read: the judge's files beside its settings, and the test cases.
    pub(super) fn hidden_from_bots(&self) -> Vec<PathBuf> {
        let folder = self.folder();
        let words = shlex::split(self.command()).unwrap_or_default();
        let cases = self.table.get_ref().cases.as_ref().map(Spanned::get_ref);
        let cases = cases.into_iter().flat_map(Words::list);
        let cases = cases.flat_map(|word| places_of_cases(word, &folder));
        beside_settings(&words, &folder).into_iter().chain(cases).collect()
    }

    fn settings(&self, name: &str, words: Vec<String>, folder: &Path) -> Result<Settings, Wrong> {
        let table = self.table.get_ref();
        let defaults = JudgeLimits::default();
        let limits = JudgeLimits {
            start: table.start_limit.map_or(defaults.start, |limit| limit.0),
            step: table.judge_limit.map_or(defaults.step, |limit| limit.0),
            memory: table
                .memory
                .map_or(defaults.memory, |memory| memory.limit().map(|size| size.0)),
            ..defaults
        };
        let given = table.limits.as_ref().map(|limits| *limits.get_ref()).unwrap_or_default();
        let own = [
            (LimitKind::FirstTurn, given.first_turn),
            (LimitKind::Turn, given.turn),
            (LimitKind::Total, given.total),
        ];
        let own = own.into_iter().filter_map(|(kind, limit)| Some((kind.name(), limit?.0)));
        let env = table.env.clone();
        Ok(Settings {
            name: name.to_owned(),
            title: table.title.clone(),
            command: JudgeCommand { words, folder: folder.to_owned(), env, limits },
            project: table.project.as_ref().map(|project| folder.join(project.get_ref())),
            engine: table.engine.as_ref().map(|engine| engine.get_ref().clone()),
            league: table.league.as_ref().map(|league| *league.get_ref()),
            criteria: table.criteria.as_ref().map(|criteria| criteria.get_ref().clone()),
            score: table.score.as_ref().map(|score| score.get_ref().clone()),
            traits: table.traits.as_ref().map(|traits| traits.get_ref().list().join(" ")),
            stdin: table.stdin.as_ref().map(|stdin| stdin.get_ref().clone()),
            bots: table.bots.as_ref().map(|bots| *bots.get_ref()),
            better: table.better,
            limits: own.collect(),
            cases: read_cases(table.cases.as_ref().map(Spanned::get_ref), folder)?,
        })
    }

    /// The folder of the settings file, from which relative paths start.
    fn folder(&self) -> PathBuf {
        let folder = folder_of(&self.file);
        std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
    }

    /// Where a setting is in the file; the table if it is not there.
    fn offset(&self, key: &str) -> usize {
        let table = self.table.get_ref();
        let start = |range: Option<std::ops::Range<usize>>| range.map(|range| range.start);
        let found = match key {
            "kind" => Some(table.kind.span().start),
            "command" => Some(table.command.span().start),
            "project" => start(table.project.as_ref().map(Spanned::span)),
            "engine" => start(table.engine.as_ref().map(Spanned::span)),
            "league" => start(table.league.as_ref().map(Spanned::span)),
            "criteria" => start(table.criteria.as_ref().map(Spanned::span)),
            "stdin" => start(table.stdin.as_ref().map(Spanned::span)),
            "bots" => start(table.bots.as_ref().map(Spanned::span)),
            "score" => start(table.score.as_ref().map(Spanned::span)),
            "traits" => start(table.traits.as_ref().map(Spanned::span)),
            "limits" => start(table.limits.as_ref().map(Spanned::span)),
            "cases" => start(table.cases.as_ref().map(Spanned::span)),
            _ => None,
        };
        found.unwrap_or(self.table.span().start)
    }
}

/// The cases in these files, by the names of the files without their endings.
fn read_cases(files: Option<&Words>, folder: &Path) -> Result<Vec<(String, String)>, Wrong> {
    let wrong = |problem: String| Wrong { key: "cases", problem };
    let mut cases: Vec<(String, String)> = Vec::new();
    for word in files.into_iter().flat_map(Words::list) {
        let paths = matching(word, folder).map_err(|error| wrong(format!("{word}: {error}")))?;
        if paths.is_empty() {
            return Err(wrong(format!("no file matches {}", folder.join(word).display())));
        }
        for path in paths {
            let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if cases.iter().any(|(known, _)| *known == name) {
                let path = path.display();
                return Err(wrong(format!("{path}: there is another case `{name}`")));
            }
            cases.push((name, text));
        }
    }
    Ok(cases)
}

/// The files that a word of `cases` means, in order: those that match it, or those in its folder.
fn matching(word: &str, folder: &Path) -> Result<Vec<PathBuf>, glob::PatternError> {
    let mut pattern = PathBuf::from(glob::Pattern::escape(&folder.to_string_lossy())).join(word);
    if folder.join(word).is_dir() {
        pattern.push("*.txt");
    }
    let mut paths: Vec<_> = glob::glob(&pattern.to_string_lossy())?.flatten().collect();
    paths.sort();
    Ok(paths)
}

/// The folder of the files that a word of `cases` means, or these files if there is more in it.
fn places_of_cases(word: &str, folder: &Path) -> Vec<PathBuf> {
    let files = matching(word, folder).unwrap_or_default();
    let Some(of_cases) = files.first().and_then(|file| file.parent()) else { return files };
    let count = of_cases.read_dir().map_or(0, Iterator::count);
    let is_all = count == files.len() && files.iter().all(|file| file.parent() == Some(of_cases));
    if is_all { vec![of_cases.to_owned()] } else { files }
}

impl<'de> Deserialize<'de> for GameSetting {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let setting = Spanned::<Typed>::deserialize(deserializer)?;
        let span = setting.span();
        Ok(match setting.into_inner() {
            Typed::Name(name) => Self { chosen: Some(Spanned::new(span, name)), ..Self::default() },
            Typed::Table(setting) => setting,
        })
    }
}

/// The setting as it is typed.
enum Typed {
    Name(String),
    Table(GameSetting),
}

impl<'de> Deserialize<'de> for Typed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TypedVisitor)
    }
}

struct TypedVisitor;

impl<'de> Visitor<'de> for TypedVisitor {
    type Value = Typed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a game's name, or tables [game.NAME]")
    }

    fn visit_str<E>(self, name: &str) -> Result<Typed, E> {
        Ok(Typed::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Typed, A::Error> {
        let mut setting = GameSetting::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == "default" {
                setting.chosen = Some(map.next_value()?);
                continue;
            }
            let (file, source) = (PathBuf::new(), Arc::from(""));
            setting.own.insert(key, OwnGame { table: map.next_value()?, file, source });
        }
        Ok(Typed::Table(setting))
    }
}
