//! Time limits, their profiles, and limits on a bot's resources: types that settings, process layer,
//! match loop and log share.

use std::fmt;
use std::time::Duration;

use crate::millis::Millis;
use crate::text::{duration, size};

/// The kinds of time limit that official referees have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum LimitKind {
    /// For the first reply, which includes starting up.
    FirstTurn,
    /// For each later reply.
    #[default]
    Turn,
    /// For all replies of a game together.
    Total,
}

impl LimitKind {
    /// Each kind, in order.
    pub const ALL: [Self; 3] = [Self::FirstTurn, Self::Turn, Self::Total];

    /// The name of its setting; its flag is the same after two dashes.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstTurn => "first-turn",
            Self::Turn => "turn",
            Self::Total => "total",
        }
    }
}

/// Which limits apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Profile {
    /// The limits of the original referee.
    Official,
    /// The limits of CodinGame's engine since 4.7.7, which waits longer and forgives a few late replies.
    SdkSoft,
    /// The official limits times a factor.
    Relaxed,
    /// No limits.
    Unlimited,
}

impl Profile {
    /// Each profile.
    pub const ALL: [Self; 4] = [Self::Official, Self::SdkSoft, Self::Relaxed, Self::Unlimited];

    /// Its name in settings and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::SdkSoft => "sdk-soft",
            Self::Relaxed => "relaxed",
            Self::Unlimited => "unlimited",
        }
    }
}

/// The rules of a match, the same for every game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchRules {
    /// The profile of the limits.
    pub profile: Profile,
    /// The limits that apply where the game names none for an exchange.
    pub limits: Limits,
    /// The user's limits, which replace even those that a game names.
    pub fixed: Limits,
    /// The profile's factor for limits that a game names; `None` lifts them.
    pub factor: Option<f64>,
    /// What is done about late replies.
    pub overruns: OverrunRules,
    /// How long a bot may take to exit after its game.
    pub grace: Duration,
    /// How many bytes of standard error are kept for each exchange.
    pub stderr_cap: usize,
}

impl MatchRules {
    /// The rules of an original whose limits are these: late replies lose.
    pub fn official(limits: Limits) -> Self {
        Self {
            profile: Profile::Official,
            limits,
            fixed: Limits::default(),
            factor: Some(1.0),
            overruns: OverrunRules::default(),
            grace: Duration::from_millis(200),
            stderr_cap: crate::bounds::TURN_STDERR,
        }
    }

    /// The limit for an exchange, for which the game may name an official one.
    pub fn limit(&self, kind: LimitKind, named: Option<Duration>) -> Option<Duration> {
        match named {
            None => self.limits.of(kind),
            Some(named) => self.fixed.of(kind).or_else(|| Some(named.mul_f64(self.factor?))),
        }
    }
}

/// The time limits of a game; `None` is unlimited.
///
/// ```
/// use std::time::Duration;
/// use terms::limits::{LimitKind, Limits};
///
/// let limits = Limits::from([(LimitKind::Turn, Duration::from_millis(50))]);
/// assert_eq!(limits.of(LimitKind::Turn), Some(Duration::from_millis(50)));
/// assert_eq!(limits.of(LimitKind::FirstTurn), None, "unlimited");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// For the first reply of several, which includes starting up.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "first_turn_ms", skip_serializing_if = "Option::is_none")
    )]
    first_turn: Option<Millis>,
    /// For each later reply.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "turn_ms", skip_serializing_if = "Option::is_none")
    )]
    turn: Option<Millis>,
    /// For all replies of a game together.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "total_ms", skip_serializing_if = "Option::is_none")
    )]
    total: Option<Millis>,
}

impl Limits {
    /// Makes limits by asking `limit` for each kind.
    pub fn from_kinds(limit: impl Fn(LimitKind) -> Option<Duration>) -> Self {
        let millis = |kind| limit(kind).map(Millis);
        Self {
            first_turn: millis(LimitKind::FirstTurn),
            turn: millis(LimitKind::Turn),
            total: millis(LimitKind::Total),
        }
    }

