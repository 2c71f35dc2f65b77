//! Limits on a bot's resources: some enforced by the kernel, some watched by the referee.
//!
//! The kernel's limits apply to each process alone, and its memory limit counts memory that a program
//! reserves and never touches, which runtimes do generously. So the referee samples the resident memory
//! of all of a bot's processes every few hundredths of a second while the bot thinks.

use std::time::Instant;

use crate::decide::sample::Sample;
use crate::decide::tuning::TUNING;
use crate::drive::pipes::Captured;
use crate::observe::{self, Root};
use crate::spawn::running::KernelLimits;
use crate::sys::{kills_are_of_group, memory_kills, memory_limit_of_host};
use terms::limits::{Breach, Resource, Resources};
use terms::text::size;
use terms::verdict::{BotExit, NoReply, SIGKILL};

/// Watches a bot's use of resources.
#[derive(Debug)]
pub(crate) struct Guard {
    limits: Resources,
    next: Instant,
    /// When to measure the memory of several processes next, after an exchange.
    next_memory: Instant,
    written: Written,
    is_breached: bool,
    /// The limit that was exceeded between exchanges.
    breach_while_idle: Option<Breach>,
    /// Whether a process has reached its limit on open files.
    is_out_of_files: bool,
    peak_memory: Option<u64>,
    /// The last sample in this exchange, unless it was taken.
    pub(crate) sampled: Option<Sample>,
    /// The kernel's limits on all of the bot, if it has some.
    group: Option<Box<dyn KernelLimits>>,
    /// The number of OOM kills around the referee before the bot started.
    memory_kills: u64,
}

/// The bytes that a bot has written.
#[derive(Debug, Default)]
struct Written {
    /// Standard output since the start of the exchange.
    in_turn: u64,
    /// Standard output before the exchange.
    before: u64,
    /// Standard error kept so far.
    stderr: u64,
}

/// The kernel killed a bot that was within its limits, because the host had no memory left.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub struct HostMemory {
    /// The bot's highest measured memory, in bytes.
    used: Option<u64>,
    /// The memory limit of all processes around the referee, in bytes.
    host: Option<u64>,
}

impl HostMemory {
    fn message(&self) -> String {
        let used = match self.used {
            None => "was within its limit".to_owned(),
            Some(used) => format!("had {} so far", size(used)),
        };
        let host = self.host.map(|host| {
            format!(", while the control group around the referee has {} for all", size(host))
        });
        format!(
            "the host ran out of memory, and the kernel killed the bot, which {used}{}; run fewer bots at once, or give \
             the referee more",
            host.unwrap_or_default()
        )
    }
}

impl Guard {
    /// Starts to watch; `memory_kills` is the number of OOM kills before the bot started.
    pub(crate) fn new(
        limits: Resources,
        group: Option<Box<dyn KernelLimits>>,
        memory_kills: u64,
    ) -> Self {
        Self {
            limits,
            next: Instant::now() + TUNING.limits.interval,
            next_memory: Instant::now(),
            memory_kills,
            group,
            written: Written::default(),
            is_breached: false,
            breach_while_idle: None,
            is_out_of_files: false,
            peak_memory: None,
            sampled: None,
        }
    }

