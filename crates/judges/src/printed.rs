//! What a program prints that judges a game by itself: the score, and why it refused an answer.
//!
//! Such programs are written for people. They print `Score = 7`, `Total Cost = 7` or a bare number, to standard output or to
//! standard error. They refuse an answer with a score of 0 or -1 beside a reason, by a panic, or with no score at all.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use regex_lite::{Captures, Regex};
use serde::{Deserialize, Serialize, Serializer};

use rules::game::judge::{JudgeEnd, Steps};
use rules::game::{Drawing, End, Step};
use rules::score::Score;
use terms::bounds::{GAME_OUTPUT, JUDGE_LINE, SUMMARY_LINES};
use terms::text::{cut, exact_size};
use terms::verdict::{BotExit, Verdict};

use crate::said::{PlainSaid, Said, plain_line, plain_text};

/// Rust's exit status after a panic, by which scorers refuse answers that they cannot read.
const PANIC: BotExit = BotExit::Code(101);

/// How many different texts that could be the score are compared with what the bot wrote. More come from no tester alone.
const COMPARED: usize = 20;

/// How many of the bot's lines in which one of them occurs are looked for in what was printed.
const COMPARED_LINES: usize = 200;

/// How many lines are examined that begin with an unfinished line of the bot's, and how much of each.
const GLUED_LINES: usize = 100;
/// See [`GLUED_LINES`].
const GLUED_BYTES: usize = 1000;

/// What a program has printed, and how it ended.
#[derive(Debug, Clone)]
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: BotExit,
    /// What the bot has written, if the program may have printed that too.
    pub(crate) said: Said,
}

impl Printed {
    /// The lines with something in them.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.stdout.lines().chain(self.stderr.lines());
        lines.filter(|line| !line.trim().is_empty())
    }
}

/// How the score is found: by the user's pattern, or by the patterns of most testers.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct ScorePattern {
    /// The patterns, tried in turn.
    patterns: Vec<Regex>,
    /// Finds a line that is meant as a score, but has a number in a form that `patterns` do not know, up to its first digit.
    /// A pattern of the user's has none.
    unclear: Option<Regex>,
}

/// Why a text is not a pattern that finds a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScorePatternError {
    /// It is not a pattern.
    #[error("{0}")]
    Malformed(String),
    /// It does not say where the score is.
    #[error("the pattern has no group `(?P<score>…)`")]
    NoGroup,
}

impl Default for ScorePattern {
    /// The patterns of most testers, tried in turn. Each matches one whole line.
    fn default() -> Self {
        let number = r"(?P<score>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)";
        let (label, gap) = (r"(?:(?:final|total|raw) )?(?:score|cost)", r"[ \t\r]*");
        let patterns = [
            format!(r"(?mi)^{gap}{label}{gap}[=:]{gap}{number}{gap}(?:,[^\d\n].*|\(.*)?$"),
            format!(r"(?m)^{gap}{number}{gap}$"),
        ];
        let regex = |pattern: &String| Regex::new(pattern).expect("it is right");
        let unclear = format!(
            r"(?mi)^{gap}(?:(?P<label>{label}{gap}[=:]{gap}[^\s\d]*\d).*|[-+]?\d{{1,3}}(?:[,_' ]\d{{3}})+(?:\.\d+)?{gap})$"
        );
        Self { patterns: patterns.iter().map(regex).collect(), unclear: Some(regex(&unclear)) }
    }
}

impl TryFrom<String> for ScorePattern {
    type Error = ScorePatternError;

    /// A pattern of the user's.
    fn try_from(pattern: String) -> Result<Self, ScorePatternError> {
        let pattern = Regex::new(&pattern);
        let pattern = pattern.map_err(|error| ScorePatternError::Malformed(error.to_string()))?;
        if pattern.capture_names().flatten().all(|name| name != "score") {
            return Err(ScorePatternError::NoGroup);
        }
        Ok(Self { patterns: vec![pattern], unclear: None })
    }
}

impl Serialize for ScorePattern {
    /// The user's pattern, if there is one.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.patterns[..] {
            [pattern] => serializer.serialize_str(pattern.as_str()),
            _ => serializer.serialize_none(),
        }
    }
}

/// A text that could be the score.
struct Candidate<'a> {
    /// The stream that it is in.
    text: &'a str,
    /// Its line, and where that starts in the stream.
    line: &'a str,
    start: usize,
    number: &'a str,
    /// By what it is compared with the bot's lines: its label and its number, as plain text.
    key: String,
    /// Whether it has no label, so that it is compared as a whole line.
    is_bare: bool,
}

