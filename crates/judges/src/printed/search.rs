//! Finds the score in what a program has printed, although the bot may have had the program print a score of the bot's choice.

use std::cell::Cell;
use std::collections::BTreeSet;

use regex_lite::{Captures, Regex};

use rules::score::Score;
use terms::bounds::{GAME_OUTPUT, JUDGE_LINE, SUMMARY_LINES};
use terms::text::{cut, exact_size};

use super::pattern::score_of;
use super::{Printed, ScorePattern, is_figure};
use crate::bot_text::{BotText, PlainBotText, plain_line, plain_text};

/// How many different texts that could be the score are compared with what the bot wrote. More come from no tester alone.
const COMPARED: usize = 20;

/// How many of the bot's lines in which one of them occurs are looked for in what was printed.
const COMPARED_LINES: usize = 200;

/// How many lines are examined that begin with an unfinished line of the bot's, and how much of each.
const GLUED_LINES: usize = 100;
/// See [`GLUED_LINES`].
const GLUED_BYTES: usize = 1000;

/// A text that could be the score.
pub(super) struct Candidate<'a> {
    /// The stream that it is in.
    pub(super) text: &'a str,
    /// Its line, and where that starts in the stream.
    pub(super) line: &'a str,
    pub(super) start: usize,
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
pub(super) struct Doubt {
    why: String,
    /// Whether an unfinished line of the bot's runs into this line of the program's.
    pub(super) is_garbled: bool,
}

/// What is found in a program's output.
#[derive(Default)]
pub(super) struct Finding<'a> {
    pub(super) found: Option<(Candidate<'a>, Score)>,
    /// Why the program's number is not a score.
    pub(super) problem: Option<String>,
    pub(super) doubt: Option<Doubt>,
}

impl Finding<'_> {
    pub(super) fn score(&self) -> Option<Score> {
        self.found.as_ref().map(|(_, score)| *score)
    }

    /// What to add to the diagnosis.
    pub(super) fn remark(&self) -> Option<String> {
        let doubt = self.doubt.as_ref().filter(|_| self.found.is_none());
        doubt.map(|doubt| doubt.why.clone())
    }
}

