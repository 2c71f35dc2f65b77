//! For pages such as GitHub's: the verdict and a table.

use std::io::{self, Write};

use super::{COLUMNS, advice, columns, tests, unpaired, verdict};
use crate::markdown::{escape, table};
use results::compare::Comparison;

pub(super) fn write(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    for comparison in comparisons {
        writeln!(out, "### {}\n", escape(&verdict(comparison)))?;
        let groups = comparison.groups.iter().map(|group| columns(&group.name, &group.paired));
        let rows = std::iter::once(columns("all boards", &comparison.paired)).chain(groups);
        table(&COLUMNS, rows, out)?;
        if let Some(advice) = advice(&comparison.paired) {
            writeln!(out, "\n{advice}")?;
        }
        writeln!(out, "\n{}", escape(&tests(comparison, comparisons.len())))?;
        for sentence in unpaired(comparison) {
            writeln!(out, "\n{}", escape(&sentence))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
