//! Referees of the protocol that cg-brutaltester spoke before 2018, its option `-o`: lines of text, in blocks that begin with `###`.
//!
//! The referee is told a seed and the number of players. It says what each player is sent, and how many lines it wants; it knows
//! neither limits nor missing replies. A player without a reply is answered for with words that no game knows, and the
//! referee decides what follows. The places come at the end.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::mem;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::command::{JudgeCommand, reading};
use crate::process::{Process, too_much};
use rules::game::judge::{Case, JudgeEnd, Question, Steps};
use rules::game::{Answer, End, JudgeFailure, Placement, Referee, Seat, SeatEnd, Step};
use terms::bounds::{JUDGE_LINES, JUDGE_STEP};
use terms::lines::Lines;
use terms::text::quote;
use terms::values::{Bound, Size};
use terms::verdict::Verdict;

/// What a player "says" that gave no reply.
const NO_REPLY: &str = "no_reply";

/// How long a referee may take to end after its game, to write what it has to write.
const EXIT_GRACE: Duration = Duration::from_millis(500);

/// A game whose referee speaks this protocol.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Brutaltester {
    /// The command that starts the referee.
    #[serde(skip)]
    pub command: JudgeCommand,
    /// The number of players.
    pub players: Option<u32>,
    /// What an answer may hold; [`ANSWER`](terms::bounds::ANSWER) by default.
    pub answer_limit: Option<Bound<Size>>,
}

impl Brutaltester {
    /// At the end a digit stands for each player.
    pub const MOST_PLAYERS: u32 = 10;

    /// Starts the referee of one game on `case`.
    ///
    /// # Errors
    /// When the referee does not start.
    pub fn start(&self, case: &Case, place: &Placement) -> Result<Box<dyn Referee>, JudgeFailure> {
        let process = Process::start(&self.command, place)?;
        let players = self.players.unwrap_or(2);
        let seed = match case {
            Case::Seed(seed) => format!("###Seed {seed}\n"),
            Case::Text(_) => String::new(),
        };
        Ok(Box::new(RunningReferee {
            process,
            outgoing: format!("{seed}###Start {players}\n"),
            players: Players::new(players as usize),
            asked: 0,
            steps: Steps::new(reading(self.answer_limit), false),
        }))
    }
}

/// A running referee.
struct RunningReferee {
    process: Process,
    /// What to send next.
    outgoing: String,
    players: Players,
    /// The number of lines that the last question asked for.
    asked: u32,
    steps: Steps,
}

/// A player of a running referee.
#[derive(Default)]
struct Player {
    /// The lines for its next question.
    input: String,
    /// Whether it has failed to reply: it is not asked again.
    is_silent: bool,
    /// What the referee has called its error.
    error: Option<String>,
}

/// All players of a referee, by seat.
struct Players(Vec<Player>);

/// What ends a step.
#[doc(hidden)]
#[derive(Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// A player is to be asked for this number of lines.
    Ask(Seat, u32),
    /// The game is over: the place of each player.
    End(Vec<u32>),
}

impl RunningReferee {
    /// One step of the referee.
    fn receive(&mut self) -> Result<StepEnd, JudgeFailure> {
        self.process.refuse_unasked()?;
        let outgoing = mem::take(&mut self.outgoing);
        let mut seen = 0;
        let is_whole = |lines: &Lines| {
            let ends = |line: &[u8]| line.starts_with(b"###Output") || line.starts_with(b"###End");
            while let Some(line) = lines.get(seen) {
                seen += 1;
                if ends(line) {
                    return Some(seen);
                }
            }
            None
        };
        let lines = self.process.step(outgoing.as_bytes(), is_whole)?;
        self.players.read(&lines).map_err(|problem| self.process.trouble(problem))
    }

    /// The next question to a player that can still answer, or the end.
    fn step(&mut self) -> Result<Step, JudgeFailure> {
        loop {
            match self.receive()? {
                StepEnd::Ask(seat, lines) => {
                    self.process.count_question()?;
                    self.asked = lines;
                    let player = &mut self.players.0[seat];
                    let input = mem::take(&mut player.input);
                    if player.is_silent {
                        self.answer_for_nobody();
                        continue;
                    }
                    let lines = Some(lines);
                    return Ok(self.steps.ask(Question {
                        seat,
                        input,
                        lines,
                        ..Question::default()
                    }));
                }
                StepEnd::End(places) => {
                    self.process.end(EXIT_GRACE);
                    return Ok(self.end(&places));
                }
            }
        }
    }

    fn answer_for_nobody(&mut self) {
        self.outgoing = format!("{NO_REPLY}\n").repeat(self.asked as usize);
    }

