//! A judge as a process: one step after another, each within its limit, and trouble explained.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use contain::bot::{BotProcess, Dialogue, ExchangeError, Host, Scratch, Waitable};
use rules::game::{Drawing, JudgeFailure, Placement, Seat};
use terms::bounds::{
    JUDGE_LAST_STDERR, JUDGE_LINE, JUDGE_STDERR_HEAD, JUDGE_STDERR_TAIL, JUDGE_STEP, PRINTED_HEAD,
    PRINTED_TAIL, SHOWN_LINES,
};
use terms::fault::{AtFault, Attributed as _, with_causes};
use terms::limits::{Breach, Resource};
use terms::lines::Lines;
use terms::text::{cut, exact_duration, exact_size, quote};
use terms::verdict::{BotExit, NoReply};

use crate::command::{JudgeCommand, JudgeLimits};
use crate::drawings::drawings;
use crate::head_tail::HeadTail;
use crate::printed::{Printed, plain};
use crate::remedy::remedy;

/// How long a judge in trouble may take to end, so that its last words are heard.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What is wrong with a judge that writes more and more for a player that it does not ask.
pub(crate) fn too_much(seat: Seat) -> String {
    format!("wrote more than {} for player {seat} before a question", exact_size(JUDGE_STEP))
}

/// A running judge.
#[derive(Debug)]
pub(crate) struct Process {
    /// Until trouble ends it.
    child: Option<BotProcess>,
    limits: JudgeLimits,
    started: Instant,
    /// The questions it has asked.
    questions: u32,
    stderr: HeadTail,
    /// What a program has printed that talks to nobody.
    stdout: HeadTail,
    /// The start of an unfinished line.
    unfinished: Vec<u8>,
    /// Its working directory, until it has gone.
    scratch: Option<Scratch>,
    /// The folder of the settings, whose files are in the scratch folder.
    folder: PathBuf,
    /// The last one waits until the folder is removed: dropped after all else, fields are dropped in order.
    _host: Host,
}

impl Process {
    pub(crate) fn start(command: &JudgeCommand, place: &Placement) -> Result<Self, JudgeFailure> {
        let scratch = command.working_directory(|_| false)?;
        Self::start_in(scratch, command, place, Some(JUDGE_STEP))
    }

    /// Starts a judge in a folder that has been prepared for it. One that prints for people may print as much as it likes, such as
    /// all that a bot writes, since only the beginning and the end are kept.
    pub(crate) fn start_in(
        scratch: Scratch,
        command: &JudgeCommand,
        place: &Placement,
        step_output: Option<u64>,
    ) -> Result<Self, JudgeFailure> {
        let started = Instant::now();
        let prepared = command.prepare(place, &scratch, step_output)?;
        let child = BotProcess::spawn(&prepared, JUDGE_LAST_STDERR, place.alarm.clone()).map_err(
            |error| {
                // The layer of processes calls every program a bot, and names the file that stands for the user's.
                let text = in_folder(&with_causes(&error), scratch.path(), &command.folder);
                let text = text.replacen("cannot start the bot", "cannot be started", 1);
                let remedy = remedy(&text).map(str::to_owned);
                let is_hosts = error.at_fault() == AtFault::Host;
                JudgeFailure { remedy, is_hosts, ..JudgeFailure::new(text) }
            },
        )?;
        Ok(Self {
            child: Some(child),
            limits: command.limits,
            started,
            questions: 0,
            stderr: HeadTail::new([JUDGE_STDERR_HEAD, JUDGE_STDERR_TAIL]),
            stdout: HeadTail::new([PRINTED_HEAD, PRINTED_TAIL]),
            unfinished: Vec::new(),
            scratch: Some(scratch),
            folder: command.folder.clone(),
            _host: Host::hold(),
        })
    }

