//! Every duration and bound of this crate, in one place.

use std::time::Duration;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn us(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// Declares a group of values for each part of the crate, and the static [`TUNING`].
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
    };
}

tuning! {
    /// The clock of an exchange.
    clock: ClockTuning {
        /// A timer this late shows a stall, unless the referee waited for a core.
        standstill: Duration = ms(2),
        /// Longest sleep while a program thinks.
        // So that a stall of the machine is noticed.
        heartbeat: Duration = ms(10),
        /// How long after the limit a late answer is recognised.
        late_answer: Duration = ms(10),
    }
    /// Samples of a program.
    sampling: SamplingTuning {
        /// Thinking time of quick replies between two samples.
        unsampled: Duration = ms(1),
        /// Time for one walk through a program's processes.
        walk: Duration = ms(100),
        /// The same where a deadline leaves it.
        long_walk: Duration = ms(1000),
        /// Time for all samples after an exchange.
        last_samples: Duration = ms(300),
        /// How long the referee's own wait need not be read again.
        recent: Duration = us(500),
        /// Pause after a sample beyond the limit, as a multiple of its duration.
        late_share: u32 = 4,
        /// Maximum number of threads that are read one by one.
        many_threads: u64 = 10_000,
        /// Number of checks for a late thread that reads input.
        reader_checks: usize = 3,
        /// Time between two of these checks.
        // Runtimes wake threads for a moment.
        reader_check_pause: Duration = ms(5),
    }
    /// Where the time of a late exchange went.
    blame: BlameTuning {
        /// Shortest time between samples of a late program.
        shortest_step: Duration = ms(1),
        /// Longest such time.
        longest_step: Duration = ms(5),
    }
    /// A program at the other end of the pipes.
    peer: PeerTuning {
        /// How often to check again while a peer delays a late program.
        recheck: Duration = ms(5),
        /// How often to check for an exit after a peer has closed the input.
        closing: Duration = ms(1),
        /// The first of these intervals, which double.
        closing_at_first: Duration = us(50),
        /// How often to check a program without a limit for the sake of its peer.
        watch: Duration = ms(1000),
    }
    /// Limits on resources.
    limits: LimitTuning {
        /// Time between two checks of a thinking program.
        interval: Duration = ms(25),
        /// Share of the referee's time for these checks: 1 in this number.
        share: u32 = 20,
    }
    /// The end of a program.
    ending: EndingTuning {
        /// How soon after its output closes a program must begin to exit.
        exit_notice: Duration = ms(200),
        /// Further time for an exit that has begun.
        // The kernel has to free what the program held.
        exit: Duration = ms(700),
        /// How long a keeper may take to kill everything.
        reap_limit: Duration = ms(5000),
    }
    /// The launcher and the keepers.
    launcher: LauncherTuning {
        /// How often to reap keepers that have ended.
        reaping: Duration = ms(200),
        /// How long a keeper kills before giving up.
        kill_time: Duration = ms(3000),
        /// How long to wait for a killed plain program's descendants to end.
        group_kill_time: Duration = ms(200),
        /// Pause between two attempts to kill.
        kill_nap: Duration = us(50),
    }
    /// A program while others are asked.
    bystander: BystanderTuning {
        /// Time between two samples of a stopped program.
        interval: Duration = ms(10),
        /// Share of the time for these samples: 1 in this number.
        share: u32 = 4,
        /// Time between the first two samples of a program that may run on after its reply, which doubles.
        first_nap: Duration = us(100),
        /// The longest such time.
        longest_nap: Duration = ms(5),
    }
    /// The end of a program whose referee is held up.
    watchdog: WatchdogTuning {
        /// How often to check the deadlines.
        interval: Duration = ms(250),
        /// How long after its deadline a program is killed.
        patience: Duration = ms(1000),
    }
    /// Folders and control groups after a game.
    cleanup: CleanupTuning {
        /// How long to try to remove a folder, which processes that end may be filling.
        removal: Duration = ms(5000),
        /// Time for a control group's killed processes to end.
        group_empties: Duration = ms(1000),
    }
}
