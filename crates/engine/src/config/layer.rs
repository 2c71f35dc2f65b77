//! One layer of settings: the defaults, a user's file, flags, or the settings stored in a plan or a log.
//!
//! Settings that a layer leaves unset come from the layers below it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::Stored;
use super::games::GameSetting;
use super::over::{Over, over_by_field};
use super::project::{self, BoardSet, BotEntry, ClusterTable, SuiteTable};
use super::resources::{Bound, ResourceTable, Size};
use super::values::{Factor, Limit};
use contain::bot::Containment;
use rules::game::GameKind;
use rules::source::SourceError;
use terms::limits::{LimitKind, OnHostDelay, Profile};
use terms::path::folder_of;

/// Settings, each of which may be unset.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    #[serde(default)]
    pub(super) game: GameSetting,
    /// `--profile`.
    pub profile: Option<Profile>,
    pub(super) relaxed_factor: Option<Factor>,
    /// `--on-host-delay`.
    pub on_host_delay: Option<OnHostDelay>,
    /// `--containment`.
    pub containment: Option<Containment>,
    #[serde(default)]
    pub(super) sdk_soft: SoftTable,
    #[serde(default)]
    pub(super) limits: BTreeMap<Spanned<String>, LimitsTable>,
    /// `--first-turn`, `--turn`, `--total` and `--memory`: limits for whichever game is played, unaffected
    /// by the profile.
    #[serde(skip)]
    pub fixed: LimitsTable,
    #[serde(default)]
    pub(super) resources: ResourceTable,
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

/// Limits of a game, each of which may be unset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "the limits of a game: `turn = \"50ms\"` below the line `[limits.samegame]`"
)]
pub struct LimitsTable {
    /// For the first reply.
    pub first_turn: Option<Limit>,
    /// For each later reply.
    pub turn: Option<Limit>,
    /// For the only reply of a game.
    pub total: Option<Limit>,
    /// For the memory of all the bot's processes together.
    pub memory: Option<Bound<Size>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SoftTable {
    pub(super) extra: Option<Limit>,
    pub(super) forgiven: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct BotTable {
    pub(super) grace: Option<Limit>,
    pub(super) stderr_cap: Option<usize>,
}

over_by_field!(Layer:
    game, profile, relaxed_factor, on_host_delay, containment, sdk_soft, limits, fixed, resources,
    bot, bots, boards, suite, cluster, folder
);
over_by_field!(LimitsTable: first_turn, turn, total, memory);
over_by_field!(SoftTable: extra, forgiven);
over_by_field!(BotTable: grace, stderr_cap);

impl Layer {
    /// A layer that chooses a game.
    pub fn of_game(name: &str) -> Self {
        Self { game: GameSetting::of(name), ..Self::default() }
    }

    /// The settings of a game or a run played before.
    pub fn of_stored(stored: &Stored<'_>) -> Self {
        let limit = |kind| stored.limits.of(kind).map(Limit);
        Self {
            profile: Some(stored.profile),
            on_host_delay: Some(stored.on_host_delay),
            fixed: LimitsTable {
                first_turn: limit(LimitKind::FirstTurn),
                turn: limit(LimitKind::Turn),
                total: limit(LimitKind::Total),
                memory: Some(Bound::from_limit(stored.resources.memory.map(Size))),
            },
            resources: ResourceTable::from_resources(&stored.resources),
            ..Self::of_game(stored.game)
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
            game.chosen = Some(Spanned::new(0..0, name.clone()));
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
        Over::over(self, below)
    }

    /// The limits that this layer sets for a game.
    pub(super) fn limits(&self, game: &str) -> LimitsTable {
        let mut tables = self.limits.iter();
        let found = tables.find(|(name, _)| name.get_ref() == game);
        found.map(|(_, table)| *table).unwrap_or_default()
    }

    /// Checks the names and limits of games. The error has an offset in the file, and the problem.
    fn check_games(&self) -> Result<(), (usize, String)> {
        let known = |name: &Spanned<String>| match GameKind::named(name.get_ref()) {
            Some(game) => Ok(Some(game)),
            None if self.game.own.contains_key(name.get_ref()) => Ok(None),
            None => Err((name.span().start, self.game.unknown(name.get_ref()).to_string())),
        };
        self.game.chosen.as_ref().map(known).transpose()?;
        for (name, table) in &self.limits {
            if let Some(game) = known(name)?
                && let Some(stray) = table.stray(&game)
            {
                return Err((name.span().start, StrayLimit::new(&game, stray).to_string()));
            }
        }
        Ok(())
    }
}

impl FromStr for Layer {
    type Err = SourceError;

    fn from_str(source: &str) -> Result<Self, SourceError> {
        let mut layer: Self = toml::from_str(source).map_err(|error| {
            let SourceError { line, column, problem } = SourceError::from_toml(source, &error);
            SourceError { line, column, problem: project::with_suggestion(problem) }
        })?;
        let read = layer.game.read_from(source).and_then(|()| layer.check_games());
        read.map_err(|(offset, problem)| SourceError::at(source, offset, problem))?;
        Ok(layer)
    }
}

impl LimitsTable {
    pub(super) fn get(&self, kind: LimitKind) -> Option<Duration> {
        let limit = match kind {
            LimitKind::FirstTurn => self.first_turn,
            LimitKind::Turn => self.turn,
            LimitKind::Total => self.total,
        };
        limit.map(|limit| limit.0)
    }

    /// A limit that this table sets but the game does not use.
    pub(super) fn stray(&self, game: &GameKind) -> Option<LimitKind> {
        let all = [LimitKind::FirstTurn, LimitKind::Turn, LimitKind::Total];
        let stray = |kind: &LimitKind| {
            self.get(*kind).is_some() && !game.limit_kinds().any(|known| known == *kind)
        };
        all.into_iter().find(stray)
    }
}

/// A game has no limit of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game} has no limit `{}`; it has: {}", limit.name(), names(known))]
#[non_exhaustive]
pub struct StrayLimit {
    /// The game's name.
    pub game: String,
    /// The kind.
    pub limit: LimitKind,
    /// The kinds that it has.
    pub known: Vec<LimitKind>,
}

impl StrayLimit {
    pub(super) fn new(game: &GameKind, limit: LimitKind) -> Self {
        Self { game: game.name.clone(), limit, known: game.limit_kinds().collect() }
    }
}

fn names(kinds: &[LimitKind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}
