//! The opponent of `--against`.

use std::path::PathBuf;

use super::boards::BoardsFlags;
use crate::cli::compare::Side;
use crate::cli::{Failure, refuse};
use engine::config::Config;
use results::suite::{Margin, Opponent, Plan};
use rules::game::judge::JudgeProgram;
use rules::measure::Measure;
use statistics::{ConfidenceSequence, MIN_PAIRS, Risk};

/// Finds the opponent, a run or in a game of several players the second bot, and has the boards played in random order: the
/// opponent's, unless others are named.
pub(super) fn find(
    text: &str,
    boards: &BoardsFlags,
    config: &Config,
    plan: &mut Plan,
) -> Result<Opponent, Failure> {
    // Any random order will do; the plan stores it.
    plan.shuffle = Some(jiff::Timestamp::now().subsec_nanosecond().unsigned_abs());
    let is_bot = plan.bots[plan.entrants()].iter().any(|bot| bot.name == text);
    let opponent =
        if plan.players() > 1 && is_bot { rival(text, plan)? } else { of_run(text, boards, plan)? };
    let suite = &config.project.suite;
    Ok(Opponent {
        margin: suite.margin.unwrap_or_default(),
        risk: suite.risk.unwrap_or_default(),
        ..opponent
    })
}

fn of_run(run: &str, boards: &BoardsFlags, plan: &mut Plan) -> Result<Opponent, Failure> {
    let side = Side::open(run)?;
    let theirs = &side.folder.run.plan;
    let [bot] = side.bots()[..] else {
        let bots = side.bots().join("`, `");
        return refuse(format!("--against: name one of its bots, {run}:BOT: `{bots}`"));
    };
    if plan.entrants().len() > 1 {
        return refuse("--against: only one --bot can be decided on");
    }
    refuse_other_game("--against", run, theirs, &plan.game)?;
    check_alike("--against", run, plan, theirs)?;
    if let Some(difference) = plan.seating_difference(theirs) {
        return refuse(format!("--against: {run} cannot be compared, since {difference}"));
    }
    if !boards.is_given() {
        plan.boards.clone_from(&theirs.boards);
        plan.seeds.clone_from(&theirs.seeds);
    }
    warn_of_few_boards(plan.boards());
    let measure = plan.measure();
    if measure == Measure::Log {
        let opponent = side.contenders(&[])?.remove(0);
        opponent.measured_in(measure).check_scores()?;
    }
    let folder = std::path::absolute(&side.folder.path).map_err(Failure::user)?;
    Ok(Opponent {
        run: folder,
        bot: bot.to_owned(),
        margin: Margin::default(),
        risk: Risk::default(),
        measure,
    })
}

/// Refuses a run of another game.
pub(super) fn refuse_other_game(
    flag: &str,
    run: &str,
    theirs: &Plan,
    game: &str,
) -> Result<(), Failure> {
    if theirs.game == game {
        return Ok(());
    }
    refuse(format!("{flag}: {run} is of {0}; add --game {0}", theirs.game))
}

/// Refuses a run of the same game whose scores mean something else, and says how its rules differ.
pub(super) fn check_alike(
    flag: &str,
    run: &str,
    plan: &Plan,
    theirs: &Plan,
) -> Result<(), Failure> {
    if plan.better != theirs.better {
        let problem = "disagrees with the settings on which scores are better";
        return refuse(format!("{flag}: {run} {problem}"));
    }
    if !JudgeProgram::are_alike(plan.judge.as_ref(), theirs.judge.as_ref()) {
        return refuse(format!("{flag}: {run} was played with another judge"));
    }
    let differences = theirs.rules.differences(&plan.rules);
    if !differences.is_empty() {
        log::warn!(
            "{run} was played under different rules, which may change scores: {}",
            differences.join("; ")
        );
    }
    Ok(())
}

/// Says beforehand that so few boards decide nothing.
fn warn_of_few_boards(boards: usize) {
    let fewest = ConfidenceSequence::MIN_BOARDS;
    if boards < fewest {
        log::warn!(
            "--against decides on {fewest} boards or more, and these are {boards}: they are all played, and then `referee compare` \
             compares {MIN_PAIRS} or more"
        );
    }
}

/// The other bot of the same run.
fn rival(name: &str, plan: &Plan) -> Result<Opponent, Failure> {
    let [_, other] = &plan.bots[plan.entrants()] else {
        return refuse(format!("--against {name}: name two bots with --bot"));
    };
    if other.name != name {
        let problem = "is the first --bot; name the second one, which it is compared with";
        return refuse(format!("--against: {name} {problem}"));
    }
    let measure = plan.measure();
    if measure != Measure::Place {
        return refuse(format!("--against {name} compares places; leave out --score"));
    }
    warn_of_few_boards(plan.boards());
    let (margin, risk) = (Margin::default(), Risk::default());
    Ok(Opponent { run: PathBuf::new(), bot: other.name.clone(), margin, risk, measure })
}
