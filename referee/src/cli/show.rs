//! `referee show`: the results of a run, and its games.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::compare::{Side, refuse_different_games};
use super::suite::add_values;
use super::words::{format, word};
use super::{Failure, completions, inputs, print, refuse};
use report::suite::{
    Order, Others, RunWithGames, ShownGame, SuiteReport, arrange, pair_key, points,
};
use report::{Format, Report as _};
use results::ratings::League;
use results::suite::{Bests, Outcome, Summary};

/// Show the results of a run, and its games in the order of your choice
///
/// For the terminal. `referee runs` finds runs, `status` shows the progress of one, and `report`
/// makes a page.
///
/// Only the run folder is read, so the bot can have changed. `--format seeds` prints the seeds of
/// the games for `--seed`, to play them again. Exit with 0 whatever the results of the games.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ShowArgs {
    /// A run made by `referee suite`: its folder, or `latest` and `latest~1`; RUN:BOT is one bot of
    /// it
    #[arg(value_name = "RUN", value_parser = NonEmptyStringValueParser::new(), default_value = "latest", add = completions::sides())]
    run: String,

    /// The order of the games
    #[arg(long, value_name = "ORDER", value_parser = word::<Order>(), default_value = "number")]
    sort: Order,

    /// Show only the games on this board, such as `0045` or `seed 7`
    #[arg(long, value_name = "NAME")]
    board: Option<String>,

    /// The number of games to show [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Compare each score with another run of one bot, on the same board
    ///
    /// In a game of several players, also from the same seat and with the same other bots.
    #[arg(long, value_name = "RUN", value_parser = NonEmptyStringValueParser::new(), required_if_eq("sort", "gain"), add = completions::sides())]
    against: Option<String>,

    /// Compare with the best scores in this file [default: the project's]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// The form of the games
    #[arg(long, value_parser = format(Format::OF_GAMES), default_value = "text")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  referee show latest --sort worst --limit 10
  referee show latest --sort gain --against latest~1
  referee suite --bot ./mybot --seed \"$(referee show latest --sort slowest --limit 10 --format seeds)\"";

pub(super) fn run(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let sides: Result<Vec<Side>, _> =
        [&args.run].into_iter().chain(&args.against).map(|run| Side::open(run)).collect();
    let sides = sides?;
    refuse_different_games(&sides)?;
    let side = &sides[0];
    let plan = &side.folder.run.plan;
    let others = args.against.as_deref().zip(sides.get(1)).map(|(run, side)| others(run, side));
    let others = others.transpose()?;
    let known = Bests::of(&plan.game, &inputs::records(args.records.as_deref())?);
    let (mut outcomes, bots) = (Vec::new(), side.bots());
    let mut summary = Summary::read(&side.folder, &known, |outcome| {
        outcomes.push(outcome);
        Ok::<_, Failure>(())
    })?;
    let mine = outcomes.into_iter().filter(|outcome| bots.contains(&outcome.bot.as_str()));
    let others = others.unwrap_or_default();
    let shown = |outcome: Outcome| {
        let best = summary.best(&outcome.record_id, &known);
        ShownGame::new(outcome, plan, best, &others)
    };
    let board = args.board.as_ref();
    let mine = mine.filter(|outcome| board.is_none_or(|board| *board == outcome.board));
    let mut games: Vec<ShownGame> = mine.map(shown).collect();
    if let Some(board) = board.filter(|_| games.is_empty()) {
        let number = board.parse::<u64>().ok();
        let names = (0..plan.boards()).map(|board| plan.board_name(board));
        let mut like = names.filter(|name| number.is_some() && name.parse().ok() == number);
        let problem = like.next().map_or_else(
            || "the table of `referee show` has the names of the boards".to_owned(),
            |name| format!("did you mean {name}?"),
        );
        return refuse(format!("--board: no game is on `{board}`; {problem}"));
    }
    arrange(&mut games, args.sort, plan.better, args.limit);
    if args.format == Format::Seeds && !games.is_empty() && !games.iter().any(ShownGame::has_seed) {
        return refuse(
            "--format seeds: the boards of this run do not come from seeds, nor are they cases with numbers as \
            names",
        );
    }
    add_values(&side.folder, &mut summary)?;
    let folder = &side.folder;
    let report = SuiteReport {
        summary,
        decision: None,
        league: League::of_runs(std::iter::once(folder))?,
        folder,
        is_kept: true,
        listed_in: None,
    };
    let shown = RunWithGames { report: &report, games: &games };
    print(|out| shown.write(args.format, out))
}

/// The scores of the one bot of another run.
fn others(run: &str, other: &Side) -> Result<Others, Failure> {
    let [bot] = other.bots()[..] else {
        let bots = other.bots().join("`, `");
        return refuse(format!("--against: name one of its bots, {run}:BOT: `{bots}`"));
    };
    let bot = bot.to_owned();
    let better = other.folder.run.plan.better;
    let mut scores = Others::new();
    for outcome in other.folder.outcomes()? {
        let outcome = outcome?;
        if let Some(points) = points(&outcome, better).filter(|_| outcome.bot == bot) {
            scores.insert(pair_key(&outcome), points);
        }
    }
    Ok(scores)
}