    /// Sends `input`, and awaits as many lines as `is_whole` takes for an answer.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        mut is_whole: impl FnMut(&Lines) -> Option<usize>,
    ) -> Result<Lines, JudgeFailure> {
        let limit = match self.questions {
            0 => self.limits.start.saturating_sub(self.started.elapsed()),
            _ => self.limits.step,
        };
        let Some(child) = &mut self.child else {
            return Err(JudgeFailure::new("has ended"));
        };
        let mut talk = Dialogue {
            input,
            limit,
            is_whole: &mut |lines| {
                self.unfinished.clear();
                self.unfinished.extend(lines.partial().iter().take(JUDGE_LINE));
                is_whole(lines)
            },
            stderr: &mut |chunk| self.stderr.push(chunk),
        };
        match child.converse(&mut talk) {
            Ok(Ok(lines)) => Ok(lines),
            Ok(Err(no_reply)) => {
                if matches!(no_reply, NoReply::Ended(_)) {
                    self.end(LAST_WORDS);
                }
                let what = self.failure(no_reply);
                Err(self.trouble(what))
            }
            Err(ExchangeError::Cancelled(_)) => Err(JudgeFailure::new("cancelled")),
            Err(error) => Err(self.trouble(format!("cannot be watched: {error}"))),
        }
    }

    /// Refuses what a judge says before it has the reply to its question: it would pass for its answer to the reply.
    pub(crate) fn refuse_unasked(&mut self) -> Result<(), JudgeFailure> {
        let Some(child) = self.child.as_mut().filter(|_| self.questions > 0) else { return Ok(()) };
        let said = match child.unasked() {
            Ok(lines) => lines.as_bytes().split(|&byte| byte == b'\n').next().unwrap_or_default(),
            Err(error) => return Err(self.trouble(format!("cannot be watched: {error}"))),
        };
        if said.is_empty() {
            return Ok(());
        }
        let (said, number) = (quote(said), self.questions);
        Err(self.trouble(format!("wrote {said} before it had the reply to its question {number}")))
    }

    /// Hears a program to its end that talks to nobody, within the limit of a step.
    pub(crate) fn run_to_end(&mut self) -> Result<Printed, JudgeFailure> {
        let until = Instant::now() + self.limits.step;
        if let Some(child) = &mut self.child {
            // Fails only for a program that has ended.
            let _ = child.send_last(&[]);
        }
        loop {
            if let Some(exit) = self.overhear(until, None)? {
                return Ok(self.printed(exit));
            }
            if Instant::now() >= until {
                let limit = exact_duration(self.limits.step);
                return Err(self.trouble(format!("did not end within {limit} (judge-limit)")));
            }
        }
    }

    /// Gives a program that reads a file its whole input.
    #[cfg_attr(not(has_relay), expect(dead_code, reason = "only testers ask for it"))]
    pub(crate) fn send_last(&mut self, input: &[u8]) -> Result<(), JudgeFailure> {
        let Some(child) = &mut self.child else { return Ok(()) };
        let sent = child.send_last(input);
        sent.map_err(|error| JudgeFailure::new(format!("cannot be given its input: {error}")))
    }

    /// Its process, while it runs.
    #[cfg(has_relay)]
    pub(crate) fn child(&self) -> Option<&BotProcess> {
        self.child.as_ref()
    }

    #[cfg(has_relay)]
    pub(crate) fn limits(&self) -> JudgeLimits {
        self.limits
    }

    /// Hears what comes until `until`, or until `beside` is ready; how the program ended, if it has.
    pub(crate) fn overhear(
        &mut self,
        until: Instant,
        beside: Option<Waitable<'_>>,
    ) -> Result<Option<BotExit>, JudgeFailure> {
        let Some(child) = &mut self.child else { return Err(JudgeFailure::new("has ended")) };
        match child.overhear(until, beside, &mut |chunk| self.stderr.push(chunk)) {
            Ok((lines, silence)) => {
                self.stdout.push(lines.as_bytes());
                match silence {
                    None => Ok(None),
                    Some(NoReply::Ended(exit)) => {
                        self.end(LAST_WORDS);
                        Ok(Some(exit))
                    }
                    Some(NoReply::StdoutClosed) => {
                        Ok(self.end(until.saturating_duration_since(Instant::now())))
                    }
                    Some(NoReply::OverLimit(breach)) => Err(self.trouble(over(breach))),
                    Some(other) => Err(self.trouble(self.failure(other))),
                }
            }
            Err(ExchangeError::Cancelled(_)) => Err(JudgeFailure::new("cancelled")),
            Err(error) => Err(self.trouble(format!("cannot be watched: {error}"))),
        }
    }

    /// Everything that the program has printed. A progress line that it writes again and again is a line each time.
    pub(crate) fn printed(&self, exit: BotExit) -> Printed {
        let [stdout, stderr] = [&self.stdout, &self.stderr].map(|ends| plain(&ends.whole_lines()));
        Printed { stdout, stderr, exit }
    }

    /// What it has written to its standard error so far, within a bound.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// The pictures that it has drawn in its folder.
    pub(crate) fn drawings(&self) -> Vec<Drawing> {
        self.scratch.as_ref().map(|scratch| drawings(scratch.path())).unwrap_or_default()
    }

    /// The number of questions that it has asked.
    pub(crate) fn questions(&self) -> u32 {
        self.questions
    }

    pub(crate) fn count_question(&mut self) -> Result<(), JudgeFailure> {
        self.questions += 1;
        if self.questions > self.limits.questions {
            let most = self.limits.questions;
            return Err(self.trouble(format!("asked more than {most} questions without an end")));
        }
        Ok(())
    }

    /// Ends the judge, whose game is over; it may take `grace` to end by itself. Returns how it
    /// ended.
    pub(crate) fn end(&mut self, grace: Duration) -> Option<BotExit> {
        let ending = self.child.take()?.finish(grace);
        self.stderr.push(&ending.stderr.bytes);
        ending.exit
    }

    /// Ends the judge, and explains with what it has written to its standard error.
    pub(crate) fn trouble(&mut self, what: impl Into<String>) -> JudgeFailure {
        // What a living judge says of its closed input explains nothing.
        self.end(Duration::ZERO);
        let what = what.into();
        let remedy = remedy(&what).or_else(|| remedy(&self.stderr.text()));
        let what = match self.stderr.first_line() {
            Some(line) if !what.contains(&line) => format!("{what}: {}", shortened(&line)),
            _ => what,
        };
        let remedy = remedy.map(str::to_owned);
        let what = shortened(&self.in_users_folder(what));
        let stderr = self.stderr.last_lines().map(|text| self.in_users_folder(text));
        JudgeFailure { stderr, remedy, ..JudgeFailure::new(what) }
    }

    /// A text with the paths of the user's files instead of those in the scratch folder, which is removed.
    fn in_users_folder(&self, text: String) -> String {
        match &self.scratch {
            Some(scratch) => in_folder(&text, scratch.path(), &self.folder),
            None => text,
        }
    }

    /// Explains with the trace of a failure.
    pub(crate) fn failed(&mut self, trace: &[String]) -> JudgeFailure {
        let first = trace.first().map_or("without saying why", |line| line.trim());
        let trouble = self.trouble(format!("failed ([[FAIL]): {}", shortened(first)));
        let shown = trace.iter().take(SHOWN_LINES).map(|line| shortened(line));
        let text = shown.collect::<Vec<_>>().join("\n");
        let remedy = trouble.remedy.or_else(|| remedy(&trace.join("\n")).map(str::to_owned));
        // The trace stands for what a judge without a log says nowhere else.
        let stderr = trouble.stderr.or_else(|| Some(text).filter(|text| !text.is_empty()));
        JudgeFailure { remedy, stderr, ..trouble }
    }

    /// Why the answer is missing.
    fn failure(&self, no_reply: NoReply) -> String {
        let when = self.when();
        match no_reply {
            NoReply::Deadline => {
                let (limit, name) = match self.questions {
                    0 => (self.limits.start, "start-limit"),
                    _ => (self.limits.step, "judge-limit"),
                };
                let limit = exact_duration(limit);
                format!("said nothing within {limit} ({name}) {when}{}", self.unfinished())
            }
            NoReply::Ended(exit) => format!("{exit} {when}{}", self.unfinished()),
            NoReply::OverLimit(breach) => format!("{} {when}", over(breach)),
            other => format!("{other} {when}"),
        }
    }

    fn when(&self) -> String {
        match self.questions {
            0 => "before its first question".to_owned(),
            number => format!("after the reply to its question {number}"),
        }
    }

    fn unfinished(&self) -> String {
        if self.unfinished.is_empty() {
            return String::new();
        }
        format!("; its last line, {}, has no end", quote(&self.unfinished))
    }
}

/// A text with the paths of files in the settings' folder instead of those in the scratch folder.
fn in_folder(text: &str, scratch: &Path, folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    text.replace(&format!("{}/", scratch.display()), &format!("{}/", folder.display()))
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
        if let Some(scratch) = self.scratch.take() {
            scratch.remove_later();
        }
    }
}

fn over(Breach { resource, used, limit }: Breach) -> String {
    match resource {
        Resource::Memory => {
            format!("used {} of memory, more than its {}", exact_size(used), exact_size(limit))
        }
        Resource::TurnOutput | Resource::GameOutput => {
            format!("wrote more than {} at once", exact_size(limit))
        }
        Resource::Processes => format!("had more than {limit} processes"),
        other => format!("went beyond its limit of {limit} on {other}"),
    }
}

/// At most [`JUDGE_LINE`] characters.
fn shortened(line: &str) -> String {
    cut(line, JUDGE_LINE)
}
