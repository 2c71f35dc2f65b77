//! Where the time of a watched exchange went.

use std::collections::BTreeMap;
use std::time::Duration;

use super::sample::Sample;
use super::track::Track;
use super::tuning::TUNING;
use super::watch::{Delays, Watch};
use terms::certificate::Parts;
use terms::millis::Millis;

impl Watch {
    /// The parts of `wall`, as of the last observation.
    pub(crate) fn parts(
        &self,
        before: &Sample,
        wall: Duration,
        delays: Delays,
        has_replied: bool,
    ) -> Parts {
        let tree = self.tree.computed(before);
        let stop = if self.stop.goes_on { Duration::ZERO } else { self.stop.so_far };
        // The kernel's threads that write and read for the bot may have its core.
        let waited = if self.tree.is_incomplete || self.waits_for_disk {
            Duration::ZERO
        } else {
            self.kept_waiting(tree, has_replied)
        };
        let idle = |track: &Track| wall.saturating_sub(track.run + track.waited(has_replied));
        let idle = self.threads.values().map(idle).min().unwrap_or_default();
        // Time no thread's clock explains is counted here too.
        let unseen = delays.unseen.min(idle.saturating_sub(delays.machine + stop));
        let mut left = wall;
        let mut take = |time: Duration| {
            let part = time.min(left);
            left = left.saturating_sub(part);
            Millis(part)
        };
        Parts {
            // While the machine stalls, the kernel's clocks of threads may run on.
            computed: take(tree.saturating_sub(delays.machine)),
            taken: take(delays.machine + stop + unseen),
            kept_waiting: take(waited.saturating_sub(delays.machine)),
            referee: take(delays.referee.saturating_sub(self.on_this_core(tree))),
            asleep: take(idle.saturating_sub(self.tree.unseen)),
            unknown: Millis(left),
            waits_for_disk: self.waits_for_disk,
            has_own_scheduling: self.has_own_scheduling(has_replied),
            has_ended: !self.tree.unseen.is_zero(),
        }
    }

    /// Whether a thread that the bot has scheduled otherwise has waited for a core.
    fn has_own_scheduling(&self, has_replied: bool) -> bool {
        let waits = |track: &Track| track.waited(has_replied) >= TUNING.blame.noticeable_wait;
        self.threads.values().any(|track| !track.is_as_started && waits(track))
    }

    /// The time for which others kept the bot's first thread, and one thread for which it may have waited, from a core:
    /// at most the time in which no other thread of the tree computed. The answer did not wait for a thread that runs on
    /// when it has come, unless that is the first.
    fn kept_waiting(&self, computed: Duration, has_replied: bool) -> Duration {
        let bot = self.tree.bot();
        let times = |track: &Track| (track.waited(has_replied), track.run);
        let excusable = |(tid, track): (&i32, &Track)| {
            let was_awaited = !has_replied || !track.is_runnable || bot == Some(*tid);
            (track.is_as_started && was_awaited).then(|| (*tid, times(track)))
        };
        let tracks: BTreeMap<i32, _> = self.threads.iter().filter_map(excusable).collect();
        let first = bot.and_then(|bot| tracks.get(&bot)).copied().unwrap_or_default();
        let others = tracks.iter().filter(|(tid, _)| bot != Some(**tid)).map(|(_, times)| *times);
        let by_strangers = |(wait, run): (Duration, Duration)| {
            (wait + first.0).saturating_sub(computed.saturating_sub(run + first.1))
        };
        others.chain([Default::default()]).map(by_strangers).max().unwrap_or_default()
    }

    /// The part of `computed` that may have delayed the referee on its own core.
    fn on_this_core(&self, computed: Duration) -> Duration {
        let Some(here) = self.referee_core else { return computed };
        let elsewhere =
            |track: &&Track| track.is_as_started && track.core.is_some_and(|core| core != here);
        let elsewhere: Duration =
            self.threads.values().filter(elsewhere).map(|track| track.run).sum();
        computed.saturating_sub(elsewhere)
    }

