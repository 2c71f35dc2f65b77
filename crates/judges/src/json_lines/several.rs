//! What judges add to their messages in games of several players.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{FromJudge, parse, read, read_ending};
use rules::game::{Out, Seat, SeatEnd};
use rules::score::{Direction, Score};
use terms::text::quote;
use terms::verdict::Verdict;

/// The fields of messages in a game of several players.
#[derive(Deserialize)]
struct Fields<'a> {
    player: Option<u64>,
    #[serde(borrow)]
    score: Option<&'a RawValue>,
    #[serde(default)]
    out: Vec<OutFields>,
    #[serde(borrow)]
    scores: Option<Vec<&'a RawValue>>,
    places: Option<Vec<u32>>,
}

/// A player that the judge puts out.
#[derive(Deserialize)]
struct OutFields {
    player: u64,
    how: String,
    official: Option<String>,
}

/// Reads a line of the judge of a game of this many players, of whose scores these are better.
///
/// # Errors
/// What is wrong with it.
#[doc(hidden)]
pub fn parse_several(line: &[u8], players: usize, better: Direction) -> Result<FromJudge, String> {
    let message = parse(line)?;
    let fields: Fields<'_> = read(line)?;
    if fields.score.is_some() {
        let what =
            "gave `score`; in a game of several players each has one, in `scores` at the end";
        return Err(what.to_owned());
    }
    let out = fields.out.iter().map(|out| out.read(players)).collect::<Result<Vec<_>, _>>()?;
    Ok(match message {
        FromJudge::Ask(mut question) => {
            let player = fields.player.ok_or("asked without `player`")?;
            question.seat = seat(player, players)?;
            question.out = out;
            FromJudge::Ask(question)
        }
        FromJudge::End(mut end) => {
            if end.verdict != Verdict::Completed {
                let what = "ended a game of several players as lost; `end` is \"completed\", and `out` has the players that \
                            did something wrong";
                return Err(what.to_owned());
            }
            let mut seats = fields.seats(players, better)?;
            for Out { seat, verdict, official } in out {
                seats[seat].verdict = verdict;
                seats[seat].official = official;
            }
            end.end.seats = seats;
            FromJudge::End(end)
        }
    })
}

fn seat(player: u64, players: usize) -> Result<Seat, String> {
    let seat = usize::try_from(player).ok().filter(|seat| *seat < players);
    seat.ok_or_else(|| format!("named the player {player}; the {players} players count from 0"))
}

impl OutFields {
    fn read(&self, players: usize) -> Result<Out, String> {
        let verdict = read_ending(&self.how).ok().filter(|how| *how != Verdict::Completed);
        let verdict = verdict.ok_or_else(|| {
            let how = quote(self.how.as_bytes());
            format!("put a player out as {how}; `how` is \"lost\", \"malformed\" or \"illegal\"")
        })?;
        let official = self.official.clone().unwrap_or_default();
        Ok(Out { seat: seat(self.player, players)?, verdict, official })
    }
}

