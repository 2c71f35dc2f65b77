//! Games of an outside judge, which is a list of what it says.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rules::game::judge::{Case, JudgeEnd, JudgeProgram, Question, Reading, StartJudge, Steps};
use rules::game::{
    Answer, Drawing, Effect, End, Game, JudgeFailure, Placement, Referee, Seat, Step, TestCase,
    Traits,
};
use rules::score::Score;
use serde_json::json;
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};
use terms::verdict::{BotExit, NoReply, Verdict};

/// What a judge says.
#[derive(Debug, Clone)]
enum ScriptedStep {
    /// A question: its text, the number of its lines, its limit, the score and the summary.
    Ask(&'static str, Option<u32>, Option<Duration>, Option<&'static str>, &'static [&'static str]),
    End(Verdict, Option<&'static str>),
}

/// Judges that say this, and then fail; and what they have heard.
#[derive(Default)]
struct Script {
    said: Vec<ScriptedStep>,
    heard: Arc<Mutex<Vec<String>>>,
    is_total: bool,
    reading: Reading,
    traits: Option<Traits>,
}

impl Script {
    fn case(self, case: Case) -> TestCase {
        let Self { said, heard, is_total, reading, traits } = self;
        let start: StartJudge = Arc::new(move |case, _| {
            heard.lock().expect("no panic").push(case.to_string());
            let (said, heard) = (said.clone().into_iter(), heard.clone());
            Ok(Box::new(Speaker { said, heard, steps: Steps::new(reading, is_total) }))
        });
        TestCase::judged("sums", case, traits.as_ref(), start)
    }

    fn begun(self) -> Game {
        let case = self.case(Case::Text("10 3\n".to_owned()));
        case.start(&Placement::default()).expect("it begins")
    }
}

struct Speaker {
    said: std::vec::IntoIter<ScriptedStep>,
    heard: Arc<Mutex<Vec<String>>>,
    steps: Steps,
}

impl Referee for Speaker {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        let score = |score: Option<&str>| score.map(|score| score.parse().expect("a score"));
        match self.said.next().ok_or_else(|| JudgeFailure::new("has no more to say"))? {
            ScriptedStep::Ask(input, lines, limit, known, summary) => {
                let (input, score) = (input.to_owned(), score(known));
                let summary = summary.iter().map(ToString::to_string).collect();
                let question =
                    Question { input, lines, limit, score, summary, ..Question::default() };
                Ok(self.steps.ask(question))
            }
            ScriptedStep::End(verdict, known) => {
                let metadata = [("rounds".to_owned(), "2".to_owned())].into();
                let drawings = vec![Drawing { name: "out.svg".to_owned(), content: Vec::new() }];
                let end = End { metadata, drawings, ..End::new("The end.") };
                let (score, summary) = (score(known), vec!["last".to_owned()]);
                Ok(self.steps.end(JudgeEnd { verdict, score, summary, end }))
            }
        }
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        self.heard.lock().expect("no panic").push(match answer {
            Answer::Reply { lines, elapsed } => format!("{:?} {elapsed:?}", lines.to_text()),
            Answer::NoReply { why, .. } => format!("{why:?}"),
        });
        self.begin()
    }
}

fn ask(input: &'static str) -> ScriptedStep {
    ScriptedStep::Ask(input, Some(1), None, None, &[])
}

fn line(text: &str) -> Lines {
    Lines::split(text.as_bytes())
}

fn answered(game: &mut Game, reply: &str) -> Result<Effect, JudgeFailure> {
    game.answer(Answer::new(&line(reply), None))
}

