//! Checks a run against the logs of its games: what the rules make of the logs must be what the results say.
//!
//! It needs neither the bots nor the machine that played, only the run's folder with all its logs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::files::{json_line, on_all_processors};
use super::outcome::{FIRST_GAMES, Outcome, Seat, SuiteVerdict, Times};
use super::plan::{BoardId, Case, Plan};
use super::records::Bests;
use super::store::{FolderError, GameSet, RUN, RunFolder};
use super::summary::Summary;
use crate::digest::to_hex;
use crate::gamelog::{self, Event, Log};
use crate::replay::{case_of, replay};
use rules::game::UnknownGame;
use rules::game::judge::JudgeProgram;

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

/// A result that was checked.
#[derive(Clone)]
struct Checked {
    game: usize,
    /// The hash of the result and the log.
    hash: [u8; 32],
    problem: Option<String>,
}

/// Referees every kept log of a run again, on all processors, and compares it with the plan and the results. `is_strict`
/// tells whether the run's limits are as strict as the official ones.
///
/// # Errors
/// When the run cannot be read, or a line of its results is malformed.
pub fn verify(folder: &RunFolder, is_strict: bool) -> Result<Verified, FolderError> {
    let folder = &folder.with_foreign_results();
    let (games, players) = (folder.run.plan.games(), folder.run.plan.players());
    let out = out_bots(folder)?;
    let outcomes = Mutex::new(folder.outcomes()?);
    let next = || outcomes.lock().expect("nobody panics").next();
    let check_all = || {
        let check = |outcome: Result<Outcome, _>| Ok(check(folder, &outcome?, is_strict, &out));
        std::iter::from_fn(next).map(check).collect::<Result<Vec<Checked>, FolderError>>()
    };
    let checked = on_all_processors(check_all).into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut checked = checked.concat();
    checked.sort_by_key(|checked| checked.game);

    let (mut seen, mut agree) = (GameSet::new(games), GameSet::new(games));
    let mut whole = Sha256::new();
    whole.update(fs_err::read(folder.path.join(RUN)).map_err(FolderError::Read)?);
    let mut disagreements = Vec::new();
    for Checked { game, hash, problem } in checked {
        whole.update(hash);
        seen.add(game);
        match problem {
            None => drop(agree.add(game)),
            Some(problem) => disagreements.push(Disagreement { game: Some(game), problem }),
        }
    }
    for game in outcomes.into_inner().expect("nobody panics").doubled() {
        let problem = "it has a second result".to_owned();
        disagreements.push(Disagreement { game: Some(*game), problem });
    }
    disagreements.extend(missing(folder, &seen));
    disagreements.sort_by_key(|found| found.game);
    let tables = (1..=games).step_by(players);
    let agree = tables.filter(|&first| (first..first + players).all(|game| agree.has(game)));
    Ok(Verified {
        summary: Summary::of(folder, &Bests::default())?,
        agree: agree.count(),
        disagreements,
        digest: to_hex(&whole.finalize()),
    })
}

/// The bots that have lost enough games at once to be out, each with the verdict.
type OutBots = BTreeSet<(String, SuiteVerdict)>;

fn out_bots(folder: &RunFolder) -> Result<OutBots, FolderError> {
    let mut lost = BTreeMap::<_, usize>::new();
    for outcome in folder.outcomes()? {
        let Outcome { bot, verdict, won, forfeit, turns, .. } = outcome?;
        if !won && !forfeit && turns <= 1 {
            *lost.entry((bot, verdict)).or_default() += 1;
        }
    }
    Ok(lost.into_iter().filter(|(_, games)| *games >= FIRST_GAMES).map(|(bot, _)| bot).collect())
}

fn check(folder: &RunFolder, outcome: &Outcome, is_strict: bool, out: &OutBots) -> Checked {
    let mut hash = Sha256::new();
    // Merging renumbers sessions, and earlier referees did not write the number of the game.
    let seat = outcome.seat.clone().map(|seat| Seat { number: 0, ..seat });
    hash.update(json_line(&Outcome { session: None, seat, ..outcome.clone() }));
    let content = folder.log_content(outcome.game);
    if let Ok(Some(content)) = &content {
        hash.update(content);
    }
    let checked = match content {
        Err(error) => Err(error.to_string()),
        _ if !outcome.is_played() => Err(outcome.loss()),
        Ok(None) if outcome.forfeit => check_forfeit(folder, outcome, out),
        Ok(None) => Err(NO_LOG.to_owned()),
        Ok(Some(content)) => gamelog::read(&content)
            .map_err(|error| format!("its log is damaged: line {error}"))
            .and_then(|log| check_game(folder, outcome, log, is_strict)),
    };
    Checked { game: outcome.game, hash: hash.finalize().into(), problem: checked.err() }
}

