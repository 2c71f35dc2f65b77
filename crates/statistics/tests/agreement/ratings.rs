//! The ratings against the numbers that `tests/data/ratings.py` has found, and against that program itself.

use statistics::{Game, Ratings, Seat};

use super::*;

/// A case as the program reads it.
fn case(bots: usize, games: &[Game], anchor: Option<(usize, f64)>) -> Value {
    let seats =
        |game: &Game| game.seats.iter().map(|seat| json!([seat.bot, seat.result])).collect();
    let games = games.iter().map(|game| json!([game.seed, Value::Array(seats(game))]));
    json!({ "bots": bots, "games": games.collect::<Vec<_>>(), "anchor": anchor })
}

/// A case that a file has, as [`case`] writes it.
fn read(case: &Value) -> (usize, Vec<Game>, Option<(usize, f64)>) {
    type Seats = Vec<(usize, f64)>;
    let games: Vec<(usize, Seats)> = serde_json::from_value(case["games"].clone()).expect("games");
    let game = |(seed, seats): (usize, Seats)| Game {
        seed,
        seats: seats.into_iter().map(|(bot, result)| Seat { bot, result }).collect(),
    };
    let bots = serde_json::from_value(case["bots"].clone()).expect("a number");
    let anchor = serde_json::from_value(case["anchor"].clone()).expect("an anchor");
    (bots, games.into_iter().map(game).collect(), anchor)
}

/// What the program prints of a case, as this project computes it.
fn found(bots: usize, games: &[Game], anchor: Option<(usize, f64)>) -> Value {
    let ratings = Ratings::of(bots, games);
    let scaled = ratings.scaled(anchor);
    let first = |group: usize| scaled.iter().position(|it| it.group == group);
    let rows = scaled.iter().map(|it| json!([it.elo, it.margin, first(it.group), it.is_unbounded]));
    json!({ "ratings": rows.collect::<Vec<_>>() })
}

#[test]
fn ratings_are_the_numbers_that_were_kept() {
    let text = fs::read_to_string(data("ratings.jsonl")).expect("the data");
    let (mut margins, mut unbounded) = (0, 0);
    for (number, line) in text.lines().enumerate() {
        let kept: Value = serde_json::from_str(line).expect("JSON");
        let (bots, games, anchor) = read(&kept["case"]);
        let differences = differences("", &found(bots, &games, anchor), &kept["found"]);
        assert!(differences.is_empty(), "case {number}: {differences:#?}");
        for rating in kept["found"]["ratings"].as_array().expect("ratings") {
            margins += usize::from(rating[1].is_number());
            unbounded += usize::from(rating[3] == true);
        }
    }
    assert!(margins >= 20 && unbounded >= 4, "{margins} {unbounded}");
}

#[test]
fn ratings_are_those_of_their_document() {
    let test = "the ratings of docs/statistics.md";
    let Some([python]) = programs::need(test, ["python3"]) else { return };
    let mut random = Pcg32::seed_from_u64(63);
    let (mut input, mut expected) = (String::new(), Vec::new());
    for number in 0..24 {
        let (seats, anchor) = (2 + number % 3, (number % 4 == 3).then_some((1, 1500.0)));
        let games: Vec<Game> =
            (0..seats * 60).map(|n| game(n / (2 * seats), seats, &mut random)).collect();
        input.extend([case(5, &games, anchor).to_string(), "\n".to_owned()]);
        expected.push(found(5, &games, anchor));
    }
    let printed = answers(python, "ratings.py", input);
    assert_eq!(printed.len(), expected.len());
    for (number, (found, again)) in expected.iter().zip(&printed).enumerate() {
        let differences = differences("", found, again);
        assert!(differences.is_empty(), "case {number}: {differences:#?}");
    }
}

/// A game of some of five bots, of which the last is the best; two of three games have a tie.
fn game(seed: usize, seats: usize, random: &mut Pcg32) -> Game {
    let mut up_to = |most: usize| random.next_u32() as usize % most;
    let mut seat = |_| {
        let bot = up_to(5);
        Seat {
            bot,
            result: f64::from(u8::try_from(usize::midpoint(up_to(4), bot)).expect("small")),
        }
    };
    Game { seed, seats: (0..seats).map(&mut seat).collect() }
}
