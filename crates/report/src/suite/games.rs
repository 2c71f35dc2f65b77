//! The games of a run, in the order of somebody's choice.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::data::{self, Totals};
use super::{SuiteReport, share};
use crate::document::{Document, Table};
use crate::figures::in_percent;
use crate::format::Report;
use crate::rows::Rows;
use results::suite::{BoardId, Outcome, Plan, Seat};
use rules::score::{Direction, Score, shown};
use terms::limits::LimitKind;
use terms::millis::Millis;
use terms::seed::Seed;
use terms::text::duration;

/// Which games come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Order {
    /// Those with the lowest number.
    #[default]
    Number,
    /// Lost ones, then those with the lowest share of the best score.
    Worst,
    /// Those that came nearest to a limit, or went beyond it.
    Slowest,
    /// Those that gained most over another run.
    Gain,
}

/// A game of a run, with what it is compared with.
#[derive(Debug, Serialize)]
pub struct ShownGame {
    #[serde(flatten)]
    outcome: Outcome,
    /// The seed of its board, or the number of its case.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<Seed>,
    /// The best known score on its board.
    best: Option<Score>,
    /// Its share of the best score.
    ratio: Option<f64>,
    /// How much better its score is than the other run's.
    #[serde(skip_serializing_if = "Option::is_none")]
    gain: Option<Score>,
    /// The largest share of a limit that a response took.
    of_limit: Option<f64>,
}

/// What a game has in common with one of another run: its board and repeat and, in a game of several players, the bots by seat,
/// with an empty name in the compared bot's seat.
pub type PairKey = (BoardId, u32, Vec<String>);

/// The scores of another run.
pub type Others = BTreeMap<PairKey, Score>;

/// What the game of a bot has in common with another bot's.
pub fn pair_key(outcome: &Outcome) -> PairKey {
    let mut bots = Vec::new();
    if let Some(seat) = &outcome.seat {
        bots.clone_from(&seat.bots);
        if let Some(own) = bots.get_mut(seat.seat) {
            own.clear();
        }
    }
    (outcome.board_id.clone(), outcome.repeat, bots)
}

impl ShownGame {
    /// A game of this plan; `best` is the best score on its board.
    pub fn new(mut outcome: Outcome, plan: &Plan, best: Option<Score>, others: &Others) -> Self {
        let other = others.get(&pair_key(&outcome)).copied();
        let gain = points(&outcome, plan.better).zip(other).map(|(own, other)| match plan.better {
            Direction::Higher => own - other,
            Direction::Lower => other - own,
        });
        Self {
            seed: plan.seed_to_type(plan.assignment(outcome.game).board),
            best,
            ratio: outcome.ratio(best, plan.better),
            gain,
            of_limit: outcome.times.of_limit.take().or_else(|| of_limit(&outcome, plan)),
            outcome,
        }
    }

    /// Whether `--seed` plays its board again.
    pub fn has_seed(&self) -> bool {
        self.seed.is_some()
    }
}

/// The score that a game counts with; none of a lost game whose lower scores are better.
pub fn points(outcome: &Outcome, better: Direction) -> Option<Score> {
    let of_loss = (!outcome.won && better.is_higher()).then_some(Score::ZERO);
    outcome.won_score().or(of_loss)
}

/// The share of the plan's limits; a judge can have named others.
fn of_limit(outcome: &Outcome, plan: &Plan) -> Option<f64> {
    if plan.judge.is_some() {
        return None;
    }
    let limit = |kind| plan.rules.limits.of(kind).map(|limit| limit.as_secs_f64());
    let first = limit(LimitKind::FirstTurn).or(limit(LimitKind::Total));
    let of = |took: Option<Millis>, limit: Option<f64>| Some(took?.0.as_secs_f64() / limit?);
    let shares =
        [of(outcome.times.first, first), of(outcome.times.slowest, limit(LimitKind::Turn))];
    shares.into_iter().flatten().max_by(f64::total_cmp)
}

