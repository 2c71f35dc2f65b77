//! Shows the results of a suite.

mod data;
mod games;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

pub use self::data::write_game;
pub use self::games::{Order, Others, PairKey, RunWithGames, ShownGame, arrange, pair_key, points};
use super::advice::advice;
use super::document::{Document, Line, Part, Table, Tone};
use super::figures::{self, interval_digits, mean_digits, span, two_digits};
use super::format::Report;
use super::junit::Suites;
use super::rows::Rows;
use super::{metrics, ratings, stderr};
use results::compare::{Relation, Standing};
use results::ratings::League;
use results::suite::{Loss, NewBest, RunFolder, Summary, Tally};
use rules::game::judge::JudgeProgram;
use rules::measure::Measure;
use rules::score::{Direction, Score};
use statistics::{ConfidenceSequence, MIN_PAIRS, Risk};
use terms::text::{duration, plural};

/// The content of a report on a run.
#[derive(Debug)]
pub struct SuiteReport<'a> {
    /// The totals.
    pub summary: Summary,
    /// How the bot compares with its opponent, if it has one.
    pub decision: Option<Standing>,
    /// The ratings of the bots, if they have played each other.
    pub league: Option<League>,
    /// Where the games are.
    pub folder: &'a RunFolder,
    /// Whether they are kept.
    pub is_kept: bool,
    /// The folder of the runs that are listed, if this one is elsewhere.
    pub listed_in: Option<PathBuf>,
}

/// A row for each bot, then the decision, the losses and the new best scores.
impl Report for SuiteReport<'_> {
    fn document(&self) -> Document {
        let summary = &self.summary;
        let is_good = summary.lost() + summary.games_not_played() == 0;
        let tone = if is_good { Tone::Good } else { Tone::Bad };
        let mut document = Document::default();
        let accepted = match summary.bots.as_slice() {
            [Tally { won, games, .. }] if !self.contest_columns().is_empty() => {
                format!(": Accepted {won}/{games}")
            }
            _ => String::new(),
        };
        document.headline(Line::toned(tone, headline(summary), &accepted));
        match &self.league {
            Some(league) => ratings::add(&mut document, league),
            None => self.add_totals(&mut document),
        }
        if let Some(table) = metrics::table(&summary.bots) {
            document.table(table);
        }
        self.add_rest(&mut document);
        document
    }

    fn value(&self) -> impl Serialize {
        data::Totals::of(self)
    }

    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        data::rows(self).map(Some)
    }

    fn tests(&self) -> io::Result<Option<Suites>> {
        data::tests(self).map(Some)
    }

    fn last_line(&self) -> Option<impl Serialize> {
        Some(data::Line::Summary(data::Totals::of(self)))
    }
}

