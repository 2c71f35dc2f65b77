//! A user's own game: registering one row is enough to play it, log it, replay it, show it and run
//! suites of it.
//!
//! The game: guess a number from 1 to 9 in three turns; each answer is told to be too low or too high.

use std::sync::{Arc, LazyLock};

use clap::Parser as _;
use referee::cli::Cli;
use referee::game::{
    Answer, Ask, End, GameKind, JudgeFailure, Next, Referee, Ruling, Seat, SeedOptions, Step,
    TestCase, UnknownGame, games, register,
};
use referee::limits::LimitKind;
use referee::lines::{LineRules, Lines};
use referee::source::SourceError;
use referee::verdict::Verdict;

use crate::games::lower_is_better;
use support::prelude::*;

static GUESS: LazyLock<Arc<GameKind>> = LazyLock::new(|| guess_as("guess").into());

/// The game, under this name.
fn guess_as(name: &str) -> GameKind {
    GameKind {
        from_seed: Arc::new(|seed, _: SeedOptions| {
            Ok((i64::try_from(seed)?.rem_euclid(NUMBERS.into()) + 1).to_string())
        }),
        limits: [
            (LimitKind::FirstTurn, Duration::from_secs(30)),
            (LimitKind::Turn, Duration::from_secs(30)),
        ]
        .into(),
        ..GameKind::new(name, "Guess a number", |text| {
            let number = text.trim().parse().ok().filter(|number| (1..=NUMBERS).contains(number));
            let problem = || SourceError::at(text, 0, "not a number from 1 to 9".to_owned());
            let number: u8 = number.ok_or_else(problem)?;
            Ok(TestCase::new(number.to_string(), Guess::new(number)))
        })
    }
}

const NUMBERS: u8 = 9;
const TURNS: u8 = 3;

#[derive(Clone)]
struct Guess {
    number: u8,
    guessed: Vec<u8>,
    hint: &'static str,
    result: Option<&'static str>,
}

impl Guess {
    fn new(number: u8) -> Self {
        Self { number, guessed: Vec::new(), hint: "guess", result: None }
    }

    /// Three points for a number found at once, and one less for each further turn.
    fn points(&self) -> i64 {
        if self.result == Some("Found.") {
            4 - i64::try_from(self.guessed.len()).expect("three")
        } else {
            0
        }
    }

    fn reject(&mut self, verdict: Verdict, result: &'static str) -> Ruling {
        self.result = Some(result);
        Ruling::against(verdict)
    }

    fn rule(&mut self, answer: Answer<'_>) -> Ruling {
        let Answer::Reply { lines, .. } = answer else {
            self.result = Some("No answer.");
            return Ruling::default();
        };
        let Some(guess) = number_in(lines) else {
            return self.reject(Verdict::MalformedReply, "That is not a number.");
        };
        if !(1..=NUMBERS).contains(&guess) {
            return self.reject(Verdict::IllegalMove, "There is no such number.");
        }
        self.guessed.push(guess);
        self.hint = if guess < self.number { "low" } else { "high" };
        if guess == self.number {
            self.result = Some("Found.");
        } else if self.guessed.len() == usize::from(TURNS) {
            self.result = Some("Not found.");
        }
        Ruling::counts(json!({ "guess": guess }))
    }

    fn step(&self, ruling: Ruling) -> Step {
        let guessed = ruling.action.as_ref().map(|action| format!("Guessed {}.", action["guess"]));
        let summary = guessed.into_iter().chain(self.result.map(str::to_owned)).collect();
        let lines = LineRules { max_bytes: Some(10), eof_ends_line: false, ..LineRules::any(1) };
        let limit = if self.guessed.is_empty() { LimitKind::FirstTurn } else { LimitKind::Turn };
        let next = match self.result {
            None => Next::Ask(Ask::new(format!("{}\n", self.hint), lines, limit)),
            Some(result) => Next::End(End::new(result)),
        };
        Step { ruling, scores: vec![self.points().into()], summary, next }
    }
}

