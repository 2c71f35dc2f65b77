//! Computes from the times of many turns whether a bot keeps its deadlines, and by what margin.

mod spent;

use std::time::Duration;

use serde::{Serialize, Serializer};

pub use self::spent::{Spent, longest_run};
use crate::gamelog::Turn;
use statistics::{Distribution, Estimate, Risk};
use terms::limits::{LimitKind, LimitRange, Limits};
use terms::millis::Millis;
use terms::verdict::Culprit;

/// The number of turns listed as the slowest.
const SLOWEST_LISTED: usize = 10;

/// The number of games of one submission on CodinGame: the contribution's validators.
const VALIDATORS: i32 = 40;

/// The width of a useful interval, such as 0 to 20 %.
pub const TELLING: f64 = 0.2;

/// The time that a bot took for one turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timed {
    /// The number of the game, from 1.
    pub game: usize,
    /// The board's name.
    pub board: String,
    /// The turn as logged.
    #[serde(flatten)]
    pub turn: Turn,
    /// The number of legal moves, if the game can count them.
    pub choices: Option<usize>,
}

/// What times are compared with.
#[derive(Debug, Clone, Copy)]
pub struct Thresholds {
    /// The limits of the official profile, or those that the user has set, for turns whose judge names none.
    pub limits: Limits,
    /// The judge's slowness relative to this machine.
    pub scale: f64,
    /// The factor of the profile `relaxed`.
    pub relaxed: f64,
    /// The profile `sdk-soft`.
    pub soft: terms::limits::SoftLimit,
}

/// The times of one kind of turn, or of whole games if one limit holds for all turns of a game, multiplied by the scale. In JSON its fields are a contract.
#[derive(Debug, Clone, Default, Serialize)]
pub struct KindStats {
    /// The kind of turn.
    pub kind: LimitKind,
    /// The distribution of the measured times.
    #[serde(flatten, serialize_with = "percentiles")]
    pub times: Distribution,
    /// The limits of such turns, or `None` without one.
    #[serde(flatten, serialize_with = "limit_fields")]
    pub limits: Option<LimitRange>,
    /// The smallest part that a time left of its limit: at most 1, and below 0 if it was late.
    pub margin: Option<f64>,
    /// The late turns, or games, that are the bot's fault.
    pub bot_overruns: usize,
    /// The late turns, or games, that are the host's fault.
    pub host_overruns: usize,
    /// The turns in which the machine stalled or the bot was stopped by others.
    pub disturbed: usize,
    /// For how long that was in all.
    #[serde(rename = "taken_ms")]
    pub taken: Millis,
}

/// The result of a bot under a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProfileResult {
    /// The profile whose limits were simulated.
    pub profile: &'static str,
    /// The number of games in which the bot itself kept every limit.
    pub games: usize,
    /// Whether the bot kept every limit in every game.
    pub passes: bool,
}

/// The results of analysing the times. In JSON its fields are a contract.
#[derive(Debug, Clone, Serialize)]
pub struct Analysis {
    /// The number of games.
    pub games: usize,
    /// Each kind of turn that occurred.
    #[serde(rename = "turns")]
    pub by_kind: Vec<KindStats>,
    /// The slowest turns as indices, slowest first.
    #[serde(skip)]
    pub slowest: Vec<usize>,
    /// The chance that a game has a timeout that is the bot's fault.
    #[serde(rename = "timeout_per_game")]
    pub per_game: Estimate,
    /// The chance that at least one of a submission's 40 validators has a timeout.
    #[serde(rename = "timeout_per_submission")]
    pub per_submission: Estimate,
    /// The number of games that would narrow that chance to [`TELLING`]; `None` if these do, or if no feasible
    /// number would.
    pub games_to_tell: Option<u64>,
    /// The results under each profile.
    pub passes: Vec<ProfileResult>,
}

impl Analysis {
    /// Analyses the turns of `games` games, and of one more that did not end, which counts as turns but not as a
    /// game.
    pub fn of(turns: &[Timed], games: usize, thresholds: &Thresholds) -> Self {
        let kinds = LimitKind::ALL;
        let spent = Spent::of_all(turns);
        let of_kind = |kind| KindStats::of(&spent, kind, games, thresholds);
        let by_kind = kinds.into_iter().filter_map(of_kind);
        let mut slowest: Vec<usize> = (0..turns.len()).collect();
        let share = |index: &usize| share_of_limit_ppm(&spent[*index], &thresholds.limits);
        slowest.sort_by_key(|index| std::cmp::Reverse(share(index)));
        slowest.truncate(SLOWEST_LISTED);
        let passes = thresholds.passes(&spent, games);
        let late = games - passes[0].games;
        let per_game = Estimate::exact(late as u64, games as u64, Risk::Strict);
        let per_submission = per_game.at_least_once(VALIDATORS);
        let games_to_tell =
            Estimate::trials_to_tell(late as u64, games as u64, VALIDATORS, TELLING);
        Self {
            games,
            by_kind: by_kind.collect(),
            slowest,
            per_game,
            per_submission,
            games_to_tell: games_to_tell.filter(|_| per_submission.width() > TELLING),
            passes,
        }
    }