    /// These limits, and `others`' limits for the kinds without one here.
    #[must_use]
    pub fn or(&self, others: &Self) -> Self {
        Self::from_kinds(|kind| self.of(kind).or(others.of(kind)))
    }

    /// The kinds that have a limit, in order.
    pub fn kinds(&self) -> impl Iterator<Item = LimitKind> + use<> {
        let limits = *self;
        LimitKind::ALL.into_iter().filter(move |&kind| limits.of(kind).is_some())
    }

    /// Whether there is no limit.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// The limit for an exchange of this kind.
    pub fn of(&self, kind: LimitKind) -> Option<Duration> {
        let limit = match kind {
            LimitKind::FirstTurn => self.first_turn,
            LimitKind::Turn => self.turn,
            LimitKind::Total => self.total,
        };
        limit.map(|limit| limit.0)
    }
}

/// The smallest and the largest limit of several responses, since a judge may name a new one in each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRange {
    /// The smallest limit.
    pub least: Duration,
    /// The largest limit.
    pub most: Duration,
}

impl LimitRange {
    /// Adds a limit to a range, which may be empty.
    pub fn extend(range: &mut Option<Self>, limit: Duration) {
        let Self { least, most } = range.unwrap_or(limit.into());
        *range = Some(Self { least: least.min(limit), most: most.max(limit) });
    }

    /// The limit, if it is the same for all responses.
    pub fn single(self) -> Option<Duration> {
        (self.least == self.most).then_some(self.least)
    }
}

impl From<Duration> for LimitRange {
    fn from(limit: Duration) -> Self {
        Self { least: limit, most: limit }
    }
}

impl fmt::Display for LimitRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.single() {
            Some(limit) => f.write_str(&duration(limit)),
            None => write!(f, "{} to {}", duration(self.least), duration(self.most)),
        }
    }
}

impl<const N: usize> From<[(LimitKind, Duration); N]> for Limits {
    fn from(limits: [(LimitKind, Duration); N]) -> Self {
        let find = |kind| limits.iter().find(|(known, _)| *known == kind);
        Self::from_kinds(|kind| find(kind).map(|&(_, limit)| limit))
    }
}

/// What to do when the host made a bot late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum OnHostDelay {
    /// It is a timeout, as in the original.
    #[default]
    Fail,
    /// The late reply counts.
    Accept,
    /// The game is played again when a core is free for the bot or 5 s have passed, twice at most.
    Retry,
}

/// The late replies that a profile forgives: how many, and how late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SoftLimit {
    /// The time beyond its limit for which a reply is awaited.
    pub extra: Duration,
    /// The number of late replies forgiven in a game.
    pub forgiven: u32,
}

impl OverrunRules {
    /// The most retries of a game that the host disturbed.
    const MAX_RETRIES: usize = 2;

    /// Whether a game that the host disturbed is played again after `retried` retries.
    pub fn retries(&self, retried: usize) -> bool {
        self.on_host_delay == OnHostDelay::Retry && retried < Self::MAX_RETRIES
    }
}

/// What is done about late replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct OverrunRules {
    /// What to do if the host is to blame.
    pub on_host_delay: OnHostDelay,
    /// The late replies that the profile forgives, if any.
    pub soft: Option<SoftLimit>,
    /// The time beyond its limit for which a reply is awaited, to measure it; `None` in ordinary games.
    pub patience: Option<Duration>,
}

