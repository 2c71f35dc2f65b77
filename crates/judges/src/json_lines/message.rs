//! The messages of the protocol, version 1.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use rules::game::judge::{Case, JudgeEnd, Question};
use rules::game::{Answer, End, Seat};
use rules::score::Score;
use rules::source::json_problem;
use terms::bounds::JUDGE_LINES;
use terms::millis::Millis;
use terms::text::quote;
use terms::verdict::{NoReply, Verdict};

/// The version of the protocol.
const PROTOCOL: u32 = 1;

/// What the referee says.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ToJudge<'a> {
    /// The first message.
    Start {
        /// The version of the protocol.
        protocol: u32,
        /// The test case.
        #[serde(flatten)]
        case: &'a Case,
        /// The number of players, if more than one.
        #[serde(skip_serializing_if = "Option::is_none")]
        players: Option<u32>,
    },
    /// A reply of the bot.
    Reply {
        /// Its lines, without terminators.
        reply: Vec<String>,
        /// The time that it took.
        elapsed_ms: Millis,
        /// The player, in a game of several.
        #[serde(skip_serializing_if = "Option::is_none")]
        player: Option<Seat>,
    },
    /// The bot gave no reply: it must not be asked again, and the game of a single player must end.
    NoReply {
        /// The reason.
        no_reply: &'static str,
        /// The player, in a game of several.
        #[serde(skip_serializing_if = "Option::is_none")]
        player: Option<Seat>,
    },
}

impl<'a> ToJudge<'a> {
    /// The first message of a game on `case`, with the number of players if there are several.
    pub fn start(case: &'a Case, players: Option<u32>) -> Self {
        Self::Start { protocol: PROTOCOL, case, players }
    }

    /// The answer to a question, with the player in a game of several.
    pub fn answer(answer: Answer<'a>, player: Option<Seat>) -> Self {
        match answer {
            Answer::Reply { lines, elapsed } => {
                Self::Reply { reply: lines.to_text(), elapsed_ms: Millis(elapsed), player }
            }
            Answer::NoReply { why, .. } => Self::NoReply { no_reply: reason(why), player },
        }
    }

    /// The message as a line.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers") + "\n"
    }
}

fn reason(why: NoReply) -> &'static str {
    match why {
        NoReply::Deadline => "timeout",
        NoReply::Ended(_) => "ended",
        NoReply::StdoutClosed => "stdout_closed",
        NoReply::LineTooLong => "line_too_long",
        NoReply::OverLimit(_) => "over_limit",
        _ => "other",
    }
}

/// What a judge says.
#[derive(Debug)]
pub enum FromJudge {
    /// A question for the bot.
    Ask(Question),
    /// The end of the game.
    End(JudgeEnd),
}

/// The fields of every message; unknown ones are ignored.
#[derive(Deserialize)]
struct Fields<'a> {
    ask: Option<String>,
    #[serde(default = "one_line")]
    lines: Option<u32>,
    limit_ms: Option<Millis>,
    #[serde(borrow)]
    score: Option<&'a RawValue>,
    #[serde(default)]
    summary: Vec<String>,
    end: Option<String>,
    official: Option<String>,
    #[serde(default)]
    metadata: BTreeMap<String, Value>,
}

#[expect(clippy::unnecessary_wraps, reason = "the type of the field, which null makes `None`")]
fn one_line() -> Option<u32> {
    Some(1)
}

/// Reads a line of the judge of a game of one player.
///
/// # Errors
/// What is wrong with it.
pub fn parse(line: &[u8]) -> Result<FromJudge, String> {
    read::<Fields<'_>>(line)?.message(line)
}

/// Deserializes a line, or says what the judge wrote in its place.
pub(super) fn read<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| {
        let (column, problem) = (error.column(), json_problem(&error));
        format!("wrote {}, which is not a message: {problem}, at column {column}", quote(line))
    })
}

