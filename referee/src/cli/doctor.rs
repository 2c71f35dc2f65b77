//! `referee doctor`: probes what this host allows.

use std::process::ExitCode;

use clap::Args;

use super::shared::RuleFlags;
use super::words::word;
use super::{Failure, print, timing};
use engine::host::probe_host;
use report::BasicFormat;
use report::doctor::DoctorReport;
use report::timing::TimingReport;

/// Show what this host allows: containment, sandbox, limits, timing
///
/// Tries everything once, and says which methods are used and how to get more.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    rules: RuleFlags,

    /// How to show the result
    #[arg(long, value_parser = word::<BasicFormat>(), default_value = "text")]
    format: BasicFormat,
}

pub(super) fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let config = args.rules.resolve(None)?;
    let thresholds = timing::thresholds(&config, 1.0);
    let report = DoctorReport {
        findings: probe_host(config.resources),
        timing: TimingReport {
            measured: Vec::new(),
            thresholds,
            host: timing::check_host(&config)?,
        },
    };
    print(|out| report.write(args.format, out))?;
    Ok(ExitCode::SUCCESS)
}
