//! Checks a game of one's own: whether what it shows agrees with what it rules.

use std::error::Error;
use std::fmt;

use super::frames::{Picture, View};
use super::{Answer, Ask, Effect, Game, GameKind, SeedOptions};
use crate::score::Score;
use terms::lines::Lines;
use terms::seed::Seed;

/// A game of more exchanges than this is taken for one without an end.
const MAX_EXCHANGES: usize = 100_000;

/// What is wrong with a game.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckError {
    /// The test case's seed.
    pub seed: Seed,
    /// The number of the exchange, from 1; 0 before the first one.
    pub turn: usize,
    /// What does not agree.
    pub problem: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, turn, problem } = self;
        write!(f, "seed {seed}, turn {turn}: {problem}")
    }
}

impl Error for CheckError {}

/// Plays the test case of each seed with the replies of `bot`, which is given the input of each exchange, and finds what
/// views and replays would stumble over: a frame that does not lead to the picture after the reply, or scores otherwise
/// than the reply; a picture that does not fit its size; a game that a second one on the same test case and replies does
/// not repeat, or that has no end.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(
    kind: &GameKind,
    seeds: impl IntoIterator<Item: Into<Seed>>,
    mut bot: impl FnMut(&str) -> String,
) -> Result<(), CheckError> {
    for seed in seeds {
        let seed = seed.into();
        let mut turn = 0;
        check_seed(kind, seed, &mut bot, &mut turn).map_err(|problem| CheckError {
            seed,
            turn,
            problem,
        })?;
    }
    Ok(())
}

fn check_seed(
    kind: &GameKind,
    seed: Seed,
    bot: &mut impl FnMut(&str) -> String,
    turn: &mut usize,
) -> Result<(), String> {
    let case = kind.test_case(seed, SeedOptions::default()).map_err(|error| error.to_string())?;
    let parse = |case: &str| {
        (kind.parse)(case).map_err(|error| format!("the test case does not parse: {error}"))
    };
    let case = parse(&case)?;
    // A log keeps the game's own form of the test case.
    let same_case = parse(&case.text)?;
    if case.text != same_case.text {
        return Err(differs_in("test case"));
    }
    let elsewhere = "the rules are another program's";
    let mut game = case.opening().ok_or(elsewhere)?;
    let mut again = same_case.opening().ok_or(elsewhere)?;
    check_same(&game, &again)?;
    while let Some(ask) = game.next_ask() {
        *turn += 1;
        if *turn > MAX_EXCHANGES {
            return Err("the game does not end".to_owned());
        }
        let reply = reply_to(&ask, &bot(&ask.input));
        let effect = check_reply(&mut game, &reply)?;
        let is_lost = effect.wrong_line.is_some();
        if answer(&mut again, &reply)?.wrong_line.is_some() != is_lost {
            return Err("a second game rules differently on the same reply".to_owned());
        }
        check_same(&game, &again)?;
        if is_lost && game.end().is_none() {
            return Err("the reply was rejected, but the game goes on".to_owned());
        }
    }
    if game.end().is_none_or(|end| end.official.is_empty()) {
        return Err("the game is over, but has no official result".to_owned());
    }
    Ok(())
}

fn reply_to(ask: &Ask, output: &str) -> Lines {
    let mut reply = Lines::split(output.as_bytes());
    if ask.lines.eof_ends_line {
        reply.end_partial();
    }
    reply
}

fn answer(game: &mut Game, reply: &Lines) -> Result<Effect, String> {
    game.answer(Answer::new(reply, None)).map_err(|trouble| trouble.to_string())
}

