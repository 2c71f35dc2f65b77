//! A game whose rules are in another program, as its judge referees it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::judge::{
    Answer, Ask, Case, Drawing, Ending, Judge, JudgeEnd, Judges, Place, Reading, Step, Trouble,
};
use super::rules::{Exchange, Fault, Game, Played, Rejected};
use crate::score::Score;
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};
use terms::peer::Peer;
use terms::verdict::NoReply;

/// A judge that has heard that no reply came may ask this often before it must end the game.
const MOST_UNANSWERED: u32 = 100_000;

/// A game of an outside judge.
///
/// Before [`begin`](Game::begin) it is only its test case: nothing runs.
pub struct Judged {
    judges: Arc<dyn Judges>,
    judge: Option<Box<dyn Judge>>,
    reading: Reading,
    test_case: String,
    case: Case,
    record_key: String,
    /// The question that the bot is to be asked.
    ask: Option<Ask>,
    end: Option<JudgeEnd>,
    trouble: Option<Trouble>,
    has_answered: bool,
    elapsed: Duration,
    score: Option<Score>,
    summary: Vec<String>,
}

impl fmt::Debug for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judged")
            .field("test_case", &self.test_case)
            .field("ask", &self.ask)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

impl Judged {
    /// The game called `name` on a test case, before it begins.
    pub fn new(name: &str, case: Case, judges: Arc<dyn Judges>) -> Self {
        let test_case = case.to_string();
        Self {
            reading: judges.reading(),
            judges,
            judge: None,
            // Judges of different games may take the same text.
            record_key: format!("{name} {test_case}"),
            test_case,
            case,
            ask: None,
            end: None,
            trouble: None,
            has_answered: false,
            elapsed: Duration::ZERO,
            score: None,
            summary: Vec::new(),
        }
    }

    /// Passes on an answer, and asks the judge what comes next.
    fn step(&mut self, answer: Option<Answer<'_>>) -> Result<(), Trouble> {
        // A game that was never begun has no judge to hear the answer.
        let Some(judge) = &mut self.judge else { return Ok(()) };
        if let Some(answer) = answer {
            judge.answer(answer)?;
        }
        self.ask = None;
        let (score, summary) = match judge.next()? {
            Step::Ask(mut ask) => {
                let news = (ask.score.take(), std::mem::take(&mut ask.summary));
                self.ask = Some(ask);
                news
            }
            Step::End(mut end) => {
                let news = (end.score.take(), std::mem::take(&mut end.summary));
                self.end = Some(end);
                news
            }
        };
        self.summary.extend(summary);
        if let Some(score) = score {
            let number = score.parse().map_err(|error| {
                Trouble::new(format!("its score `{score}` cannot be used: {error}"))
            })?;
            self.score = Some(number);
        }
        Ok(())
    }

    /// Notes that the judge failed, which ends the game without a result.
    fn note(&mut self, result: Result<(), Trouble>) {
        if let Err(trouble) = result {
            self.ask = None;
            self.trouble = Some(trouble);
        }
    }

    fn hear_silence(&mut self, why: NoReply) -> Result<(), Trouble> {
        for _ in 0..MOST_UNANSWERED {
            self.step(Some(Answer::NoReply(why)))?;
            if self.ask.is_none() {
                return Ok(());
            }
        }
        Err(Trouble::new("asks on and on, although it was told that no reply came"))
    }
}

impl Game for Judged {
    fn begin(&mut self, place: &Place<'_>) -> Result<(), Trouble> {
        self.judge = Some(self.judges.start(&self.case, place)?);
        self.step(None)?;
        match &self.end {
            Some(end) if end.how != Ending::Completed => {
                Err(Trouble::new("ended the game against the bot before it asked anything"))
            }
            _ => Ok(()),
        }
    }

    fn trouble(&mut self) -> Option<Trouble> {
        self.trouble.take()
    }

    fn next_exchange(&self) -> Option<Exchange> {
        let ask = self.ask.as_ref()?;
        let Reading { max_bytes, eof_ends_line } = self.reading;
        let count = ask.lines.map_or(LineRules::UNTIL_END, |lines| lines as usize);
        let eof_ends_line = eof_ends_line || count == LineRules::UNTIL_END;
        let lines =
            LineRules { count, max_bytes, eof_ends_line, until_exit: true, readable: |_| true };
        let limit = match self.has_answered {
            _ if self.judges.has_total_limit() => LimitKind::Total,
            true => LimitKind::Turn,
            false => LimitKind::FirstTurn,
        };
        Some(Exchange { lines, limit, official: ask.limit })
    }

    fn input(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.ask.as_ref().map_or("", |ask| &ask.input))
    }

    fn asked(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    fn took(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    fn peer(&mut self) -> Option<Box<dyn Peer>> {
        self.judge.as_mut()?.peer()
    }

    fn drawings(&mut self) -> Vec<Drawing> {
        self.judge.as_mut().map(|judge| judge.drawings()).unwrap_or_default()
    }

    fn needs_bot(&self) -> bool {
        self.judges.needs_bot()
    }

    fn accept(&mut self, reply: &Lines) -> Result<Played, Rejected> {
        let is_all_output = self.ask.as_ref().is_some_and(|ask| ask.lines.is_none());
        self.has_answered = true;
        let before = self.score;
        let answer = Answer::Reply { lines: reply, elapsed: self.elapsed };
        let stepped = self.step(Some(answer));
        self.note(stepped);
        match self.end.as_ref().map(|end| end.how) {
            // No line of it is to blame.
            Some(Ending::Lost) if is_all_output => {
                let what = "the judge does not accept the answer";
                let remark = Some(format!("{what}: {}", self.official_result()));
                Err(Rejected { remark, ..Rejected::new(Fault::Lost) })
            }
            Some(Ending::Lost) => Err(Rejected::new(Fault::Lost)),
            Some(Ending::Timeout) => {
                let remark = "it was late, as replies before it, which the judge has forgiven";
                Err(Rejected { remark: Some(remark.to_owned()), ..Rejected::new(Fault::Late) })
            }
            Some(Ending::EarlyExit) => {
                let what = "the bot ended before the game did";
                let remark = Some(format!("{what}: {}", self.official_result()));
                Err(Rejected { remark, ..Rejected::new(Fault::EarlyExit) })
            }
            Some(Ending::Malformed) => Err(Rejected::new(Fault::Malformed)),
            Some(Ending::Illegal) => Err(Rejected::new(Fault::Illegal)),
            Some(Ending::Completed) | None => {
                let gain = self.score.map(|score| score - before.unwrap_or(Score::ZERO));
                Ok(Played { gain, action: Value::Null, remark: None })
            }
        }
    }

    fn unanswered(&mut self, _received: &Lines, why: NoReply) {
        self.has_answered = true;
        let heard = self.hear_silence(why);
        self.note(heard);
    }

    fn score(&self) -> Option<Score> {
        self.score
    }

    fn summary(&self) -> &[String] {
        &self.summary
    }

    fn official_result(&self) -> &str {
        self.end.as_ref().map_or("", |end| &end.official)
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        self.end.as_ref().map(|end| end.metadata.clone()).unwrap_or_default()
    }

    fn test_case(&self) -> &str {
        &self.test_case
    }

    fn groups(&self) -> BTreeMap<String, u32> {
        match (&self.case, self.judges.traits()) {
            (Case::Text(text), Some(traits)) => traits.of(text),
            _ => BTreeMap::new(),
        }
    }

    fn record_key(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.record_key)
    }
}
