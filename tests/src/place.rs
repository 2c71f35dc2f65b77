//! A folder to run suites in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use results::suite::{Outcome, RunFolder, Session};
use tempfile::TempDir;

use super::double::double;
use super::{Referee, referee, wait_until, write_program};

/// A folder to run suites in.
#[derive(Debug)]
pub struct Place(TempDir);

impl Place {
    /// A new, empty folder, which goes away when this does.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in this folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A bot that is a shell script.
    pub fn script(&self, name: &str, text: &str) {
        let path = self.path(name);
        // It appears whole, like a program that a build installs.
        let new = self.path("new-script");
        write_program(&new, &format!("#!/bin/sh\n{text}\n"));
        fs::rename(new, path).expect("renamed");
    }

    /// A judge that is one of the doubles: a file of the folder that starts it, which a test can change or remove.
    pub fn double(&self, name: &str, words: &str) {
        self.script(name, &format!("exec '{}' {words} \"$@\"", double().display()));
    }

    /// The referee in this folder.
    pub fn command(&self, args: &[&str]) -> Referee {
        referee().current_dir(self.0.path()).args(args)
    }

    /// What the referee did in this folder.
    pub fn referee(&self, args: &[&str]) -> Output {
        self.command(args).run()
    }

    /// A suite without logs.
    pub fn suite(&self, args: &[&str]) -> Referee {
        self.command(&["suite"]).args(args).args(["--logs", "none"])
    }

    /// What a suite without logs did, on a machine that is busy.
    pub fn play(&self, args: &[&str]) -> Output {
        self.suite(args).patient().run()
    }

    /// What a suite did that goes on with a run.
    pub fn resume(&self, run: &str, more: &[&str]) -> Output {
        self.command(&["resume", run]).args(more).run()
    }

    /// The results of a run by game.
    pub fn results(&self, run: &str) -> Vec<Outcome> {
        let outcomes: Result<Vec<_>, _> = self.run(run).outcomes().expect("results").collect();
        let mut outcomes = outcomes.expect("whole results");
        outcomes.sort_by_key(|outcome| outcome.game);
        outcomes
    }

    /// The sessions of a run.
    pub fn sessions(&self, run: &str) -> Vec<Session> {
        self.run(run).sessions().expect("sessions")
    }

    /// Waits until a run has this many results.
    pub fn wait_for_results(&self, run: &str, count: usize) {
        let lines = || fs::read_to_string(self.path(run).join("results.jsonl")).unwrap_or_default();
        wait_until(&format!("{count} results"), || lines().lines().count() >= count);
    }

    /// The run in a folder of this one.
    pub fn run(&self, run: &str) -> RunFolder {
        RunFolder::open(&self.path(run)).expect("a run")
    }
}
