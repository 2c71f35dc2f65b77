//! Builds the relay, which this crate has in it: a program that uses no library.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The architectures whose system calls the relay knows. For others it is empty, and no tester can be given a bot.
const ARCHITECTURES: [&str; 3] = ["aarch64", "riscv64", "x86_64"];

fn main() {
    println!("cargo::rerun-if-changed=relay/main.rs");
    let relay = PathBuf::from(given("OUT_DIR")).join("relay");
    let is_known = ARCHITECTURES.contains(&given("CARGO_CFG_TARGET_ARCH").as_str());
    if !is_known || given("CARGO_CFG_TARGET_OS") != "linux" {
        fs::write(relay, "").expect("cargo's folder can be written to");
        return;
    }
    let mut rustc = Command::new(given("RUSTC"));
    rustc.args(["relay/main.rs", "--crate-name=relay", "--crate-type=bin", "--edition=2024"]);
    // Small, and at a fixed address: nothing is to be done before it can run.
    rustc.args(["-Copt-level=s", "-Cpanic=abort", "-Cstrip=symbols", "-Crelocation-model=static"]);
    if given("CARGO_CFG_TARGET_ENV") == "musl" {
        // Otherwise the start of C programs is linked.
        rustc.arg("-Clink-self-contained=no");
    }
    let target = given("TARGET");
    let (linker, arguments): (_, &[_]) = match env::var("RUSTC_LINKER") {
        Ok(linker) => (Some(linker), &OF_COMPILER),
        Err(_) if target == given("HOST") => (None, &OF_COMPILER),
        // A compiler for another system may not be here; the relay needs nothing of it.
        Err(_) => (Some("rust-lld".to_owned()), &["--build-id=none", "--nmagic"]),
    };
    rustc.args(linker.map(|linker| format!("-Clinker={linker}")));
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    rustc.arg("--target").arg(target).arg("-o").arg(relay);
    let status = rustc.status().expect("the compiler that cargo names runs");
    assert!(status.success(), "the relay of testers cannot be built: {rustc:?}");
}

/// What a C compiler that links is told.
const OF_COMPILER: [&str; 4] =
    ["-static", "-nostdlib", "-nostartfiles", "-Wl,--build-id=none,--nmagic"];

/// What cargo tells a build script.
fn given(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
