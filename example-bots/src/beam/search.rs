//! A beam search with a layer for each number of swaps.

use std::cmp::Reverse;
use std::time::Duration;

use super::board::{Board, Pair, Rules};
use super::patterns::Patterns;
use crate::greedy_squares::{Board as Case, MOVES};

/// The best part of a layer, whose boards also try two swaps at once.
const DOUBLE: f64 = 0.085;
/// The width of the first layers, before the clock has shown the machine's speed.
const FIRST_WIDTH: usize = 500;
const LEAST_WIDTH: usize = 4;
/// The number of best boards that try every swap when nothing completes a square.
const STUCK: usize = 10;
const MOST_WIDTH: usize = 20_000;
/// The number of layers between adjustments of the width to the clock.
const PACE: usize = 8;

/// A board in a layer.
#[derive(Clone, Copy)]
struct State<const WORDS: usize> {
    board: Board<WORDS>,
    /// The step that led to this board.
    step: u32,
}

/// A board that a later layer may take.
#[derive(Clone, Copy)]
struct Candidate {
    value: i32,
    /// The index of its parent in the parent's layer.
    parent: u16,
    pattern: u8,
    square: u8,
    /// The hash of the board, so that each board is taken once.
    hash: u64,
}

/// A step to a board: its parent and swap.
#[derive(Clone, Copy)]
struct Move {
    before: u32,
    pattern: u8,
    square: u8,
}

#[derive(Default)]
struct Layer<const WORDS: usize> {
    states: Vec<State<WORDS>>,
    candidates: Vec<Candidate>,
    /// Candidates must be better than this.
    floor: i32,
}

pub(super) struct Beam<const WORDS: usize> {
    rules: Rules<WORDS>,
    patterns: Patterns<WORDS>,
    /// The layers by number of swaps, modulo 3: a board's children are at most two layers later.
    layers: [Layer<WORDS>; 3],
    width: usize,
    /// Every step; the first is a dummy.
    steps: Vec<Move>,
    best: State<WORDS>,
}

impl<const WORDS: usize> Beam<WORDS> {
    pub(super) fn new(case: &Case) -> Self {
        let rules = Rules::new(case);
        let start = State { board: Board::new(case, &rules), step: 0 };
        let mut layers: [Layer<WORDS>; 3] = std::array::from_fn(|_| Layer::default());
        layers[0].states.push(start);
        Self {
            rules,
            patterns: Patterns::new(case.tiles.len()),
            layers,
            width: FIRST_WIDTH,
            steps: vec![Move { before: 0, pattern: 0, square: 0 }],
            best: start,
        }
    }

    /// Searches until `end`; returns the swaps of the best board, and the number of squares that they remove.
    pub(super) fn run(mut self, clock: impl Fn() -> Duration, end: Duration) -> (Vec<Pair>, u32) {
        let mut pace = Pace { last: clock(), states: 0, each: 0.0 };
        for made in 0..MOVES {
            pace.states += self.layers[made % 3].states.len();
            self.expand(made);
            self.fill(made + 1);
            if made % PACE == PACE - 1 {
                self.width = pace.width(clock(), end, MOVES - made);
            }
        }
        (self.swaps(), self.best.board.score())
    }