impl SuiteReport<'_> {
    /// The number of planned games without a result; 0 once the comparison is decided.
    fn missing(&self) -> usize {
        let is_decided = self.decision.as_ref().is_some_and(|found| found.bot_is.is_some());
        let known = self.summary.games() + self.summary.games_not_played();
        if is_decided { 0 } else { self.summary.planned().saturating_sub(known) }
    }

    /// Adds what each bot has by itself.
    fn add_totals(&self, document: &mut Document) {
        let summary = &self.summary;
        let measured = measured(self.folder.run.plan.measure());
        document.table(self.totals(measured.as_ref()));
        for tally in &summary.bots {
            if let Some(totals) = &tally.totals {
                document.sentence(figures::totals(&tally.bot, totals, Risk::Strict));
            }
        }
        ratings::add_out(document, &self.folder.run.out);
        if let Some(measured) = &measured {
            document.sentence(measured.explanation);
        }
        if !summary.better.is_higher() {
            let of_share = if self.has_share() { LOST_SHARE } else { "" };
            document.sentence(format!("{LOWER_IS_BETTER}{of_share}."));
        }
    }

    /// Adds the decision, the losses, the new best scores and the folder.
    fn add_rest(&self, document: &mut Document) {
        let summary = &self.summary;
        if let Some(decided) = decided(self) {
            document.sentence(Line::toned(Tone::Strong, decided, ""));
            for sentence in about_decision(self) {
                document.sentence(sentence);
            }
        }
        let heading = if summary.opponents > 0 { "failures" } else { "lost games" };
        document.list(heading, self.losses(&summary.losses, summary.lost()));
        for tally in summary.bots.iter().filter(|tally| tally.excused > 0) {
            document.sentence(excused(tally));
        }
        let all = summary.bots.iter().map(|tally| tally.not_played).sum();
        let not_played = self.losses(&summary.not_played, all);
        document.list("games not played", not_played);
        for advice in advice(summary.losses.iter().map(|loss| loss.why.as_str())) {
            document.sentence(advice);
        }
        document.list(NEW_BESTS, new_bests(summary));
        if self.is_kept {
            let listed = self.listed_in.as_ref().map(|folder| {
                format!("; `latest` and `referee runs` look in {}", folder.display())
            });
            let listed = listed.unwrap_or_default();
            let place = format!("The run is in {}{listed}.", self.folder.path.display());
            document.in_terminal(Part::Sentence(place.into()));
        }
    }

    fn has_share(&self) -> bool {
        self.summary.bots.iter().any(|tally| tally.ratio().is_some())
    }

    /// A row for each bot. Shares of the best known scores have a column if any is known, and times if games were timed.
    fn totals(&self, measured: Option<&Measured>) -> Table {
        let summary = &self.summary;
        let columns = HEADINGS - usize::from(!self.has_share());
        let more = || measured.map(|it| &it.column).into_iter().chain(self.contest_columns());
        let times = time_columns(summary);
        let headings: Vec<_> = headings(summary.better)
            .into_iter()
            .take(columns)
            .chain(more().map(|(heading, _)| *heading))
            .chain(times.iter().map(|(heading, _)| *heading))
            .collect();
        let rows = summary.bots.iter().enumerate().map(|(bot, tally)| {
            let times =
                times.iter().map(|(_, of)| of(summary, bot).map_or("-".to_owned(), duration));
            let more = more().map(|(_, of)| of(tally));
            row(tally).into_iter().take(columns).chain(more).chain(times).collect()
        });
        let out = self.folder.run.out.iter().map(|bot| ratings::out_row(bot, headings.len()));
        Table::new("Totals", &headings, rows.chain(out))
    }

    /// The columns that users of contests' tools know, in games that are judged by these.
    fn contest_columns(&self) -> &'static [Column] {
        let judge = self.folder.run.plan.judge.as_ref();
        let is_contest = judge.is_some_and(JudgeProgram::is_of_contest);
        match (is_contest, self.summary.bots.len()) {
            (false, _) => &[],
            (true, 1) => &CONTEST[..1],
            (true, _) => &CONTEST,
        }
    }

    /// The first kinds of losses, and the number of the others of `all`.
    fn losses(&self, losses: &[Loss], all: usize) -> Vec<Line> {
        let more = all - losses.iter().map(|loss| 1 + loss.alike).sum::<usize>();
        let place = if self.is_kept { ", in results.jsonl" } else { "" };
        let more = (more > 0).then(|| format!("and {more} more{place}").into());
        losses.iter().map(|lost| self.loss(lost)).chain(more).collect()
    }

    /// A loss, with the last line of the bot's standard error and the place of what was kept of the game.
    fn loss(&self, loss: &Loss) -> Line {
        let Loss { game, number, bot, board, why, alike, .. } = loss;
        let table = self.folder.run.plan.first_of_table(*game);
        let log = self.folder.kept_log(*game).ok().flatten();
        let log = log.map(|log| log.of_seat(game - table));
        let last = log.as_ref().and_then(stderr::last_line);
        let last =
            last.map(|line| format!("; its standard error ends: {line}")).unwrap_or_default();
        let kept = self.is_kept && log.is_some();
        let run = self.folder.path.display();
        let kept = if kept { format!("; see {run}:{number}") } else { String::new() };
        let more = plural(*alike as u64, "more game");
        let more = if *alike > 0 { format!(" (and {more} like it)") } else { String::new() };
        let text = format!("{bot} on {board}: {why}{last}{kept}{more}");
        Line::numbered("game ", number.to_string(), 6, text)
    }
}

/// The number of games that were played, and of those that were lost.
pub fn headline(summary: &Summary) -> String {
    let planned = plural(summary.planned() as u64, "game");
    let played = match summary.games() {
        games if games == summary.planned() => planned,
        games => format!("{games} of {planned}"),
    };
    let not_played = match summary.games_not_played() {
        0 => String::new(),
        count => format!(", {count} not played"),
    };
    let to_host = match summary.lost_to_host() {
        0 => String::new(),
        all if all == summary.lost() => " to the host".to_owned(),
        some => format!(" ({some} to the host)"),
    };
    let lost = lost(std::slice::from_ref(summary));
    format!("{played} of {}, {lost}{to_host}{not_played}", summary.game)
}

/// The number of lost games. In a game of several players somebody is always last, so there it is the number of failures.
pub(super) fn lost(summaries: &[Summary]) -> String {
    let lost = summaries.iter().map(Summary::lost).sum::<usize>();
    if summaries.iter().any(|summary| summary.opponents > 0) {
        return plural(lost as u64, "failure");
    }
    format!("{lost} lost")
}

