//! Each bot's totals, and their share of the records.

use super::gather::{Gathered, ShownBot};
use super::{Text, bars, put, suite, table};
use results::suite::NewBest;
use terms::text::plural;

/// What the last figure of a bot means.
const EXPLANATION: &str = "<p class=\"soft\" id=\"explained\">best = 1,000,000: the mean over the games of score \
    / best known score of the board, times 1,000,000, so a bot that reaches the best everywhere has 1,000,000. A lost \
    game is worth 0. The best known is the highest of the records, the bots of the run, and what has been \
    published.</p>\n";

/// A bot's points on the boards with a known best score.
#[derive(Default)]
struct AgainstRecords {
    boards: usize,
    points: f64,
    bests: f64,
}

impl AgainstRecords {
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    fn of(gathered: &Gathered, entrant: usize) -> Self {
        let mut against = Self::default();
        for board in &gathered.boards {
            if let (Some(points), Some(best)) = (board.points[entrant].mean(), &board.best) {
                against.boards += 1;
                against.points += points;
                against.bests += best.score as f64;
            }
        }
        against
    }

    fn tell(&self) -> String {
        let Self { boards, points, bests } = self;
        let on = plural(*boards as u64, "board");
        let percent = 100.0 * points / bests;
        format!("{points:.0} of {bests:.0} ({percent:.1} %) on {on}")
    }
}

pub(super) fn write(gathered: &Gathered, out: &mut String) {
    out.push_str("<section class=\"card\" id=\"totals\">\n<h2>Totals</h2>\n");
    for (run, summary) in gathered.runs.iter().zip(&gathered.summaries) {
        let headline = suite::headline(summary);
        put(out, format_args!("<p class=\"counts\">{}: {}</p>\n", Text(run), Text(&headline)));
    }
    let row = |entrant: &ShownBot| {
        let mut row = suite::row(&entrant.tally);
        row[0].clone_from(&entrant.name);
        row.extend([entrant.tally.timeouts.to_string(), entrant.tally.late.to_string()]);
        row
    };
    let headings = [&suite::HEADINGS[..], &["timeouts", "late games"]].concat();
    table(out, "Totals", &headings, gathered.entrants.iter().map(row));
    out.push_str(EXPLANATION);
    records(gathered, out);
    for summary in &gathered.summaries {
        new_bests(&summary.new_bests, out);
    }
    out.push_str("</section>\n");
}

/// A bar for each bot: its points on the boards that have a record, and what the records come to.
fn records(gathered: &Gathered, out: &mut String) {
    out.push_str("<h3>Against the best known</h3>\n");
    let all: Vec<AgainstRecords> =
        (0..gathered.entrants.len()).map(|entrant| AgainstRecords::of(gathered, entrant)).collect();
    if all.iter().all(|against| against.boards == 0) {
        out.push_str(
            "<p class=\"soft\">No best score is known of any of these boards; \
             <code>--records</code> names a file of them.</p>\n",
        );
        return;
    }
    out.push_str("<ul class=\"rows\" id=\"records\">\n");
    for (index, (entrant, against)) in gathered.entrants.iter().zip(&all).enumerate() {
        if against.boards == 0 {
            continue;
        }
        put(out, format_args!("<li><span>{}</span>", Text(&entrant.name)));
        bars::open(out, 1);
        bars::bar(out, 0, "well", 0.0, 100.0);
        let part = bars::percent(against.points, against.bests);
        bars::bar(out, 0, &bars::color(index), 0.0, part);
        put(out, format_args!("</svg><span>{}</span></li>\n", against.tell()));
    }
    out.push_str("</ul>\n");
}

fn new_bests(new: &[NewBest], out: &mut String) {
    if new.is_empty() {
        return;
    }
    out.push_str("<h3>Better than the best known</h3>\n<ul class=\"plain\">\n");
    for NewBest { board, bot, score, before, by } in new {
        put(
            out,
            format_args!(
                "<li><b>{}</b>: {score} by {}, before {before} by {}</li>\n",
                Text(board),
                Text(bot),
                Text(by)
            ),
        );
    }
    out.push_str("</ul>\n");
}