    /// Finds the children of a layer's boards.
    fn expand(&mut self, made: usize) {
        let states = std::mem::take(&mut self.layers[made % 3].states);
        let double =
            if made + 2 > MOVES { 0 } else { (states.len() as f64 * DOUBLE).ceil() as usize };
        let Self { rules, patterns, layers, width, .. } = self;
        let offer =
            |layers: &mut [Layer<WORDS>; 3], parent: usize, pattern: usize, square: usize| {
                let mut board = states[parent].board;
                let mut swaps = patterns.get(pattern).swaps(square);
                let mut to = made + 1;
                if swaps.len() == 2 {
                    board.play(swaps.next().expect("the first"), rules);
                    to += 1;
                }
                let value = board.play_and_judge(swaps.next().expect("the last"), rules);
                let layer = &mut layers[to % 3];
                if value > layer.floor {
                    let hash = board.tiles.hash();
                    let (parent, pattern, square) = (parent as u16, pattern as u8, square as u8);
                    layer.offer(Candidate { value, parent, pattern, square, hash }, *width);
                }
            };
        for (parent, state) in states.iter().enumerate() {
            patterns.find(&state.board.tiles, parent < double, |pattern, square| {
                offer(layers, parent, pattern, square);
            });
        }
        if layers[(made + 1) % 3].candidates.is_empty() {
            for parent in 0..states.len().min(STUCK) {
                patterns.any(|pattern, square| offer(layers, parent, pattern, square));
            }
        }
        self.layers[made % 3].states = states;
    }

    /// Makes a layer of the best of its candidates.
    fn fill(&mut self, made: usize) {
        let mut layer = std::mem::take(&mut self.layers[made % 3]);
        layer.choose(self.width);
        layer.states.clear();
        for &Candidate { parent, pattern, square, .. } in &layer.candidates {
            let way = self.patterns.get(pattern.into());
            let before = if way.is_single() { made - 1 } else { made - 2 };
            let State { mut board, step } = self.layers[before % 3].states[usize::from(parent)];
            way.swaps(square.into()).for_each(|swap| board.play(swap, &self.rules));
            let state = State { board, step: self.steps.len() as u32 };
            self.steps.push(Move { before: step, pattern, square });
            layer.states.push(state);
            if board.score() > self.best.board.score() {
                self.best = state;
            }
        }
        layer.candidates.clear();
        layer.floor = 0;
        self.layers[made % 3] = layer;
    }

    /// The swaps that led to the best board.
    fn swaps(&self) -> Vec<Pair> {
        let mut swaps = Vec::with_capacity(MOVES);
        let mut step = self.best.step;
        while step != 0 {
            let Move { before, pattern, square } = self.steps[step as usize];
            let both: Vec<_> = self.patterns.get(pattern.into()).swaps(square.into()).collect();
            swaps.extend(both.into_iter().rev());
            step = before;
        }
        swaps.reverse();
        swaps
    }
}

impl<const WORDS: usize> Layer<WORDS> {
    fn offer(&mut self, candidate: Candidate, width: usize) {
        self.candidates.push(candidate);
        if self.candidates.len() >= 6 * width {
            let keep = width * 3 / 2;
            self.candidates.select_nth_unstable_by_key(keep, |candidate| Reverse(candidate.value));
            self.floor = self.candidates[keep].value;
            self.candidates.truncate(keep);
        }
    }

    /// Keeps the best candidates, each board once.
    fn choose(&mut self, width: usize) {
        let key = |candidate: &Candidate| (Reverse(candidate.value), candidate.hash);
        let most = width * 3 / 2;
        if self.candidates.len() > most {
            self.candidates.select_nth_unstable_by_key(most, key);
            self.candidates.truncate(most);
        }
        self.candidates.sort_unstable_by_key(key);
        self.candidates.dedup_by_key(|candidate| candidate.hash);
        self.candidates.truncate(width);
    }
}

/// The width of layers by the clock.
struct Pace {
    last: Duration,
    /// Boards that were expanded since then.
    states: usize,
    /// The seconds that a board takes, smoothed; 0 when nothing is known.
    each: f64,
}

impl Pace {
    fn width(&mut self, now: Duration, end: Duration, layers_left: usize) -> usize {
        let each = now.saturating_sub(self.last).as_secs_f64() / self.states.max(1) as f64;
        self.each = if self.each > 0.0 { 0.9 * self.each + 0.1 * each } else { each };
        (self.last, self.states) = (now, 0);
        let left = end.saturating_sub(now).as_secs_f64() / layers_left as f64;
        ((left / self.each.max(1e-9)) as usize).clamp(LEAST_WIDTH, MOST_WIDTH)
    }
}
