//! Settings: the built-in defaults, a file of the user's over them, flags over both.
//!
//! The defaults are `configs/default.toml`, whose comments are the documentation.

mod project;
mod resources;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::Error as _;
use toml::Spanned;

pub use self::project::{
    BoardSet, BotEntry, PROJECT_FILE, Project, SuiteTable, TEMPLATE, find_project,
};
use self::resources::ResourceTable;
pub use self::resources::{Bound, Count, Size};
use crate::bot::Containment;
use crate::game::{GameKind, unknown_game};
use crate::limits::{
    LimitKind, Limits, MatchRules, OnHostDelay, OverrunRules, Profile, Resources, SoftLimit,
};
use crate::source::SourceError;

/// The file that holds every setting and its default.
pub const DEFAULT: &str = include_str!("../../configs/default.toml");

/// A time limit as a user writes it: a number with a unit, more than zero and at most
/// [`MAX`](Self::MAX).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub Duration);

impl Limit {
    /// Longer than any bot is waited for, and short enough to be reckoned with.
    pub const MAX: Duration = Duration::from_hours(1000);
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let duration: SignedDuration = text.parse().map_err(|_| {
            format!("`{text}` is not a duration; write a number with a unit, such as 50ms or 20s")
        })?;
        if !duration.is_positive() {
            return Err(format!("`{text}` must be more than zero"));
        }
        let duration = duration.unsigned_abs();
        if duration > Self::MAX {
            return Err(format!("`{text}` is more than 1000h; for no limit there is a profile"));
        }
        Ok(Self(duration))
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A factor that relaxes limits, 1 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
struct Factor(f64);

impl TryFrom<f64> for Factor {
    type Error = String;

    fn try_from(factor: f64) -> Result<Self, String> {
        if (1.0..=1000.0).contains(&factor) {
            Ok(Self(factor))
        } else {
            Err(format!("{factor} is not in 1 to 1000"))
        }
    }
}

/// Settings as a file gives them; what is absent is left to the layer below.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigFile {
    game: Option<Spanned<String>>,
    profile: Option<Profile>,
    relaxed_factor: Option<Factor>,
    on_host_delay: Option<OnHostDelay>,
    containment: Option<Containment>,
    #[serde(default)]
    sdk_soft: SoftTable,
    #[serde(default)]
    limits: BTreeMap<Spanned<String>, LimitsTable>,
    #[serde(default)]
    resources: ResourceTable,
    #[serde(default)]
    bot: BotTable,
    #[serde(default)]
    bots: BTreeMap<String, BotEntry>,
    #[serde(default)]
    boards: BTreeMap<String, BoardSet>,
    #[serde(default)]
    suite: SuiteTable,
    /// The folder of the file.
    #[serde(skip)]
    folder: PathBuf,
}

/// The limits of a game, as far as they are set.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitsTable {
    /// For the first reply.
    pub first_turn: Option<Limit>,
    /// For each later reply.
    pub turn: Option<Limit>,
    /// For the only reply of a game.
    pub total: Option<Limit>,
    /// For the memory of all its processes together.
    pub memory: Option<Bound<Size>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SoftTable {
    extra: Option<Limit>,
    forgiven: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct BotTable {
    grace: Option<Limit>,
    stderr_cap: Option<usize>,
}

impl LimitsTable {
    fn get(&self, kind: LimitKind) -> Option<Duration> {
        let limit = match kind {
            LimitKind::FirstTurn => self.first_turn,
            LimitKind::Turn => self.turn,
            LimitKind::Total => self.total,
        };
        limit.map(|limit| limit.0)
    }

    /// A limit that is set here and that no exchange of the game has.
    fn stray(&self, game: &GameKind) -> Option<LimitKind> {
        let all = [LimitKind::FirstTurn, LimitKind::Turn, LimitKind::Total];
        let stray = |kind: &LimitKind| self.get(*kind).is_some() && !game.limits.contains(kind);
        all.into_iter().find(stray)
    }
}

/// What flags say; they beat every file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--game`.
    pub game: Option<String>,
    /// `--profile`.
    pub profile: Option<Profile>,
    /// `--first-turn`, `--turn`, `--total` and `--memory`.
    pub limits: LimitsTable,
    /// `--on-host-delay`.
    pub on_host_delay: Option<OnHostDelay>,
    /// `--containment`.
    pub containment: Option<Containment>,
}