#[test]
fn a_game_goes_as_its_judge_says() {
    let heard = Arc::default();
    let said = vec![
        ScriptedStep::Ask("first\n", Some(1), None, Some("1.50"), &["one"]),
        ScriptedStep::Ask("second\n", Some(1), None, Some("4"), &["two"]),
        ScriptedStep::End(Verdict::Completed, Some("3.25")),
    ];
    let traits = Some(Traits::parse("n _").expect("names"));
    let script = Script { said, heard: Arc::clone(&heard), traits, ..Script::default() };
    let case = script.case(Case::Text("10 3\n".to_owned()));
    assert_eq!(case.text, "{\"case\":\"10 3\\n\"}");
    assert_eq!(case.record_key, "sums {\"case\":\"10 3\\n\"}");
    assert_eq!(case.groups, [("n".to_owned(), 10)].into());
    assert!(case.opening().is_none(), "nothing is started");
    let mut game = case.start(&Placement::default()).expect("it begins");
    let score = |text: &str| Some(text.parse::<Score>().expect("a score"));
    assert_eq!((game.summary(), game.score(0)), (&["one".to_owned()][..], score("1.5")));
    let first = game.next_ask().expect("a turn");
    assert_eq!((first.input.as_str(), first.lines.count), ("first\n", 1));
    assert_eq!((first.seat, first.limit, first.official), (0, LimitKind::FirstTurn, None));
    assert_eq!((first.lines.max_bytes, first.lines.eof_ends_line), (None, true));
    assert!(first.peer.is_none() && game.official().is_empty() && game.end().is_none());
    let answer = line("5\n");
    let answer = Answer::new(&answer, None).after(Duration::from_millis(7));
    let effect = game.answer(answer).expect("a judge");
    assert_eq!((effect.verdict, effect.action), (Verdict::Completed, None));
    assert_eq!((effect.gain, effect.score), (score("2.50"), score("4")));
    assert_eq!(effect.summary, ["two"]);
    assert_eq!(game.next_ask().expect("a turn").limit, LimitKind::Turn);
    assert_eq!(answered(&mut game, "6\n").expect("a judge").verdict, Verdict::Completed);
    assert!(game.next_ask().is_none());
    let end = game.end().expect("it is over");
    assert_eq!((end.official.as_str(), end.drawings.len()), ("The end.", 1));
    assert_eq!(end.metadata, [("rounds".to_owned(), "2".to_owned())].into());
    assert_eq!(game.summary(), ["one", "two", "last"]);
    assert!(game.view().is_none());
    let heard = heard.lock().expect("no panic").join(" ");
    assert_eq!(heard, "{\"case\":\"10 3\\n\"} [\"5\"] 7ms [\"6\"] 0ns");
}

#[test]
fn each_ending_has_its_verdict_and_remark() {
    for (verdict, remark) in [
        (Verdict::Lost, Some("the judge says `The end.`")),
        (Verdict::Timeout, Some("the judge says `The end.`")),
        (Verdict::EarlyExit, Some("the bot ended before the game did: The end.")),
        (Verdict::MalformedReply, Some("the judge says `The end.`")),
        (Verdict::IllegalMove, Some("the judge says `The end.`")),
        (Verdict::Completed, None),
    ] {
        let said = vec![ask("?\n"), ScriptedStep::End(verdict, None)];
        let mut game = Script { said, ..Script::default() }.begun();
        let effect = answered(&mut game, "5\n").expect("a judge");
        assert_eq!((effect.verdict, effect.remark.as_deref()), (verdict, remark));
        assert_eq!(effect.wrong_line, None, "{verdict}: a judge names no line");
        assert_eq!(effect.gain, None, "{verdict}: it has no score");
    }
    // No line is to blame where all output is one answer.
    let limit = Some(Duration::from_secs(2));
    let said =
        vec![ScriptedStep::Ask("", None, limit, None, &[]), ScriptedStep::End(Verdict::Lost, None)];
    let reading = Reading { max_bytes: Some(9), eof_ends_line: false };
    let mut game = Script { said, reading, is_total: true, ..Script::default() }.begun();
    let first = game.next_ask().expect("a turn");
    assert_eq!((first.limit, first.official), (LimitKind::Total, limit));
    let LineRules { count, max_bytes, eof_ends_line, .. } = first.lines;
    assert_eq!(
        (count, max_bytes, eof_ends_line),
        (LineRules::UNTIL_END, None, true),
        "no limit holds for all output"
    );
    let remark = answered(&mut game, "5\n").expect("a judge").remark;
    assert_eq!(remark.as_deref(), Some("the judge does not accept the answer: The end."));
    // By its settings.
    let game = Script { said: vec![ask("?\n")], reading, ..Script::default() }.begun();
    assert!(!game.ask().expect("a turn").lines.eof_ends_line);
}

