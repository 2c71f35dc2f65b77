//! Shows what a host allows.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::inert::write_json;
use super::timing::TimingReport;
use super::timing::json::{Host, host};
use super::{BasicFormat, Format};
use results::host::{Findings, MethodFinding};
use terms::text::{duration, size};

const HEADING: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();

/// Everything that `referee doctor` reports.
pub struct DoctorReport {
    /// The containment and sandboxing that the host offers.
    pub findings: Findings,
    /// How much this machine disturbs measured times.
    pub timing: TimingReport,
}

impl DoctorReport {
    /// Writes the report in one of the formats.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(&self, format: BasicFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            BasicFormat::Text => self.write_text(out),
            BasicFormat::Json => self.write_json(out),
        }
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Object<'a> {
            #[serde(flatten)]
            findings: &'a Findings,
            timing: Host<'a>,
        }
        let object = Object { findings: &self.findings, timing: host(&self.timing) };
        write_json(&object, out)
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Findings { containment, used, exposures, no_sandbox, advice, .. } = &self.findings;
        writeln!(out, "  {HEADING}what keeps a bot's processes together{HEADING:#}")?;
        for finding in containment {
            method(finding, out)?;
        }
        writeln!(out, "  Used, unless --containment says otherwise: {used}.")?;
        for exposure in exposures {
            writeln!(out, "  {BAD}But{BAD:#} under it a bot of the same user can {exposure}.")?;
        }
        writeln!(out, "\n  {HEADING}sandbox{HEADING:#}")?;
        match no_sandbox {
            None => writeln!(out, "  {GOOD}yes{GOOD:#}  --sandbox can be enforced here")?,
            Some(why) => writeln!(out, "  {BAD}no{BAD:#}   {why}")?,
        }
        writeln!(out, "\n  {HEADING}what a bot may use{HEADING:#}")?;
        self.limits(out)?;
        for line in advice {
            writeln!(out, "\n  To get more, {line}")?;
        }
        writeln!(out)?;
        self.timing.write(Format::Text, out)
    }

    fn limits(&self, out: &mut dyn Write) -> io::Result<()> {
        let limits = &self.findings.resources;
        let none = || "no limit".to_owned();
        let bytes = |limit: Option<u64>| limit.map_or_else(none, size);
        let count = |limit: Option<u64>| limit.map_or_else(none, |limit| limit.to_string());
        let cpu_time = limits.cpu_time.map_or_else(none, |limit| duration(limit.0));
        let by_group = match self.findings.no_cgroups {
            None => "by the kernel, in a control group",
            Some(_) => "watched by the referee",
        };
        for (name, limit, by) in [
            ("memory", bytes(limits.memory), by_group),
            ("processes and threads", count(limits.processes), by_group),
            ("output of a turn", bytes(limits.turn_output), "watched by the referee"),
            ("output of a game", bytes(limits.game_output), "watched by the referee"),
            ("standard error kept", bytes(limits.game_stderr), "the rest is counted"),
            ("open files", count(limits.open_files), "by the kernel, for each process"),
            ("CPU time", cpu_time, "by the kernel, for each process"),
            ("size of a file", bytes(limits.file_size), "by the kernel"),
        ] {
            writeln!(out, "  {name:<22} {limit:>9}  {by}")?;
        }
        if let Some(why) = &self.findings.no_cgroups {
            writeln!(out, "  {BAD}no{BAD:#}   control groups: {why}")?;
        }
        if let Some(limit) = self.findings.host_memory {
            let limit = size(limit);
            writeln!(
                out,
                "  The referee and all its bots have {limit} of memory, by a control group around them."
            )?;
        }
        Ok(())
    }
}

fn method(finding: &MethodFinding, out: &mut dyn Write) -> io::Result<()> {
    let MethodFinding { name, how, missing } = finding;
    match missing {
        None => writeln!(out, "  {GOOD}yes{GOOD:#}  {name:<10} {how}"),
        Some(why) => writeln!(out, "  {BAD}no{BAD:#}   {name:<10} {how}: {why}"),
    }
}
