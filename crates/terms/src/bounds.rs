//! Every bound on what outside programs, bots and judges alike, make the referee hold. Sizes are in bytes.
//!
//! Settings replace a few of them, as their comments say. [`limits`](crate::limits) has a bot's time limits, and `TUNING` of the
//! crate `contain` all other durations.

/// The capacity of a pipe of Linux. A game whose tester starts the bot holds no more each way, as if the two had one pipe:
/// otherwise a bot that writes without reading would not block here, and would on the contest's site.
pub const PIPE: usize = 64 << 10;

/// The parts of [`PIPE`] in such a game, in their order for what the tester writes: its pipe, what the referee has read of it,
/// what it has begun to pass on, and the bot's pipe. For what the bot writes, the two in the middle are one.
pub const PIPE_PART: usize = PIPE / 4;

/// What a bot's reply may hold; the default of `turn-output`.
pub const TURN_OUTPUT: u64 = 16 << 20;

/// What all replies of a game may hold together; the default of `game-output`.
pub const GAME_OUTPUT: u64 = 64 << 20;

/// Standard error of a bot that is kept for each turn; the default of `stderr-cap`.
pub const TURN_STDERR: usize = 64 << 10;

/// Standard error of a bot that is kept of a game; the default of `game-stderr`.
pub const GAME_STDERR: u64 = 16 << 20;

/// Standard output of a bot that is kept after its last reply.
pub const LATE_OUTPUT: usize = 4 << 10;

/// A log that may be read. `log-size` in the settings makes smaller ones.
pub const LOG: u64 = 128 << 20;

/// A line of a bot's standard error that may report values about itself, the names in it, and a name and a value.
pub const METRIC_LINE: usize = 1 << 10;
/// See [`METRIC_LINE`].
pub const METRIC_NAMES: usize = 32;
/// See [`METRIC_LINE`].
pub const METRIC_NAME: usize = 32;
/// See [`METRIC_LINE`].
pub const METRIC_VALUE: usize = 64;

/// A reply to a judge, unless it lasts until the end of the output; the default of `answer-limit`, and what CodinGame's runner reads.
pub const ANSWER: usize = 10_000;

/// What a judge may write in one step. The engine of CodinGame's SDK stops at 1 MiB of pictures in a game.
pub const JUDGE_STEP: u64 = 16 << 20;

/// Lines of a question or a block of a judge.
pub const JUDGE_LINES: u32 = 1 << 20;

/// Questions that a judge may ask in a game.
pub const JUDGE_QUESTIONS: u32 = 100_000;

/// Questions that a judge may ask a bot that gave no reply.
pub const UNANSWERED: u32 = 100_000;

/// Frames that a judge may show in a game, with and without a question. The engine of CodinGame's SDK stops at 1 MiB of
/// pictures, of 20 bytes a frame at least.
pub const JUDGE_FRAMES: u32 = 60_000;

/// What a tester may write to its bot in a game. All of it is part of the log.
pub const TESTER_INPUT: usize = 64 << 20;

/// Standard output of a scorer or tester that is searched for the score: its beginning and its end.
pub const PRINTED_HEAD: usize = 256 << 10;
/// See [`PRINTED_HEAD`].
pub const PRINTED_TAIL: usize = 512 << 10;

/// The same of a judge's standard error, where a runtime explains itself first.
pub const JUDGE_STDERR_HEAD: usize = 16 << 10;
/// See [`JUDGE_STDERR_HEAD`].
pub const JUDGE_STDERR_TAIL: usize = 4 << 10;

/// A judge's standard error that is read after its last step.
pub const JUDGE_LAST_STDERR: usize = 64 << 10;

/// Last lines of a judge's standard error that are shown.
pub const SHOWN_LINES: usize = 12;

/// Last lines of what a scorer or tester has printed that become the game's summary.
pub const SUMMARY_LINES: usize = 100;

/// Characters of a line that a judge has written, where it is kept or shown.
pub const JUDGE_LINE: usize = 300;

/// Characters of a judge's words for the end of a game, which are part of each result.
pub const OFFICIAL: usize = 2_000;

/// Pictures that a judge may draw in a game.
pub const PICTURES: usize = 8;

/// One such picture.
pub const PICTURE: u64 = 16 << 20;