/// Validated settings.
pub struct Config {
    /// The game to play.
    pub game: &'static GameKind,
    /// What its matches go by.
    pub rules: MatchRules,
    /// The time limits of the original, and its limit of memory.
    official: (Limits, Option<u64>),
    /// The factor of the profile `relaxed`.
    pub relaxed_factor: f64,
    /// What the profile `sdk-soft` forgives.
    pub sdk_soft: SoftLimit,
    /// What keeps a bot's processes together.
    pub containment: Containment,
    /// What a bot may use.
    pub resources: Resources,
    /// The bytes of a log beyond which it holds no more standard error.
    pub log_size: Option<u64>,
    /// Bots, board sets and suite settings of the project.
    pub project: Project,
}

impl FromStr for ConfigFile {
    type Err = SourceError;

    fn from_str(source: &str) -> Result<Self, SourceError> {
        let file: Self = toml::from_str(source).map_err(|error| {
            let SourceError { line, column, problem } = SourceError::from_toml(source, &error);
            SourceError { line, column, problem: project::with_suggestion(problem) }
        })?;
        file.check_games().map_err(|(offset, problem)| SourceError::at(source, offset, problem))?;
        Ok(file)
    }
}

impl ConfigFile {
    /// The same as read from a file in `folder`, which its paths are seen from.
    #[must_use]
    pub fn in_folder(self, folder: PathBuf) -> Self {
        Self { folder, ..self }
    }

    /// The error is an offset in the file and what is wrong there.
    fn check_games(&self) -> Result<(), (usize, String)> {
        let known = |name: &Spanned<String>| {
            GameKind::named(name.get_ref())
                .ok_or_else(|| (name.span().start, unknown_game(name.get_ref())))
        };
        self.game.as_ref().map(known).transpose()?;
        for (name, table) in &self.limits {
            let game = known(name)?;
            if let Some(stray) = table.stray(game) {
                return Err((name.span().start, stray_limit(game, stray)));
            }
        }
        Ok(())
    }

    fn game(&self) -> Option<&String> {
        self.game.as_ref().map(Spanned::get_ref)
    }

    fn limits(&self, game: &str) -> LimitsTable {
        let mut tables = self.limits.iter();
        let found = tables.find(|(name, _)| name.get_ref() == game);
        found.map(|(_, table)| *table).unwrap_or_default()
    }
}

impl Config {
    /// Puts flags over a user's file over the defaults.
    ///
    /// # Errors
    /// When the flags name a game that there is not, or a limit that it does not have.
    pub fn resolve(file: &ConfigFile, flags: &Overrides) -> Result<Self, String> {
        let default: ConfigFile = DEFAULT.parse().expect("tested: the defaults are valid");
        let complete = "tested: the defaults are complete";
        let name = flags.game.as_ref().or(file.game()).or(default.game());
        let name = name.expect(complete);
        let game =
            GameKind::named(name).ok_or_else(|| format!("--game: {}", unknown_game(name)))?;
        let profile = flags.profile.or(file.profile).or(default.profile).expect(complete);
        let factor = file.relaxed_factor.or(default.relaxed_factor).expect(complete);
        let (mine, official) = (file.limits(name), default.limits(name));
        if let Some(stray) = flags.limits.stray(game) {
            return Err(format!("--{}: {}", stray.name(), stray_limit(game, stray)));
        }
        let limit = |kind| {
            let configured = mine.get(kind).or(official.get(kind));
            let profiled = match profile {
                Profile::Official | Profile::SdkSoft => configured,
                Profile::Relaxed => configured.map(|limit| limit.mul_f64(factor.0)),
                Profile::Unlimited => None,
            };
            flags.limits.get(kind).or(profiled)
        };
        let sdk_soft = SoftLimit {
            extra: file.sdk_soft.extra.or(default.sdk_soft.extra).expect(complete).0,
            forgiven: file.sdk_soft.forgiven.or(default.sdk_soft.forgiven).expect(complete),
        };
        let soft = (profile == Profile::SdkSoft).then_some(sdk_soft);
        let on_host_delay = flags.on_host_delay.or(file.on_host_delay);
        let on_host_delay = on_host_delay.or(default.on_host_delay).expect(complete);
        let containment = flags.containment.or(file.containment).or(default.containment);
        let resources = file.resources.over(default.resources);
        let memory = flags.limits.memory.or(mine.memory).or(official.memory);
        let rules = MatchRules {
            profile,
            limits: Limits::from_kinds(limit),
            overruns: OverrunRules { on_host_delay, soft, patience: None },
            grace: file.bot.grace.or(default.bot.grace).expect(complete).0,
            stderr_cap: file.bot.stderr_cap.or(default.bot.stderr_cap).expect(complete),
        };
        Ok(Self {
            game,
            rules,
            official: (
                Limits::from_kinds(|kind| official.get(kind)),
                official.memory.and_then(Bound::limit).map(|size| size.0),
            ),
            relaxed_factor: factor.0,
            sdk_soft,
            containment: containment.expect(complete),
            resources: resources.resources(memory),
            log_size: resources.log_size.and_then(Bound::limit).map(|size| size.0),
            project: Project {
                folder: file.folder.clone(),
                bots: file.bots.clone(),
                boards: file.boards.clone(),
                suite: file.suite.clone(),
            },
        })
    }

