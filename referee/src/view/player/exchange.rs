//! A game without a picture: the text that the bot was sent, next to what it answered and what the judge told.

use ratatui::Frame as Screen;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Wrap};

use super::look::Look;
use super::state::Player;

/// The space for the figures: columns next to the texts, or lines below them where that leaves less than as much for each text.
const PANEL_COLUMNS: u16 = 26;
const PANEL_LINES: u16 = 8;

/// Draws the texts, and returns the area that is left for the figures.
pub(super) fn draw(screen: &mut Screen<'_>, player: &Player, look: Look, area: Rect) -> Rect {
    let constraints = |panel| [Constraint::Min(0), Constraint::Length(panel)];
    let [texts, panel] = if area.width >= 3 * PANEL_COLUMNS {
        Layout::horizontal(constraints(PANEL_COLUMNS)).areas(area)
    } else {
        Layout::vertical(constraints(PANEL_LINES)).areas(area)
    };
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(texts);
    let film = &player.film;
    let (sent, answer) = film.texts(player.position);
    let asked = film.turn(player.position).or(film.turns.last()).map(|turn| film.seat_of(turn));
    let whom = asked.filter(|seat| !seat.is_empty());
    let title = whom.map_or("sent to the bot".to_owned(), |seat| {
        look.text(&format!("sent to {}", seat.trim_end_matches(": ")))
    });
    draw_text(screen, look, title, sent, left);
    let told =
        film.turn(player.position).map_or_else(|| film.told_at_end(), |turn| film.told(turn));
    let told_lines = u16::try_from(told.lines().count()).unwrap_or(u16::MAX).min(right.height / 2);
    // With its border.
    let below = if told_lines == 0 { 0 } else { told_lines + 2 };
    let [right, below] =
        Layout::vertical([Constraint::Min(0), Constraint::Length(below)]).areas(right);
    draw_text(screen, look, "its answer".to_owned(), &answer, right);
    if !told.is_empty() {
        draw_text(screen, look, "the judge's summary".to_owned(), &told, below);
    }
    panel
}

fn draw_text(screen: &mut Screen<'_>, look: Look, title: String, text: &str, area: Rect) {
    let lines = text.lines().take(area.height.into());
    let lines = lines.map(|line| Line::from(look.text(&line.replace('\t', "    "))));
    let block = Block::bordered().border_set(look.border()).title(title);
    let text = Paragraph::new(lines.collect::<Vec<_>>()).block(block).wrap(Wrap { trim: false });
    screen.render_widget(text, area);
}
