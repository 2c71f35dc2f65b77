//! A step of a contest's settings: a program that other tools start, which becomes the bot, its build, or the judge.

use std::path::{Component, Path, PathBuf};

use terms::system::{IS_FOR_CMD, is_path, split_words};
use terms::text::shell_word;

use super::path_in;

/// Where the seed stands in a path.
pub(super) const SEED: &str = "{SEED";

/// The names of the judges in a contest's tools.
pub(super) const JUDGES: [&str; 3] = ["tester", "vis", "score"];

/// A program with its arguments, folder and files. Paths are as they are in the settings' folder, and as Linux has them.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    /// The program and its arguments.
    words: Vec<String>,
    /// Where it runs.
    folder: PathBuf,
    /// The file that it reads.
    pub(super) stdin: Option<String>,
    /// The file that it writes.
    pub(super) stdout: Option<String>,
}

/// A step without `cargo run` around its program.
struct Run<'a> {
    /// The name of the program, without its folder and ending.
    name: &'a str,
    arguments: &'a [String],
    /// The folder of its package, if `cargo run` runs it.
    package: Option<PathBuf>,
}

/// How a step judges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Judging {
    /// The name of its program.
    pub(super) tool: String,
    /// The program, if the step names its path.
    pub(super) program: Option<PathBuf>,
    /// The folder of the contest's tools, if the step tells it.
    pub(super) tools: Option<PathBuf>,
    /// Its arguments: the bot's command, if it starts the bot.
    pub(super) arguments: Vec<String>,
    /// Whether it starts the bot, instead of scoring an answer.
    pub(super) starts_bot: bool,
    /// Whether it is a program of the user's, whose arguments are its whole command.
    pub(super) is_other: bool,
}

impl Step {
    /// A step of these words, in this folder.
    pub(super) fn new(words: &[&str], folder: Option<&str>) -> Self {
        let words = words.iter().map(|word| slashed(word)).collect();
        let folder = inside(&PathBuf::from(slashed(folder.unwrap_or_default())));
        Self { words, folder, ..Self::default() }
    }

    /// This step with the files that it reads and writes.
    pub(super) fn with_files(self, stdin: Option<&str>, stdout: Option<&str>) -> Self {
        Self { stdin: stdin.map(slashed), stdout: stdout.map(slashed), ..self }
    }

    /// Whether it reads a case, as a bot does and programs that make folders do not.
    pub(super) fn reads_case(&self) -> bool {
        self.stdin.as_ref().is_some_and(|stdin| stdin.contains(SEED))
    }

    /// The folder from which it reads its case.
    pub(super) fn cases(&self) -> Option<PathBuf> {
        let stdin = Path::new(self.stdin.as_ref().filter(|stdin| stdin.contains(SEED))?);
        let folder = stdin.parent().filter(|folder| !folder.as_os_str().is_empty())?;
        Some(folder.to_owned())
    }