impl<'a> Candidate<'a> {
    fn new(text: &'a str, captures: &Captures<'a>) -> Option<Self> {
        let (whole, score) = (captures.get(0)?, captures.name("score")?);
        let start = text[..score.start()].rfind('\n').map_or(0, |end| end + 1);
        let end = text[score.end()..].find('\n').map_or(text.len(), |end| score.end() + end);
        let head = plain_line(&text[whole.start().max(start)..score.end()]);
        let tail = plain_line(&text[score.start()..whole.end().min(end)]);
        let number = plain_line(score.as_str());
        let key = if head == number { tail } else { head };
        let is_bare = key == number;
        let line = &text[start..end];
        Some(Self { text, line, start, number: score.as_str(), key, is_bare })
    }

    /// All of a stream.
    fn all(pattern: &Regex, text: &'a str) -> Vec<Self> {
        pattern.captures_iter(text).filter_map(|captures| Self::new(text, &captures)).collect()
    }
}

/// Why what looks like a score does not count.
#[derive(Debug)]
struct Doubt {
    why: String,
    /// Whether the bot has spoilt a line of the program's.
    is_spoilt: bool,
}

/// The end of a game by what a program has printed.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) end: JudgeEnd,
    /// Why there is no score, if that is the bot's doing.
    remark: Option<String>,
    /// Whether the bot has spoilt the line that had the score.
    pub(crate) is_spoilt: bool,
}

impl From<JudgeEnd> for Judged {
    fn from(end: JudgeEnd) -> Self {
        Self { end, remark: None, is_spoilt: false }
    }
}

impl Judged {
    /// The step to it, with what the program has drawn.
    pub(crate) fn step(self, steps: &Steps, drawings: Vec<Drawing>) -> Step {
        let end = End { drawings, ..self.end.end };
        let mut step = steps.end(JudgeEnd { end, ..self.end });
        let remarks = [step.ruling.remark.take(), self.remark];
        let remarks: Vec<String> = remarks.into_iter().flatten().collect();
        step.ruling.remark = Some(remarks.join("; ")).filter(|remark| !remark.is_empty());
        step
    }
}

/// What is found in a program's output.
#[derive(Default)]
struct Finding<'a> {
    found: Option<(Candidate<'a>, Score)>,
    /// Why the program's number is not a score.
    problem: Option<String>,
    doubt: Option<Doubt>,
}

impl Finding<'_> {
    fn score(&self) -> Option<Score> {
        self.found.as_ref().map(|(_, score)| *score)
    }

    /// What to add to the diagnosis.
    fn remark(&self) -> Option<String> {
        let doubt = self.doubt.as_ref().filter(|_| self.found.is_none());
        doubt.map(|doubt| doubt.why.clone())
    }
}

/// What the bot wrote, beside what the program has printed.
struct Comparison<'a> {
    printed: &'a Printed,
    /// Its standard error and its standard output as plain text.
    plain: [String; 2],
    said: PlainSaid,
    /// Whether the pattern is the user's.
    is_users: bool,
}

/// Whose a text is that could be the score.
enum Whose {
    /// The program's.
    Own,
    /// The program's, if nothing else is there: it has printed the line more often than the bot wrote it, but once in each
    /// stream, which could be one line of the bot's twice.
    Unclear(Doubt),
    /// Perhaps the bot's.
    Bots(Doubt),
}

