//! Results in `JUnit`'s format, for CI. The output is valid under the schemas of both Jenkins (junit-10) and
//! Maven's Surefire (3.0).

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
    /// `failure`, or `error` of a test that could not be run.
    element: &'static str,
    /// A few words.
    name: String,
    why: String,
}

pub(super) fn passed(name: &str, took: Option<Duration>) -> TestCase {
    TestCase { name: valid(name), took: took.unwrap_or_default(), problem: None }
}

pub(super) fn failed(name: &str, took: Option<Duration>, problem: &str, why: &str) -> TestCase {
    let problem = Problem { element: "failure", name: valid(problem), why: valid(why) };
    TestCase { problem: Some(problem), ..passed(name, took) }
}

/// A test that could not be run.
pub(super) fn not_run(name: &str, problem: &str, why: &str) -> TestCase {
    let problem = Problem { element: "error", name: valid(problem), why: valid(why) };
    TestCase { problem: Some(problem), ..passed(name, None) }
}

/// The text without the two characters that are neither controls nor allowed in XML.
fn valid(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// Suites of tests; the name of its suite is the class of a test.
#[expect(missing_debug_implementations, reason = "it is written at once")]
pub struct Suites {
    pub(super) name: &'static str,
    pub(super) suites: Vec<(String, Vec<TestCase>)>,
}

impl Suites {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        // Jenkins allows no number of skipped tests here.
        let all = totals(self.suites.iter().flat_map(|(_, cases)| cases));
        writeln!(out, "<testsuites name=\"{}\" {all}>", Text(self.name))?;
        for (name, cases) in &self.suites {
            write_suite(&valid(name), cases, out)?;
        }
        writeln!(out, "</testsuites>")
    }
}

fn write_suite(name: &str, cases: &[TestCase], out: &mut dyn Write) -> io::Result<()> {
    let (name, totals) = (Text(name), totals(cases.iter()));
    writeln!(out, "    <testsuite name=\"{name}\" skipped=\"0\" {totals}>")?;
    for TestCase { name: own, took, problem } in cases {
        let (own, time) = (Text(own), took.as_secs_f64());
        write!(out, "        <testcase name=\"{own}\" classname=\"{name}\" time=\"{time:.3}\"")?;
        let Some(Problem { element, name, why }) = problem else {
            writeln!(out, "/>")?;
            continue;
        };
        let (name, why) = (Text(name), Text(why));
        writeln!(out, ">\n            <{element} message=\"{why}\" type=\"{name}\"/>")?;
        writeln!(out, "        </testcase>")?;
    }
    writeln!(out, "    </testsuite>")
}

/// The totals of tests, as attributes.
fn totals<'a>(cases: impl Iterator<Item = &'a TestCase> + Clone) -> String {
    let problems = cases.clone().filter_map(|case| case.problem.as_ref());
    let count = |element| problems.clone().filter(|problem| problem.element == element).count();
    let (tests, failures, errors) = (cases.clone().count(), count("failure"), count("error"));
    let time: Duration = cases.map(|case| case.took).sum();
    let time = time.as_secs_f64();
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"")
}