/// Compares a game that was not played with the plan, and with the games that its bots did play.
fn check_forfeit(folder: &RunFolder, outcome: &Outcome, out: &OutBots) -> Result<(), String> {
    let (plan, own) = (&folder.run.plan, (!outcome.won).then_some(outcome.verdict));
    let kind = plan.kind().ok_or_else(|| UnknownGame::new(&plan.game).to_string())?;
    let board = plan.assignment(outcome.game).board;
    let case = plan.case(&kind, board).map_err(|error| error.to_string())?;
    let mut again = planned(plan, outcome, case);
    (again.official, again.turns, again.counts) = (String::new(), 0, false);
    again.said.clear();
    let others = again.seat.iter().flat_map(|seat| &seat.bots).filter(|bot| **bot != outcome.bot);
    let able = others.filter(|bot| !out.iter().any(|(lost, _)| lost == *bot)).count();
    let is_out = own.is_none_or(|verdict| out.contains(&(outcome.bot.clone(), verdict)));
    let agrees = |is_won: bool| {
        let mut again = again.clone();
        again.record_forfeit(own, is_won);
        again == *outcome
    };
    let agrees = match (outcome.won, able) {
        (true, 0) | (false, 1) => agrees(true),
        (false, 0) => agrees(true) || agrees(false),
        _ => false,
    };
    let problem = "it is a forfeit, and the games that were played do not say so";
    if is_out && agrees { Ok(()) } else { Err(problem.to_owned()) }
}

/// A result as its place in the plan determines it; how the game ended is still to be recorded.
fn planned(plan: &Plan, outcome: &Outcome, case: Case) -> Outcome {
    let name = |bot: usize| plan.bots[bot].name.clone();
    let planned = plan.assignment(outcome.game);
    let bots = plan.table(outcome.game).into_iter().map(name).collect();
    Outcome {
        bot: name(planned.bot),
        seat: outcome.seat.clone().map(|seat| Seat { bots, ..seat }),
        board: case.name,
        set: case.set,
        board_id: case.board_id,
        record_id: case.record_id,
        traits: case.test_case.groups,
        repeat: planned.repeat,
        times: Times::default(),
        ..outcome.clone()
    }
}

/// Compares a played game with its place in the plan, and its result with what the rules make of its log.
fn check_game(
    folder: &RunFolder,
    outcome: &Outcome,
    log: Log,
    is_strict: bool,
) -> Result<(), String> {
    let (plan, start) = (&folder.run.plan, &log.start);
    let board = plan.assignment(outcome.game).board;
    let kind = plan.kind().ok_or_else(|| UnknownGame::new(&plan.game).to_string())?;
    let case = plan.case(&kind, board).map_err(|error| error.to_string())?;
    let is_its_board = |logged| BoardId::of(&logged) == case.board_id && start.board == case.name;
    let table = plan.table(outcome.game).into_iter().map(|bot| &plan.bots[bot]).collect::<Vec<_>>();
    let names = table.iter().map(|bot| &bot.name);
    let sandboxes = table.iter().map(|bot| bot.sandbox.is_some());
    let is_planned = [
        ("game", start.game == plan.game),
        ("judge", JudgeProgram::are_alike(start.judge.as_ref(), plan.judge.as_ref())),
        ("board", case_of(start).is_ok_and(is_its_board)),
        ("bot", start.bots().map(|bot| &bot.name).eq(names)),
        ("profile", start.profile == plan.rules.profile.name()),
        ("set of limits", start.limits == plan.rules.limits),
        (
            "set of limits on resources",
            start.bots().all(|bot| bot.resources == plan.rules.resources),
        ),
        ("choice of a sandbox", start.bots().map(|bot| bot.sandbox).eq(sandboxes)),
    ];
    if let Some((what, _)) = is_planned.into_iter().find(|(_, is_planned)| !is_planned) {
        return Err(format!("its log is of a different {what}"));
    }
    let replayed = replay(&log);
    let replayed = replayed.map_err(|error| format!("its log cannot be refereed: line {error}"))?;
    if let Some(found) = replayed.difference {
        let (turn, what, (logged, refereed)) = (found.turn, found.what, found.shown());
        return Err(format!(
            "turn {turn} of its log: {what} is {logged}, and by the rules {refereed}"
        ));
    }
    if log.end.is_none() {
        return Err("its log stops before the end".to_owned());
    }
    let mut again = planned(plan, outcome, case);
    let turns = log.turns.into_iter().map(Event::Turn);
    again.record(&turns.chain(log.end.map(Event::End)).collect::<Vec<_>>(), is_strict);
    if again == *outcome {
        return Ok(());
    }
    let [said, logged] = [outcome, &again].map(|it| serde_json::to_value(it).expect("plain data"));
    let mut all = [&said, &logged].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
    let field = all.find(|field| said.get(*field) != logged.get(*field)).map_or("", String::as_str);
    let shown = |value: &Value| value.get(field).map_or("missing".into(), Value::to_string);
    let (said, logged) = (shown(&said), shown(&logged));
    Err(format!("{field} is {said} in its result, and {logged} by its plan and log"))
}

/// The games without a result. A run that plays until it is decided needs not play them all: of its games those that
/// come before one with a result, in the order of play.
fn missing(folder: &RunFolder, seen: &GameSet) -> Vec<Disagreement> {
    let mut awaited = match folder.run.against {
        Some(_) => seen.count(),
        None => usize::MAX,
    };
    let due = folder.schedule().take_while(|&game| {
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
