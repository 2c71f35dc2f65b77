//! Nested rollout policy adaptation: playouts that learn from the best one so far.

use std::time::Duration;

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

use super::board::Tiles;
use super::graph::{Graph, Move};

/// The levels of the search above the playouts.
pub(super) const LEVELS: usize = 3;
/// The largest weight, so that no sum overflows.
const MOST_WEIGHT: f32 = 1e18;
/// The points for clearing the board.
const CLEARED: i32 = 1000;
/// The credit for a nearly cleared board, and its reduction for each tile left, down to 0. It leads the search
/// to cleared boards.
const NEARLY: (i32, i32) = (400, 25);

/// The points for removing a region of this size.
pub(super) fn worth(size: u32) -> i32 {
    let pairs = size as i32 - 2;
    pairs * pairs
}

/// The search's bonus at the end of a game.
pub(super) fn ending(tiles_left: u32) -> i32 {
    let (most, each) = NEARLY;
    if tiles_left == 0 { CLEARED } else { (most - each * tiles_left as i32).max(0) }
}

/// A line of play to the end of the game; none yet if the score is negative.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) score: i32,
    /// The first cell of each region that is taken.
    pub(super) cells: Vec<u8>,
}

impl Line {
    pub(super) fn none() -> Self {
        Self { score: -1, cells: Vec::new() }
    }
}

/// The weight of each code, before the factor for its size.
#[derive(Clone)]
pub(super) struct Policy(Vec<f32>);

impl Policy {
    pub(super) fn new() -> Self {
        Self(vec![1.0; 1 << 16])
    }
}

pub(super) struct Search {
    graph: Graph,
    random: Pcg64Mcg,
    clock: Box<dyn Fn() -> Duration>,
    end: Duration,
    is_over: bool,
    tiles: Tiles,
    target: u8,
    root: u32,
    /// The factor of a region's size for its weight.
    by_size: [f32; 256],
    /// The policy of each level; number 0 is unused.
    policies: [Policy; LEVELS + 1],
    /// The change of the logarithm of each weight; all 0 between adaptations.
    gradient: Vec<f32>,
}

impl Search {
    /// A search; `clock` returns the time since any fixed moment.
    pub(super) fn new(seed: u64, clock: Box<dyn Fn() -> Duration>) -> Self {
        Self {
            graph: Graph::new(),
            random: Pcg64Mcg::new(seed.into()),
            clock,
            end: Duration::ZERO,
            is_over: true,
            tiles: Tiles::default(),
            target: 0,
            root: 0,
            by_size: std::array::from_fn(|size| (0.1 * (size as f32 - 2.0).clamp(0.0, 8.0)).exp()),
            policies: std::array::from_fn(|_| Policy::new()),
            gradient: vec![0.0; 1 << 16],
        }
    }

    pub(super) fn now(&self) -> Duration {
        (self.clock)()
    }

    /// Makes the search start from these tiles, collect the colour `target` in one big region, and
    /// stop at `end`.
    pub(super) fn start(&mut self, tiles: Tiles, target: u8, end: Duration) {
        self.tiles = tiles;
        self.target = target;
        self.end = end;
        self.is_over = self.now() >= end;
        self.find_root();
    }