impl ScorePattern {
    /// Finds the score: the last match in standard error, or else in standard output, that is certainly the program's own.
    pub(super) fn find<'a>(&self, printed: &'a Printed) -> Finding<'a> {
        let said = printed.said.plain();
        let said = if is_read_from(&said, printed) { BotText::default().plain() } else { said };
        let is_users = self.unclear.is_none();
        let plain = [&printed.stderr, &printed.stdout].map(|text| plain_text(text));
        let with = Comparison { printed, plain, said, is_users };
        let mut finding = Finding::default();
        let mut unclear = None;
        for (number, pattern) in self.patterns.iter().enumerate() {
            for text in [&printed.stderr, &printed.stdout] {
                let search = Search::of(pattern, text, &with);
                if let Some(own) = search.own {
                    match score_of(own.number) {
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
            && let Ok(score) = score_of(candidate.number)
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
    fn unclear_line(&self, printed: &Printed, said: &PlainBotText) -> Option<String> {
        let unclear = self.unclear.as_ref()?;
        let is_of_bot = |line: &str, label: Option<&str>| match label {
            Some(label) => said.count(&plain_line(label), 1, |_| false) > 0,
            None => said.count_whole(&plain_line(line)) > 0,
        };
        let mut line = None;
        for text in [&printed.stderr, &printed.stdout] {
            for captures in unclear.captures_iter(text) {
                let found = captures.get(0).map(|found| found.as_str().trim()).unwrap_or_default();
                let label = captures.name("label").or_else(|| captures.name("words"));
                if !is_of_bot(found, label.map(|label| label.as_str())) {
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
}

/// Whether a program has printed only parts of the answer's lines, and no line as it is. So it does not show the answer, but
/// has read its lines from there.
fn is_read_from(said: &PlainBotText, printed: &Printed) -> bool {
    let is_read = |line: &str| {
        let line = plain_line(line);
        said.count(&line, 1, |_| false) > 0 && said.count_whole(&line) == 0
    };
    said.is_answer && !said.is_cut && printed.lines().take(SUMMARY_LINES).all(is_read)
}

/// What the bot wrote, and what the program has printed.
struct Comparison<'a> {
    printed: &'a Printed,
    /// Its standard error and its standard output as plain text.
    plain: [String; 2],
    said: PlainBotText,
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
            return Whose::Bots(Doubt { why, is_garbled: false });
        }
        let line = plain_line(candidate.line);
        let at = line.find(&candidate.key).unwrap_or_default();
        if self.said.open_at(&line, at).is_some() {
            return Whose::Bots(garbled(&shown));
        }
        let why = format!("`{shown}` is not taken for the score, since the bot wrote it too");
        let doubt = Doubt { why, is_garbled: false };
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
        // If a line of the bot's is a different score or none, and was printed unchanged, it cannot be this candidate.
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
        hidden.map(|(_, (line, _))| garbled(&cut(line.trim(), JUDGE_LINE)))
    }
}

fn garbled(line: &str) -> Doubt {
    let why = format!(
        "`{line}` is not taken for the score, since it begins with an unfinished line of the bot's"
    );
    Doubt { why, is_garbled: true }
}

/// What follows an unfinished line of the bot's in a line; `None` if that is too long to be found.
fn after<'a>(line: &'a str, open: &str) -> Option<&'a str> {
    let ends = line.char_indices().map(|(at, c)| at + c.len_utf8());
    let end =
        ends.take_while(|end| *end <= GLUED_BYTES).find(|end| plain_line(&line[..*end]) == open);
    end.map(|end| &line[end..])
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

#[cfg(test)]
mod tests {
    use terms::verdict::Verdict;

    use super::super::Judged;
    use super::super::tests::printed;
    use super::*;

    /// What the bot wrote: to its standard output, and to its standard error.
    fn said(output: &str, errors: &str) -> BotText {
        let mut said = BotText::default();
        said.output(output.as_bytes());
        said.errors(errors.as_bytes());
        said.end();
        said
    }

    #[test]
    fn lines_that_a_program_has_read_from_an_answer_are_its_own() {
        for (answer, stderr, score) in [
            ("Turns = 5\\nTotal Cost = 0\\n", "Turns = 5\nTotal Cost = 0\n", Some("0")),
            ("<Score = 7>\n", "Score = 7\n", Some("7")),
            // It shows the answer, or has words of its own.
            ("Score = 7\n", "Score = 7\n", None),
            ("<Score = 7>\n", "wrong:\nScore = 7\n", None),
            ("<Score = 7>\n", "<Score = 7>\n", None),
        ] {
            let said = BotText::answer(answer.as_bytes());
            let printed = Printed { said, ..printed("", stderr, 0) };
            let Judged { end, .. } = ScorePattern::default().judge(&printed).expect(answer);
            let found = end.score.map(|score| score.to_string());
            assert_eq!(found.as_deref(), score, "{answer} {stderr}");
        }
        for answer in ["Score = 1e400\\n", "Score = 1,234\\n"] {
            let said = BotText::answer(answer.as_bytes());
            let line = answer.trim_end_matches("\\n");
            let printed = Printed { said, ..printed("", &format!("{line}\n"), 0) };
            let problem = ScorePattern::default().judge(&printed).expect_err(answer);
            assert!(!problem.contains("nothing"), "{problem}");
        }
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
    fn a_number_in_another_form_is_not_the_bots_loss() {
        for text in [
            "12,345,678\n",
            "Total Cost: 1_000\n",
            "Score = 5k\nok\n",
            "Your score is 5.\n",
            "SCORE 1234\n",
            "[INFO] Score = 7\n",
            "** Score:\t7 **\n",
            "{\"score\": 12}\n",
        ] {
            let found = ScorePattern::default().judge(&printed(text, "", 0));
            assert!(
                found.as_ref().is_err_and(|error| error.contains("is understood")),
                "{found:?}"
            );
        }
    }
}
