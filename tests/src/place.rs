//! A folder to run suites in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use referee::suite::RunFolder;
use tempfile::TempDir;

use super::double::double;
use super::{referee, write_program};

/// A folder to run suites in.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A bot that is a shell script.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.path(name);
        // It appears whole, like a program that a build installs.
        let new = self.path("new-script");
        write_program(&new, &format!("#!/bin/sh\n{text}\n"));
        fs::rename(new, path).expect("renamed");
    }

    /// A judge that is one of the doubles: a file of the folder that starts it, which a test can change or remove.
    pub(crate) fn double(&self, name: &str, words: &str) {
        self.script(name, &format!("exec '{}' {words} \"$@\"", double().display()));
    }

    /// The referee in this folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = referee();
        command.current_dir(self.0.path()).args(args);
        command
    }

    pub(crate) fn run(&self, run: &str) -> RunFolder {
        RunFolder::open(&self.path(run)).expect("a run")
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
pub(crate) fn assert_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
}
