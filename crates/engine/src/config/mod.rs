//! Settings, in layers: flags lie over the user's file, which lies over the built-in defaults. Each is a
//! [`Layer`]; together they resolve to a [`Config`].
//!
//! The defaults are `configs/default.toml`, whose comments are the documentation.

mod confinement;
mod games;
mod judge_files;
mod layer;
mod over;
mod project;
mod resources;
mod shell;
mod values;

use std::sync::Arc;
use std::time::Duration;

pub use self::confinement::{CommandError, bot_command};
pub use self::games::{CustomGame, CustomGameError};
pub use self::layer::{Layer, StrayLimit};
pub use self::over::Layered;
pub use self::project::{
    BoardSet, BotEntry, ClusterTable, PROJECT_FILE, Pin, Project, SuiteTable, TEMPLATE,
    find_project,
};
pub use self::shell::ShellSyntax;
pub use self::values::{SeedRange, SeedsFileError, SeedsSource};
use contain::bot::Containment;
use rules::game::{GameKind, UnknownGame};
use terms::limits::{Limits, MatchRules, OverrunRules, Profile, Resources, SoftLimit};
pub use terms::values::{Bound, Count, GameLimits, Limit, Size};

/// The file with every setting and its default.
pub const DEFAULT: &str = include_str!("../../configs/default.toml");

/// Validated settings.
///
/// ```
/// use engine::config::{Config, ConfigError, Layer};
/// use rules::game::GameKind;
/// use terms::limits::Profile;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let flags: Layer = "profile = 'relaxed'".parse()?;
/// let file: Layer = "game = 'square-remover'\nprofile = 'official'".parse()?;
/// let config = Config::resolve([flags, file])?;
/// assert_eq!((config.game.name.as_str(), config.rules.profile), ("square-remover", Profile::Relaxed));
///
/// // A game of one's own needs no name in a table.
/// let own = GameKind { name: "mine".to_owned(), ..GameKind::clone(&config.game) };
/// assert_eq!(Config::for_game(own.into(), [])?.game.name, "mine");
/// assert!(matches!(Config::resolve([Layer::of_game("chess")]), Err(ConfigError::UnknownGame(_))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Config {
    /// The game to play.
    pub game: Arc<GameKind>,
    /// The time limits, and the rules for late replies.
    pub rules: MatchRules,
    /// The factor of the profile `relaxed`.
    pub relaxed_factor: f64,
    /// The late replies that the profile `sdk-soft` forgives.
    pub sdk_soft: SoftLimit,
    /// The containment of a bot's processes.
    pub containment: Containment,
    /// The resources that a bot without a sandbox may use.
    pub resources: Resources,
    /// The limit on the memory of a bot in a sandbox in bytes, if nothing else says whether memory is limited.
    pub sandbox_memory: Option<u64>,
    /// The size in bytes at which a log stops storing standard error.
    pub log_size: Option<u64>,
    /// Bots, board sets and settings of suites of the project.
    pub project: Project,
}