/// Limits on the resources of a bot and its children; `None` is unlimited.
///
/// ```
/// use terms::limits::{Resource, Resources};
///
/// let limits = Resources { memory: Some(256 << 20), ..Resources::default() };
/// assert!(limits.breach(Resource::Memory, 300 << 20).is_some());
/// assert!(limits.breach(Resource::Processes, 1000).is_none(), "unlimited");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Resources {
    /// Resident memory of all the bot's processes together, in bytes.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "memory_bytes", skip_serializing_if = "Option::is_none")
    )]
    pub memory: Option<u64>,
    /// The stack of each process, in bytes; `None` is the referee's own limit.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "stack_bytes", skip_serializing_if = "Option::is_none")
    )]
    pub stack: Option<u64>,
    /// Processes and threads at one time.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub processes: Option<u64>,
    /// Open files of each process.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub open_files: Option<u64>,
    /// CPU time of each process, in whole seconds.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "cpu_time_ms", skip_serializing_if = "Option::is_none")
    )]
    pub cpu_time: Option<Millis>,
    /// The size of any file that the bot writes, in bytes.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "file_size_bytes", skip_serializing_if = "Option::is_none")
    )]
    pub file_size: Option<u64>,
    /// Bytes of standard output during one exchange.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "turn_output_bytes", skip_serializing_if = "Option::is_none")
    )]
    pub turn_output: Option<u64>,
    /// Bytes of standard output during a game.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "game_output_bytes", skip_serializing_if = "Option::is_none")
    )]
    pub game_output: Option<u64>,
    /// Bytes of standard error that are kept during a game.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "game_stderr_bytes", skip_serializing_if = "Option::is_none")
    )]
    pub game_stderr: Option<u64>,
}

/// A limit on a resource, as tables show it.
#[derive(Debug, Clone, Copy)]
pub struct ResourceLimit {
    /// What is limited, in words.
    pub words: &'static str,
    /// What enforces it.
    pub by: EnforcedBy,
    /// The limit, if there is one.
    pub shown: fn(&Resources) -> Option<String>,
}

/// What enforces a limit on a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnforcedBy {
    /// The kernel in a control group, or else the referee, which watches the bot's processes.
    Group,
    /// The referee, which watches the bot's output.
    Referee,
    /// The referee, which counts the rest.
    Counting,
    /// The kernel, for each process. Without a limit here, the limit of the referee's shell holds.
    Shell,
    /// The kernel, for each process.
    Kernel,
    /// The kernel, for each file.
    File,
}

impl ResourceLimit {
    /// Every limit on a resource.
    pub const ALL: [Self; 9] = [
        Self::new("memory", EnforcedBy::Group, |it| it.memory.map(size)),
        Self::new("processes and threads", EnforcedBy::Group, |it| it.processes.map(count)),
        Self::new("output of a turn", EnforcedBy::Referee, |it| it.turn_output.map(size)),
        Self::new("output of a game", EnforcedBy::Referee, |it| it.game_output.map(size)),
        Self::new("standard error kept", EnforcedBy::Counting, |it| it.game_stderr.map(size)),
        Self::new("open files", EnforcedBy::Kernel, |it| it.open_files.map(count)),
        Self::new("CPU time", EnforcedBy::Kernel, |it| it.cpu_time.map(|time| duration(time.0))),
        Self::new("size of a file", EnforcedBy::File, |it| it.file_size.map(size)),
        Self::new("stack", EnforcedBy::Shell, |it| it.stack.map(size)),
    ];

    const fn new(
        words: &'static str,
        by: EnforcedBy,
        shown: fn(&Resources) -> Option<String>,
    ) -> Self {
        Self { words, by, shown }
    }
}

fn count(limit: u64) -> String {
    limit.to_string()
}

/// A resource whose limit the referee itself enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Resource {
    /// Bytes of memory.
    Memory,
    /// Processes and threads.
    Processes,
    /// Bytes of standard output during one exchange.
    TurnOutput,
    /// Bytes of standard output during a game.
    GameOutput,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::TurnOutput => "the output of a turn",
            Self::GameOutput => "the output of a game",
        })
    }
}

/// A limit that a bot has gone beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Breach {
    /// What the bot used too much of.
    pub resource: Resource,
    /// The amount that the referee measured.
    pub used: u64,
    /// The amount allowed.
    pub limit: u64,
}

impl Resources {
    /// The limit on this resource.
    pub fn of(&self, resource: Resource) -> Option<u64> {
        match resource {
            Resource::Memory => self.memory,
            Resource::Processes => self.processes,
            Resource::TurnOutput => self.turn_output,
            Resource::GameOutput => self.game_output,
        }
    }

    /// The breach, if `used` is beyond the limit.
    pub fn breach(&self, resource: Resource, used: u64) -> Option<Breach> {
        let limit = self.of(resource).filter(|&limit| used > limit)?;
        Some(Breach { resource, used, limit })
    }
}
