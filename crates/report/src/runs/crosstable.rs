//! Ratings of bots that play against each other, and the result of each pair of them.

use std::collections::BTreeMap;

use super::Text;
use super::gather::Gathered;
use super::shown::Listed;
use crate::document::Document;
use crate::figures::in_percent;
use crate::markup::{linked, put};
use crate::ratings;
use crate::view::page::GameAddress;
use results::ratings::{Against, League};
use statistics::real;
use terms::text::plural;

/// The games of two bots, by their places in the table.
type Pairs<'a> = BTreeMap<(usize, usize), BTreeMap<(usize, usize), &'a Listed>>;

pub(super) fn write(gathered: &Gathered, out: &mut String) {
    let Some(league) = &gathered.league else { return };
    out.push_str("<section class=\"card\" id=\"ratings\">\n<h2>Ratings</h2>\n");
    let mut document = Document::default();
    ratings::add(&mut document, league);
    if gathered.runs.len() > 1 {
        document.sentence(
            "A program in several of these runs is one bot, whose games all count here, also those in a pool.",
        );
    }
    out.push_str(&document.html());
    let pairs = pairs(gathered, league);
    table(league, &pairs, out);
    for (pair, games) in &pairs {
        entry(league, *pair, games, out);
    }
    out.push_str("</section>\n");
}

/// The listed games of each two bots.
fn pairs<'a>(gathered: &'a Gathered, league: &League) -> Pairs<'a> {
    let place: BTreeMap<&str, usize> =
        league.bots.iter().enumerate().map(|(place, rated)| (rated.bot.as_str(), place)).collect();
    let lost = gathered.lost.kinds.iter().flat_map(|kind| &kind.games);
    let mut pairs = Pairs::new();
    for game in lost.chain(&gathered.won.games) {
        let Some(seat) = &game.outcome.seat else { continue };
        let Some(&own) = place.get(game.outcome.bot.as_str()) else { continue };
        for other in seat.bots.iter().filter_map(|bot| place.get(bot.as_str())) {
            if *other != own {
                let key = (own.min(*other), own.max(*other));
                pairs.entry(key).or_default().insert((game.run, game.outcome.table()), game);
            }
        }
    }
    pairs
}

/// A row and a column for each bot, in the order of the ratings.
fn table(league: &League, pairs: &Pairs<'_>, out: &mut String) {
    out.push_str(
        "<h3>Against each other</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Against each other\"><table>\
         <thead><tr><th scope=\"col\" class=\"words\">bot</th>",
    );
    for rated in &league.bots {
        put!(out, "<th scope=\"col\" class=\"upright\">{}</th>", Text(&rated.bot));
    }
    out.push_str("</tr></thead><tbody>\n");
    for (place, rated) in league.bots.iter().enumerate() {
        put!(out, "<tr><th scope=\"row\" class=\"words\">{}. {}</th>", place + 1, Text(&rated.bot));
        for (other, against) in rated.against.iter().enumerate() {
            let address = format!("#{}", id((place.min(other), place.max(other))));
            let has_games = pairs.contains_key(&(place.min(other), place.max(other)));
            let address = has_games.then_some(address);
            let cell = linked(address.as_deref(), &share(against));
            put!(out, "<td class=\"{}\">{cell}</td>", shade(against));
        }
        out.push_str("</tr>\n");
    }
    out.push_str(
        "</tbody></table></div>\n<p class=\"soft\">A cell is the share of the games that the bot of the row ends before the bot of the \
         column, in percent; an equal place counts half. It leads to these games.</p>\n",
    );
}

fn share(against: &Against) -> String {
    if against.pairs == 0 {
        return "-".to_owned();
    }
    in_percent(against.score / real(against.pairs), 0)
}

/// The class of a cell: the higher the share, the greener.
fn shade(against: &Against) -> &'static str {
    match against.score / real(against.pairs) {
        share if share < 0.2 => "v0",
        share if share < 0.4 => "v1",
        share if share <= 0.6 => "v2",
        share if share <= 0.8 => "v3",
        share if share <= 1.0 => "v4",
        _ => "v",
    }
}

fn id((one, other): (usize, usize)) -> String {
    format!("pair-{}-{}", one + 1, other + 1)
}

/// The games of two bots, each with a link to its replay if it has one.
fn entry(
    league: &League,
    pair: (usize, usize),
    games: &BTreeMap<(usize, usize), &Listed>,
    out: &mut String,
) {
    let [one, other] = [pair.0, pair.1].map(|place| &league.bots[place].bot);
    let link = |game: &&Listed| {
        let address = game.page.as_ref().map(GameAddress::alone);
        linked(address.as_deref(), &game.outcome.number().to_string())
    };
    let links: Vec<String> = games.values().map(link).collect();
    put!(
        out,
        "<p class=\"meeting\" id=\"{}\">{} and {}: {} listed: {}</p>\n",
        id(pair),
        Text(one),
        Text(other),
        plural(games.len() as u64, "game"),
        links.join(", ")
    );
}
