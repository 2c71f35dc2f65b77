//! Decides what to search for, and for how long.

use std::time::Duration;

use super::board::{Names, Tiles, place};
use super::search::{LEVELS, Line, Policy, Search, worth};
use crate::protocol;

/// The colours of a game.
const COLORS: u8 = 5;
/// The rounds of the main search: the number of best targets that go on, and the part of the time for each.
const ROUNDS: [(usize, f64); 3] = [(5, 0.03), (3, 0.045), (2, 0.06)];
/// The part of the time at which the main search ends; the best target gets what is left until then.
const MAIN: f64 = 0.92;
/// The levels and the width of the searches that mend a plan.
const MENDING: (usize, usize) = (2, 20);
/// The part of a plan in which it may be cut.
const CUTS: f64 = 0.8;

/// A colour to collect in one big region, and the state of the search for it.
struct Target {
    color: u8,
    best: Line,
    /// The policy of the uppermost level.
    policy: Policy,
    /// The current run of the level below: its policy, its best line, its iterations.
    run: (Policy, Line, usize),
}

impl Target {
    fn new(color: u8) -> Self {
        let run = (Policy::new(), Line::none(), 0);
        Self { color, best: Line::none(), policy: Policy::new(), run }
    }

    fn score(&self) -> i32 {
        self.best.score.max(self.run.1.score)
    }
}

/// The plan for a game, and the means to improve it.
pub(super) struct Planner {
    search: Search,
    /// The number of times that each level of the main search calls the one below.
    width: usize,
    names: Names,
    tiles: Tiles,
    /// From `tiles` to the end.
    plan: Line,
    target: u8,
}

impl Planner {
    pub(super) fn new(seed: u64, width: usize, clock: Box<dyn Fn() -> Duration>) -> Self {
        Self {
            search: Search::new(seed, clock),
            width,
            names: Names::default(),
            tiles: Tiles::default(),
            plan: Line::none(),
            target: 0,
        }
    }

    /// Plans the game from its first board on.
    pub(super) fn plan(&mut self, board: &protocol::Board, time: Duration) {
        self.tiles = Tiles::new(board, &mut self.names);
        let start = self.search.now();
        let mut targets: Vec<Target> = (1..=COLORS).map(Target::new).collect();
        let mut part = 0.0;
        for (count, share) in ROUNDS {
            for target in &mut targets[..count] {
                part += share;
                self.pursue(target, start + time.mul_f64(part));
            }
            targets.sort_by_key(|target| std::cmp::Reverse(target.score()));
        }
        self.pursue(&mut targets[0], start + time.mul_f64(MAIN));
        let Target { color, best, run, .. } = targets.swap_remove(0);
        self.target = color;
        self.plan = if run.1.score > best.score { run.1 } else { best };
        self.improve(start + time);
    }

    /// Continues the search for a target.
    fn pursue(&mut self, target: &mut Target, end: Duration) {
        let Target { color, best, policy, run: (below, line, count) } = target;
        self.search.start(self.tiles, *color, end);
        self.search.exchange_policy(LEVELS, policy);
        self.search.exchange_policy(LEVELS - 1, below);
        while !self.search.is_over() {
            self.search.step(LEVELS - 1, self.width, line);
            *count += 1;
            if *count >= self.width {
                self.search.end_run(LEVELS, best, std::mem::replace(line, Line::none()));
                *count = 0;
            }
        }
        self.search.exchange_policy(LEVELS - 1, below);
        self.search.exchange_policy(LEVELS, policy);
    }

    /// Improves the plan: repeatedly searches everything after some move again.
    pub(super) fn improve(&mut self, end: Duration) {
        while self.plan.cells.len() != 1 && self.search.now() < end {
            let cut = (self.plan.cells.len() as f64 * CUTS) as usize;
            let cut = self.search.below(cut + 1);
            let (head, tail) = self.plan.cells.split_at(cut);
            let mut tiles = self.tiles;
            let score: i32 = head.iter().map(|&cell| take(&mut tiles, cell)).sum();
            let mut rest = Line { score: self.plan.score - score, cells: tail.to_vec() };
            let target = if self.search.below(2) == 0 { self.target } else { 0 };
            self.search.start(tiles, target, end);
            if !self.search.allows(&rest) {
                rest = Line::none();
            }
            let (level, width) = MENDING;
            self.search.forget_policy(level);
            self.search.nest(level, width, &mut rest);
            if score + rest.score >= self.plan.score {
                self.plan.score = score + rest.score;
                self.plan.cells.truncate(cut);
                self.plan.cells.extend(rest.cells);
            }
        }
    }

    /// Takes a later board, which hardly ever differs from the plan's.
    pub(super) fn meet(&mut self, board: &protocol::Board) {
        let tiles = Tiles::new(board, &mut self.names);
        if tiles != self.tiles {
            self.tiles = tiles;
            self.plan = Line::none();
        }
    }