fn number_in(reply: &Lines) -> Option<u8> {
    str::from_utf8(reply.iter().next()?).ok()?.trim().parse().ok()
}

impl Referee for Guess {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        Ok(self.step(Ruling::default()))
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        let ruling = self.rule(answer);
        Ok(self.step(ruling))
    }
}

/// Guesses the middle of the remaining numbers.
const HALVES: &str = "low=1; high=9; while read -r hint; do \
    case $hint in low) low=$((guess + 1));; high) high=$((guess - 1));; esac; \
    guess=$(((low + high) / 2)); echo $guess; done";

/// Not a test by itself: the next one runs it as a program, a referee that has one game more.
#[test]
#[ignore = "it is a program, which another test runs"]
fn a_custom_referee() {
    let Ok(line) = std::env::var(ARGUMENTS) else { return };
    register(GUESS.clone()).expect("nobody else has the name");
    register(lower_is_better::COST.clone()).expect("nobody else has the name");
    let cli = Cli::parse_from(shlex::split(&line).expect("words"));
    referee::cli::run(cli).expect("no error");
}

const ARGUMENTS: &str = "REFEREE_TEST_ARGUMENTS";

/// What that referee prints, between the lines of the harness.
pub(crate) fn own_output(folder: &Path, line: &str) -> String {
    let itself = std::env::current_exe().expect("this program");
    let output = Command::new(itself)
        .args(["--ignored", "--exact", "--nocapture", "games::library_game::a_custom_referee"])
        .env(ARGUMENTS, format!("referee {line}"))
        .current_dir(folder)
        .run();
    assert!(output.status.success(), "{line}: {output:?}");
    output.out()
}

/// What that referee prints, as JSON.
pub(crate) fn own_referee(folder: &Path, line: &str) -> Value {
    let text = own_output(folder, &format!("{line} --format json"));
    // The harness may have begun the line.
    let result = text.lines().find_map(|line| line.find('{').map(|start| &line[start..]));
    let result = result.unwrap_or_else(|| panic!("{line}: {text}"));
    serde_json::from_str(result).expect("JSON")
}

#[test]
fn the_whole_command_line_knows_a_custom_game() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("bot.sh"), HALVES).expect("written");
    fs::write(folder.join("seven"), "7").expect("written");
    let result = own_referee(folder, "play --game guess --board seven --log log --bot 'sh bot.sh'");
    assert_eq!((&result["game"], &result["score"]), (&json!("guess"), &json!(2)));
    let result = own_referee(folder, "replay log --html page.html");
    assert_eq!((&result["agrees"], &result["official"]), (&json!(true), &json!("Found.")));
    for (guess, verdict) in [("10", "illegal_move"), ("five", "malformed_reply")] {
        fs::write(folder.join("fault.sh"), format!("read -r hint; echo {guess}; read -r hint"))
            .expect("written");
        let result = own_referee(folder, "play --game guess --board seven --bot 'sh fault.sh'");
        assert_eq!(result["verdict"], verdict, "{guess}");
    }
    let result = own_referee(
        folder,
        "suite --game guess --seed 1..9 --logs all --run run --bot 'sh bot.sh'",
    );
    // Of nine numbers one is found at once, two in the second turn and four in the third.
    let mean = result["bots"][0]["mean"].as_f64().expect("a number");
    assert!((mean - (3.0 + 2.0 * 2.0 + 4.0) / 9.0).abs() < 1e-9, "{result}");
    let result = own_referee(folder, "replay run/games/000001.jsonl");
    assert_eq!(result["agrees"], true, "{result}");
}

#[test]
fn the_table_has_each_name_once() {
    register(GUESS.clone()).expect("nobody else has the name");
    register(GUESS.clone()).expect("the same row again");
    let taken = register(guess_as("samegame")).expect_err("a bundled game has the name");
    assert_eq!(taken.to_string(), "there is another game `samegame`; give yours another name");
    assert_eq!(games().iter().filter(|kind| kind.name == "guess").count(), 1);
    let unknown = UnknownGame::new("chess");
    assert_eq!(unknown.known, ["samegame", "square-remover", "guess"]);
}
