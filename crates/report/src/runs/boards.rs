//! A bar per board for each bot, with a mark at the best score known.

use super::gather::Gathered;
use super::shown::ListedBoard;
use super::{Text, bars, games};
use crate::figures;
use crate::markup::{linked, put};
use results::suite::Points;
use rules::score::Direction;
use terms::text::plural;

pub(super) fn write(gathered: &Gathered, out: &mut String) {
    if gathered.boards.is_empty() {
        return;
    }
    out.push_str("<section class=\"card\" id=\"boards\">\n<h2>Boards</h2>\n");
    bars::legend(gathered.entrants.iter().map(|entrant| (&entrant.name).into()), out);
    let has_bests = gathered.boards.iter().any(|board| board.best.is_some());
    let best = if has_bests { "<th scope=\"col\">best known</th>" } else { "" };
    let lower = if gathered.better.is_higher() { "" } else { " data-lower" };
    put!(
        out,
        "<div class=\"wide tall\" tabindex=\"0\" role=\"region\" aria-label=\"Boards\">\
             <table class=\"pictured\"><thead><tr><th scope=\"col\">board</th>\
             <td class=\"picture\"></td><th scope=\"col\"{lower}>points</th>{best}</tr></thead><tbody>\n"
    );
    let most = |board| most(board, gathered.better);
    let scale = gathered.boards.iter().map(most).fold(0.0, f64::max);
    for board in &gathered.boards {
        row(board, gathered.better, scale, has_bests, out);
    }
    out.push_str("</tbody></table></div>\n");
    let others = gathered.board_count - gathered.boards.len();
    if others > 0 {
        games::more(&plural(others as u64, "more board"), out);
    }
    out.push_str("</section>\n");
}

/// The highest figure of a board.
fn most(board: &ListedBoard, better: Direction) -> f64 {
    let points = board.points.iter().filter_map(|points| points.mean(better));
    points.chain(board.best_score()).fold(0.0, f64::max)
}

fn row(board: &ListedBoard, better: Direction, scale: f64, has_bests: bool, out: &mut String) {
    let games = board.games(0..board.points.len());
    put!(out, "<tr><th scope=\"row\">{}</th><td>", linked(games.as_deref(), &board.name));
    bars::open(out, board.points.len());
    for (entrant, points) in board.points.iter().enumerate() {
        if let Some(mean) = points.mean(better) {
            bars::bar(out, entrant, &bars::color(entrant), 0.0, bars::percent(mean, scale));
        }
    }
    if let Some(best) = board.best_score() {
        bars::line(out, "best", bars::percent(best, scale), board.points.len() * bars::ROW);
    }
    out.push_str("</svg></td><td>");
    for points in &board.points {
        put!(out, "<span class=\"line\">{}</span>", points_text(*points, better));
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
fn points_text(points: Points, better: Direction) -> String {
    let digits = figures::digits(points.sum.decimals());
    let mean = points.mean(better).map(|mean| format!("{mean:.digits$}"));
    let mean = mean.unwrap_or_else(|| "no score".to_owned());
    match points.lost {
        _ if points.games == 0 => "-".to_owned(),
        0 => mean,
        lost if lost == points.games => "<em>lost</em>".to_owned(),
        lost => format!("<em>{lost} lost</em> {mean}"),
    }
}
