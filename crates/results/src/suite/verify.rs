//! Checks a run against the logs of its games: what the rules make of the logs must be what the results say.
//!
//! It needs neither the bots nor the machine that played, only the run's folder with all its logs.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::files::json_line;
use super::outcome::{Outcome, Seat};
use super::plan::{BoardId, Rules};
use super::records::{Bests, Records};
use super::store::{FolderError, GameSet, Outcomes, RUN, RunFolder};
use super::summary::{Listing, Summary};
use crate::digest::to_hex;
use crate::gamelog::{self, Bot, Event, Log, Turn};
use crate::replay::{case_of, replay};
use rules::game::judge::JudgeProgram;
use rules::score::{Direction, Score};
use terms::limits::{LimitKind, Profile};
use terms::text::exact_duration;
use terms::verdict::Decision;

/// The most games without a result that are named.
const NAMED_MISSING: usize = 100;

/// The problem of a game without a log.
const NO_LOG: &str = "it has no log";

/// Something in a run that does not agree.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Disagreement {
    /// The number of the game; `None` if it concerns the whole run.
    pub game: Option<usize>,
    /// What is wrong.
    pub problem: String,
}

impl Disagreement {
    /// Whether a game has no log, so that it cannot be checked.
    pub fn is_without_log(&self) -> bool {
        self.problem == NO_LOG
    }
}

/// What a check of a run has found.
#[derive(Debug)]
pub struct Verified {
    /// What the results come to.
    pub summary: Summary,
    /// How many games agree with their logs, with the results of all seats.
    pub agree: usize,
    /// What does not agree, by game.
    pub disagreements: Vec<Disagreement>,
    /// The digest of the plan, and of the result and the log of each game in order: of all that was checked.
    pub digest: String,
}

type Hash = [u8; 32];

/// Referees every kept log of a run again, on all processors, and compares it with the plan and the results. `is_strict`
/// tells whether the run's limits are as strict as the official ones.
///
/// # Errors
/// When the run cannot be read, or a line of its results is malformed.
pub fn verify(folder: &RunFolder, is_strict: bool) -> Result<Verified, FolderError> {
    let folder = &folder.with_foreign_results();
    let (games, players) = (folder.run.plan.games(), folder.run.plan.players());
    let published = Bests::of(&folder.run.plan.game, &Records::default());
    let basis = Basis { folder, is_strict, published };
    let state = State {
        outcomes: folder.outcomes()?,
        seen: GameSet::new(games),
        hashes: BTreeMap::new(),
        agree: GameSet::new(games),
        found: Vec::new(),
        failed: None,
    };
    let state = Mutex::new(state);
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&basis, &state));
        }
    });
    let mut state = state.into_inner().expect("nobody panics");
    if let Some(error) = state.failed {
        return Err(error);
    }
    for game in state.outcomes.doubled() {
        let problem = "it has a second result".to_owned();
        state.found.push(Disagreement { game: Some(*game), problem });
    }
    state.found.extend(missing(folder, &state.seen));
    let summary = Summary::of(folder, &Bests::default())?;
    state.found.extend(stale_listing(folder, &summary));
    state.found.sort_by_key(|found| found.game);
    let digest = digest(folder, state.hashes.values())?;
    let agree = (1..=games).step_by(players);
    let agree = agree.filter(|&first| (first..first + players).all(|game| state.agree.has(game)));
    Ok(Verified { summary, agree: agree.count(), disagreements: state.found, digest })
}

/// What games are checked against.
struct Basis<'a> {
    folder: &'a RunFolder,
    is_strict: bool,
    /// The best scores that were published.
    published: Bests,
}

/// What the threads share.
struct State {
    outcomes: Outcomes,
    seen: GameSet,
    hashes: BTreeMap<usize, Hash>,
    agree: GameSet,
    found: Vec<Disagreement>,
    failed: Option<FolderError>,
}

impl State {
    /// The next result.
    fn next(&mut self) -> Option<Outcome> {
        match self.outcomes.next()? {
            Ok(outcome) => {
                self.seen.add(outcome.game);
                Some(outcome)
            }
            Err(error) => {
                self.failed = Some(error);
                None
            }
        }
    }
}

/// Checks games until none is left.
fn work(basis: &Basis<'_>, state: &Mutex<State>) {
    let lock = || state.lock().expect("nobody panics");
    loop {
        let next = lock().next();
        let Some(outcome) = next else { return };
        let (hash, problem) = check(basis, &outcome);
        let mut state = lock();
        state.hashes.insert(outcome.game, hash);
        match problem {
            None => drop(state.agree.add(outcome.game)),
            Some(problem) => {
                state.found.push(Disagreement { game: Some(outcome.game), problem });
            }
        }
    }
}

