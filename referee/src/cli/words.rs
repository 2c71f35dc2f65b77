//! The values that flags take for types of the library, each with its help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use contain::bot::Containment;
use report::Format;
use report::suite::Order;
use rules::measure::Measure;
use terms::limits::{OnHostDelay, Profile};

/// A value, its name in a flag, and its help.
type Row<W> = (W, &'static str, &'static str);

/// A type whose values have names in flags.
pub(super) trait FlagValue: Copy + Send + Sync + 'static {
    const WORDS: &'static [Row<Self>];
}

/// Parses a flag's word.
pub(super) fn word<W: FlagValue>() -> impl TypedValueParser<Value = W> {
    one_of(W::WORDS)
}

/// Parses one of these words.
pub(super) fn one_of<W>(
    rows: impl IntoIterator<Item = &'static Row<W>>,
) -> impl TypedValueParser<Value = W>
where
    W: Copy + Send + Sync + 'static,
{
    let rows: Vec<&Row<W>> = rows.into_iter().collect();
    let possible = rows.iter().map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(possible).map(move |name| {
        let row = rows.iter().find(|(_, word, _)| *word == name);
        row.expect("clap has checked it").0
    })
}

/// Parses one of these formats.
pub(super) fn format(formats: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    one_of(FORMATS.iter().filter(|(format, ..)| formats.contains(format)))
}

const FORMATS: &[Row<Format>] = &[
    (Format::Text, "text", "For people"),
    (Format::Json, "json", "For programs: one value on one line"),
    (
        Format::Jsonl,
        "jsonl",
        "For programs that follow a run: a line for each finished game, then the summary",
    ),
    (Format::Csv, "csv", "For spreadsheets: a row for each game, turn, board, or bot"),
    (Format::Markdown, "markdown", "For pages such as GitHub's"),
    (
        Format::Junit,
        "junit",
        "For CI: a lost game, a late kind of turn or a bot that is worse is a failure",
    ),
    (Format::Seeds, "seeds", "The seeds of the games, for `--seed`"),
];

impl FlagValue for Profile {
    const WORDS: &'static [Row<Self>] = &[
        (Self::Official, "official", "The limits of the original referee"),
        (
            Self::SdkSoft,
            "sdk-soft",
            "The official limits and 50 ms more, with two late answers forgiven per game, as in CodinGame's \
             engine since 4.7",
        ),
        (Self::Relaxed, "relaxed", "The official limits times a factor, 4 unless configured"),
        (Self::Unlimited, "unlimited", "No limits, for a bot in a debugger"),
    ];
}

impl FlagValue for Measure {
    const WORDS: &'static [Row<Self>] = &[
        (Self::Points, "points", "The scores, as CodinGame adds them up"),
        (
            Self::Ratio,
            "ratio",
            "Yours/best (best/yours where lower scores are better) in percent, as TopCoder's marathons",
        ),
        (Self::Log, "log", "The logarithms of the scores: a difference of 1 is about 1 %"),
        (Self::Rank, "rank", "The better score on each board, regardless of the margin"),
        (Self::Place, "place", "The place in a game of several players, in percent"),
    ];
}

impl FlagValue for OnHostDelay {
    const WORDS: &'static [Row<Self>] = &[
        (Self::Fail, "fail", "It is a timeout, as in the original"),
        (Self::Accept, "accept", "The late answer counts"),
        (
            Self::Retry,
            "retry",
            "The game is repeated when a core is free or after 5 s, at most twice",
        ),
    ];
}

impl FlagValue for Containment {
    const WORDS: &'static [Row<Self>] = &[
        (Self::Auto, "auto", "The first of the others that this host allows"),
        (Self::Namespace, "namespace", "A pid namespace: the kernel kills everything in it"),
        (Self::Seccomp, "seccomp", "No process can leave the bot's process group, which is killed"),
        (
            Self::Plain,
            "plain",
            "An ordinary child process, like a judge: only its process group is killed",
        ),
    ];
}

impl FlagValue for Order {
    const WORDS: &'static [Row<Self>] = &[
        (Self::Number, "number", "In the order of the plan"),
        (Self::Worst, "worst", "Lost games, then those with the lowest share of the best score"),
        (Self::Slowest, "slowest", "Games nearest to a limit"),
        (Self::Gain, "gain", "Games that gained most over the run of --against"),
    ];
}
