//! Estimates how long the missing games of a suite take.

use std::collections::BTreeMap;
use std::time::Duration;

use results::suite::Outcome;

/// The games of a suite, bot by bot: a slow bot's games take longer than a quick one's.
pub(super) struct Pace {
    bots: BTreeMap<String, Games>,
}

/// The games of a bot.
#[derive(Default)]
struct Games {
    /// The number of all games.
    planned: usize,
    /// The number of games that have ended, also in earlier processes.
    ended: usize,
    /// The number of games that this process has played, and their time in all.
    played: u32,
    took: Duration,
}

impl Pace {
    /// The pace of these bots, each with the number of its games.
    pub(super) fn new(bots: impl Iterator<Item = (String, usize)>) -> Self {
        let games = |planned| Games { planned, ..Games::default() };
        Self { bots: bots.map(|(bot, planned)| (bot, games(planned))).collect() }
    }

    /// Counts a game that an earlier process has played.
    pub(super) fn add_earlier(&mut self, outcome: &Outcome) {
        if let Some(games) = self.bots.get_mut(&outcome.bot).filter(|_| outcome.is_played()) {
            games.ended += 1;
        }
    }

    /// Counts a game of this process.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        if let Some(games) = self.bots.get_mut(&outcome.bot) {
            games.ended += 1;
            games.played += 1;
            games.took += outcome.times.wall.unwrap_or_default().0;
        }
    }

    /// The time for the missing games, if this process has played for `elapsed`; `None` as long as a bot with missing games
    /// has played none.
    pub(super) fn left(&self, elapsed: Duration) -> Option<Duration> {
        let (mut took, mut left) = (0.0, 0.0);
        for games in self.bots.values() {
            let missing =
                u32::try_from(games.planned.saturating_sub(games.ended)).unwrap_or(u32::MAX);
            took += games.took.as_secs_f64();
            if missing > 0 {
                left += games.took.checked_div(games.played)?.as_secs_f64() * f64::from(missing);
            }
        }
        // Several games are played at a time.
        Duration::try_from_secs_f64(elapsed.as_secs_f64() * left / took).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(bot: &str, seconds: u32) -> Outcome {
        let json = format!(
            r#"{{"game":1,"bot":"{bot}","board":"x","board_id":"","record_id":"","repeat":1,"verdict":"completed",
            "won":true,"score":1,"counts":true,"official":"","turns":1,"wall_ms":{}}}"#,
            1000 * seconds
        );
        serde_json::from_str(&json).expect("an outcome")
    }

    #[test]
    fn a_slow_bot_counts_before_its_next_game_ends() {
        let seconds = Duration::from_secs;
        let mut pace = Pace::new(["quick", "slow"].map(|bot| (bot.to_owned(), 4)).into_iter());
        pace.add_earlier(&game("quick", 1));
        pace.add(&game("quick", 1));
        assert_eq!(pace.left(seconds(1)), None, "the slow one has not ended a game");
        pace.add(&game("slow", 19));
        // Two games of a second and three of 19, one at a time, and two at a time.
        assert_eq!(pace.left(seconds(20)), Some(seconds(59)));
        assert_eq!(pace.left(seconds(10)), Some(seconds(59) / 2));
        for (bot, took) in [("slow", 19), ("slow", 19), ("slow", 19), ("quick", 1), ("quick", 1)] {
            pace.add(&game(bot, took));
        }
        assert_eq!(pace.left(seconds(79)), Some(Duration::ZERO));
    }

    #[test]
    fn bots_with_unequal_numbers_of_games_come_to_an_end() {
        let planned =
            [("entrant", 2), ("of the pool", 1)].map(|(bot, games)| (bot.to_owned(), games));
        let mut pace = Pace::new(planned.into_iter());
        for bot in ["entrant", "of the pool", "entrant"] {
            pace.add(&game(bot, 1));
        }
        assert_eq!(pace.left(Duration::from_secs(2)), Some(Duration::ZERO));
    }
}