impl<'a> Comparison<'a> {
    /// Whose a candidate is. `all` are the candidates of its stream.
    fn whose(&self, candidate: &Candidate<'_>, all: &[Candidate<'_>], pattern: &Regex) -> Whose {
        let shown = cut(candidate.line.trim(), JUDGE_LINE);
        if self.said.is_cut {
            let most = exact_size(GAME_OUTPUT);
            let why = format!("the bot wrote more than {most}, from which no score can be told");
            return Whose::Bots(Doubt { why, is_spoilt: false });
        }
        let line = plain_line(candidate.line);
        let at = line.find(&candidate.key).unwrap_or_default();
        if self.said.open_at(&line, at).is_some() {
            return Whose::Bots(spoilt(&shown));
        }
        let why = format!("`{shown}` is not taken for the score, since the bot wrote it too");
        let doubt = Doubt { why, is_spoilt: false };
        let key = candidate.key.as_str();
        let texts = [&self.printed.stderr, &self.printed.stdout];
        let (here, everywhere, said) = if candidate.is_bare {
            let times = |text: &str| text.lines().filter(|line| plain_line(line) == key).count();
            let everywhere: usize = texts.iter().map(|text| times(text)).sum();
            (times(candidate.text), everywhere, self.said.count_whole(key))
        } else {
            let times = |all: &[Candidate<'_>]| all.iter().filter(|it| it.key == key).count();
            let here = times(all);
            let other = texts.into_iter().find(|text| !std::ptr::eq(text.as_str(), candidate.text));
            let other = other.map_or(0, |text| times(&Candidate::all(pattern, text)));
            (here, here + other, self.count_lines(candidate, here + other, pattern))
        };
        // A bot's answers can be numbers without a label. One of them can be the score as well.
        let is_answer = candidate.is_bare && everywhere == 1 && !self.said.is_of_errors(key);
        if here > said {
            Whose::Own
        } else if (everywhere > said || is_answer) && self.has_no_words(key) {
            Whose::Unclear(doubt)
        } else {
            Whose::Bots(doubt)
        }
    }

    /// Whether the program has nothing to say besides figures, the bot's lines and the score.
    fn has_no_words(&self, key: &str) -> bool {
        let is_known = |line: &str| {
            let plain = plain_line(line);
            is_figure(line) || plain == key || self.said.count_whole(&plain) > 0
        };
        let lines: Vec<&str> = self.printed.lines().take(SUMMARY_LINES + 1).collect();
        lines.len() <= SUMMARY_LINES && lines.into_iter().all(is_known)
    }

    /// How many lines of the bot's could be a candidate, up to `enough`.
    fn count_lines(&self, candidate: &Candidate<'_>, enough: usize, pattern: &Regex) -> usize {
        let key = candidate.key.as_str();
        let is_score = |line: &str| {
            let of_users = line.strip_prefix(key).filter(|_| self.is_users);
            of_users.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
                || Candidate::all(pattern, line).iter().any(|other| other.key == key)
        };
        let compared = Cell::new(0);
        // A line of the bot's that is another score or none, and was printed as it is, is nothing else.
        let is_known = |line: &str| {
            compared.set(compared.get() + 1);
            compared.get() <= COMPARED_LINES
                && !is_score(line)
                && self.plain.iter().any(|printed| printed.contains(line))
        };
        self.said.count(key, enough, is_known)
    }

    /// A line after the `found` score, or in the other stream, in which an unfinished line of the bot's may hide the real one.
    fn hidden_score(&self, patterns: &[Regex], found: Option<&Candidate<'_>>) -> Option<Doubt> {
        let open: Vec<&str> = self.said.open().collect();
        if open.is_empty() {
            return None;
        }
        let rest = |text: &'a str| match found {
            Some(found) if std::ptr::eq(found.text, text) => {
                &text[found.start + found.line.len()..]
            }
            _ => text,
        };
        let texts = [rest(&self.printed.stderr), rest(&self.printed.stdout)];
        let lines = texts.into_iter().flat_map(str::lines);
        let glued = lines.filter_map(|line| {
            let plain = plain_line(line);
            let begins = |open: &&&str| plain.starts_with(**open) && plain != **open;
            Some((line, *open.iter().find(begins)?))
        });
        let hides = |line: &str, open: &str| {
            let rest = after(line, open);
            rest.is_none_or(|rest| patterns.iter().any(|pattern| pattern.is_match(rest)))
        };
        let mut glued = glued.enumerate();
        let hidden =
            glued.find(|(number, (line, open))| *number == GLUED_LINES || hides(line, open));
        hidden.map(|(_, (line, _))| spoilt(&cut(line.trim(), JUDGE_LINE)))
    }
}

fn spoilt(line: &str) -> Doubt {
    let why = format!(
        "`{line}` is not taken for the score, since it begins with an unfinished line of the bot's"
    );
    Doubt { why, is_spoilt: true }
}

/// What follows an unfinished line of the bot's in a line; `None` if that is too long to be found.
fn after<'a>(line: &'a str, open: &str) -> Option<&'a str> {
    let ends = line.char_indices().map(|(at, c)| at + c.len_utf8());
    let end =
        ends.take_while(|end| *end <= GLUED_BYTES).find(|end| plain_line(&line[..*end]) == open);
    end.map(|end| &line[end..])
}

