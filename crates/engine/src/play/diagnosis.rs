//! The diagnosis: explains in words what really happened, next to the official verdict.

use std::time::Duration;

use super::aftermath::{surplus_output, what_is_left};
use super::blame::blame;
use super::broken_limits::{kernel_limit, of_stack, over_limit};
use super::never_ran::never_ran;
use super::player::Reply;
use super::stderr::StderrPipe;
use contain::bot::{BotCommand, BotEnd, Phase};
use results::gamelog::Turn;
use results::sanitizer::sanitizer_finding;
use results::suite::ANSWERED_EARLY;
use rules::game::GameKind;
use rules::game::{Ask, Effect};
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};
use terms::text::{duration, plural, quote};
use terms::verdict::{BotExit, Decision, NoReply, Verdict};

/// Facts about an exchange that the log does not keep.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) limit: Option<Duration>,
    /// The time that the turns before had used.
    pub(super) used: Duration,
    /// The number of lines of a reply.
    pub(super) lines: usize,
    /// The length of the longest reply that is read.
    pub(super) max_bytes: Option<usize>,
    /// From 0.
    pub(super) wrong_line: Option<usize>,
    /// The game's remark on the reply.
    pub(super) remark: Option<String>,
    /// The number of lines that the bot had read when its time ran out, if it was waiting for more.
    pub(super) awaits_lines: Option<usize>,
    /// Whether it and the program that it talks to both wrote without reading, until the pipes were full.
    pub(super) both_blocked: bool,
    pub(super) phase: Phase,
    /// How the bot's first process had ended, where another one could still answer.
    pub(super) exit: Option<BotExit>,
}

impl Seen {
    /// Whether only the judge could tell where the reply ended.
    fn takes_all_output(&self) -> bool {
        self.lines == LineRules::UNTIL_END
    }

    pub(super) fn new(ask: &Ask, reply: &Reply, effect: &Effect) -> Self {
        let exchanged = &reply.exchanged;
        Self {
            limit: reply.limit,
            used: reply.used,
            lines: ask.lines.count,
            max_bytes: ask.lines.max_bytes,
            wrong_line: effect.wrong_line,
            remark: effect.remark.clone(),
            awaits_lines: exchanged.input.awaits_more.then(|| ask.input.lines().count()),
            both_blocked: exchanged.input.both_blocked,
            phase: exchanged.phase,
            exit: exchanged.exit,
        }
    }
}

/// Collects, during a game, the facts for its diagnosis.
#[derive(Debug)]
pub(super) struct Observations<'a> {
    command: &'a BotCommand,
    fatal: Option<Fatal>,
    /// The number of its turns: the game counts the turns of all bots.
    turns: u32,
    /// The first remark on a reply that counted.
    remark: Option<String>,
    stderr: StderrPipe,
    /// What is said of turns that counted, the first of them and their number.
    counted: Vec<(&'static str, u32, u64)>,
}

/// The exchange that lost the game.
#[derive(Debug)]
struct Fatal {
    what: Vec<String>,
    turn: Turn,
    seen: Seen,
}

impl<'a> Observations<'a> {
    pub(super) fn new(game: &GameKind, command: &'a BotCommand) -> Self {
        let stderr = StderrPipe::new(game.stderr_per_turn);
        Self { command, fatal: None, turns: 0, remark: None, stderr, counted: Vec::new() }
    }

    pub(super) fn add(&mut self, turn: &Turn, verdict: Verdict, seen: Seen) {
        self.turns += 1;
        self.stderr.add(turn);
        let late = match turn.overrun.map(|overrun| overrun.decision) {
            Some(Decision::Accepted) if seen.phase == Phase::Limit => Some(FOUND_LATE),
            Some(Decision::Accepted) => Some(ACCEPTED),
            Some(Decision::Forgiven) => Some(FORGIVEN),
            // What costs the bot the game is explained with its end.
            _ => None,
        };
        for what in turn.early.then_some(ANSWERED_EARLY).into_iter().chain(late) {
            match self.counted.iter_mut().find(|counted| counted.0 == what) {
                Some((_, _, turns)) => *turns += 1,
                None => self.counted.push((what, turn.turn, 1)),
            }
        }
        if verdict != Verdict::Completed {
            self.fatal = Some(Fatal::new(turn, seen, self));
        } else if let Some(remark) = seen.remark {
            self.remark.get_or_insert(format!("turn {}: {remark}", turn.turn));
        }
    }

