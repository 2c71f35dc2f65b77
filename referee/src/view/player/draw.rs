//! Draws the player: in 80 columns and 24 lines or fewer, or larger on a larger screen.

use ratatui::Frame as Screen;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};

use super::board::Arrangement;
use super::exchange;
use super::look::Look;
use super::metrics;
use super::state::{GameState, Pane, Player};
use report::view::film::Film;
use report::view::{output, reply};
use results::gamelog::Turn;
use rules::game::frames::Picture;
use rules::score::{self, Score};
use terms::millis::Millis;
use terms::text::duration;
use terms::verdict::Culprit;

/// The height of the figures in lines: narrow figures wrap, wide ones do not.
const FIGURE_LINES: u16 = 11;
const WIDE_FIGURE_LINES: u16 = 9;
/// From this many columns figures are wide.
const WIDE: u16 = 40;

pub(super) fn draw(screen: &mut Screen<'_>, player: &Player, look: Look) {
    let film = &player.film;
    let [title, main, times, gauge, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(screen.area());
    screen.render_widget(heading(player, look, title.width), title);
    match player.pane {
        Pane::Board if film.is_text() => {
            let panel = exchange::draw(screen, player, look, main);
            draw_panel(screen, player, look, panel);
        }
        Pane::Board => {
            let arrangement = Arrangement::of(&film.opening, main);
            arrangement.draw(screen, player, look);
            draw_panel(screen, player, look, arrangement.panel);
        }
        Pane::Output(line) => draw_output(screen, player, look, main, line),
        Pane::Keys => draw_keys(screen, look, main),
    }
    draw_times(screen, player, look, times);
    screen.render_widget(progress(player, look, gauge.width), gauge);
    screen.render_widget(help(player, look, keys.width), keys);
}

/// The bots, and their game if there is space.
fn heading(player: &Player, look: Look, width: u16) -> Line<'static> {
    let film = &player.film;
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let [bot, board] = [&film.bots(), &film.start.board].map(|name| look.text(name));
    let plays = if film.start.is_of_several() { "play" } else { "plays" };
    let long = format!(" {plays} {} on {board}", film.kind.name);
    let lines = [long, format!(" on {board}"), String::new()]
        .map(|rest| Line::from(vec![Span::styled(bot.clone(), bold), Span::raw(rest)]));
    first_that_fits(&lines, width)
}

/// The first line that fits into `width` columns, or else the last.
fn first_that_fits(lines: &[Line<'static>], width: u16) -> Line<'static> {
    let fits = |line: &Line<'_>| line.width() <= usize::from(width);
    let found = lines.iter().find(|line| fits(line)).or(lines.last());
    found.cloned().unwrap_or_default()
}

fn draw_panel(screen: &mut Screen<'_>, player: &Player, look: Look, area: Rect) {
    let height = if area.width < WIDE { FIGURE_LINES } else { WIDE_FIGURE_LINES };
    let inner = area.inner(INSET).width;
    let said = metrics::lines(player, look, inner);
    let said_height = u16::try_from(said.len()).unwrap_or(u16::MAX).min(area.height / 4);
    let [figures, names, output] = Layout::vertical([
        Constraint::Length(height),
        Constraint::Length(said_height),
        Constraint::Min(0),
    ])
    .areas(area);
    screen.render_widget(Paragraph::new(said), names.inner(INSET));
    let lines: Vec<Line<'_>> = panel(player, look);
    screen.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), figures.inner(INSET));
    draw_output(screen, player, look, output, 0);
}

const INSET: ratatui::layout::Margin = ratatui::layout::Margin { horizontal: 1, vertical: 0 };

