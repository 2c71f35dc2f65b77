//! `referee doctor`: probes what this host allows.

use std::process::ExitCode;

use clap::Args;

use super::shared::RuleFlags;
use super::words::format;
use super::{Failure, print, timing};
use engine::host::probe_host;
use report::doctor::DoctorReport;
use report::timing::TimingReport;
use report::{Format, Report as _};

/// Show what this host allows: containment, sandbox, limits, timing
///
/// Try everything once, report which methods are used, and how to get more.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    rules: RuleFlags,

    /// The form of the result
    #[arg(long, value_parser = format(Format::OF_ONE), default_value = "text")]
    format: Format,
}

pub(super) fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let config = args.rules.resolve(None, None)?;
    let thresholds = timing::thresholds(&config, 1.0);
    let report = DoctorReport {
        findings: probe_host(&config),
        timing: TimingReport {
            measured: Vec::new(),
            thresholds,
            host: timing::check_host(&config)?,
        },
    };
    print(|out| report.write(args.format, out))
}
