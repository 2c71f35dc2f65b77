//! Games of an outside judge, which is a list of what it says.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rules::game::judge::{
    Answer, Ask, Case, Drawing, Ending, Judge, JudgeEnd, JudgeProgram, Judges, Place, Reading,
    Step, Trouble,
};
use rules::game::{Game, Judged, Traits};
use rules::ruling::rule;
use serde_json::json;
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};
use terms::verdict::{BotExit, NoReply, Verdict};

/// Judges that say these steps, and then fail; and what they have heard.
#[derive(Default)]
struct Script {
    steps: Vec<Step>,
    heard: Arc<Mutex<Vec<String>>>,
    is_total: bool,
    needs_bot: bool,
    reading: Reading,
    traits: Option<Traits>,
}

impl Judges for Script {
    fn start(&self, case: &Case, _place: &Place<'_>) -> Result<Box<dyn Judge>, Trouble> {
        self.heard.lock().expect("no panic").push(case.to_string());
        Ok(Box::new(Speaker { steps: self.steps.clone().into_iter(), heard: self.heard.clone() }))
    }

    fn needs_bot(&self) -> bool {
        self.needs_bot
    }

    fn has_total_limit(&self) -> bool {
        self.is_total
    }

    fn traits(&self) -> Option<&Traits> {
        self.traits.as_ref()
    }

    fn reading(&self) -> Reading {
        self.reading
    }
}

