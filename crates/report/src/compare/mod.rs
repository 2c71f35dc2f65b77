//! Shows how bots compare.

mod sentences;

use std::io;

use serde::Serialize;

use self::sentences::{copies, scale, tests, unpaired};
use super::document::{Document, Line, Part, Table, Tone};
use super::figures::{
    self, adjusted_for, board_digits, difference_digits, digits, lost, p_cell, p_value, span_cell,
};
use super::format::Report;
use super::junit::{Suites, TestCase, failed, passed};
use super::overview;
use super::rows::Rows;
use results::compare::{BoardDifference, Comparison};
use rules::measure::Measure;
use statistics::{Conclusion, Finished, Lost, MIN_PAIRS, MeanTest, Paired, Tendency};
use terms::text::{abridged, plural};

/// The number of boards in each of the lists of largest gains and largest losses.
const BOARDS: usize = 5;

/// The most characters of a bot's name above a column.
const LONGEST_NAME: usize = 32;

/// The number of boards beyond which a difference is too small to be worth showing.
const TOO_MANY: u64 = 20_000;

/// The columns of a record of a baseline, a challenger, and their difference on a board.
const COLUMNS: &str = "baseline=0 challenger=1 board=2/board baseline_points=2/baseline \
    challenger_points=2/challenger difference=2/difference";

/// Comparisons with one baseline; a row for each board of each.
impl Report for [Comparison] {
    fn document(&self) -> Document {
        let mut all = overview::document(self).unwrap_or_default();
        for comparison in self {
            all.append(document(comparison, adjusted_for(self)));
        }
        all
    }

    fn value(&self) -> impl Serialize {
        self.iter().map(InJson::of).collect::<Vec<_>>()
    }

    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        let rows = self.iter().flat_map(|Comparison { baseline, challenger, boards, .. }| {
            boards.iter().map(move |board| Ok((baseline, challenger, board)))
        });
        Ok(Some(Rows::new(COLUMNS, rows)))
    }

    fn tests(&self) -> io::Result<Option<Suites>> {
        let suites = vec![("comparisons".to_owned(), self.iter().map(case).collect())];
        Ok(Some(Suites { name: "referee compare", suites }))
    }
}

/// The verdict of one comparison and its evidence; `comparisons` is the number of comparisons made.
pub(super) fn document(comparison: &Comparison, comparisons: usize) -> Document {
    let paired = &comparison.paired;
    let tone = match (paired.conclusion, paired.most_boards) {
        (Conclusion::Better, _) | (_, Some(Tendency::Better)) => Tone::Good,
        (Conclusion::Worse, _) | (_, Some(Tendency::Worse)) => Tone::Bad,
        _ => Tone::Strong,
    };
    let verdict = verdict(comparison);
    let mut document = Document::default();
    document.headline(Line::toned(tone, &verdict, ""));
    if let Some(advice) = advice(paired) {
        document.note(advice);
    }
    document.table(table(comparison, format!("Figures: {verdict}")));
    let names = [&comparison.challenger, &comparison.baseline].map(String::as_str);
    document.sentence(lost(&paired.lost, names, paired.pairs, comparison.is_of_several));
    if let Some(part) = comparison.relative() {
        let (percent, baseline) = (100.0 * part, &comparison.baseline);
        document.sentence(format!("The mean difference is {percent:+.2} % of {baseline}'s mean."));
    }
    let of_both = [&comparison.of_baseline, &comparison.of_challenger];
    for (bot, group) in names.into_iter().rev().zip(of_both) {
        if let Some(totals) = &group.totals {
            document.sentence(figures::totals(bot, totals, paired.risk));
        }
    }
    document.sentence(tests(comparison, comparisons));
    for sentence in scale(comparison) {
        document.sentence(sentence);
    }
    let boards = &comparison.boards;
    let won = boards.iter().rev().filter(|board| board.difference > 0.0);
    let lost = boards.iter().filter(|board| board.difference < 0.0);
    extremes("largest gains", won, comparison, &mut document);
    extremes("largest losses", lost, comparison, &mut document);
    let because = [
        (comparison.lost_by_host, "game", "lost to a delay by the host"),
        (comparison.without_score, "board", "one of the two has no score that counts there"),
        (comparison.other_opponents, "game", "only one of the two has met an opponent there"),
    ];
    for (count, what, why) in because.into_iter().filter(|(count, ..)| *count > 0) {
        let is = if count == 1 { "is" } else { "are" };
        document.sentence(format!("{} {is} left out: {why}.", plural(count as u64, what)));
    }
    unpaired(comparison).for_each(|sentence| document.sentence(sentence));
    if let Some(sentence) = copies(comparison) {
        document.sentence(sentence);
    }
    document
}

