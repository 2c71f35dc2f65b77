//! What a report says to people, in any format.
//!
//! A subject (a suite, a comparison, times, a list of runs, a host) makes one document. The terminal, Markdown
//! and HTML each render it, and each make the text of bots, boards and users inert in its own way.

mod html;
mod markdown;
mod terminal;

use std::io::{self, Write};

use super::histogram::Histogram;

/// The parts of a report, in their order.
#[derive(Debug, Default)]
pub struct Document(Vec<Part>);

/// A part of a report.
#[derive(Debug)]
pub(crate) enum Part {
    /// The result in a line.
    Headline(Line),
    /// A sentence about the part right above.
    Note(Line),
    /// A sentence that stands alone.
    Sentence(Line),
    /// A list; without a heading it belongs to the part right above.
    List(&'static str, Vec<Line>),
    Table(Table),
    /// The times of turns as bars, which only terminals and pages draw.
    Histogram(Histogram),
    /// A part that only terminals show.
    InTerminal(Box<Part>),
}

/// Whether words are good news, bad news, or to be stressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Neither good nor bad.
    #[default]
    Plain,
    /// More important than their surroundings.
    Strong,
    /// Less important than their surroundings.
    Soft,
    /// Good news.
    Good,
    /// Bad news.
    Bad,
}

/// A line of text: a number in its own column if there is one, words with a tone, and the rest.
#[derive(Debug, Default)]
pub(crate) struct Line {
    number: Option<Number>,
    tone: Tone,
    toned: String,
    rest: String,
}

/// The number or mark before a line.
#[derive(Debug)]
struct Number {
    /// What the number counts, for formats without columns; empty if that is obvious.
    noun: &'static str,
    value: String,
    width: usize,
}

impl Line {
    /// Words with a tone, and the rest of the line.
    pub(crate) fn toned(tone: Tone, toned: impl Into<String>, rest: impl Into<String>) -> Self {
        Self { number: None, tone, toned: toned.into(), rest: rest.into() }
    }

    /// A line after a number in a column of this width; `noun` says what it counts.
    pub(crate) fn numbered(noun: &'static str, value: String, width: usize, rest: String) -> Self {
        Self { number: Some(Number { noun, value, width }), rest, ..Self::default() }
    }
}

impl<T: Into<String>> From<T> for Line {
    fn from(text: T) -> Self {
        Self { rest: text.into(), ..Self::default() }
    }
}

/// A table. Its first column holds words, the others numbers, unless it says otherwise.
#[derive(Debug)]
pub(crate) struct Table {
    /// The label for screen readers, unique on its page.
    pub(crate) label: String,
    pub(crate) headings: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// The columns that hold words.
    pub(crate) words: Vec<usize>,
    /// The least width of each column, in characters.
    pub(crate) widths: &'static [u16],
}

impl Table {
    /// A table with a column of words and others of numbers.
    pub(crate) fn new(
        label: impl Into<String>,
        headings: &[&str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let headings = headings.iter().map(|&heading| heading.to_owned()).collect();
        let rows = rows.into_iter().collect();
        Self { label: label.into(), headings, rows, words: vec![0], widths: &[] }
    }

    /// Its HTML, for a page.
    pub(crate) fn html(&self) -> String {
        html::table(self)
    }
}

impl Document {
    pub(crate) fn add(&mut self, part: Part) {
        self.0.push(part);
    }

    /// Adds the parts of another document.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn headline(&mut self, line: Line) {
        self.add(Part::Headline(line));
    }

    pub(crate) fn note(&mut self, line: impl Into<Line>) {
        self.add(Part::Note(line.into()));
    }

    pub(crate) fn sentence(&mut self, line: impl Into<Line>) {
        self.add(Part::Sentence(line.into()));
    }

    /// Adds a list, unless it is empty.
    pub(crate) fn list(&mut self, heading: &'static str, lines: impl IntoIterator<Item = Line>) {
        let lines: Vec<Line> = lines.into_iter().collect();
        if !lines.is_empty() {
            self.add(Part::List(heading, lines));
        }
    }

    pub(crate) fn table(&mut self, table: Table) {
        self.add(Part::Table(table));
    }

    /// Adds a part that only terminals show.
    pub(crate) fn in_terminal(&mut self, part: Part) {
        self.add(Part::InTerminal(Box::new(part)));
    }

    /// Writes it for a terminal, with colours.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        terminal::write(&self.0, out)
    }

    pub(crate) fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        markdown::write(&self.0, out)
    }

    /// Its HTML, for a page.
    pub(crate) fn html(&self) -> String {
        html::markup(&self.0)
    }
}

/// A heading as it stands in a page.
fn capitalised(heading: &str) -> String {
    let (first, rest) = heading.split_at(heading.len().min(1));
    first.to_uppercase() + rest
}
