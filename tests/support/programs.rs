//! The programs that tests start besides Rust's, `cc`, `git` and what Debian's essential packages contain (`sh`, `bash`, coreutils,
//! util-linux). A test gets their names from [`need`], and is left out where one is missing.

use std::io::Write as _;
use std::{env, fs};

/// Each program, and the Debian package that contains it. The gate reads this table, and installs what is missing.
pub(crate) const PROGRAMS: &[(&str, &str)] = &[
    ("/usr/bin/chromium", "chromium"),
    ("/usr/sbin/munged", "munge"),
    ("/usr/sbin/slurmctld", "slurm-wlm"),
    ("c++", "g++"),
    ("curl", "curl"),
    ("entr", "entr"),
    ("groff", "groff-base"),
    ("jar", "default-jdk-headless"),
    ("java", "default-jdk-headless"),
    ("javac", "default-jdk-headless"),
    ("node", "nodejs"),
    ("python3", "python3"),
    ("strace", "strace"),
    ("tmux", "tmux"),
    ("xmllint", "libxml2-utils"),
    ("zsh", "zsh"),
];

/// The names of these programs, to start them by. If one is not in PATH, prints that `test` is left out.
#[track_caller]
pub(crate) fn need<const N: usize>(
    test: &str,
    programs: [&'static str; N],
) -> Option<[&'static str; N]> {
    let missing = programs.into_iter().find(|program| !is_installed(program));
    if let Some(program) = missing {
        leave_out(
            test,
            &format!("{program} is missing (Debian: apt-get install {})", package(program)),
        );
    }
    missing.is_none().then_some(programs)
}

/// The Debian package that contains a program.
#[track_caller]
fn package(program: &str) -> &'static str {
    let row = PROGRAMS.iter().find(|(name, _)| *name == program);
    row.unwrap_or_else(|| panic!("{program} is missing in the table of {}", file!())).1
}

/// Whether PATH contains a program. An absolute name needs no PATH.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Reports that a test does not run here. On CI everything must run.
#[track_caller]
pub(crate) fn leave_out(test: &str, why: &str) {
    assert!(env::var_os("CI").is_none(), "{test} must run on CI: {why}");
    tell(&format!("left out: {test}: {why}"));
}

/// Prints a line for the person who runs the tests.
pub(crate) fn tell(text: &str) {
    // Not `eprintln!`, which the test harness keeps to itself.
    let _ = writeln!(std::io::stderr(), "{text}");
    // nextest keeps what a test writes that passes, but it is the parent, and its own standard error can be opened.
    if env::var_os("NEXTEST").is_some() {
        let parent = format!("/proc/{}/fd/2", std::os::unix::process::parent_id());
        let told = fs::OpenOptions::new().append(true).open(parent);
        let _ = told.and_then(|mut told| writeln!(told, "\n{text}"));
    }
}
