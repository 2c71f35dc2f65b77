//! Histograms as an image: one below the other, with the limit if it is within the scale.

use super::BotTiming;
use crate::MARK;
use crate::histogram::Histogram;
use crate::markup::{Text, put};
use terms::text::{duration, plural};

const WIDTH_PX: usize = 640;
const MARGIN_PX: usize = 24;
const LABEL_PX: usize = 80;
const ROW_PX: usize = 20;
const HEADING_PX: usize = 44;
/// The longest bar, which leaves room for its count.
const BAR_PX: usize = WIDTH_PX - 2 * MARGIN_PX - LABEL_PX - 60;

pub(super) fn histograms(measured: &BotTiming) -> String {
    let all: Vec<Histogram> = measured.histograms().collect();
    let rows: usize = all.iter().map(|histogram| histogram.bars.len()).sum();
    let height = 2 * MARGIN_PX + HEADING_PX * all.len() + ROW_PX * rows;
    let mut body = String::new();
    all.iter().fold(MARGIN_PX, |y, histogram| draw(&mut body, y, histogram));
    let title = format!("Response times of {}", measured.bot);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH_PX} {height}\" \
         width=\"{WIDTH_PX}\" height=\"{height}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<!-- {MARK} -->\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n",
        Text(&title)
    )
}

/// Draws one histogram from `y` on and returns where the next one starts.
fn draw(body: &mut String, mut y: usize, histogram: &Histogram) -> usize {
    let Histogram { name, limit, turns, .. } = histogram;
    let heading = format!("{name}: {}, {limit}", plural(*turns, "turn"));
    text(body, MARGIN_PX, y + 16, "font-weight=\"bold\"", &heading);
    y += HEADING_PX - ROW_PX;
    for bar in &histogram.bars {
        let fill = if bar.is_late { "#c0392b" } else { "#2c7fb8" };
        let length = histogram.length(bar, BAR_PX);
        let (x, top, height) = (MARGIN_PX + LABEL_PX, y + 3, ROW_PX - 6);
        let up_to = format!("≤ {}", duration(bar.up_to));
        text(body, x - 8, y + 14, "text-anchor=\"end\"", &up_to);
        put!(
            body,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{length}\" height=\"{height}\" fill=\"{fill}\"/>\n"
        );
        text(body, x + length + 6, y + 14, "", &bar.count.to_string());
        y += ROW_PX;
        if bar.ends_at_limit {
            let right = WIDTH_PX - MARGIN_PX;
            put!(
                body,
                "<line x1=\"{MARGIN_PX}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\" stroke=\"#c0392b\"/>\n"
            );
        }
    }
    y + ROW_PX
}

fn text(body: &mut String, x: usize, y: usize, attributes: &str, content: &str) {
    let content = Text(content);
    put!(body, "<text x=\"{x}\" y=\"{y}\" fill=\"#222\" {attributes}>{content}</text>\n");
}