    /// The longest wait of a thread for a core, regardless of which process had it.
    pub(crate) fn longest_wait(&self, has_replied: bool) -> Duration {
        let waits = self.threads.values().map(|track| track.waited(has_replied));
        waits.max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::moment::Moment;
    use crate::decide::process_tree::ProcessTree;
    use crate::decide::watch::Surroundings;

    const WALL: Duration = Duration::from_millis(100);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// A watch that has seen threads: how long each ran and waited, and whether it was scheduled as at its start.
    fn watch(threads: &[(u64, u64, bool)], gone: u64) -> Watch {
        let mut watch = Watch::new(Moment::default(), ms(50), ms(50), Surroundings::default());
        watch.referee_core = Some(0);
        for (tid, &(run, wait, is_as_started)) in (1..).zip(threads) {
            let mut track = Track::new(is_as_started);
            (track.run, track.wait, track.core) = (ms(run), ms(wait), Some(usize::MAX));
            watch.threads.insert(tid, track);
        }
        let run = threads.iter().map(|(run, ..)| ms(*run)).sum::<Duration>() + ms(gone);
        watch.tree = ProcessTree::of(Sample::of_process(1, run));
        watch
    }

    fn parts(watch: &Watch, delays: Delays) -> Parts {
        let parts = watch.parts(&Sample::default(), WALL, delays, true);
        assert_eq!(parts.wall(), WALL, "{parts:?}");
        parts
    }

    #[test]
    fn only_waits_in_which_nobody_of_the_tree_computed_are_the_hosts() {
        for (threads, gone, expected) in [
            (&[(20, 70, true)][..], 0, 70),
            (&[(20, 70, true), (10, 10, true)], 0, 70),
            (&[(5, 15, true), (20, 40, true)], 0, 55),
            (&[(5, 15, true), (20, 40, true), (30, 0, true)], 0, 25),
            (&[(0, 100, true), (80, 0, true)], 0, 20),
            (&[(20, 70, false)], 0, 0),
            (&[(5, 95, false), (80, 20, true)], 0, 15),
            (&[(0, 100, true)], 80, 20),
        ] {
            let kept = parts(&watch(threads, gone), Delays::default()).kept_waiting;
            assert_eq!(kept, Millis(ms(expected)), "{threads:?} {gone}");
        }
    }

    #[test]
    fn waits_of_a_thread_that_the_bot_scheduled_are_named() {
        for (threads, expected) in [
            (&[(20, 70, true)][..], false),
            (&[(20, 70, false)], true),
            (&[(20, 0, false), (20, 70, true)], false),
        ] {
            let parts = parts(&watch(threads, 0), Delays::default());
            assert_eq!(parts.has_own_scheduling, expected, "{threads:?}");
        }
    }

    #[test]
    fn time_that_nobody_counted_excuses_nothing() {
        let mut watch = watch(&[(20, 70, true)], 0);
        watch.tree.is_incomplete = true;
        let parts = parts(&watch, Delays::default());
        assert_eq!((parts.excused(), parts.unknown), (Duration::ZERO, Millis(ms(70))));
        assert_eq!(parts.asleep, Millis(ms(10)));
    }

    #[test]
    fn a_referee_is_late_by_itself_where_no_hog_of_the_bots_was_on_its_core() {
        let delays = Delays { referee: ms(30), ..Delays::default() };
        let elsewhere = watch(&[(60, 0, true)], 0);
        assert_eq!(parts(&elsewhere, delays).referee, Millis(ms(30)));
        let moved = watch(&[(60, 0, false)], 0);
        assert_eq!(parts(&moved, delays).referee, Millis(Duration::ZERO), "it may have been there");
        let gone = watch(&[(0, 0, true)], 20);
        assert_eq!(parts(&gone, delays).referee, Millis(ms(10)));
    }

    #[test]
    fn a_machine_that_stands_still_lets_the_clocks_of_threads_run_on() {
        let delays = Delays { machine: ms(70), unseen: ms(10), ..Delays::default() };
        let running = parts(&watch(&[(95, 0, true)], 0), delays);
        assert_eq!((running.taken, running.computed), (Millis(ms(70)), Millis(ms(25))));
        let frozen = parts(&watch(&[(22, 0, true)], 0), delays);
        assert_eq!((frozen.taken, frozen.asleep), (Millis(ms(78)), Millis(ms(22))));
    }
}
