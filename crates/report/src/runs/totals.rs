//! Each bot's totals, and its share of the best scores.

use super::gather::Gathered;
use super::shown::ShownBot;
use super::{Text, bars, suite};
use crate::document::{Document, Table};
use crate::markup::put;
use crate::ratings;
use results::suite::Tally;
use rules::measure::Measure;
use rules::score::Direction;
use terms::text::plural;

/// The headings of the table in a game of several players, before the measure's: scores have no sum that says anything.
const OF_SEVERAL: [&str; 4] = ["bot", "games", "failed", "place"];

/// What the last figure of a bot means.
fn explanation(better: Direction) -> &'static str {
    match better {
        Direction::Higher => YOURS_BY_BEST,
        Direction::Lower => BEST_BY_YOURS,
    }
}

const BEST_BY_YOURS: &str = "<p class=\"soft\" id=\"explained\">Lower is better. best/yours: the mean over the games of best \
    known score of the board / score, so a bot that reaches the best everywhere has 100 %. A lost game is worth 0; it has no part \
    in sum and mean. The best known is the lowest of the records and of the bots of the run.</p>\n";

const YOURS_BY_BEST: &str = "<p class=\"soft\" id=\"explained\">yours/best: the mean over the games of score / \
    best known score of the board, so a bot that reaches the best everywhere has 100 %. A lost game is worth 0. The \
    best known is the highest of the records, the bots of the run, and what has been published.</p>\n";

pub(super) fn write(gathered: &Gathered, out: &mut String) {
    out.push_str("<section class=\"card\" id=\"totals\">\n<h2>Totals</h2>\n");
    for (run, summary) in gathered.runs.iter().zip(&gathered.summaries) {
        let headline = suite::headline(summary);
        put!(out, "<p class=\"counts\">{}: {}</p>\n", Text(run), Text(&headline));
    }
    let measured = match gathered.measure {
        // It has a column already.
        Measure::Place => None,
        measure => suite::measured(measure),
    };
    let is_of_several = gathered.is_of_several();
    let row = |entrant: &ShownBot| {
        let cells = if is_of_several { row_of_several } else { suite::row };
        let mut row = cells(&entrant.tally);
        row[0].clone_from(&entrant.name);
        row.extend(measured.iter().map(|it| it.column.1(&entrant.tally)));
        row.extend([entrant.tally.timeouts.to_string(), entrant.tally.late.to_string()]);
        row
    };
    let headings = suite::headings(gathered.better);
    let headings = if is_of_several { &OF_SEVERAL[..] } else { &headings };
    let of_measure: Vec<_> = measured.iter().map(|it| it.column.0).collect();
    let headings = [headings, &of_measure, &["timeouts", "late games"]].concat();
    let rows = gathered.entrants.iter().map(row);
    let absent = gathered.out.iter().map(|bot| ratings::out_row(bot, headings.len()));
    out.push_str(&Table::new("Totals", &headings, rows.chain(absent)).html());
    if !is_of_several {
        let mut causes = Document::default();
        ratings::add_out(&mut causes, &gathered.out);
        out.push_str(&causes.html());
    }
    if !is_of_several {
        out.push_str(explanation(gathered.better));
    }
    if let Some(measured) = measured {
        put!(out, "<p class=\"soft\">{}</p>\n", Text(measured.explanation));
    }
    if !is_of_several {
        records(gathered, out);
        for summary in &gathered.summaries {
            let mut new = Document::default();
            new.list(suite::NEW_BESTS, suite::new_bests(summary));
            out.push_str(&new.html());
        }
    }
    out.push_str("</section>\n");
}

/// The cells below [`OF_SEVERAL`].
fn row_of_several(tally: &Tally) -> Vec<String> {
    let [games, failed] = [tally.games, tally.lost].map(|count| count.to_string());
    vec![tally.bot.clone(), games, failed, suite::place(tally)]
}

/// A bar for each bot: its share of the best scores, of which a full bar is all.
fn records(gathered: &Gathered, out: &mut String) {
    out.push_str("<h3>Against the best known</h3>\n");
    if gathered.entrants.iter().all(|entrant| entrant.tally.compared == 0) {
        out.push_str(
            "<p class=\"soft\">No best score is known of any of these boards; \
             <code>--records</code> names a file of them.</p>\n",
        );
        return;
    }
    out.push_str("<ul class=\"rows\" id=\"records\">\n");
    for (index, entrant) in gathered.entrants.iter().enumerate() {
        let Some(share) = entrant.tally.ratio() else { continue };
        put!(out, "<li><span>{}</span>", Text(&entrant.name));
        bars::open(out, 1);
        bars::bar(out, 0, "well", 0.0, 100.0);
        bars::bar(out, 0, &bars::color(index), 0.0, bars::percent(share, 1.0));
        let games = plural(entrant.tally.compared as u64, "game");
        let share = suite::share(share);
        put!(out, "</svg><span>{share} over {games}</span></li>\n");
    }
    out.push_str("</ul>\n");
}
