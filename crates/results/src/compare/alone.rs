//! The groups of boards of one bot, without another to compare it with.

use serde::Serialize;

use super::Contender;
use super::contender::BoardGames;
use super::valuation::Finish;
use crate::suite::Totals;
use rules::measure::Measure;
use statistics::{MeanTest, Moments, Risk};

/// A bot's games on the boards of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BotGroup {
    /// The group, such as `colors 5`.
    pub name: String,
    /// The number of boards.
    pub boards: usize,
    /// The number of games.
    pub games: usize,
    /// The number of those that were lost.
    pub lost: usize,
    /// The mean points of a board; `None` if no game counts.
    pub mean: Option<f64>,
    /// Student's interval of the mean; `None` with fewer than two boards.
    pub interval: Option<(f64, f64)>,
    /// Its totals on all boards, if it has played each of them several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
}

impl Contender {
    /// All its boards, and then each group's.
    ///
    /// Games count as in [`mean`](Self::mean), and those that the host's delay ended do not count at all.
    pub fn groups(&self, risk: Risk) -> Vec<BotGroup> {
        let boards: Vec<&BoardGames> = self.boards.values().collect();
        let mut groups = vec![self.on_all_boards(risk)];
        for (index, by) in self.by.iter().enumerate() {
            let values: Vec<_> =
                boards.iter().map(|played| (played.values[index].clone(), *played)).collect();
            let found = by.groups(&values).into_iter();
            groups.extend(found.map(|(name, boards)| self.group(name, &boards, risk)));
        }
        groups
    }

    pub(super) fn on_all_boards(&self, risk: Risk) -> BotGroup {
        let boards: Vec<&BoardGames> = self.boards.values().collect();
        let all = self.group("all boards".to_owned(), &boards, risk);
        BotGroup { totals: self.totals(risk), ..all }
    }

    /// Its totals over several rounds. A bot that loses has none where lower scores are better.
    pub fn totals(&self, risk: Risk) -> Option<Totals> {
        let counts = |game: &Finish| self.better.is_higher() || *game != Finish::Lost;
        let (valuation, mut moments) = (self.valuation(), Moments::default());
        let games = self.boards.values().map(|on| on.finishes(Measure::Points).collect());
        let games: Vec<Vec<Finish>> = games.collect();
        let rounds = games.iter().map(Vec::len).min().filter(|_| !self.is_of_several())?;
        for round in 0..rounds {
            let points = |games: &Vec<Finish>| valuation.points(Some(games[round]).filter(counts)?);
            let total: Option<f64> = games.iter().map(points).sum();
            moments.push([total?, 0.0]);
        }
        let MeanTest { mean, interval, .. } = MeanTest::of(&moments, risk);
        let decimals = self.decimals();
        Some(Totals { boards: games.len(), rounds, mean, interval: interval?, decimals })
    }

    fn group(&self, name: String, boards: &[&BoardGames], risk: Risk) -> BotGroup {
        let valuation = self.valuation();
        let counts = |game: &Finish| self.better.is_higher() || *game != Finish::Lost;
        let mut moments = Moments::default();
        for played in boards {
            let games: Vec<Finish> = played.finishes(self.measure).filter(counts).collect();
            if let Some(mean) = valuation.mean(&games) {
                moments.push([mean, 0.0]);
            }
        }
        let games = || boards.iter().flat_map(|played| played.finishes(self.measure));
        BotGroup {
            name,
            boards: boards.len(),
            games: games().count(),
            lost: games().filter(|game| game.is_lost()).count(),
            mean: (moments.count() > 0).then(|| moments.mean()),
            interval: MeanTest::of(&moments, risk).interval,
            totals: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Grouping;
    use super::super::tests::outcome;
    use super::*;
    use crate::suite::Outcome;
    use rules::score::Direction;

    fn bot(better: Direction) -> Contender {
        let by = Grouping::parse(&["colors,set=small".to_owned()]).expect("groupings");
        let mut bot = Contender { by, ..Contender::new("bot".to_owned(), better) };
        // Boards 1 and 2 are in a set, and odd ones have five colours.
        for (game, (board, won, score)) in
            (1..).zip([(1, true, 100), (1, true, 200), (2, true, 40), (3, false, 7), (4, true, 60)])
        {
            bot.add(&Outcome { game, won, ..outcome(board, score) });
        }
        bot
    }

    #[test]
    fn a_bot_alone_has_its_figures_by_group() {
        let figures = |better| -> Vec<_> {
            let groups = bot(better).groups(Risk::Strict).into_iter();
            groups.map(|it| (it.name, it.boards, it.games, it.lost, it.mean)).collect()
        };
        let expected = |all, odd| {
            [
                ("all boards", 4, 5, 1, Some(all)),
                ("colors 4", 2, 2, 0, Some(50.0)),
                ("colors 5", 2, 3, 1, Some(odd)),
                ("set small", 2, 3, 0, Some(95.0)),
            ]
            .map(|(name, boards, games, lost, mean)| (name.to_owned(), boards, games, lost, mean))
        };
        assert_eq!(figures(Direction::Higher), expected(62.5, 75.0));
        assert_eq!(figures(Direction::Lower), expected(250.0 / 3.0, 150.0));
        let groups = bot(Direction::Higher).groups(Risk::Strict);
        // The mean of 40 and 60 plus or minus 12.706 times 10.
        let (low, high) = groups[1].interval.expect("two boards");
        assert!((low + 77.06).abs() < 0.01 && (high - 177.06).abs() < 0.01, "{low} {high}");
    }
}