    /// Whether the bot itself broke a limit.
    pub fn is_broken_by_bot(&self) -> bool {
        self.by_kind.iter().any(|stats| stats.bot_overruns > 0)
    }
}

/// The part of its limit that a turn took, in millionths; without limits, its time in nanoseconds.
fn share_of_limit_ppm(spent: &Spent<'_>, limits: &Limits) -> u128 {
    let wall = spent.timed.turn.wall.0.as_nanos();
    match spent.limit(limits) {
        Some(limit) => wall * 1_000_000 / limit.as_nanos().max(1),
        None => wall,
    }
}

impl KindStats {
    fn of(
        spent: &[Spent<'_>],
        kind: LimitKind,
        games: usize,
        thresholds: &Thresholds,
    ) -> Option<Self> {
        let mut stats = Self { kind, ..Self::default() };
        for spent in spent.iter().filter(|spent| spent.kind() == kind) {
            let taken = spent.timed.turn.certificate.parts.unwrap_or_default().taken.0;
            stats.disturbed += usize::from(!taken.is_zero());
            stats.taken.0 += taken;
            let limit = spent.limit(&thresholds.limits);
            let culprit = limit.and_then(|limit| spent.culprit(limit, thresholds.scale));
            // A game that did not end has no time yet, but may be late already.
            let is_whole = kind != LimitKind::Total || spent.timed.game <= games;
            if spent.is_last && (is_whole || culprit.is_some()) {
                let wall = spent.wall.mul_f64(thresholds.scale);
                stats.times.record(wall);
                if let Some(limit) = limit {
                    LimitRange::extend(&mut stats.limits, limit);
                    let margin = 1.0 - wall.as_secs_f64() / limit.as_secs_f64();
                    stats.margin = Some(stats.margin.map_or(margin, |least| least.min(margin)));
                }
                stats.bot_overruns += usize::from(culprit == Some(Culprit::Bot));
                stats.host_overruns += usize::from(culprit == Some(Culprit::Host));
            }
        }
        (stats.times.count() > 0).then_some(stats)
    }
}

/// Serialises limits as the smallest one, and the largest one if they differ.
#[expect(clippy::ref_option, reason = "serde calls it with a reference")]
fn limit_fields<S: Serializer>(
    limits: &Option<LimitRange>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields {
        limit_ms: Option<Millis>,
        #[serde(skip_serializing_if = "Option::is_none")]
        max_limit_ms: Option<Millis>,
    }
    let several = limits.filter(|limits| limits.single().is_none());
    let fields = Fields {
        limit_ms: limits.map(|limits| Millis(limits.least)),
        max_limit_ms: several.map(|limits| Millis(limits.most)),
    };
    fields.serialize(serializer)
}

/// Serialises a distribution as its number of times and some percentiles, in milliseconds.
pub(crate) fn percentiles<S: Serializer>(
    times: &Distribution,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Percentiles {
        count: u64,
        min_ms: Millis,
        p50_ms: Millis,
        p90_ms: Millis,
        p99_ms: Millis,
        p999_ms: Millis,
        max_ms: Millis,
    }
    let percentile = |percent| Millis(times.percentile(percent));
    let percentiles = Percentiles {
        count: times.count(),
        min_ms: Millis(times.min()),
        p50_ms: percentile(50.0),
        p90_ms: percentile(90.0),
        p99_ms: percentile(99.0),
        p999_ms: percentile(99.9),
        max_ms: Millis(times.max()),
    };
    percentiles.serialize(serializer)
}

impl Thresholds {
    /// The bot's own overruns of a limit that `stretch` makes longer, in one game.
    fn late(&self, game: &[&Spent<'_>], stretch: impl Fn(Duration) -> Duration) -> usize {
        let is_late = |spent: &&&Spent<'_>| {
            let limit = spent.limit(&self.limits).map(&stretch);
            limit.and_then(|limit| spent.culprit(limit, self.scale)) == Some(Culprit::Bot)
        };
        game.iter().filter(is_late).count()
    }

