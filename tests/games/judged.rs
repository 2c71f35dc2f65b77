//! A game whose rules are in another program, here in a judge of the test's own: played, logged, replayed, rejudged.
//!
//! The judge asks for numbers until it has heard one that is large enough, and adds them up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use referee::bot::BotCommand;
use referee::config::Config;
use referee::game::judge::{Case, JudgeEnd, JudgeProgram, Question, StartJudge, Steps};
use referee::game::{
    Answer, End, GameKind, JudgeFailure, Placement, Referee, Seat, Step, TestCase,
};
use referee::gamelog::{self, Event, Log};
use referee::limits::{LimitKind, MatchRules};
use referee::play::{Match, PlayError};
use referee::replay::{rejudge, replay};
use referee::verdict::Verdict;
use support::prelude::*;

/// The judge's own time for a reply, which even a loaded machine keeps.
const OWN_LIMIT: Duration = Duration::from_secs(20);

/// Starts judges, and counts them.
#[derive(Default)]
struct Sums {
    started: AtomicU32,
    /// What the judge adds to each number: two judges that differ in it are of one game no more.
    bonus: i64,
    fails_at: Option<u32>,
    awaits_end: bool,
}

struct Adder {
    goal: i64,
    sum: i64,
    turns: u32,
    bonus: i64,
    fails_at: Option<u32>,
    awaits_end: bool,
    end: Option<(Verdict, &'static str)>,
    steps: Steps,
}

impl Sums {
    fn start(&self, case: &Case) -> Result<Box<dyn Referee>, JudgeFailure> {
        self.started.fetch_add(1, Ordering::SeqCst);
        let goal = match case {
            Case::Seed(seed) => {
                i64::try_from(*seed).map_err(|error| JudgeFailure::new(error.to_string()))?
            }
            Case::Text(text) => text.trim().parse().map_err(|_| JudgeFailure::new("no number"))?,
        };
        let Self { bonus, fails_at, awaits_end, .. } = *self;
        let (end, steps) = (None, Steps::default());
        Ok(Box::new(Adder { goal, sum: 0, turns: 0, bonus, fails_at, awaits_end, end, steps }))
    }
}

impl Referee for Adder {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        if self.fails_at == Some(self.turns) {
            return Err(JudgeFailure {
                stderr: Some("a stack trace".into()),
                ..JudgeFailure::new("ended")
            });
        }
        let score = Some(format!("{}.50", self.sum).parse().expect("a score"));
        let summary = if self.turns == 0 { Vec::new() } else { vec![format!("sum {}", self.sum)] };
        Ok(match self.end {
            None => self.steps.ask(Question {
                input: format!("{} more\n", self.goal - self.sum),
                lines: (!self.awaits_end).then_some(1),
                limit: Some(OWN_LIMIT),
                score,
                summary,
                ..Question::default()
            }),
            Some((verdict, official)) => {
                let metadata = [("turns".to_owned(), self.turns.to_string())].into();
                let end = End { metadata, ..End::new(official) };
                self.steps.end(JudgeEnd { verdict, score, summary, end })
            }
        })
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        self.turns += 1;
        let number = match answer {
            Answer::Reply { lines, .. } => {
                lines.to_text().first().map(|line| line.trim().parse::<i64>())
            }
            Answer::NoReply { .. } => None,
        };
        self.end = match number {
            None => Some((Verdict::Lost, "Silence.")),
            Some(Err(_)) => Some((Verdict::MalformedReply, "That is not a number.")),
            Some(Ok(number)) if number < 0 => Some((Verdict::IllegalMove, "Less than nothing.")),
            Some(Ok(98)) => Some((Verdict::Timeout, "You dawdle.")),
            Some(Ok(99)) => Some((Verdict::Lost, "Lost.")),
            Some(Ok(number)) => {
                self.sum += number + self.bonus;
                (self.sum >= self.goal).then_some((Verdict::Completed, "Enough."))
            }
        };
        self.begin()
    }
}