/// The hash of a game's result and log, and what is wrong with them.
fn check(basis: &Basis<'_>, outcome: &Outcome) -> (Hash, Option<String>) {
    let mut hash = Sha256::new();
    // Merging renumbers sessions, and earlier referees did not write the number of the game.
    let seat = outcome.seat.clone().map(|seat| Seat { number: 0, ..seat });
    hash.update(json_line(&Outcome { session: None, seat, ..outcome.clone() }));
    let content = match basis.folder.log_content(outcome.game) {
        Ok(content) => content,
        Err(error) => return (hash.finalize().into(), Some(error.to_string())),
    };
    hash.update(content.as_deref().unwrap_or_default());
    let problem = match content {
        _ if !outcome.is_played() => Some(outcome.loss()),
        None => Some(NO_LOG.to_owned()),
        Some(content) => match gamelog::read(&content) {
            Ok(log) => check_game(basis, outcome, log),
            Err(error) => Some(format!("its log is damaged: line {error}")),
        },
    };
    (hash.finalize().into(), problem)
}

/// What is wrong with a played game: with its place in the plan, its log, or its result.
fn check_game(basis: &Basis<'_>, outcome: &Outcome, log: Log) -> Option<String> {
    let folder = basis.folder;
    check_plan(folder, outcome).or_else(|| check_start(folder, outcome, &log)).or_else(|| {
        let replayed = match replay(&log) {
            Ok(replayed) => replayed,
            Err(error) => return Some(format!("its log cannot be refereed: line {error}")),
        };
        if let Some(found) = replayed.difference {
            let (turn, what) = (found.turn, found.what);
            let (logged, refereed) = found.shown();
            return Some(format!(
                "turn {turn} of its log: {what} is {logged}, and by the rules {refereed}"
            ));
        }
        if log.end.is_none() {
            return Some("its log stops before the end".to_owned());
        }
        check_times(&folder.run.plan.rules, &log)
            .or_else(|| check_best(basis, outcome))
            .or_else(|| check_result(outcome, log, basis.is_strict))
    })
}

/// How a result differs from what the plan says of its game.
fn check_plan(folder: &RunFolder, outcome: &Outcome) -> Option<String> {
    let plan = &folder.run.plan;
    let planned = plan.assignment(outcome.game);
    let Some(kind) = plan.kind() else {
        return Some(rules::game::UnknownGame::new(&plan.game).to_string());
    };
    let case = match plan.case(&kind, planned.board) {
        Ok(case) => case,
        Err(error) => return Some(error.to_string()),
    };
    let differs = |what: &str, same: bool| {
        (!same).then(|| format!("{what} in its result differs from the plan"))
    };
    let names = || plan.table(outcome.game).into_iter().map(|bot| &plan.bots[bot].name);
    let is_seated = match &outcome.seat {
        Some(seat) => {
            let is_place = seat.seat == planned.seat && plan.players() > 1;
            is_place && seat.bots.iter().eq(names())
        }
        None => plan.players() == 1,
    };
    differs("the bot", outcome.bot == plan.bots[planned.bot].name)
        .or_else(|| differs("the seat", is_seated))
        .or_else(|| differs("the board's name", outcome.board == case.name))
        .or_else(|| differs("the board set", outcome.set == case.set))
        .or_else(|| differs("the repeat", outcome.repeat == planned.repeat))
        .or_else(|| differs("board_id", outcome.board_id == case.board_id))
        .or_else(|| differs("record_id", outcome.record_id == case.record_id))
        .or_else(|| differs("traits", outcome.traits == case.test_case.groups))
}

/// How the start of a log differs from what the run says of its game.
fn check_start(folder: &RunFolder, outcome: &Outcome, log: &Log) -> Option<String> {
    let (start, plan) = (&log.start, &folder.run.plan);
    let differs =
        |what: &str, same: bool| (!same).then(|| format!("its log is of a different {what}"));
    let bots = start.bots().map(|bot| &bot.name);
    let with: Vec<&String> = match &outcome.seat {
        Some(seat) => seat.bots.iter().collect(),
        None => vec![&outcome.bot],
    };
    differs("game", start.game == plan.game)
        .or_else(|| {
            differs("judge", JudgeProgram::are_alike(start.judge.as_ref(), plan.judge.as_ref()))
        })
        .or_else(|| match case_of(start) {
            Ok(case) => differs("board", BoardId::of(&case) == outcome.board_id),
            Err(error) => Some(format!("its log cannot be refereed: line {error}")),
        })
        .or_else(|| differs("bot", bots.eq(with)))
        .or_else(|| differs("name of the board", start.board == outcome.board))
        .or_else(|| differs("profile", start.profile == plan.rules.profile.name()))
        .or_else(|| differs("set of limits", start.limits == plan.rules.limits))
        .or_else(|| {
            let is_planned = |bot: &Bot| bot.resources == plan.rules.resources;
            differs("set of limits on resources", start.bots().all(is_planned))
        })
        .or_else(|| {
            let planned = &plan.bots[plan.assignment(outcome.game).bot];
            let own = start.bots().nth(outcome.game - outcome.table());
            let is_sandboxed = own.is_some_and(|bot| bot.sandbox);
            differs("choice of a sandbox", is_sandboxed == planned.sandbox.is_some())
        })
}

