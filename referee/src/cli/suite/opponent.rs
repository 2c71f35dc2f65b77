//! The opponent of `--against`.

use std::path::PathBuf;

use anyhow::anyhow;

use super::SuiteArgs;
use crate::cli::Failure;
use crate::cli::compare::Side;
use results::suite::{Opponent, Plan};
use rules::game::judge::JudgeProgram;
use rules::measure::Measure;
use statistics::{ConfidenceSequence, MIN_PAIRS};

/// Finds the opponent, and puts its boards into the plan unless other boards are named.
pub(super) fn find(run: &str, args: &SuiteArgs, plan: &mut Plan) -> Result<Opponent, Failure> {
    let side = Side::open(run)?;
    let theirs = &side.folder.run.plan;
    let [bot] = side.bots()[..] else {
        let bots = side.bots().join("`, `");
        return Err(Failure::user(anyhow!("--against: name one of its bots, {run}:BOT: `{bots}`")));
    };
    if plan.entrants().len() > 1 {
        return Err(Failure::user(anyhow!("--against: only one --bot can be decided on")));
    }
    if plan.game != theirs.game {
        return Err(Failure::user(anyhow!("--against: {run} is of {}", theirs.game)));
    }
    if plan.better != theirs.better {
        let problem = "disagrees with the settings on which scores are better";
        return Err(Failure::user(anyhow!("--against: {run} {problem}")));
    }
    if !JudgeProgram::are_alike(plan.judge.as_ref(), theirs.judge.as_ref()) {
        return Err(Failure::user(anyhow!("--against: {run} was played with another judge")));
    }
    if let Some(difference) = plan.seating_difference(theirs) {
        let problem = format!("--against: {run} cannot be compared, since {difference}");
        return Err(Failure::user(anyhow!(problem)));
    }
    let differences = theirs.rules.differences(&plan.rules);
    if !differences.is_empty() {
        log::warn!(
            "{run} was played under different rules, which may change scores: {}",
            differences.join("; ")
        );
    }
    if !args.boards.is_given() {
        plan.boards.clone_from(&theirs.boards);
        plan.seeds.clone_from(&theirs.seeds);
    }
    warn_of_few_boards("--against", plan.boards());
    let measure = plan.measure();
    if measure == Measure::Log {
        let opponent = side.contenders(&[])?.remove(0);
        opponent.measured_in(measure).check_scores()?;
    }
    let folder = std::path::absolute(&side.folder.path).map_err(Failure::user)?;
    Ok(Opponent {
        run: folder,
        bot: bot.to_owned(),
        margin: args.margin.unwrap_or_default(),
        risk: args.risk.unwrap_or_default(),
        measure,
    })
}

/// Says beforehand that so few boards decide nothing.
fn warn_of_few_boards(flag: &str, boards: usize) {
    let fewest = ConfidenceSequence::MIN_BOARDS;
    if boards < fewest {
        log::warn!(
            "{flag} decides on {fewest} boards or more, and these are {boards}: they are all played, and then `referee compare` \
             compares {MIN_PAIRS} or more"
        );
    }
}

/// The opponent of `--until-decided`: the second bot of the same run.
pub(super) fn rival(args: &SuiteArgs, plan: &Plan) -> Result<Opponent, Failure> {
    if plan.players() == 1 {
        let problem =
            "--until-decided: a game of one player takes --against RUN, a run of the other bot";
        return Err(Failure::user(anyhow!(problem)));
    }
    let [_, other] = &plan.bots[plan.entrants()] else {
        return Err(Failure::user(anyhow!("--until-decided: name two bots with --bot")));
    };
    let measure = plan.measure();
    if measure != Measure::Place {
        let problem = "--until-decided compares places; leave out --score";
        return Err(Failure::user(anyhow!(problem)));
    }
    warn_of_few_boards("--until-decided", plan.boards());
    Ok(Opponent {
        run: PathBuf::new(),
        bot: other.name.clone(),
        margin: args.margin.unwrap_or_default(),
        risk: args.risk.unwrap_or_default(),
        measure,
    })
}