    /// Whether a game that is completed under these rules would have been completed under the original
    /// ones, as long as no reply was late.
    pub fn is_as_strict_as_official(&self) -> bool {
        let (limits, memory) = &self.official;
        let mut kinds = self.game.limits.iter();
        let in_time = kinds.all(|&kind| is_as_strict(self.rules.limits.of(kind), limits.of(kind)));
        in_time && is_as_strict(self.resources.memory, *memory)
    }
}

/// Whether a limit allows no more than the official one.
fn is_as_strict<T: PartialOrd>(limit: Option<T>, official: Option<T>) -> bool {
    official.is_none_or(|official| limit.is_some_and(|limit| limit <= official))
}

fn stray_limit(game: &GameKind, stray: LimitKind) -> String {
    let has: Vec<_> = game.limits.iter().map(|kind| kind.name()).collect();
    format!("{} has no limit `{}`; it has: {}", game.name, stray.name(), has.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GAMES;

    fn resolved(file: &str, flags: &Overrides) -> Config {
        Config::resolve(&file.parse().expect("a valid file"), flags).expect("a known game")
    }

    fn turn(limit: &str) -> LimitsTable {
        LimitsTable { turn: limit.parse().ok(), ..LimitsTable::default() }
    }

    fn limits(first_turn: u64, turn: u64) -> Limits {
        let millis = |number| Some(Duration::from_millis(number));
        Limits::from_kinds(|kind| match kind {
            LimitKind::FirstTurn => millis(first_turn),
            LimitKind::Turn => millis(turn),
            LimitKind::Total => None,
        })
    }

    #[test]
    fn the_defaults_are_complete_and_official() {
        let config = resolved("", &Overrides::default());
        assert_eq!(config.game.name, "samegame");
        assert_eq!(config.rules.profile, Profile::Official);
        assert_eq!(config.rules.limits, limits(20_000, 50));
        assert_eq!(config.rules.grace, Duration::from_millis(200));
        assert_eq!(config.rules.stderr_cap, 65_536);
        assert_eq!(config.containment, Containment::Auto);
        let Resources { memory, processes, open_files, .. } = config.resources;
        assert_eq!((memory, processes, open_files), (Some(768 << 20), Some(512), Some(1024)));
        assert_eq!(config.rules.overruns, OverrunRules::default());
        let soft = resolved("profile = 'sdk-soft'", &Overrides::default());
        assert_eq!(soft.rules.limits, limits(20_000, 50));
        let extra = Duration::from_millis(50);
        assert_eq!(soft.rules.overruns.soft, Some(SoftLimit { extra, forgiven: 2 }));
        let squares = resolved("game = 'square-remover'", &Overrides::default());
        assert_eq!(squares.resources.memory, Some(1024 << 20));
        let squares = squares.rules.limits;
        assert_eq!(squares.of(LimitKind::Total), Some(Duration::from_secs(30)));
        assert_eq!(squares.of(LimitKind::Turn), None);
        for game in GAMES {
            let config = resolved(&format!("game = '{}'", game.name), &Overrides::default());
            for kind in game.limits {
                assert!(config.rules.limits.of(*kind).is_some(), "{}: {kind:?}", game.name);
            }
        }
    }

    #[test]
    fn flags_beat_the_file_and_the_file_the_defaults() {
        let file = "[limits.samegame]\nfirst-turn = '1s'\nturn = '2s'\n[bot]\ngrace = '1ms'";
        let flags = Overrides { limits: turn("3s"), ..Overrides::default() };
        let config = resolved(file, &flags);
        assert_eq!(config.rules.limits, limits(1000, 3000));
        assert_eq!(config.rules.grace, Duration::from_millis(1));
    }

    #[test]
    fn a_profile_changes_the_limits_that_no_flag_sets() {
        let relaxed = resolved("profile = 'relaxed'\nrelaxed-factor = 2", &Overrides::default());
        assert_eq!(relaxed.rules.limits, limits(40_000, 100));
        let flags = Overrides {
            profile: Some(Profile::Unlimited),
            limits: turn("1s"),
            ..Overrides::default()
        };
        let unlimited = resolved("", &flags).rules.limits;
        assert_eq!(unlimited.of(LimitKind::FirstTurn), None);
        assert_eq!(unlimited.of(LimitKind::Turn), Some(Duration::from_secs(1)));
    }

    #[test]
    fn only_limits_as_strict_as_the_official_ones_count() {
        let strict =
            |source: &str| resolved(source, &Overrides::default()).is_as_strict_as_official();
        assert!(strict("") && strict("profile = 'sdk-soft'"));
        assert!(strict("[limits.samegame]\nturn = '10ms'"));
        assert!(!strict("[limits.samegame]\nturn = '51ms'"));
        assert!(!strict("profile = 'relaxed'") && !strict("profile = 'unlimited'"));
        assert!(!strict("[limits.samegame]\nmemory = '769MiB'"));
        assert!(!strict("[limits.samegame]\nmemory = 'none'"));
    }

    #[test]
    fn limits_have_a_unit_and_are_more_than_zero() {
        for (text, nanos) in
            [("50ms", 50_000_000), ("1.5s", 1_500_000_000), ("2 m", 120_000_000_000)]
        {
            assert_eq!(text.parse(), Ok(Limit(Duration::from_nanos(nanos))), "{text}");
        }
        for text in ["", "50", "0ms", "0s", "-1s", "fast", "1e9", "1001h", "9999999999999h"] {
            assert!(text.parse::<Limit>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_place() {
        for (source, expected) in [
            ("gam = 'samegame'", "1:1: unknown field `gam`"),
            (
                "game = 'chess'",
                "1:8: there is no game `chess`; the games are: samegame, square-remover",
            ),
            ("\n[limits.samegame]\nturn = 50", "3:8: invalid type: integer `50`"),
            ("[limits.samegame]\nturn = '0s'", "2:8: `0s` must be more than zero"),
            ("[limits.chess]\nturn = '1s'", "1:9: there is no game `chess`"),
            (
                "[limits.square-remover]\nturn = '1s'",
                "1:9: square-remover has no limit `turn`; it has: total",
            ),
            ("[limits.samegame]\nmemory = 768", "2:10: `768` is not a size"),
            ("[resources]\nprocesses = 0", "2:13: `0` is not a whole number"),
            ("[resources]\ncpu-time = true", "2:12: expected a number, a text"),
            ("containment = 'strong'", "1:15: unknown variant `strong`"),
            ("relaxed-factor = 0.5", "1:18: 0.5 is not in 1 to 1000"),
            ("profile = 'fast'", "1:11: unknown variant `fast`"),
            ("[bot", "1:5: "),
        ] {
            let error = source.parse::<ConfigFile>().expect_err(source).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