/// The replies of a bot that came after their limit and count.
fn excused(Tally { bot, excused, .. }: &Tally) -> String {
    format!(
        "{bot} won {} with a reply after its limit, which counts since the referee or the host was late; such a game sets no record.",
        plural(*excused as u64, "game")
    )
}

/// The first boards whose best known score has been beaten, and the number of all.
pub(super) fn new_bests(summary: &Summary) -> impl Iterator<Item = Line> {
    let new = &summary.new_bests;
    let more = new.len().saturating_sub(SHOWN_BESTS);
    let boards = plural(summary.boards() as u64, "board");
    let all = format!("and {more} more: {} of {boards}; `--format json` lists all", new.len());
    new.iter().take(SHOWN_BESTS).map(new_best).chain((more > 0).then(|| all.into()))
}

fn new_best(NewBest { board, bot, score, before, by }: &NewBest) -> Line {
    Line::toned(Tone::Good, board, format!(": {score} by {bot}, before {before} by {by}"))
}

/// The mean difference and its interval, such as `+12.3 points a board (+2.1 to +22.5)`.
pub fn interval(standing: &Standing) -> String {
    let Standing { mean, interval, decimals, .. } = *standing;
    let digits = interval_digits(decimals, interval);
    let interval = interval.map(|interval| format!(" ({})", span(interval, digits)));
    let unit = standing.measure.unit(standing.better);
    format!("{mean:+.digits$} {unit}{}", interval.unwrap_or_default())
}

/// The decision in words.
fn decided(report: &SuiteReport<'_>) -> Option<String> {
    let standing = report.decision.as_ref()?;
    let Standing { bot_is, boards, margin, .. } = standing;
    let opponent = opponent(report, standing);
    let boards = plural(*boards as u64, "board");
    let digits = interval_digits(standing.decimals, standing.interval);
    let bot = report.summary.bots.first().map_or("", |tally| &tally.bot);
    let found = match bot_is {
        Some(Relation::Better) => format!("{bot} is better than {opponent}"),
        Some(Relation::Worse) => format!("{bot} is worse than {opponent}"),
        Some(Relation::Even) => {
            let unit = if standing.measure.is_points() { "points" } else { "%" };
            format!("{bot} and {opponent} are even within {margin:.digits$} {unit}")
        }
        None => format!("not decided yet: {bot} against {opponent}"),
    };
    let more = if bot_is.is_none() { how_to_go_on(standing) } else { String::new() };
    Some(format!("{found}: {} on {boards}{more}", interval(standing)))
}

/// The name of the opponent, with the comment on its run, or its folder, if the bot has the same name.
fn opponent(report: &SuiteReport<'_>, Standing { opponent, .. }: &Standing) -> String {
    let is_bots = report.summary.bots.iter().any(|tally| tally.bot == *opponent);
    // Without a run of its own it plays in this one.
    let elsewhere = report.folder.run.against.as_ref().filter(|it| !it.run.as_os_str().is_empty());
    let Some(against) = elsewhere.filter(|_| is_bots) else {
        return opponent.clone();
    };
    let comment = RunFolder::open(&against.run).ok().and_then(|run| run.comment());
    let folder = || against.run.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{opponent} ({})", comment.unwrap_or_else(folder))
}

/// What belongs to a decision: the lost games, and why the mean is too large.
fn about_decision(report: &SuiteReport<'_>) -> Vec<String> {
    let Some(standing) = &report.decision else { return Vec::new() };
    let bot = report.summary.bots.first().map_or("", |tally| &tally.bot);
    let (lost, boards) = (&standing.lost, standing.boards);
    let is_of_several = report.summary.opponents > 0;
    let lost = figures::lost(lost, [bot, &opponent(report, standing)], boards, is_of_several);
    let is_apart = matches!(standing.bot_is, Some(Relation::Better | Relation::Worse));
    let too_large = is_apart.then(|| {
        "A run stops where the mean happens to be large, so this one is too large on average."
            .to_owned()
    });
    let is_open = standing.bot_is.is_none();
    let once = is_open.then(|| {
        format!(
            "This rule checks after every board. `referee compare` checks once, on at least {MIN_PAIRS} boards that were chosen \
             beforehand, and may find a difference on these already."
        )
    });
    [lost].into_iter().chain(too_large).chain(once).collect()
}

/// How many more boards would decide the comparison.
fn how_to_go_on(standing: &Standing) -> String {
    let fewest = ConfidenceSequence::MIN_BOARDS;
    let fewest = if standing.boards < fewest {
        format!("; a decision takes at least {fewest}")
    } else {
        String::new()
    };
    let more_than_fewest =
        standing.boards_to_decide.filter(|&boards| boards > ConfidenceSequence::MIN_BOARDS as u64);
    let enough = match more_than_fewest {
        Some(boards) => format!("; about {boards} would decide"),
        None => String::new(),
    };
    format!("{fewest}{enough}. Play both bots on more boards to go on")
}