/// Puts the games into an order, and keeps the first `limit` of them.
pub fn arrange(games: &mut Vec<ShownGame>, order: Order, better: Direction, limit: Option<usize>) {
    games.sort_by_key(|game| game.outcome.game);
    match order {
        Order::Number => {}
        Order::Worst => games.sort_by(|a, b| {
            let by_score = match (a.outcome.won_score(), b.outcome.won_score()) {
                (Some(one), Some(other)) => {
                    better.is_better(one, other).cmp(&better.is_better(other, one))
                }
                // Games without a score come last.
                (one, other) => one.is_none().cmp(&other.is_none()),
            };
            let place = |game: &ShownGame| game.outcome.place().unwrap_or_default();
            let by_place = place(a).total_cmp(&place(b));
            let ratio = |game: &ShownGame| game.ratio.unwrap_or(1.0);
            let by_ratio = ratio(a).total_cmp(&ratio(b));
            a.outcome.won.cmp(&b.outcome.won).then(by_place).then(by_ratio).then(by_score)
        }),
        Order::Slowest => {
            let share = |game: &ShownGame| game.of_limit.unwrap_or_default();
            games.sort_by(|a, b| share(b).total_cmp(&share(a)));
        }
        Order::Gain => games.sort_by_key(|game| std::cmp::Reverse(game.gain)),
    }
    games.truncate(limit.unwrap_or(games.len()));
}

/// The report on a run, and its games.
#[derive(Debug)]
pub struct RunWithGames<'a> {
    /// The report on the run.
    pub report: &'a SuiteReport<'a>,
    /// The games to show.
    pub games: &'a [ShownGame],
}

#[derive(Serialize)]
struct InJson<'a> {
    summary: Totals<'a>,
    games: &'a [ShownGame],
}

impl Report for RunWithGames<'_> {
    fn document(&self) -> Document {
        let mut document = self.report.document();
        document.table(table(self.games, self.report.summary.better));
        document
    }

    fn value(&self) -> impl Serialize {
        InJson { summary: Totals::of(self.report), games: self.games }
    }

    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        let of_run = data::columns_of(self.report);
        let columns = format!("{of_run} seed best ratio gain of_limit");
        Ok(Some(Rows::new(&columns, self.games.iter().map(Ok))))
    }

    fn seeds(&self) -> Option<String> {
        Some(seeds(self.games))
    }
}

/// The seeds of the games in their order, each once.
fn seeds(games: &[ShownGame]) -> String {
    let mut seeds: Vec<String> = Vec::new();
    for seed in games.iter().filter_map(|game| game.seed).map(|seed| seed.to_string()) {
        if !seeds.contains(&seed) {
            seeds.push(seed);
        }
    }
    seeds.join(",")
}

fn table(games: &[ShownGame], better: Direction) -> Table {
    let has_gain = games.iter().any(|game| game.gain.is_some());
    let has_share = games.iter().any(|game| game.ratio.is_some());
    let mut headings = vec!["game", "bot", "board", "verdict", "score"];
    headings.extend(has_share.then_some(better.share_name()));
    headings.extend(["turns", "slowest", "of limit"]);
    let has_places = games.iter().any(|game| game.outcome.seat.is_some());
    headings.extend(has_places.then_some(["seat", "place", "against"]).into_iter().flatten());
    headings.extend(has_gain.then_some("gain"));
    let rows = games.iter().map(|game| {
        let outcome = &game.outcome;
        let slowest = outcome.times.slowest.or(outcome.times.first);
        let mut row = vec![
            outcome.number().to_string(),
            outcome.bot.clone(),
            outcome.board.clone(),
            outcome.verdict.to_string(),
            shown(outcome.score),
        ];
        row.extend(has_share.then(|| game.ratio.map_or_else(none, share)));
        row.extend([
            outcome.turns.to_string(),
            slowest.map_or_else(none, |slowest| duration(slowest.0)),
            game.of_limit.map_or_else(none, |part| format!("{} %", in_percent(part, 1))),
        ]);
        if has_places {
            let seat = outcome.seat.as_ref().map_or_else(none, |seat| seat.seat.to_string());
            let place = outcome.place().map_or_else(none, |place| format!("{place:.0} %"));
            row.extend([seat, place, against(outcome)]);
        }
        row.extend(has_gain.then(|| game.gain.map_or_else(none, signed)));
        row
    });
    // With places there is no share, and the last of these is the column of opponents.
    Table { words: vec![1, 2, 3, 10], ..Table::new("Games", &headings, rows) }
}

/// The bots in the other seats.
fn against(outcome: &Outcome) -> String {
    let Some(Seat { seat, bots, .. }) = &outcome.seat else { return none() };
    let others = bots.iter().enumerate().filter(|(other, _)| other != seat);
    others.map(|(_, bot)| bot.as_str()).collect::<Vec<_>>().join(", ")
}

fn none() -> String {
    "-".to_owned()
}

fn signed(gain: Score) -> String {
    let sign = if gain > Score::ZERO { "+" } else { "" };
    format!("{sign}{gain}")
}
