//! The colours and characters that a terminal can show.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use terms::text::printable;

/// The characters to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// All of Unicode.
    Unicode,
    /// ASCII only.
    Ascii,
}

impl Charset {
    /// ASCII where the locale names another charset than UTF-8. Terminals without a locale are taken for modern ones.
    pub fn of_locale() -> Self {
        let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os);
        let set = set.map(|name| name.to_string_lossy().to_ascii_lowercase());
        let mut set = set.filter(|name| !name.is_empty());
        let is_utf8 = |name: String| name.contains("utf-8") || name.contains("utf8");
        if set.next().is_none_or(is_utf8) { Self::Unicode } else { Self::Ascii }
    }
}

/// The colours to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Palette {
    /// 24-bit colours.
    Full,
    /// The sixteen colours of every colour terminal.
    Sixteen,
    /// No colours.
    None,
}

/// The appearance of the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    charset: Charset,
    palette: Palette,
}

/// The tiles' colours, as on the page: Okabe and Ito's palette, which colour-blind people can tell apart.
const FULL: [Color; 6] = [
    Color::Rgb(0x00, 0x72, 0xb2),
    Color::Rgb(0xe6, 0x9f, 0x00),
    Color::Rgb(0x00, 0x9e, 0x73),
    Color::Rgb(0xcc, 0x79, 0xa7),
    Color::Rgb(0xf0, 0xe4, 0x42),
    Color::Rgb(0xd5, 0x5e, 0x00),
];
const SIXTEEN: [Color; 6] =
    [Color::Blue, Color::Yellow, Color::Green, Color::Magenta, Color::Cyan, Color::Red];

const ASCII_BORDER: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

impl Look {
    /// The look for this terminal: colours unless disabled or not to be had, and 24-bit ones if it announces them.
    pub fn of_terminal(charset: Charset) -> Self {
        let wants = anstream::AutoStream::choice(&std::io::stdout());
        let true_color = std::env::var("COLORTERM");
        let palette = match true_color.as_deref() {
            _ if wants == anstream::ColorChoice::Never || is_monochrome() => Palette::None,
            Ok("truecolor" | "24bit") => Palette::Full,
            _ => Palette::Sixteen,
        };
        Self { charset, palette }
    }

    /// A tile of this colour. Tiles show a digit as well, for terminals without colours.
    pub(super) fn tile(self, color: u8) -> Style {
        let index = usize::from(color) % FULL.len();
        match self.palette {
            Palette::Full => {
                let ink = if matches!(color, 0 | 2 | 5) { Color::White } else { Color::Black };
                Style::new().bg(FULL[index]).fg(ink)
            }
            Palette::Sixteen => Style::new().bg(SIXTEEN[index]).fg(Color::Black),
            Palette::None => Style::new(),
        }
    }

    /// A tile that the move removes or moves.
    pub(super) fn picked(self, style: Style) -> Style {
        match self.palette {
            Palette::Full => style.bg(Color::White).fg(Color::Black).add_modifier(Modifier::BOLD),
            Palette::Sixteen => style.bg(Color::Gray).add_modifier(Modifier::BOLD),
            Palette::None => style.add_modifier(Modifier::REVERSED),
        }
    }

    pub(super) fn good(self) -> Style {
        self.ink(Color::Green)
    }

    pub(super) fn bad(self) -> Style {
        self.ink(Color::Red)
    }

    fn ink(self, color: Color) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        if self.palette == Palette::None { bold } else { bold.fg(color) }
    }

    pub(super) fn border(self) -> border::Set<'static> {
        match self.charset {
            Charset::Unicode => border::ROUNDED,
            Charset::Ascii => ASCII_BORDER,
        }
    }

    /// A bar of this relative height, from 0 to 1.
    pub(super) fn bar(self, part: f64) -> char {
        let bars = self.bars();
        bars[level(part, bars.len())]
    }

    /// Bars of growing height.
    fn bars(self) -> &'static [char] {
        match self.charset {
            Charset::Unicode => &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
            Charset::Ascii => &['_', '.', ':', '-', '=', '+', '*', '#'],
        }
    }

    /// The characters of a gauge: the part that is done, and the rest.
    pub(super) fn gauge(self) -> (&'static str, &'static str) {
        match self.charset {
            Charset::Unicode => ("━", "─"),
            Charset::Ascii => ("=", "-"),
        }
    }

    /// The most useful keys: in less than 80 columns, and in less than 40.
    pub(super) fn keys(self) -> [&'static str; 2] {
        let short = "? keys  q quit";
        match self.charset {
            Charset::Unicode => {
                ["space play  ←→ step  n gain  17↵ go  e output  ? keys  q quit", short]
            }
            Charset::Ascii => {
                ["space play  <> step  n gain  17 Enter  e text  ? keys  q quit", short]
            }
        }
    }

    /// All keys and their actions.
    pub(super) fn all_keys(self) -> [(&'static str, &'static str); 12] {
        let (arrows, up_down) = match self.charset {
            Charset::Unicode => ("← →  h l", "↑ ↓"),
            Charset::Ascii => ("< >  h l", "up down"),
        };
        [
            ("space", "play or pause"),
            (arrows, "back, forward"),
            ("home end  g G", "start, end"),
            ("page up/down", "a twentieth"),
            ("17 enter", "to move 17"),
            ("n", "next move that scores"),
            ("+ -", "faster, slower"),
            ("e", "what the bot wrote"),
            (up_down, "scroll that"),
            ("?", "these keys"),
            ("ctrl-z", "suspend"),
            ("q esc", "quit"),
        ]
    }

    /// Makes text inert and limits it to the terminal's characters. All text of the player passes through
    /// here.
    pub(super) fn text(self, text: &str) -> String {
        let text = printable(text);
        if self.charset == Charset::Unicode || text.is_ascii() {
            return text;
        }
        let plain = |c: char| match c {
            'µ' => 'u',
            c if c.is_ascii() => c,
            _ => '?',
        };
        text.chars().map(plain).collect()
    }
}

/// Whether this is one of DEC's terminals, or a terminal by a name that says so.
fn is_monochrome() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    term.starts_with("vt") || term.ends_with("-m") || term.ends_with("-mono")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a part of one becomes one of a few levels"
)]
fn level(part: f64, levels: usize) -> usize {
    ((part * levels as f64) as usize).min(levels - 1)
}
