//! `referee timing`: whether a bot keeps its deadlines, and by what margin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use indicatif::ProgressBar;

use super::bars::bar;
use super::board_files::{self, BoardFile};
use super::inputs::{self, NamedBot};
use super::shared::{BotFlags, ContainmentFlag, RuleFlags};
use super::signals::signal;
use super::words::format;
use super::{Failure, completions, exit, interrupt, print, refuse};
use engine::config::{Config, Limit, SeedRange};
use engine::play::{Match, PlayError};
use engine::timing::Measured;
use report::timing::{BotTiming, TimingReport};
use report::{Format, Report as _};
use results::host::HostCheck;
use results::timing::{Analysis, Thresholds};
use rules::game::{GameKind, SeedOptions};
use terms::millis::Millis;
use terms::seed::Seed;

/// Measure whether a bot keeps its deadlines, and by what margin
///
/// Play games and report the times of first and later turns, the margin to the limits, late turns
/// with their culprits, the slowest turns, and the risk for a submission. A late turn does not end
/// a game here: the referee waits beyond the limit, up to --patience. Exit with 1 if the bot itself
/// was late or lost a game. Ctrl-C ends the measurement, and reports the turns so far. Several
/// --bot play in turn on each board, and are shown side by side. With several players, a bot has all
/// seats of its games.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TimingArgs {
    #[command(flatten)]
    bot: BotFlags,

    #[command(flatten)]
    rules: RuleFlags,

    #[command(flatten)]
    containment: ContainmentFlag,

    /// Boards: files, folders of them, or patterns (repeatable) [default: random boards of seeds 1
    /// to 5, or the first 5 cases of the game]
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "seed", add = completions::boards())]
    board: Vec<PathBuf>,

    /// Seeds of random boards: a seed, or a range A..B with both ends included
    #[arg(long, value_name = "N|A..B", allow_hyphen_values = true)]
    seed: Option<SeedRange>,

    /// The number of games, on all boards in turn [default: each board once]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    games: Option<u32>,

    /// The time to wait for an answer beyond its limit
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, default_value = "1s")]
    patience: Limit,

    /// Scale times by this factor, for a judge slower than this machine
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true, default_value = "1", value_parser = scale)]
    scale: f64,

    /// The form of the result
    #[arg(long, value_parser = format(Format::OF_FIGURES), default_value = "text")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  referee timing --bot ./mybot
  referee timing --bot ./old --bot ./new
  referee timing --bot ./mybot --seed 1..40 --scale 1.5
  referee timing --bot ./mybot --pin --format csv > turns.csv";

/// The seeds of the default boards.
const SEEDS: SeedRange = SeedRange { first: Seed::of(1), last: Seed::of(5) };

/// The number of cases of a game whose seeds are not random boards.
const CASES: usize = 5;

/// The most games whose turns are kept in memory.
const MAX_GAMES: usize = 1_000_000;

pub(super) fn run(args: &TimingArgs) -> Result<ExitCode, Failure> {
    let mut config = args.rules.resolve(None, args.containment.containment)?;
    let patience = Some(args.patience.0);
    config.rules.overruns.patience = patience;
    let thresholds = thresholds(&config, args.scale);
    let host = check_host(&config)?;
    let bots = args.bot.resolve_all(&config)?;
    let mut boards = boards(&args.board, &config.game)?;
    if args.seed.is_none() && config.game.seeds_choose_cases && boards.is_empty() {
        boards = first_cases(args, &config.game);
    }
    let planned = planned(args, boards.len(), bots.len())?;
    if boards.is_empty() {
        boards = seeded(args, &config.game, planned)?;
    }
    let (measured, signal) = measure(planned, &config, &bots, &boards)?;
    let played: usize = measured.iter().map(|measured| measured.games).sum();
    let times = |(bot, measured): (NamedBot, Measured)| BotTiming {
        bot: bot.name,
        game: config.game.name.clone(),
        profile: config.rules.profile.name(),
        patience: patience.map(Millis),
        planned,
        analysis: Analysis::of(&measured.turns, measured.games, &thresholds),
        turns: measured.turns,
        lost: measured.lost,
    };
    let all_planned = planned * bots.len();
    let measured = bots.into_iter().zip(measured).map(times).collect();
    let report = TimingReport { measured, thresholds, host };
    print(|out| report.write(args.format, out))?;
    if let Some(signal) = signal {
        let game = played + 1;
        let kept = format!(" in game {game} of {all_planned}; the report is of what was measured");
        return Err(Failure::Interrupted { signal, kept });
    }
    Ok(exit::code(report.passes()))
}

