//! The games: lost ones in full, the others in a table, each with a link to its replay page.

use std::collections::BTreeMap;

use super::Text;
use super::gather::{GameList, Gathered, Listed};
use crate::markup::put;
use results::suite::loss_kind;
use terms::millis::Millis;
use terms::text::{duration, plural};

/// The most links that are shown without a click, for games that ended alike.
const LINKS_IN_SIGHT: usize = 12;

/// The games that were lost or not played, and why; they come first. Games that ended alike share an
/// entry.
pub(super) fn write_lost(gathered: &Gathered, out: &mut String) {
    section(gathered, &gathered.lost, "lost", "Lost games", out);
    section(gathered, &gathered.not_played, "not-played", "Games not played", out);
}

fn section(gathered: &Gathered, list: &GameList, id: &str, heading: &str, out: &mut String) {
    if list.games.is_empty() {
        return;
    }
    put!(
        out,
        "<section class=\"card lost\" id=\"{id}\">\n<h2>{heading}</h2>\n<div class=\"tall\" \
             tabindex=\"0\" role=\"region\" aria-label=\"{heading}\"><ul class=\"plain\">\n"
    );
    for games in alike(&list.games) {
        entry(gathered, &games, out);
    }
    out.push_str("</ul></div>\n");
    more(list, out);
    out.push_str("</section>\n");
}

/// Games of one bot that ended alike, in the order of the first of each kind.
fn alike(games: &[Listed]) -> Vec<Vec<&Listed>> {
    let mut kinds: Vec<Vec<&Listed>> = Vec::new();
    let mut places = BTreeMap::new();
    for game in games {
        let kind = (game.entrant, loss_kind(&game.outcome.loss()));
        let place = *places.entry(kind).or_insert(kinds.len());
        match kinds.get_mut(place) {
            Some(kind) => kind.push(game),
            None => kinds.push(vec![game]),
        }
    }
    kinds
}

fn entry(gathered: &Gathered, games: &[&Listed], out: &mut String) {
    let (game, others) = games.split_first().expect("a kind has a game");
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
        link(game, &format!("game {}", outcome.game)),
        Text(why),
        Text(&said.join("; "))
    );
    if !others.is_empty() {
        let links: Vec<_> =
            others.iter().map(|other| link(other, &other.outcome.game.to_string())).collect();
        let count = plural(others.len() as u64, "more game");
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

/// The games that were not lost.
pub(super) fn write_others(gathered: &Gathered, out: &mut String) {
    let list = &gathered.others;
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
    more(list, out);
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
        link(game, &outcome.game.to_string()),
        Text(&outcome.board),
        Text(&gathered.entrants[game.entrant].name),
        outcome.score,
        outcome.turns,
        time(times.first),
        time(times.slowest),
        times.bot_overruns + times.host_overruns
    );
}

/// The name of a game, as a link to its replay page if it has one.
fn link(game: &Listed, name: &str) -> String {
    match &game.page {
        Some(page) => format!("<a href=\"{}\">{}</a>", Text(page), Text(name)),
        None => Text(name).to_string(),
    }
}

fn more(list: &GameList, out: &mut String) {
    if list.more > 0 {
        let more = plural(list.more as u64, "game");
        put!(out, "<p class=\"soft\">And {more} more, in results.jsonl.</p>\n");
    }
}
