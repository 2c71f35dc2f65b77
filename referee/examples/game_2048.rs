//! 2048 as a game of one's own: a bot plays it, the log is kept and refereed again, and a page shows it.
//!
//! `cargo run --example game_2048 -- FOLDER` leaves the log and the page in that folder.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use referee::bot::BotCommand;
use referee::config::Config;
use referee::game::frames::{Change, Frame, Picture, View};
use referee::game::{Answer, Ask, End, GameKind, Next, Ruling, SinglePlayer, Step, TestCase};
use referee::gamelog::{Log, LogWriter};
use referee::limits::LimitKind;
use referee::lines::Lines;
use referee::play::Match;
use referee::replay::replay_as;
use referee::source::SourceError;
use referee::verdict::Verdict;
use referee::view::film::Film;
use referee::view::page::page;
use serde_json::json;

const SIDE: usize = 4;
const DIRECTIONS: [&str; 4] = ["left", "right", "up", "down"];

/// The board: 0 is empty, n is the tile 2^n.
type Tiles = [u8; SIDE * SIDE];

#[derive(Clone)]
struct Game2048 {
    /// What all new tiles follow from.
    random: u64,
    tiles: Tiles,
    score: i64,
    moves: usize,
    result: Option<String>,
}

/// What a move does, before a new tile comes.
struct Slide {
    tiles: Tiles,
    gain: i64,
    step: Change,
}

/// The places of each row or column, from the side to which tiles slide.
fn lanes(direction: usize) -> impl Iterator<Item = [usize; SIDE]> {
    (0..SIDE).map(move |lane| {
        std::array::from_fn(|index| match direction {
            0 => lane * SIDE + index,
            1 => lane * SIDE + SIDE - 1 - index,
            2 => index * SIDE + lane,
            _ => (SIDE - 1 - index) * SIDE + lane,
        })
    })
}

/// `None` if nothing would move.
fn slide(tiles: &Tiles, direction: usize) -> Option<Slide> {
    let mut after = Slide { tiles: [0; SIDE * SIDE], gain: 0, step: Change::default() };
    let place = |place: usize| u16::try_from(place).expect("one of 16");
    for lane in lanes(direction) {
        let (mut free, mut may_merge) = (0, false);
        for from in lane.into_iter().filter(|&from| tiles[from] > 0) {
            let before = lane[free.max(1) - 1];
            if may_merge && after.tiles[before] == tiles[from] {
                after.tiles[before] += 1;
                after.gain += 1 << after.tiles[before];
                after.step.gone.push(place(from));
                after.step.new.push((place(before), tiles[from]));
                may_merge = false;
            } else {
                after.tiles[lane[free]] = tiles[from];
                if lane[free] != from {
                    after.step.moved.push((place(from), place(lane[free])));
                }
                (free, may_merge) = (free + 1, true);
            }
        }
    }
    (after.tiles != *tiles).then_some(after)
}

impl Game2048 {
    /// The game that follows from this number.
    fn new(random: u64) -> Self {
        let tiles = [0; SIDE * SIDE];
        let mut game = Self { random, tiles, score: 0, moves: 0, result: None };
        game.add_tile();
        game.add_tile();
        game
    }

    /// A number below `bound`, by the generator `SplitMix64`.
    fn below(&mut self, bound: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).expect("small")
    }

    /// A 2 on an empty place, or once in ten times a 4.
    fn add_tile(&mut self) -> (u16, u8) {
        let empty: Vec<usize> = (0..SIDE * SIDE).filter(|&place| self.tiles[place] == 0).collect();
        let place = empty[self.below(empty.len())];
        self.tiles[place] = if self.below(10) == 0 { 2 } else { 1 };
        (u16::try_from(place).expect("one of 16"), self.tiles[place] - 1)
    }

    fn legal(&self) -> impl Iterator<Item = &'static str> {
        let legal = |direction: &usize| slide(&self.tiles, *direction).is_some();
        (0..4).filter(legal).map(|direction| DIRECTIONS[direction])
    }

    /// The move in a reply: its direction, and what it does if it is legal.
    fn read(&self, reply: &Lines) -> Option<(usize, Option<Slide>)> {
        let word = str::from_utf8(reply.iter().next()?).ok()?.trim();
        let direction = DIRECTIONS.iter().position(|direction| *direction == word)?;
        Some((direction, slide(&self.tiles, direction)))
    }

    fn lose(&mut self, verdict: Verdict) -> Ruling {
        self.result = Some(format!("Lost: {verdict}."));
        Ruling::against(verdict)
    }

    /// The directions that change the board, and the board.
    fn input(&self) -> String {
        let number = |&tile: &u8| if tile == 0 { 0 } else { 1_u32 << tile }.to_string();
        let rows = self.tiles.chunks(SIDE);
        let rows = rows.map(|row| row.iter().map(number).collect::<Vec<_>>().join(" ") + "\n");
        let legal = self.legal().collect::<Vec<_>>().join(" ");
        format!("{legal}\n{}", rows.collect::<String>())
    }
}