    fn passes(&self, spent: &[Spent<'_>], games: usize) -> Vec<ProfileResult> {
        let (soft, relaxed) = (self.soft, self.relaxed);
        let official = |game: &[&Spent<'_>]| self.late(game, |limit| limit) == 0;
        let sdk_soft = |game: &[&Spent<'_>]| {
            let forgiven = usize::try_from(soft.forgiven).unwrap_or(usize::MAX);
            self.late(game, |limit| limit + soft.extra) == 0
                && self.late(game, |limit| limit) <= forgiven
        };
        let relaxed = |game: &[&Spent<'_>]| self.late(game, |limit| limit.mul_f64(relaxed)) == 0;
        let pass = |profile, passes: &dyn Fn(&[&Spent<'_>]) -> bool| {
            let ended = spent.chunk_by(|one, next| one.timed.game == next.timed.game);
            let ended = ended.filter(|game| game[0].timed.game <= games);
            let failed = ended.filter(|game| {
                !passes(&game.iter().filter(|spent| spent.is_last).collect::<Vec<_>>())
            });
            // A game without turns has passed.
            let passed = games - failed.count();
            ProfileResult { profile, games: passed, passes: passed == games }
        };
        vec![pass("official", &official), pass("sdk-soft", &sdk_soft), pass("relaxed", &relaxed)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamelog::{Asked, Bytes, Certificate};
    use terms::certificate::Parts;
    use terms::limits::SoftLimit;

    pub(super) fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    pub(super) fn timed(game: usize, number: u32, wall: u64, wait: u64) -> Timed {
        let limit = if number == 1 { LimitKind::FirstTurn } else { LimitKind::Turn };
        let turn = Turn {
            wall: Millis(ms(wall)),
            certificate: Certificate { wait: Some(Millis(ms(wait))), ..Certificate::default() },
            ..Turn::with_reply(number, limit, Bytes::default())
        };
        Timed { game, board: "b".to_owned(), turn, choices: None }
    }

    fn thresholds(scale: f64) -> Thresholds {
        let limits = Limits::from_kinds(|kind| match kind {
            LimitKind::FirstTurn => Some(ms(1000)),
            LimitKind::Turn => Some(ms(50)),
            LimitKind::Total => None,
        });
        let soft = SoftLimit { extra: ms(50), forgiven: 2 };
        Thresholds { limits, scale, relaxed: 4.0, soft }
    }

    #[test]
    fn first_and_later_turns_are_told_apart() {
        let turns = [timed(1, 1, 400, 0), timed(1, 2, 20, 0), timed(1, 3, 40, 0)];
        let analysis = Analysis::of(&turns, 1, &thresholds(1.0));
        let counts: Vec<_> =
            analysis.by_kind.iter().map(|stats| (stats.kind, stats.times.count())).collect();
        assert_eq!(counts, [(LimitKind::FirstTurn, 1), (LimitKind::Turn, 2)]);
        let margin = analysis.by_kind[1].margin.expect("a limit");
        assert!((margin - 0.2).abs() < 0.001, "{margin}");
        assert_eq!(analysis.slowest, [2, 0, 1], "by the part of the limit");
        assert!(!analysis.is_broken_by_bot());
    }

    #[test]
    fn a_turn_is_compared_with_the_limit_that_its_judge_has_named() {
        let asked = |number, wall, limit| {
            let mut timed = timed(1, number, wall, 0);
            timed.turn.asked = Some(Asked { limit: Some(Millis(ms(limit))), ..Asked::default() });
            timed
        };
        let turns = [asked(2, 60, 100), asked(3, 400, 1000), asked(4, 24, 20)];
        let analysis = Analysis::of(&turns, 1, &thresholds(1.0));
        let stats = &analysis.by_kind[0];
        assert_eq!(stats.limits.map(|limits| limits.to_string()).as_deref(), Some("20 ms to 1 s"));
        assert_eq!(stats.bot_overruns, 1);
        assert!(stats.margin.is_some_and(|margin| (margin + 0.2).abs() < 0.001), "{stats:?}");
        assert_eq!(analysis.slowest, [2, 0, 1]);
        assert_eq!(analysis.passes.iter().map(|pass| pass.games).collect::<Vec<_>>(), [0, 1, 1]);
        let json = serde_json::to_value(stats).expect("JSON");
        assert_eq!((&json["limit_ms"], &json["max_limit_ms"]), (&20.0.into(), &1000.0.into()));
    }

    #[test]
    fn a_slower_judge_breaks_what_holds_here() {
        let turns = [timed(1, 1, 400, 0), timed(1, 2, 40, 0)];
        assert!(!Analysis::of(&turns, 1, &thresholds(1.2)).is_broken_by_bot());
        assert!(Analysis::of(&turns, 1, &thresholds(1.3)).is_broken_by_bot());
    }

    #[test]
    fn overruns_have_culprits() {
        let turns = [timed(1, 2, 80, 0), timed(1, 3, 80, 40), timed(1, 4, 50, 0)];
        let analysis = Analysis::of(&turns, 1, &thresholds(1.0));
        assert_eq!(analysis.by_kind[0].bot_overruns, 1);
        assert_eq!(analysis.by_kind[0].host_overruns, 1);
    }

    #[test]
    fn the_sum_of_its_turns_breaks_the_limit_of_a_whole_game() {
        let played =
            [(1, 40, 0), (1, 30, 0), (2, 20, 0), (2, 50, 30), (3, 20, 0), (3, 20, 0), (4, 9, 0)];
        let mut turns = played.map(|(game, wall, wait)| timed(game, 2, wall, wait));
        for timed in &mut turns {
            timed.turn.limit = LimitKind::Total;
        }
        let limits = Limits::from_kinds(|kind| (kind == LimitKind::Total).then_some(ms(60)));
        let analysis = Analysis::of(&turns, 3, &Thresholds { limits, ..thresholds(1.0) });
        let stats = &analysis.by_kind[0];
        assert_eq!((stats.times.count(), stats.bot_overruns, stats.host_overruns), (3, 1, 1));
        assert!(stats.margin.is_some_and(|margin| (margin + 1.0 / 6.0).abs() < 0.001), "{stats:?}");
        let passed: Vec<_> = analysis.passes.iter().map(|pass| pass.games).collect();
        assert_eq!(passed, [2, 3, 3], "10 ms late are forgiven");
    }

    #[test]
    fn time_that_was_taken_is_told() {
        let mut turn = timed(1, 2, 80, 80);
        let taken = Millis(ms(40));
        turn.turn.certificate.parts = Some(Parts { taken, ..Parts::default() });
        let analysis = Analysis::of(&[turn, timed(1, 3, 20, 0)], 1, &thresholds(1.0));
        let stats = &analysis.by_kind[0];
        assert_eq!((stats.disturbed, stats.taken), (1, taken));
    }

    #[test]
    fn profiles_pass_by_their_own_rules() {
        let passes = |turns: &[Timed]| {
            let analysis = Analysis::of(turns, 1, &thresholds(1.0));
            let passes = analysis.passes.iter().map(|pass| pass.passes);
            passes.collect::<Vec<_>>()
        };
        assert_eq!(passes(&[timed(1, 2, 50, 0)]), [true, true, true]);
        assert_eq!(passes(&[timed(1, 2, 60, 0), timed(1, 3, 60, 0)]), [false, true, true]);
        let thrice = [timed(1, 2, 60, 0), timed(1, 3, 60, 0), timed(1, 4, 60, 0)];
        assert_eq!(passes(&thrice), [false, false, true]);
        assert_eq!(passes(&[timed(1, 2, 101, 0)]), [false, false, true]);
        assert_eq!(passes(&[timed(1, 2, 201, 0)]), [false, false, false]);
        assert_eq!(passes(&[timed(1, 2, 201, 160)]), [true, true, true], "the host's fault");
    }

    #[test]
    fn the_chance_is_that_of_games_not_turns() {
        let turns = [timed(1, 2, 60, 0), timed(1, 3, 60, 0), timed(2, 2, 1, 0)];
        let analysis = Analysis::of(&turns, 2, &thresholds(1.0));
        assert!((analysis.per_game.estimate - 0.5).abs() < 1e-9);
        assert!(analysis.per_submission.estimate > 0.999);
    }

    #[test]
    fn a_game_that_did_not_end_has_times_and_no_say_in_the_chance() {
        let turns = [timed(1, 1, 400, 0), timed(2, 1, 500, 0), timed(2, 2, 60, 0)];
        let analysis = Analysis::of(&turns, 1, &thresholds(1.0));
        assert_eq!(analysis.by_kind[0].times.count(), 2);
        assert!(analysis.is_broken_by_bot());
        assert!(analysis.per_game.estimate < 1e-9 && analysis.passes[0].passes);
        let none = Analysis::of(&turns[..1], 0, &thresholds(1.0));
        assert!((none.per_game.low, none.per_game.high) == (0.0, 1.0));
    }

    #[test]
    fn a_few_games_say_how_many_would_tell() {
        let analysis = |games: usize| {
            let turns: Vec<Timed> = (1..=games).map(|game| timed(game, 1, 1, 0)).collect();
            Analysis::of(&turns, games, &thresholds(1.0))
        };
        assert_eq!(analysis(5).games_to_tell, Some(540));
        assert_eq!(analysis(540).games_to_tell, None);
    }
}
