//! Times of turns as a map: a row for each game, a column for each turn, the slower the darker.

use std::time::Duration;

use crate::markup::put;
use results::gamelog::Log;
use statistics::real;
use terms::limits::LimitKind;
use terms::text::{duration, plural};

/// The most games, turns of a game, and columns.
const GAMES: usize = 100;
const TURNS: usize = 2000;
const COLUMNS: usize = 60;

/// The number of shades.
const SHADES: usize = 6;

/// The later turns of a bot's first games that have a log.
#[derive(Default)]
pub(super) struct Heat {
    games: Vec<Vec<(Duration, bool)>>,
}

impl Heat {
    /// Adds the turns of a game, with whether they were late.
    pub(super) fn record(&mut self, log: &Log) {
        let turns = log.turns.iter().filter(|turn| turn.limit == LimitKind::Turn).take(TURNS);
        if self.games.len() < GAMES {
            self.games.push(turns.map(|turn| (turn.wall.0, turn.overrun.is_some())).collect());
        }
    }

    /// Draws the map; nothing for fewer than two games, or games of one turn.
    pub(super) fn write(&self, out: &mut String) {
        let longest = self.games.iter().map(Vec::len).max().unwrap_or(0);
        if self.games.len() < 2 || longest < 2 {
            return;
        }
        let each = longest.div_ceil(COLUMNS);
        let cells = self.cells(each);
        let scale = Shading::of(&cells);
        let (columns, rows) = (longest.div_ceil(each), self.games.len());
        let told = format!(
            "{} of {}, from {} to {}",
            plural(rows as u64, "game"),
            plural(longest as u64, "later turn"),
            duration(scale.least),
            duration(scale.most)
        );
        put!(
            out,
            "<details class=\"heat\"><summary>Map of later turns: {told}</summary>\n<figure>\
             <svg width=\"100%\" height=\"{}\" viewBox=\"0 0 {columns} {rows}\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"{told}\">\n",
            (rows * 6).clamp(60, 360)
        );
        for shade in 0..=SHADES {
            let its = cells.iter().filter(|cell| scale.shade(cell) == shade);
            let square = |Cell { row, column, .. }: &Cell| format!("M{column} {row}h1v1h-1z");
            let path: String = its.map(square).collect();
            let class = if shade == SHADES { "late".to_owned() } else { format!("h{shade}") };
            if !path.is_empty() {
                put!(out, "<path class=\"{class}\" d=\"{path}\"/>\n");
            }
        }
        let turns = match each {
            1 => String::new(),
            _ => format!(" A column is {each} turns, the slowest of which counts."),
        };
        put!(
            out,
            "</svg>\n<figcaption>A row is a game, a column a turn; each darker shade is {:.1} times slower; late turns are red.{turns}\
             </figcaption></figure></details>\n",
            10.0_f64.powf(scale.step)
        );
    }

    /// A cell for each `each` turns of a game.
    fn cells(&self, each: usize) -> Vec<Cell> {
        let cell = |row, (column, turns): (usize, &[(Duration, bool)])| Cell {
            row,
            column,
            time: turns.iter().map(|(wall, _)| *wall).max().unwrap_or_default(),
            is_late: turns.iter().any(|(_, late)| *late),
        };
        let row = |(row, turns): (usize, &Vec<(Duration, bool)>)| {
            turns.chunks(each).enumerate().map(|at| cell(row, at)).collect::<Vec<_>>()
        };
        self.games.iter().enumerate().flat_map(row).collect()
    }
}

/// Some turns of a game.
struct Cell {
    row: usize,
    column: usize,
    time: Duration,
    is_late: bool,
}

/// The shades of times, whose logarithms are `step` apart.
struct Shading {
    least: Duration,
    most: Duration,
    step: f64,
}

impl Shading {
    fn of(cells: &[Cell]) -> Self {
        let times = || cells.iter().map(|cell| cell.time);
        let (least, most) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
        let step = (log(most) - log(least)).max(1e-9) / real(SHADES);
        Self { least, most, step }
    }

    /// The shade of a cell; the last one is for late turns.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few shades")]
    fn shade(&self, cell: &Cell) -> usize {
        let shade = (log(cell.time) - log(self.least)) / self.step;
        if cell.is_late { SHADES } else { (shade as usize).min(SHADES - 1) }
    }
}

fn log(time: Duration) -> f64 {
    time.as_secs_f64().max(1e-6).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_turn_has_the_shade_of_its_time_and_late_ones_are_red() {
        let turn = |ms, late| (Duration::from_millis(ms), late);
        let games =
            vec![vec![turn(1, false), turn(1000, false)], vec![turn(1, false), turn(2, true)]];
        let mut out = String::new();
        Heat { games }.write(&mut out);
        for path in [
            "class=\"h0\" d=\"M0 0h1v1h-1zM0 1h1v1h-1z\"",
            "class=\"h5\" d=\"M1 0h1v1h-1z\"",
            "class=\"late\" d=\"M1 1h1v1h-1z\"",
            "2 games of 2 later turns, from 1 ms to 1 s",
        ] {
            assert!(out.contains(path), "no {path} in {out}");
        }
        let mut out = String::new();
        Heat::default().write(&mut out);
        assert!(out.is_empty());
    }
}
