//! Shows how bots compare.

use std::io::{self, Write};

use serde::Serialize;

use super::document::{Document, Line, Part, Table, Tone};
use super::format::Format;
use super::inert::write_json;
use super::junit::{TestCase, failed, passed, write_suites};
use super::rows::write_rows;
use super::suite::{digits, mean_digits};
use results::compare::{BoardDifference, Comparison};
use statistics::{Conclusion, MIN_PAIRS, Paired};
use terms::text::plural;

/// The number of boards in the list of greatest gains, and in that of greatest losses.
const BOARDS: usize = 5;

/// The headings of a table of groups.
const HEADINGS: [&str; 8] = ["", "boards", "won", "even", "lost", "mean", "95 % interval", "p"];

/// The CSV columns of a record of a baseline, a challenger, and their difference on a board.
const COLUMNS: [(&str, &str); 6] = [
    ("baseline", "/0"),
    ("challenger", "/1"),
    ("board", "/2/board"),
    ("baseline_points", "/2/baseline"),
    ("challenger_points", "/2/challenger"),
    ("difference", "/2/difference"),
];

/// Writes comparisons with one baseline.
///
/// # Errors
/// When `out` fails.
pub fn write(comparisons: &[Comparison], format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Text => documents(comparisons).write_text(out),
        Format::Markdown => documents(comparisons).write_markdown(out),
        Format::Json => write_json(&comparisons.iter().map(InJson::of).collect::<Vec<_>>(), out),
        Format::Csv => write_csv(comparisons, out),
        Format::Junit => {
            let cases = comparisons.iter().map(case).collect();
            write_suites("referee compare", &[("comparisons".to_owned(), cases)], out)
        }
    }
}

fn documents(comparisons: &[Comparison]) -> Document {
    let mut all = Document::default();
    for comparison in comparisons {
        all.append(document(comparison, comparisons.len()));
    }
    all
}

/// The verdict of one comparison and its evidence; `comparisons` is the number of comparisons made.
pub(super) fn document(comparison: &Comparison, comparisons: usize) -> Document {
    let paired = &comparison.paired;
    let tone = match paired.conclusion {
        Conclusion::Better => Tone::Good,
        Conclusion::Worse => Tone::Bad,
        Conclusion::NoDifferenceShown | Conclusion::TooFewGames => Tone::Strong,
    };
    let verdict = verdict(comparison);
    let mut document = Document::default();
    document.headline(Line::toned(tone, &verdict, ""));
    if let Some(advice) = advice(paired) {
        document.note(advice);
    }
    let digits = mean_digits(comparison.decimals);
    let groups = comparison.groups.iter().map(|group| row(&group.name, &group.paired, digits));
    let rows = std::iter::once(row("all boards", paired, digits)).chain(groups);
    document.table(Table::new(format!("Figures: {verdict}"), &HEADINGS, rows));
    document.sentence(tests(comparison, comparisons));
    for sentence in scale(comparison) {
        document.sentence(sentence);
    }
    let boards = &comparison.boards;
    let won = boards.iter().rev().filter(|board| board.difference > 0.0);
    let lost = boards.iter().filter(|board| board.difference < 0.0);
    extremes("greatest gains", won, comparison.decimals, &mut document);
    extremes("greatest losses", lost, comparison.decimals, &mut document);
    let because = [
        (comparison.lost_by_host, "a game of the two was lost to a delay by the host"),
        (comparison.without_score, "a game of the two has no score"),
    ];
    for (pairs, why) in because.into_iter().filter(|(pairs, _)| *pairs > 0) {
        document.sentence(left_out(pairs, why));
    }
    unpaired(comparison).for_each(|sentence| document.sentence(sentence));
    document
}

/// The boards with the greatest differences.
fn extremes<'a>(
    heading: &'static str,
    boards: impl Iterator<Item = &'a BoardDifference>,
    decimals: usize,
    document: &mut Document,
) {
    let digits = digits(decimals);
    let row = |board: &BoardDifference| {
        let number = |value: f64| format!("{value:.digits$}");
        let BoardDifference { board, baseline, challenger, difference } = board;
        let difference = format!("{difference:+.digits$}");
        vec![board.clone(), number(*baseline), number(*challenger), difference]
    };
    let headings = [heading, "before", "now", "difference"];
    let table = Table::new(heading, &headings, boards.take(BOARDS).map(row));
    if !table.rows.is_empty() {
        document.in_terminal(Part::Table(table));
    }
}

/// The verdict in words.
pub(super) fn verdict(comparison: &Comparison) -> String {
    let Comparison { baseline, challenger, paired, .. } = comparison;
    match paired.conclusion {
        Conclusion::Better => format!("{challenger} is better than {baseline}"),
        Conclusion::Worse => format!("{challenger} is worse than {baseline}"),
        Conclusion::NoDifferenceShown => {
            format!("no difference shown between {challenger} and {baseline}")
        }
        Conclusion::TooFewGames => {
            format!("too few boards to compare {challenger} with {baseline}")
        }
    }
}

