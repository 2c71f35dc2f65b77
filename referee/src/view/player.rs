//! The terminal player: shows a game move by move, saved or while it is played.
//!
//! A game never waits for the player: the match loop only sends its events into a channel. A thread of its own reads the keys, since that
//! blocks.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use console::{Color, Key, Style, Term, set_colors_enabled, truncate_str};
#[cfg(unix)]
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use contain::cancel::Canceller;
use report::view::film::Film;
use report::view::{output, reply};
use results::gamelog::{Event, Turn};
use rules::game::frames::{CellIndex, Frame, Origin, Pace, Picture};
use rules::score;
use terms::text::{duration, printable};
use terms::verdict::Culprit;

/// The longest time between two checks for signals, events and the terminal's size.
const IDLE: Duration = Duration::from_millis(100);
/// The tiles' colours.
const COLORS: [Color; 6] =
    [Color::Blue, Color::Yellow, Color::Green, Color::Magenta, Color::Cyan, Color::Red];

/// Why the player closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// The user quit.
    Quit,
    /// The user pressed Ctrl-C, or a signal came.
    Interrupted,
}

/// The game to show.
#[derive(Debug)]
pub enum Show {
    /// A saved game.
    Saved(Box<Film>),
    /// A running game: its events as they come, until the sender is dropped.
    Live(Receiver<Event>),
}

/// Why nothing can be shown here; `None` if it can.
pub fn obstacle() -> Option<&'static str> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Some("standard input and output must be a terminal");
    }
    (cfg!(unix) && console::is_dumb())
        .then_some("TERM must name a terminal that can place its cursor")
}

/// Shows a game until the user quits, then restores the terminal.
///
/// # Errors
/// When the terminal fails.
pub fn watch(show: Show, interrupt: &Canceller) -> io::Result<Watched> {
    let (mut player, events) = match show {
        Show::Saved(film) => (Some(Player::new(*film, false)), None),
        Show::Live(events) => (None, Some(events)),
    };
    set_colors_enabled(anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never);
    let screen = Screen::open()?;
    let keys = keys()?;
    let (mut drawn, mut is_stale) = ((0, 0), true);
    loop {
        if let Some(events) = &events {
            let Some(has_news) = take_in(events, &mut player) else { return Ok(Watched::Quit) };
            is_stale |= has_news;
        }
        if interrupt.cancelled().is_some() {
            return Ok(Watched::Interrupted);
        }
        // 80 columns and 24 lines where the terminal does not know its size.
        let size = screen.term.size();
        let has_moved = player.as_mut().is_some_and(|player| player.advance(Instant::now()));
        if let Some(player) = &player
            && (has_moved || is_stale || size != drawn)
        {
            screen.draw(&player.lines(size.1.into()), size.0.into())?;
            (drawn, is_stale) = (size, false);
        }
        let first = keys.recv_timeout(player.as_ref().map_or(IDLE, Player::pause));
        // Of many keys at once only the last position is drawn.
        for key in first.into_iter().chain(keys.try_iter()) {
            is_stale = true;
            match (key, &mut player) {
                (Err(error), _) if error.kind() == io::ErrorKind::Interrupted => {
                    return Ok(Watched::Interrupted);
                }
                (Err(error), _) => return Err(error),
                (Ok(key), _) if is_last(&key) => return Ok(Watched::Quit),
                (Ok(key), Some(player)) => player.press(&key),
                (Ok(_), None) => {}
            }
        }
    }
}

/// Adds the events that have arrived. Returns whether there were any, and `None` if the game ended before it started.
fn take_in(events: &Receiver<Event>, player: &mut Option<Player>) -> Option<bool> {
    let mut has_news = false;
    loop {
        match (events.try_recv(), player.as_mut()) {
            // A repeated game starts over.
            (Ok(Event::Start(start)), _) => {
                *player = Film::new(start).ok().map(|film| Player::new(film, true));
            }
            (Ok(event), Some(player)) => player.film.add(event),
            (Ok(_), None) => {}
            (Err(TryRecvError::Empty), _) => return Some(has_news),
            (Err(TryRecvError::Disconnected), player) => {
                return Some(std::mem::take(&mut player?.is_live) || has_news);
            }
        }
        has_news = true;
    }
}

/// A game and the position that is shown.
struct Player {
    film: Film,
    position: usize,
    /// Whether the game is still being played.
    is_live: bool,
    /// The time of the next move; `None` while paused.
    due: Option<Instant>,
}

impl Player {
    /// Starts playing a running game; a saved one waits for a key.
    fn new(film: Film, is_live: bool) -> Self {
        Self { film, position: 0, is_live, due: is_live.then(Instant::now) }
    }

