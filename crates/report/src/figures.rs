//! The figures of scores and comparisons as people read them: how many decimals, p-values, rates of losses.

use results::compare::Comparison;
use results::suite::Totals;
use statistics::{LossRate, Lost, Risk};
use terms::text::plural;

/// The maximum number of decimals to show; JSON has all.
const MAX_DECIMALS: usize = 6;

/// What a sum of shares may be off by, in percent.
const ROUNDING: f64 = 1e-6;

/// The decimals to show of a figure in the scale of scores with this many.
pub(crate) fn digits(decimals: usize) -> usize {
    decimals.min(MAX_DECIMALS)
}

/// The decimals to show of a mean of scores with this many.
pub(crate) fn mean_digits(decimals: usize) -> usize {
    digits(decimals).max(1)
}

/// The decimals to show of the difference on a board.
pub(crate) fn board_digits(comparison: &Comparison) -> usize {
    digits(comparison.measure.decimals(comparison.decimals))
}

/// The decimals to show of a mean difference, and of its interval.
pub(crate) fn difference_digits(comparison: &Comparison) -> usize {
    let decimals = comparison.measure.decimals(comparison.decimals);
    interval_digits(decimals, comparison.paired.all.guarded_interval)
}

/// The decimals to show of a mean of scores with this many, and of its interval: means of scores that are 0 or 1 differ in the second
/// decimal or the third.
pub(crate) fn interval_digits(decimals: usize, interval: Option<(f64, f64)>) -> usize {
    let half = interval.map_or(0.0, |(low, high)| (high - low) / 2.0);
    mean_digits(decimals).max(two_digits(half))
}

/// The decimals in which a number has two significant digits; 0 for a number of 10 or more.
pub(crate) fn two_digits(number: f64) -> usize {
    let fits = |digits: &i32| number.abs() * 10.0_f64.powi(*digits) >= 10.0;
    let most = i32::try_from(MAX_DECIMALS).expect("few");
    let digits = (0..most).find(fits).unwrap_or(if number == 0.0 { 0 } else { most });
    usize::try_from(digits).expect("not below 0")
}

/// A share in percent, without the sign, with this many decimals, or more where it would be shown as 0 or 100 and is not.
pub(crate) fn in_percent(share: f64, digits: usize) -> String {
    let percent: f64 = 100.0 * share;
    if let Some(end) = [0.0, 100.0].into_iter().find(|end| (percent - end).abs() < ROUNDING) {
        return format!("{end:.digits$}");
    }
    let is_rounded_away = |digits: &usize| {
        let [text, zero, all] = [percent.abs(), 0.0, 100.0].map(|it| format!("{it:.*}", *digits));
        text == zero || text == all
    };
    let digits = (digits..MAX_DECIMALS).find(|it| !is_rounded_away(it)).unwrap_or(MAX_DECIMALS);
    format!("{percent:.digits$}")
}

/// A mean place in percent, such as `87.5 %`.
pub(crate) fn place(place: f64) -> String {
    format!("{} %", in_percent(place / 100.0, 1))
}

/// A bot's total on a fixed set of boards.
pub(crate) fn totals(bot: &str, totals: &Totals, risk: Risk) -> String {
    let Totals { boards, rounds, mean, interval: (low, high), decimals } = totals;
    let (half, interval) = ((high - low) / 2.0, risk.interval_name());
    let digits = digits(*decimals).max(two_digits(half));
    let boards =
        if *boards == 1 { "this board".to_owned() } else { format!("these {boards} boards") };
    format!(
        "On {boards} {bot} totals {mean:.digits$} ± {half:.digits$} ({interval}, over its own randomness in {rounds} rounds)."
    )
}

/// The number of comparisons that verdicts are adjusted for: all with a shared board.
pub(crate) fn adjusted_for(comparisons: &[Comparison]) -> usize {
    comparisons.iter().filter(|comparison| comparison.paired.pairs > 0).count()
}

/// An interval of differences.
pub(crate) fn span((low, high): (f64, f64), digits: usize) -> String {
    format!("{low:+.digits$} to {high:+.digits$}")
}