/// How many more boards would settle the comparison, as a sentence; `None` if it is settled.
fn advice(paired: &Paired) -> Option<String> {
    if paired.missing_pairs() > 0 {
        let more = plural(paired.missing_pairs() as u64, "more board");
        return Some(format!("A verdict takes {MIN_PAIRS} boards: play {more} with both bots."));
    }
    let more = plural(paired.more_pairs()?, "more board");
    Some(format!("About {more} would settle a difference of this size."))
}

fn row(name: &str, paired: &Paired, digits: usize) -> Vec<String> {
    let interval = paired.interval;
    let interval = interval.map(|(low, high)| format!("{low:+.digits$} to {high:+.digits$}"));
    vec![
        name.to_owned(),
        paired.pairs.to_string(),
        paired.wins.to_string(),
        paired.draws.to_string(),
        paired.losses.to_string(),
        format!("{:+.digits$}", paired.mean),
        interval.unwrap_or_else(|| "-".to_owned()),
        p_value(paired.signed_rank_p).trim_start_matches("= ").to_owned(),
    ]
}

/// The tests behind the verdict, in one or two sentences; `comparisons` is the number of comparisons made.
fn tests(comparison: &Comparison, comparisons: usize) -> String {
    let Paired { mean_p, sign_p, adjusted_p, .. } = comparison.paired;
    let relative = comparison.relative().map(|part| format!(", {:+.2} % on average", 100.0 * part));
    let adjusted = match comparisons {
        1 => String::new(),
        count => format!(
            " Adjusted for {count} comparisons (Holm), the verdict's p {}.",
            p_value(adjusted_p)
        ),
    };
    format!(
        "p is that of the signed-rank test; the mean has p {}, the sign test p {}{}.{adjusted}",
        p_value(mean_p),
        p_value(sign_p),
        relative.unwrap_or_default()
    )
}

/// A p-value, cut where digits mean nothing: `= 0.0123` or `< 0.0001`.
fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// A sentence about the pairs of games that do not count, and why.
fn left_out(pairs: usize, why: &str) -> String {
    let (count, is) = (plural(pairs as u64, "pair"), if pairs == 1 { "is" } else { "are" });
    format!("{count} of games {is} left out: {why}.")
}

/// Sentences on what games count as, where it is not simply their score, or 0 for a lost one.
fn scale(comparison: &Comparison) -> Vec<String> {
    let digits = digits(comparison.decimals);
    let lower = !comparison.better.is_higher() && !comparison.counts_wins;
    let wins = "No game has a score: a game that was not lost counts as 1, and a lost one as 0.";
    let lost = comparison.lost_points.map(|lost| {
        format!(
            "A lost game counts as {lost:.digits$} points, which is worse than any other game here."
        )
    });
    let lower =
        lower.then(|| "Lower scores are better; a difference above 0 is a gain.".to_owned());
    let wins = comparison.counts_wins.then(|| wins.to_owned());
    lower.into_iter().chain(lost).chain(wins).collect()
}

/// For each of the two bots, a sentence on the boards that only it has played.
fn unpaired(comparison: &Comparison) -> impl Iterator<Item = String> {
    let Comparison { baseline, challenger, only_baseline, only_challenger, .. } = comparison;
    let both = [(baseline, only_baseline), (challenger, only_challenger)];
    both.into_iter().filter(|(_, boards)| boards.count > 0).map(|(who, unpaired)| {
        let named = unpaired.boards.join(", ");
        let more = if unpaired.count > unpaired.boards.len() { ", …" } else { "" };
        let boards = plural(unpaired.count as u64, "board");
        format!("Only {who} has played {boards}: {named}{more}.")
    })
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

/// Writes one row for each board of each comparison.
fn write_csv(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    let columns = COLUMNS.map(|(heading, place)| (heading.to_owned(), place.to_owned()));
    let rows =
        comparisons.iter().flat_map(|Comparison { baseline, challenger, boards, .. }| {
            boards.iter().map(move |board| Ok((baseline, challenger, board)))
        });
    write_rows(&columns, rows, out)
}

/// A test for CI, which fails if the challenger is worse.
fn case(comparison: &Comparison) -> TestCase {
    let name = format!("{} against {}", comparison.challenger, comparison.baseline);
    if comparison.paired.conclusion != Conclusion::Worse {
        return passed(&name, None);
    }
    let (mean, p) = (comparison.paired.mean, p_value(comparison.paired.adjusted_p));
    let digits = mean_digits(comparison.decimals);
    let why = format!("{}: {mean:+.digits$} points a board, p {p}", verdict(comparison));
    failed(&name, None, "worse", &why)
}
