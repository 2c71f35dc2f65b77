//! The opponent of a suite that plays until it is decided who is better.

use std::path::Path;

use anyhow::anyhow;

use crate::cli::Failure;
use crate::cli::compare::Side;
use results::compare::{Contender, Decider};
use results::suite::{Margin, Opponent, Plan, RunFolder};

/// Chooses the opponent that was named, and has the plan play on its boards if they are to be the same.
pub(super) fn choose(
    run: &str,
    margin: Margin,
    plan: &mut Plan,
    same_boards: bool,
) -> Result<Opponent, Failure> {
    let side = Side::open(run)?;
    let theirs = &side.folder.run.plan;
    let [bot] = side.bots()[..] else {
        let bots = side.bots().join("`, `");
        return Err(Failure::user(anyhow!("--against: name one of its bots, {run}:BOT: `{bots}`")));
    };
    if plan.bots.len() > 1 {
        return Err(Failure::user(anyhow!("--until-decided: only one --bot can be decided on")));
    }
    if plan.game != theirs.game {
        return Err(Failure::user(anyhow!("--against: {run} is of {}", theirs.game)));
    }
    if plan.rules != theirs.rules {
        log::warn!("{run} was not played under the same rules");
    }
    if same_boards {
        plan.boards.clone_from(&theirs.boards);
        plan.seeds.clone_from(&theirs.seeds);
    }
    let folder = std::path::absolute(&side.folder.path).map_err(Failure::user)?;
    Ok(Opponent { run: folder, bot: bot.to_owned(), margin })
}

/// The decider of a run with an opponent, fed with the games played so far.
///
/// A game that could not be played is passed over, unless it is of a part: a task that is started again plays it,
/// and what is decided must not depend on whether that was before or after somebody looked.
pub(super) fn decider(folder: &RunFolder) -> Result<Option<Decider>, Failure> {
    let Some(Opponent { run, bot, margin }) = &folder.run.against else { return Ok(None) };
    let opponent = opponent(run, bot)?;
    let mut decider = Decider::new(&folder.run.plan, opponent, *margin);
    let is_in_parts = folder.parts() > 0;
    for outcome in folder.outcomes()? {
        let outcome = outcome?;
        if outcome.is_played() || !is_in_parts {
            decider.add(&outcome);
        }
    }
    Ok(Some(decider))
}

fn opponent(run: &Path, bot: &str) -> Result<Contender, Failure> {
    let wanted = [(bot, bot.to_owned())];
    Ok(Contender::read(&RunFolder::open(run)?, &wanted)?.swap_remove(0))
}