    fn end(&mut self, places: &[u32]) -> Step {
        // Errors may come on either stream.
        for line in self.process.stderr().lines() {
            if let Some(rest) = line.strip_prefix("###Error ") {
                let _ = self.players.note_error(rest);
            }
        }
        let seat = |(place, player): (&u32, &mut Player)| match player.error.take() {
            Some(official) => SeatEnd { verdict: Verdict::Lost, official, ..SeatEnd::at(*place) },
            None => SeatEnd::at(*place),
        };
        let seats = places.iter().zip(&mut self.players.0).map(seat).collect();
        let mut official = "places:".to_owned();
        for place in places {
            let _ = write!(official, " {place}");
        }
        let end = End { seats, ..End::new(official) };
        self.steps.end(JudgeEnd { verdict: Verdict::Completed, score: None, summary: vec![], end })
    }
}

impl Players {
    fn new(players: usize) -> Self {
        Self((0..players).map(|_| Player::default()).collect())
    }

    /// Reads the lines of a step. Those before the first block are of nobody: Java warns on standard output.
    fn read(&mut self, lines: &Lines) -> Result<StepEnd, String> {
        let mut to = None;
        for line in lines.iter() {
            let line = String::from_utf8_lossy(line);
            let Some(header) = line.strip_prefix("###") else {
                if let Some(seat) = to {
                    let player: &mut Player = &mut self.0[seat];
                    player.input.push_str(&line);
                    player.input.push('\n');
                    if player.input.len() as u64 > JUDGE_STEP {
                        return Err(too_much(seat));
                    }
                }
                continue;
            };
            let wrong = || format!("wrote {}, which is not a header", quote(line.as_bytes()));
            let (name, rest) = header.split_once(' ').ok_or_else(wrong)?;
            match name {
                "Input" => to = Some(self.seat(rest).ok_or_else(wrong)?),
                "Output" => {
                    let (seat, count) = rest.split_once(' ').ok_or_else(wrong)?;
                    let count = count.trim().parse().ok();
                    let count = count.filter(|count| (1..=JUDGE_LINES).contains(count));
                    let seat = self.seat(seat).ok_or_else(wrong)?;
                    return Ok(StepEnd::Ask(seat, count.ok_or_else(wrong)?));
                }
                "Error" => self.note_error(rest).ok_or_else(wrong)?,
                "End" => return Ok(StepEnd::End(places(rest, self.0.len()).ok_or_else(wrong)?)),
                _ => return Err(wrong()),
            }
        }
        Err("wrote nothing that is a step".to_owned())
    }

    fn seat(&self, text: &str) -> Option<Seat> {
        text.trim().parse().ok().filter(|seat| *seat < self.0.len())
    }

    fn note_error(&mut self, rest: &str) -> Option<()> {
        let (seat, error) = rest.split_once(' ').unwrap_or((rest, ""));
        let seat = self.seat(seat)?;
        self.0[seat].error.get_or_insert_with(|| error.trim().to_owned());
        Some(())
    }
}

/// Reads the lines of a step of a referee of this many players; for the fuzz targets alone.
///
/// # Errors
/// What is wrong with them.
#[doc(hidden)]
pub fn read_step(lines: &Lines, players: usize) -> Result<StepEnd, String> {
    Players::new(players).read(lines)
}

/// The places of players in groups, the best first: a digit stands for each player.
fn places(groups: &str, players: usize) -> Option<Vec<u32>> {
    let mut places = vec![0; players];
    let (mut place, mut seen) = (1, BTreeSet::new());
    for group in groups.split_whitespace() {
        for digit in group.chars() {
            let seat = digit.to_digit(10)? as usize;
            *places.get_mut(seat)? = place;
            if !seen.insert(seat) {
                return None;
            }
        }
        place += u32::try_from(group.len()).ok()?;
    }
    (seen.len() == players).then_some(places)
}

impl Referee for RunningReferee {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        self.step()
    }

    fn answer(&mut self, seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        match answer {
            Answer::Reply { lines, .. } => {
                self.outgoing = lines.to_text().iter().map(|line| line.clone() + "\n").collect();
            }
            Answer::NoReply { .. } => {
                self.players.0[seat].is_silent = true;
                self.answer_for_nobody();
            }
        }
        self.step()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_a_player_that_is_never_asked_is_bounded() {
        let mut players = Players::new(2);
        let step = format!("###Input 1\n{}\n###Output 0 1\n", "x".repeat(1 << 20));
        let step = Lines::split(step.as_bytes());
        let steps = (0..100).map_while(|_| players.read(&step).ok());
        assert_eq!(steps.count(), 15);
        let problem = players.read(&step).expect_err("full");
        assert!(problem.contains("more than 16MiB for player 1"), "{problem}");
    }

    #[test]
    fn players_of_a_group_share_its_place() {
        for (groups, players, expected) in [
            ("1 0", 2, Some(vec![2, 1])),
            ("1 02", 3, Some(vec![2, 1, 2])),
            ("02 1", 3, Some(vec![1, 3, 1])),
            ("01", 2, Some(vec![1, 1])),
            ("1", 2, None),
            ("0 0", 2, None),
            ("0 2", 2, None),
            ("x", 1, None),
            ("", 2, None),
        ] {
            assert_eq!(places(groups, players), expected, "{groups:?}");
        }
    }
}