    /// The time that a move is shown.
    fn each(&self) -> Duration {
        let is_quick = self.film.opening.pace == Pace::Moves;
        Duration::from_millis(if is_quick { 20 } else { 250 })
    }

    /// How long nothing changes by itself.
    fn pause(&self) -> Duration {
        self.due.map_or(IDLE, |due| due.saturating_duration_since(Instant::now()).min(IDLE))
    }

    /// Plays the move that is due; `true` if the screen must be redrawn.
    fn advance(&mut self, now: Instant) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due && self.position < self.film.last_position() {
            self.position += 1;
            self.due = Some(now + self.each());
        } else if is_due {
            self.due = self.is_live.then(|| now + self.each());
            return !self.is_live;
        }
        is_due
    }

    fn press(&mut self, key: &Key) {
        let was_paused = self.due.take().is_none();
        let last = self.film.last_position();
        let to = match key {
            Key::Char(' ') => {
                self.due = was_paused.then(|| Instant::now() + self.each());
                return;
            }
            Key::ArrowLeft => self.position.saturating_sub(1),
            Key::ArrowRight => self.position + 1,
            Key::ArrowUp => self.position.saturating_sub(10),
            Key::ArrowDown => self.position + 10,
            Key::Home => 0,
            Key::End => last,
            _ => return,
        };
        self.position = to.min(last);
    }

    /// All lines of the screen, for this width.
    fn lines(&self, width: usize) -> Vec<String> {
        let (film, turn) = (&self.film, self.film.turn(self.position));
        let frame = film.moves.get(self.position).map(|played| &played.frame);
        let title = format!("{}: {} on {}", film.kind.name, film.bots(), film.start.board);
        let mut shown = vec![printable(&title)];
        if !film.is_text() {
            shown.extend(draw_board(&film.board(self.position), frame, width));
        }
        let told = film.describe(self.position).into_owned();
        let mut lines = vec![String::new(), self.figures(frame, turn), told];
        lines.extend(frame.and_then(|frame| frame.message.clone()).into_iter().flatten());
        if frame.is_none() {
            lines.extend(self.finale());
        }
        lines.extend(film.note.clone());
        let mut add = |title: &str, text: &str| {
            if !text.trim_end().is_empty() {
                lines.extend([String::new(), format!("{title}:")]);
                lines.extend(text.lines().map(str::to_owned));
            }
        };
        if film.is_text() {
            let (sent, answer) = film.texts(self.position);
            let told = turn.map_or_else(|| film.told_at_end(), |turn| film.told(turn));
            add("the judge's summary", &told);
            add("the bot's answer", &answer);
            add("sent to the bot", sent);
        } else if let Some(turn) = turn {
            add("the bot's reply", &reply(turn));
        }
        let end = film.end.as_ref().map(|end| (&end.process.stderr, end.process.stderr_dropped));
        let written = turn.map_or(end, |turn| Some((&turn.stderr, turn.stderr_dropped)));
        let stderr = written.map(|(text, dropped)| output(&text.0, dropped)).unwrap_or_default();
        add("the bot's standard error", &stderr);
        let state = if self.due.is_none() { "paused" } else { "playing" };
        shown.extend(lines.iter().flat_map(|line| wrap(line, width)));
        let keys = "space plays, left/right step, up/down leap, home, end, q quits";
        shown.push(format!("{state}: {keys}"));
        shown.into_iter().map(|line| truncate_str(&line, width, "").into_owned()).collect()
    }

    /// Position, score and time.
    fn figures(&self, frame: Option<&Frame>, turn: Option<&Turn>) -> String {
        let film = &self.film;
        let number = frame.map_or_else(|| "end".to_owned(), |frame| frame.number.to_string());
        let total = film.moves.last().map_or(0, |played| played.frame.number);
        let noun = film.opening.pace.noun();
        let score = score::shown(film.score(self.position));
        let mut told = format!("{noun} {number} of {total}, score {score}");
        if let Some(frame) = frame.filter(|frame| frame.gain != score::Score::ZERO) {
            let _ = write!(told, " +{}", frame.gain);
        }
        if let Some((turn, wall)) = turn.and_then(|turn| Some((turn, film.wall(turn)?))) {
            let _ = write!(told, ", time {}", duration(wall));
            if let Some(limit) = film.limit(turn) {
                let _ = write!(told, " of {}", duration(limit));
            }
            if let Some(late) = turn.overrun {
                let whose = if late.culprit == Culprit::Bot { "bot" } else { "host" };
                let _ = write!(told, ", late through the {whose}'s fault");
            }
        }
        told
    }

    /// How the game ended, or why nothing is known of its end.
    fn finale(&self) -> Vec<String> {
        let Some(end) = &self.film.end else {
            let why = if self.is_live { "the game goes on" } else { "the log stops here" };
            return vec![why.to_owned()];
        };
        let diagnosis = self.film.diagnosis().map(Cow::into_owned);
        [end.verdict.to_string()].into_iter().chain(diagnosis).collect()
    }
}

