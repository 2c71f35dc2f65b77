//! Shows the numbers that bots said about themselves.

use super::document::Table;
use results::suite::Tally;

/// The most names in a row of the list of runs.
const LISTED: usize = 3;

/// A row for each name of each bot; `None` if no bot said a number.
pub(crate) fn table(bots: &[Tally]) -> Option<Table> {
    let rows = bots.iter().flat_map(|tally| {
        tally.said.iter().map(|(name, said)| {
            let numbers = [said.numbers.min, said.numbers.mean, said.numbers.max].map(short);
            let words = [tally.bot.clone(), name.clone(), said.games.to_string()];
            words.into_iter().chain(numbers).collect()
        })
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let headings = ["bot", "said", "games", "min", "mean", "max"];
    let table = Table { words: vec![0, 1], ..Table::new("What bots said", &headings, rows) };
    (!table.rows.is_empty()).then_some(table)
}

/// The first names with their means, such as `depth 12.3, nodes 150000`.
pub(crate) fn means(tally: &Tally) -> String {
    let said = tally.said.iter().take(LISTED);
    let said: Vec<_> =
        said.map(|(name, said)| format!("{name} {}", short(said.numbers.mean))).collect();
    let more = if tally.said.len() > LISTED { ", …" } else { "" };
    format!("{}{more}", said.join(", "))
}

/// A number with four significant digits, or all of a whole number.
fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-3..1e15).contains(&size) {
        return format!("{number:.3e}");
    }
    let digits = match size {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_whole_ones_are_whole() {
        for (number, text) in [
            (0.0, "0"),
            (-7.0, "-7"),
            (150_000.25, "150000"),
            (123.456, "123.5"),
            (12.345_6, "12.35"),
            (0.5, "0.5"),
            (-1.234_56, "-1.235"),
            (0.000_012_34, "1.234e-5"),
            (-2.5e200, "-2.500e200"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