    fn find_root(&mut self) {
        if self.graph.is_full() {
            self.graph.clear();
        }
        self.root = self.graph.root(self.tiles, self.target);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u64::from(self.random.next_u32()) * bound as u64) >> 32) as usize
    }

    pub(super) fn exchange_policy(&mut self, level: usize, policy: &mut Policy) {
        std::mem::swap(&mut self.policies[level], policy);
    }

    /// Ends a run of the level below `level`, whose best line is `line`, and begins another one.
    pub(super) fn end_run(&mut self, level: usize, best: &mut Line, line: Line) {
        self.learn(level, best, line);
        self.hand_down(level);
    }

    pub(super) fn forget_policy(&mut self, level: usize) {
        self.policies[level].0.fill(1.0);
    }

    /// Repeats `width` times: searches on the level below, `width` times there, and learns from the
    /// best line so far, of which `best` is the first.
    pub(super) fn nest(&mut self, level: usize, width: usize, best: &mut Line) {
        for _ in 0..width {
            self.step(level, width, best);
            if self.is_over {
                return;
            }
        }
    }

    /// One iteration of [`nest`](Self::nest).
    pub(super) fn step(&mut self, level: usize, width: usize, best: &mut Line) {
        let line = if level == 1 {
            self.playout()
        } else {
            self.hand_down(level);
            let mut line = Line::none();
            self.nest(level - 1, width, &mut line);
            line
        };
        self.learn(level, best, line);
    }

    /// Copies this level's policy to the level below.
    fn hand_down(&mut self, level: usize) {
        let (below, above) = self.policies.split_at_mut(level);
        below[level - 1].0.copy_from_slice(&above[0].0);
    }

    /// Gives a level the best line of the level below.
    fn learn(&mut self, level: usize, best: &mut Line, line: Line) {
        // An equal line is taken too: it keeps the search moving.
        if line.score >= best.score {
            *best = line;
        }
        if !self.is_over {
            self.adapt(level, best);
        }
    }

    /// Plays to the end by the policy of level 1.
    fn playout(&mut self) -> Line {
        if self.graph.is_full() {
            self.find_root();
        }
        let mut position = self.root;
        let mut line = Line { score: 0, cells: Vec::with_capacity(128) };
        loop {
            let moves = self.graph.moves(position);
            if moves.is_empty() {
                break;
            }
            let mut weights = [0.0; 128];
            let sum = weigh(&self.policies[1], &self.by_size, moves, &mut weights);
            let mut draw = self.random.next_u32() as f32 / u32::MAX as f32 * sum;
            let choice = weights[..moves.len() - 1].iter().position(|weight| {
                draw -= weight;
                draw < 0.0
            });
            let choice = choice.unwrap_or(moves.len() - 1);
            line.score += worth(moves[choice].size.into());
            line.cells.push(moves[choice].cell);
            position = self.graph.play(position, choice);
        }
        line.score += ending(self.graph.tiles_left(position));
        self.is_over = self.now() >= self.end;
        line
    }

    /// Makes the moves of a line more likely than their alternatives.
    fn adapt(&mut self, level: usize, line: &Line) {
        let policy = &mut self.policies[level];
        let mut codes: Vec<u16> = Vec::with_capacity(2048);
        let mut position = self.root;
        for &cell in &line.cells {
            let moves = self.graph.moves(position);
            let mut weights = [0.0; 128];
            let sum = weigh(policy, &self.by_size, moves, &mut weights);
            for (option, weight) in moves.iter().zip(weights) {
                self.gradient[usize::from(option.code)] -= weight / sum;
                codes.push(option.code);
            }
            let choice = find(moves, cell).expect("a line that can be played");
            self.gradient[usize::from(moves[choice].code)] += 1.0;
            position = self.graph.play(position, choice);
        }
        for code in codes.into_iter().map(usize::from) {
            let gradient = std::mem::take(&mut self.gradient[code]);
            if gradient != 0.0 {
                let weight = &mut policy.0[code];
                *weight = (*weight * gradient.exp()).clamp(1.0 / MOST_WEIGHT, MOST_WEIGHT);
            }
        }
    }

    /// Whether the target allows this line.
    pub(super) fn allows(&mut self, line: &Line) -> bool {
        let mut position = self.root;
        line.cells.iter().all(|&cell| {
            let choice = find(self.graph.moves(position), cell);
            position = choice.map_or(position, |choice| self.graph.play(position, choice));
            choice.is_some()
        })
    }
}

fn find(moves: &[Move], cell: u8) -> Option<usize> {
    moves.iter().position(|option| option.cell == cell)
}

/// The weight of each move, and the sum of all.
#[inline]
fn weigh(policy: &Policy, by_size: &[f32; 256], moves: &[Move], weights: &mut [f32; 128]) -> f32 {
    let mut sum = 0.0;
    for (weight, option) in weights.iter_mut().zip(moves) {
        *weight = policy.0[usize::from(option.code)] * by_size[usize::from(option.size)];
        sum += *weight;
    }
    sum
}
