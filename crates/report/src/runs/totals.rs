//! Each bot's totals.

use super::gather::Gathered;
use super::shown::ShownBot;
use super::{Text, suite};
use crate::document::{Document, Table};
use crate::figures;
use crate::markup::put;
use crate::ratings;
use results::suite::Tally;
use rules::measure::Measure;
use rules::score::Direction;
use statistics::Risk;

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
    for entrant in &gathered.entrants {
        let Some(totals) = &entrant.tally.totals else { continue };
        let sentence = figures::totals(&entrant.name, totals, Risk::Strict);
        put!(out, "<p>{}</p>\n", Text(&sentence));
    }
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
