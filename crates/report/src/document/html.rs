//! Documents as parts of a page. Text is inert through [`Text`].

use super::{Line, Part, Table, Tone};
use crate::markup::Text;

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
            let items = lines.iter().map(|line| format!("<li>{}</li>\n", said(line)));
            let items: String = items.collect();
            let heading = Text(heading);
            format!("<h3>{heading}</h3>\n<ul class=\"plain\">\n{items}</ul>\n")
        }
        Part::Table(it) => table(it),
        // A page draws its own.
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
fn table(table: &Table) -> String {
    let heading = |heading: &&str| match *heading {
        "" => "<td></td>".to_owned(),
        heading => format!("<th scope=\"col\">{}</th>", Text(heading)),
    };
    let headings: String = table.headings.iter().map(heading).collect();
    let cell = |(index, cell): (usize, &String)| match index {
        0 => format!("<th scope=\"row\">{}</th>", Text(cell)),
        _ => format!("<td>{}</td>", Text(cell)),
    };
    let row = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<String>();
    let rows: String = table.rows.iter().map(|cells| format!("<tr>{}</tr>\n", row(cells))).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead>\
         <tr>{headings}</tr></thead><tbody>\n{rows}</tbody></table></div>\n",
        Text(&table.label)
    )
}