struct Speaker {
    steps: std::vec::IntoIter<Step>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Judge for Speaker {
    fn next(&mut self) -> Result<Step, Trouble> {
        self.steps.next().ok_or_else(|| Trouble::new("has no more to say"))
    }

    fn answer(&mut self, answer: Answer<'_>) -> Result<(), Trouble> {
        self.heard.lock().expect("no panic").push(match answer {
            Answer::Reply { lines, elapsed } => format!("{:?} {elapsed:?}", lines.to_text()),
            Answer::NoReply(why) => format!("{why:?}"),
        });
        Ok(())
    }

    fn drawings(&mut self) -> Vec<Drawing> {
        vec![Drawing { name: "out.svg".to_owned(), content: Vec::new() }]
    }
}

fn ask(input: &str, score: Option<&str>, summary: &[&str]) -> Step {
    Step::Ask(Ask {
        input: input.to_owned(),
        lines: Some(1),
        score: score.map(str::to_owned),
        summary: summary.iter().map(ToString::to_string).collect(),
        ..Ask::default()
    })
}

fn end(how: Ending, score: Option<&str>) -> Step {
    Step::End(JudgeEnd {
        how,
        score: score.map(str::to_owned),
        official: "The end.".to_owned(),
        summary: vec!["last".to_owned()],
        metadata: [("rounds".to_owned(), "2".to_owned())].into(),
    })
}

fn begun(script: Script) -> Judged {
    let mut game = Judged::new("sums", Case::Text("10 3\n".to_owned()), Arc::new(script));
    game.begin(&Place::default()).expect("it begins");
    game
}

fn line(text: &str) -> Lines {
    Lines::split(text.as_bytes())
}

#[test]
fn a_game_goes_as_its_judge_says() {
    let heard = Arc::default();
    let steps = vec![
        ask("first\n", Some("1.50"), &["one"]),
        ask("second\n", Some("4"), &["two"]),
        end(Ending::Completed, Some("3.25")),
    ];
    let traits = Some(Traits::parse("n _").expect("names"));
    let mut game = begun(Script { steps, heard: Arc::clone(&heard), traits, ..Script::default() });
    assert_eq!(game.test_case(), "{\"case\":\"10 3\\n\"}");
    assert_eq!(game.record_key(), "sums {\"case\":\"10 3\\n\"}");
    assert_eq!(game.groups(), [("n".to_owned(), 10)].into());
    assert_eq!((&*game.input(), game.summary()), ("first\n", &["one".to_owned()][..]));
    assert_eq!(game.score(), Some("1.5".parse().expect("a score")));
    assert_eq!(game.asked().map(|ask| ask.lines), Some(Some(1)));
    assert!(!game.needs_bot() && game.official_result().is_empty() && game.metadata().is_empty());
    let exchange = game.next_exchange().expect("a turn");
    assert_eq!(
        (exchange.limit, exchange.official, exchange.lines.count),
        (LimitKind::FirstTurn, None, 1)
    );
    assert_eq!((exchange.lines.max_bytes, exchange.lines.eof_ends_line), (None, true));
    game.took(Duration::from_millis(7));
    let ruling = rule(&mut game, &line("5\n"), None);
    assert_eq!((ruling.verdict, ruling.action), (Verdict::Completed, None));
    assert_eq!(ruling.gain, Some("2.50".parse().expect("a score")));
    assert_eq!(game.next_exchange().expect("a turn").limit, LimitKind::Turn);
    assert_eq!(rule(&mut game, &line("6\n"), None).verdict, Verdict::Completed);
    assert!(game.next_exchange().is_none() && game.trouble().is_none() && game.asked().is_none());
    assert_eq!((game.official_result(), game.input().as_ref()), ("The end.", ""));
    assert_eq!(game.summary(), ["one", "two", "last"]);
    assert_eq!(game.metadata(), [("rounds".to_owned(), "2".to_owned())].into());
    assert_eq!(game.drawings().len(), 1);
    assert!(game.picture().is_none() && game.frames(&line("5\n")).is_empty());
    let heard = heard.lock().expect("no panic").join(" ");
    assert_eq!(heard, "{\"case\":\"10 3\\n\"} [\"5\"] 7ms [\"6\"] 7ms");
    assert!(format!("{game:?}").starts_with("Judged { test_case: "), "{game:?}");
}

#[test]
fn each_ending_has_its_verdict_and_remark() {
    for (how, verdict, remark) in [
        (Ending::Lost, Verdict::Lost, None),
        (
            Ending::Timeout,
            Verdict::Timeout,
            Some("it was late, as replies before it, which the judge has forgiven"),
        ),
        (
            Ending::EarlyExit,
            Verdict::EarlyExit,
            Some("the bot ended before the game did: The end."),
        ),
        (Ending::Malformed, Verdict::MalformedReply, None),
        (Ending::Illegal, Verdict::IllegalMove, None),
        (Ending::Completed, Verdict::Completed, None),
    ] {
        let steps = vec![ask("?\n", None, &[]), end(how, None)];
        let ruling = rule(&mut begun(Script { steps, ..Script::default() }), &line("5\n"), None);
        assert_eq!((ruling.verdict, ruling.remark.as_deref()), (verdict, remark), "{how:?}");
        assert_eq!(ruling.wrong_line, (how != Ending::Completed).then_some(0), "{how:?}");
        assert_eq!(ruling.gain, None, "{how:?}: it has no score");
    }
    // No line is to blame where all output is one answer.
    let all = Step::Ask(Ask { lines: None, limit: Some(Duration::from_secs(2)), ..Ask::default() });
    let steps = vec![all, end(Ending::Lost, None)];
    let reading = Reading { max_bytes: Some(9), eof_ends_line: false };
    let mut game =
        begun(Script { steps, reading, is_total: true, needs_bot: true, ..Script::default() });
    let exchange = game.next_exchange().expect("a turn");
    assert_eq!(
        (exchange.limit, exchange.official),
        (LimitKind::Total, Some(Duration::from_secs(2)))
    );
    let LineRules { count, max_bytes, eof_ends_line, .. } = exchange.lines;
    assert_eq!((count, max_bytes, eof_ends_line), (LineRules::UNTIL_END, Some(9), true));
    assert!(game.needs_bot());
    let remark = rule(&mut game, &line("5\n"), None).remark;
    assert_eq!(remark.as_deref(), Some("the judge does not accept the answer: The end."));
    // By its settings.
    let steps = vec![ask("?\n", None, &[])];
    let game = begun(Script { steps, reading, ..Script::default() });
    assert!(!game.next_exchange().expect("a turn").lines.eof_ends_line);
}

#[test]
fn silence_is_told_until_the_judge_ends_the_game() {
    let heard = Arc::default();
    let steps = vec![ask("1\n", None, &[]), ask("2\n", None, &[]), end(Ending::Lost, Some("0"))];
    let mut game = begun(Script { steps, heard: Arc::clone(&heard), ..Script::default() });
    let ruling = rule(&mut game, &Lines::default(), Some(NoReply::Ended(BotExit::Code(3))));
    assert_eq!(ruling.verdict, Verdict::Crash);
    assert_eq!((game.official_result(), game.score()), ("The end.", Some(0.into())));
    let heard = heard.lock().expect("no panic");
    assert_eq!(heard[1..], ["Ended(Code(3))", "Ended(Code(3))"]);
    assert!(game.trouble().is_none());
}

#[test]
fn a_judge_that_fails_is_trouble_told_once() {
    let trouble = |steps: Vec<Step>, no_reply| {
        let mut game = begun(Script { steps, ..Script::default() });
        rule(&mut game, &line("5\n"), no_reply);
        assert!(game.next_exchange().is_none() && game.official_result().is_empty());
        let trouble = game.trouble().expect("trouble").to_string();
        assert!(game.trouble().is_none(), "told once");
        trouble
    };
    let asks = |count| vec![ask("?\n", None, &[]); count];
    assert_eq!(trouble(asks(1), None), "the judge: has no more to say");
    assert_eq!(
        trouble(vec![ask("?\n", None, &[]), ask("?\n", Some("many"), &[])], None),
        "the judge: its score `many` cannot be used: a score is a number such as 1360 or 53800.5, not `many`"
    );
    assert_eq!(
        trouble(asks(100_001), Some(NoReply::Deadline)),
        "the judge: asks on and on, although it was told that no reply came"
    );
    for (how, begins) in [(Ending::Completed, true), (Ending::Lost, false)] {
        let judges = Script { steps: vec![end(how, None)], ..Script::default() };
        let mut game = Judged::new("sums", Case::Seed(7), Arc::new(judges));
        // Nothing runs yet.
        assert!(game.peer().is_none() && game.drawings().is_empty() && game.input().is_empty());
        assert_eq!(game.begin(&Place::default()).is_ok(), begins, "{how:?}");
    }
    let whole = Trouble {
        stderr: Some("a\nb\n".into()),
        remedy: Some("do it".into()),
        ..Trouble::new("ended")
    };
    assert_eq!(whole.to_string(), "the judge: ended; do it\nits standard error ends with:\na\nb");
}

#[test]
fn a_case_is_a_seed_or_any_text() {
    for (text, case) in [
        ("{\"seed\":7}", Case::Seed(7)),
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

/// What a judge and its game leave to their defaults.
#[test]
fn a_plain_judge_adds_nothing() {
    struct Plain;
    impl Judge for Plain {
        fn next(&mut self) -> Result<Step, Trouble> {
            Err(Trouble::new("plain"))
        }
        fn answer(&mut self, _answer: Answer<'_>) -> Result<(), Trouble> {
            Ok(())
        }
    }
    impl Judges for Plain {
        fn start(&self, _case: &Case, _place: &Place<'_>) -> Result<Box<dyn Judge>, Trouble> {
            Ok(Box::new(Plain))
        }
    }
    assert!(Plain.peer().is_none() && Plain.drawings().is_empty());
    assert!(!Plain.needs_bot() && !Plain.has_total_limit() && Plain.traits().is_none());
    assert_eq!(Plain.reading(), Reading { max_bytes: None, eof_ends_line: true });
    assert!(format!("{:?}", Place { core: Some(3), alarm: None }).contains("core: Some(3)"));
}
