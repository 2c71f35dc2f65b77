//! The statistics against `SciPy`, on data that `scripts/scipy-statistics.py` has made, and against a program written from
//! `docs/statistics.md`.

#[expect(unreachable_pub, reason = "the library of the other tests has this file too")]
#[path = "../../../../tests/src/programs.rs"]
mod programs;
mod ratings;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use serde::Deserialize;
use serde_json::{Value, json};
use statistics::{
    Conclusion, ConfidenceSequence, Decided, Paired, PairedBoard, Risk, Tendency, sign_test,
};

/// A file that comes with the tests.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name)
}

#[derive(Deserialize)]
struct Case {
    sample: Vec<f64>,
    sign: f64,
}

fn cases() -> Vec<Case> {
    let text = fs::read_to_string(data("scipy-statistics.jsonl")).expect("the data");
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

#[track_caller]
fn assert_close(what: &str, case: &Case, found: f64, expected: f64) {
    let difference = (found - expected).abs();
    assert!(difference < 1e-9, "{what}: {found}, not {expected}, of {:?}", case.sample);
}

#[test]
fn the_sign_test_agrees_with_scipy() {
    for case in cases() {
        let count = |keep: fn(f64) -> bool| case.sample.iter().filter(|d| keep(**d)).count() as u64;
        assert_close("p", &case, sign_test(count(|d| d > 0.0), count(|d| d < 0.0)), case.sign);
    }
}

/// Boards of two bots: values of a few or of many levels, ties, rare high ones, and lost games, by `kind`.
fn boards(kind: u32, count: u32, random: &mut Pcg32) -> Vec<PairedBoard> {
    let mut up_to = |most: u32| random.next_u32() % most;
    let mut board = |_| {
        let level = f64::from(up_to(2000)) + 100.0;
        let luck = f64::from(up_to(200)) - 160.0 + f64::from(kind % 3) * 60.0;
        match kind {
            0..3 => PairedBoard::finished(level + luck, level),
            3 => PairedBoard::finished(level + if up_to(20) == 0 { 900.0 } else { -10.0 }, level),
            4 => PairedBoard::finished(7.0, 5.0),
            5 => PairedBoard::finished(level, level),
            6..10 => {
                let lost = [up_to(60) < kind, up_to(40) < 1];
                let value = |points: f64, lost: bool| if lost { 0.0 } else { points };
                let mine = level + luck + f64::from(kind) * 20.0;
                PairedBoard::new([value(mine, lost[0]), value(level, lost[1])], lost)
            }
            // Three games of each, of which some are lost.
            _ => {
                let (mine, others) = (up_to(40) / 39, up_to(30) / 29);
                let all =
                    [level + luck - f64::from(mine) * 300.0, level - f64::from(others) * 300.0];
                let lost = [mine, others].map(|lost| usize::from(lost != 0));
                PairedBoard {
                    finished: Some([level + luck, level]),
                    all,
                    lost,
                    has_losses: lost != [0, 0],
                }
            }
        }
    };
    (0..count).map(&mut board).collect()
}

/// What the program of `tests/data/rule.py` prints, as this project computes it.
fn by_the_rule(boards: &[PairedBoard], risk: Risk, margin: f64) -> Value {
    let found = Paired::of(boards, risk);
    let mut sequence = ConfidenceSequence::new(margin, risk);
    for board in boards {
        sequence.push(board);
    }
    let lost = [found.lost.challenger, found.lost.baseline].map(|rate| [rate.low, rate.high]);
    let conclusion = match found.conclusion {
        Conclusion::Better => "better",
        Conclusion::Worse => "worse",
        Conclusion::NoDifferenceShown => "no_difference_shown",
        Conclusion::TooFewGames => "too_few_games",
    };
    let decided = sequence.decided().map(|decided| match decided {
        Decided::Better => "better",
        Decided::Worse => "worse",
        Decided::Even => "even",
    });
    let probably = found.probably.map(|tendency| match tendency {
        Tendency::Better => "better",
        Tendency::Worse => "worse",
    });
    json!({
        "compare": {
            "all": found.all,
            "finished": found.finished.test,
            "p": found.adjusted_p,
            "conclusion": conclusion,
            "probably": probably,
            "lost": lost,
            "alone": [found.lost.only_challenger, found.lost.only_baseline],
            "settle": found.pairs_to_settle,
        },
        "sequence": {
            "decided": decided,
            "p": sequence.p_value(),
            "interval": sequence.leading().expect("boards").1,
        },
    })
}

/// The places at which two values differ, numbers by more than 1e-9.
fn differences(at: &str, found: &Value, expected: &Value) -> Vec<String> {
    match (found, expected) {
        (Value::Object(one), Value::Object(_)) => one
            .iter()
            .flat_map(|(key, value)| differences(&format!("{at}/{key}"), value, &expected[key]))
            .collect(),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other);
            pairs.flat_map(|(one, other)| differences(&format!("{at}/"), one, other)).collect()
        }
        (Value::Number(one), Value::Number(other)) => {
            let [one, other] = [one, other].map(|number| number.as_f64().expect("a number"));
            let is_near = (one - other).abs() <= 1e-9 * other.abs().max(1.0);
            (!is_near).then(|| format!("{at}: {one}, not {other}")).into_iter().collect()
        }
        _ if found == expected => Vec::new(),
        _ => vec![format!("{at}: {found}, not {expected}")],
    }
}

/// What a program of the test data prints, given these lines.
fn answers(python: &str, program: &str, input: String) -> Vec<Value> {
    let mut python = Command::new(python);
    python.arg(data(program)).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().expect("starts");
    let mut pipe = python.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = python.wait_with_output().expect("ends");
    writer.join().expect("no panic").expect("all is read");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_rule_is_the_one_of_its_document() {
    let test = "the rule of docs/statistics.md";
    let Some([python]) = programs::need(test, ["python3"]) else { return };
    let mut random = Pcg32::seed_from_u64(36);
    let (mut input, mut expected) = (String::new(), Vec::new());
    for kind in 0..12 {
        for count in [1, 2, 59, 60, 100, 180] {
            let boards = boards(kind, count, &mut random);
            for (risk, margin) in [(Risk::Strict, 0.0), (Risk::Loose, 60.0)] {
                let shown = |board: &PairedBoard| {
                    let PairedBoard { finished, all, lost, has_losses } = board;
                    json!({ "finished": finished, "all": all, "lost": lost, "has_losses": has_losses })
                };
                let list: Vec<_> = boards.iter().map(shown).collect();
                let case = json!({ "alpha": risk.both(), "margin": margin, "boards": list });
                input.extend([case.to_string(), "\n".to_owned()]);
                expected.push((kind, count, by_the_rule(&boards, risk, margin)));
            }
        }
    }
    let printed = answers(python, "rule.py", input);
    assert_eq!(printed.len(), expected.len());
    for (again, (kind, count, found)) in printed.iter().zip(&expected) {
        let differences = differences("", found, again);
        assert!(differences.is_empty(), "kind {kind}, {count} boards: {differences:#?}");
    }
    let verdicts = |verdict: &str| {
        expected.iter().filter(|(.., found)| found["compare"]["conclusion"] == verdict).count()
    };
    assert!(["better", "worse", "no_difference_shown"].iter().all(|it| verdicts(it) > 0));
}
