//! Results as `JUnit` has them, for CI.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// A test that has passed.
pub(super) fn passed(name: &str, took: Option<Duration>) -> TestCase {
    timed(TestCase::new(name, TestCaseStatus::success()), took)
}

/// A test that has failed.
pub(super) fn failed(name: &str, took: Option<Duration>, kind: &str, why: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(kind).set_message(why);
    timed(TestCase::new(name, status), took)
}

fn timed(mut case: TestCase, took: Option<Duration>) -> TestCase {
    if let Some(took) = took {
        case.set_time(took);
    }
    case
}

/// Writes suites of tests.
pub(super) fn write_suites(
    name: &str,
    suites: Vec<(String, Vec<TestCase>)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut report = Report::new(name);
    for (name, cases) in suites {
        let mut suite = TestSuite::new(name);
        suite.add_test_cases(cases);
        report.add_test_suite(suite);
    }
    report.serialize(out).map_err(io::Error::other)
}
