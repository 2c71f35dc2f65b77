//! The blocks that a referee of the SDK writes: a header `[[NAME] n]`, and n lines.

use std::mem;

use terms::bounds::JUDGE_LINES;
use terms::lines::Lines;
use terms::text::quote;

/// The header of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header<'a> {
    /// The name of the block.
    pub name: &'a str,
    /// The number of lines that follow.
    pub lines: usize,
}

impl<'a> Header<'a> {
    /// Reads a line that is a header.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        let text = str::from_utf8(line).ok().map(str::trim);
        let parts =
            text.and_then(|text| text.strip_prefix("[[")?.strip_suffix(']')?.rsplit_once(']'));
        let count = |count: &'a str| count.strip_prefix(' ').unwrap_or(count);
        match parts.map(|(name, lines)| (name, count(lines))) {
            Some((name, lines))
                if !name.is_empty()
                    && !lines.is_empty()
                    && lines.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                match lines.parse() {
                    Ok(lines) if lines <= JUDGE_LINES as usize => Ok(Self { name, lines }),
                    _ => Err(format!("announced a block of {} lines", quote(lines.as_bytes()))),
                }
            }
            _ => Err(format!("wrote {} where a header `[[NAME] n]` belongs", quote(line))),
        }
    }
}

/// The blocks of the SDK. A game of several players has a SUMMARY instead of INFOS; VIEW is for viewers only.
const BLOCKS: [&str; 11] = [
    "INFOS",
    "SUMMARY",
    "NEXT_PLAYER_INPUT",
    "NEXT_PLAYER_INFO",
    "MONITORING",
    "METADATA",
    "SCORES",
    "FAIL",
    "TOOLTIP",
    "UINPUT",
    "VIEW",
];

/// Finds the end of a step in lines that arrive little by little.
#[derive(Debug, Default)]
pub struct Scanner {
    blocks: Vec<(&'static str, usize, usize)>,
    /// The line of the next header.
    next: usize,
    problem: Option<String>,
}

/// What a referee says in a step.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StepOutput {
    /// The lines that it adds to the summary.
    pub summary: Vec<String>,
    /// What it shows viewers of a player: two lines each, the message and the player's number.
    pub tooltips: Vec<String>,
    /// Whether it wants to know how long the bot takes, from now on.
    pub wants_times: bool,
    /// The lines for the bot.
    pub input: Vec<String>,
    /// The question, or the end.
    pub then: NextAction,
}

/// What follows a step.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum NextAction {
    /// The bot is to be asked: the lines of the block are its number, the number of lines, and the limit in ms.
    Ask(Vec<String>),
    /// The game is over.
    End {
        /// The line of metadata.
        metadata: Vec<String>,
        /// The number of each player with its score, or in a game of one whether it has won.
        scores: Vec<String>,
        /// The parameters that the game was played with, `key=value` each.
        used: Vec<String>,
    },
    /// The referee has failed, with this trace.
    Fail(Vec<String>),
    /// Nothing yet.
    #[default]
    Nothing,
}

impl Scanner {
    /// The number of lines of the step, once they are all there or one of them is wrong.
    pub fn whole(&mut self, lines: &Lines) -> Option<usize> {
        while let Some(line) = lines.get(self.next) {
            if is_of_java(line) {
                self.next += 1;
                continue;
            }
            let (name, count) = match known_header(line) {
                Ok(header) => header,
                Err(problem) => {
                    self.problem = Some(problem);
                    return Some(self.next + 1);
                }
            };
            let end = self.next + 1 + count;
            if lines.len() < end {
                return None;
            }
            self.blocks.push((name, self.next + 1, end));
            self.next = end;
            if ["NEXT_PLAYER_INFO", "SCORES", "FAIL"].contains(&name) {
                return Some(end);
            }
        }
        None
    }

    /// What the lines of a whole step say.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(self, lines: &Lines) -> Result<StepOutput, String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let mut said = StepOutput::default();
        let (mut metadata, mut used) = (Vec::new(), Vec::new());
        for (name, start, end) in self.blocks {
            let content = || text(lines, start, end);
            match name {
                "INFOS" | "SUMMARY" => said.summary.extend(content()),
                "MONITORING" => said.wants_times = true,
                "NEXT_PLAYER_INPUT" => said.input = content(),
                "METADATA" => metadata = content(),
                "TOOLTIP" => said.tooltips.extend(content()),
                "UINPUT" => used = content(),
                "NEXT_PLAYER_INFO" => said.then = NextAction::Ask(content()),
                "SCORES" => {
                    let (metadata, used) = (mem::take(&mut metadata), mem::take(&mut used));
                    said.then = NextAction::End { metadata, scores: content(), used };
                }
                "FAIL" => said.then = NextAction::Fail(content()),
                _ => {}
            }
        }
        Ok(said)
    }
}

/// The name and the number of lines of a block that the SDK has.
fn known_header(line: &[u8]) -> Result<(&'static str, usize), String> {
    let Header { name, lines } = Header::parse(line)?;
    match BLOCKS.iter().find(|known| **known == name) {
        Some(known) => Ok((known, lines)),
        None => Err(format!("wrote a block {}, which is not known", quote(name.as_bytes()))),
    }
}