/// The heading of the list of [`new_bests`].
pub(super) const NEW_BESTS: &str = "better than the best known";

/// The most boards in that list.
const SHOWN_BESTS: usize = 5;

/// What sums and means hold in a game whose lower scores are better.
const LOWER_IS_BETTER: &str = "Lower is better: sum and mean leave out lost games";

/// What the share of the best holds there.
const LOST_SHARE: &str = ", and best/yours counts a lost one as 0";

/// A heading of the table, and what its column shows of a bot.
type Column = (&'static str, fn(&Tally) -> String);

/// A heading of a column of times, and a bot's time, by index.
type TimeColumn = (&'static str, fn(&Summary, usize) -> Option<Duration>);

/// The columns of times: the slowest turn or, where a game is one answer, the mean and the longest time of an answer.
fn time_columns(summary: &Summary) -> &'static [TimeColumn] {
    const TURNS: &[TimeColumn] = &[("slowest turn", |summary, bot| Some(summary.slowest(bot)?.0))];
    const ANSWERS: &[TimeColumn] = &[
        ("mean time", Summary::mean_first),
        ("longest", |summary, bot| Some(summary.slowest(bot)?.0)),
    ];
    let is_timed = (0..summary.bots.len()).any(|bot| summary.slowest(bot).is_some());
    match (is_timed, summary.has_turns()) {
        (false, _) => &[],
        (true, true) => TURNS,
        (true, false) => ANSWERS,
    }
}

/// A measure that has a column of its own.
pub(super) struct Measured {
    pub(super) column: Column,
    pub(super) explanation: &'static str,
}

/// The column of a measure; `None` for points and ratios, which every table has.
pub(super) fn measured(measure: Measure) -> Option<Measured> {
    let value: fn(&Tally) -> String =
        |tally| tally.value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let (heading, explanation) = match measure {
        Measure::Points | Measure::Ratio => return None,
        Measure::Log => (
            "log",
            "log: the mean of 100 times the natural logarithm of the score, so that a difference of 1 is about 1 %. A lost game is \
             as far beyond the worst score as that is from the best.",
        ),
        Measure::Rank => (
            "rank",
            "rank: the share of the other bots' games on the board that a game beats, in percent; an equal one counts half.",
        ),
        Measure::Place => (
            "place",
            "place: the mean place in percent: 100 for the first alone, 0 for the last alone.",
        ),
    };
    let value = if measure == Measure::Place { place } else { value };
    Some(Measured { column: (heading, value), explanation })
}

/// The columns of contests; all but the first are for several bots.
const CONTEST: [Column; 3] = [
    ("mean log10", |tally| tally.mean_log10.map_or("-".to_owned(), |mean| format!("{mean:.4}"))),
    ("bests", |tally| tally.bests.to_string()),
    ("uniques", |tally| tally.uniques.to_string()),
];

/// The number of headings of the table of bots; the last one is the share of the best known scores.
const HEADINGS: usize = 7;

/// The headings of the table of bots.
pub(super) fn headings(better: Direction) -> [&'static str; HEADINGS] {
    ["bot", "games", "won", "lost", "sum", "mean", better.share_name()]
}

pub(super) fn row(tally: &Tally) -> Vec<String> {
    vec![
        tally.bot.clone(),
        tally.games.to_string(),
        tally.won.to_string(),
        tally.lost.to_string(),
        sum(tally),
        mean(tally),
        tally.ratio().map_or("-".to_owned(), share),
    ]
}

/// The sum of a bot's scores, or `-` if it has games and none of them counts.
pub fn sum(tally: &Tally) -> String {
    if tally.sum.is_at_limit() {
        return if tally.sum > Score::ZERO { "> 7.9e28" } else { "< -7.9e28" }.to_owned();
    }
    let has_none = tally.games > 0 && tally.mean().is_none();
    if has_none { "-".to_owned() } else { tally.sum.to_string() }
}

/// The mean of a bot's scores, or `-` without one.
pub fn mean(tally: &Tally) -> String {
    tally.mean().map_or("-".to_owned(), |mean| {
        let digits = mean_digits(tally.sum.decimals()).max(two_digits(mean));
        format!("{mean:.digits$}")
    })
}

/// The mean place of a bot, such as `87.5 %`, or `-` without one.
pub fn place(tally: &Tally) -> String {
    tally.place.map_or("-".to_owned(), figures::place)
}

/// Yours/best for people, such as `96.49 %`.
pub fn share(ratio: f64) -> String {
    format!("{} %", figures::in_percent(ratio, 2))
}
