//! Results in `JUnit`'s format, for CI. The output is valid under the schemas of both Jenkins (junit-10) and
//! Maven's Surefire (3.0).

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use super::markup::Text;

pub(super) struct TestCase {
    name: String,
    /// Surefire requires a time for each test.
    took: Duration,
    problem: Option<Problem>,
}

struct Problem {
    kind: ProblemKind,
    /// A few words.
    name: String,
    why: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProblemKind {
    /// The test has failed.
    Failure,
    /// The test could not be run.
    Error,
}

pub(super) fn passed(name: &str, took: Option<Duration>) -> TestCase {
    TestCase { name: valid(name), took: took.unwrap_or_default(), problem: None }
}

pub(super) fn failed(name: &str, took: Option<Duration>, problem: &str, why: &str) -> TestCase {
    TestCase { problem: Some(of_kind(ProblemKind::Failure, problem, why)), ..passed(name, took) }
}

/// A test that could not be run.
pub(super) fn not_run(name: &str, problem: &str, why: &str) -> TestCase {
    TestCase { problem: Some(of_kind(ProblemKind::Error, problem, why)), ..passed(name, None) }
}

fn of_kind(kind: ProblemKind, name: &str, why: &str) -> Problem {
    Problem { kind, name: valid(name), why: valid(why) }
}

/// The text without the two characters that are neither controls nor allowed in XML.
fn valid(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// Writes suites of tests; the name of its suite is the class of a test.
pub(super) fn write_suites(
    name: &str,
    suites: &[(String, Vec<TestCase>)],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let Totals { tests, failures, errors, time } =
        Totals::of(suites.iter().flat_map(|(_, cases)| cases));
    // Jenkins allows no number of skipped tests here.
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    writeln!(out, "<testsuites name=\"{}\" {counts} time=\"{time}\">", Text(name))?;
    for (name, cases) in suites {
        write_suite(&valid(name), cases, out)?;
    }
    writeln!(out, "</testsuites>")
}

fn write_suite(name: &str, cases: &[TestCase], out: &mut dyn Write) -> io::Result<()> {
    let name = Text(name);
    let Totals { tests, failures, errors, time } = Totals::of(cases);
    let counts =
        format!("tests=\"{tests}\" skipped=\"0\" errors=\"{errors}\" failures=\"{failures}\"");
    writeln!(out, "    <testsuite name=\"{name}\" {counts} time=\"{time}\">")?;
    for TestCase { name: own, took, problem } in cases {
        let (own, time) = (Text(own), Seconds(*took));
        write!(out, "        <testcase name=\"{own}\" classname=\"{name}\" time=\"{time}\"")?;
        let Some(Problem { kind, name, why }) = problem else {
            writeln!(out, "/>")?;
            continue;
        };
        let element = if *kind == ProblemKind::Failure { "failure" } else { "error" };
        let (name, why) = (Text(name), Text(why));
        writeln!(out, ">\n            <{element} message=\"{why}\" type=\"{name}\"/>")?;
        writeln!(out, "        </testcase>")?;
    }
    writeln!(out, "    </testsuite>")
}

/// The totals of tests.
struct Totals {
    tests: usize,
    failures: usize,
    errors: usize,
    time: Seconds,
}

impl Totals {
    fn of<'a>(cases: impl IntoIterator<Item = &'a TestCase>) -> Self {
        let none = Self { tests: 0, failures: 0, errors: 0, time: Seconds(Duration::ZERO) };
        cases.into_iter().fold(none, |sum, case| {
            let is = |kind| usize::from(case.problem.as_ref().is_some_and(|it| it.kind == kind));
            Self {
                tests: sum.tests + 1,
                failures: sum.failures + is(ProblemKind::Failure),
                errors: sum.errors + is(ProblemKind::Error),
                time: Seconds(sum.time.0 + case.took),
            }
        })
    }
}

/// A time as CI systems read it.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0.as_secs_f64())
    }
}
