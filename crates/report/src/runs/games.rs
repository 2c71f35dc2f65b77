//! The games: lost ones in full, the others in a table, each with a link to its replay page.

use super::Text;
use super::chosen::{Kind, Losses};
use super::gather::Gathered;
use super::shown::Listed;
use crate::markup::{linked, put};
use crate::view::page::GameAddress;
use rules::score::shown;
use terms::millis::Millis;
use terms::text::{duration, plural};

/// The most links that are shown without a click, for games that ended alike.
const LINKS_IN_SIGHT: usize = 12;

/// The games that were lost or not played, and why; they come first. Games that ended alike share an
/// entry.
pub(super) fn write_lost(gathered: &Gathered, out: &mut String) {
    section(gathered, &gathered.lost, "lost", heading(gathered), out);
    section(gathered, &gathered.not_played, "not-played", "Games not played", out);
}

/// What lost games are called.
pub(super) fn heading(gathered: &Gathered) -> &'static str {
    if gathered.is_of_several() { "Failures" } else { "Lost games" }
}

fn section(gathered: &Gathered, losses: &Losses, id: &str, heading: &str, out: &mut String) {
    if losses.kinds.is_empty() {
        return;
    }
    put!(
        out,
        "<section class=\"card lost\" id=\"{id}\">\n<h2>{heading}</h2>\n<div class=\"tall\" \
             tabindex=\"0\" role=\"region\" aria-label=\"{heading}\"><ul class=\"plain\">\n"
    );
    for kind in &losses.kinds {
        entry(gathered, kind, out);
    }
    out.push_str("</ul></div>\n");
    if losses.more > 0 {
        let games = plural(losses.more as u64, "more game");
        more(&format!("{games} that ended in other ways"), out);
    }
    out.push_str("</section>\n");
}

fn entry(gathered: &Gathered, kind: &Kind, out: &mut String) {
    let (game, others) = kind.games.split_first().expect("a kind has a game");
    let outcome = &game.outcome;
    let why = outcome.diagnosis.as_deref().unwrap_or(&outcome.official);
    let mut said = vec![plural(outcome.turns.into(), "turn")];
    if !outcome.official.is_empty() {
        said.insert(0, outcome.official.clone());
    }
    put!(
        out,
        "<li><p><span class=\"chip bad\">{}</span> <b>{}</b> on {}, {}</p>\n\
             <p class=\"why\">{}</p>\n<p class=\"soft\">{}</p>",
        Text(&outcome.verdict.to_string()),
        Text(&gathered.entrants[game.entrant].name),
        Text(&outcome.board),
        link(game, &format!("game {}", outcome.number())),
        Text(why),
        Text(&said.join("; "))
    );
    if !others.is_empty() {
        let mut links: Vec<_> =
            others.iter().map(|other| link(other, &other.outcome.number().to_string())).collect();
        if kind.more > 0 {
            links.push("…".to_owned());
        }
        let count = plural((others.len() + kind.more) as u64, "more game");
        let links = links.join(", ");
        if others.len() > LINKS_IN_SIGHT {
            put!(
                out,
                "\n<details class=\"soft\"><summary>{count} like it</summary>{links}</details>"
            );
        } else {
            put!(out, "\n<p class=\"soft\">{count} like it: {links}</p>");
        }
    }
    out.push_str("</li>\n");
}

/// The games that were won.
pub(super) fn write_won(gathered: &Gathered, out: &mut String) {
    let list = &gathered.won;
    if list.games.is_empty() {
        return;
    }
    out.push_str("<section class=\"card\" id=\"games\">\n<h2>Games</h2>\n");
    out.push_str(
        "<div class=\"wide tall\" tabindex=\"0\" role=\"region\" aria-label=\"Games\"><table><thead><tr>\
         <th scope=\"col\">game</th><th scope=\"col\" class=\"words\">board</th>\
         <th scope=\"col\" class=\"words\">bot</th><th scope=\"col\">score</th>\
         <th scope=\"col\">turns</th><th scope=\"col\">first</th><th scope=\"col\">slowest</th>\
         <th scope=\"col\">late</th></tr></thead><tbody>\n",
    );
    for game in &list.games {
        row(gathered, game, out);
    }
    out.push_str("</tbody></table></div>\n");
    let others = list.count - list.games.len();
    if others > 0 {
        more(&plural(others as u64, "more game"), out);
    }
    out.push_str("</section>\n");
}

fn row(gathered: &Gathered, game: &Listed, out: &mut String) {
    let outcome = &game.outcome;
    let time = |time: Option<Millis>| time.map_or("-".to_owned(), |time| duration(time.0));
    let times = &outcome.times;
    put!(
        out,
        "<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td><td class=\"words\">{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{}</td></tr>\n",
        link(game, &outcome.number().to_string()),
        Text(&outcome.board),
        Text(&gathered.entrants[game.entrant].name),
        shown(outcome.score),
        outcome.turns,
        time(times.first),
        time(times.slowest),
        times.bot_overruns + times.host_overruns
    );
}

/// The name of a game, as a link to its replay if it has one.
fn link(game: &Listed, name: &str) -> String {
    linked(game.page.as_ref().map(GameAddress::alone).as_deref(), name)
}

/// Says what is only in the run's own files.
pub(super) fn more(what: &str, out: &mut String) {
    put!(out, "<p class=\"soft\">And {what}, in results.jsonl.</p>\n");
}
