//! Square Remover from the bot's side: the test case, the changing board, and two strategies.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use crate::take_no_arguments;

/// The moves of a game.
pub(crate) const MOVES: usize = 10_000;

/// The steps to the neighbours in the protocol's order: up, right, down, left.
const STEPS: [(i32, i32); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

/// A test case as it came.
pub(crate) struct Case {
    pub(crate) colors: u64,
    /// By row from the top.
    pub(crate) tiles: Vec<Vec<u8>>,
    pub(crate) start_seed: u64,
}

impl Case {
    /// Reads the case; its first line, the number of colours, has been read already.
    pub(crate) fn read(first: &str, input: &mut impl BufRead) -> io::Result<Self> {
        let colors = number(first)?;
        let mut line = String::new();
        let mut next = || {
            line.clear();
            input.read_line(&mut line)?;
            Ok::<_, io::Error>(line.trim().to_owned())
        };
        let side = number(&next()?)?;
        let row = |text: String| text.bytes().map(|digit| digit.wrapping_sub(b'0')).collect();
        let tiles = (0..side).map(|_| next().map(row)).collect::<io::Result<_>>()?;
        Ok(Self { colors, tiles, start_seed: number(&next()?)? })
    }

    pub(crate) fn side(&self) -> usize {
        self.tiles.len()
    }
}

fn number(text: &str) -> io::Result<u64> {
    text.trim().parse().map_err(io::Error::other)
}

/// A swap: row, column, direction.
pub(crate) type Swap = (usize, usize, usize);

/// The moves of the bot that the original tester was measured with.
pub(crate) fn random_swaps(case: &Case) -> Vec<Swap> {
    swaps_by_chance(case).take(MOVES).collect()
}

/// A linear congruential generator from the start seed picks cell and direction; swaps off the board
/// are passed over.
fn swaps_by_chance(case: &Case) -> impl Iterator<Item = Swap> + use<> {
    let side = case.side();
    let mut x = case.start_seed & 0xffff_ffff;
    let draws = std::iter::repeat_with(move || {
        x = (x * 1_664_525 + 1_013_904_223) & 0xffff_ffff;
        let below = |shift: u32, bound: usize| {
            usize::try_from((x >> shift) % bound as u64).expect("below a small bound")
        };
        (below(8, side), below(16, side), below(24, 4))
    });
    draws.filter(move |&swap| neighbour(swap, side).is_some())
}

/// The cell that a swap exchanges its cell with, if it is on the board.
fn neighbour((row, column, direction): Swap, side: usize) -> Option<(usize, usize)> {
    let (down, right) = STEPS[direction];
    let within = |n: usize, step: i32| n.checked_add_signed(step as isize).filter(|&n| n < side);
    Some((within(row, down)?, within(column, right)?))
}

/// The board in play, with the buffer that refills it.
struct Board {
    colors: u64,
    tiles: Vec<Vec<u8>>,
    next: u64,
}

impl Board {
    fn new(case: &Case) -> Self {
        let mut board =
            Self { colors: case.colors, tiles: case.tiles.clone(), next: case.start_seed };
        board.remove_squares();
        board
    }

    fn play(&mut self, swap: Swap) {
        self.exchange(swap);
        self.remove_squares();
    }

    fn exchange(&mut self, swap: Swap) {
        let (row, column) = neighbour(swap, self.tiles.len()).expect("a swap on the board");
        let tile = self.tiles[swap.0][swap.1];
        self.tiles[swap.0][swap.1] = self.tiles[row][column];
        self.tiles[row][column] = tile;
    }

    fn remove_squares(&mut self) {
        while let Some((row, column)) = self.squares().find(|&(row, column)| {
            square(row, column).iter().all(|&(r, c)| self.tiles[r][c] == self.tiles[row][column])
        }) {
            for (r, c) in square(row, column) {
                self.tiles[r][c] = u8::try_from(self.next % self.colors).expect("small");
                self.next = self.next * 48_271 % 0x7fff_ffff;
            }
        }
    }

    /// The top left corners of all possible squares.
    fn squares(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let last = self.tiles.len() - 1;
        (0..last).flat_map(move |row| (0..last).map(move |column| (row, column)))
    }

    /// A swap that completes a square.
    fn completing_swap(&self) -> Option<Swap> {
        self.squares().find_map(|corner| self.completing(corner))
    }

    /// A swap that completes this square: three of its tiles match, and a neighbour of the fourth,
    /// outside the square, has their colour.
    fn completing(&self, (row, column): (usize, usize)) -> Option<Swap> {
        let cells = square(row, column);
        let tile = |(r, c): (usize, usize)| self.tiles[r][c];
        cells.into_iter().enumerate().find_map(|(odd, cell)| {
            let others = [1, 2, 3].map(|step| cells[(odd + step) % 4]);
            let color = tile(others[0]);
            if others.iter().any(|&other| tile(other) != color) {
                return None;
            }
            (0..4).map(|direction| (cell.0, cell.1, direction)).find(|&swap| {
                neighbour(swap, self.tiles.len())
                    .is_some_and(|near| !cells.contains(&near) && tile(near) == color)
            })
        })
    }

    /// Whether the next swap could complete a square near this one, were it made.
    fn prepares(&mut self, swap: Swap) -> bool {
        self.exchange(swap);
        let last = self.tiles.len() - 2;
        let rows = swap.0.saturating_sub(2)..=(swap.0 + 2).min(last);
        let columns = swap.1.saturating_sub(2)..=(swap.1 + 2).min(last);
        let mut corners = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
        let prepares = corners.any(|corner| self.completing(corner).is_some());
        self.exchange(swap);
        prepares
    }
}

fn square(row: usize, column: usize) -> [(usize, usize); 4] {
    [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]
}

/// The number of random swaps to try for one that prepares a square.
const TRIES: usize = 100;

/// Each swap completes a square if one can be completed, or else prepares one.
fn greedy_swaps(case: &Case) -> Vec<Swap> {
    let mut board = Board::new(case);
    let mut by_chance = swaps_by_chance(case);
    let mut swaps = Vec::with_capacity(MOVES);
    while swaps.len() < MOVES {
        let swap = board
            .completing_swap()
            .or_else(|| by_chance.by_ref().take(TRIES).find(|&swap| board.prepares(swap)))
            .or_else(|| by_chance.next())
            .expect("chance has no end");
        board.play(swap);
        swaps.push(swap);
    }
    swaps
}

pub(crate) fn random(args: &[OsString]) -> io::Result<ExitCode> {
    take_no_arguments("squares-random", args);
    play(random_swaps)
}

pub(crate) fn greedy(args: &[OsString]) -> io::Result<ExitCode> {
    take_no_arguments("squares-greedy", args);
    play(greedy_swaps)
}

fn play(strategy: fn(&Case) -> Vec<Swap>) -> io::Result<ExitCode> {
    let mut input = io::stdin().lock();
    let mut first = String::new();
    input.read_line(&mut first)?;
    let case = Case::read(&first, &mut input)?;
    io::stdout().lock().write_all(numbers(&strategy(&case)).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The answer: three numbers for each swap, each on a line.
pub(crate) fn numbers(swaps: &[Swap]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for (row, column, direction) in swaps {
        writeln!(text, "{row}\n{column}\n{direction}").expect("memory");
    }
    text
}

/// Ways to spoil an answer; K counts moves for the first five and numbers for the others.
#[derive(clap::Subcommand, Clone, Copy)]
pub(crate) enum Spoil {
    /// The row of move K is the board's size
    Outside { k: usize },
    /// The column of move K is -1
    Negative { k: usize },
    /// Move K points off the board: row 0, direction up
    Edge { k: usize },
    /// The direction of move K is 4
    Baddir { k: usize },
    /// The direction of move K is -1
    Negdir { k: usize },
    /// Number K is `abc`
    Text { k: usize },
    /// Number K has a blank before it
    Space { k: usize },
    /// Number K has a plus before it
    Plus { k: usize },
    /// Number K is 1.0
    Float { k: usize },
    /// Number K is an empty line
    Empty { k: usize },
    /// Only the first K numbers come
    Short { k: usize },
    /// Three numbers too many
    Extra,
    /// Every line ends in CR LF
    Crlf,
    /// The last line has no newline
    Noeol,
}

impl Spoil {
    /// The wrong answer to a case.
    ///
    /// # Errors
    /// When the answer has no move or number K.
    pub(crate) fn answer(self, case: &Case) -> io::Result<String> {
        let text = numbers(&random_swaps(case));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if self.last_number() >= lines.len() {
            return Err(io::Error::other("K is beyond the answer"));
        }
        let mut set = |index: usize, text: &str| text.clone_into(&mut lines[index]);
        match self {
            Self::Crlf | Self::Noeol => {}
            Self::Outside { k } => set(3 * k, &case.side().to_string()),
            Self::Negative { k } => set(3 * k + 1, "-1"),
            Self::Edge { k } => {
                set(3 * k, "0");
                set(3 * k + 2, "0");
            }
            Self::Baddir { k } => set(3 * k + 2, "4"),
            Self::Negdir { k } => set(3 * k + 2, "-1"),
            Self::Text { k } => set(k, "abc"),
            Self::Float { k } => set(k, "1.0"),
            Self::Empty { k } => set(k, ""),
            Self::Space { k } => lines[k].insert(0, ' '),
            Self::Plus { k } => lines[k].insert(0, '+'),
            Self::Short { k } => lines.truncate(k),
            Self::Extra => lines.extend(["7", "8", "9"].map(str::to_owned)),
        }
        let end = if let Self::Crlf = self { "\r\n" } else { "\n" };
        let mut text: String = lines.iter().flat_map(|line| [line.as_str(), end]).collect();
        if let Self::Noeol = self {
            text.pop();
        }
        Ok(text)
    }

    /// The index of the last changed number.
    fn last_number(self) -> usize {
        match self {
            Self::Outside { k }
            | Self::Negative { k }
            | Self::Edge { k }
            | Self::Baddir { k }
            | Self::Negdir { k } => k.saturating_mul(3).saturating_add(2),
            Self::Text { k }
            | Self::Space { k }
            | Self::Plus { k }
            | Self::Float { k }
            | Self::Empty { k } => k,
            Self::Short { .. } | Self::Extra | Self::Crlf | Self::Noeol => 0,
        }
    }
}
