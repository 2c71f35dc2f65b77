//! Notices a bot that always fails at once with one verdict, such as one that was not built or reads another format. What
//! it prints may differ from game to game.

use std::collections::BTreeMap;

use crate::cli::hints::shell_path;
use results::suite::{Outcome, RunFolder, SuiteVerdict};

/// A suite stops when a bot has lost this many first games with one verdict.
const GAMES: u32 = 10;

/// The verdict with which each bot has lost all its games so far, and how many; `None` once a game ended otherwise, or later than in
/// the first turn.
#[derive(Debug, Default)]
pub(super) struct Hopeless(BTreeMap<String, Option<(SuiteVerdict, u32)>>);

impl Hopeless {
    /// Counts a game. Whether its bot has no hope.
    pub(super) fn add(&mut self, outcome: &Outcome) -> bool {
        let is_lost_at_once =
            outcome.is_played() && !outcome.won && outcome.turns <= 1 && !outcome.is_lost_by_host();
        let verdict = is_lost_at_once.then_some(outcome.verdict);
        let first = verdict.map(|verdict| (verdict, 0));
        let losses = self.0.entry(outcome.bot.clone()).or_insert(first);
        let is_alike = |(before, _): &(SuiteVerdict, u32)| verdict == Some(*before);
        *losses = losses.take().filter(is_alike).map(|(verdict, games)| (verdict, games + 1));
        losses.as_ref().is_some_and(|(_, games)| *games >= GAMES)
    }

    /// Says why the suite has stopped, if a bot has no hope and games are left.
    pub(super) fn warn(&self, folder: &RunFolder, is_kept: bool) {
        let is_hopeless = |losses: &Option<(SuiteVerdict, u32)>| {
            losses.as_ref().is_some_and(|(_, games)| *games >= GAMES)
        };
        let Some((bot, _)) = self.0.iter().find(|(_, losses)| is_hopeless(losses)) else { return };
        let is_over = folder.played().is_ok_and(|played| played.count() == folder.planned());
        if is_over {
            return;
        }
        let path = shell_path(&folder.path);
        let again = if is_kept {
            format!("`referee resume {path}` plays the rest")
        } else {
            "--keep-going plays on".to_owned()
        };
        log::warn!(
            "stopped, since {bot} lost its first {GAMES} games in the first turn, with one verdict: fix the bot and start a new \
             run; as it is, {again}"
        );
    }
}
