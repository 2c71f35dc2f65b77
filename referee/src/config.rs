//! Settings: the built-in defaults, a file of the user's over them, flags over both.
//!
//! The defaults are `configs/default.toml`, whose comments are the documentation.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::Error as _;

use crate::game::{GAMES, GameKind};
use crate::play::Limits;
use crate::source::SourceError;

/// The file that holds every setting and its default.
pub const DEFAULT: &str = include_str!("../../configs/default.toml");

/// Which limits hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The limits of the original referee
    Official,
    /// The official limits times a factor, 4 unless configured
    Relaxed,
    /// No limits, for a bot in a debugger
    Unlimited,
}

impl Profile {
    /// The name that `--profile` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::Relaxed => "relaxed",
            Self::Unlimited => "unlimited",
        }
    }
}

/// A time limit as a user writes it: a number with a unit, more than zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub Duration);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let duration: SignedDuration = text.parse().map_err(|_| {
            format!("`{text}` is not a duration; write a number with a unit, such as 50ms or 20s")
        })?;
        if duration.is_positive() {
            Ok(Self(duration.unsigned_abs()))
        } else {
            Err(format!("`{text}` must be more than zero"))
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A factor for limits: finite, more than zero.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
struct Factor(f64);

impl TryFrom<f64> for Factor {
    type Error = String;

    fn try_from(factor: f64) -> Result<Self, String> {
        if factor > 0.0 && factor <= 1e6 {
            Ok(Self(factor))
        } else {
            Err(format!("{factor} must be more than 0 and at most 1000000"))
        }
    }
}

/// Settings as a file gives them; what is absent is left to the layer below.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigFile {
    game: Option<String>,
    profile: Option<Profile>,
    relaxed_factor: Option<Factor>,
    #[serde(default)]
    limits: BTreeMap<String, LimitsTable>,
    #[serde(default)]
    bot: BotTable,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LimitsTable {
    first_turn: Option<Limit>,
    turn: Option<Limit>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct BotTable {
    grace: Option<Limit>,
    stderr_cap: Option<usize>,
}

/// What flags say; they beat every file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--game`.
    pub game: Option<String>,
    /// `--profile`.
    pub profile: Option<Profile>,
    /// `--first-turn`.
    pub first_turn: Option<Limit>,
    /// `--turn`.
    pub turn: Option<Limit>,
}

/// Validated settings.
pub struct Config {
    /// The game to play.
    pub game: &'static GameKind,
    /// The profile that the limits come from.
    pub profile: Profile,
    /// The limits that hold.
    pub limits: Limits,
    /// How long a bot may take to exit after its game.
    pub grace: Duration,
    /// The bytes of standard error that are kept for each turn.
    pub stderr_cap: usize,
}

impl FromStr for ConfigFile {
    type Err = SourceError;

    fn from_str(source: &str) -> Result<Self, SourceError> {
        let file: Self =
            toml::from_str(source).map_err(|error| SourceError::from_toml(source, &error))?;
        let mut games = file.game.iter().chain(file.limits.keys());
        match games.find(|name| GameKind::named(name).is_none()) {
            Some(name) => {
                let offset = source.find(name.as_str()).unwrap_or(0);
                Err(SourceError::at(source, offset, unknown_game(name)))
            }
            None => Ok(file),
        }
    }
}

impl Config {
    /// Puts flags over a user's file over the defaults.
    ///
    /// # Errors
    /// When the flags name a game that there is not.
    pub fn resolve(file: &ConfigFile, flags: &Overrides) -> Result<Self, String> {
        let default: ConfigFile = DEFAULT.parse().expect("tested: the defaults are valid");
        let complete = "tested: the defaults are complete";
        let name = flags.game.as_ref().or(file.game.as_ref()).or(default.game.as_ref());
        let name = name.expect(complete);
        let game = GameKind::named(name).ok_or_else(|| unknown_game(name))?;
        let profile = flags.profile.or(file.profile).or(default.profile).expect(complete);
        let factor = file.relaxed_factor.or(default.relaxed_factor).expect(complete);
        let table = |file: &ConfigFile| file.limits.get(name).copied().unwrap_or_default();
        let (mine, official) = (table(file), table(&default));
        let limit = |flag: Option<Limit>, mine: Option<Limit>, official: Option<Limit>| {
            let configured = mine.or(official).map(|limit| limit.0);
            let profiled = match profile {
                Profile::Official => configured,
                Profile::Relaxed => configured.map(|limit| limit.mul_f64(factor.0)),
                Profile::Unlimited => None,
            };
            flag.map(|limit| limit.0).or(profiled)
        };
        Ok(Self {
            game,
            profile,
            limits: Limits {
                first_turn: limit(flags.first_turn, mine.first_turn, official.first_turn),
                turn: limit(flags.turn, mine.turn, official.turn),
            },
            grace: file.bot.grace.or(default.bot.grace).expect(complete).0,
            stderr_cap: file.bot.stderr_cap.or(default.bot.stderr_cap).expect(complete),
        })
    }
}

/// The message for a game that there is not.
pub fn unknown_game(name: &str) -> String {
    let known: Vec<_> = GAMES.iter().map(|kind| kind.name).collect();
    format!("there is no game `{name}`; the games are: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(file: &str, flags: &Overrides) -> Config {
        Config::resolve(&file.parse().expect("a valid file"), flags).expect("a known game")
    }

    fn limits(first_turn: u64, turn: u64) -> Limits {
        let millis = |number| Some(Duration::from_millis(number));
        Limits { first_turn: millis(first_turn), turn: millis(turn) }
    }

    #[test]
    fn the_defaults_are_complete_and_official() {
        let config = resolved("", &Overrides::default());
        assert_eq!(config.game.name, "samegame");
        assert_eq!(config.profile, Profile::Official);
        assert_eq!(config.limits, limits(20_000, 50));
        assert_eq!(config.grace, Duration::from_millis(200));
        assert_eq!(config.stderr_cap, 65_536);
    }

    #[test]
    fn flags_beat_the_file_and_the_file_the_defaults() {
        let file = "[limits.samegame]\nfirst-turn = '1s'\nturn = '2s'\n[bot]\ngrace = '1ms'";
        let flags = Overrides { turn: "3s".parse().ok(), ..Overrides::default() };
        let config = resolved(file, &flags);
        assert_eq!(config.limits, limits(1000, 3000));
        assert_eq!(config.grace, Duration::from_millis(1));
    }

    #[test]
    fn a_profile_changes_the_limits_that_no_flag_sets() {
        let relaxed = resolved("profile = 'relaxed'\nrelaxed-factor = 2", &Overrides::default());
        assert_eq!(relaxed.limits, limits(40_000, 100));
        let flags = Overrides {
            profile: Some(Profile::Unlimited),
            turn: "1s".parse().ok(),
            ..Overrides::default()
        };
        let unlimited = resolved("", &flags).limits;
        assert_eq!(unlimited, Limits { first_turn: None, ..limits(0, 1000) });
    }

    #[test]
    fn limits_have_a_unit_and_are_more_than_zero() {
        for (text, nanos) in
            [("50ms", 50_000_000), ("1.5s", 1_500_000_000), ("2 m", 120_000_000_000)]
        {
            assert_eq!(text.parse(), Ok(Limit(Duration::from_nanos(nanos))), "{text}");
        }
        for text in ["", "50", "0ms", "0s", "-1s", "fast", "1e9"] {
            assert!(text.parse::<Limit>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_place() {
        for (source, expected) in [
            ("gam = 'samegame'", "1:1: unknown field `gam`"),
            ("game = 'chess'", "1:9: there is no game `chess`; the games are: samegame"),
            ("\n[limits.samegame]\nturn = 50", "3:8: invalid type: integer `50`"),
            ("[limits.samegame]\nturn = '0s'", "2:8: `0s` must be more than zero"),
            ("[limits.chess]\nturn = '1s'", "1:9: there is no game `chess`"),
            ("relaxed-factor = 0.0", "1:18: 0 must be more than 0"),
            ("profile = 'fast'", "1:11: unknown variant `fast`"),
            ("[bot", "1:5: "),
        ] {
            let error = source.parse::<ConfigFile>().expect_err(source).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
