//! A comparison: the verdict, its evidence, and the difference on each board.

use std::collections::BTreeMap;

use super::gather::Gathered;
use super::shown::ListedBoard;
use super::{Text, bars, compare, differences};
use crate::figures;
use crate::markup::{linked, put};
use results::compare::{BoardDifference, Comparison};
use results::suite::RecordId;
use terms::text::plural;

/// The most boards that are shown among the largest gains, and among the largest losses.
const SHOWN: usize = 500;

/// Shows the comparison of an entrant with the first one.
pub(super) fn write(gathered: &Gathered, entrant: usize, out: &mut String) {
    let comparison = &gathered.comparisons[entrant - 1];
    put!(out, "<section class=\"card comparison\" id=\"comparison-{entrant}\">\n");
    let comparisons = figures::adjusted_for(&gathered.comparisons);
    out.push_str(&compare::document(comparison, comparisons).html());
    if !comparison.boards.is_empty() {
        differences::write(comparison, out);
        boards(gathered, entrant, comparison, out);
    }
    out.push_str("</section>\n");
}

/// A bar per board to the left or the right of the middle, the largest loss first, with its two games.
fn boards(gathered: &Gathered, entrant: usize, comparison: &Comparison, out: &mut String) {
    let ids = gathered.boards.iter().map(|board| (&board.record_id, board));
    let listed: BTreeMap<&RecordId, &ListedBoard> = ids.collect();
    let row = |board: &BoardDifference, scale, digits, out: &mut String| {
        let games = listed.get(&board.record_id).and_then(|listed| listed.games([0, entrant]));
        row(board, games.as_deref(), scale, digits, out);
    };
    let label = format!("Differences: {}", compare::verdict(comparison));
    put!(
        out,
        "<h3>Difference on each board, the largest loss first</h3>\n\
         <div class=\"wide tall\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\
         <table class=\"pictured\"><thead><tr><th scope=\"col\">board</th><td class=\"picture\"></td>\
         <th scope=\"col\">difference</th><th scope=\"col\">before</th><th scope=\"col\">now</th>\
         </tr></thead><tbody>\n",
        Text(&label)
    );
    let (all, digits) = (&comparison.boards, figures::digits(comparison.decimals));
    let digits = (digits, figures::board_digits(comparison));
    let scale = all.iter().map(|board| board.difference.abs()).fold(0.0, f64::max);
    let left_out = all.len().saturating_sub(2 * SHOWN);
    let first = if left_out > 0 { SHOWN } else { all.len() };
    all[..first].iter().for_each(|board| row(board, scale, digits, out));
    if left_out > 0 {
        let boards = plural(left_out as u64, "board");
        put!(out, "<tr><td colspan=\"5\">… {boards} …</td></tr>\n");
        all[first + left_out..].iter().for_each(|board| row(board, scale, digits, out));
    }
    out.push_str("</tbody></table></div>\n");
}

fn row(
    board: &BoardDifference,
    games: Option<&str>,
    scale: f64,
    (digits, of_difference): (usize, usize),
    out: &mut String,
) {
    let BoardDifference { board, baseline, challenger, difference, .. } = board;
    put!(out, "<tr><th scope=\"row\">{}</th><td>", linked(games, board));
    bars::open(out, 1);
    bars::line(out, "base", 50.0, bars::ROW);
    let half = bars::percent(difference.abs(), scale) / 2.0;
    if *difference < 0.0 {
        bars::bar(out, 0, "down", 50.0 - half, 50.0);
    } else {
        bars::bar(out, 0, "up", 50.0, 50.0 + half);
    }
    put!(
        out,
        "</svg></td><td>{difference:+.of_difference$}</td><td>{baseline:.digits$}</td><td>{challenger:.digits$}</td></tr>\n"
    );
}