/// The first turn whose limit is not the plan's, or whose reply was late and is not said to be.
fn check_times(rules: &Rules, log: &Log) -> Option<String> {
    let mut used = Duration::ZERO;
    log.turns.iter().find_map(|turn| {
        let left = match &turn.asked {
            Some(asked) => asked.limit.map(|limit| limit.0),
            None if turn.limit == LimitKind::Total => {
                rules.limits.of(turn.limit).map(|total| total.saturating_sub(used))
            }
            None => rules.limits.of(turn.limit),
        };
        used += turn.wall.0;
        let problem = wrong_limit(rules, turn).or_else(|| unsaid_delay(rules, turn, left))?;
        Some(format!("turn {} of its log: {problem}", turn.turn))
    })
}

/// How the limit of a judge's question differs from the plan's. Less of a total limit may be left.
fn wrong_limit(rules: &Rules, turn: &Turn) -> Option<String> {
    let asked = turn.asked.as_ref()?;
    let fixed = rules.fixed.of(turn.limit);
    let planned = match (asked.official, rules.profile) {
        (None, _) => rules.limits.of(turn.limit),
        (Some(_), _) if fixed.is_some() => fixed,
        (Some(_), Profile::Unlimited) => None,
        // The factor is a setting of the player's.
        (Some(_), Profile::Relaxed) => return None,
        (Some(named), _) => Some(named.0),
    };
    let logged = asked.limit.map(|limit| limit.0);
    let is_planned = match turn.limit {
        LimitKind::Total => logged.is_some() == planned.is_some() && logged <= planned,
        _ => logged == planned,
    };
    let shown = |limit: Option<Duration>| limit.map_or_else(|| "none".to_owned(), exact_duration);
    let problem = || format!("its limit is {}, and in the plan {}", shown(logged), shown(planned));
    (!is_planned).then(problem)
}

/// What is wrong with a reply that counts and came after its limit.
fn unsaid_delay(rules: &Rules, turn: &Turn, limit: Option<Duration>) -> Option<String> {
    let (limit, wall) = (limit?, turn.wall.0);
    match turn.overrun.map(|overrun| overrun.decision) {
        None if turn.no_reply.is_none() && wall > limit => Some(format!(
            "a reply after {} counts under a limit of {}, and is not said to be late",
            exact_duration(wall),
            exact_duration(limit)
        )),
        Some(Decision::Forgiven) if rules.profile != Profile::SdkSoft => {
            Some("a late reply is forgiven, which the plan's profile does not do".to_owned())
        }
        _ => None,
    }
}

/// Whether the best score that was known on the board is worse than one that this version of the referee has from its start.
fn check_best(basis: &Basis<'_>, outcome: &Outcome) -> Option<String> {
    let Basis { folder, published, .. } = basis;
    let published = published.best(&outcome.record_id)?;
    let is_of_this_version = folder.run.referee == env!("CARGO_PKG_VERSION");
    let better = folder.run.plan.kind()?.better;
    worse_than_published(outcome.best_known?, published, better).filter(|_| is_of_this_version)
}

/// A better one than the published one may have been among the player's records.
fn worse_than_published(known: Score, published: Score, better: Direction) -> Option<String> {
    let problem =
        || format!("best_known is {known} in its result, and {published} was published before");
    better.is_better(published, known).then(problem)
}

/// How a result differs from what its log comes to.
fn check_result(outcome: &Outcome, log: Log, is_strict: bool) -> Option<String> {
    let mut again = Outcome { times: super::outcome::Times::default(), ..outcome.clone() };
    let events: Vec<Event> =
        log.turns.into_iter().map(Event::Turn).chain(log.end.map(Event::End)).collect();
    again.record(&events, is_strict);
    if again == *outcome {
        return None;
    }
    let fields = |outcome: &Outcome| serde_json::to_value(outcome).expect("plain data");
    let (said, logged) = (fields(outcome), fields(&again));
    let all = said.as_object().into_iter().chain(logged.as_object()).flat_map(|map| map.keys());
    let field = all.into_iter().find(|field| said.get(*field) != logged.get(*field))?;
    let shown =
        |value: Option<&serde_json::Value>| value.map_or("missing".into(), ToString::to_string);
    let (said, logged) = (shown(said.get(field)), shown(logged.get(field)));
    Some(format!("{field} is {said} in its result, and {logged} by its log"))
}