/// Whether Java itself says this, which warns on standard output: `[0.001s][warning][perf,memops] …`. Two that run in
/// containers have the same process number, for example, and share a file that has it in its name.
fn is_of_java(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let is_log = text.starts_with('[') && !text.starts_with("[[") && text.contains("s][warning");
    is_log || text.contains(" VM warning: ")
}

fn text(lines: &Lines, start: usize, end: usize) -> Vec<String> {
    let line = |index| lines.get(index).map(|line| String::from_utf8_lossy(line).into_owned());
    (start..end).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str) -> Option<Result<StepOutput, String>> {
        let lines = Lines::split(text.as_bytes());
        let mut scanner = Scanner::default();
        scanner.whole(&lines)?;
        Some(scanner.read(&lines))
    }

    #[test]
    fn a_header_is_a_name_and_a_number_of_lines() {
        for (line, name, lines) in [
            ("[[VIEW] 2]", "VIEW", 2),
            ("[[VIEW]2]", "VIEW", 2),
            ("[[A]] 0]", "A]", 0),
            ("[[X] 007] ", "X", 7),
        ] {
            assert_eq!(Header::parse(line.as_bytes()), Ok(Header { name, lines }), "{line}");
        }
        for line in [
            "",
            "VIEW 2",
            "[[VIEW] ]",
            "[[VIEW] -1]",
            "[[VIEW]  1]",
            "[[] 1]",
            "[[VIEW] 1",
            "[[VIEW] 1]x",
        ] {
            let problem = Header::parse(line.as_bytes()).expect_err(line);
            assert!(problem.contains("where a header `[[NAME] n]` belongs"), "{problem}");
        }
        for count in ["99999999", "99999999999999999999999999"] {
            let problem = Header::parse(format!("[[VIEW] {count}]").as_bytes()).expect_err(count);
            assert!(problem.starts_with("announced a block of"), "{problem}");
        }
    }

    #[test]
    fn a_step_ends_with_its_question() {
        let step = "[[VIEW] 2]\nKEY_FRAME 0\n{}\n[[INFOS] 0]\n[[INFOS] 2]\na\n\nb\n";
        assert_eq!(said("[[VIEW] 2]\nKEY_FRAME 0\n"), None);
        assert!(said(step).expect("a problem").is_err(), "its count is wrong");
        let step = "[[VIEW] 1]\nINTERMEDIATE_FRAME 3\n[[MONITORING] 0]\n[[INFOS] 0]\n[[INFOS] 2]\na\nb\n[[TOOLTIP] 2]\nx\n0\n\
             [[NEXT_PLAYER_INPUT] 1]\n7 8\n[[NEXT_PLAYER_INFO] 3]\n0\n1\n50\n";
        for end in 0..step.len() {
            assert_eq!(said(&step[..end]), None, "{}", &step[..end]);
        }
        let expected = StepOutput {
            summary: vec!["a".to_owned(), "b".to_owned()],
            tooltips: vec!["x".to_owned(), "0".to_owned()],
            wants_times: true,
            input: vec!["7 8".to_owned()],
            then: NextAction::Ask(["0", "1", "50"].map(str::to_owned).to_vec()),
        };
        assert_eq!(said(step), Some(Ok(expected)));
    }

    #[test]
    fn warnings_of_java_are_skipped_between_blocks() {
        let step = "[0.001s][warning][perf,memops] Cannot use file\n[[INFOS] 1]\nx VM warning: y\n\
             OpenJDK 64-Bit Server VM warning: Sharing\n[[SCORES] 1]\n0 1\n";
        let said = said(step).expect("whole").expect("a step");
        assert_eq!(said.summary, ["x VM warning: y"]);
        assert!(matches!(said.then, NextAction::End { .. }));
    }

    #[test]
    fn a_block_that_is_not_known_is_trouble() {
        let problem = said("[[UNKNOWN] 0]\n").expect("whole").expect_err("not known");
        assert_eq!(problem, "wrote a block `UNKNOWN`, which is not known");
    }

    proptest! {
        #[test]
        fn lines_may_arrive_in_any_pieces(cut in 0usize..200) {
            let step = "[[INFOS] 1]\r\nok\r[[METADATA] 1]\n{\"a\":\"1\"}\n[[SCORES] 1]\n0 1\n";
            let cut = cut.min(step.len());
            let mut buffer = terms::lines::LineBuffer::default();
            let mut scanner = Scanner::default();
            let mut found = None;
            for piece in [&step[..cut], &step[cut..]] {
                buffer.push(piece.as_bytes());
                found = found.or(scanner.whole(buffer.held()));
            }
            prop_assert_eq!(found, Some(6));
        }

        #[test]
        fn no_text_breaks_the_scanner(text in "(\\[\\[(VIEW|INFOS|SCORES|FAIL|X)\\] ?[0-9]{0,12}\\]\n|[a-z]?\n|\r){0,12}") {
            let lines = Lines::split(text.as_bytes());
            let mut scanner = Scanner::default();
            if let Some(end) = scanner.whole(&lines) {
                prop_assert!(end <= lines.len());
                let _ = scanner.read(&lines);
            }
        }
    }
}