impl ScorePattern {
    /// Finds the score: the last match in standard error, or else in standard output, that is certainly the program's own.
    fn find<'a>(&self, printed: &'a Printed) -> Finding<'a> {
        let is_users = self.unclear.is_none();
        let plain = [&printed.stderr, &printed.stdout].map(|text| plain_text(text));
        let with = Comparison { printed, plain, said: printed.said.plain(), is_users };
        let mut finding = Finding::default();
        let mut unclear = None;
        for (number, pattern) in self.patterns.iter().enumerate() {
            for text in [&printed.stderr, &printed.stdout] {
                let search = Search::of(pattern, text, &with);
                if let Some(own) = search.own {
                    match own.number.parse::<Score>() {
                        Ok(score) => return self.found(number, own, score, &with),
                        Err(error) => {
                            finding.problem = finding.problem.or_else(|| Some(error.to_string()));
                        }
                    }
                }
                unclear = unclear.or(search.unclear.map(|candidate| (number, candidate)));
                finding.doubt = finding.doubt.or(search.doubt);
            }
        }
        if let Some((number, candidate)) = unclear
            && let Ok(score) = candidate.number.parse::<Score>()
        {
            return self.found(number, candidate, score, &with);
        }
        if let Some(hidden) = with.hidden_score(&self.patterns, None) {
            finding.doubt = Some(hidden);
        }
        if finding.doubt.is_none() {
            finding.problem = finding.problem.or_else(|| self.unclear_line(printed, &with.said));
        }
        finding
    }

    /// What is found if that is a score by this pattern, unless the bot may have hidden a later one.
    fn found<'a>(
        &self,
        pattern: usize,
        candidate: Candidate<'a>,
        score: Score,
        with: &Comparison<'_>,
    ) -> Finding<'a> {
        // Programs that label their score print none without a label.
        match with.hidden_score(&self.patterns[..=pattern], Some(&candidate)) {
            None => Finding { found: Some((candidate, score)), ..Finding::default() },
            doubt => Finding { doubt, ..Finding::default() },
        }
    }

    /// Why what stands for the score is not one: it is in an unknown form.
    fn unclear_line(&self, printed: &Printed, said: &PlainSaid) -> Option<String> {
        let unclear = self.unclear.as_ref()?;
        let is_of_bot = |line: &str, label: Option<&str>| match label {
            Some(label) => said.count(&plain_line(label), 1, |_| false) > 0,
            None => said.count_whole(&plain_line(line)) > 0,
        };
        let mut line = None;
        for text in [&printed.stderr, &printed.stdout] {
            for captures in unclear.captures_iter(text) {
                let found = captures.get(0).map(|found| found.as_str().trim()).unwrap_or_default();
                if !is_of_bot(found, captures.name("label").map(|label| label.as_str())) {
                    line = Some(found);
                }
            }
        }
        let line = line?;
        Some(format!(
            "printed `{line}`, in which no score is understood: a number such as 1360 or 53800.5; `score` in the settings is the \
             pattern that finds it"
        ))
    }

    /// Whether a line has a score.
    fn is_in(&self, line: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(line))
    }

    /// The end of a game by what the program has printed.
    ///
    /// # Errors
    /// What is wrong with the program: it ended in a way that says nothing of the answer.
    pub(crate) fn judge(&self, printed: &Printed) -> Result<Judged, String> {
        let mut finding = self.find(printed);
        let score = finding.score();
        let is_refusal = score.is_some_and(is_refusal);
        let is_spoilt = finding.doubt.as_ref().is_some_and(|doubt| doubt.is_spoilt);
        let reason = self.reason(printed, &finding);
        let verdict = match (printed.exit, score) {
            (BotExit::Code(0), Some(_)) if is_refusal && reason.is_beside_score => Verdict::Lost,
            (BotExit::Code(0), Some(_)) => Verdict::Completed,
            (BotExit::Code(0), None) => match finding.problem.take() {
                Some(problem) if finding.doubt.is_none() => return Err(problem),
                _ if reason.text.is_empty() && finding.doubt.is_none() => {
                    return Err("printed nothing".to_owned());
                }
                _ => Verdict::Lost,
            },
            (PANIC, None) => Verdict::Lost,
            // Else each bot could have its lost games not count.
            (BotExit::Code(_), None) if is_spoilt => Verdict::Lost,
            (BotExit::Code(_), Some(_)) if is_refusal => Verdict::Lost,
            (exit, _) => return Err(unbelievable(exit, score)),
        };
        let official = match (verdict, score) {
            (Verdict::Completed, Some(score)) => format!("Score {score}"),
            (_, None) if reason.text.is_empty() => "no score".to_owned(),
            (_, None) if printed.exit == BotExit::Code(0) => format!("no score: {}", reason.text),
            _ => reason.text,
        };
        Ok(Self::end(verdict, official, &finding, printed))
    }

    /// The end of a game that the bot has lost by itself, in the program's words: a reason, the score or its last words.
    pub(crate) fn end_against(&self, verdict: Verdict, printed: &Printed) -> Judged {
        let finding = self.find(printed);
        let reason = self.reason(printed, &finding);
        let words = match finding.score() {
            Some(score) if !reason.is_certain => format!("Score {score}"),
            _ if reason.text.is_empty() => "the tester says nothing".to_owned(),
            _ => reason.text,
        };
        Self::end(verdict, words, &finding, printed)
    }

    /// A lost game in these words.
    pub(crate) fn lost(&self, words: String, printed: &Printed) -> Judged {
        Self::end(Verdict::Lost, words, &self.find(printed), printed)
    }

    /// An end in these words, beside everything that the program has said.
    fn end(verdict: Verdict, official: String, finding: &Finding<'_>, printed: &Printed) -> Judged {
        let status = ("exit".to_owned(), printed.exit.to_string());
        let end = End { metadata: BTreeMap::from([status]), ..End::new(official) };
        let (score, summary) = (finding.score(), kept_lines(printed));
        let remark = finding.remark();
        let is_spoilt = finding.doubt.as_ref().is_some_and(|doubt| doubt.is_spoilt);
        Judged { end: JudgeEnd { verdict, score, summary, end }, remark, is_spoilt }
    }

    /// Why the program refused an answer, in its own words: those beside the score, or else its last.
    fn reason(&self, printed: &Printed, finding: &Finding<'_>) -> Reason {
        let beside = finding.found.as_ref().and_then(|(found, _)| self.beside_score(found));
        if let Some(words) = beside {
            return Reason {
                text: cut(words, JUDGE_LINE),
                is_beside_score: true,
                is_certain: true,
            };
        }
        let texts = [&printed.stderr, &printed.stdout];
        let words = texts.iter().find_map(|text| panic_message(text));
        let is_certain = words.is_some();
        let last = || texts.iter().find_map(|text| self.last_words(text)).map(str::to_owned);
        let text = words.or_else(last).unwrap_or_default();
        Reason { text: cut(&text, JUDGE_LINE), is_beside_score: false, is_certain }
    }

    /// The line before or after the score, and after or before other figures around it.
    fn beside_score<'a>(&self, found: &Candidate<'a>) -> Option<&'a str> {
        let (before, rest) = found.text.split_at(found.start);
        let is_words = |line: &&str| !self.is_in(line) && !is_figure(line);
        let before = before.lines().rev().map(str::trim).find(is_words);
        let after = rest[found.line.len()..].lines().skip(1).map(str::trim).find(is_words);
        let is_reason = |line: &&str| !line.is_empty() && !is_noise(line);
        after.filter(is_reason).or(before.filter(is_reason))
    }

    fn last_words<'a>(&self, text: &'a str) -> Option<&'a str> {
        let lines = text.lines().map(str::trim);
        lines.rev().find(|line| !line.is_empty() && !is_noise(line) && !self.is_in(line))
    }
}