    /// The highest memory use seen, in bytes, if any.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        self.peak_memory
    }

    /// Whether a limit was exceeded, so that the bot gets no grace.
    pub(crate) fn is_breached(&self) -> bool {
        self.is_breached
    }

    /// The limit on open files, if a process has reached it.
    pub(crate) fn reached_open_files(&self) -> Option<u64> {
        self.limits.open_files.filter(|_| self.is_out_of_files)
    }

    /// Starts an exchange.
    pub(crate) fn start(&mut self) {
        self.next = Instant::now() + TUNING.limits.interval;
        self.written.before += self.written.in_turn;
        self.written.in_turn = 0;
        self.sampled = None;
    }

    /// When to wake for the next sample, unless `until` comes first.
    pub(crate) fn wake(&self, until: Option<Instant>) -> Instant {
        until.map_or(self.next, |until| until.min(self.next))
    }

    /// Keeps standard error, up to `cap` and to the rest of the game's limit.
    pub(crate) fn keep_stderr(&mut self, stderr: &mut Captured, chunk: &[u8], cap: usize) {
        let before = stderr.bytes.len();
        let left = self
            .limits
            .game_stderr
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.written.stderr));
        let room = usize::try_from(left).unwrap_or(usize::MAX).saturating_add(before);
        stderr.push(chunk, cap.min(room));
        self.written.stderr += (stderr.bytes.len() - before) as u64;
    }

    /// Adds to what the limits on a turn's and a game's output count.
    pub(crate) fn count_output(&mut self, bytes: u64) {
        self.written.in_turn += bytes;
    }

    /// The bytes of output to read at once: up to the limit, and the one byte that exceeds it.
    pub(crate) fn output_left(&self) -> usize {
        let limit = |resource| self.limits.of(resource).unwrap_or(u64::MAX);
        let turn = limit(Resource::TurnOutput).saturating_sub(self.written.in_turn);
        let game = limit(Resource::GameOutput)
            .saturating_sub(self.written.before)
            .saturating_sub(self.written.in_turn);
        usize::try_from(turn.min(game)).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// Whether there was too much output.
    pub(crate) fn check_output(&self) -> Option<Breach> {
        let game = self.written.before + self.written.in_turn;
        let turn = self.limits.breach(Resource::TurnOutput, self.written.in_turn);
        turn.or_else(|| self.limits.breach(Resource::GameOutput, game))
    }

    /// Its limits.
    pub(crate) fn limits(&self) -> Resources {
        self.limits
    }

    /// Notes the limit that was exceeded between exchanges, which ends the next one.
    pub(crate) fn exceeded_while_idle(&mut self, breach: Option<Breach>) {
        self.breach_while_idle = breach;
        self.is_breached |= breach.is_some();
    }

    /// Samples the bot if a sample is due; not beyond `deadline`.
    pub(crate) fn sample_if_due(
        &mut self,
        root: Root,
        deadline: Option<Instant>,
    ) -> Option<Breach> {
        if self.breach_while_idle.is_some() {
            return self.breach_while_idle;
        }
        let now = Instant::now();
        if now < self.next || deadline.is_some_and(|deadline| now >= deadline) {
            return None;
        }
        let sample = observe::below_until(root, deadline);
        let breach = self.judge(&sample, deadline, false);
        self.sampled = Some(sample);
        self.next =
            Instant::now() + TUNING.limits.interval.max(now.elapsed() * TUNING.limits.share);
        breach
    }

    /// The limit that a sample from after an exchange exceeds, if any. The memory of several processes is measured now and then, until
    /// `deadline` at most.
    pub(crate) fn check(&mut self, sample: &Sample, deadline: Option<Instant>) -> Option<Breach> {
        let is_due = Instant::now() >= self.next_memory;
        let breach = self.judge(sample, deadline, is_due);
        if is_due {
            self.next_memory = Instant::now() + TUNING.limits.interval;
        }
        breach
    }

    fn judge(
        &mut self,
        sample: &Sample,
        deadline: Option<Instant>,
        measures: bool,
    ) -> Option<Breach> {
        let has_all_files = |limit| sample.open_files() >= limit;
        self.is_out_of_files |= self.limits.open_files.is_some_and(has_all_files);
        let Exceeded { memory, breach } = Exceeded::by(&self.limits, sample, deadline, measures);
        self.peak_memory = self.peak_memory.max((memory > 0).then_some(memory));
        let breach = breach.or(self.breach_while_idle);
        let breach = breach.or_else(|| self.group.as_ref()?.breach())?;
        Some(self.record(breach))
    }

    /// Whether no reply came because the host, not the bot, ran out of memory.
    pub(crate) fn check_host(&self, no_reply: NoReply) -> Option<HostMemory> {
        let is_hosts = match (&self.group, no_reply) {
            (_, NoReply::OverLimit(_)) => false,
            (Some(group), _) => group.lacked_memory_of_host(),
            // The kill may have hit another bot's process, so this bot must have ended as well.
            // On a whole machine the kill may have hit a process at its own limit.
            (None, NoReply::Ended(exit)) => {
                memory_kills() > self.memory_kills && (kills_are_of_group() || was_killed(exit))
            }
            (None, _) => false,
        };
        is_hosts.then(|| HostMemory { used: self.peak_memory, host: memory_limit_of_host() })
    }

    /// Kills all processes left under the kernel's limits, if it has some. Returns whether none is left.
    pub(crate) fn clear_group(&self) -> Option<bool> {
        self.group.as_ref().map(|group| group.clear())
    }

    /// Remembers that the bot has exceeded a limit.
    pub(crate) fn record(&mut self, breach: Breach) -> Breach {
        self.is_breached = true;
        breach
    }
}

/// What a sample shows of limits.
pub(crate) struct Exceeded {
    /// The memory of all processes if it was measured, in bytes, and otherwise of the largest.
    memory: u64,
    pub(crate) breach: Option<Breach>,
}

impl Exceeded {
    /// Compares a sample with the limits. Pages that several processes share are divided among them, which takes the kernel some time:
    /// this is done if they seem to exceed the limit, or if one `measures` their memory, until `deadline` at most.
    pub(crate) fn by(
        limits: &Resources,
        sample: &Sample,
        deadline: Option<Instant>,
        measures: bool,
    ) -> Self {
        let resident = sample.resident();
        let may_exceed = limits.breach(Resource::Memory, resident).is_some();
        let memory = match sample.processes.len() {
            0 | 1 => resident,
            _ if measures || may_exceed => {
                let until = Instant::now() + TUNING.sampling.walk;
                observe::proportional_memory(sample, deadline.map_or(until, |it| it.min(until)))
            }
            _ => 0,
        };
        let memory = memory.max(sample.largest_peak());
        let processes = limits.breach(Resource::Processes, sample.tasks());
        Self { memory, breach: processes.or_else(|| limits.breach(Resource::Memory, memory)) }
    }
}

/// Whether a killed bot, or a shell whose bot was killed, may have exited like this.
fn was_killed(exit: BotExit) -> bool {
    const BY_SHELL: i32 = 128 + SIGKILL;
    matches!(exit, BotExit::Signal(SIGKILL) | BotExit::Code(BY_SHELL) | BotExit::Unknown)
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(group) = self.group.take() {
            group.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ends_otherwise_was_not_killed_for_want_of_memory() {
        let shell = BotExit::Code(137);
        assert!([BotExit::Signal(9), shell, BotExit::Unknown].into_iter().all(was_killed));
        let others = [BotExit::Code(0), BotExit::Code(8), BotExit::Signal(11)];
        assert!(!others.into_iter().any(was_killed));
    }
}
