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

    /// A case without lost games.
    fn of(name: &str, scores: impl Fn(&mut Pcg64Mcg) -> (f64, f64) + Sync + 'static) -> Self {
        Self::new(name, move |random| {
            let (score, other) = scores(random);
            PairedBoard::finished(score, other)
        })
    }

    fn beyond(self) -> Self {
        Self { is_beyond: true, ..self }
    }

    fn with_losses(self) -> Self {
        Self { needs_loss: true, ..self }
    }
}

/// A board on which the bots are even except for what `gain` gives the first one.
fn ahead(random: &mut Pcg64Mcg, gain: impl Fn(&mut Pcg64Mcg) -> f64) -> (f64, f64) {
    let other = level(random);
    (other + gain(random), other)
}

/// One of two values.
fn one_of(random: &mut Pcg64Mcg, chance: f64, rare: f64, usual: f64) -> f64 {
    if uniform(random) < chance { rare } else { usual }
}

/// The made pairs.
pub(super) fn made() -> Vec<Case> {
    let luck = |random: &mut Pcg64Mcg, size: f64| size * normal(random);
    let sign = |random: &mut Pcg64Mcg| one_of(random, 0.5, 1.0, -1.0);
    vec![
        Case::of("independent luck of 5 %", |it| times_as_good(it, 1.0)),
        Case::of("normal differences", move |it| ahead(it, |it| luck(it, 150.0))),
        Case::of("95 % even, ±100 on the others", move |it| {
            ahead(it, |it| one_of(it, 0.05, 100.0, 0.0) * sign(it))
        }),
        Case::of("95 % even, ±10 or ±1000 on the others", move |it| {
            let size = |it: &mut Pcg64Mcg| one_of(it, 0.1, 1000.0, 10.0);
            ahead(it, |it| size(it) * one_of(it, 0.05, 1.0, 0.0) * sign(it))
        }),
        Case::of("luck of 100, ±1000 on 1 board of 20 for each", move |it| {
            let rare = |it: &mut Pcg64Mcg| one_of(it, 0.05, 1000.0, 0.0);
            ahead(it, |it| luck(it, 100.0) + rare(it) - rare(it))
        }),
        Case::of("+1000 on 12 boards of 100, against 8 and 40 more", |it| {
            let (level, mine, others) =
                (level(it), one_of(it, 0.12, 1000.0, 0.0), one_of(it, 0.08, 1000.0, 0.0));
            (level + mine, level + others + 40.0)
        }),
        Case::of("uneven boards", |it| {
            let level = 1000.0 * normal(it).exp();
            (level * (1.0 + 0.05 * normal(it)), level * (1.0 + 0.05 * normal(it)))
        }),
        Case::of("uneven boards and skewed luck", |it| {
            let level = 1000.0 * normal(it).exp();
            (level * (1.0 - 0.05 * (uniform(it).ln() + 1.0)), level)
        }),
        Case::of("exponential differences", |it| ahead(it, |it| -100.0 * (uniform(it).ln() + 1.0))),
        // Its mean is 2.1 / 1.1.
        Case::of("Pareto 2.1", |it| {
            ahead(it, |it| 50.0 * (uniform(it).powf(-1.0 / 2.1) - 2.1 / 1.1))
        }),
        Case::of("Cauchy (no mean)", |it| ahead(it, |it| 100.0 * normal(it) / normal(it))),
        Case::of("against the mean of ten games", |it| against_ten(it, 1.0)),
        Case::of("-53, +1000 on 1 board of 20", |it| jump(it, 20.0, 1000.0)),
        Case::of("-17, +1000 on 1 board of 60", |it| jump(it, 60.0, 1000.0)),
        Case::of("-15, +3000 on 1 board of 200, luck of 100", move |it| {
            let (score, other) = jump(it, 200.0, 3000.0);
            (score + luck(it, 100.0), other)
        }),
        Case::of("-51, +3000 on 1 board of 60", |it| jump(it, 60.0, 3000.0)).beyond(),
        Case::of("-6, +3000 on 1 board of 500", |it| jump(it, 500.0, 3000.0)).beyond(),
        Case::of("-51, +5000 on 1 board of 100", |it| jump(it, 100.0, 5000.0)).beyond(),
        Case::of("alike boards, -1, +9 on 1 of 10", |it| (one_of(it, 0.1, 9.0, -1.0), 0.0))
            .beyond(),
        Case::of("alike boards, -1, +39 on 1 of 40", |it| (one_of(it, 0.025, 39.0, -1.0), 0.0))
            .beyond(),
        Case::of("alike boards, Pareto 2.5", |it| (uniform(it).powf(-0.4), 2.5 / 1.5)).beyond(),
        Case::new("+63, loses 1 of 50", |it| loser(it, 50.0)).with_losses(),
        Case::new("+21, loses 1 of 150", |it| loser(it, 150.0)).with_losses(),
        Case::new("both lose 1 of 30", |it| {
            let (score, other) = times_as_good(it, 1.0);
            let lost = [(); 2].map(|()| uniform(it) < 1.0 / 30.0);
            let value = |score: f64, lost: bool| if lost { 0.0 } else { score };
            PairedBoard::new([value(score, lost[0]), value(other, lost[1])], lost)
        })
        .with_losses(),
    ]
}

