//! The end of a game as the SDK tells it.

use std::collections::BTreeMap;

use serde_json::Value;

use rules::game::judge::JudgeEnd;
use rules::game::{End, SeatEnd};
use rules::score::{Direction, Score};
use terms::text::{quote, without_color_marks};
use terms::verdict::Verdict;

/// The end of a game: a line of metadata, a line of scores, and the last lines of the summary.
///
/// # Errors
/// What is wrong with them.
pub(super) fn end(
    criteria: Option<&str>,
    metadata: &[String],
    scores: &[String],
    summary: Vec<String>,
) -> Result<JudgeEnd, String> {
    let metadata = read_metadata(&metadata.join("\n"))?;
    let has_won = has_won(scores)?;
    let verdict = if has_won { Verdict::Completed } else { Verdict::Lost };
    let score = score(criteria, &metadata, has_won)?;
    let end = End { metadata, ..End::new(official(&summary, has_won)) };
    Ok(JudgeEnd { verdict, score, summary, end })
}

/// The end of a game of several players: a line of metadata, and a line with the score of each.
///
/// # Errors
/// What is wrong with them.
#[doc(hidden)]
pub fn end_of_several(
    players: usize,
    metadata: &[String],
    scores: &[String],
    summary: Vec<String>,
) -> Result<JudgeEnd, String> {
    let metadata = read_metadata(&metadata.join("\n"))?;
    let scores = scores_of_several(players, scores)?;
    let shown: Vec<String> = scores.iter().map(ToString::to_string).collect();
    let seats = SeatEnd::by_scores(&scores, Direction::Higher);
    let end = End { metadata, seats, ..End::new(format!("scores: {}", shown.join(" "))) };
    Ok(JudgeEnd { verdict: Verdict::Completed, score: None, summary, end })
}

/// The score of each player, by number.
fn scores_of_several(players: usize, lines: &[String]) -> Result<Vec<Score>, String> {
    let pair = |line: &String| {
        let (player, score) = line.split_once(' ')?;
        Some((player.parse::<usize>().ok()?, score.parse::<Score>().ok()?))
    };
    let mut pairs: Vec<_> = lines.iter().map_while(pair).collect();
    pairs.sort_unstable_by_key(|(player, _)| *player);
    let is_of_each = pairs.iter().map(|(player, _)| *player).eq(0..players);
    if !is_of_each || pairs.len() < lines.len() {
        let text = quote(lines.join("\n").as_bytes());
        return Err(format!("ended with {text} as SCORES of {players} players"));
    }
    Ok(pairs.into_iter().map(|(_, score)| score).collect())
}

fn read_metadata(text: &str) -> Result<BTreeMap<String, String>, String> {
    let problem = || format!("ended with {} as METADATA", quote(text.as_bytes()));
    let Value::Object(values) = serde_json::from_str(text).map_err(|_| problem())? else {
        return Err(problem());
    };
    let plain = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(values.into_iter().map(|(key, value)| (key, plain(value))).collect())
}

/// Whether the only player has won: `0 1` says so, `0 0` that it has lost.
fn has_won(scores: &[String]) -> Result<bool, String> {
    let score = match scores {
        [line] => line.strip_prefix("0 ").and_then(|score| score.parse::<i64>().ok()),
        _ => None,
    };
    let text = scores.join("\n");
    Ok(score.ok_or_else(|| format!("ended with {} as SCORES", quote(text.as_bytes())))? > 0)
}

/// The score, which a game that was lost may lack.
fn score(
    criteria: Option<&str>,
    metadata: &BTreeMap<String, String>,
    has_won: bool,
) -> Result<Option<Score>, String> {
    let Some(criteria) = criteria else { return Ok(None) };
    match metadata.get(criteria).map(|score| score.parse().map_err(|_| score)) {
        Some(Ok(score)) => Ok(Some(score)),
        // A loser's score does not count, so that it may be anything.
        _ if !has_won => Ok(None),
        Some(Err(score)) => Err(format!(
            "ended with {} as `{criteria}`, which is not a number",
            quote(score.as_bytes())
        )),
        None => {
            let known: Vec<&str> = metadata.keys().map(String::as_str).collect();
            Err(format!(
                "ended without `{criteria}`, its criterion; its metadata: {}",
                known.join(", ")
            ))
        }
    }
}

/// The result in the game's words: the last marked line, which `winGame` and `loseGame` write, or else the last one.
fn official(summary: &[String], has_won: bool) -> String {
    let marked =
        summary.iter().rfind(|line| line.starts_with("¤GREEN¤") || line.starts_with("¤RED¤"));
    let text =
        marked.or_else(|| summary.last()).map(|line| without_color_marks(line)).unwrap_or_default();
    match (text.trim().is_empty(), has_won) {
        (false, _) => text,
        (true, true) => "won".to_owned(),
        (true, false) => "lost".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn ended(metadata: &str, scores: &str, summary: &str) -> Result<JudgeEnd, String> {
        end(Some("Points"), &lines(metadata), &lines(scores), lines(summary))
    }

    #[test]
    fn a_game_ends_with_its_criterion_as_the_score() {
        let end = ended(
            "{\"Points\":\"53800.0\",\"x\":\"y\"}",
            "0 1",
            "Moves: 3\n¤GREEN¤score: 3§GREEN§",
        )
        .expect("whole");
        assert_eq!(end.verdict, Verdict::Completed);
        assert_eq!(end.score.map(|score| score.to_string()).as_deref(), Some("53800.0"));
        assert_eq!(end.end.official, "score: 3");
        assert_eq!(end.end.metadata["x"], "y");
        assert_eq!(end.summary.len(), 2);
        let lost = ended("{\"Points\":\"NaN\"}", "0 0", "").expect("whole");
        let found = (lost.verdict, lost.score, lost.end.official.as_str());
        assert_eq!(found, (Verdict::Lost, None, "lost"));
    }

    #[test]
    fn equal_scores_of_several_players_share_a_place() {
        let end = end_of_several(3, &lines("{\"gold\":\"5.0\"}"), &lines("0 7\n2 7\n1 -1"), vec![]);
        let end = end.expect("whole");
        let found: Vec<_> = end.end.seats.iter().map(|seat| seat.place).collect();
        assert_eq!((found, end.end.official.as_str()), (vec![1, 3, 1], "scores: 7 -1 7"));
        assert_eq!((end.verdict, end.score), (Verdict::Completed, None));
        for scores in ["0 7\n1 7", "0 7\n1 7\n3 7", "0 7\n1 7\n1 7", "0 7\n1 7\n2 x", ""] {
            let problem = end_of_several(3, &lines("{}"), &lines(scores), vec![]);
            let problem = problem.expect_err(scores);
            assert!(problem.contains("as SCORES of 3 players"), "{problem}");
        }
    }

    #[test]
    fn what_is_no_end_is_trouble() {
        for (metadata, scores, expected) in [
            ("{\"Points\":\"NaN\"}", "0 1", "ended with `NaN` as `Points`, which is not a number"),
            ("{\"Score\":\"1\",\"b\":\"2\"}", "0 1", "its metadata: Score, b"),
            ("Points", "0 1", "`Points` as METADATA"),
            ("[]", "0 1", "`[]` as METADATA"),
            ("{\"Points\":\"1\"}", "", "as SCORES"),
            ("{\"Points\":\"1\"}", "0 1\n1 0", "as SCORES"),
            ("{\"Points\":\"1\"}", "won", "`won` as SCORES"),
        ] {
            let problem = ended(metadata, scores, "").expect_err(expected);
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