/// What a pattern finds in a stream, from its end on.
#[derive(Default)]
struct Search<'a> {
    /// The last candidate that is the program's.
    own: Option<Candidate<'a>>,
    /// One after it that may be.
    unclear: Option<Candidate<'a>>,
    /// Why later ones are not.
    doubt: Option<Doubt>,
}

impl<'a> Search<'a> {
    fn of(pattern: &Regex, text: &'a str, with: &Comparison<'_>) -> Self {
        let mut all = Candidate::all(pattern, text);
        let mut compared = BTreeSet::new();
        let mut search = Self::default();
        let (mut own, mut unclear) = (None, None);
        for (number, candidate) in all.iter().enumerate().rev() {
            if compared.len() == COMPARED {
                break;
            }
            if !compared.insert((candidate.key.as_str(), candidate.is_bare)) {
                continue;
            }
            match with.whose(candidate, &all, pattern) {
                Whose::Own => {
                    own = Some(number);
                    break;
                }
                Whose::Unclear(doubt) => {
                    unclear.get_or_insert(number);
                    search.doubt.get_or_insert(doubt);
                }
                Whose::Bots(doubt) => drop(search.doubt.get_or_insert(doubt)),
            }
        }
        // It comes after the program's own, so that this one keeps its place.
        search.unclear = unclear.map(|number| all.swap_remove(number));
        search.own = own.map(|number| all.swap_remove(number));
        search
    }
}

/// Why a program refused an answer.
#[derive(Debug)]
pub(crate) struct Reason {
    pub(crate) text: String,
    /// Whether it stands beside the score.
    is_beside_score: bool,
    /// Whether it is more than the program's last words.
    is_certain: bool,
}

/// Whether a line is a figure beside the score, such as `Turns = 5`, `turn 2: 7 8` or `Time: 12 ms, Memory: 3 MB`, and no reason
/// such as `Illegal move in turn: 5`.
fn is_figure(line: &str) -> bool {
    const TROUBLE: [&str; 5] = ["error", "fail", "illegal", "invalid", "wrong"];
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_value = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => false,
            [number, unit] if is_number(number) => is_number(unit) || unit.chars().count() <= 5,
            [one] => is_number(one.trim_end_matches(|c: char| c.is_alphabetic() || c == '%')),
            words => words.iter().all(|word| is_number(word)),
        }
    };
    line.split(',').all(|part| {
        let Some((label, value)) = part.split_once(['=', ':']) else { return false };
        let label = label.trim().to_lowercase();
        let is_count = part.contains('=') || label.starts_with("number of");
        is_value(value) && (is_count || !TROUBLE.iter().any(|word| label.contains(word)))
    })
}

