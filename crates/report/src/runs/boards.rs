//! A bar per board for each bot, with a mark at the best score known.

use super::gather::{Board, Gathered};
use super::{Text, bars};
use crate::markup::put;
use results::suite::Points;
use terms::text::plural;

/// The most boards that are shown.
const SHOWN: usize = 1000;

pub(super) fn write(gathered: &Gathered, out: &mut String) {
    if gathered.boards.is_empty() {
        return;
    }
    out.push_str("<section class=\"card\" id=\"boards\">\n<h2>Boards</h2>\n");
    legend(gathered, out);
    let has_bests = gathered.boards.iter().any(|board| board.best.is_some());
    let best = if has_bests { "<th scope=\"col\">best known</th>" } else { "" };
    put!(
        out,
        "<div class=\"wide tall\" tabindex=\"0\" role=\"region\" aria-label=\"Boards\">\
             <table class=\"pictured\"><thead><tr><th scope=\"col\">board</th>\
             <td class=\"picture\"></td><th scope=\"col\">points</th>{best}</tr></thead><tbody>\n"
    );
    let scale = gathered.boards.iter().map(most).fold(0.0, f64::max);
    for board in gathered.boards.iter().take(SHOWN) {
        row(board, scale, has_bests, out);
    }
    out.push_str("</tbody></table></div>\n");
    if let Some(more) = gathered.boards.len().checked_sub(SHOWN + 1) {
        let more = plural(more as u64 + 1, "board");
        put!(out, "<p class=\"soft\">And {more} more, in results.jsonl.</p>\n");
    }
    out.push_str("</section>\n");
}

fn legend(gathered: &Gathered, out: &mut String) {
    out.push_str("<ul class=\"legend\">\n");
    for (index, entrant) in gathered.entrants.iter().enumerate() {
        put!(
            out,
            "<li><svg class=\"key\" width=\"12\" height=\"12\" aria-hidden=\"true\">\
                 <rect class=\"{}\" width=\"12\" height=\"12\" rx=\"3\"/></svg>{}</li>\n",
            bars::color(index),
            Text(&entrant.name)
        );
    }
    out.push_str("</ul>\n");
}

/// The highest figure of a board.
fn most(board: &Board) -> f64 {
    let points = board.points.iter().filter_map(|points| points.mean());
    points.chain(best(board)).fold(0.0, f64::max)
}

#[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
fn best(board: &Board) -> Option<f64> {
    board.best.as_ref().map(|best| best.score as f64)
}

fn row(board: &Board, scale: f64, has_bests: bool, out: &mut String) {
    put!(out, "<tr><th scope=\"row\">{}</th><td>", Text(&board.name));
    bars::open(out, board.points.len());
    for (entrant, points) in board.points.iter().enumerate() {
        if let Some(mean) = points.mean() {
            bars::bar(out, entrant, &bars::color(entrant), 0.0, bars::percent(mean, scale));
        }
    }
    if let Some(best) = best(board) {
        bars::line(out, "best", bars::percent(best, scale), board.points.len() * bars::ROW);
    }
    out.push_str("</svg></td><td>");
    for points in &board.points {
        put!(out, "<span class=\"line\">{}</span>", tell(*points));
    }
    out.push_str("</td>");
    match &board.best {
        Some(best) => {
            put!(out, "<td title=\"{}\">{}</td>", Text(&format!("by {}", best.by)), best.score);
        }
        None if has_bests => out.push_str("<td>-</td>"),
        None => {}
    }
    out.push_str("</tr>\n");
}

/// The mean points on a board, and the lost games.
fn tell(points: Points) -> String {
    let Some(mean) = points.mean() else { return "-".to_owned() };
    match points.lost {
        0 => format!("{mean:.0}"),
        lost if lost == points.games => "<em>lost</em>".to_owned(),
        lost => format!("<em>{lost} lost</em> {mean:.0}"),
    }
}
