//! Pairs of equal bots: made ones, and real ones whose mean difference was taken away.

use super::*;

/// What two bots have on a board, by chance.
pub(super) type Boards = Box<dyn Fn(&mut Pcg64Mcg) -> PairedBoard + Sync>;

/// Two equal bots.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) board: Boards,
    /// Whether no rule guards against it: a difference beyond any score seen, on fewer than about three boards in the number played,
    /// or skewed differences on boards that are alike, where the range of the scores is only the bots' own.
    pub(super) is_beyond: bool,
    /// Whether only runs that saw a lost game count.
    pub(super) needs_loss: bool,
}

impl Case {
    fn new(name: &str, board: impl Fn(&mut Pcg64Mcg) -> PairedBoard + Sync + 'static) -> Self {
        let board = Box::new(board);
        Self { name: name.to_owned(), board, is_beyond: false, needs_loss: false }
    }

    /// The first bot has `gain` more than the other, whose score is the board's level.
    fn ahead(name: &str, gain: impl Fn(&mut Pcg64Mcg) -> f64 + Sync + 'static) -> Self {
        Self::new(name, move |random| {
            let other = level(random);
            PairedBoard::finished(other + gain(random), other)
        })
    }

    /// The same on boards that are alike.
    fn alike(name: &str, gain: impl Fn(&mut Pcg64Mcg) -> f64 + Sync + 'static) -> Self {
        Self::new(name, move |random| PairedBoard::finished(gain(random), 0.0)).beyond()
    }

    /// The first bot scores a little more than the other, and loses one game of `every`.
    fn loser(name: &str, every: f64) -> Self {
        let board = move |random: &mut Pcg64Mcg| {
            let level = level(random);
            let other = score(level, random);
            if uniform(random) < 1.0 / every {
                return PairedBoard::new([0.0, other], [true, false]);
            }
            // 3,100 is the mean score.
            PairedBoard::finished(score(level, random) + 3100.0 / (every - 1.0), other)
        };
        Self { needs_loss: true, ..Self::new(name, board) }
    }

    fn beyond(self) -> Self {
        Self { is_beyond: true, ..self }
    }
}

/// The level of a board.
pub(super) fn level(random: &mut Pcg64Mcg) -> f64 {
    (3000.0 + 600.0 * normal(random)).max(0.0)
}

/// A `SameGame` score: the board's level, a bot's luck on it, and now and then the bonus.
pub(super) fn score(level: f64, random: &mut Pcg64Mcg) -> f64 {
    let bonus = if uniform(random) < 0.1 { 1000.0 } else { 0.0 };
    (level * (1.0 + 0.05 * normal(random)) + bonus).round()
}

/// Boards on which the first bot scores this many times what the other does.
pub(super) fn times_as_good(factor: f64) -> impl Fn(&mut Pcg64Mcg) -> PairedBoard + Sync {
    move |random| {
        let level = level(random);
        PairedBoard::finished(score(level, random) * factor, score(level, random))
    }
}

/// A little less on most boards, and `height` more on one of `every`, so that the mean is 0.
pub(super) fn jump(random: &mut Pcg64Mcg, every: f64, height: f64) -> f64 {
    one_of(random, 1.0 / every, height, -height / (every - 1.0))
}

/// One of two values.
fn one_of(random: &mut Pcg64Mcg, chance: f64, rare: f64, usual: f64) -> f64 {
    if uniform(random) < chance { rare } else { usual }
}

/// The made pairs.
pub(super) fn made() -> Vec<Case> {
    vec![
        Case::new("independent luck of 5 %", times_as_good(1.0)),
        Case::ahead("95 % even, ±10 or ±1000 on the others", |it| {
            let size = one_of(it, 0.1, 1000.0, 10.0) * one_of(it, 0.05, 1.0, 0.0);
            size * one_of(it, 0.5, 1.0, -1.0)
        }),
        Case::new("+1000 on 12 boards of 100, against 8 and 40 more", |it| {
            let level = level(it);
            let (mine, other) = (one_of(it, 0.12, 1000.0, 0.0), one_of(it, 0.08, 1000.0, 0.0));
            PairedBoard::finished(level + mine, level + other + 40.0)
        }),
        Case::new("uneven boards and skewed luck", |it| {
            let level = 1000.0 * normal(it).exp();
            PairedBoard::finished(level * (1.0 - 0.05 * (uniform(it).ln() + 1.0)), level)
        }),
        // Its mean is 2.1 / 1.1.
        Case::ahead("Pareto 2.1", |it| 50.0 * (uniform(it).powf(-1.0 / 2.1) - 2.1 / 1.1)),
        Case::ahead("Cauchy (no mean)", |it| 100.0 * normal(it) / normal(it)),
        Case::ahead("-53, +1000 on 1 board of 20", |it| jump(it, 20.0, 1000.0)),
        Case::ahead("-51, +3000 on 1 board of 60", |it| jump(it, 60.0, 3000.0)).beyond(),
        Case::ahead("-6, +3000 on 1 board of 500", |it| jump(it, 500.0, 3000.0)).beyond(),
        Case::ahead("-51, +5000 on 1 board of 100", |it| jump(it, 100.0, 5000.0)).beyond(),
        Case::alike("uniform boards, -1, +9 on 1 of 10", |it| one_of(it, 0.1, 9.0, -1.0)),
        Case::alike("uniform boards, -1, +39 on 1 of 40", |it| one_of(it, 0.025, 39.0, -1.0)),
        Case::alike("uniform boards, Pareto 2.5", |it| uniform(it).powf(-0.4) - 2.5 / 1.5),
        Case::loser("+63, loses 1 of 50", 50.0),
        Case::loser("+21, loses 1 of 150", 150.0),
        Case {
            needs_loss: true,
            ..Case::new("both lose 1 of 30", |it| {
                let level = level(it);
                let lost = [(); 2].map(|()| uniform(it) < 1.0 / 30.0);
                let [one, other] = lost.map(|lost| if lost { 0.0 } else { score(level, it) });
                PairedBoard::new([one, other], lost)
            })
        },
    ]
}

/// Pairs of bots whose scores are kept: the game, the measure, and the columns of the two.
const REAL: [[&str; 4]; 3] = [
    ["samegame", "points", "@nrpa --seed 1", "@greedy"],
    ["square-remover", "ratio", "@squares-beam --total 0.2", "@squares-beam --total 0.1"],
    ["square-remover", "points", "@squares-greedy", "@squares-random"],
];

/// The real pairs as equal bots, whose scores are drawn by chance.
pub(super) fn real() -> impl Iterator<Item = Case> {
    REAL.into_iter().map(|[game, measure, one, other]| {
        let above = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/verdicts");
        let text = std::fs::read_to_string(format!("{above}/{game}.csv")).expect("the scores");
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let column = |name: &str| rows[0].iter().position(|it| *it == name).expect("a column");
        let columns = [column(one), column(other)];
        let value = |row: &Vec<&str>| {
            let [one, other] = columns.map(|at| row[at].parse::<f64>().expect("a score"));
            let unit = if measure == "ratio" { one.max(other) / 100.0 } else { 1.0 };
            [one / unit, other / unit]
        };
        let values: Vec<[f64; 2]> = rows[1..].iter().map(value).collect();
        let shift = mean(&values.iter().map(|[one, other]| one - other).collect::<Vec<_>>());
        Case::new(&format!("{one} and {other}, {measure}"), move |random| {
            let [one, other] = values[random.next_u32() as usize % values.len()];
            PairedBoard::finished(one - shift, other)
        })
    })
}
