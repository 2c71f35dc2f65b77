//! Referees of CodinGame's SDK, unmodified, over the protocol that CodinGame's own runner speaks.
//!
//! Learnt from the public sources of the engine, 2.4 to 4.7.8, and from genuine games. The referee asks for the bot's
//! output block by block: see [`blocks`]. A question for 0 lines is a frame for viewers: the bot is not asked, and text
//! that comes with it goes to the bot with the next question, since the runner sends it too. Summaries arrive one turn
//! late; here they come with the question that follows them, or with the end.
//!
//! In a game of several players the referee asks one player after the other. What it shows viewers of a player, its tooltips, is
//! the only place where it says why it put one out, but news as well: they go to the summary, and the last one of a player
//! is its seat's official text.

// Public for the fuzz targets alone.
#[doc(hidden)]
pub mod blocks;
mod contribution;
mod engine;
#[doc(hidden)]
pub mod official;
mod params;
mod properties;
mod survey;
mod test_case;

use std::mem;
use std::path::PathBuf;
use std::time::Duration;

use self::blocks::{NextAction, Scanner, StepOutput};
pub use self::contribution::{Contribution, ContributionError, TestCase};
pub use self::engine::EngineVersion;
use self::engine::LateReplies;
pub use self::params::Params;
pub use self::survey::{Survey, survey};
pub use self::test_case::{TestCaseContent, parse_test_case};
use serde::{Deserialize, Serialize};

use crate::command::JudgeCommand;
use crate::process::{Process, too_much};
use rules::game::judge::{Case, JudgeEnd, Question, Reading, Steps};
use rules::game::{Answer, JudgeFailure, Placement, Referee, Seat, Step};
use terms::bounds::{ANSWER, JUDGE_FRAMES, JUDGE_STEP};
use terms::seed::Seed;
use terms::text::quote;
use terms::verdict::Verdict;

/// A game whose referee is built with the SDK.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Codingame {
    /// The command that starts the referee.
    #[serde(skip)]
    pub command: JudgeCommand,
    /// The folder of its contribution.
    #[serde(skip_serializing)]
    pub project: Option<PathBuf>,
    /// The metadata that is the score, if the game has one.
    pub criteria: Option<String>,
    /// The number of players; none in a game of one.
    pub players: Option<u32>,
    /// The parameters of a game of several players, besides its seed.
    pub params: Option<Params>,
    /// The league, if the game has leagues.
    pub league: Option<u32>,
    /// The version of its engine, if that is known.
    pub engine: Option<EngineVersion>,
}

impl Codingame {
    /// The runner's agents read all lines of a reply into 10,000 bytes, and know a line by its terminator alone.
    pub const READING: Reading = Reading { max_bytes: Some(ANSWER), eof_ends_line: false };

    /// Starts the referee of one game on `case`.
    ///
    /// # Errors
    /// When the referee does not start.
    pub fn start(&self, case: &Case, place: &Placement) -> Result<Box<dyn Referee>, JudgeFailure> {
        if let Case::Seed(seed) = case
            && i64::try_from(*seed).is_err()
        {
            let problem = format!("has no case of seed {seed}: its seeds go up to {}", i64::MAX);
            return Err(JudgeFailure::new(problem));
        }
        let mut command = self.command.clone();
        if !command.words.iter().any(|word| word.starts_with("-Dgame.mode=")) {
            let mode = if self.players.is_some() { "multi" } else { "solo" };
            set_property(&mut command, &format!("-Dgame.mode={mode}"));
        }
        if let Some(league) = self.league {
            set_property(&mut command, &format!("-Dleague.level={league}"));
        }
        let process = Process::start(&command, place)?;
        Ok(Box::new(SdkReferee::new(process, case, self)))
    }
}

/// Adds a property, which Java takes before the main class.
fn set_property(command: &mut JudgeCommand, property: &str) {
    let is_java = |word: &String| word.rsplit('/').next() == Some("java");
    if let Some(java) = command.words.iter().position(is_java) {
        return command.words.insert(java + 1, property.to_owned());
    }
    // A script that starts Java: its launcher reads this variable.
    let options = command.env.entry("JDK_JAVA_OPTIONS".to_owned()).or_default();
    if !options.is_empty() {
        options.push(' ');
    }
    options.push_str(property);
}

/// A running referee.
struct SdkReferee {
    process: Process,
    criteria: Option<String>,
    /// What to send next.
    outgoing: String,
    /// Whether each output begins with the time that the bot took.
    wants_times: bool,
    /// Lines of the summary since the last question.
    summary: Vec<String>,
    frames: u32,
    players: Vec<Player>,
    /// The seed that a game of several players must be played with.
    seed: Option<Seed>,
    steps: Steps,
}

