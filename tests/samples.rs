//! The samples that users start from, played for real.

use std::process::Command;

use crate::support::{PATIENT, has_program, json, leave_out, referee, repository};

/// Greedy's score on the default board, whichever of equal regions it takes first being the same.
#[track_caller]
fn plays_to_the_end(bot: &str) {
    let output = referee()
        .args(["play", "--format", "json", "--bot", bot])
        .args(PATIENT)
        .output()
        .expect("runs");
    let result = json(&output);
    assert_eq!(result["verdict"], "completed", "{result}");
    assert_eq!(result["score"], 230, "as the bundled @greedy: {result}");
}

#[test]
fn the_python_sample_plays_like_the_bundled_greedy() {
    if !has_program("python3") {
        return leave_out("the Python sample", "there is no python3 on this machine");
    }
    let sample = repository().join("example-bots/python/greedy.py");
    plays_to_the_end(&format!("python3 '{}'", sample.display()));
}

#[test]
fn the_cpp_sample_plays_like_the_bundled_greedy() {
    let compilers = ["c++", "g++", "clang++"];
    let Some(compiler) = compilers.into_iter().find(|name| has_program(name)) else {
        return leave_out("the C++ sample", "there is no C++ compiler on this machine");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let bot = folder.path().join("greedy");
    let sample = repository().join("example-bots/cpp/greedy.cpp");
    let built = Command::new(compiler)
        .args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&bot, &sample])
        .status()
        .expect("runs");
    assert!(built.success());
    plays_to_the_end(&format!("'{}'", bot.display()));
}
