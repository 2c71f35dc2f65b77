//! Pins a bot to its own cores.

use std::io;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores of a bot, and the core of the referee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinning {
    /// The bot's cores.
    pub bot: Vec<usize>,
    /// The referee's core.
    pub referee: usize,
}

/// Why cores cannot be kept apart.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// There are too few cores.
    #[error(
        "--pin: bots with {wanted} in all and the referee need {} cores, and this process may use {available}{}",
        wanted + 1,
        if *taken > 0 { format!(", of which other suites have {taken}") } else { String::new() }
    )]
    TooFew {
        /// The number of cores for all bots.
        wanted: usize,
        /// The number of cores that this process may use.
        available: usize,
        /// The number of those that others have taken.
        taken: usize,
    },
    /// The system refused.
    #[error("--pin: the system does not let processes be pinned")]
    Io(#[from] io::Error),
}

impl Pinning {
    /// Chooses `cores_per_bot` of the cores that this process may use for a bot, and another one for
    /// the referee.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan(cores_per_bot: usize) -> Result<Self, PinError> {
        Ok(Self::plan_apart(1, cores_per_bot, |_| true)?.swap_remove(0))
    }

    /// As [`plan`](Self::plan), for several concurrent bots, each on its own cores, and one core for the
    /// referee. Only cores for which `take` returns true are used.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan_apart(
        bots: usize,
        cores_per_bot: usize,
        mut take: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Self>, PinError> {
        let allowed = sched_getaffinity(None).map_err(io::Error::from)?;
        let allowed: Vec<usize> =
            (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
        let (available, wanted) = (allowed.len(), bots * cores_per_bot);
        let free = allowed.into_iter().filter(|&core| available > wanted && take(core));
        let cores: Vec<usize> = free.take(wanted + 1).collect();
        match cores.split_first() {
            Some((&referee, rest)) if rest.len() >= wanted => {
                let shares = rest.chunks(cores_per_bot).take(bots);
                Ok(shares.map(|share| Self { bot: share.to_vec(), referee }).collect())
            }
            _ => {
                let taken = if available > wanted { available - cores.len() } else { 0 };
                Err(PinError::TooFew { wanted, available, taken })
            }
        }
    }
}

/// An answer within this time is prompt: waking another core would cost a large share of it.
const PROMPT: Duration = Duration::from_millis(1);

/// As [`PROMPT`], for the first answer, before which the program has to start.
const PROMPT_START: Duration = Duration::from_millis(20);

/// The least time beyond a prompt answer for sharing a core: the referee wakes every 10 ms (the clock's `HEARTBEAT`),
/// so it leaves the core before the deadline.
const MARGIN: Duration = Duration::from_millis(20);

/// The core of this thread while it referees a pinned bot.
///
/// A core switches between processes faster than a second core wakes up, and referee and bot take turns.
/// So the thread shares the core of a bot that has only one, while each answer comes within [`PROMPT`]. It awaits
/// slower answers on its own core, so that a bot that thinks, or fills its core with hogs, disturbs nobody.
#[derive(Debug)]
pub(super) struct RefereeCore {
    pinning: Pinning,
    is_shared: bool,
    /// The time until which an answer is prompt, in this exchange.
    prompt: Instant,
    /// Whether the first exchange is over, which includes the bot's start and predicts nothing of the others.
    has_begun: bool,
    /// Whether an answer was not prompt.
    has_thought: bool,
}

impl RefereeCore {
    /// Moves this thread to the bot's cores, so that the bot starts there.
    pub(super) fn join_bot(pinning: &Pinning) -> io::Result<Self> {
        sched_setaffinity(None, &set(&pinning.bot))?;
        Ok(Self {
            pinning: pinning.clone(),
            is_shared: true,
            prompt: Instant::now(),
            has_begun: false,
            has_thought: pinning.bot.len() > 1,
        })
    }

    /// Begins an exchange of at most `limit`.
    pub(super) fn begin(&mut self, limit: Option<Duration>) {
        let prompt = if self.has_begun { PROMPT } else { PROMPT_START };
        let has_room = limit.is_none_or(|limit| limit >= prompt + MARGIN);
        self.share(has_room && !self.has_thought);
        self.prompt = Instant::now() + prompt;
    }

    /// Notes that the referee has woken. No timer is set for this: a timer that a hypervisor has to arm costs more than
    /// the rest of a turn.
    pub(super) fn woke(&mut self, now: Instant) {
        if self.is_shared && now >= self.prompt {
            self.has_thought = self.has_begun;
            self.share(false);
        }
    }

    /// Ends the exchange.
    pub(super) fn end(&mut self) {
        self.has_begun = true;
    }

    fn share(&mut self, is_shared: bool) {
        if self.is_shared != is_shared {
            self.is_shared = is_shared;
            let Pinning { bot, referee } = &self.pinning;
            // If this process has lost the core meanwhile, the system decides where it runs.
            let _ = sched_setaffinity(None, &if is_shared { set(bot) } else { set(&[*referee]) });
        }
    }
}

fn set(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cores that this thread may use.
    fn mine() -> Vec<usize> {
        let cores = sched_getaffinity(None).expect("known");
        (0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect()
    }

    /// Plays an exchange that the bot answers before the referee wakes, or after that.
    fn exchange(core: &mut RefereeCore, is_prompt: bool) {
        core.begin(Some(PROMPT_START + MARGIN));
        let now = Instant::now();
        core.woke(if is_prompt { now } else { now + 2 * PROMPT_START });
        core.end();
    }

    #[test]
    fn the_core_of_a_bot_is_shared_until_it_thinks() {
        let all = mine();
        let [referee, bot, ..] = all[..] else { return };
        let mut core =
            RefereeCore::join_bot(&Pinning { bot: vec![bot], referee }).expect("allowed");
        assert_eq!(mine(), [bot]);
        exchange(&mut core, false);
        assert_eq!(mine(), [referee], "its start took a while");
        for _ in 0..3 {
            exchange(&mut core, true);
            assert_eq!(mine(), [bot]);
        }
        core.begin(Some(MARGIN));
        assert_eq!(mine(), [referee], "its time is too short");
        core.begin(None);
        assert_eq!(mine(), [bot]);
        exchange(&mut core, false);
        assert_eq!(mine(), [referee]);
        exchange(&mut core, true);
        assert_eq!(mine(), [referee], "it may think again");
    }

    #[test]
    fn the_cores_of_a_bot_that_has_several_are_its_own() {
        let all = mine();
        let [referee, bot, ..] = all[..] else { return };
        let pinning = Pinning { bot: vec![bot, referee], referee };
        let mut core = RefereeCore::join_bot(&pinning).expect("allowed");
        exchange(&mut core, true);
        assert_eq!(mine(), [referee]);
    }
}
