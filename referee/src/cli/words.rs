//! The values that flags take for types of the library, each with its help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use contain::bot::Containment;
use report::history::ListFormat;
use report::suite::{GamesFormat, Order, SuiteFormat};
use report::{BasicFormat, Format};
use results::suite::Logs;
use rules::measure::Measure;
use terms::limits::{OnHostDelay, Profile};

/// A type whose values have names in flags.
pub(super) trait Word: Copy + PartialEq + Send + Sync + 'static {
    /// Each value, its name, and its help.
    const WORDS: &'static [(Self, &'static str, &'static str)];

    /// The value's name in a flag.
    fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words.find(|(value, ..)| *value == self).expect("each value has a name").1
    }

    /// The value of this name.
    fn named(name: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, word, _)| *word == name).map(|(value, ..)| *value)
    }
}

/// Parses a flag's word.
pub(super) fn word<W: Word>() -> impl TypedValueParser<Value = W> {
    let possible = W::WORDS.iter().map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(possible).map(|name| W::named(&name).expect("clap has checked it"))
}

/// The help of formats that several kinds of results have.
const FOR_PEOPLE: &str = "For people";
const FOR_PAGES: &str = "For pages such as GitHub's";

impl Word for Profile {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Official, "official", "The limits of the original referee"),
        (
            Self::SdkSoft,
            "sdk-soft",
            "The official limits, but an answer is awaited 50 ms longer and two late ones are forgiven in \
             a game, as in CodinGame's engine since 4.7.7",
        ),
        (Self::Relaxed, "relaxed", "The official limits times a factor, 4 unless configured"),
        (Self::Unlimited, "unlimited", "No limits, for a bot in a debugger"),
    ];
}

impl Word for Measure {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Points, "points", "The scores, as CodinGame adds them up"),
        (
            Self::Ratio,
            "ratio",
            "Yours/best (best/yours where lower scores are better) in percent, as TopCoder's marathons",
        ),
        (Self::Log, "log", "The logarithms of the scores: a difference of 1 is about 1 %"),
        (Self::Rank, "rank", "Who has the better score on the board, by however much"),
    ];
}

impl Word for OnHostDelay {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Fail, "fail", "It is a timeout, as in the original"),
        (Self::Accept, "accept", "The late answer counts"),
        (
            Self::Retry,
            "retry",
            "The game is played again when a core is free or 5 s have passed, twice at most",
        ),
    ];
}

impl Word for Containment {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Auto, "auto", "The first of the others that this host allows"),
        (Self::Namespace, "namespace", "A pid namespace: the kernel kills all that is in it"),
        (Self::Seccomp, "seccomp", "No process can leave the bot's process group, which is killed"),
        (Self::Plain, "plain", "An ordinary child: only its process group is killed"),
        (Self::Group, "group", "Another spelling of `plain`, until the next version"),
    ];
}

impl Word for BasicFormat {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Text, "text", FOR_PEOPLE),
        (Self::Json, "json", "For programs: one object on one line"),
    ];
}

impl Word for Format {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Text, "text", FOR_PEOPLE),
        (Self::Json, "json", "For programs: one value on one line"),
        (Self::Csv, "csv", "For spreadsheets: a row for each turn (timing) or board (compare)"),
        (Self::Markdown, "markdown", FOR_PAGES),
        (Self::Junit, "junit", "For CI: a late kind of turn or a bot that is worse is a failure"),
    ];
}

impl Word for ListFormat {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Text, "text", FOR_PEOPLE),
        (Self::Json, "json", "For programs: one array on one line"),
        (Self::Csv, "csv", "For spreadsheets: a row for each bot of each run"),
        (Self::Markdown, "markdown", FOR_PAGES),
    ];
}

impl Word for SuiteFormat {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Text, "text", FOR_PEOPLE),
        (Self::Json, "json", "For programs: one object on one line"),
        (
            Self::Jsonl,
            "jsonl",
            "For programs that follow a run: a line for each game as it ends, and a last one with the summary",
        ),
        (Self::Csv, "csv", "For spreadsheets: a row for each game"),
        (Self::Markdown, "markdown", FOR_PAGES),
        (Self::Junit, "junit", "For CI: a lost game is a failure"),
    ];
}

impl Word for GamesFormat {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Text, "text", FOR_PEOPLE),
        (Self::Json, "json", "For programs: one object on one line"),
        (Self::Csv, "csv", "For spreadsheets: a row for each game"),
        (Self::Markdown, "markdown", FOR_PAGES),
        (Self::Seeds, "seeds", "The seeds of the games, as `--seed` takes them"),
    ];
}

impl Word for Order {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Number, "number", "In the order of the plan"),
        (Self::Worst, "worst", "Lost games, then those with the lowest share of the best score"),
        (Self::Slowest, "slowest", "Games that came nearest to a limit"),
        (Self::Gain, "gain", "Games that gained most over the run of --against"),
    ];
}

impl Word for Logs {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::All, "all", "Every game"),
        (
            Self::Failed,
            "failed",
            "Lost games, each with a bundle: a folder with its board, log, input and standard error",
        ),
        (Self::None, "none", "No game; nor are there bundles"),
    ];
}