impl Fields<'_> {
    /// The result of each seat: by places, or else by scores.
    fn seats(&self, players: usize, better: Direction) -> Result<Vec<SeatEnd>, String> {
        let check_count = |field: &str, count: usize| {
            if count == players {
                return Ok(());
            }
            Err(format!("gave {count} `{field}` to {players} players"))
        };
        let read = |score: &&RawValue| {
            let score = score.get().parse::<Score>();
            score.map_err(|error| format!("gave a wrong score in `scores`: {error}"))
        };
        let scores = self.scores.iter().flatten().map(read).collect::<Result<Vec<_>, _>>()?;
        if self.scores.is_some() {
            check_count("scores", scores.len())?;
        }
        let Some(places) = &self.places else {
            if self.scores.is_none() {
                return Err("ended without `scores` and without `places`".to_owned());
            }
            return Ok(SeatEnd::by_scores(&scores, better));
        };
        check_count("places", places.len())?;
        for place in places {
            let ahead = places.iter().filter(|other| *other < place).count();
            if usize::try_from(*place) != Ok(ahead + 1) {
                return Err(format!(
                    "gave the place {place} to a player with {ahead} before it; equal players share the better place, such as in \
                     [1, 1, 3]"
                ));
            }
        }
        let mut scores = scores.into_iter();
        Ok(places
            .iter()
            .map(|place| SeatEnd { score: scores.next(), ..SeatEnd::at(*place) })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn several(text: &str) -> Result<FromJudge, String> {
        parse_several(text.as_bytes(), 3, Direction::Higher)
    }

    fn places(text: &str) -> Vec<(u32, Option<String>)> {
        match several(text) {
            Ok(FromJudge::End(end)) => {
                let seats = end.end.seats.into_iter();
                seats.map(|seat| (seat.place, seat.score.map(|score| score.to_string()))).collect()
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn an_end_has_places_or_scores_or_both() {
        let score = |text: &str| Some(text.to_owned());
        assert_eq!(
            places("{\"end\":\"completed\",\"scores\":[7,-1.5,7]}"),
            [(1, score("7")), (3, score("-1.5")), (1, score("7"))]
        );
        assert_eq!(
            places("{\"end\":\"completed\",\"places\":[2,3,1]}"),
            [(2, None), (3, None), (1, None)]
        );
        let both = places("{\"end\":\"completed\",\"places\":[1,3,1],\"scores\":[1,2,3]}");
        assert_eq!(both, [(1, score("1")), (3, score("2")), (1, score("3"))]);
        let text = b"{\"end\":\"completed\",\"scores\":[1,2]}";
        let Ok(FromJudge::End(end)) = parse_several(text, 2, Direction::Lower) else {
            panic!("an end");
        };
        let found: Vec<u32> = end.end.seats.iter().map(|seat| seat.place).collect();
        assert_eq!(found, [1, 2], "the fewest points win");
    }

    #[test]
    fn a_question_names_its_player_and_those_who_are_out() {
        let out = "\"out\":[{\"player\":0,\"how\":\"illegal\",\"official\":\"taken\"}]";
        let Ok(FromJudge::Ask(ask)) = several(&format!("{{\"ask\":\"\",\"player\":2,{out}}}"))
        else {
            panic!("a question");
        };
        let expected = Out { seat: 0, verdict: Verdict::IllegalMove, official: "taken".to_owned() };
        assert_eq!((ask.seat, ask.out), (2, vec![expected]));
        let end = several(&format!("{{\"end\":\"completed\",\"scores\":[0,1,1],{out}}}"));
        let Ok(FromJudge::End(end)) = end else { panic!("an end") };
        let seat = &end.end.seats[0];
        assert_eq!((seat.verdict, seat.official.as_str()), (Verdict::IllegalMove, "taken"));
    }

    #[test]
    fn what_does_not_fit_several_players_is_trouble() {
        for (text, expected) in [
            ("{\"ask\":\"\"}", "asked without `player`"),
            ("{\"ask\":\"\",\"player\":3}", "named the player 3; the 3 players count from 0"),
            ("{\"ask\":\"\",\"player\":-1}", "which is not a message"),
            ("{\"ask\":\"\",\"player\":0,\"score\":1}", "gave `score`"),
            (
                "{\"ask\":\"\",\"player\":0,\"out\":[{\"player\":1,\"how\":\"completed\"}]}",
                "put a player out as `completed`",
            ),
            (
                "{\"ask\":\"\",\"player\":0,\"out\":[{\"player\":9,\"how\":\"lost\"}]}",
                "named the player 9",
            ),
            ("{\"end\":\"lost\",\"scores\":[1,2,3]}", "ended a game of several players as lost"),
            ("{\"end\":\"completed\"}", "without `scores` and without `places`"),
            ("{\"end\":\"completed\",\"scores\":[1,2]}", "gave 2 `scores` to 3 players"),
            ("{\"end\":\"completed\",\"scores\":[1,2,\"x\"]}", "a wrong score in `scores`"),
            ("{\"end\":\"completed\",\"places\":[1,2]}", "gave 2 `places` to 3 players"),
            ("{\"end\":\"completed\",\"places\":[1,1,2]}", "gave the place 2 to a player with 2"),
            ("{\"end\":\"completed\",\"places\":[2,3,4]}", "gave the place 2 to a player with 0"),
            ("{\"end\":\"completed\",\"places\":[0,1,2]}", "gave the place 0"),
        ] {
            let problem = several(text).expect_err(text);
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_taken_or_refused(
            text in "\\{(\"(ask|end|player|out|scores|places)\":(\"completed\"|1|-3|null|\\[1,1,3\\]|\\[\\{\\}\\]),?){0,5}\\}",
        ) {
            let _ = several(&text);
        }
    }
}