/// Compares the frames of a reply with its effect, which it returns.
fn check_reply(game: &mut Game, reply: &Lines) -> Result<Effect, String> {
    let mut picture = picture_of(game);
    check_picture(&picture)?;
    let frames = game.view().map(|view| view.frames(reply)).unwrap_or_default();
    let gain: Score = frames.iter().map(|frame| frame.gain).sum();
    for frame in &frames {
        let places = frame.steps.iter().flat_map(|step| {
            let moved = step.moved.iter().flat_map(|&(from, to)| [from, to]);
            step.gone.iter().copied().chain(moved).chain(step.new.iter().map(|&(place, _)| place))
        });
        if let Some(place) = places.chain(frame.chosen).find(|&place| !has(&picture, place)) {
            return Err(format!(
                "a frame names the place {place}, which the picture does not have"
            ));
        }
        picture.apply(frame);
    }
    let effect = answer(game, reply)?;
    if effect.wrong_line.is_some() || picture.is_none() {
        return Ok(effect);
    }
    check_picture(&picture)?;
    let after = picture_of(game);
    if let Some(place) =
        (0..after.tiles.len()).find(|&place| picture.tiles[place] != after.tiles[place])
    {
        let (frames, ruled) = (picture.tiles[place], after.tiles[place]);
        return Err(format!(
            "at place {place} the frames leave {frames:?}, and the game has {ruled:?}"
        ));
    }
    match effect.gain.filter(|ruled| *ruled != gain) {
        Some(ruled) => Err(format!("the frames score {gain}, and the reply {ruled}")),
        None => Ok(effect),
    }
}

fn picture_of(game: &Game) -> Picture {
    game.view().map(View::picture).unwrap_or_default()
}

fn has(picture: &Picture, place: u16) -> bool {
    usize::from(place) < picture.tiles.len()
}

fn check_picture(picture: &Picture) -> Result<(), String> {
    let Picture { columns, rows, colors, tiles, .. } = picture;
    let places = usize::from(*columns) * usize::from(*rows);
    if tiles.len() != places {
        let count = tiles.len();
        return Err(format!("the picture has {count} tiles on {columns} columns and {rows} rows"));
    }
    match tiles.iter().flatten().find(|color| *color >= colors) {
        Some(color) => Err(format!("a tile has colour {color}, and the picture {colors} colours")),
        None => Ok(()),
    }
}

/// Compares two games that have had the same replies.
fn check_same(game: &Game, again: &Game) -> Result<(), String> {
    let input = |game: &Game| game.ask().map(|ask| ask.input.clone());
    let what = if game.end().is_some() != again.end().is_some() {
        "end"
    } else if input(game) != input(again) {
        "input"
    } else if game.score(0) != again.score(0) {
        "score"
    } else if game.summary() != again.summary() || game.end() != again.end() {
        "summary or result"
    } else if picture_of(game) != picture_of(again) {
        "picture"
    } else {
        return Ok(());
    };
    Err(differs_in(what))
}