impl Fields<'_> {
    fn message(mut self, line: &[u8]) -> Result<FromJudge, String> {
        match (self.ask.take(), self.end.take()) {
            (Some(input), None) => self.question(input).map(FromJudge::Ask),
            (None, Some(how)) => self.ending(how).map(FromJudge::End),
            (Some(_), Some(_)) => {
                Err(format!("wrote {}, which has both `ask` and `end`", quote(line)))
            }
            (None, None) => {
                Err(format!("wrote {}, which has neither `ask` nor `end`", quote(line)))
            }
        }
    }

    fn question(self, input: String) -> Result<Question, String> {
        if let Some(lines) = self.lines.filter(|lines| !(1..=JUDGE_LINES).contains(lines)) {
            return Err(format!(
                "asked for {lines} lines; `lines` is 1 to {JUDGE_LINES}, or null for all output"
            ));
        }
        let limit = self.limit_ms.map(|limit| limit.0);
        if limit == Some(Duration::ZERO) {
            return Err("gave 0 as `limit_ms`; leave it out for the settings' limits".to_owned());
        }
        let score = self.score()?;
        let (lines, summary) = (self.lines, self.summary);
        Ok(Question { input, lines, limit, score, summary, ..Question::default() })
    }

    fn ending(self, how: String) -> Result<JudgeEnd, String> {
        let verdict = read_ending(&how)?;
        let score = self.score()?;
        let official = self.official.filter(|text| !text.trim().is_empty()).unwrap_or(how);
        let metadata = self.metadata.into_iter().map(plain).collect::<Result<_, _>>()?;
        let end = End { metadata, ..End::new(official) };
        Ok(JudgeEnd { verdict, score, summary: self.summary, end })
    }

    fn score(&self) -> Result<Option<Score>, String> {
        let score = self.score.map(|text| text.get().parse()).transpose();
        score.map_err(|error| format!("gave a wrong `score`: {error}"))
    }
}

pub(super) fn read_ending(how: &str) -> Result<Verdict, String> {
    match how {
        "completed" => Ok(Verdict::Completed),
        "lost" => Ok(Verdict::Lost),
        "malformed" => Ok(Verdict::MalformedReply),
        "illegal" => Ok(Verdict::IllegalMove),
        _ => Err(format!(
            "ended the game as {}; `end` is \"completed\", \"lost\", \"malformed\" or \"illegal\"",
            quote(how.as_bytes())
        )),
    }
}

