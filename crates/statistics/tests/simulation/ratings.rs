//! How often the intervals of ratings hold, and how often `--until-decided` calls equal bots of two seats different.

use statistics::{Game, Ratings, Seat};

use super::*;

const BOTS: usize = 6;

/// The points of Elo's scale that multiply the odds by e.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Games of some seats. Each bot has a strength, and chance that suits the model of Bradley and Terry.
#[derive(Debug)]
struct Model {
    seats: usize,
    /// The deviations of what a seed gives to a bot in all its games, and to the bot in a seat, in Elo.
    of_bot: f64,
    of_seat: f64,
    /// Whether the further seatings of some bots copy the first one.
    copies: bool,
}

const MODELS: [Model; 7] = [
    Model { seats: 2, of_bot: 0.0, of_seat: 0.0, copies: true },
    Model { seats: 3, of_bot: 0.0, of_seat: 0.0, copies: true },
    Model { seats: 2, of_bot: 0.0, of_seat: 0.0, copies: false },
    Model { seats: 2, of_bot: 300.0, of_seat: 0.0, copies: false },
    Model { seats: 2, of_bot: 0.0, of_seat: 400.0, copies: false },
    Model { seats: 4, of_bot: 0.0, of_seat: 0.0, copies: false },
    Model { seats: 4, of_bot: 300.0, of_seat: 0.0, copies: false },
];

/// A number of Gumbel's distribution: the difference of two has the logistic one.
fn gumbel(random: &mut Pcg64Mcg) -> f64 {
    -(-uniform(random).ln()).ln()
}

/// The tables of a seed: all pairs, or bots shuffled so that all sit equally often.
fn tables(seats: usize, random: &mut Pcg64Mcg) -> Vec<Vec<usize>> {
    if seats == 2 {
        return (0..BOTS).flat_map(|one| (0..one).map(move |other| vec![one, other])).collect();
    }
    let mut tables: Vec<Vec<usize>> = Vec::new();
    while !(tables.len() * seats).is_multiple_of(BOTS)
        || tables.is_empty()
        || tables.last().is_some_and(|it| it.len() < seats)
    {
        let mut order: Vec<(u32, usize)> = (0..BOTS).map(|bot| (random.next_u32(), bot)).collect();
        order.sort_unstable();
        let mut left: Vec<usize> = order.into_iter().map(|(_, bot)| bot).collect();
        while !left.is_empty() {
            if tables.last().is_none_or(|table| table.len() == seats) {
                tables.push(Vec::new());
            }
            let table = tables.last_mut().expect("one");
            let place =
                left.iter().position(|bot| !table.contains(bot)).expect("more bots than seats");
            table.push(left.remove(place));
        }
    }
    tables
}

impl Model {
    fn play(&self, seed: usize, random: &mut Pcg64Mcg, games: &mut Vec<Game>) {
        let of_bot: [f64; BOTS] = std::array::from_fn(|_| self.of_bot / ELO * normal(random));
        let of_seat: Vec<f64> =
            (0..self.seats).map(|_| self.of_seat / ELO * normal(random)).collect();
        for table in tables(self.seats, random) {
            let mut luck: Vec<f64> = table.iter().map(|_| gumbel(random)).collect();
            for turn in 0..self.seats {
                if turn > 0 && !self.copies {
                    luck.fill_with(|| gumbel(random));
                }
                let seat = |seat: usize| {
                    let place = (seat + turn) % self.seats;
                    let bot = table[place];
                    let strength = (real(bot) - 2.5) * 60.0 / ELO;
                    Seat { bot, result: strength + of_bot[bot] + of_seat[seat] + luck[place] }
                };
                games.push(Game { seed, seats: (0..self.seats).map(seat).collect() });
            }
        }
    }

    fn ratings(&self, seeds: usize, random: &mut Pcg64Mcg) -> Ratings {
        let mut games = Vec::new();
        (0..seeds).for_each(|seed| self.play(seed, random, &mut games));
        Ratings::of(BOTS, &games)
    }

    /// The share of the intervals of differences that hold the true one, and half their width in the mean.
    fn coverage(&self) -> [f64; 2] {
        // What the ratings come to with ever more seeds. Effects of seeds draw them together, so these are not the strengths.
        let truth = self.ratings(few_or_all(1000, 20_000), &mut seeded(u64::MAX / 4)).scaled(None);
        let (mut held, mut width, mut all) = (0, 0.0, 0);
        for run in 0..all_runs().unwrap_or(40) {
            let ratings = self.ratings(30, &mut seeded(run as u64));
            for (one, other) in (0..BOTS).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let (difference, margin) = ratings.difference(one, other).expect("a scale");
                let margin = margin.expect("enough seeds");
                let miss = difference - (truth[one].elo - truth[other].elo);
                held += usize::from(miss.abs() <= margin);
                width += margin;
                all += 1;
            }
        }
        [real(held) / real(all), width / real(all)]
    }
}

#[test]
fn intervals_of_ratings_hold_whether_or_not_seatings_copy_each_other() {
    println!("\n| games of six bots | intervals that hold | ± Elo |");
    for model in few_or_all(&MODELS[..3], &MODELS) {
        let [held, width] = model.coverage();
        println!("| {model:?} | {:.1} % | {width:.0} |", 100.0 * held);
        let allowed = few_or_all(0.88..=0.995, 0.92..=0.97);
        assert!(allowed.contains(&held), "{model:?}: {held}");
    }
}

/// Two equal bots that play each seed from both seats, with this share of draws without the other effects: the mean places
/// of both on a seed, of which an effect gives something to one of the bots or to one of the seats, in Elo.
fn board(
    random: &mut Pcg64Mcg,
    (draws, of_bot, of_seat, copies): (f64, f64, f64, bool),
) -> PairedBoard {
    let (of_bot, of_seat) = (normal(random) * of_bot, normal(random) * of_seat);
    let even = 2.0 * draws.atanh();
    let mut place = |seat: f64| {
        let ahead = gumbel(random) - gumbel(random) + (of_bot + seat * of_seat) / ELO;
        if ahead.abs() < even { 50.0 } else { 100.0 * f64::from(u8::from(ahead > 0.0)) }
    };
    let first = place(1.0);
    let second = if copies { first } else { place(-1.0) };
    let mean = f64::midpoint(first, second);
    PairedBoard::finished(mean, 100.0 - mean)
}

#[test]
fn equal_bots_of_two_seats_are_seldom_called_different() {
    println!("\n| seeds from both seats | `--risk 2.5%` | `--risk 5%` |");
    for pair in [
        (0.2, 0.0, 0.0, false),
        (0.2, 0.0, 400.0, false),
        (0.2, 300.0, 0.0, false),
        (0.0, 0.0, 0.0, true),
        (0.6, 0.0, 120.0, false),
    ] {
        let cells = [Risk::Strict, Risk::Loose].map(|risk| {
            let seeds = few_or_all(600, 16_000);
            let ([worse, _, better, _], _) =
                sequential(100, seeds, (0.0, risk, false), |random| board(random, pair));
            worse + better
        });
        println!("| {pair:?} | {:.1} | {:.1} |", 100.0 * cells[0], 100.0 * cells[1]);
        // Two standard deviations of 2,000 runs above 5 % and 10 %.
        assert!(cells[0] <= 0.06 && cells[1] <= 0.115, "{pair:?}: {cells:?}");
    }
}
