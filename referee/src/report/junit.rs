//! Results in `JUnit`'s format, for CI. The output is valid under the schemas of both Jenkins (junit-10) and
//! Maven's Surefire (3.0).

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::text::printable;

/// A test that has passed.
pub(super) fn passed(name: &str, took: Option<Duration>) -> TestCase {
    timed(TestCase::new(printable(name), TestCaseStatus::success()), took)
}

/// A test that has failed.
pub(super) fn failed(name: &str, took: Option<Duration>, kind: &str, why: &str) -> TestCase {
    unsuccessful(NonSuccessKind::Failure, name, took, kind, why)
}

/// A test that could not be run.
pub(super) fn not_run(name: &str, kind: &str, why: &str) -> TestCase {
    unsuccessful(NonSuccessKind::Error, name, None, kind, why)
}

fn unsuccessful(
    result: NonSuccessKind,
    name: &str,
    took: Option<Duration>,
    kind: &str,
    why: &str,
) -> TestCase {
    let mut status = TestCaseStatus::non_success(result);
    status.set_type(kind).set_message(printable(why));
    timed(TestCase::new(printable(name), status), took)
}

/// Surefire requires a time for each test.
fn timed(mut case: TestCase, took: Option<Duration>) -> TestCase {
    case.set_time(took.unwrap_or_default());
    case
}

/// Writes suites of tests; the name of its suite is the class of a test.
pub(super) fn write_suites(
    name: &str,
    suites: Vec<(String, Vec<TestCase>)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut report = Report::new(name);
    let mut total = Duration::ZERO;
    for (name, cases) in suites {
        let mut suite = TestSuite::new(name.as_str());
        let time = cases.iter().filter_map(|case| case.time).sum();
        total += time;
        for mut case in cases {
            case.set_classname(name.as_str());
            suite.add_test_case(case);
        }
        report.add_test_suite(suite.set_time(time).clone());
    }
    report.set_time(total);
    let text = report.to_string().map_err(io::Error::other)?;
    out.write_all(without_skipped(&text).as_bytes())
}

/// Removes the number of skipped tests from the first element, where Jenkins does not allow it.
fn without_skipped(text: &str) -> String {
    text.replacen(" skipped=\"0\"", "", 1)
}
