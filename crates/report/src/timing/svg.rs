//! Histograms as an image: one below the other, with the limit where it is in sight.

use std::fmt::Write as _;

use super::{Bar, TimingReport, bars, kind_name};
use results::timing::KindStats;
use terms::text::{duration, plural};

const WIDTH_PX: usize = 640;
const MARGIN_PX: usize = 24;
const LABEL_PX: usize = 80;
const ROW_PX: usize = 20;
const HEADING_PX: usize = 44;
/// The longest bar, which leaves room for its count.
const BAR_PX: usize = WIDTH_PX - 2 * MARGIN_PX - LABEL_PX - 60;

pub(super) fn histograms(report: &TimingReport) -> String {
    let by_kind: Vec<(&KindStats, Vec<Bar>)> =
        report.by_kind().iter().map(|stats| (stats, bars(&stats.times, stats.limit))).collect();
    let rows: usize = by_kind.iter().map(|(_, bars)| bars.len()).sum();
    let height = 2 * MARGIN_PX + HEADING_PX * by_kind.len() + ROW_PX * rows;
    let mut body = String::new();
    let mut y = MARGIN_PX;
    for (stats, bars) in &by_kind {
        y = histogram(&mut body, y, stats, bars);
    }
    let title = escape(&format!("Response times of {}", report.bot));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH_PX} {height}\" \
         width=\"{WIDTH_PX}\" height=\"{height}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// Draws one histogram from `y` on and returns where the next one starts.
fn histogram(body: &mut String, mut y: usize, stats: &KindStats, bars: &[Bar]) -> usize {
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1).max(1);
    let turns = plural(stats.times.count(), "turn");
    let limit =
        stats.limit.map_or("no limit".to_owned(), |limit| format!("limit {}", duration(limit)));
    let heading = format!("{}: {turns}, {limit}", kind_name(stats.kind));
    text(body, MARGIN_PX, y + 16, "font-weight=\"bold\"", &heading);
    y += HEADING_PX - ROW_PX;
    for Bar { up_to, count } in bars {
        let late = stats.limit.is_some_and(|limit| *up_to > limit);
        let fill = if late { "#c0392b" } else { "#2c7fb8" };
        let length = usize::try_from((count * BAR_PX as u64).div_ceil(most)).unwrap_or(BAR_PX);
        let (x, right) = (MARGIN_PX + LABEL_PX, MARGIN_PX + LABEL_PX - 8);
        text(body, right, y + 14, "text-anchor=\"end\"", &format!("≤ {}", duration(*up_to)));
        draw(
            body,
            format_args!(
                "<rect x=\"{x}\" y=\"{}\" width=\"{length}\" height=\"{}\" fill=\"{fill}\"/>",
                y + 3,
                ROW_PX - 6
            ),
        );
        text(body, x + length + 6, y + 14, "", &count.to_string());
        y += ROW_PX;
        if stats.limit == Some(*up_to) {
            draw(
                body,
                format_args!(
                    "<line x1=\"{MARGIN_PX}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"#c0392b\"/>",
                    WIDTH_PX - MARGIN_PX
                ),
            );
        }
    }
    y + ROW_PX
}

fn text(body: &mut String, x: usize, y: usize, attributes: &str, content: &str) {
    let content = escape(content);
    draw(
        body,
        format_args!("<text x=\"{x}\" y=\"{y}\" fill=\"#222\" {attributes}>{content}</text>"),
    );
}

fn draw(body: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(body, "{element}").expect("memory");
}

/// Escapes text for XML, and drops control characters, which XML does not allow.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_inert() {
        assert_eq!(escape("</title><script>&\x1b[0m"), "&lt;/title&gt;&lt;script&gt;&amp;[0m");
    }
}
