//! Every duration and bound of this crate, in one place. docs/timing.md shows them as a table, which a test compares.

use std::time::Duration;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn us(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// Declares a group of values for each part of the crate, the static [`TUNING`], and the rows of the table.
macro_rules! tuning {
    ($($(#[doc = $about:literal])+ $group:ident: $kind:ident {
        $($(#[doc = $doc:literal])+ $name:ident: $type:ty = $value:expr,)+
    })+) => {
        /// All values, by the part of the crate that uses them.
        #[derive(Debug)]
        pub(crate) struct Tuning { $($(#[doc = $about])+ pub(crate) $group: $kind,)+ }

        $($(#[doc = $about])+ #[derive(Debug)]
        pub(crate) struct $kind { $($(#[doc = $doc])+ pub(crate) $name: $type,)+ })+

        /// The values in force.
        pub(crate) static TUNING: Tuning = Tuning { $($group: $kind { $($name: $value,)+ },)+ };

        /// The group, the name, the value and the meaning of each.
        #[cfg(test)]
        fn rows() -> Vec<[String; 4]> {
            vec![$($([
                stringify!($group).to_owned(),
                stringify!($name).replace('_', " "),
                tests::shown(&TUNING.$group.$name),
                [$($doc),+].map(str::trim).join(" "),
            ],)+)+]
        }
    };
}

tuning! {
    /// The clock of an exchange.
    clock: ClockTuning {
        /// A timer later than this, though the referee did not wait for a core, shows that the machine stalled.
        standstill: Duration = ms(2),
        /// The longest sleep while a program thinks, so that a stall of the machine is noticed.
        heartbeat: Duration = ms(10),
        /// When to sample a program of several threads or processes before its limit, in tenths of the limit.
        early_looks: [u32; 5] = [5, 6, 7, 8, 9],
        /// How long a late answer is awaited beyond the limit, so that one that is a little late is recognised.
        last_look: Duration = ms(10),
    }
    /// Samples of a program.
    sampling: SamplingTuning {
        /// The thinking time between two samples. Quick replies are not sampled one by one.
        unsampled: Duration = ms(1),
        /// The time for which a program may think for free while the referee samples it.
        free: Duration = ms(1),
        /// The time for one walk through a program's processes.
        look: Duration = ms(100),
        /// The time for a walk when a deadline leaves it.
        long_walk: Duration = ms(1000),
        /// The time for all samples after an exchange.
        last_looks: Duration = ms(300),
        /// How long the referee's own wait for a core need not be read again.
        recent: Duration = us(500),
        /// The share of the limit that a sample before the limit may take: 1 in this number.
        early_share: u32 = 25,
        /// The pause after each sample of a late program, in times of what the sample took.
        late_share: u32 = 4,
        /// The number of threads beyond which no more are read one by one.
        many_threads: u64 = 10_000,
        /// How often a late program's threads are checked for one that reads its input.
        looks_for_reader: usize = 3,
        /// The time between two of these checks: runtimes wake threads for a moment.
        between_looks: Duration = ms(5),
    }
    /// Where the time of a late exchange went.
    blame: BlameTuning {
        /// The longest tick of a scheduler (100 Hz), by which counters of a running thread may lag.
        tick: Duration = ms(10),
        /// The mean loss when the kernel rounds the CPU time of a child that was waited for.
        child_rounding: Duration = ms(10),
        /// CPU time beyond that of the sampled threads which shows that other threads have ended.
        of_ended_threads: Duration = ms(1),
        /// The shortest wait of a thread that matters.
        worth_a_word: Duration = ms(1),
        /// How long after an answer to find out which threads fall asleep.
        settling: Duration = ms(50),
        /// The shortest time between two samples of a late program.
        shortest_step: Duration = ms(1),
        /// The longest time between two samples of a late program.
        longest_step: Duration = ms(5),
        /// The time between two samples of a stopped program.
        stopped_step: Duration = ms(2),
    }
    /// A program at the other end of the pipes.
    peer: PeerTuning {
        /// How often it is checked when it keeps the program waiting beyond the limit.
        recheck: Duration = ms(5),
        /// How often it is checked when it has closed the program's input.
        closing: Duration = ms(1),
        /// The time between the first two of these checks. Each later one is twice as long.
        closing_at_first: Duration = us(50),
        /// How often a program without a limit is checked for its sake.
        watch: Duration = ms(1000),
        /// How long to poll without sleeping after many short waits.
        awake: Duration = us(50),
        /// The longest short wait, with sleep.
        quick: Duration = us(100),
        /// The number of short waits in a row before the referee polls without sleeping.
        often: u8 = 16,
    }
    /// Limits on resources.
    limits: LimitTuning {
        /// The time between two checks of a thinking program.
        interval: Duration = ms(25),
        /// The share of the referee's time for these checks: 1 in this number.
        share: u32 = 20,
        /// Memory is not measured when less than this many times its last measurement remains before the deadline.
        margin: u32 = 10,
    }
    /// The end of a program.
    ending: EndingTuning {
        /// The time after the end of the output within which a program must begin to exit; otherwise it only closed it.
        exit_notice: Duration = ms(200),
        /// The further time for an exit that has begun: the kernel has to free what the program held.
        exit: Duration = ms(700),
        /// The CPU time in which a first process may exit after another one has answered.
        settling: Duration = ms(100),
        /// How long it may need to get this CPU time on a busy machine.
        settling_patience: Duration = ms(1000),
        /// The pause between two checks of it.
        settling_nap: Duration = us(100),
        /// How long to wait for a keeper to kill everything.
        reap_limit: Duration = ms(5000),
    }
    /// Cores of a pinned program.
    cores: CoreTuning {
        /// The longest prompt answer: while answers are prompt, the referee shares the program's core.
        prompt: Duration = ms(1),
        /// The longest prompt first answer, which includes the start.
        prompt_start: Duration = ms(20),
        /// The least time that a limit must leave beyond a prompt answer for sharing a core.
        margin: Duration = ms(20),
    }
    /// The launcher and the keepers.
    launcher: LauncherTuning {
        /// How often to check whether a deadline has passed.
        deadline_check: Duration = ms(100),
        /// How long after a deadline the launcher may end the program.
        deadline_margin: Duration = ms(200),
        /// The further time for the referee to show up after a stall of the machine.
        respite: Duration = ms(150),
        /// How often to check whether the referee is dying.
        dying_check: Duration = ms(500),
        /// The time for a keeper to end all processes before it is killed itself.
        clearing: Duration = ms(4000),
        /// How long a keeper kills before it gives up.
        kill_time: Duration = ms(3000),
        /// How long to wait for what was below a killed plain program to end.
        group_kill_time: Duration = ms(200),
        /// The sleep between two attempts to kill.
        kill_nap: Duration = us(50),
        /// How long a spare keeper may wait for a program.
        spare: Duration = ms(10_000),
    }
    /// Folders and control groups after a game.
    cleanup: CleanupTuning {
        /// The time to empty a folder that processes may be filling.
        removal: Duration = ms(60_000),
        /// The attempts to make a folder, since another referee may remove a new one.
        attempts: u32 = 10,
        /// The time for the kernel to end the killed processes of a control group.
        group_empties: Duration = ms(1000),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    /// A value as in the table: durations as `Debug` shows them, with a blank before the unit.
    pub(super) fn shown(value: &impl Debug) -> String {
        let text = format!("{value:?}");
        let unit = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        match unit.filter(|at| *at > 0 && !text.starts_with('[')) {
            Some(at) => format!("{} {}", &text[..at], &text[at..]),
            None => text,
        }
    }

    #[test]
    fn the_document_on_timing_shows_each_value() {
        let rows: Vec<String> =
            rows().iter().map(|row| format!("| {} |", row.join(" | "))).collect();
        let table = rows.join("\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/timing.md");
        let document = std::fs::read_to_string(path).expect("the document");
        assert!(document.contains(&table), "docs/timing.md must contain:\n{table}");
    }
}