/// Makes a text's line inert, and breaks it into lines of this width.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let line: Vec<char> = printable(&line.replace('\t', "    ")).chars().collect();
    let lines: Vec<String> = line.chunks(width.max(1)).map(|part| part.iter().collect()).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

/// The rows of a board between the numbers of rows and columns, with tiles as wide as there is room for.
fn draw_board(picture: &Picture, shown: Option<&Frame>, width: usize) -> Vec<String> {
    let longest = (0..picture.colors).map(|color| picture.label(color).chars().count()).max();
    let room = width.saturating_sub(3) / usize::from(picture.columns).max(1);
    let tile_width = room.clamp(1, longest.unwrap_or(1) + 2);
    let column = |column: u16| format!("{:^tile_width$}", column % 10);
    let numbers = format!("   {}", (0..picture.columns).map(column).collect::<String>());
    let is_from_below = picture.origin == Origin::BottomLeft;
    let row = |row: u16| {
        let number = if is_from_below { picture.rows - 1 - row } else { row };
        let places = (0..picture.columns).map(|column| row * picture.columns + column);
        let tiles: String = places.map(|place| tile(picture, place, shown, tile_width)).collect();
        format!("{number:>2} {tiles}")
    };
    let rows: Vec<String> = (0..picture.rows).map(row).collect();
    if is_from_below { [rows, vec![numbers]].concat() } else { [vec![numbers], rows].concat() }
}

/// A tile: its label, between arrows if the move chooses it, in brackets if the move concerns it.
fn tile(picture: &Picture, place: CellIndex, shown: Option<&Frame>, width: usize) -> String {
    let Some(color) = picture.tiles[usize::from(place)] else { return " ".repeat(width) };
    let is_chosen = shown.is_some_and(|frame| frame.chosen == Some(place));
    let is_picked = is_chosen || shown.is_some_and(|frame| frame.concerns(place));
    let marks = if is_chosen { [">", "<"] } else { ["[", "]"] };
    let [left, right] = if is_picked { marks } else { [" ", " "] };
    let inner = width.saturating_sub(2).max(1);
    let label = format!("{:^inner$.inner$}", picture.label(color));
    let text = if width < 3 { format!("{label:<width$}") } else { format!("{left}{label}{right}") };
    let tile = Style::new().black().bg(COLORS[usize::from(color) % COLORS.len()]);
    let tile = if is_picked { tile.reverse().bold() } else { tile };
    tile.apply_to(text).to_string()
}

/// The terminal while the player owns it, restored when this is dropped.
struct Screen {
    term: Term,
    #[cfg(unix)]
    before: Termios,
}

impl Screen {
    /// Turns to a cleared alternate screen, where typed keys are not echoed.
    fn open() -> io::Result<Self> {
        let term = Term::stdout();
        #[cfg(unix)]
        let before = {
            let before = tcgetattr(rustix::stdio::stdin())?;
            let mut raw = before.clone();
            raw.make_raw();
            tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &raw)?;
            before
        };
        term.write_str("\x1b[?1049h\x1b[?25l")?;
        Ok(Self {
            term,
            #[cfg(unix)]
            before,
        })
    }

    /// Shows the lines that fit, the last one always.
    fn draw(&self, lines: &[String], height: usize) -> io::Result<()> {
        let (last, others) = lines.split_last().expect("the keys");
        let shown =
            others.iter().take(height.saturating_sub(1)).map(|line| format!("{line}\x1b[K\r\n"));
        self.term.write_str(&format!("\x1b[H{}{last}\x1b[K\x1b[J", shown.collect::<String>()))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal has gone away, there is nothing to restore.
        let _ = self.term.write_str("\x1b[?25h\x1b[?1049l");
        #[cfg(unix)]
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.before);
    }
}

/// The keys as they are typed, up to the one that closes the player. Ctrl-C is an error, and a signal to this process.
fn keys() -> io::Result<Receiver<io::Result<Key>>> {
    let (typed, keys) = mpsc::channel();
    let read = move || {
        let term = Term::stdout();
        loop {
            let key = term.read_key();
            let is_last = key.as_ref().map_or(true, is_last);
            if typed.send(key).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("keys".to_owned()).spawn(read).map(|_| keys)
}

/// Whether a key closes the player.
fn is_last(key: &Key) -> bool {
    *key == Key::Char('q')
}
