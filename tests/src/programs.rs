//! The programs that tests start besides Rust's, `cc`, `git` and what Debian's essential packages contain (`sh`, `bash`, coreutils,
//! util-linux). A test gets their names from [`need`], and is left out where one is missing.

use std::io::Write as _;
use std::{env, fs};

/// Each program, and the Debian package that contains it. The gate reads this table, and installs what is missing.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("/usr/bin/chromium", "chromium"),
    ("/usr/bin/python3", "python3"),
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

/// The names of these programs, to start them by. If one is not in PATH, prints that `what` is left out.
#[track_caller]
pub fn need<const N: usize>(what: &str, programs: [&'static str; N]) -> Option<[&'static str; N]> {
    let mut packages = programs.map(|program| (program, package(program))).into_iter();
    let missing = packages.find(|(program, _)| !is_installed(program));
    if let Some((program, package)) = missing {
        leave_out(what, &format!("{program} is missing (Debian: apt-get install {package})"));
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
pub fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Reports that a test, or a part of it, does not run here. With `CI` set everything must run.
#[track_caller]
pub fn leave_out(what: &str, why: &str) {
    assert!(env::var_os("CI").is_none(), "{what} must run on CI: {why}");
    // The harness runs a test on a thread of its name. The gate runs these tests elsewhere.
    let test = std::thread::current();
    tell(&format!("left out: {what}: {why} [{}]", test.name().unwrap_or("?")));
}

/// Prints a line for the person who runs the tests.
pub fn tell(text: &str) {
    // Not `eprintln!`, which the test harness keeps to itself. In one write, so that the line stays whole next to its output.
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
    // nextest keeps what a test writes that passes, but it is the parent, and its own standard error can be opened.
    if env::var_os("NEXTEST").is_some() {
        let parent = format!("/proc/{}/fd/2", std::os::unix::process::parent_id());
        let told = fs::OpenOptions::new().append(true).open(parent);
        let _ = told.and_then(|mut told| writeln!(told, "\n{text}"));
    }
}