/// The figures of a position.
fn panel(player: &Player, look: Look) -> Vec<Line<'static>> {
    let (film, position) = (&player.film, player.position);
    let shown = film.moves.get(position);
    let noun = film.opening.pace.noun();
    let number = shown.map_or("end".to_owned(), |played| played.frame.number.to_string());
    let total = film.moves.last().map_or(0, |played| played.frame.number);
    let gain = shown.map_or(Score::ZERO, |played| played.frame.gain);
    let gain = if gain == Score::ZERO { String::new() } else { format!(" +{gain}") };
    let label = |label: &str, value: String| Line::from(format!("{label:<6} {value}"));
    let mut lines = vec![
        label("score", format!("{}{gain}", score::shown(film.score(position)))),
        label(noun, format!("{number} of {total}")),
    ];
    let turn = film.turn(position);
    if let Some(time) = turn.and_then(|turn| time(film, turn)) {
        lines.push(label("time", look.text(&time)));
    }
    lines.push(Line::from(look.text(&film.describe(position))));
    lines.extend(turn.and_then(|turn| late(turn, look)));
    let message = shown.and_then(|played| played.frame.message.as_ref());
    let said = message.into_iter().flatten().filter(|line| !line.is_empty());
    lines.extend(said.map(|line| Line::from(format!("  \"{}\"", look.text(line)))));
    if shown.is_none() {
        lines.extend(finale(player, look));
    }
    lines.push(left(&film.board(position), look));
    let note = film.note.as_ref();
    lines.extend(note.map(|note| Line::styled(look.text(note), look.bad())));
    lines
}

fn time(film: &Film, turn: &Turn) -> Option<String> {
    let wall = duration(film.wall(turn)?);
    Some(match film.limit(turn) {
        Some(limit) => format!("{wall} of {}", duration(limit)),
        None => wall,
    })
}

fn late(turn: &Turn, look: Look) -> Option<Line<'static>> {
    let whose = match turn.overrun?.culprit {
        Culprit::Bot => "late through the bot's fault",
        Culprit::Host => "late through the host's fault",
    };
    Some(Line::styled(whose, look.bad()))
}

fn finale(player: &Player, look: Look) -> Vec<Line<'static>> {
    let Some(end) = &player.film.end else {
        let why = match player.game_state {
            GameState::Running => "the game goes on",
            GameState::Ended => "the log stops here",
        };
        return vec![Line::from(why)];
    };
    let style = if end.won { look.good() } else { look.bad() };
    let mut lines = vec![Line::styled(end.verdict.to_string(), style)];
    lines.extend(player.film.diagnosis().map(|why| Line::from(look.text(&why))));
    lines
}

