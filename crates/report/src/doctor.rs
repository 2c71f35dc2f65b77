//! Shows what a host allows.

use serde::Serialize;

use super::document::{Document, Line, Tone};
use super::format::Report;
use super::timing::{self, HostReport, TimingReport};
use results::host::{Findings, MethodFinding};
use terms::limits::{EnforcedBy, ResourceLimit};
use terms::text::size;

/// Everything that `referee doctor` reports.
#[derive(Debug)]
pub struct DoctorReport {
    /// The containment and sandboxing that the host offers.
    pub findings: Findings,
    /// How much this machine disturbs measured times.
    pub timing: TimingReport,
}

#[derive(Serialize)]
struct InJson<'a> {
    #[serde(flatten)]
    findings: &'a Findings,
    timing: HostReport<'a>,
}

impl Report for DoctorReport {
    fn document(&self) -> Document {
        let mut document = Document::default();
        document.list("containment", self.containment());
        let Findings { no_sandbox, no_namespace_sandbox, .. } = &self.findings;
        let sandbox = match (no_sandbox, no_namespace_sandbox) {
            (None, None) => yes("--sandbox can be enforced here"),
            (None, Some(why)) => yes(&format!(
                "--sandbox can be enforced here by the method seccomp, but not by the method namespace: {why}"
            )),
            (Some(why), _) => no(why),
        };
        document.list("sandbox", [sandbox]);
        document.list("limits on a bot", self.limits());
        for line in &self.findings.advice {
            document.sentence(format!("To get more, {line}"));
        }
        document.append(timing::document(&self.timing));
        document
    }

    fn value(&self) -> impl Serialize {
        InJson { findings: &self.findings, timing: timing::host(&self.timing) }
    }
}

impl DoctorReport {
    fn containment(&self) -> Vec<Line> {
        let Findings { containment, used, exposures, .. } = &self.findings;
        let method = |MethodFinding { name, how, missing }: &MethodFinding| match missing {
            None => yes(&format!("{name:<10} {how}")),
            Some(why) => no(&format!("{name:<10} {how}: {why}")),
        };
        let mut lines: Vec<Line> = containment.iter().map(method).collect();
        lines.push(format!("Used unless --containment names another: {used}.").into());
        let exposure = |exposure| {
            let can = format!(" with it a bot of the same user can {exposure}.");
            Line::toned(Tone::Bad, "But", can)
        };
        lines.extend(exposures.iter().map(exposure));
        lines
    }

    fn limits(&self) -> Vec<Line> {
        let by_group = match self.findings.no_cgroups {
            None => "enforced by the kernel, in a control group",
            Some(_) => "watched by the referee",
        };
        let is_limited = self.findings.has_kernel_limits;
        let mut lines: Vec<Line> = Vec::new();
        for ResourceLimit { words, by, shown } in ResourceLimit::ALL {
            let limit = match shown(&self.findings.resources) {
                Some(limit) => limit,
                None if by == EnforcedBy::Shell => continue,
                None => "no limit".to_owned(),
            };
            let by = match by {
                EnforcedBy::Group => by_group,
                EnforcedBy::Referee => "watched by the referee",
                EnforcedBy::Counting => "the rest is counted",
                _ if !is_limited => NOT_LIMITED,
                EnforcedBy::File => "by the kernel",
                EnforcedBy::Kernel | EnforcedBy::Shell => "by the kernel, for each process",
            };
            lines.push(format!("{words:<22} {limit:>9}  {by}").into());
        }
        lines.extend(self.findings.sandbox_memory.map(size).map(|limit| {
            format!("With --sandbox a bot has {limit} of memory, since nothing else limits it.")
                .into()
        }));
        lines.extend(
            self.findings.no_cgroups.iter().map(|why| no(&format!("control groups: {why}"))),
        );
        if self.findings.no_cgroups.is_some() {
            lines.push(UNWATCHED.into());
        }
        lines.extend(self.findings.host_memory.map(size).map(|limit| {
            let by = "by a control group around them";
            format!("The referee and all its bots have {limit} of memory, {by}.").into()
        }));
        lines.extend(self.findings.host_processes.map(|limit| {
            let by = "by a control group around them";
            format!("The referee and all its bots have {limit} processes and threads, {by}.").into()
        }));
        lines
    }
}

/// Of a limit that nothing enforces.
const NOT_LIMITED: &str = "not enforced on this system";

/// What is not part of a watched bot's memory.
const UNWATCHED: &str = "Watching misses pages in pipes and sockets, the kernel's own memory and, unless root plays, shared memory \
     of which no page is mapped. A control group counts that shared memory, and root's also what pipes hold.";

fn yes(text: &str) -> Line {
    Line::toned(Tone::Good, "yes", format!("  {text}"))
}

fn no(text: &str) -> Line {
    Line::toned(Tone::Bad, "no", format!("   {text}"))
}