#[test]
fn silence_is_told_until_the_judge_ends_the_game() {
    let heard = Arc::default();
    let said = vec![ask("1\n"), ask("2\n"), ScriptedStep::End(Verdict::Lost, Some("0"))];
    let mut game = Script { said, heard: Arc::clone(&heard), ..Script::default() }.begun();
    let (nothing, why) = (Lines::default(), NoReply::Ended(BotExit::Code(3)));
    let effect = game.answer(Answer::new(&nothing, Some(why))).expect("a judge");
    assert_eq!((effect.verdict, effect.score), (Verdict::Crash, Some(0.into())));
    assert_eq!((game.official(), effect.wrong_line), ("The end.", None));
    let heard = heard.lock().expect("no panic");
    assert_eq!(heard[1..], ["Ended(Code(3))", "Ended(Code(3))"]);
}

#[test]
fn a_judge_that_fails_is_trouble() {
    let trouble = |said: Vec<ScriptedStep>, no_reply| {
        let mut game = Script { said, ..Script::default() }.begun();
        let failed = game.answer(Answer::new(&line("5\n"), no_reply));
        assert!(game.official().is_empty());
        failed.expect_err("trouble").to_string()
    };
    assert_eq!(trouble(vec![ask("?\n")], None), "the judge: has no more to say");
    assert_eq!(
        trouble(vec![ask("?\n"); 100_001], Some(NoReply::Deadline)),
        "the judge: kept asking after being told that no reply came"
    );
    for (verdict, begins) in [(Verdict::Completed, true), (Verdict::Lost, false)] {
        let case = Script { said: vec![ScriptedStep::End(verdict, None)], ..Script::default() };
        let started = case.case(Case::Seed(7.into())).start(&Placement::default());
        assert_eq!(started.is_ok(), begins, "{verdict}");
    }
    let whole = JudgeFailure {
        stderr: Some("a\nb\n".into()),
        remedy: Some("do it".into()),
        ..JudgeFailure::new("ended")
    };
    assert_eq!(whole.to_string(), "the judge: ended; do it\nits standard error ends with:\na\nb");
}

#[test]
fn a_case_is_a_seed_or_any_text() {
    for (text, case) in [
        ("{\"seed\":7}", Case::Seed(7.into())),
        ("{\"case\":\"a\\nb\"}", Case::Text("a\nb".to_owned())),
        ("7", Case::Text("7".to_owned())),
    ] {
        assert_eq!(Case::parse(text), case);
        assert_eq!(Case::parse(&case.to_string()), case);
    }
}

#[test]
fn judges_are_alike_by_all_that_decides_their_games() {
    let one = JudgeProgram { kind: "tester".to_owned(), ..JudgeProgram::default() };
    let traits = BTreeMap::from([("traits".to_owned(), "n".to_owned())]);
    let named = JudgeProgram { settings: traits, ..one.clone() };
    let other = JudgeProgram { kind: "scored".to_owned(), ..one.clone() };
    for (left, right, alike) in [
        (Some(&one), Some(&named), true),
        (Some(&one), Some(&other), false),
        (Some(&one), None, false),
        (None, None, true),
    ] {
        assert_eq!(JudgeProgram::are_alike(left, right), alike, "{left:?} {right:?}");
    }
    assert_eq!(
        serde_json::to_value(&one).expect("JSON"),
        json!({
            "kind": "tester", "command": [], "reading": { "eof_ends_line": true },
        })
    );
}

#[test]
fn pictures_are_known_by_their_endings() {
    for (name, is_picture) in
        [("out.svg", true), ("a.html", true), ("b.png", true), ("c.txt", false), ("svg", false)]
    {
        assert_eq!(Drawing::has_ending(Path::new(name)), is_picture, "{name}");
    }
}
