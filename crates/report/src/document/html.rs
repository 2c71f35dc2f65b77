//! Documents as parts of a page. Text is inert through [`Text`].

use super::{Line, Part, Table, Tone, capitalised};
use crate::markup::{Text, put};

pub(super) fn markup(parts: &[Part]) -> String {
    parts.iter().map(part).collect()
}

fn part(part: &Part) -> String {
    match part {
        Part::Headline(Line { tone, toned, rest, .. }) => {
            format!("<h2 class=\"{}\">{}{}</h2>\n", class(*tone), Text(toned), Text(rest))
        }
        Part::Note(line) => format!("<p>{}</p>\n", said(line)),
        Part::Sentence(line) => format!("<p class=\"soft\">{}</p>\n", said(line)),
        Part::List(heading, lines) => {
            let item = |line| format!("<li>{}</li>\n", said(line));
            let items: String = lines.iter().map(item).collect();
            let heading = capitalised(heading);
            format!("<h3>{heading}</h3>\n<ul class=\"plain\">\n{items}</ul>\n")
        }
        Part::Table(it) => table(it),
        // The page has its own histograms.
        Part::Histogram(_) | Part::InTerminal(_) => String::new(),
    }
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Plain | Tone::Strong | Tone::Soft => "open",
    }
}

fn said(Line { toned, rest, .. }: &Line) -> String {
    match toned.as_str() {
        "" => Text(rest).to_string(),
        toned => format!("<b>{}</b>{}", Text(toned), Text(rest)),
    }
}

/// A table, which may be wider than a phone.
pub(super) fn table(table: &Table) -> String {
    let mut out = String::new();
    let label = Text(&table.label);
    put!(
        &mut out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table><thead><tr>"
    );
    for heading in &table.headings {
        match heading.as_str() {
            "" => out.push_str("<td></td>"),
            heading => put!(&mut out, "<th scope=\"col\">{}</th>", Text(heading)),
        }
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (index, cell) in row.iter().enumerate() {
            let (open, close) =
                if index == 0 { ("<th scope=\"row\">", "</th>") } else { ("<td>", "</td>") };
            put!(&mut out, "{open}{}{close}", Text(cell));
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody></table></div>\n"
}