    /// Plays the next move of the plan, and returns its column and row.
    pub(super) fn next(&mut self) -> Option<(usize, usize)> {
        if self.plan.cells.is_empty() {
            return None;
        }
        let cell = self.plan.cells.remove(0);
        self.plan.score -= take(&mut self.tiles, cell);
        Some(place(usize::from(cell)))
    }

    pub(super) fn now(&self) -> Duration {
        self.search.now()
    }
}

/// Removes the region of a cell; returns its value.
fn take(tiles: &mut Tiles, cell: u8) -> i32 {
    let region = tiles.region(usize::from(cell));
    tiles.take(region);
    worth(region.len())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rand_pcg::Pcg64Mcg;

    use super::super::board::plain::Plain;
    use super::super::search::ending;
    use super::*;
    use crate::protocol::SIDE;

    /// A planner whose clock counts its calls, so that nothing depends on the machine.
    fn planner() -> Planner {
        let asked = Cell::new(0);
        Planner::new(
            1,
            110,
            Box::new(move || Duration::from_millis(asked.replace(asked.get() + 1))),
        )
    }

    /// The time of about `count` playouts.
    fn playouts(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn boards(count: usize) -> Vec<Plain> {
        let mut random = Pcg64Mcg::new(5);
        (0..count).map(|_| Plain::random(&mut random, 5)).collect()
    }

    /// Plays a game by the plain rules; returns the moves and the score.
    fn play(mut board: Plain, first: u64, later: u64) -> (Vec<(usize, usize)>, i32) {
        let mut planner = planner();
        planner.plan(&board.board(), playouts(first));
        let promised = planner.plan.score;
        let (mut moves, mut score) = (Vec::new(), 0);
        while let Some((x, y)) = planner.next() {
            moves.push((x, y));
            let region = board.region(x, y);
            let pairs = i32::try_from(region.len()).expect("small") - 2;
            assert!(pairs >= 0, "a single tile was taken");
            score += pairs * pairs;
            board.take(&region);
            planner.meet(&board.board());
            let end = planner.now() + playouts(later);
            planner.improve(end);
        }
        let is_stuck = |(x, y)| board.tile(x, y).is_none() || board.region(x, y).len() == 1;
        assert!(protocol::cells().all(is_stuck), "the plan ended too early");
        let left = board.0.iter().map(Vec::len).sum::<usize>();
        let found = score + ending(u32::try_from(left).expect("few"));
        assert!(found >= promised, "{found} instead of {promised}");
        score += if left == 0 { 1000 } else { 0 };
        (moves, score)
    }

    #[test]
    fn plans_are_legal_play_to_the_end_and_score_what_they_promise() {
        for board in boards(4) {
            let (_, score) = play(board, 2000, 20);
            assert!(score > 700, "only {score}");
        }
    }

    #[test]
    fn a_recoloured_board_gets_the_same_moves() {
        for board in boards(2) {
            let mut other = board.clone();
            other.0.iter_mut().flatten().for_each(|color| *color = (*color * 2 + 3) % 5);
            assert_eq!(play(board, 1000, 10), play(other, 1000, 10));
        }
    }

    #[test]
    fn mirrored_boards_score_alike() {
        let scores =
            |boards: Vec<Plain>| boards.into_iter().map(|board| play(board, 2000, 0).1).sum();
        let straight: i32 = scores(boards(10));
        let mut mirrored = boards(10);
        for board in &mut mirrored {
            board.0.reverse();
        }
        let mirrored = scores(mirrored);
        let (lower, higher) = (straight.min(mirrored), straight.max(mirrored));
        assert!(lower * 5 > higher * 4, "{straight} and {mirrored}");
    }

    #[test]
    fn no_search_goes_on_when_its_time_is_over() {
        let mut planner = planner();
        let board = boards(1).remove(0);
        planner.plan(&board.board(), playouts(3000));
        assert!(planner.now() < playouts(3030), "{:?}", planner.now());
        planner.improve(playouts(4000));
        assert!(planner.now() < playouts(4010), "{:?}", planner.now());
    }

    #[test]
    fn another_board_than_expected_is_planned_anew() {
        let [first, second] = <[Plain; 2]>::try_from(boards(2)).ok().expect("two boards");
        let mut planner = planner();
        planner.plan(&first.board(), playouts(500));
        planner.meet(&second.board());
        let end = planner.now() + playouts(100);
        planner.improve(end);
        let (x, y) = planner.next().expect("a move");
        assert!(second.region(x, y).len() > 1);
    }

    #[test]
    fn a_board_without_a_move_has_no_plan() {
        let columns = (0..SIDE).map(|x| (0..SIDE).map(|y| i32::from((x + y) % 2 == 0)).collect());
        let mut planner = planner();
        planner.plan(&Plain(columns.collect()).board(), playouts(100));
        assert_eq!(planner.next(), None);
    }
}