/// The games without a result. A run that plays until it is decided needs not play them all: of its games those that
/// come before one with a result, in the order of play.
fn missing(folder: &RunFolder, seen: &GameSet) -> Vec<Disagreement> {
    let mut awaited = match folder.run.against {
        Some(_) => seen.count(),
        None => usize::MAX,
    };
    let due = folder.run.plan.schedule(None).take_while(|&game| {
        let is_due = awaited > 0;
        awaited -= usize::from(is_due && seen.has(game));
        is_due
    });
    let mut missing = due.filter(|&game| !seen.has(game));
    let game = |game| Disagreement { game: Some(game), problem: "it has no result".to_owned() };
    let mut found: Vec<_> = missing.by_ref().take(NAMED_MISSING).map(game).collect();
    let more = missing.count();
    let problem = format!("{more} more games have no result");
    found.extend((more > 0).then_some(Disagreement { game: None, problem }));
    found
}

/// Whether the summary that is kept for lists of runs is not what the results come to.
fn stale_listing(folder: &RunFolder, summary: &Summary) -> Option<Disagreement> {
    // Results that are not of the plan have none, and have been named.
    let mut listed = Listing::of(&folder.path).ok()?.summary;
    listed.compare(&Bests::default());
    let problem = "listing.json does not say what the results come to; it can be deleted";
    let stale = Disagreement { game: None, problem: problem.to_owned() };
    (listed.bots != summary.bots).then_some(stale)
}

fn digest<'h>(
    folder: &RunFolder,
    hashes: impl Iterator<Item = &'h Hash>,
) -> Result<String, FolderError> {
    let mut whole = Sha256::new();
    whole.update(fs_err::read(folder.path.join(RUN)).map_err(FolderError::Read)?);
    hashes.for_each(|hash| whole.update(hash));
    Ok(to_hex(&whole.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamelog::{Asked, Bytes};
    use terms::limits::{Limits, OnHostDelay, Resources};
    use terms::millis::Millis;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_best_score_that_was_known_is_no_worse_than_the_published_one() {
        let problem = |known: i64| worse_than_published(known.into(), 10.into(), Direction::Higher);
        assert!(problem(9).is_some_and(|it| it.starts_with("best_known is 9 in its result")));
        assert_eq!((problem(10), problem(11)), (None, None));
    }

    #[test]
    fn the_limit_of_a_question_is_that_of_the_plan() {
        let rules = |profile, fixed: Limits| Rules {
            profile,
            on_host_delay: OnHostDelay::Fail,
            limits: [(LimitKind::Turn, ms(50)), (LimitKind::Total, ms(900))].into(),
            fixed,
            resources: Resources::default(),
        };
        let turn = |kind, limit: Option<u64>, official: Option<u64>| {
            let asked = Asked {
                limit: limit.map(|it| Millis(ms(it))),
                official: official.map(|it| Millis(ms(it))),
                ..Asked::default()
            };
            Turn { asked: Some(asked), ..Turn::with_reply(1, kind, Bytes::default()) }
        };
        let is_wrong = |rules: &Rules, kind, limit, official| {
            wrong_limit(rules, &turn(kind, limit, official)).is_some()
        };
        let official = rules(Profile::Official, Limits::default());
        for (kind, limit, named, expected) in [
            (LimitKind::Turn, Some(50), None, false),
            (LimitKind::Turn, Some(51), None, true),
            (LimitKind::Turn, None, None, true),
            (LimitKind::Turn, Some(80), Some(80), false),
            (LimitKind::Turn, Some(8000), Some(80), true),
            (LimitKind::Total, Some(100), None, false),
            (LimitKind::Total, Some(901), None, true),
        ] {
            assert_eq!(is_wrong(&official, kind, limit, named), expected, "{limit:?} {named:?}");
        }
        let fixed = rules(Profile::Official, [(LimitKind::Turn, ms(70))].into());
        assert!(!is_wrong(&fixed, LimitKind::Turn, Some(70), Some(80)));
        assert!(is_wrong(&fixed, LimitKind::Turn, Some(80), Some(80)));
        let unlimited = rules(Profile::Unlimited, Limits::default());
        assert!(!is_wrong(&unlimited, LimitKind::Turn, None, Some(80)));
    }
}
