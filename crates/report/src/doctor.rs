//! Shows what a host allows.

use serde::Serialize;

use super::document::{Document, Line, Tone};
use super::format::Report;
use super::timing::{self, HostReport, TimingReport};
use results::host::{Findings, MethodFinding};
use terms::text::{duration, size};

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
        let limits = &self.findings.resources;
        let none = || "no limit".to_owned();
        let bytes = |limit: Option<u64>| limit.map_or_else(none, size);
        let count = |limit: Option<u64>| limit.map_or_else(none, |limit| limit.to_string());
        let cpu_time = limits.cpu_time.map_or_else(none, |limit| duration(limit.0));
        let by_group = match self.findings.no_cgroups {
            None => "enforced by the kernel, in a control group",
            Some(_) => "watched by the referee",
        };
        let (each, of_file) = if self.findings.has_kernel_limits {
            ("by the kernel, for each process", "by the kernel")
        } else {
            (NOT_LIMITED, NOT_LIMITED)
        };
        let stack = limits.stack.map(|stack| ("stack", size(stack), each));
        let limits = [
            ("memory", bytes(limits.memory), by_group),
            ("processes and threads", count(limits.processes), by_group),
            ("output of a turn", bytes(limits.turn_output), "watched by the referee"),
            ("output of a game", bytes(limits.game_output), "watched by the referee"),
            ("standard error kept", bytes(limits.game_stderr), "the rest is counted"),
            ("open files", count(limits.open_files), each),
            ("CPU time", cpu_time, each),
            ("size of a file", bytes(limits.file_size), of_file),
        ];
        let limit = |(name, limit, by)| format!("{name:<22} {limit:>9}  {by}").into();
        let mut lines: Vec<Line> = limits.into_iter().chain(stack).map(limit).collect();
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
