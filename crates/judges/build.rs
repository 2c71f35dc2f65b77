//! Builds the relay, which this crate has in it: a program that uses no library.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The architectures whose system calls the relay knows. For others it is empty, and no tester can be given a bot.
const ARCHITECTURES: [&str; 3] = ["aarch64", "riscv64", "x86_64"];

fn main() {
    println!("cargo::rerun-if-changed=relay/main.rs");
    println!("cargo::rustc-check-cfg=cfg(has_relay)");
    if given("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo::rustc-cfg=has_relay");
    }
    let relay = PathBuf::from(given("OUT_DIR")).join("relay");
    let is_known = ARCHITECTURES.contains(&given("CARGO_CFG_TARGET_ARCH").as_str())
        && given("CARGO_CFG_TARGET_POINTER_WIDTH") == "64";
    if !is_known || given("CARGO_CFG_TARGET_OS") != "linux" {
        fs::write(relay, "").expect("cargo's folder can be written to");
        return;
    }
    let compile = |linker: Option<&str>, arguments: &[&str]| {
        let mut rustc = Command::new(given("RUSTC"));
        rustc.args(["relay/main.rs", "--crate-name=relay", "--crate-type=bin", "--edition=2024"]);
        // Small, and at a fixed address: nothing is to be done before it can run.
        rustc.args(["-Copt-level=s", "-Cpanic=abort", "-Cstrip=symbols"]);
        rustc.arg("-Crelocation-model=static");
        if given("CARGO_CFG_TARGET_ENV") == "musl" {
            // Otherwise the start of C programs is linked.
            rustc.arg("-Clink-self-contained=no");
        }
        rustc.args(linker.map(|linker| format!("-Clinker={linker}")));
        rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
        rustc.arg("--target").arg(given("TARGET")).arg("-o").arg(&relay);
        rustc.output().expect("the compiler that cargo names runs")
    };
    // The linker that comes with Rust needs nothing of the target's system, which may not be here.
    if compile(Some("rust-lld"), &["--build-id=none", "--nmagic"]).status.success() {
        return;
    }
    let linker = env::var("RUSTC_LINKER").ok();
    let of_compiler = ["-static", "-nostdlib", "-nostartfiles", "-Wl,--build-id=none,--nmagic"];
    let compiled = compile(linker.as_deref(), &of_compiler);
    let why = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "the relay of testers cannot be built:\n{why}");
}

/// What cargo tells a build script.
fn given(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
