//! Shows what the bot says about itself: a line for each name, with its value in this turn or, at the end, its last
//! value, and a bar for each of the latest turns in which it was a number.

use ratatui::text::{Line, Span};

use super::look::Look;
use super::state::Player;
use results::metrics::MetricValue;

/// The lines for everything that was said up to the player's position, by name.
pub(super) fn lines(player: &Player, look: Look, width: u16) -> Vec<Line<'static>> {
    let film = &player.film;
    let shown = film.moves.get(player.position).map(|played| played.turn);
    let until = shown.map_or(film.turns.len(), |turn| (turn + 1).min(film.turns.len()));
    let said: Vec<_> = film.turns[..until].iter().map(|turn| &turn.said.0).collect();
    // At the end of the game stands what was said last.
    let end = film.end.iter().find(|_| shown.is_none()).map(|end| &end.said);
    let names = said.iter().flat_map(|values| values.keys());
    let mut names: Vec<&String> = names.chain(end.into_iter().flat_map(|end| end.keys())).collect();
    names.sort_unstable();
    names.dedup();
    let line = |name: &String| {
        let now = match end {
            Some(end) => end.get(name).map(|in_game| &in_game.last),
            None => said.last().and_then(|values| values.get(name)),
        };
        let now = now.map_or_else(|| "-".to_owned(), MetricValue::to_string);
        let told = look.text(&format!("{name} {now} "));
        let room = usize::from(width).saturating_sub(told.chars().count());
        let numbers = said.iter().map(|values| values.get(name).and_then(MetricValue::number));
        let numbers: Vec<Option<f64>> = numbers.collect();
        let latest = &numbers[numbers.len().saturating_sub(room)..];
        Line::from(vec![Span::raw(told), Span::raw(bars(latest, look))])
    };
    names.into_iter().map(line).collect()
}

/// A bar for each number, scaled between the smallest and the largest; empty for fewer than two.
fn bars(numbers: &[Option<f64>], look: Look) -> String {
    let known = || numbers.iter().flatten().copied();
    if known().count() < 2 {
        return String::new();
    }
    let (low, high) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(number), high.max(number))
    });
    let span = if high > low { high - low } else { 1.0 };
    let bar = |number: f64| look.bar((number - low) / span);
    numbers.iter().map(|number| number.map_or(' ', bar)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::player::Charset;

    #[test]
    fn bars_grow_with_their_numbers() {
        let told = |numbers: &[Option<f64>]| bars(numbers, Look::of_terminal(Charset::Ascii));
        assert_eq!(told(&[Some(0.0), None, Some(2.0), Some(4.0)]), "_ =#");
        assert_eq!(told(&[Some(7.0), Some(7.0)]), "__");
        assert_eq!(told(&[None, Some(7.0)]), "");
    }
}