fn scale(text: &str) -> Result<f64, String> {
    let factor = text.trim().parse().ok().filter(|factor| (0.01..=100.0).contains(factor));
    factor.ok_or_else(|| format!("`{text}` is not a number from 0.01 to 100, such as 1.5"))
}

/// The thresholds for measured times by these settings.
pub(super) fn thresholds(config: &Config, scale: f64) -> Thresholds {
    Thresholds {
        limits: config.rules.limits,
        scale,
        relaxed: config.relaxed_factor,
        soft: config.sdk_soft,
    }
}

pub(super) fn check_host(config: &Config) -> Result<HostCheck, Failure> {
    let (work, millis) = (Duration::from_millis(50), "50");
    let bot = |words: &[&str]| {
        let words = words.iter().map(Into::into).collect();
        inputs::bot_command(words, None, BTreeMap::default(), config.confinement(None)?)
    };
    let (echo, worker) = (bot(&["@echo"])?, bot(&["@thinker", "--compute", millis])?);
    engine::host::check_host(&echo, &worker, work)
        .context("the host check failed")
        .map_err(Failure::Referee)
}

/// A name and a test case.
type NamedCase = (String, String);

/// The number of games of each bot on this many boards, or on the seeds' boards.
fn planned(args: &TimingArgs, boards: usize, bots: usize) -> Result<usize, Failure> {
    let SeedRange { first, last } = args.seed.unwrap_or(SEEDS);
    let seeds = first.count_to(last);
    let boards = if boards == 0 { seeds } else { boards };
    let games = args.games.map_or(boards, |games| games as usize);
    if games.saturating_mul(bots) > MAX_GAMES {
        let problem = format!(
            "these are {games} games of each bot; choose at most {} with --games",
            MAX_GAMES / bots
        );
        return refuse(problem);
    }
    Ok(games)
}

/// The boards that these words name.
fn boards(words: &[PathBuf], kind: &GameKind) -> Result<Vec<NamedCase>, Failure> {
    let board = |BoardFile { path, test_case }| Ok((path.display().to_string(), test_case?));
    board_files::read(kind, words, Path::new(""))?.into_iter().map(board).collect()
}

/// The first bundled cases, one for each game to play.
fn first_cases(args: &TimingArgs, kind: &GameKind) -> Vec<NamedCase> {
    let games = args.games.map_or(CASES, |games| games as usize);
    kind.bundled.iter().take(games).cloned().collect()
}

/// The boards of the seeds, as many as there are games.
fn seeded(args: &TimingArgs, kind: &GameKind, games: usize) -> Result<Vec<NamedCase>, Failure> {
    let seeds = args.seed.unwrap_or(SEEDS);
    let case = |seed| {
        Ok((format!("seed {seed}"), inputs::seeded_case(kind, seed, SeedOptions::default())?))
    };
    seeds.seeds().take(games).map(case).collect()
}

/// Plays the games, all bots on a board before the next board; if a signal stops this, returns the turns so far, and the
/// signal.
fn measure(
    games: usize,
    config: &Config,
    bots: &[NamedBot],
    boards: &[NamedCase],
) -> Result<(Vec<Measured>, Option<i32>), Failure> {
    let interrupt = interrupt()?;
    let progress = bar(games * bots.len(), "{eta} left").unwrap_or_else(ProgressBar::hidden);
    let mut measured: Vec<Measured> = bots.iter().map(|_| Measured::default()).collect();
    for (board, case) in boards.iter().cycle().take(games) {
        for (index, bot) in bots.iter().enumerate() {
            let game = Match::new(&config.game, case, &bot.command)
                .board(board)
                .bot(&bot.name)
                .rules(config.rules)
                .canceller(&interrupt);
            match measured[index].play(&game) {
                Err(PlayError::Cancelled { by, .. }) => {
                    let signal = signal(by);
                    progress.finish_and_clear();
                    if measured.iter().all(|measured| measured.turns.is_empty()) {
                        let kept = " before the first turn was measured".to_owned();
                        return Err(Failure::Interrupted { signal, kept });
                    }
                    return Ok((measured, Some(signal)));
                }
                played => drop(played?),
            }
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    Ok((measured, None))
}