/// A player of a running referee.
struct Player {
    /// Lines for the bot from frames for viewers.
    held_input: String,
    /// The limit of its last question.
    limit: Duration,
    late: LateReplies,
    /// Whether it has failed to reply: it is not asked again.
    is_silent: bool,
    /// What the referee last showed viewers of it.
    tooltip: String,
}

impl SdkReferee {
    fn new(process: Process, case: &Case, game: &Codingame) -> Self {
        let player = || Player {
            held_input: String::new(),
            limit: Duration::ZERO,
            late: LateReplies::new(game.engine),
            is_silent: false,
            tooltip: String::new(),
        };
        let (init, seed) = match (game.players, case) {
            (None, _) => (init(case), None),
            (Some(players), Case::Seed(seed)) => {
                let lines = [format!("seed={seed}")].into_iter();
                (init_of_several(players, lines, game.params.as_ref()), Some(*seed))
            }
            (Some(players), Case::Text(text)) => {
                let lines = text.trim_end_matches('\n').split('\n').map(str::to_owned);
                (init_of_several(players, lines, game.params.as_ref()), None)
            }
        };
        Self {
            process,
            criteria: game.criteria.clone(),
            outgoing: init + GET_GAME_INFO,
            wants_times: false,
            summary: Vec::new(),
            frames: 0,
            players: (0..game.players.unwrap_or(1)).map(|_| player()).collect(),
            seed,
            steps: Steps::new(Codingame::READING, false),
        }
    }

    /// One step of the referee.
    fn receive(&mut self) -> Result<StepOutput, JudgeFailure> {
        let outgoing = mem::take(&mut self.outgoing);
        let mut scanner = Scanner::default();
        let lines = self.process.step(outgoing.as_bytes(), |lines| scanner.whole(lines))?;
        let said = scanner.read(&lines).map_err(|problem| self.process.trouble(problem))?;
        self.wants_times |= said.wants_times;
        Ok(said)
    }

    /// The next question to a bot, unless this one is not for any.
    fn question(
        &mut self,
        input: &[String],
        info: &[String],
    ) -> Result<Option<Question>, JudgeFailure> {
        let (seat, lines, limit) = question_info(info, self.players.len())
            .map_err(|problem| self.process.trouble(problem))?;
        let player = &mut self.players[seat];
        if player.is_silent {
            self.frame()?;
            if lines > 0 {
                self.outgoing = format!("{SET_PLAYER_TIMEOUT}{GET_GAME_INFO}");
            }
            return Ok(None);
        }
        for line in input {
            player.held_input.push_str(line);
            player.held_input.push('\n');
        }
        if player.held_input.len() as u64 > JUDGE_STEP {
            return Err(self.process.trouble(too_much(seat)));
        }
        if lines == 0 {
            return self.frame().map(|()| None);
        }
        player.limit = limit;
        player.late.asked(limit);
        let input = mem::take(&mut player.held_input);
        self.process.count_question()?;
        Ok(Some(Question {
            seat,
            input,
            lines: Some(lines),
            limit: Some(limit),
            summary: mem::take(&mut self.summary),
            ..Question::default()
        }))
    }

    /// Takes what the referee shows viewers of a player as news of the game, and as the last words on the player.
    fn note_tooltips(&mut self, tooltips: &[String]) {
        let [_, _, ..] = self.players[..] else { return };
        for pair in tooltips.chunks_exact(2) {
            let seat: Option<Seat> = pair[1].parse().ok();
            let Some(player) = seat.and_then(|seat| self.players.get_mut(seat)) else { continue };
            let message = pair[0].trim();
            self.summary.push(format!("${}: {message}", pair[1]));
            message.clone_into(&mut player.tooltip);
        }
    }

    /// Answers a frame for viewers.
    fn frame(&mut self) -> Result<(), JudgeFailure> {
        self.frames += 1;
        if self.frames > JUDGE_FRAMES {
            return Err(self
                .process
                .trouble(format!("showed more than {JUDGE_FRAMES} frames without an end")));
        }
        self.outgoing = self.output(&[], Duration::ZERO) + GET_GAME_INFO;
        Ok(())
    }

    /// The block of a bot's output.
    fn output(&self, lines: &[String], elapsed: Duration) -> String {
        let count = lines.len() + usize::from(self.wants_times);
        let mut text = format!("[[SET_PLAYER_OUTPUT] {count}]\n");
        if self.wants_times {
            text.push_str(&elapsed.as_millis().to_string());
            text.push('\n');
        }
        for line in lines {
            text.extend(line.chars().map(on_one_line));
            text.push('\n');
        }
        text
    }

