//! The program under test: its command line, and what came of it.

use std::env;
use std::ffi::OsStr;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use super::{PATIENT, User, heed_signals, program, public_copy, run_as};

/// The command line of a referee without colours and without settings from the environment, which each method continues.
#[derive(Debug)]
pub struct Referee(Command);

impl Referee {
    fn of_program(program: &Path) -> Self {
        let mut command = Command::new(program);
        command.env_remove("REFEREE_LOG").env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1");
        Self(command)
    }

    /// A game with these words.
    #[must_use]
    pub fn play(self, args: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.arg("play").args(args)
    }

    /// A suite with these words.
    #[must_use]
    pub fn suite(self, args: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.arg("suite").args(args)
    }

    /// A comparison with these words.
    #[must_use]
    pub fn compare(self, args: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.arg("compare").args(args)
    }

    /// `referee replay LOG`.
    #[must_use]
    pub fn replay(self, log: impl AsRef<OsStr>) -> Self {
        self.arg("replay").arg(log)
    }

    /// One more word.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.0.arg(arg);
        self
    }

    /// More words.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.0.args(args);
        self
    }

    /// Limits for games that are not about time.
    #[must_use]
    pub fn patient(self) -> Self {
        self.args(PATIENT)
    }

    /// With this variable in the environment.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Without this variable in the environment.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.0.env_remove(name);
        self
    }

    /// In this folder.
    #[must_use]
    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.0.current_dir(folder);
        self
    }

    /// With this standard input.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Stdio>) -> Self {
        self.0.stdin(input);
        self
    }

    /// With this standard output.
    #[must_use]
    pub fn stdout(mut self, output: impl Into<Stdio>) -> Self {
        self.0.stdout(output);
        self
    }

    /// With this standard error.
    #[must_use]
    pub fn stderr(mut self, output: impl Into<Stdio>) -> Self {
        self.0.stderr(output);
        self
    }

    /// With pipes that its output is read from.
    #[must_use]
    pub fn piped(self) -> Self {
        self.stdout(Stdio::piped()).stderr(Stdio::piped())
    }

    /// With output that goes nowhere.
    #[must_use]
    pub fn silent(self) -> Self {
        self.stdout(Stdio::null()).stderr(Stdio::null())
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn run(self) -> Output {
        Command::from(self).run()
    }

    /// Starts the referee, without waiting for its exit.
    #[track_caller]
    pub fn start(self) -> Child {
        Command::from(self).start()
    }

    /// Runs it with `--format json` as its last words, and returns the JSON that it prints.
    #[track_caller]
    pub fn json(self) -> Value {
        assert!(self.get_args().all(|word| word != "--"), "these words would be the bot's");
        self.args(["--format", "json"]).run().json()
    }
}

impl Deref for Referee {
    type Target = Command;

    fn deref(&self) -> &Command {
        &self.0
    }
}

impl DerefMut for Referee {
    fn deref_mut(&mut self) -> &mut Command {
        &mut self.0
    }
}

impl From<Referee> for Command {
    /// A suite plays one game at a time unless its words say how many, so that its results come in order. `REFEREE_CONTAINMENT` in
    /// the environment names the method of bots for which the words do not; a test of what keeps bots together says `auto`.
    fn from(Referee(mut command): Referee) -> Self {
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let says = |flag: &str| words.iter().any(|word| word.starts_with(flag));
        let is_first = |command: &str| words.first() == Some(&command);
        let has_flags = !words.contains(&"--");
        let (play, suite) = (is_first("play"), is_first("suite") || is_first("resume"));
        let has_jobs = !suite || says("-j") || says("--jobs");
        let has_method = !(play || suite)
            || ["--containment", "containment=", "--sandbox", "--again"].into_iter().any(says);
        if has_flags && !has_jobs {
            command.args(["--jobs", "1"]);
        }
        if has_flags
            && !has_method
            && let Some(method) = env::var_os("REFEREE_CONTAINMENT")
        {
            command.arg("--config").arg(format!("containment={}", method.display()));
        }
        command
    }
}

/// The program under test, without arguments so far.
pub fn referee() -> Referee {
    heed_signals();
    Referee::of_program(Path::new(program()))
}

/// The program under test, started by this user.
pub fn referee_of(user: User) -> Referee {
    if user == User::Mine || !rustix::process::getuid().is_root() {
        return referee();
    }
    let mut command = Referee::of_program(&public_copy());
    run_as(user, &mut command);
    command
}

/// Commands that must start.
pub trait Run {
    /// Runs it to its end.
    fn run(&mut self) -> Output;

    /// Starts the program, without waiting for its exit.
    fn start(&mut self) -> Child;
}

impl Run for Command {
    #[track_caller]
    fn run(&mut self) -> Output {
        self.output().expect("runs")
    }

    #[track_caller]
    fn start(&mut self) -> Child {
        self.spawn().expect("starts")
    }
}

/// What a program printed, and its exit code.
pub trait Printed {
    /// Fails with all that it printed unless it exited with this code.
    #[must_use]
    fn exits(self, code: i32) -> Self;

    /// Its standard output.
    fn out(&self) -> String;

    /// Its standard error.
    fn err(&self) -> String;

    /// The one JSON object on its standard output.
    fn json(&self) -> Value;
}

impl Printed for Output {
    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_code(&self, code);
        self
    }

    #[track_caller]
    fn out(&self) -> String {
        String::from_utf8(self.stdout.clone()).expect("UTF-8")
    }

    #[track_caller]
    fn err(&self) -> String {
        String::from_utf8(self.stderr.clone()).expect("UTF-8")
    }

    #[track_caller]
    fn json(&self) -> Value {
        let (out, err) = (self.out(), self.err());
        serde_json::from_str(&out)
            .unwrap_or_else(|error| panic!("{error}\nstdout: {out}\nstderr: {err}"))
    }
}

/// Fails with all that a program printed unless it exited with this code.
#[track_caller]
pub fn assert_code(output: &Output, code: i32) {
    let printed = || [&output.stdout[..], &output.stderr].concat();
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&printed()));
}
