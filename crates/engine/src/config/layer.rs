//! One layer of settings: the defaults, a user's file, flags, or the settings stored in a plan or a log.
//!
//! Settings that a layer leaves unset come from the layers below it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, IntoDeserializer as _};
use toml::Spanned;
use toml::de::DeTable;

use super::games::GameSetting;
use super::over::{Layered, over_by_field};
use super::project::{self, BoardSet, BotEntry, ClusterTable, SuiteTable};
use super::resources::ResourceTable;
use super::values::Factor;
use contain::bot::Containment;
use results::suite::Rules;
use rules::game::GameKind;
use rules::source::SourceError;
use terms::limits::{LimitKind, Limits, OnHostDelay, Profile, Resources};
use terms::path::folder_of;
use terms::values::{GameLimits, Limit};

/// Settings, each of which may be unset.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    // Read apart, since the kind of a game says which keys it has.
    #[serde(default, deserialize_with = "unread")]
    pub(super) game: GameSetting,
    /// The profile that `--profile` names; it sets the limits.
    pub profile: Option<Profile>,
    pub(super) relaxed_factor: Option<Factor>,
    /// What a delay by the host does to a game (`--on-host-delay`).
    pub on_host_delay: Option<OnHostDelay>,
    /// The method of containment (`--containment`); by default the best that the host allows.
    pub containment: Option<Containment>,
    #[serde(default)]
    pub(super) sdk_soft: SoftTable,
    #[serde(default)]
    pub(super) limits: BTreeMap<Spanned<String>, GameLimits>,
    /// `--first-turn`, `--turn`, `--total`, `--memory` and `--stack`: limits for whichever game is played, unaffected
    /// by the profile.
    #[serde(skip)]
    pub fixed: GameLimits,
    #[serde(default)]
    pub(super) resources: ResourceTable,
    /// The resources of a game or a run played before, whatever the settings say.
    #[serde(skip)]
    pub(super) stored: Option<Resources>,
    #[serde(default)]
    pub(super) bot: BotTable,
    #[serde(default)]
    pub(super) bots: BTreeMap<String, BotEntry>,
    #[serde(default)]
    pub(super) boards: BTreeMap<String, BoardSet>,
    #[serde(default)]
    pub(super) suite: SuiteTable,
    #[serde(default)]
    pub(super) cluster: ClusterTable,
    /// The folder of this layer's file.
    #[serde(skip)]
    pub(super) folder: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table [sdk-soft]")]
pub(super) struct SoftTable {
    pub(super) extra: Option<Limit>,
    pub(super) forgiven: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table [bot]")]
pub(super) struct BotTable {
    pub(super) grace: Option<Limit>,
    pub(super) stderr_cap: Option<usize>,
}

over_by_field!(Layer:
    game, profile, relaxed_factor, on_host_delay, containment, sdk_soft, limits, fixed, resources,
    stored, bot, bots, boards, suite, cluster, folder
);
over_by_field!(SoftTable: extra, forgiven);
over_by_field!(BotTable: grace, stderr_cap);

impl Layer {
    /// A layer that chooses a game.
    pub fn of_game(name: &str) -> Self {
        Self { game: GameSetting::of(name), ..Self::default() }
    }

    /// The settings of a game or a run played before, whose limits no profile changes again.
    pub fn of_rules(game: &str, rules: &Rules) -> Self {
        Self {
            profile: Some(rules.profile),
            on_host_delay: Some(rules.on_host_delay),
            fixed: rules.limits.into(),
            stored: Some(rules.resources),
            ..Self::of_game(game)
        }
    }

    /// This layer, read from `file`; its relative paths start in the file's folder.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        self.game.in_file(file);
        Self { folder: Some(folder_of(file).to_owned()), ..self }
    }

    /// Whether this layer describes a game of this name.
    pub fn has_game_named(&self, name: &str) -> bool {
        self.game.own.contains_key(name)
    }

    /// This layer's games alone, of which its only one is chosen if it chooses none.
    #[must_use]
    pub fn games(self) -> Self {
        let mut game = self.game;
        if let (None, 1, Some(name)) = (&game.chosen, game.own.len(), game.own.keys().next()) {
            game.chosen = Some(name.clone());
        }
        Self { game, limits: self.limits, ..Self::default() }
    }

    /// Whether this layer chooses a game.
    pub fn has_game(&self) -> bool {
        self.game.chosen.is_some()
    }

    /// Lays this layer over `below`, which fills in the unset settings.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Layered::over(self, below)
    }

    /// The limits that this layer sets for a game.
    pub(super) fn limits(&self, game: &str) -> GameLimits {
        let mut tables = self.limits.iter();
        let found = tables.find(|(name, _)| name.get_ref() == game);
        found.map(|(_, table)| *table).unwrap_or_default()
    }

    /// Checks the limits of games. The error has an offset in the file, and the problem.
    fn check_limits(&self) -> Result<(), (usize, String)> {
        for (name, table) in &self.limits {
            let stray = match GameKind::named(name.get_ref()) {
                Some(game) => {
                    StrayLimit::among(&table.times(), &game).map(|stray| stray.to_string())
                }
                None if self.game.has(name.get_ref()) => None,
                None => Some(self.game.unknown(name.get_ref()).to_string()),
            };
            if let Some(problem) = stray {
                return Err((name.span().start, problem));
            }
        }
        Ok(())
    }
}

impl FromStr for Layer {
    type Err = SourceError;

    fn from_str(source: &str) -> Result<Self, SourceError> {
        let toml = |error: toml::de::Error| {
            let SourceError { line, column, problem } = SourceError::from_toml(source, &error);
            SourceError { line, column, problem: project::with_suggestion(problem) }
        };
        let table = DeTable::parse(source).map_err(toml)?;
        let game = table.get_ref().get("game").cloned();
        let mut layer = Self::deserialize(table.into_deserializer()).map_err(toml)?;
        let game = game.map(|game| GameSetting::read(game, source)).transpose();
        let read = game.and_then(|game| {
            layer.game = game.unwrap_or_default();
            layer.check_limits()
        });
        read.map_err(|(offset, problem)| {
            SourceError::at(source, offset, project::with_suggestion(problem))
        })?;
        Ok(layer)
    }
}

/// Leaves a value for another reader.
fn unread<'de, D: Deserializer<'de>, T: Default>(deserializer: D) -> Result<T, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| T::default())
}

/// A game has no limit of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game} has no limit `{}`; it has: {}", limit.name(), names(known))]
#[non_exhaustive]
pub struct StrayLimit {
    /// The game's name.
    pub game: String,
    /// Which of the game's limits this is.
    pub limit: LimitKind,
    /// The kinds of limits that can be set for this game.
    pub known: Vec<LimitKind>,
}

impl StrayLimit {
    /// The first of these limits that the game does not have.
    pub(super) fn among(limits: &Limits, game: &GameKind) -> Option<Self> {
        let limit = limits.kinds().find(|kind| game.limits.of(*kind).is_none())?;
        Some(Self { game: game.name.clone(), limit, known: game.limits.kinds().collect() })
    }
}

fn names(kinds: &[LimitKind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}