fn differs_in(what: &str) -> String {
    format!("a second game on the same test case has a different {what}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::frames::{Change, Frame};
    use super::super::{End, JudgeFailure, Next, Referee, Ruling, Seat, Step, TestCase};
    use super::*;
    use terms::limits::LimitKind;
    use terms::verdict::Verdict;

    /// A tile goes one place down in each turn, for a point, until it is at the last of three places.
    #[derive(Clone)]
    struct Walk {
        flaw: &'static str,
        at: usize,
        score: i64,
        /// The number of such games that were begun before.
        games: usize,
        result: &'static str,
    }

    impl Walk {
        fn has(&self, flaw: &str) -> bool {
            self.flaw == flaw
        }

        /// Whether it has this flaw, which games have that are not the first one.
        fn differs_in(&self, flaw: &str) -> bool {
            self.games > 0 && self.has(flaw)
        }

        fn rule(&mut self, reply: &Lines) -> Ruling {
            if reply.get(0) != Some(b"step") || self.differs_in("ruling") {
                self.result = "Lost";
                let is_over = !self.has("goes on");
                self.at = if is_over { 2 } else { self.at };
                return Ruling::against(Verdict::MalformedReply);
            }
            self.at += usize::from(!self.has("no end"));
            self.score += 1;
            if self.at == 2 && !self.has("no result") {
                self.result = "Won";
            }
            Ruling::default()
        }

        fn step(&self, ruling: Ruling) -> Step {
            let next = if self.at < 2 && !self.differs_in("end") {
                let asked = if self.differs_in("input") { 9 } else { self.at };
                Next::Ask(Ask::lines(format!("{asked}\n"), 1, LimitKind::Turn))
            } else {
                Next::End(End::new(if self.differs_in("result") { "Lost" } else { self.result }))
            };
            let score = if self.differs_in("score") { 7 } else { self.score };
            Step { ruling, scores: vec![score.into()], summary: Vec::new(), next }
        }
    }

    impl Referee for Walk {
        fn begin(&mut self) -> Result<Step, JudgeFailure> {
            Ok(self.step(Ruling::default()))
        }
        fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
            let Answer::Reply { lines, .. } = answer else {
                return Err(JudgeFailure::new("no reply"));
            };
            let ruling = self.rule(lines);
            Ok(self.step(ruling))
        }
        fn view(&self) -> Option<&dyn View> {
            (!self.has("no end")).then_some(self as &dyn View)
        }
    }

    impl View for Walk {
        fn picture(&self) -> Picture {
            let mut tiles = vec![None; 3];
            tiles[(self.at + usize::from(self.differs_in("picture"))).min(2)] =
                Some(u8::from(self.has("colour")));
            tiles.truncate(if self.has("size") { 2 } else { 3 });
            Picture { columns: 1, rows: 3, colors: 1, tiles, ..Picture::default() }
        }
        fn frames(&self, _reply: &Lines) -> Vec<Frame> {
            let from = u16::try_from(self.at).expect("few");
            let to = match self.flaw {
                "frame" => 0,
                "place" => 9,
                _ => from + 1,
            };
            let steps = vec![Change { moved: vec![(from, to)], ..Change::default() }];
            let gain = if self.has("gain") { 2 } else { 1 };
            let chosen = self.has("chosen").then_some(3);
            vec![Frame { gain: gain.into(), steps, chosen, ..Frame::default() }]
        }
    }

    /// What is found in a game with this flaw. The kind captures its state.
    fn found(flaw: &'static str, reply: &str) -> Result<(), CheckError> {
        let games = AtomicUsize::new(0);
        let kind = GameKind {
            from_seed: Arc::new(|_, _| Ok("walk".to_owned())),
            ..GameKind::new("walk", "Walk", move |_| {
                let games = games.fetch_add(1, Ordering::Relaxed);
                let text = if flaw == "test case" && games > 0 { "run" } else { "walk" };
                Ok(TestCase::new(text, Walk { flaw, at: 0, score: 0, games, result: "" }))
            })
        };
        check(&kind, [7], |_| reply.to_owned())
    }

    #[test]
    fn each_flaw_of_a_game_is_found_where_it_shows() {
        assert_eq!(found("", "step"), Ok(()));
        assert_eq!(found("", "fly"), Ok(()), "a lost game is a game");
        for (flaw, turn, part) in [
            ("frame", 1, "at place 0 the frames leave Some(0), and the game has None"),
            ("place", 1, "a frame names the place 9"),
            ("chosen", 1, "a frame names the place 3"),
            ("gain", 1, "the frames score 2, and the reply 1"),
            ("size", 1, "the picture has 2 tiles on 1 columns and 3 rows"),
            ("colour", 1, "a tile has colour 1, and the picture 1 colours"),
            ("test case", 0, "a different test case"),
            ("end", 0, "a different end"),
            ("input", 0, "a different input"),
            ("score", 0, "a different score"),
            ("result", 2, "a different summary or result"),
            ("picture", 0, "a different picture"),
            ("ruling", 1, "a second game rules differently on the same reply"),
            ("no end", MAX_EXCHANGES + 1, "the game does not end"),
            ("no result", 2, "has no official result"),
        ] {
            let error = found(flaw, "step").expect_err(flaw);
            assert_eq!((error.seed, error.turn), (Seed::of(7), turn), "{flaw}: {error}");
            assert!(error.problem.contains(part), "{flaw}: {error}");
        }
        let goes_on = found("goes on", "fly").expect_err("it goes on");
        let said = "seed 7, turn 1: the reply was rejected, but the game goes on";
        assert_eq!(goes_on.to_string(), said);
    }

    #[test]
    fn what_a_game_does_not_say_is_nothing() {
        let case =
            TestCase::new("walk", Walk { flaw: "no end", at: 0, score: 0, games: 0, result: "" });
        assert!(case.groups.is_empty() && case.record_key == "walk");
        assert_eq!(format!("{case:?}"), "TestCase { text: \"walk\", .. }");
        let game = case.opening().expect("its rules are here");
        assert!(game.view().is_none() && game.end().is_none() && game.summary().is_empty());
        assert!(format!("{game:?}").starts_with("Game { ask: Some(Ask { seat: 0, input: "));
    }
}