impl SinglePlayer for Game2048 {
    fn rule(&mut self, answer: Answer<'_>) -> Ruling {
        let Answer::Reply { lines, .. } = answer else {
            self.result = Some("No answer.".to_owned());
            return Ruling::default();
        };
        let Some((direction, slide)) = self.read(lines) else {
            return self.lose(Verdict::MalformedReply);
        };
        let Some(Slide { tiles, gain, .. }) = slide else {
            return self.lose(Verdict::IllegalMove);
        };
        self.tiles = tiles;
        self.score += gain;
        self.moves += 1;
        self.add_tile();
        if self.legal().next().is_none() {
            self.result = Some(format!("Score: {}", self.score));
        }
        Ruling::counts(json!(DIRECTIONS[direction]))
    }

    fn step(&mut self, ruling: Ruling) -> Step {
        let limit = if self.moves == 0 { LimitKind::FirstTurn } else { LimitKind::Turn };
        let next = match &self.result {
            None => Next::Ask(Ask::lines(self.input(), 1, limit)),
            Some(result) => Next::End(End::new(result)),
        };
        let summary = self.result.iter().cloned().collect();
        Step { ruling, scores: vec![self.score.into()], summary, next }
    }
}

impl View for Game2048 {
    fn picture(&self) -> Picture {
        let color = |&tile: &u8| tile.checked_sub(1);
        Picture {
            columns: 4,
            rows: 4,
            colors: 17,
            labels: (1..=17).map(|tile| (1_u32 << tile).to_string()).collect(),
            tiles: self.tiles.iter().map(color).collect(),
            ..Picture::default()
        }
    }

    fn frames(&self, reply: &Lines) -> Vec<Frame> {
        let Some((direction, slide)) = self.read(reply) else { return Vec::new() };
        let notation = DIRECTIONS[direction].to_owned();
        let mut frame = Frame { number: self.moves + 1, notation, ..Frame::default() };
        frame.caption = match slide {
            None => format!("{} changes nothing", frame.notation),
            Some(Slide { tiles, gain, step }) => {
                let mut after = Self { tiles, ..self.clone() };
                let new = vec![after.add_tile()];
                frame.gain = gain.into();
                frame.steps = vec![step, Change { new, ..Change::default() }];
                format!("{} scores {gain}", frame.notation)
            }
        };
        vec![frame]
    }
}

fn kind() -> GameKind {
    GameKind {
        from_seed: Arc::new(|seed, _| Ok(i64::try_from(seed)?.unsigned_abs().to_string())),
        limits: [
            (LimitKind::FirstTurn, Duration::from_secs(20)),
            (LimitKind::Turn, Duration::from_secs(2)),
        ]
        .into(),
        ..GameKind::new("2048", "2048", |text| {
            let random = text.trim().parse();
            let random = random.map_err(|_| SourceError::at(text, 0, "not a whole number"))?;
            Ok(TestCase::new(text.trim(), Game2048::new(random)))
        })
    }
}

/// Takes the first direction that changes the board.
const BOT: &str = "while read -r first others; do
    read -r row; read -r row; read -r row; read -r row; echo $first; done";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: game_2048 FOLDER")?);
    let kind = Arc::new(kind());
    let config = Config::for_game(Arc::clone(&kind), [])?;
    let command = BotCommand::new("sh", ["-c", BOT], config.confinement(None)?);
    let path = folder.join("2048.jsonl");
    let mut log = LogWriter::open(&path, None)?;
    let game = Match::new(&kind, "15", &command).board("seed 15").bot("first way");
    let end = game.play(|event| log.write(&event))?;
    log.finish()?;

    let log = Log::open(&path)?;
    let again = replay_as(&kind, &log)?;
    println!("{} in {} turns; again: {:?}", end.official, end.turns, again.difference);
    let film = Film::of_log_as(&kind, log)?;
    fs::write(folder.join("2048.html"), page(&film))?;
    Ok(())
}
