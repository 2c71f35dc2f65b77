//! What each of several bots has in a measure, compared with all others.

use super::Contender;
use super::contender::{BoardGames, NoLogarithm};
use super::valuation::{Finish, Valuation, mean};
use crate::suite::{FolderError, RecordId, RunFolder, Summary};
use rules::measure::Measure;
use statistics::{MeanTest, Moments, Risk};

/// What a bot has in a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The mean of its boards.
    pub mean: f64,
    /// Student's interval of the mean; `None` with fewer than two boards.
    pub interval: Option<(f64, f64)>,
}

/// Why the bots of a run have no values in its measure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// The results cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A score has no value.
    #[error(transparent)]
    NoLogarithm(#[from] NoLogarithm),
}

/// Adds to the summary of a run what each of its bots has in the run's measure, and its totals. Points, ratios and places are part of
/// every summary.
///
/// # Errors
/// When the results cannot be read, or a score has no value.
pub fn add_values(folder: &RunFolder, summary: &mut Summary) -> Result<(), MeasureError> {
    let (plan, is_relative) = (&folder.run.plan, folder.run.plan.measure().is_relative());
    if plan.measure() == Measure::Place {
        summary.bots.iter_mut().for_each(|tally| tally.value = tally.place);
        return Ok(());
    }
    if plan.repeat == 1 && !is_relative {
        return Ok(());
    }
    let names: Vec<_> =
        summary.bots.iter().map(|tally| (tally.bot.as_str(), tally.bot.clone())).collect();
    let contenders = Contender::read(folder, &names)?;
    for (tally, contender) in summary.bots.iter_mut().zip(&contenders) {
        tally.totals = contender.totals(Risk::Strict);
    }
    if !is_relative {
        return Ok(());
    }
    contenders.iter().try_for_each(Contender::check_scores)?;
    let values = Contender::all_measured(&contenders);
    let tallies = summary.bots.iter_mut().zip(values);
    tallies.for_each(|(tally, value)| tally.value = value.map(|value| value.mean));
    Ok(())
}

impl Contender {
    /// What each bot has in the measure of the first one, compared with the games of all others; `None` where no game has a value.
    ///
    /// Points and logarithms have the scores' sign, also where lower scores are better.
    pub fn all_measured(contenders: &[Self]) -> Vec<Option<Value>> {
        let Some(first) = contenders.first() else { return Vec::new() };
        let games = contenders.iter().flat_map(Self::finishes);
        let valuation = Valuation::of(first.measure, first.better, games);
        let is_of_scores = matches!(first.measure, Measure::Points | Measure::Log);
        let sign = if is_of_scores && !first.better.is_higher() { -1.0 } else { 1.0 };
        let on = |bot: usize, (id, played): (&RecordId, &BoardGames)| {
            let others = contenders.iter().enumerate().filter(|(other, _)| *other != bot);
            let rivals: Vec<Finish> = others.flat_map(|(_, other)| other.finishes_on(id)).collect();
            let games: Vec<Finish> = played.finishes(first.measure).collect();
            let known = contenders.iter().fold(None, |known, other| other.best_known(id, known));
            let best = valuation.best(games.iter().chain(&rivals), known);
            mean(games.iter().map(|game| valuation.value(*game, &rivals, best)))
        };
        let of = |(bot, contender): (usize, &Self)| {
            let mut moments = Moments::default();
            let values = contender.boards.iter().filter_map(|played| on(bot, played));
            values.for_each(|value| moments.push([sign * value, 0.0]));
            let MeanTest { mean, interval, .. } = MeanTest::of(&moments, Risk::Strict);
            (moments.count() > 0).then_some(Value { mean, interval })
        };
        contenders.iter().enumerate().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use rules::score::Direction;

    use super::super::Comparison;
    use super::super::tests::{contender, outcome};
    use super::*;
    use crate::suite::Outcome;

    #[test]
    fn the_values_of_two_bots_differ_by_what_their_comparison_says() {
        for measure in [Measure::Points, Measure::Ratio, Measure::Log, Measure::Rank] {
            let old = contender("old", &[(1, 100), (2, 200), (3, 300)]).measured_in(measure);
            let new = contender("new", &[(1, 110), (2, -1), (3, 300)]).measured_in(measure);
            let compared = Comparison::of(&old, &new, Risk::Strict);
            let values = Contender::all_measured(&[old, new]);
            let [Some(old), Some(new)] = values[..] else { panic!("{values:?}") };
            let (mean, [old, new]) = (compared.paired.all.mean, [old.mean, new.mean]);
            assert!((new - old - mean).abs() < 1e-9, "{measure}: {old} {new} {mean}");
        }
    }

    #[test]
    fn ranks_are_among_all_bots_and_a_bot_alone_has_none() {
        let bots = [100, 300, 200].map(|score| {
            let bot = contender("bot", &[(1, score), (2, 50)]);
            bot.measured_in(Measure::Rank)
        });
        let values = Contender::all_measured(&bots).into_iter().flatten();
        assert_eq!(values.map(|value| value.mean).collect::<Vec<_>>(), [25.0, 75.0, 50.0]);
        assert_eq!(Contender::all_measured(&bots[..1]), [None]);
    }

    #[test]
    fn logarithms_are_of_scores_above_0_and_not_turned() {
        let mut bot = Contender::new("bot".to_owned(), Direction::Lower).measured_in(Measure::Log);
        bot.add(&outcome(1, 1000));
        bot.check_scores().expect("above 0");
        let values = Contender::all_measured(std::slice::from_ref(&bot));
        assert!((values[0].expect("a value").mean - 690.775_527_9).abs() < 1e-6, "{values:?}");
        bot.add(&Outcome { game: 2, ..outcome(2, 0) });
        let problem = bot.check_scores().expect_err("no logarithm").to_string();
        assert!(problem.starts_with("bot has a score of 0 on seed 2, and only"), "{problem}");
        bot.measured_in(Measure::Rank).check_scores().expect("a rank");
    }
}