/// The figures of all boards, of those that both finish if that makes a difference, and of each group.
fn table(comparison: &Comparison, name: String) -> Table {
    let (paired, digits) = (&comparison.paired, difference_digits(comparison));
    let groups = comparison.groups.iter().map(|group| row(&group.name, &group.paired, digits));
    // A lost game has a place, so places are of all games.
    let is_apart = paired.has_losses() && comparison.measure != Measure::Place;
    let finished = is_apart.then(|| finished_row(&paired.finished, digits));
    let rows = std::iter::once(row("all boards", paired, digits)).chain(finished).chain(groups);
    let interval = paired.risk.interval_name();
    let headings =
        ["", "boards", "higher", "even", "lower", "mean", interval, "guarded interval", "p"];
    Table::new(name, &headings, rows)
}

/// The boards with the largest differences.
fn extremes<'a>(
    heading: &'static str,
    boards: impl Iterator<Item = &'a BoardDifference>,
    comparison: &Comparison,
    document: &mut Document,
) {
    let of_scores = digits(comparison.decimals);
    let of_differences = board_digits(comparison);
    let row = |board: &BoardDifference| {
        let number = |value: f64| format!("{value:.of_scores$}");
        let BoardDifference { board, baseline, challenger, difference, .. } = board;
        let difference = format!("{difference:+.of_differences$}");
        vec![board.clone(), number(*baseline), number(*challenger), difference]
    };
    // The column of the bot that others are compared with comes first.
    let [baseline, challenger] = [&comparison.baseline, &comparison.challenger];
    let [baseline, challenger] = [baseline, challenger].map(|bot| abridged(bot, LONGEST_NAME));
    let headings = [heading, &baseline, &challenger, "difference"];
    let table = Table::new(heading, &headings, boards.take(BOARDS).map(row));
    if !table.rows.is_empty() {
        document.in_terminal(Part::Table(table));
    }
}

/// The verdict in words.
pub(super) fn verdict(comparison: &Comparison) -> String {
    let Comparison { baseline, challenger, paired, .. } = comparison;
    match (paired.conclusion, paired.probably) {
        (Conclusion::Better, _) => format!("{challenger} is better than {baseline}"),
        (Conclusion::Worse, _) => format!("{challenger} is worse than {baseline}"),
        (Conclusion::TooFewGames, _) => loser(comparison)
            .or_else(|| most_boards(comparison))
            .or_else(|| all_even(comparison))
            .unwrap_or_else(|| format!("too few boards to compare {challenger} with {baseline}")),
        (_, Some(Tendency::Better)) => format!("{challenger} is probably better than {baseline}"),
        (_, Some(Tendency::Worse)) => format!("{challenger} is probably worse than {baseline}"),
        (_, None) => contradicted(comparison)
            .unwrap_or_else(|| format!("no difference shown between {challenger} and {baseline}")),
    }
}

/// That one bot loses more often, on too few boards to compare scores.
fn loser(comparison: &Comparison) -> Option<String> {
    let Comparison { baseline, challenger, paired, .. } = comparison;
    let Lost { challenger: mine, baseline: theirs, only_challenger, only_baseline, p } =
        paired.lost;
    let both = [(challenger, mine.boards), (baseline, theirs.boards)];
    let [(loser, more), (other, fewer)] =
        if only_challenger > only_baseline { both } else { [both[1], both[0]] };
    // Of several games on a board the loser of more need not lose on more boards.
    (p < 0.05 && more > fewer).then(|| {
        let boards = plural(paired.pairs as u64, "board");
        let on = loses_on(comparison);
        format!("{loser} {on} {more} of {boards}, {other} on {fewer}; too few to compare scores")
    })
}

/// That one bot scores higher on most boards, where they are too few for a verdict on the mean.
fn most_boards(comparison: &Comparison) -> Option<String> {
    let Comparison { baseline, challenger, paired, .. } = comparison;
    let (scores, wins) = match paired.most_boards? {
        Tendency::Better => ("better", paired.wins),
        Tendency::Worse => ("worse", paired.losses),
    };
    let boards = plural(paired.pairs as u64, "board");
    Some(format!("{challenger} scores {scores} than {baseline} on {wins} of {boards}"))
}