fn kind(judges: Sums) -> (GameKind, Arc<Sums>) {
    let judges = Arc::new(judges);
    let shared = judges.clone();
    let start: StartJudge = Arc::new(move |case, _| shared.start(case));
    let kind = GameKind {
        judge: Some(JudgeProgram { kind: "test".to_owned(), ..JudgeProgram::default() }),
        ..GameKind::new("sums", "Sums", move |text| {
            Ok(TestCase::judged("sums", Case::parse(text), None, start.clone()))
        })
    };
    (kind, judges)
}

/// Plays a game up to 5 with a shell script as the bot.
fn play_by(rules: MatchRules, judges: Sums, script: &str) -> Result<Log, PlayError> {
    let config = Config::resolve([]).expect("the defaults");
    let (kind, _) = kind(judges);
    let confinement = config.confinement(None).expect("some method");
    let command = BotCommand::new("sh", ["-c", script], confinement);
    let mut events: Vec<Event> = Vec::new();
    Match::new(&kind, "5", &command).rules(rules).play(|event| events.push(event))?;
    let text = gamelog::log_of(&events, Path::new("sums.jsonl"), None).expect("memory");
    Ok(gamelog::read(&text).expect("a good log"))
}

fn play(judges: Sums, script: &str) -> Result<Log, PlayError> {
    play_by(Config::resolve([]).expect("the defaults").rules, judges, script)
}

fn played(script: &str) -> Log {
    play(Sums::default(), script).expect("the judge is well")
}

const TWOS: &str = "while read -r more; do echo 2; done";

#[test]
fn a_judges_game_is_played_and_its_log_agrees_with_itself() {
    let log = played(TWOS);
    let end = log.end.as_ref().expect("complete");
    let score = |score: Option<referee::score::Score>| score.map(|score| score.to_string());
    assert_eq!((end.verdict, end.won, end.turns), (Verdict::Completed, true, 3), "{end:?}");
    assert_eq!((end.official.as_str(), score(end.score)), ("Enough.", Some("6.50".to_owned())));
    assert_eq!(end.summary, ["sum 2", "sum 4", "sum 6"]);
    assert_eq!(end.metadata["turns"], "3");
    let asked: Vec<_> = log.turns.iter().map(|turn| turn.asked.clone().expect("kept")).collect();
    assert_eq!(asked[1].input, "3 more\n");
    assert_eq!((asked[1].lines, &asked[1].summary[..]), (Some(1), &["sum 4".to_owned()][..]));
    assert_eq!(asked[1].limit.map(|limit| limit.0), Some(OWN_LIMIT));
    assert_eq!(score(log.turns[1].gain).as_deref(), Some("2.00"));
    let replayed = replay(&log).expect("a sound log");
    assert_eq!((replayed.difference, replayed.end), (None, log.end));
}

#[test]
fn a_log_that_was_changed_or_cut_short_is_found_out() {
    let mut log = played(TWOS);
    log.turns[1].score = log.turns[0].score;
    let found = replay(&log).expect("a sound log").difference.expect("a difference");
    assert_eq!((found.turn, found.what), (2, "gain"), "{found:?}");
    let mut log = played(TWOS);
    log.end = None;
    log.turns.pop();
    let replayed = replay(&log).expect("a sound log");
    assert_eq!((replayed.difference, replayed.end, replayed.turns), (None, None, 2));
}

#[test]
fn a_judge_says_how_a_bot_lost() {
    for (reply, verdict, official) in [
        ("99", Verdict::Lost, "Lost."),
        ("-1", Verdict::IllegalMove, "Less than nothing."),
        ("two", Verdict::MalformedReply, "That is not a number."),
        ("98", Verdict::Timeout, "You dawdle."),
    ] {
        let log =
            played(&format!("read -r more; echo 2; read -r more; echo {reply}; read -r more"));
        let end = log.end.as_ref().expect("complete");
        assert_eq!((end.verdict, end.won, end.official.as_str()), (verdict, false, official));
        assert!(end.process.diagnosis.as_ref().is_some_and(|why| why.contains(reply)), "{end:?}");
        let replayed = replay(&log).expect("a sound log");
        assert_eq!((replayed.difference, replayed.end), (None, log.end), "{reply}");
    }
    let log = played("read -r more; exit 3");
    let end = log.end.as_ref().expect("complete");
    assert_eq!((end.verdict, end.official.as_str()), (Verdict::Crash, "Silence."));
    assert_eq!(replay(&log).expect("a sound log").difference, None);
}