/// Whether a score may stand for "no score".
fn is_refusal(score: Score) -> bool {
    score == Score::ZERO || score == Score::from(-1)
}

fn unbelievable(exit: BotExit, score: Option<Score>) -> String {
    match score {
        Some(score) => format!("{exit}, ignoring its score {score}"),
        None => format!("{exit} without a score"),
    }
}

/// What a panic of Rust says, and where.
fn panic_message(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !line.contains(" panicked at "));
    let head = lines.next()?.trim().trim_end_matches(':');
    let message = lines.next().map(str::trim).filter(|line| !is_noise(line)).unwrap_or_default();
    Some(if message.is_empty() { head.to_owned() } else { format!("{head}: {message}") })
}

/// What runtimes add to the words of a program.
fn is_noise(line: &str) -> bool {
    line.starts_with("note: ") || line.starts_with("stack backtrace:")
}

/// The last lines of what the program has printed, standard error after standard output.
fn kept_lines(printed: &Printed) -> Vec<String> {
    let lines: Vec<&str> = printed.lines().collect();
    let kept = &lines[lines.len().saturating_sub(SUMMARY_LINES)..];
    kept.iter().map(|line| line.chars().take(JUDGE_LINE).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(stdout: &str, stderr: &str, code: i32) -> Printed {
        let exit = BotExit::Code(code);
        Printed { stdout: stdout.into(), stderr: stderr.into(), exit, said: Said::default() }
    }

    /// What the bot wrote: to its standard output, and to its standard error.
    fn said(output: &str, errors: &str) -> Said {
        let mut said = Said::default();
        said.output(output.as_bytes());
        said.errors(errors.as_bytes());
        said.end();
        said
    }

    #[test]
    fn what_the_bot_wrote_is_no_score() {
        for (stdout, stderr, said, score) in [
            ("? 1\n4\n", "[WA] too many\n", said("? 1\n\n4\n7\n", ""), None),
            ("? 1\n4\n4\n", "", said("? 1\n4\n", ""), Some("4")),
            ("? 1\n4\n17\n", "", said("? 1\n4\n", ""), Some("17")),
            ("4\n", "turn 1: 0.5\n", said("? 1\n4\n", ""), Some("4")),
            ("4\n", "turn 1: 0.5\n", said("? 1\n4\n", "4\n"), None),
            ("4\n", "wrong answer\n", said("? 1\n4\n", ""), None),
            ("? 1\n4\n", "Score = 9\n", said("? 1\n4\n", ""), Some("9")),
            // Whole lines, with or without the tester's own.
            ("Score = 9\n", "", said("", "Score = 9\n"), None),
            ("Score = 9\n", "", said("Score = 9\n", ""), None),
            ("Score = 9\nScore = 5\n", "", said("", "Score = 9\n"), Some("5")),
            ("Score = 5\nScore = 9\n", "", said("", "Score = 9\n"), Some("5")),
            ("Score = 5\nScore = 5\n", "", said("", "Score = 5\n"), Some("5")),
            ("Score = 5\n", "Score = 5\n", said("", "Score = 5\n"), Some("5")),
            ("Score = 9\nno\n", "Score = 9\n", said("", "Score = 9\n"), None),
            ("9\nx9 is wrong\n", "9\nx", said("", "9\nx"), None),
            (
                "Score = 9\nScore = 9wrong\n",
                "Score = 9\nScore = 9",
                said("", "Score = 9\nScore = 9"),
                None,
            ),
            ("Score = 9\nScore = 5\n", "Score = 9\n", said("", "Score = 9\n"), Some("5")),
            ("Score = 5\nScore = 5\n", "", said("Score = 5\n", "Score = 5\n"), None),
            ("score=9\n", "", said("", "SCORE  =  9\n"), None),
            // More than whole lines.
            ("Score = 9(?\n", "", said("", "Score = 9(\u{fffd}\n"), None),
            ("Score = 9\n", "", said("", "# Score = 9\n"), None),
            ("> best Score = 5 now\nScore = 5\n", "", said("", "best Score = 5 now\n"), Some("5")),
            ("Score = 55\nScore = 5\n", "", said("", "Score = 55\n"), Some("5")),
            // Unfinished lines.
            ("Score = 9\nxScore = 5\n", "", said("", "Score = 9\nx"), None),
            ("Score = 99\nxScore = 5\n", "", said("", "x"), None),
            ("xScore = 5\n", "Score = 99\n", said("", "x"), None),
            ("xScore = 99\nScore = 5\n", "", said("", "x"), Some("5")),
            ("Score = 912\n", "", said("", "Score = 9"), None),
            ("Score = 9(wrong)\n", "", said("", "Score = 9("), None),
            ("91873\n", "", said("", "9"), None),
            ("Score = 14\n", "", said("4", ""), Some("14")),
            ("Score = 5\n", "", said("S", ""), Some("5")),
        ] {
            let case = format!("{stdout:?} {stderr:?} {said:?}");
            let printed = Printed { said, ..printed(stdout, stderr, 0) };
            let Judged { end, remark, .. } = ScorePattern::default().judge(&printed).expect(&case);
            let found = end.score.map(|score| score.to_string());
            assert_eq!(found.as_deref(), score, "{case}: {end:?}");
            let verdict = if score.is_some() { Verdict::Completed } else { Verdict::Lost };
            assert_eq!((end.verdict, remark.is_some()), (verdict, score.is_none()), "{case}");
        }
    }

    #[test]
    fn a_pattern_of_ones_own_finds_no_score_in_the_bots_lines_either() {
        for (pattern, stdout, said, score) in [
            (r"Score: (?P<score>\d+)", "[bot] Score: 9\n", said("", "Score: 9\n"), None),
            (
                r"Score: (?P<score>\d+)",
                "[bot] Score: 9\nScore: 5\n",
                said("", "Score: 9\n"),
                Some("5"),
            ),
            (r"Score: (?P<score>\d+)", "xScore: 5\n", said("", "x"), Some("5")),
            (r"(?m)^Score: (?P<score>\d+)", "> Score: 9\nScore: 9\n", said("", "Score: 9\n"), None),
            (r"(?P<score>\d+) points", "9 points\n", said("", "9 points\n"), None),
            (r"(?P<score>\d+) points", "9 points\n", said("9\n", ""), Some("9")),
            (r"result:\s+(?P<score>\d+)", "result:\n9\nbye\n", said("", "result:\n9\n"), None),
        ] {
            let with = ScorePattern::try_from(pattern.to_owned()).expect("a pattern");
            let printed = Printed { said, ..printed(stdout, "", 0) };
            let end = with.judge(&printed).expect(stdout).end;
            let found = end.score.map(|score| score.to_string());
            assert_eq!(found.as_deref(), score, "{pattern} {stdout:?}: {end:?}");
        }
    }

    #[test]
    fn no_line_of_the_bots_is_the_judges_trouble() {
        for (stdout, errors, code) in [
            ("Score = 9\n", "Score = 9\n", 0),
            ("Score = 1e400\n", "Score = 1e400\n", 0),
            ("Score = 1,234\n", "Score = 1,234\n", 0),
            ("Score = 1,Score = 5\n", "Score = 1,", 0),
            ("12,345\n", "12,345\n", 0),
            ("xScore = 0\n", "x", 1),
        ] {
            let printed = Printed { said: said("", errors), ..printed(stdout, "", code) };
            let judged = ScorePattern::default().judge(&printed);
            let judged = judged.unwrap_or_else(|problem| panic!("{stdout:?}: {problem}"));
            assert_eq!((judged.end.verdict, judged.end.score), (Verdict::Lost, None), "{stdout:?}");
        }
    }

    #[test]
    fn a_flood_of_lines_that_look_like_scores_takes_no_time() {
        let many: Vec<_> = (0..60_000).map(|number| format!("Score = {number}\n")).collect();
        let many = many.concat();
        let printed = Printed { said: said("", &many), ..printed(&many, "", 0) };
        let end = ScorePattern::default().judge(&printed).expect("a result").end;
        assert_eq!((end.verdict, end.score), (Verdict::Lost, None));
    }

    #[test]
    fn programs_for_people_are_understood() {
        use Verdict::{Completed, Lost};
        let panic = "\nthread 'main' panicked at src/bin/vis.rs:9:5:\nline 3: bad\nnote: run with `RUST_BACKTRACE=1`\n";
        for (stdout, stderr, code, how, score, official) in [
            (
                "574618043\n",
                "turn 1: 0.5\nturn 2: 7 8\n",
                0,
                Completed,
                Some("574618043"),
                "Score 574618043",
            ),
            ("1 1 5\n0\n", "1873\n", 0, Completed, Some("1873"), "Score 1873"),
            ("", "Score = 28400\n", 0, Completed, Some("28400"), "Score 28400"),
            ("Score = 1\nScore = 2.50\n", "", 0, Completed, Some("2.50"), "Score 2.50"),
            ("5\n", "Total Cost = 31\n", 0, Completed, Some("31"), "Score 31"),
            ("final score: 1e3\n", "", 0, Completed, Some("1000"), "Score 1000"),
            ("Score = 0.5, RunTime = 12 ms\n", "", 0, Completed, Some("0.5"), "Score 0.5"),
            ("Score: 42 (of 50)\n", "", 0, Completed, Some("42"), "Score 42"),
            ("Turns = 5\nTotal Cost = 0\n", "", 0, Completed, Some("0"), "Score 0"),
            ("turn 1: 7 8\nScore = 0\nTime: 12 ms\n", "", 0, Completed, Some("0"), "Score 0"),
            (
                "",
                "Score = 0\nRate = 0.0\nNumber of wrong answers = 3\n",
                0,
                Completed,
                Some("0"),
                "Score 0",
            ),
            ("Bad move\nTurns = 5\nScore = 0\n", "", 0, Lost, Some("0"), "Bad move"),
            (
                "Invalid move in turn: 5\nScore = 0\n",
                "",
                0,
                Lost,
                Some("0"),
                "Invalid move in turn: 5",
            ),
            ("Score = 0\n", "", 0, Completed, Some("0"), "Score 0"),
            ("Score = 0\nParse error: xx\n", "", 0, Lost, Some("0"), "Parse error: xx"),
            ("ERROR: too short\nScore  = -1\n", "", 0, Lost, Some("-1"), "ERROR: too short"),
            ("", "Error: no path\nScore = 0\nScore = 0\n", 101, Lost, Some("0"), "Error: no path"),
            (
                "",
                panic,
                101,
                Lost,
                None,
                "thread 'main' panicked at src/bin/vis.rs:9:5: line 3: bad",
            ),
            ("Wrong answer\n", "", 0, Lost, None, "no score: Wrong answer"),
        ] {
            let case = format!("{stdout:?} {stderr:?} {code}");
            let end =
                ScorePattern::default().judge(&printed(stdout, stderr, code)).expect(&case).end;
            let found = end.score.map(|score| score.to_string());
            assert_eq!(
                (end.verdict, found.as_deref(), end.end.official.as_str()),
                (how, score, official),
                "{case}"
            );
        }
    }

    const UNCLEAR: &str = "printed `Score = 1,234`, in which no score is understood: a number such as 1360 or 53800.5; \
        `score` in the settings is the pattern that finds it";

    #[test]
    fn a_number_in_another_form_is_not_the_bots_loss() {
        for text in ["12,345,678\n", "Total Cost: 1_000\n", "Score = 5k\nok\n"] {
            let found = ScorePattern::default().judge(&printed(text, "", 0));
            assert!(
                found.as_ref().is_err_and(|error| error.contains("is understood")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_program_that_fails_is_not_believed() {
        for (stdout, code, problem) in [
            ("Score = 5\n", 1, "exited with status 1, ignoring its score 5"),
            ("usage: vis IN OUT\n", 2, "exited with status 2 without a score"),
            (" \n", 0, "printed nothing"),
            (
                "Score = 1e400\n",
                0,
                "the score 1e400 is too large: scores are below 7.9e28 and above -7.9e28",
            ),
            ("Score = 1,234\n", 0, UNCLEAR),
        ] {
            let found = ScorePattern::default().judge(&printed(stdout, "", code));
            assert_eq!(found.expect_err(stdout), problem);
        }
        let killed = Printed { exit: BotExit::Signal(11), ..printed("Score = 0\n", "", 0) };
        assert!(ScorePattern::default().judge(&killed).is_err());
    }

    #[test]
    fn a_pattern_of_ones_own_takes_the_place_of_the_usual_ones() {
        let pattern =
            ScorePattern::try_from(r"points: (?P<score>\d+)".to_owned()).expect("a pattern");
        let end =
            pattern.judge(&printed("points: 3, points: 4\nScore = 9\n", "", 0)).expect("well").end;
        assert_eq!(end.score, Some(4.into()));
        for (pattern, problem) in [("(", "open group"), (r"points: (\d+)", "(?P<score>…)")] {
            let found = ScorePattern::try_from(pattern.to_owned()).expect_err(pattern).to_string();
            assert!(found.contains(problem), "{found}");
        }
    }

    #[test]
    fn the_last_lines_are_kept() {
        let many = (0..500).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n\n");
        let kept = kept_lines(&printed(&many, &"x".repeat(1000), 0));
        assert_eq!((kept.len(), kept[0].as_str()), (SUMMARY_LINES, "line 401"));
        assert_eq!(kept[99].len(), JUDGE_LINE);
    }
}
