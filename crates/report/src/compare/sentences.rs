//! Sentences on what a comparison rests on.

use crate::figures::{digits, p_value};
use results::compare::Comparison;
use rules::measure::Measure;
use statistics::{CERTAIN, MIN_PAIRS, Paired};
use terms::text::plural;

/// The tests next to the verdict, in a few sentences; `comparisons` is the number of comparisons made.
pub(super) fn tests(comparison: &Comparison, comparisons: usize) -> String {
    let Paired { all, sign_p, adjusted_p, .. } = &comparison.paired;
    let of_scores = format!("Student's test p {}", p_value(all.mean_p));
    if comparison.paired.missing_pairs() > 0 {
        let adjusted = match comparisons {
            0 | 1 => String::new(),
            count => format!(", once adjusted for {count} comparisons (Holm)"),
        };
        return format!(
            "On fewer than {MIN_PAIRS} boards only the sign test decides, at p < {CERTAIN}{adjusted}; here p {}. It counts the boards \
             on which each bot is better. The p in the table is the mean's, which relies on many boards and decides nothing yet. For \
             information: {of_scores}.",
            p_value(*adjusted_p)
        );
    }
    let adjusted = match comparisons {
        0 | 1 => String::new(),
        count => format!(
            " Adjusted for {count} comparisons (Holm), the verdict's p {}.",
            p_value(*adjusted_p)
        ),
    };
    format!(
        "The guarded interval and p decide; they allow for boards not seen. For information: {of_scores}, sign test p \
         {}.{adjusted}",
        p_value(*sign_p)
    )
}

/// Sentences on what games count as, where it is not simply their score, or 0 for a lost one.
pub(super) fn scale(comparison: &Comparison) -> Vec<String> {
    let digits = digits(comparison.decimals);
    let measured = measured(comparison);
    let lower = !comparison.better.is_higher() && !comparison.counts_wins;
    let wins = "No game has a score: a game that was not lost counts as 1, and a lost one as 0.";
    let lost = comparison.lost_points.filter(|_| comparison.paired.has_losses()).map(|lost| {
        format!(
            "A lost game counts as {lost:.digits$} points, which is worse than any other game here."
        )
    });
    let lower =
        lower.then(|| "Lower scores are better; a difference above 0 is a gain.".to_owned());
    let wins = comparison.counts_wins.then(|| wins.to_owned());
    measured.into_iter().chain(lower).chain(lost).chain(wins).collect()
}

/// What is compared, if not the points.
fn measured(comparison: &Comparison) -> Option<String> {
    let share = comparison.better.share_name();
    Some(match comparison.measure {
        Measure::Points => return None,
        Measure::Ratio => format!(
            "Compared is {share} in percent, where the best is the best score of these two bots on the board and of what was known when they \
             played. A lost game has 0."
        ),
        Measure::Log => "Compared is 100 times the logarithm of the score, so that a difference of 1 is about 1 %. A lost game is as \
             far below the worst score as that is below the best."
            .to_owned(),
        Measure::Rank => "Compared is the better score: the share of the other bot's games on the board that a game beats, \
             in percent. A lost game is below all others."
            .to_owned(),
        Measure::Place => "Compared is the mean place in percent: 100 for the first alone, 0 for the last alone.".to_owned(),
    })
}

/// For each of the two bots, a sentence on the boards that only it has played.
pub(super) fn unpaired(comparison: &Comparison) -> impl Iterator<Item = String> {
    let Comparison { baseline, challenger, only_baseline, only_challenger, .. } = comparison;
    let both = [(baseline, only_baseline), (challenger, only_challenger)];
    both.into_iter().filter(|(_, boards)| boards.count > 0).map(|(who, unpaired)| {
        let named = unpaired.boards.join(", ");
        let more = if unpaired.count > unpaired.boards.len() { ", …" } else { "" };
        let boards = plural(unpaired.count as u64, "board");
        format!("Only {who} has played {boards}: {named}{more}.")
    })
}

/// How many boards are the same as others except for the names of their colours or the form of their files.
pub(super) fn copies(comparison: &Comparison) -> Option<String> {
    match comparison.copied_boards {
        0 => None,
        1 => Some("1 board is a copy of another and counts once.".to_owned()),
        count => Some(format!("{count} boards are copies of others and count once.")),
    }
}
