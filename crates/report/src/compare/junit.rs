//! For CI: a test for each comparison, which fails if the challenger is worse.

use std::io::{self, Write};

use super::{p_value, verdict};
use crate::junit::{TestCase, failed, passed, write_suites};
use results::compare::Comparison;
use statistics::Conclusion;

pub(super) fn write(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    let cases = comparisons.iter().map(case).collect();
    write_suites("referee compare", &[("comparisons".to_owned(), cases)], out)
}

fn case(comparison: &Comparison) -> TestCase {
    let name = format!("{} against {}", comparison.challenger, comparison.baseline);
    if comparison.paired.conclusion != Conclusion::Worse {
        return passed(&name, None);
    }
    let (mean, p) = (comparison.paired.mean, p_value(comparison.paired.adjusted_p));
    let why = format!("{}: {mean:+.1} points a board, p {p}", verdict(comparison));
    failed(&name, None, "worse", &why)
}