/// The columns of two bots.
type Columns = (&'static str, &'static str);

/// The pairs of bots whose scores are kept in a file: the game's name, the measure, and each pair of columns.
const PAIRS: [(&str, bool, &[Columns]); 3] = [
    (
        "samegame",
        false,
        &[
            ("@greedy", "@random --seed 1"),
            ("@random --seed 1", "@random --seed 2"),
            ("@nrpa --seed 1", "@nrpa --seed 2"),
            ("@nrpa --seed 1", "@greedy"),
        ],
    ),
    (
        "square-remover",
        true,
        &[
            ("@squares-beam --total 0.2", "@squares-beam --total 0.1"),
            ("@squares-beam --total 0.2", "@squares-greedy"),
            ("@squares-greedy", "@squares-random"),
        ],
    ),
    (
        "square-remover",
        false,
        &[
            ("@squares-beam --total 0.2", "@squares-beam --total 0.1"),
            ("@squares-greedy", "@squares-random"),
        ],
    ),
];

/// The values of two bots on each board of a file.
#[derive(Clone)]
pub(super) struct Real {
    pub(super) name: String,
    pub(super) values: Vec<[f64; 2]>,
}

impl Real {
    /// The real pairs, from the folder that the environment names; none without it.
    pub(super) fn all() -> Vec<Self> {
        let Some(folder) = std::env::var_os("REFEREE_SCORES").map(std::path::PathBuf::from) else {
            return Vec::new();
        };
        let of = |&(game, is_ratio, pairs): &(&str, bool, &[Columns])| {
            let path = folder.join(format!("{game}.csv"));
            let text = std::fs::read_to_string(&path).expect("the scores of games");
            pairs.iter().map(|pair| Self::read(&text, is_ratio, *pair)).collect::<Vec<_>>()
        };
        PAIRS.iter().flat_map(of).collect()
    }

    /// Two columns of a table of scores, as points or as shares of the better of the two in percent.
    fn read(text: &str, is_ratio: bool, (one, other): (&str, &str)) -> Self {
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let column = |name: &str| rows[0].iter().position(|it| *it == name).expect("a column");
        let columns = [column(one), column(other)];
        let value = |row: &Vec<&str>| columns.map(|column| row[column].parse().expect("a score"));
        let share = |[one, other]: [f64; 2]| {
            let best = one.max(other);
            if is_ratio { [100.0 * one / best, 100.0 * other / best] } else { [one, other] }
        };
        let measure = if is_ratio { "ratio" } else { "points" };
        Self {
            name: format!("{one} and {other}, {measure}"),
            values: rows[1..].iter().map(value).map(share).collect(),
        }
    }

    fn differences(&self) -> Vec<f64> {
        self.values.iter().map(|[one, other]| one - other).collect()
    }

    pub(super) fn deviation(&self) -> f64 {
        deviation(&self.differences())
    }

    /// Boards by chance, on which the first bot is better by this in the mean.
    pub(super) fn better_by(&self, difference: f64) -> Boards {
        let shift = difference - mean(&self.differences());
        let values = self.values.clone();
        Box::new(move |random| {
            let [one, other] = values[random.next_u32() as usize % values.len()];
            PairedBoard::finished(one + shift, other)
        })
    }

    /// The pair as equal bots.
    pub(super) fn recentred(self) -> Case {
        let board = self.better_by(0.0);
        Case { name: self.name, board, is_beyond: false, needs_loss: false }
    }
}