    fn end(
        &mut self,
        metadata: &[String],
        scores: &[String],
        used: &[String],
    ) -> Result<JudgeEnd, JudgeFailure> {
        let summary = mem::take(&mut self.summary);
        let criteria = self.criteria.as_deref();
        let end = match self.players.len() {
            1 => official::end(criteria, metadata, scores, summary),
            players => official::end_of_several(players, metadata, scores, summary),
        };
        let mut end = end.map_err(|problem| self.process.trouble(problem))?;
        self.check_seed(used)?;
        self.process.end(Duration::ZERO);
        for (seat, player) in end.end.seats.iter_mut().zip(&mut self.players) {
            seat.official = mem::take(&mut player.tooltip);
            seat.remark = player.late.too_many();
            if seat.remark.is_some() {
                seat.verdict = Verdict::Timeout;
            }
        }
        if end.end.seats.is_empty() {
            if end.verdict == Verdict::Lost {
                end.end.remark = self.players[0].late.too_many();
            }
            if end.end.remark.is_some() {
                end.verdict = Verdict::Timeout;
            }
            return Ok(end);
        }
        for (key, value) in used.iter().filter_map(|line| line.split_once('=')) {
            if key != "seed" {
                end.end.metadata.entry(key.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
        Ok(end)
    }

    /// Makes sure that the game was played with its seed: an engine that cannot read a seed draws another one without a word.
    fn check_seed(&mut self, used: &[String]) -> Result<(), JudgeFailure> {
        let Some(seed) = self.seed.map(|seed| seed.to_string()) else { return Ok(()) };
        match used.iter().find_map(|line| line.strip_prefix("seed=")) {
            Some(used) if used.trim() != seed => {
                let used = quote(used.as_bytes());
                Err(self.process.trouble(format!("played with the seed {used}, not with {seed}")))
            }
            _ => Ok(()),
        }
    }
}

impl Referee for SdkReferee {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        loop {
            let said = self.receive()?;
            self.summary.extend(said.summary);
            self.note_tooltips(&said.tooltips);
            match said.then {
                NextAction::Ask(info) => {
                    if let Some(question) = self.question(&said.input, &info)? {
                        return Ok(self.steps.ask(question));
                    }
                }
                NextAction::End { metadata, scores, used } => {
                    let end = self.end(&metadata, &scores, &used)?;
                    return Ok(self.steps.end(end));
                }
                NextAction::Fail(trace) => return Err(self.process.failed(&trace)),
                NextAction::Nothing => {
                    return Err(self.process.trouble("wrote nothing that is a step"));
                }
            }
        }
    }

    fn answer(&mut self, seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        let turn = self.process.questions();
        let player = &mut self.players[seat];
        let block = match answer {
            // A reply that counts although the host made it late has used all of its time, and no more.
            Answer::Reply { lines, elapsed } => {
                let elapsed = elapsed.min(player.limit);
                player.late.answered(turn, whole_millis(elapsed), player.limit);
                self.output(&lines.to_text(), elapsed)
            }
            Answer::NoReply { .. } => {
                player.is_silent = true;
                SET_PLAYER_TIMEOUT.to_owned()
            }
        };
        self.outgoing = block + GET_GAME_INFO;
        self.begin()
    }
}

const GET_GAME_INFO: &str = "[[GET_GAME_INFO] 0]\n";
const SET_PLAYER_TIMEOUT: &str = "[[SET_PLAYER_TIMEOUT] 0]\n";

/// The time as the engine is told of it.
fn whole_millis(time: Duration) -> Duration {
    Duration::new(time.as_secs(), time.subsec_millis() * 1_000_000)
}

/// The block that starts a game of one player on a test case. As in the runner, trailing empty lines are dropped; a text
/// that is nothing else is one empty line.
fn init(case: &Case) -> String {
    let text = match case {
        Case::Seed(seed) => seed.to_string(),
        Case::Text(text) => text.clone(),
    };
    let kept = text.trim_end_matches('\n');
    let lines = kept.split('\n').count() + 1;
    format!("[[INIT] {lines}]\n1\n{kept}\n")
}

/// The block that starts a game of several players.
fn init_of_several(
    players: u32,
    lines: impl Iterator<Item = String>,
    params: Option<&Params>,
) -> String {
    let params = params.into_iter().flat_map(Params::lines);
    let lines: Vec<String> = lines.chain(params).collect();
    let count = lines.len() + 1;
    format!("[[INIT] {count}]\n{players}\n{}\n", lines.join("\n"))
}

/// The player, the number of lines and the limit that a question names.
///
/// # Errors
/// What is wrong with it.
#[doc(hidden)]
pub fn question_info(info: &[String], players: usize) -> Result<(Seat, u32, Duration), String> {
    let wrong = |what: &str, text: &str| format!("asked with {} as {what}", quote(text.as_bytes()));
    let [player, lines, limit] = info else {
        return Err(format!("asked with {} lines of NEXT_PLAYER_INFO instead of 3", info.len()));
    };
    let Some(seat) = player.parse().ok().filter(|seat| *seat < players) else {
        let has = if players == 1 { "one".to_owned() } else { players.to_string() };
        return Err(wrong(&format!("the player, and this game has {has}"), player));
    };
    let lines = lines.parse().map_err(|_| wrong("the number of lines", lines))?;
    let limit: i64 = limit.parse().map_err(|_| wrong("the limit in ms", limit))?;
    // A time bank may be used up to the last millisecond, and beyond.
    Ok((seat, lines, Duration::from_millis(u64::try_from(limit).unwrap_or(0))))
}

/// Java's scanner ends a line at these characters too, which would make one line of a bot's reply two.
fn on_one_line(letter: char) -> char {
    match letter {
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => char::REPLACEMENT_CHARACTER,
        _ => letter,
    }
}

#[cfg(test)]
fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("room");
        std::fs::write(path, text).expect("room");
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_case_is_sent_without_its_trailing_empty_lines() {
        for (text, expected) in [
            ("7", "[[INIT] 2]\n1\n7\n"),
            ("1 2\n3 4\n\n", "[[INIT] 3]\n1\n1 2\n3 4\n"),
            ("a\n\nb", "[[INIT] 4]\n1\na\n\nb\n"),
            ("", "[[INIT] 2]\n1\n\n"),
        ] {
            assert_eq!(init(&Case::Text(text.to_owned())), expected, "{text:?}");
        }
        assert_eq!(init(&Case::Seed((-7).into())), "[[INIT] 2]\n1\n-7\n");
    }

    #[test]
    fn a_game_of_several_players_starts_with_its_properties() {
        let lines = || ["seed=7".to_owned()].into_iter();
        assert_eq!(init_of_several(3, lines(), None), "[[INIT] 2]\n3\nseed=7\n");
        let params: Params = toml::from_str("size = 12\nnote = 'a b'").expect("two");
        let init = init_of_several(2, lines(), Some(&params));
        assert_eq!(init, "[[INIT] 4]\n2\nseed=7\nnote=a\\ b\nsize=12\n");
    }

    #[test]
    fn a_question_names_lines_and_a_limit() {
        let read = |info: &[&str]| {
            let info = info.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
            question_info(&info, 1).and_then(|one| {
                let of_three = question_info(&info, 3).expect("also in a larger game");
                if one == of_three { Ok((one.1, one.2)) } else { Err("it depends".to_owned()) }
            })
        };
        assert_eq!(read(&["0", "3", "550"]), Ok((3, Duration::from_millis(550))));
        assert_eq!(read(&["0", "0", "-4"]), Ok((0, Duration::ZERO)));
        for (players, info, expected) in [
            (1, &["0", "1"][..], "2 lines of NEXT_PLAYER_INFO"),
            (1, &["1", "1", "50"], "`1` as the player, and this game has one"),
            (3, &["3", "1", "50"], "`3` as the player, and this game has 3"),
            (3, &["-1", "1", "50"], "`-1` as the player"),
            (1, &["0", "99999999999", "50"], "`99999999999` as the number of lines"),
            (1, &["0", "-1", "50"], "`-1` as the number of lines"),
            (1, &["0", "1", "soon"], "`soon` as the limit"),
        ] {
            let info = info.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
            let problem = question_info(&info, players).expect_err(expected);
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn properties_are_for_java() {
        let command = |words: &[&str]| JudgeCommand {
            words: words.iter().map(|&word| word.to_owned()).collect(),
            folder: ".".into(),
            env: [].into(),
            limits: crate::JudgeLimits::default(),
        };
        let mut java = command(&["env", "/usr/bin/java", "-cp", "x", "Main"]);
        set_property(&mut java, "-Dleague.level=2");
        assert_eq!(java.words, ["env", "/usr/bin/java", "-Dleague.level=2", "-cp", "x", "Main"]);
        let mut script = command(&["./judge"]);
        set_property(&mut script, "-Dleague.level=3");
        assert_eq!(script.env["JDK_JAVA_OPTIONS"], "-Dleague.level=3");
    }
}