/// Why settings do not resolve to a [`Config`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// They name an unknown game.
    #[error(transparent)]
    UnknownGame(#[from] UnknownGame),
    /// The game is one of the user's own, and its settings are wrong.
    #[error(transparent)]
    CustomGame(#[from] CustomGameError),
    /// They fix a limit that the game does not have.
    #[error(transparent)]
    StrayLimit(#[from] StrayLimit),
}

impl Config {
    /// Lays these layers over the defaults, the first one on top.
    ///
    /// # Errors
    /// When a layer names an unknown game, or sets a limit that the game does not use.
    pub fn resolve(layers: impl IntoIterator<Item = Layer>) -> Result<Self, ConfigError> {
        let settings = laid_over(layers);
        let name = settings.game.chosen.as_ref().expect(DEFAULTED);
        let game = settings.game.kind(name)?;
        Self::complete(game, &settings)
    }

    /// As [`resolve`](Self::resolve), for a game that need not be in the table of games or in a layer.
    ///
    /// # Errors
    /// When a layer sets a limit that the game does not use.
    pub fn for_game(
        game: Arc<GameKind>,
        layers: impl IntoIterator<Item = Layer>,
    ) -> Result<Self, ConfigError> {
        Self::complete(game, &laid_over(layers))
    }

    fn complete(game: Arc<GameKind>, settings: &Layer) -> Result<Self, ConfigError> {
        if let Some(stray) = StrayLimit::among(&settings.fixed.times(), &game) {
            return Err(stray.into());
        }
        let relaxed_factor = settings.relaxed_factor.expect(DEFAULTED).0;
        let sdk_soft = SoftLimit {
            extra: settings.sdk_soft.extra.expect(DEFAULTED).0,
            forgiven: settings.sdk_soft.forgiven.expect(DEFAULTED),
        };
        let limits = settings.fixed.or(settings.limits(&game.name));
        let bytes = |bound: Option<Bound<Size>>| bound.and_then(Bound::limit).map(|size| size.0);
        let has_memory =
            settings.stored.is_some() || limits.memory.is_some() || game.memory.is_some();
        Ok(Self {
            rules: rules(settings, &game, relaxed_factor, sdk_soft),
            relaxed_factor,
            sdk_soft,
            containment: settings.containment.expect(DEFAULTED),
            resources: settings
                .stored
                .unwrap_or_else(|| limits.resources(settings.resources.resources(game.memory))),
            sandbox_memory: bytes(settings.resources.sandbox_memory.filter(|_| !has_memory)),
            log_size: bytes(settings.resources.log_size),
            project: Project {
                folder: settings.folder.clone().unwrap_or_default(),
                bots: settings.bots.clone(),
                games: settings.game.own.clone(),
                boards: settings.boards.clone(),
                suite: settings.suite.clone(),
                cluster: settings.cluster.clone(),
            },
            game,
        })
    }

    /// The resources that a bot may use, in a sandbox or not.
    pub fn resources_of(&self, is_sandboxed: bool) -> Resources {
        let sandboxed = self.sandbox_memory.filter(|_| is_sandboxed);
        Resources { memory: self.resources.memory.or(sandboxed), ..self.resources }
    }

    /// Whether a game completed under these rules without a late reply would also have been completed
    /// under the official rules.
    pub fn is_as_strict_as_official(&self) -> bool {
        let in_time = if self.game.judge.is_some() {
            self.rules.fixed.is_unlimited() && self.rules.factor == Some(1.0)
        } else {
            let official = &self.game.limits;
            official.kinds().all(|kind| is_as_strict(self.rules.limits.of(kind), official.of(kind)))
        };
        in_time && is_as_strict(self.resources.memory, self.game.memory)
    }
}

/// Why these settings have a value.
const DEFAULTED: &str = "tested: the defaults have it";

/// These layers, the first one on top, over the defaults.
fn laid_over(layers: impl IntoIterator<Item = Layer>) -> Layer {
    let default = DEFAULT.parse().expect("tested: the defaults are valid");
    layers.into_iter().chain([default]).reduce(Layer::over).unwrap_or_default()
}

/// Whether a limit allows no more than the official one.
fn is_as_strict<T: PartialOrd>(limit: Option<T>, official: Option<T>) -> bool {
    official.is_none_or(|official| limit.is_some_and(|limit| limit <= official))
}

fn rules(
    settings: &Layer,
    game: &GameKind,
    relaxed_factor: f64,
    sdk_soft: SoftLimit,
) -> MatchRules {
    let profile = settings.profile.expect(DEFAULTED);
    let factor = match profile {
        Profile::Relaxed => Some(relaxed_factor),
        Profile::Unlimited => None,
        // The others keep to the original's limits, whatever they do about late replies.
        _ => Some(1.0),
    };
    let profiled = |limit: Duration| Some(limit.mul_f64(factor?));
    let given = settings.limits(&game.name).times();
    let normal = given.or(&game.limits);
    let fixed = settings.fixed.times();
    let overruns = OverrunRules {
        on_host_delay: settings.on_host_delay.expect(DEFAULTED),
        soft: (profile == Profile::SdkSoft).then_some(sdk_soft),
        patience: None,
    };
    MatchRules {
        profile,
        limits: fixed.or(&Limits::from_kinds(|kind| normal.of(kind).and_then(profiled))),
        // Only judges name limits of their own.
        fixed: if game.judge.is_some() { fixed.or(&given) } else { Limits::default() },
        factor,
        overruns,
        grace: settings.bot.grace.expect(DEFAULTED).0,
        stderr_cap: settings.bot.stderr_cap.expect(DEFAULTED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::suite::Rules;
    use rules::game::GAMES;
    use terms::bounds::{GAME_OUTPUT, GAME_STDERR, TURN_OUTPUT, TURN_STDERR};
    use terms::limits::LimitKind;

    fn resolved(file: &str, flags: Layer) -> Config {
        Config::resolve([flags, file.parse().expect("a valid file")]).expect("a known game")
    }

    fn turn(seconds: u64) -> GameLimits {
        Limits::from([(LimitKind::Turn, Duration::from_secs(seconds))]).into()
    }

    fn limits(first_turn: u64, turn: u64) -> Limits {
        let [first, later] = [first_turn, turn].map(Duration::from_millis);
        Limits::from([(LimitKind::FirstTurn, first), (LimitKind::Turn, later)])
    }

    #[test]
    fn the_defaults_are_complete_and_official() {
        let config = resolved("", Layer::default());
        assert_eq!(config.game.name, "samegame");
        assert_eq!(config.rules.profile, Profile::Official);
        assert_eq!(config.rules.limits, limits(20_000, 50));
        assert_eq!(config.rules.grace, Duration::from_millis(200));
        assert_eq!(config.rules.stderr_cap, TURN_STDERR);
        assert_eq!(config.containment, Containment::Auto);
        let Resources { memory, processes, open_files, .. } = config.resources;
        assert_eq!((memory, processes, open_files), (Some(768 << 20), Some(512), Some(1024)));
        let Resources { turn_output, game_output, game_stderr, .. } = config.resources;
        let bounds = [TURN_OUTPUT, GAME_OUTPUT, GAME_STDERR].map(Some);
        assert_eq!([turn_output, game_output, game_stderr], bounds);
        assert_eq!(config.rules.overruns, OverrunRules::default());
        let soft = resolved("profile = 'sdk-soft'", Layer::default());
        assert_eq!(soft.rules.limits, limits(20_000, 50));
        let extra = Duration::from_millis(50);
        assert_eq!(soft.rules.overruns.soft, Some(SoftLimit { extra, forgiven: 2 }));
        let squares = resolved("game = 'square-remover'", Layer::default());
        assert_eq!(squares.resources.memory, Some(1024 << 20));
        let squares = squares.rules.limits;
        assert_eq!(squares.of(LimitKind::Total), Some(Duration::from_secs(30)));
        assert_eq!(squares.of(LimitKind::Turn), None);
        for game in GAMES.iter() {
            let config = resolved(&format!("game = '{}'", game.name), Layer::default());
            assert_eq!(config.rules, MatchRules::official(config.rules.limits), "{}", game.name);
            assert_eq!(config.rules.limits, game.limits, "{}", game.name);
        }
    }

    #[test]
    fn the_limits_in_the_defaults_are_explained_with_their_official_values() {
        let lines = DEFAULT.lines().skip_while(|line| !line.starts_with("# [limits."));
        let lines = lines.map_while(|line| line.strip_prefix('#'));
        let explained: Layer =
            lines.collect::<Vec<_>>().join("\n").parse().expect("valid settings");
        assert_eq!(explained.limits.len(), GAMES.len());
        for game in GAMES.iter() {
            let memory = game.memory.map(|bytes| Bound::At(Size(bytes)));
            let official = GameLimits { memory, ..game.limits.into() };
            assert_eq!(explained.limits(&game.name), official);
        }
    }

    #[test]
    fn each_setting_of_a_layer_hides_the_one_below_and_no_other() {
        let above = "[suite]\njobs = 2\n[limits.samegame]\nturn = '1s'\n[sdk-soft]\nforgiven = 7";
        let below = "[suite]\njobs = 3\ncores-per-bot = 4\n[limits.samegame]\nturn = '2s'\n\
                     first-turn = '3s'\n[bots.a]\ncommand = 'a'";
        let layers = [above, below].map(|source| source.parse().expect("a valid file"));
        let config = Config::resolve(layers).expect("a known game");
        let suite = &config.project.suite;
        assert_eq!((suite.jobs, suite.cores_per_bot), (Some(2), Some(4)));
        assert_eq!(config.rules.limits, limits(3000, 1000));
        assert_eq!((config.sdk_soft.forgiven, config.sdk_soft.extra.as_millis()), (7, 50));
        assert!(config.project.bots.contains_key("a"));
    }

    #[test]
    fn a_profile_changes_the_limits_that_no_flag_sets() {
        let relaxed = resolved("profile = 'relaxed'\nrelaxed-factor = 2", Layer::default());
        assert_eq!(relaxed.rules.limits, limits(40_000, 100));
        let flags = Layer { profile: Some(Profile::Unlimited), fixed: turn(1), ..Layer::default() };
        let unlimited = resolved("", flags).rules.limits;
        assert_eq!(unlimited.of(LimitKind::FirstTurn), None);
        assert_eq!(unlimited.of(LimitKind::Turn), Some(Duration::from_secs(1)));
    }

    #[test]
    fn what_was_stored_holds_again_whatever_a_file_says() {
        for profile in ["official", "relaxed", "unlimited"] {
            let file = format!("profile = '{profile}'\n[limits.samegame]\nmemory = 'none'");
            let played = resolved(&file, Layer::default());
            let stored = Rules {
                profile: played.rules.profile,
                on_host_delay: played.rules.overruns.on_host_delay,
                limits: played.rules.limits,
                fixed: Limits::default(),
                resources: played.resources,
            };
            let stored = Layer::of_rules(&played.game.name, &stored);
            let file = "profile = 'sdk-soft'\n[limits.samegame]\nturn = '1s'\nmemory = '1MiB'\n\
                        [resources]\nprocesses = 7\n[bot]\ngrace = '1ms'";
            let again = resolved(file, stored);
            assert_eq!(again.resources_of(true), played.resources, "{profile}");
            assert_eq!(again.rules.limits, played.rules.limits, "{profile}");
            assert_eq!(again.rules.overruns, played.rules.overruns, "{profile}");
            assert_eq!(again.rules.grace, Duration::from_millis(1), "not stored");
        }
    }

    #[test]
    fn a_sandbox_limits_memory_where_nothing_else_says_whether_it_is_limited() {
        let memory = |name: &str, settings: &str, flag: Option<Bound<Size>>| {
            let fixed = GameLimits { memory: flag, ..GameLimits::default() };
            let flags = Layer { fixed, ..Layer::of_game(name) };
            let own = "[game.own]\nkind = 'judge'\ncommand = 'true'\n";
            let config = resolved(&format!("{own}{settings}"), flags);
            [false, true].map(|is_sandboxed| config.resources_of(is_sandboxed).memory)
        };
        let gibibyte = Some(1 << 30);
        let small = Some(1 << 20);
        assert_eq!(memory("own", "", None), [None, gibibyte]);
        assert_eq!(memory("own", "", Some(Bound::At(Size(1 << 20)))), [small; 2]);
        assert_eq!(memory("own", "", Some(Bound::None)), [None; 2]);
        assert_eq!(memory("own", "[limits.own]\nmemory = '1MiB'", None), [small; 2]);
        assert_eq!(memory("own", "[limits.own]\nmemory = 'none'", None), [None; 2]);
        assert_eq!(memory("own", "[resources]\nsandbox-memory = '1MiB'", None), [None, small]);
        assert_eq!(memory("own", "[resources]\nsandbox-memory = 'none'", None), [None; 2]);
        assert_eq!(memory("samegame", "", None), [Some(768 << 20); 2]);
    }

    #[test]
    fn only_limits_as_strict_as_the_official_ones_count() {
        let strict = |source: &str| resolved(source, Layer::default()).is_as_strict_as_official();
        assert!(strict("") && strict("profile = 'sdk-soft'"));
        assert!(strict("[limits.samegame]\nturn = '10ms'"));
        assert!(!strict("[limits.samegame]\nturn = '51ms'"));
        assert!(!strict("profile = 'relaxed'") && !strict("profile = 'unlimited'"));
        assert!(!strict("[limits.samegame]\nmemory = '769MiB'"));
        assert!(!strict("[limits.samegame]\nmemory = 'none'"));
    }

    /// Lines of a file, and what is said of them.
    const WRONG: &str = "\
gam = 'samegame' | 1:1: unknown field `gam`
game = 'chess' | 1:8: there is no game `chess`; the games are: samegame, square-remover
; [limits.samegame]; turn = 50 | 3:8: `50` is not a duration; write a number with a unit
[limits.samegame]; turn = '0s' | 2:8: `0s` must be more than zero
[bots]; x = './x' | 2:5: invalid type: string \"./x\", expected a table [bots.NAME]
[boards.x]; files = 3 | 2:9: expected a text, or a list of texts
[suite]; runs = '~/runs' | 2:8: no shell runs here to replace `~`; write /
[bots.x]; command = 'x'; cwd = '~/x' | 3:7: no shell runs here to replace `~`; write /
[suite]; jobs = '4' | 2:8: invalid type: string \"4\", expected a whole number
[limits.chess]; turn = '1s' | 1:9: there is no game `chess`
[limits.square-remover]; turn = '1s' | 1:9: square-remover has no limit `turn`; it has: total
[limits.samegame]; memory = 768 | 2:10: `768` is not a size
[resources]; processes = 0 | 2:13: `0` is not a whole number
[resources]; cpu-time = true | 2:12: expected a number, a text
containment = 'strong' | 1:15: unknown variant `strong`
relaxed-factor = 0.5 | 1:18: 0.5 is not in 1 to 1000
profile = 'fast' | 1:11: unknown variant `fast`
[bot | 1:5:";

    #[test]
    fn a_wrong_file_is_refused_with_its_place() {
        for row in WRONG.lines() {
            let (lines, expected) = row.split_once(" | ").expect("two columns");
            let error = lines.replace("; ", "\n").parse::<Layer>().expect_err(row).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
