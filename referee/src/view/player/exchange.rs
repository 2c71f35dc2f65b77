//! A game without a picture: the text that the bot was sent, beside what it answered.

use ratatui::Frame as Screen;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Wrap};

use super::look::Look;
use super::state::Player;

/// The space for the figures: columns beside the texts, or lines below them where that leaves less than as much for each text.
const PANEL_COLUMNS: u16 = 26;
const PANEL_LINES: u16 = 8;

/// Draws both texts, and returns the area that is left for the figures.
pub(super) fn draw(screen: &mut Screen<'_>, player: &Player, look: Look, area: Rect) -> Rect {
    let constraints = |panel| [Constraint::Min(0), Constraint::Length(panel)];
    let [texts, panel] = if area.width >= 3 * PANEL_COLUMNS {
        Layout::horizontal(constraints(PANEL_COLUMNS)).areas(area)
    } else {
        Layout::vertical(constraints(PANEL_LINES)).areas(area)
    };
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(texts);
    let (sent, answer) = player.film.texts(player.position);
    draw_text(screen, look, "sent to the bot", sent, left);
    draw_text(screen, look, "its answer", &answer, right);
    panel
}

fn draw_text(screen: &mut Screen<'_>, look: Look, title: &'static str, text: &str, area: Rect) {
    let lines = text.lines().take(area.height.into());
    let lines = lines.map(|line| Line::from(look.text(&line.replace('\t', "    "))));
    let block = Block::bordered().border_set(look.border()).title(title);
    let text = Paragraph::new(lines.collect::<Vec<_>>()).block(block).wrap(Wrap { trim: false });
    screen.render_widget(text, area);
}