fn plain((key, value): (String, Value)) -> Result<(String, String), String> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(format!(
                "gave {} as `{key}` of `metadata`; values are strings, numbers, true or false",
                quote(value.to_string().as_bytes())
            ));
        }
    };
    Ok((key, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use terms::lines::Lines;
    use terms::seed::Seed;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn a_question_has_defaults() {
        let ask = |text: &str| match parse(text.as_bytes()) {
            Ok(FromJudge::Ask(ask)) => ask,
            other => panic!("{text}: {other:?}"),
        };
        let plain = ask("{\"ask\":\"7\\n\"}");
        assert_eq!((plain.input.as_str(), plain.lines, plain.limit), ("7\n", Some(1), None));
        assert!(plain.score.is_none() && plain.summary.is_empty() && plain.peer.is_none());
        let full = ask(
            "{\"ask\":\"\",\"lines\":null,\"limit_ms\":1.5,\"score\":53800.0,\"summary\":[\"a\"],\"new\":{}}",
        );
        assert_eq!((full.lines, full.limit), (None, Some(Duration::from_micros(1500))));
        let score = full.score.map(|score| score.to_string());
        assert_eq!((score.as_deref(), full.summary), (Some("53800.0"), vec!["a".to_owned()]));
        assert_eq!(ask("{\"ask\":\"\",\"score\":null}").score, None);
    }

    #[test]
    fn an_end_says_how() {
        let end = |text: &str| match parse(text.as_bytes()) {
            Ok(FromJudge::End(end)) => end,
            other => panic!("{text}: {other:?}"),
        };
        let lost = end("{\"end\":\"lost\"}");
        let found = (lost.verdict, lost.end.official.as_str(), lost.score);
        assert_eq!(found, (Verdict::Lost, "lost", None));
        let full = end(
            "{\"end\":\"completed\",\"score\":-1e3,\"official\":\"Done.\",\"metadata\":{\"a\":1,\"b\":\"c\"}}",
        );
        assert_eq!((full.score, full.end.official.as_str()), (Some((-1000).into()), "Done."));
        assert_eq!(full.end.metadata, map(&[("a", "1"), ("b", "c")]));
    }

    #[test]
    fn a_line_that_is_not_a_message_is_trouble() {
        for (text, expected) in [
            ("hello", "wrote `hello`, which is not a message: expected value, at column 1"),
            ("", "wrote ``, which is not a message"),
            ("[]", "which is not a message"),
            ("{}", "neither `ask` nor `end`"),
            ("{\"ask\":\"\",\"end\":\"lost\"}", "both `ask` and `end`"),
            ("{\"ask\":\"\",\"lines\":0}", "asked for 0 lines"),
            ("{\"ask\":\"\",\"lines\":99999999}", "asked for 99999999 lines"),
            ("{\"ask\":\"\",\"lines\":99999999999}", "which is not a message"),
            ("{\"ask\":\"\",\"limit_ms\":0}", "gave 0 as `limit_ms`"),
            ("{\"ask\":\"\",\"limit_ms\":-5}", "which is not a message"),
            ("{\"ask\":\"\",\"score\":NaN}", "which is not a message"),
            ("{\"ask\":\"\",\"score\":\"3\"}", "gave a wrong `score`: a score is a number such as"),
            ("{\"ask\":\"\",\"score\":1e29}", "gave a wrong `score`: the score 1e29 is too large"),
            ("{\"end\":\"won\"}", "ended the game as `won`"),
            ("{\"end\":\"lost\",\"metadata\":{\"a\":[1]}}", "gave `[1]` as `a` of `metadata`"),
        ] {
            let problem = parse(text.as_bytes()).expect_err(text);
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }

    #[test]
    fn the_referee_speaks_version_1() {
        let text = Case::Text("a".to_owned());
        assert_eq!(
            ToJudge::start(&Case::Seed(7.into()), None).line(),
            "{\"protocol\":1,\"seed\":7}\n"
        );
        let largest = ToJudge::start(&Case::Seed(Seed::MAX), None).line();
        assert_eq!(largest, "{\"protocol\":1,\"seed\":18446744073709551615}\n");
        assert_eq!(ToJudge::start(&text, None).line(), "{\"protocol\":1,\"case\":\"a\"}\n");
        let lines = Lines::split(b"4\t2\n");
        let reply = Answer::Reply { lines: &lines, elapsed: Duration::from_micros(1500) };
        let line = ToJudge::answer(reply, None).line();
        assert_eq!(line, "{\"reply\":[\"4\\t2\"],\"elapsed_ms\":1.5}\n");
        let silence = Answer::new(&lines, Some(NoReply::Deadline));
        assert_eq!(ToJudge::answer(silence, None).line(), "{\"no_reply\":\"timeout\"}\n");
        let start = ToJudge::start(&Case::Seed(7.into()), Some(2)).line();
        assert_eq!(start, "{\"protocol\":1,\"seed\":7,\"players\":2}\n");
        let silence = ToJudge::answer(silence, Some(0)).line();
        assert_eq!(silence, "{\"no_reply\":\"timeout\",\"player\":0}\n");
    }

    proptest! {
        #[test]
        fn any_line_is_taken_or_refused(
            text in "\\{(\"(ask|end|lines|score|limit_ms)\":(\"lost\"|1e9|-3|null|NaN|\\{\\}),?){0,4}\\}",
        ) {
            let _ = parse(text.as_bytes());
        }
    }
}