    fn run(&self) -> Option<Run<'_>> {
        if let Some(run) = run_by_cargo(&self.words) {
            let package = run.package.map(|package| inside(&self.folder.join(package)));
            let package = Some(package.unwrap_or_else(|| self.folder.clone()));
            return Some(Run { package, ..run });
        }
        let (program, arguments) = self.words.split_first()?;
        Some(Run { name: stem(program), arguments, package: None })
    }

    /// How it judges, if it does: a tester starts the bot, and other tools are given the files of a case and an answer. The settings
    /// are in the folder `root`.
    pub(super) fn judging(&self, root: &Path) -> Option<Judging> {
        let run = self.run()?;
        let program = if run.package.is_some() { None } else { self.words.first() };
        let program = program.map(|word| PathBuf::from(self.relocated(root, word)));
        let of_program = program.as_deref().and_then(|program| {
            let target = program.ancestors().find(|folder| folder.ends_with("target/release"))?;
            target.parent()?.parent().map(inside)
        });
        let tools = run.package.or(of_program).filter(|tools| !tools.as_os_str().is_empty());
        let is_tool = tools.is_some() && run.name != "gen" || JUDGES.contains(&run.name);
        let starts_bot = run.name == "tester";
        if !(starts_bot || is_tool && Self::has_seed(run.arguments)) {
            return None;
        }
        let words = run.arguments.iter().map(|word| self.relocated(root, word));
        let arguments = words.collect();
        let tool = run.name.to_owned();
        Some(Judging { tool, program, tools, arguments, starts_bot, is_other: false })
    }

    /// How it judges as a scorer of any name, which is given the files that the bot's step reads and writes.
    pub(super) fn judging_of(&self, bot: &Self, root: &Path) -> Option<Judging> {
        let (stdin, stdout) = (bot.stdin.as_ref()?, bot.stdout.as_ref()?);
        let mut arguments = self.command(root);
        let has = |file: &String| arguments.iter().any(|word| is_same(path_in(word), file));
        if !(has(stdin) && has(stdout)) {
            return None;
        }
        if self.finds_by_folder(root) {
            if IS_FOR_CMD {
                return None;
            }
            let folder = shell_word(&root.join(&self.folder).display().to_string());
            let in_folder = format!("cd {folder} && exec \"$0\" \"$@\"");
            arguments.splice(0..0, ["sh".to_owned(), "-c".to_owned(), in_folder]);
        }
        for word in &mut arguments {
            let file = root.join(inside(Path::new(word)));
            if file.is_file() && root != Path::new(".") {
                *word = file.display().to_string();
            }
        }
        let (starts_bot, is_other) = (false, true);
        Some(Judging { arguments, starts_bot, is_other, ..Judging::default() })
    }

    /// Whether its program finds by its working directory what it runs, as `java Main` does: no word is a path there.
    fn finds_by_folder(&self, root: &Path) -> bool {
        let is_there = |word: &String| !word.contains(SEED) && self.relocated(root, word) != *word;
        !self.folder.as_os_str().is_empty() && !self.words.iter().any(is_there)
    }

    /// The words of its own command, from the settings' folder `root`.
    pub(super) fn command(&self, root: &Path) -> Vec<String> {
        self.words.iter().map(|word| self.relocated(root, word)).collect()
    }

    /// Whether it handles a contest's tools, in this folder or moved out of it, rather than the bot.
    pub(super) fn is_of_tools(&self, tools: &Path, judge: &str) -> bool {
        let is_inside = |path: &Path| !tools.as_os_str().is_empty() && path.starts_with(tools);
        let names_tools = |word: &String| {
            let name = stem(word);
            JUDGES.contains(&name)
                || name == judge
                || word.contains('/') && is_inside(&inside(&self.folder.join(word)))
        };
        is_inside(&self.folder) || self.plain().iter().any(names_tools)
    }

    /// Its words, without a shell of Windows around them.
    fn plain(&self) -> Vec<String> {
        match stem(&self.words[0]).to_ascii_lowercase().as_str() {
            "powershell" | "pwsh" => after(&self.words, &["-command", "-c"]),
            "cmd" => after(&self.words, &["/c"]),
            _ => self.words.clone(),
        }
    }

    /// A shell command that does the same to build the bot whose program is this. A command that only Windows has is an error.
    pub(super) fn build(&self, program: &str) -> Result<String, String> {
        if IS_FOR_CMD {
            return Ok(self.in_folder(&self.words));
        }
        let mut words = self.plain();
        if words != self.words {
            words = moved(&words)?;
        }
        if !words[0].contains('/') {
            let name = stem(&words[0]).to_owned();
            words[0] = name;
        }
        for word in &mut words {
            // Cargo adds no ending here.
            if word.contains("target/") && is_of_windows(word) {
                word.truncate(word.len() - ".exe".len());
            }
        }
        let is_compiler = ["g++", "gcc", "clang++", "clang", "cc", "c++"]
            .iter()
            .any(|compiler| words[0] == *compiler || words[0].starts_with(&format!("{compiler}-")));
        if is_compiler && stem(program) == "a" && is_of_windows(program) && !has_output(&words) {
            // The name that compilers choose on Windows.
            words.extend(["-o".to_owned(), program.to_owned()]);
        }
        Ok(self.in_folder(&words))
    }

    /// A shell command of these words, in its folder.
    fn in_folder(&self, words: &[String]) -> String {
        let command = words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ");
        match self.folder.to_string_lossy() {
            here if here.is_empty() => command,
            folder => format!("(cd {} && {command})", shell_word(&folder)),
        }
    }

    /// A word of a step as the settings' folder has it: a path in it becomes one from there.
    fn relocated(&self, root: &Path, word: &str) -> String {
        if self.folder.as_os_str().is_empty() {
            return word.to_owned();
        }
        match word.split_once('=') {
            Some((flag, path)) if word.starts_with('-') => {
                format!("{flag}={}", self.relocated(root, path))
            }
            _ if Path::new(word).is_relative()
                && (is_path(word) || root.join(&self.folder).join(word).is_file()) =>
            {
                format!("./{}", inside(&self.folder.join(word)).display())
            }
            _ => word.to_owned(),
        }
    }

    /// Whether a word of it has the seed, as only other tools fill it in.
    pub(super) fn has_seed(words: &[String]) -> bool {
        words.iter().any(|word| word.contains(SEED))
    }
}