#[test]
fn a_reply_may_last_until_the_end_of_the_output() {
    let judges = || Sums { awaits_end: true, ..Sums::default() };
    let log = play(judges(), "read -r more; echo 7; printf 8").expect("the judge is well");
    let end = log.end.as_ref().expect("complete");
    assert_eq!((end.verdict, end.turns), (Verdict::Completed, 1), "{end:?}");
    assert_eq!(replay(&log).expect("a sound log").difference, None);
    let log = play(judges(), "read -r more; echo 7; exit 3").expect("the judge is well");
    assert_eq!(log.end.expect("complete").verdict, Verdict::Crash);
}

#[test]
fn a_judge_that_fails_is_nobodys_loss() {
    for fails_at in [0, 1] {
        let judges = Sums { fails_at: Some(fails_at), ..Sums::default() };
        let Err(PlayError::Judge(trouble)) = play(judges, TWOS) else { panic!("it has failed") };
        let told = trouble.to_string();
        let after = if fails_at == 0 { "" } else { "; the reply before it was `2`" };
        let words =
            format!("the judge: ended{after}\nits standard error ends with:\na stack trace");
        assert_eq!(told, words);
    }
}

#[test]
fn the_judges_own_limit_holds_unless_the_profile_or_the_user_says_otherwise() {
    let rules = |settings: &str| {
        let layers = [settings.parse().expect("settings")];
        Config::resolve(layers).expect("settings").rules
    };
    let own = Some(OWN_LIMIT);
    for (settings, limit) in [
        ("", own),
        ("profile = 'relaxed'\nrelaxed-factor = 2", Some(2 * OWN_LIMIT)),
        ("profile = 'unlimited'", None),
    ] {
        assert_eq!(rules(settings).limit(LimitKind::Turn, own), limit, "{settings}");
        let log = play_by(rules(settings), Sums::default(), TWOS).expect("the judge is well");
        let asked = log.turns[0].asked.as_ref().expect("kept");
        assert_eq!(asked.limit.map(|limit| limit.0), limit, "{settings}");
        assert_eq!(asked.official.map(|limit| limit.0), own);
    }
}

#[test]
fn another_judge_that_says_something_else_is_found_by_rejudging() {
    let log = played(TWOS);
    let again = |judges| {
        let case = (kind(judges).0.parse)(&log.start.test_case).expect("a board");
        let again = rejudge(&log, case.start(&Placement::default())?)?;
        Ok::<_, JudgeFailure>(again.expect("it talks to nobody else"))
    };
    assert_eq!(again(Sums::default()).expect("well").difference, None);
    let other = again(Sums { bonus: 1, ..Sums::default() }).expect("well");
    let found = other.difference.expect("a difference");
    assert_eq!((found.turn, found.what), (1, "gain"), "{found:?}");
    let trouble = again(Sums { fails_at: Some(2), ..Sums::default() }).expect_err("it fails");
    assert_eq!(trouble.what, "ended");
}

#[test]
fn reading_a_board_starts_no_judge() {
    let (kind, judges) = kind(Sums::default());
    let case = (kind.parse)("5").expect("a board");
    assert_eq!(case.text, r#"{"case":"5"}"#);
    let again = (kind.parse)(&case.text).expect("its own form");
    assert_eq!(again.text, case.text);
    assert_eq!(case.record_key, r#"sums {"case":"5"}"#);
    assert!(case.opening().is_none());
    assert_eq!(judges.started.load(Ordering::SeqCst), 0);
}