/// That no board tells the bots apart, where they are too few for a verdict.
fn all_even(comparison: &Comparison) -> Option<String> {
    let Comparison { baseline, challenger, paired, .. } = comparison;
    let boards = plural(paired.pairs as u64, "board");
    (paired.pairs > 0 && paired.wins + paired.losses == 0).then(|| {
        format!("no difference between {challenger} and {baseline} on {} of {boards}", paired.pairs)
    })
}

/// That one bot scores higher where both finish, but loses games that the other finishes.
fn contradicted(comparison: &Comparison) -> Option<String> {
    let Comparison { baseline, challenger, paired, .. } = comparison;
    let (leader, test) = paired.contradicted()?;
    let (low, high) = test.interval?;
    let (higher, other, boards, mean, low, high) = match leader {
        Tendency::Better => {
            (challenger, baseline, paired.lost.only_challenger, test.mean, low, high)
        }
        Tendency::Worse => {
            (baseline, challenger, paired.lost.only_baseline, -test.mean, -high, -low)
        }
    };
    let (digits, boards) = (difference_digits(comparison), plural(boards, "board"));
    Some(format!(
        "{higher} scores higher than {other} where both finish ({mean:+.digits$}, {low:+.digits$} to {high:+.digits$}), \
         but {} {boards} that {other} finishes",
        loses_on(comparison)
    ))
}

/// What a bot does with a game that it does not finish.
fn loses_on(comparison: &Comparison) -> &'static str {
    if comparison.is_of_several { "fails on" } else { "loses on" }
}

/// What would settle the comparison, as a sentence; `None` if it is settled.
fn advice(paired: &Paired) -> Option<String> {
    if paired.missing_pairs() > 0 {
        let more = plural(paired.missing_pairs() as u64, "more board");
        let what = if paired.most_boards.is_some() { "A verdict on the mean" } else { "A verdict" };
        return Some(format!("{what} requires {MIN_PAIRS} boards: play {more} with both bots."));
    }
    let is_open = paired.conclusion == Conclusion::NoDifferenceShown;
    if is_open && paired.probably.is_none() && paired.contradicted().is_some() {
        return Some("Play more boards to weigh that, such as --seed 1..N.".to_owned());
    }
    Some(match paired.more_pairs()? {
        more if more > TOO_MANY => format!(
            "A difference of this size would take more than {TOO_MANY} boards to show: it is too small to matter."
        ),
        more => {
            format!("About {} would settle a difference of this size.", plural(more, "more board"))
        }
    })
}

fn row(name: &str, paired: &Paired, digits: usize) -> Vec<String> {
    let counts = [paired.wins, paired.draws, paired.losses].map(|count| count.to_string());
    figures(name, paired.pairs, counts, &paired.all, digits)
}

/// The row of the boards that both bots finish.
fn finished_row(finished: &Finished, digits: usize) -> Vec<String> {
    let counts = ["", "", ""].map(str::to_owned);
    figures("both finish", finished.pairs, counts, &finished.test, digits)
}

fn figures(
    name: &str,
    boards: usize,
    counts: [String; 3],
    test: &MeanTest,
    digits: usize,
) -> Vec<String> {
    let mut cells = vec![name.to_owned(), boards.to_string()];
    cells.extend(counts);
    cells.extend([
        format!("{:+.digits$}", test.mean),
        span_cell(test.interval, digits),
        span_cell(test.guarded_interval, digits),
        p_cell(test.guarded_p),
    ]);
    cells
}

/// A comparison in JSON.
#[derive(Serialize)]
struct InJson<'a> {
    verdict: String,
    more_boards_to_settle: Option<u64>,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

impl<'a> InJson<'a> {
    fn of(comparison: &'a Comparison) -> Self {
        let more_boards_to_settle = comparison.paired.more_pairs();
        Self { verdict: verdict(comparison), more_boards_to_settle, comparison }
    }
}

/// A test for CI, which fails if the challenger is worse.
fn case(comparison: &Comparison) -> TestCase {
    let name = format!("{} against {}", comparison.challenger, comparison.baseline);
    if !comparison.paired.is_worse() {
        return passed(&name, None);
    }
    if comparison.paired.most_boards.is_some() {
        let why = format!(
            "{}, sign test p {}",
            verdict(comparison),
            p_value(comparison.paired.adjusted_p)
        );
        return failed(&name, None, "worse", &why);
    }
    let (mean, p) = (comparison.paired.all.mean, p_value(comparison.paired.adjusted_p));
    let digits = difference_digits(comparison);
    let unit = comparison.measure.unit(comparison.better);
    let why = format!("{}: {mean:+.digits$} {unit}, p {p}", verdict(comparison));
    failed(&name, None, "worse", &why)
}