/// The number of tiles left of each colour.
fn left(board: &Picture, look: Look) -> Line<'static> {
    let counts = board.left();
    let spans = (0..).zip(counts).flat_map(|(color, count): (u8, usize)| {
        [
            Span::styled(board.label(color).into_owned(), look.tile(color)),
            Span::raw(format!(" {count} ")),
        ]
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// Draws the bot's output in this turn and, if there is space, in earlier turns.
fn draw_output(screen: &mut Screen<'_>, player: &Player, look: Look, area: Rect, line: u16) {
    // Long lines wrap, so this estimate is never too small.
    let shown = usize::from(line) + usize::from(area.height);
    let lines: Vec<Line<'_>> = written(player)
        .take(shown)
        .map(|line| Line::from(look.text(&line.replace('\t', "    "))))
        .collect();
    let block = Block::bordered().border_set(look.border()).title("reply, standard error");
    let text = Paragraph::new(lines).block(block).wrap(Wrap { trim: false }).scroll((line, 0));
    screen.render_widget(text, area);
}

/// Reply and standard error of this turn, then of earlier turns, the latest first.
fn written(player: &Player) -> impl Iterator<Item = String> + use<'_> {
    let film = &player.film;
    let shown = film.moves.get(player.position).map(|played| played.turn);
    let last_words = match (shown, &film.end) {
        (None, Some(end)) => output(&end.stderr.0, end.stderr_dropped),
        _ => String::new(),
    };
    let last_words: Vec<String> = last_words.lines().map(str::to_owned).collect();
    let before = shown.unwrap_or(film.turns.len());
    let this = shown.and_then(|turn| film.turns.get(turn)).into_iter();
    let this = this.flat_map(|turn| lines_of(turn, ""));
    let earlier = film.turns[..before.min(film.turns.len())].iter().rev();
    let earlier = earlier.flat_map(|turn| lines_of(turn, &format!("turn {} ", turn.turn)));
    last_words.into_iter().chain(this).chain(earlier)
}

/// The lines that a bot wrote in a turn; the first one is its reply.
fn lines_of(turn: &Turn, name: &str) -> impl Iterator<Item = String> + use<> {
    let reply = reply(turn).lines().collect::<Vec<_>>().join(" ");
    let stderr = output(&turn.stderr.0, turn.stderr_dropped);
    let stderr: Vec<String> = stderr.lines().map(str::to_owned).collect();
    std::iter::once(format!("{name}> {reply}")).chain(stderr)
}

fn draw_keys(screen: &mut Screen<'_>, look: Look, area: Rect) {
    let lines = look.all_keys().map(|(keys, does)| Line::from(format!("{keys:<14} {does}")));
    let block = Block::bordered().border_set(look.border()).title("keys");
    screen.render_widget(Paragraph::new(lines.to_vec()).block(block), area);
}

/// A bar for each turn, on a logarithmic scale; late ones stand out.
fn draw_times(screen: &mut Screen<'_>, player: &Player, look: Look, area: Rect) {
    let film = &player.film;
    let turns = &film.turns;
    let times: Vec<f64> =
        turns.iter().filter_map(|turn| Some(film.wall(turn)?.as_secs_f64())).collect();
    if times.is_empty() || times.len() < turns.len() || area.width == 0 {
        return;
    }
    let logs: Vec<f64> = times.iter().map(|seconds| seconds.max(1e-6).log10()).collect();
    let low = logs.iter().copied().fold(f64::INFINITY, f64::min);
    let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).max(low + 0.5);
    let now = player.film.moves.get(player.position).map(|played| played.turn);
    let each = turns.len().div_ceil(usize::from(area.width));
    let spans: Vec<Span<'_>> = (0..turns.len())
        .step_by(each)
        .map(|first| {
            let range = first..(first + each).min(turns.len());
            let tallest = logs[range.clone()].iter().copied().fold(low, f64::max);
            let bar = look.bar((tallest - low) / (high - low));
            let is_late = turns[range.clone()].iter().any(|turn| turn.overrun.is_some());
            let style = if is_late { look.bad() } else { Style::new() };
            let is_now = now.is_some_and(|now| range.contains(&now));
            let style = if is_now { style.add_modifier(Modifier::REVERSED) } else { style };
            Span::styled(bar.to_string(), style)
        })
        .collect();
    let told = slowest(turns).map(|words| Line::from(look.text(&words)));
    let lines = vec![first_that_fits(&told, area.width), Line::from(spans)];
    screen.render_widget(Paragraph::new(lines), area);
}

/// The slowest later turn and the number of late ones, in full and in short.
fn slowest(turns: &[Turn]) -> [String; 3] {
    let late = turns.iter().filter(|turn| turn.overrun.is_some()).count();
    let late = if late == 0 { "none late".to_owned() } else { format!("{late} late") };
    let slowest = turns.iter().skip(1).map(|turn| (turn.wall, turn.turn)).max();
    let long = slowest.map_or(String::new(), |(Millis(wall), number)| {
        format!("slowest later turn {} (turn {number}), ", duration(wall))
    });
    [format!("response times: {long}{late}"), format!("{long}{late}"), late]
}

fn progress(player: &Player, look: Look, width: u16) -> Line<'static> {
    let (done, rest) = look.gauge();
    let width = usize::from(width);
    let filled = player.position * width / player.film.last_position().max(1);
    Line::from(format!("{}{}", done.repeat(filled), rest.repeat(width - filled)))
}

fn help(player: &Player, look: Look, width: u16) -> Line<'static> {
    if !player.typed.is_empty() {
        return Line::from(format!(
            "go to {} {}_  (Enter)",
            player.film.opening.pace.noun(),
            player.typed
        ));
    }
    let state = match (player.is_playing(), player.game_state) {
        (true, GameState::Running) => "live",
        (true, GameState::Ended) => "playing",
        (false, _) => "paused",
    };
    let line = |keys: &str| Line::from(format!("{state} {}/s  {keys}", player.speed()));
    first_that_fits(&look.keys().map(line), width)
}