/// Words that start a bot on Windows, as they start it here.
pub(super) fn from_windows(words: &mut Vec<String>) {
    let Some(program) = words.first_mut() else { return };
    if is_of_windows(program) && !program.contains('/') {
        // Windows looks for it in the working directory too.
        program.insert_str(0, "./");
    }
    if program == "py" && !IS_FOR_CMD {
        // The launcher of Windows, whose first option chooses a version.
        "python3".clone_into(program);
        let has_version = |word: &String| word.starts_with("-2") || word.starts_with("-3");
        words.drain(1..=usize::from(words.get(1).is_some_and(has_version)));
    }
}

/// Whether this is the name of a program of Windows.
fn is_of_windows(program: &str) -> bool {
    Path::new(program).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exe"))
}

fn has_output(words: &[String]) -> bool {
    words.iter().any(|word| word.starts_with("-o") || word == "-c")
}

/// The name of a program, without its folder and ending.
fn stem(word: &str) -> &str {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

/// A word with the slashes of Linux, if it is a path of Windows.
fn slashed(word: &str) -> String {
    let is_path = |c: char| c.is_alphanumeric() || "._-/\\{}".contains(c);
    if !word.starts_with('\\') && word.chars().all(is_path) {
        word.replace('\\', "/")
    } else {
        word.to_owned()
    }
}

/// A path without `.`, and without `..` where that can be known.
pub(super) fn inside(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if short.file_name().is_some() => drop(short.pop()),
            part => short.push(part),
        }
    }
    short
}

/// Whether two paths from one folder are the same.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    inside(Path::new(one)) == inside(Path::new(other))
}

/// The program that `cargo run` runs, with its arguments; `None` of another command, or if the program is not named.
fn run_by_cargo(words: &[String]) -> Option<Run<'_>> {
    const WITH_VALUE: [&str; 17] = [
        "--bin",
        "--color",
        "--config",
        "--example",
        "--features",
        "--jobs",
        "--manifest-path",
        "--message-format",
        "--package",
        "--profile",
        "--target",
        "--target-dir",
        "-C",
        "-F",
        "-Z",
        "-j",
        "-p",
    ];
    let (cargo, mut rest) = words.split_first()?;
    if stem(cargo) != "cargo" {
        return None;
    }
    if rest.first().is_some_and(|toolchain| toolchain.starts_with('+')) {
        rest = &rest[1..];
    }
    let (run, mut rest) = rest.split_first()?;
    if !["run", "r"].contains(&run.as_str()) {
        return None;
    }
    let (mut name, mut package) = (None, None);
    while let [word, after @ ..] = rest
        && word.starts_with('-')
    {
        rest = after;
        if word == "--" {
            break;
        }
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None if WITH_VALUE.contains(&word.as_str()) => {
                let (value, after) = after.split_first()?;
                rest = after;
                (word.as_str(), Some(value.as_str()))
            }
            None => (word.as_str(), None),
        };
        match option {
            "--bin" => name = value,
            "--manifest-path" => package = Path::new(value?).parent().map(Path::to_owned),
            _ => {}
        }
    }
    Some(Run { name: name?, arguments: rest, package })
}

/// The words of a command that a shell of Windows is given behind one of these flags, or without them behind all of its own.
fn after(words: &[String], flags: &[&str]) -> Vec<String> {
    let is_flag = |word: &String| flags.contains(&word.to_ascii_lowercase().as_str());
    let start = words.iter().position(is_flag).map_or(1, |flag| flag + 1);
    let text = words[start..].join(" ").replace('\\', "/");
    split_words(&text).unwrap_or_default()
}

/// A command of Windows' shells that moves, copies or removes files, as Linux has it.
fn moved(words: &[String]) -> Result<Vec<String>, String> {
    let unknown = || words.join(" ");
    let (name, arguments) = words.split_first().ok_or_else(unknown)?;
    let command: &[&str] = match name.to_ascii_lowercase().as_str() {
        "move-item" | "move" | "mi" | "mv" => &["mv", "-f"],
        "copy-item" | "copy" | "cpi" | "cp" => &["cp", "-f"],
        "remove-item" | "del" | "erase" | "ri" | "rm" => &["rm", "-f"],
        _ => return Err(unknown()),
    };
    if arguments.iter().any(|word| word.contains([';', '|', '&', '$', '{'])) {
        return Err(unknown());
    }
    let mut files = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        match word.to_ascii_lowercase().as_str() {
            "-erroraction" | "-ea" => drop(arguments.next()),
            flag if flag.starts_with('-') || flag == "/y" || flag == "/q" || flag == "/f" => {}
            _ => files.push(word.clone()),
        }
    }
    Ok(command.iter().map(|&word| word.to_owned()).chain(files).collect())
}
