//! Histograms as an image: one below the other, bot by bot, each with its limit as a line, in light and in dark.

use super::BotTiming;
use crate::MARK;
use crate::histogram::{Bar, Histogram};
use crate::markup::{Text, put};
use terms::text::duration;

const WIDTH_PX: usize = 640;
const MARGIN_PX: usize = 24;
const LABEL_PX: usize = 80;
const ROW_PX: usize = 20;
const HEADING_PX: usize = 44;
/// The longest bar, which leaves room for its count and quantiles.
const BAR_PX: usize = WIDTH_PX - 2 * MARGIN_PX - LABEL_PX - 160;

/// Pages show images in the colours that their reader prefers.
const STYLE: &str = "text{fill:#222}.paper{fill:#fff}.bar{fill:#0072b2}.late{fill:#c0392b}\
    .limit{stroke:#c0392b;stroke-width:1.5;stroke-dasharray:5 3}.red{fill:#b3261e}\
    @media(prefers-color-scheme:dark){text{fill:#e9e7e2}.paper{fill:#14171b}.bar{fill:#56b4e9}.late{fill:#ff8f85}\
    .limit{stroke:#ff8f85}.red{fill:#ff8f85}}";

pub(super) fn histograms(measured: &[BotTiming]) -> String {
    let all: Vec<_> =
        measured.iter().flat_map(|bot| bot.histograms().map(move |one| (bot, one))).collect();
    let rows = |histogram: &Histogram| histogram.bars.len() + usize::from(histogram.has_limit);
    let rows: usize = all.iter().map(|(_, histogram)| rows(histogram)).sum();
    let height = 2 * MARGIN_PX + HEADING_PX * all.len() + ROW_PX * rows;
    let mut body = String::new();
    all.iter().fold(MARGIN_PX, |y, (bot, histogram)| {
        let of = if measured.len() > 1 { format!("{}, ", bot.bot) } else { String::new() };
        draw(&mut body, y, &of, histogram)
    });
    let bots: Vec<_> = measured.iter().map(|bot| bot.bot.as_str()).collect();
    let title = format!("Response times of {}", bots.join(", "));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH_PX} {height}\" \
         width=\"{WIDTH_PX}\" height=\"{height}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<!-- {MARK} -->\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        Text(&title)
    )
}

/// Draws one histogram, `of` a bot, from `y` on and returns where the next one starts.
fn draw(body: &mut String, mut y: usize, of: &str, histogram: &Histogram) -> usize {
    let Histogram { name, limit, count, .. } = histogram;
    let heading = format!("{of}{name}: {count}, {limit}");
    text(body, MARGIN_PX, y + 16, "font-weight=\"bold\"", &heading);
    y += HEADING_PX - ROW_PX;
    for bar in histogram.bars.iter().filter(|bar| !bar.is_late) {
        y = row(body, y, histogram, bar, "bar");
    }
    if histogram.has_limit {
        let (right, line) = (WIDTH_PX - MARGIN_PX, y + 4);
        put!(
            body,
            "<line class=\"limit\" x1=\"{MARGIN_PX}\" y1=\"{line}\" x2=\"{right}\" y2=\"{line}\"/>\n"
        );
        text(body, right, y + 17, "class=\"red\" text-anchor=\"end\"", limit);
        y += ROW_PX;
    }
    for bar in histogram.bars.iter().filter(|bar| bar.is_late) {
        y = row(body, y, histogram, bar, "late");
    }
    y + ROW_PX
}

/// Draws a bar with its count and the quantiles in it, and returns where the next one starts.
fn row(body: &mut String, y: usize, histogram: &Histogram, bar: &Bar, class: &str) -> usize {
    let length = histogram.length(bar, BAR_PX);
    let (x, top, height) = (MARGIN_PX + LABEL_PX, y + 3, ROW_PX - 6);
    let up_to = format!("≤ {}", duration(bar.up_to));
    text(body, x - 8, y + 14, "text-anchor=\"end\"", &up_to);
    put!(
        body,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{length}\" height=\"{height}\"/>\n"
    );
    let told = [bar.count.to_string(), bar.quantiles.join(", ")].join(" ");
    text(body, x + length + 6, y + 14, "", told.trim_end());
    y + ROW_PX
}

fn text(body: &mut String, x: usize, y: usize, attributes: &str, content: &str) {
    let content = Text(content);
    put!(body, "<text x=\"{x}\" y=\"{y}\" {attributes}>{content}</text>\n");
}