/// An interval of differences in a cell.
pub(crate) fn span_cell(interval: Option<(f64, f64)>, digits: usize) -> String {
    interval.map_or("-".to_owned(), |interval| span(interval, digits))
}

/// A p-value in a cell.
pub(crate) fn p_cell(p: f64) -> String {
    p_value(p).trim_start_matches("= ").to_owned()
}

/// A p-value, cut where digits mean nothing: `= 0.0123` or `< 0.0001`.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// What a game counts as that a bot did not finish: in a game of several players somebody is always last, so only failures are
/// counted there.
pub(crate) fn lost_word(is_of_several: bool) -> &'static str {
    if is_of_several { "failed" } else { "lost" }
}

/// The loss rates of two bots, the challenger first, on the boards that both played, with their intervals.
pub(crate) fn lost(
    lost: &Lost,
    [challenger, baseline]: [&str; 2],
    boards: usize,
    is_of_several: bool,
) -> String {
    let Lost { only_challenger, only_baseline, p, .. } = *lost;
    let word = lost_word(is_of_several);
    let rate = |LossRate { boards: lost, low, high }: LossRate| {
        let [low, high] = [low, high].map(|share| in_percent(share, 1));
        match lost {
            0 => format!("none (at most {high} %)"),
            _ => format!("{lost} ({low} to {high} %)"),
        }
    };
    let each = format!(
        "Of {} that both played, {challenger} {word} on {}, {baseline} on {}.",
        plural(boards as u64, "board"),
        rate(lost.challenger),
        rate(lost.baseline)
    );
    if only_challenger + only_baseline == 0 {
        return each;
    }
    let p = p_value(p);
    format!(
        "{each} {challenger} alone on {only_challenger}, {baseline} alone on {only_baseline} (McNemar's test: p {p})."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_shown_as_none_or_all_only_if_it_is() {
        for (share, digits, shown) in [
            (0.0, 1, "0.0"),
            (0.004, 1, "0.4"),
            (0.000_3, 1, "0.03"),
            (-0.000_02, 1, "-0.002"),
            (0.999_7, 1, "99.97"),
            (0.999_999_4, 2, "99.9999"),
            (1.0 - 1e-12, 2, "100.00"),
            (1.000_4, 1, "100.04"),
            (0.997, 0, "99.7"),
            (1.0, 0, "100"),
        ] {
            assert_eq!(in_percent(share, digits), shown);
        }
    }

    #[test]
    fn a_total_has_the_decimals_of_the_scores_and_of_its_interval() {
        for (mean, half, decimals, shown) in
            [(2.75, 0.0, 2, "2.75 ± 0.00"), (3.0, 0.0, 0, "3 ± 0"), (3.5, 0.25, 0, "3.50 ± 0.25")]
        {
            let interval = (mean - half, mean + half);
            let totals = Totals { boards: 2, rounds: 2, mean, interval, decimals };
            let said = super::totals("b", &totals, Risk::Strict);
            assert!(said.contains(&format!(" totals {shown} (")), "{said}");
        }
    }

    #[test]
    fn what_a_bot_may_lose_is_never_nothing() {
        let rate = |boards, low, high| LossRate { boards, low, high };
        let none = rate(0, 0.0, 0.000_299_5);
        let lost = Lost {
            challenger: none,
            baseline: rate(1, 0.000_002_5, 0.000_557),
            only_challenger: 0,
            only_baseline: 1,
            p: 1.0,
        };
        let shown = super::lost(&lost, ["b", "a"], 10_000, false);
        let expected = "Of 10000 boards that both played, b lost on none (at most 0.03 %), a on 1 (0.0003 to 0.1 %).";
        assert!(shown.starts_with(expected), "{shown}");
    }

    #[test]
    fn an_interval_has_two_digits_on_either_side_of_its_mean() {
        for (interval, digits) in [
            (None, 1),
            (Some((7.0, 7.0)), 1),
            (Some((-10.0, 30.0)), 1),
            (Some((1.0, 3.0)), 1),
            (Some((0.05, 0.15)), 3),
            (Some((-1e-12, 1e-12)), 6),
        ] {
            assert_eq!(interval_digits(0, interval), digits, "{interval:?}");
        }
        assert_eq!(interval_digits(2, Some((-20.0, 20.0))), 2);
    }
}