    /// The diagnosis, after the referee's remark; `None` if the verdict says everything.
    pub(super) fn diagnose(&self, ending: &BotEnd, remark: Option<String>) -> Option<String> {
        let mut parts: Vec<String> = remark.into_iter().collect();
        if let Some(fatal) = &self.fatal {
            parts.extend(fatal.what.clone());
            parts.extend(fatal.after_the_end(ending));
        }
        parts.extend(what_is_left(ending.left));
        if self.fatal.as_ref().is_none_or(Fatal::is_read_whole) {
            let was_early = self.counted.iter().any(|counted| counted.0 == ANSWERED_EARLY);
            parts.extend(surplus_output(ending, was_early));
        }
        parts.extend(self.counted.iter().map(|(what, first, turns)| {
            format!("{} {what} (the first is turn {first})", plural(*turns, "turn"))
        }));
        parts.extend(self.remark.clone());
        parts.extend(self.stderr.diagnosis());
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

const FOUND_LATE: &str =
    "may have been answered in time, since the referee itself polled late, and counted";
const ACCEPTED: &str = "answered late because of the host, and counted (`--on-host-delay accept`)";
const FORGIVEN: &str = "answered late, and forgiven";

impl Fatal {
    fn new(turn: &Turn, seen: Seen, game: &Observations<'_>) -> Self {
        let lines = Lines::split(&turn.reply.0);
        let own = match game.turns {
            own if own == turn.turn => String::new(),
            own => format!(" of the game, its own turn {own}"),
        };
        let happened = what_happened(turn, &lines, &seen);
        let mut what = vec![format!("turn {}{own}: {happened}", turn.turn)];
        what.extend(encoding(&turn.reply.0).map(str::to_owned));
        let is_first = game.turns == 1;
        let resources = &game.command.confinement.resources;
        if let Some(no_reply) = turn.no_reply {
            what.extend(seen.both_blocked.then(|| BOTH_BLOCKED.to_owned()));
            what.extend(missing_lines(&lines, &seen));
            what.extend(partial_line(&lines, no_reply));
            what.extend(unread_input(turn, no_reply));
            match seen.awaits_lines {
                Some(0) => what.push("it waited for input, and this turn has none".to_owned()),
                Some(1) => what.push("it read its line and waited for more".to_owned()),
                Some(lines) => what.push(format!("it read all {lines} lines and waited for more")),
                None => what.extend(blame(turn)),
            }
            if let (NoReply::Deadline, Some(exit)) = (no_reply, seen.exit) {
                what.push(format!(
                    "the bot {exit}, and another of its processes might have answered"
                ));
            }
            what.extend(turn.stopped.then(|| "a signal had stopped it".to_owned()));
        }
        let cause = of_stack(turn, is_first, resources)
            .or_else(|| kernel_limit(turn, resources))
            .or_else(|| never_ran(turn, is_first, game.command));
        what.extend(cause);
        Self { what, turn: turn.clone(), seen }
    }

    /// Whether all lines of the reply were read.
    fn is_read_whole(&self) -> bool {
        self.turn.no_reply.is_none() && Lines::split(&self.turn.reply.0).len() >= self.seen.lines
    }

    /// The diagnosis of the end of the bot's process.
    fn after_the_end(&self, ending: &BotEnd) -> Vec<String> {
        let Some(no_reply) = self.turn.no_reply else { return Vec::new() };
        let mut parts: Vec<String> = self.sanitizer(ending).into_iter().collect();
        // A bot that has ended by itself has closed everything, so its closed input explains nothing.
        if self.turn.stdin_closed && ending.killed && !matches!(no_reply, NoReply::Ended(_)) {
            parts.push("it had closed its standard input".to_owned());
        }
        if no_reply == NoReply::Deadline {
            parts.extend(self.why_silent(ending));
        }
        parts.extend(ending.reached_open_files.map(|limit| {
            format!(
                "it had {} open, its limit (`open-files` in the settings)",
                plural(limit, "file")
            )
        }));
        parts.extend(ending.killed.then(|| "the referee killed it".to_owned()));
        parts
    }

    /// What a sanitizer has found. Its report may take longer than the turn; a bot that answers after all was only slow.
    fn sanitizer(&self, ending: &BotEnd) -> Option<String> {
        let written = [self.turn.stderr.0.as_slice(), &ending.stderr.bytes].concat();
        let found = sanitizer_finding(&written)?;
        let has_answered = !ending.late_output.bytes.trim_ascii().is_empty();
        (!has_answered).then(|| format!("the cause is what a sanitizer has found: {found}"))
    }

    /// Explains what came after the input was closed, or that nothing came: the answer was late, or stuck in the bot's buffer,
    /// or the bot was reading until EOF.
    fn why_silent(&self, ending: &BotEnd) -> Option<String> {
        let output = ending.late_output.bytes.trim_ascii();
        let has_waited = self.seen.awaits_lines.is_some();
        let takes_all = self.seen.takes_all_output();
        let is_one_answer = self.turn.limit == LimitKind::Total && !takes_all;
        let why = match (has_waited, is_one_answer) {
            (true, true) => READS_ON,
            (true, false) if output.is_empty() => READS_ON_OR_NOT_FLUSHED,
            (true, false) => NOT_FLUSHED,
            (false, true) => TOO_SLOW_OR_READS_ON,
            (false, false) if takes_all => "too slow",
            (false, false) => "too slow, or not flushed after the turn",
        };
        if output.is_empty() {
            let is_silent = has_waited && Lines::split(&self.turn.reply.0).partial().is_empty();
            return is_silent.then(|| why.to_owned());
        }
        Some(format!("{} came after its input was closed: {why}", quote(output)))
    }
}

/// As they would without the referee, which holds no more than a pipe does.
const BOTH_BLOCKED: &str = "the bot writes without reading, and its tester writes without reading, until both pipes between them are \
     full (64 KiB each): a deadlock";
const READS_ON: &str =
    "the bot reads more lines than it is sent, or reads until EOF, which comes only after the game";
const READS_ON_OR_NOT_FLUSHED: &str = "the bot reads more lines than it is sent, or reads until EOF, which comes only after the game, \
     or it does not flush its output";
const NOT_FLUSHED: &str = "the bot does not flush its output after the turn, or reads until EOF, which comes only after the game";
const TOO_SLOW_OR_READS_ON: &str =
    "too slow, or the bot reads until EOF, which comes only after the game";

fn what_happened(turn: &Turn, lines: &Lines, seen: &Seen) -> String {
    let wall = duration(turn.wall.0);
    match turn.no_reply {
        None => rejected(lines, seen),
        Some(NoReply::Deadline) => match (seen.limit, turn.limit) {
            (Some(limit), LimitKind::FirstTurn) => {
                format!("no answer within {} of the first turn", duration(limit))
            }
            (Some(limit), LimitKind::Total) if !seen.used.is_zero() => {
                let (total, left) = (duration(limit + seen.used), duration(limit));
                format!(
                    "no answer within the {total} of the whole game: the turns before had used all but {left}"
                )
            }
            (Some(limit), _) => format!("no answer within {}", duration(limit)),
            (None, _) => "no answer".to_owned(),
        },
        Some(NoReply::LineTooLong) => {
            let most = plural(seen.max_bytes.unwrap_or_default() as u64, "byte");
            format!("the reply is longer than {most}, the most that is read in a turn")
        }
        Some(NoReply::StdoutClosed) => {
            format!("the bot closed its standard output after {wall}, while it was running")
        }
        // The whole reply that came was another process's.
        Some(NoReply::Ended(exit)) if lines.len() >= seen.lines => format!(
            "the bot {exit}, and the answer of another of its processes no longer counts, as in the original"
        ),
        Some(NoReply::Ended(exit)) => format!("the bot {exit} after {wall} without answering"),
        Some(NoReply::OverLimit(breach)) => over_limit(&breach),
        Some(other) => format!("the bot {other}"),
    }
}

/// Why a reply was rejected: which line is wrong and why, or what a judge says that does not name one.
fn rejected(lines: &Lines, seen: &Seen) -> String {
    let Some(number) = seen.wrong_line else {
        let reply = format!("the reply was {}", quote(lines.as_bytes().trim_ascii_end()));
        return match &seen.remark {
            Some(remark) if seen.takes_all_output() => remark.clone(),
            Some(remark) => format!("{remark}; {reply}"),
            None => reply,
        };
    };
    let line = quote(lines.iter().nth(number).unwrap_or_default());
    let which = if seen.lines == 1 {
        "the reply".to_owned()
    } else {
        format!("line {} of the reply", number + 1)
    };
    let remark = seen.remark.as_ref().map(|remark| format!(": {remark}")).unwrap_or_default();
    format!("{which} was {line}{remark}")
}

/// Names an encoding of a reply in which no judge reads it.
fn encoding(reply: &[u8]) -> Option<&'static str> {
    // As in UTF-16, where one of the two bytes of each of these letters is 0.
    let has_zeros =
        |at: usize| reply.len() > 1 && reply.iter().skip(at).step_by(2).all(|it| *it == 0);
    match reply {
        [0xEF, 0xBB, 0xBF, ..] => Some("its output begins with a byte order mark (U+FEFF)"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some(UTF_16),
        _ if has_zeros(0) || has_zeros(1) => Some(UTF_16),
        _ => None,
    }
}

const UTF_16: &str = "its output is UTF-16, which some programs of Windows write";

/// Says how many lines of an incomplete reply had arrived.
fn missing_lines(lines: &Lines, seen: &Seen) -> Option<String> {
    let (some, all) = (lines.len(), seen.lines);
    let wanted = if seen.takes_all_output() {
        plural(some as u64, "line")
    } else {
        format!("{some} of {all} lines")
    };
    (some > 0 && some < all).then(|| format!("it had written {wanted}"))
}

fn partial_line(lines: &Lines, no_reply: NoReply) -> Option<String> {
    let partial = lines.partial();
    let wanted = no_reply != NoReply::LineTooLong && !partial.is_empty();
    wanted.then(|| format!("it had written {} without a newline", quote(partial)))
}

/// Reports input that the bot never read. A bot that has ended needs no such explanation.
fn unread_input(turn: &Turn, no_reply: NoReply) -> Option<String> {
    let says =
        !matches!(no_reply, NoReply::Ended(_)) && !turn.stdin_closed && turn.unread_input > 0;
    says.then(|| format!("it had not read {} of its input", plural(turn.unread_input, "byte")))
}

#[cfg(test)]
mod tests;
