//! What psytester's settings say of a contest: how its tester is started, which scores are better, and how they are found.

use std::io;
use std::path::Path;

use super::read_if_there;
use super::step::Step;
use crate::printed::ScorePattern;
use terms::system::split_words;

/// The file of psytester's settings.
pub(super) const FILE: &str = "tester.cfg";

/// The key of its command.
const COMMAND: &str = "cmd_tester";

/// The flag before the bot's command, and its short form.
const EXEC: [&str; 2] = ["-exec", "-ex"];

#[derive(Debug, Default)]
pub(super) struct Psytester {
    /// The words of the tester's command, with the referee's placeholders.
    pub(super) command: Option<Vec<String>>,
    pub(super) better: Option<&'static str>,
    /// Whether it adds up scores as they are, not their ratio to the best.
    pub(super) is_raw: bool,
    pub(super) score: Option<String>,
    /// The steps of each test, where its command starts several programs, or gives them files.
    pub(super) tests: Vec<Step>,
    /// Settings that cannot be taken over, and why.
    pub(super) left: Vec<String>,
}

impl Psytester {
    /// Reads them, if there are any.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Self>> {
        let Some(text) = read_if_there(&folder.join(FILE))? else { return Ok(None) };
        let mut found = Self::default();
        for (key, value) in text.lines().filter_map(setting) {
            match key {
                COMMAND => found.take_command(value),
                "scoring" => (found.better, found.is_raw) = (better(value), value == "raw"),
                key if key.starts_with("extraction_regex_") => found.take_pattern(key, value),
                _ => {}
            }
        }
        Ok(Some(found))
    }

    /// The same for a contest whose tools play cases from files: its command consists of steps, and names no `-exec`.
    pub(super) fn of_cases(self) -> Self {
        let left = self.left.into_iter().filter(|what| !what.starts_with(COMMAND)).collect();
        Self { left, ..self }
    }

    /// The command without what is psytester's own: its folder of outputs, where output goes, and further arguments.
    fn take_command(&mut self, line: &str) {
        self.tests = steps(line);
        let words = split_words(line).unwrap_or_default();
        let mut commands = words.split(|word| ["&&", ";", "|"].contains(&word.as_str()));
        let starts_bot = |command: &&[String]| command.iter().any(|word| EXEC.contains(&&**word));
        let mut words = commands.find(starts_bot).unwrap_or_default().iter().cloned();
        let (mut command, mut has_bot) = (Vec::<String>::new(), false);
        while let Some(word) = words.next() {
            match word.as_str() {
                ">" | "2>" | "<" => drop(words.next()),
                "%TESTER_ARGS%" | "2>&1" => {}
                flag if EXEC.contains(&flag) => {
                    has_bot = words.next().is_some();
                    command.extend([flag, "{bot}"].map(str::to_owned));
                }
                word if word.contains("%OUTPUT_DIR%") => {
                    // The flag that takes the file goes with it.
                    command.pop_if(|flag| flag.starts_with('-') && !word.contains('>'));
                }
                word => {
                    let word = word.replace("%SEED04%", "{seed04}").replace("%SEED%", "{seed}");
                    command.push(word);
                }
            }
        }
        if !has_bot || command.iter().any(|word| word.contains('%')) {
            self.left.push(format!("{COMMAND}: it has no `-exec`, or a word of psytester's"));
        } else {
            self.command = Some(command);
        }
    }

    /// A pattern that finds the score; psytester tries it on each line.
    fn take_pattern(&mut self, key: &str, pattern: &str) {
        if !pattern.contains("(?P<score>") {
            return;
        }
        let pattern = format!("(?m){pattern}");
        match ScorePattern::try_from(pattern.clone()) {
            Ok(_) => self.score = Some(pattern),
            Err(problem) => self.left.push(format!("{key}: {problem}")),
        }
    }
}

/// The steps of psytester's command.
fn steps(line: &str) -> Vec<Step> {
    let line = line.replace("%SEED", "{SEED").replace("%OUTPUT_DIR%", "out");
    let line = line.replace("%TESTER_ARGS%", "");
    // The end of `%SEED04%`.
    steps_of_shell(&line.replace('%', "}"), None)
}

/// The programs of a shell's command, each with its files, and the folder that `cd` chooses.
pub(super) fn steps_of_shell(line: &str, folder: Option<&str>) -> Vec<Step> {
    let words = split_words(&line.replace('\\', "/").replace(';', " ; ")).unwrap_or_default();
    let (mut steps, mut folder) = (Vec::new(), folder.map(str::to_owned));
    for command in words.split(|word| ["&&", ";", "|", "||"].contains(&word.as_str())) {
        let (mut words, mut stdin, mut stdout) = (Vec::new(), None, None);
        let mut rest = command.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            match word {
                "<" => stdin = rest.next(),
                ">" | "1>" | ">>" => stdout = rest.next(),
                "2>" | "2>>" | "&>" => drop(rest.next()),
                word if word.starts_with('<') => stdin = word.get(1..),
                word if word.starts_with('>') => stdout = word.get(1..),
                word if word.starts_with("2>") => {}
                word => words.push(word),
            }
        }
        match words[..] {
            ["cd", to] => {
                let from = folder.unwrap_or_default();
                folder = Some(Path::new(&from).join(to).display().to_string());
            }
            [] => {}
            _ => {
                let here = |file: &str| {
                    Path::new(folder.as_deref().unwrap_or_default())
                        .join(file)
                        .display()
                        .to_string()
                };
                let (stdin, stdout) = (stdin.map(here), stdout.map(here));
                let step = Step::new(&words, folder.as_deref());
                steps.push(step.with_files(stdin.as_deref(), stdout.as_deref()));
            }
        }
    }
    steps
}

/// The key and the value of a line that is not a comment.
fn setting(line: &str) -> Option<(&str, &str)> {
    let line = Some(line.trim()).filter(|line| !line.starts_with(['#', ';', '[']));
    let (key, value) = line?.split_once('=')?;
    Some((key.trim(), value.trim()))
}

/// `raw` does not tell.
fn better(scoring: &str) -> Option<&'static str> {
    match scoring {
        "min" => Some("lower"),
        "max" => Some("higher"),
        _ => None,
    }
}
