//! The settings of a contest, and what its local tools lack, for `referee init --ahc` and `--tester`.

mod pahcer;
mod psytester;
mod step;

use std::io::{self, Read as _};
use std::mem;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs_err as fs;

use self::psytester::Psytester;
use self::step::{Judging, SEED, Step, from_windows};
use crate::codingame::Survey;
use crate::naming::{game_name, last_part};
use terms::path::{folder_of, is_hidden};
use terms::system::{is_path, program_file};
use terms::text::shell_word;

/// The limit that is written where the statement's is unknown.
const LIMIT: &str = "limits = { total = \"2s\" }   # see the statement\n";

/// A tool of a contest: its program, the kind of its game, and its arguments.
type Tool = (&'static str, &'static str, &'static str);

const TOOLS: [Tool; 3] =
    [("tester", "tester", "{bot}"), ("vis", "scored", SCORED), ("score", "scored", SCORED)];

/// The usual arguments of a scorer.
const SCORED: &str = "{case} {answer}";

/// How TopCoder ranks almost every match.
const RATIO: &str =
    "measure = \"ratio\"   # adds up your score / the best score: see the statement\n";

/// How most testers of TopCoder's are started.
const USUAL: [&str; 8] =
    ["java", "-jar", "tester.jar", "-novis", "-exec", "{bot}", "-seed", "{seed}"];

/// The first bytes of a jar, which is a zip file.
const ZIP: &[u8] = b"PK";

/// What other tools' settings say of a contest.
#[derive(Debug, Default)]
struct ImportedSettings {
    name: Option<String>,
    better: Option<&'static str>,
    score: Option<String>,
    cases: Option<PathBuf>,
    judging: Option<Judging>,
    /// The words of the bot's command.
    bot: Vec<String>,
    /// Shell commands that build the bot.
    builds: Vec<String>,
    /// What is not taken over, and why.
    left: Vec<String>,
}

/// Looks at the folder of one of AtCoder's heuristic contests, and writes the settings of its game, under the name `given` or else its own.
/// Builds nothing.
///
/// # Errors
/// When the folder cannot be read.
pub fn survey_ahc(folder: &Path, given: Option<&str>) -> io::Result<Survey> {
    fs::read_dir(folder)?;
    let mut missing = Vec::new();
    let told = told(folder)?;
    let tools = told.judging.as_ref().and_then(|judging| judging.tools.as_ref());
    let tools = tools.map(|tools| folder.join(tools)).filter(|tools| tools.is_dir());
    let tools = tools.or_else(|| Some(folder.join("tools")).filter(|tools| tools.is_dir()));
    let tools = tools.unwrap_or_else(|| folder.to_owned());
    let names = [given.map(str::to_owned), told.name.clone(), Some(last_part(folder))];
    let name = game_name(names.into_iter().flatten());
    let judging = told.judging.as_ref();
    let judge = if let Some(scorer) = judging.filter(|judging| judging.is_other) {
        Judge { kind: "scored", command: words(&scorer.arguments), note: String::new() }
    } else {
        tool(folder, &Tools::new(folder, &tools), judging, &mut missing)
    };
    let cases = cases(&[
        told.cases.as_ref().map(|cases| folder.join(step::inside(cases))),
        Some(tools.join("in")),
        Some(folder.join("in")),
    ]);
    let cases = cases.unwrap_or_else(|| {
        missing.push(format!("cases: {} has no .txt or .in file", tools.join("in").display()));
        tools.join("in")
    });
    let bot = bot(&name, folder, &told);
    missing.extend(told.left.iter().cloned());
    let settings = settings(&name, &judge, &cases, told);
    let limits = format!("\n[limits.{name}]\nmemory = \"1GiB\"   # of the bot: AtCoder's limit\n");
    let settings = settings + &limits + &bot.unwrap_or_default();
    Ok(Survey { name, settings, missing })
}

/// What pahcer's settings say, or without them psytester's.
fn told(folder: &Path) -> io::Result<ImportedSettings> {
    let (mut told, [builds, tests]) = if let Some(imported) = pahcer::read(folder)? {
        imported
    } else if let Some(settings) = Psytester::read(folder)? {
        let Psytester { better, score, tests, left, .. } = settings.of_cases();
        let imported = ImportedSettings { better, score, left, ..ImportedSettings::default() };
        (imported, [Vec::new(), tests])
    } else {
        return Ok(ImportedSettings::default());
    };
    told.judging = tests.iter().find_map(|step| step.judging(folder));
    let judge = told.judging.as_ref().map_or("tester", |judging| judging.tool.as_str()).to_owned();
    let tools = told.judging.as_ref().and_then(|judging| judging.tools.clone());
    let tools = tools.unwrap_or_else(|| "tools".into());
    let is_bot = |step: &&Step| step.judging(folder).is_none() && !step.is_of_tools(&tools, &judge);
    let mut bots = tests.iter().filter(is_bot);
    let bot_step = bots.clone().find(|step| step.reads_case()).or_else(|| bots.next());
    if let (None, Some(bot)) = (&told.judging, bot_step) {
        told.judging = tests.iter().find_map(|step| step.judging_of(bot, folder));
    }
    told.cases = told.cases.or_else(|| tests.iter().find_map(Step::cases));
    if let (Some(judging), Some(step)) = (&mut told.judging, bot_step)
        && !judging.starts_bot
    {
        fill_in(&mut judging.arguments, step);
    }
    let is_unknown = |judging: &mut Judging| judging.is_other && Step::has_seed(&judging.arguments);
    if let Some(scorer) = told.judging.take_if(is_unknown) {
        told.left.push(not_filled_in("the scorer", &scorer.arguments));
    }
    let mut words = match told.judging.as_mut().filter(|judging| judging.starts_bot) {
        Some(judging) => mem::take(&mut judging.arguments),
        None => bot_step.map(|step| step.command(folder)).unwrap_or_default(),
    };
    from_windows(&mut words);
    if Step::has_seed(&words) {
        told.left.push(not_filled_in("the bot", &words));
        return Ok(told);
    }
    let Some(program) = words.first() else { return Ok(told) };
    for step in builds.iter().filter(|step| !step.is_of_tools(&tools, &judge)) {
        match step.build(program) {
            Ok(command) => told.builds.push(command),
            Err(command) => told
                .left
                .push(format!("a step of the bot's build, which Windows alone has: {command}")),
        }
    }
    told.bot = words;
    Ok(told)
}

fn not_filled_in(what: &str, words: &[String]) -> String {
    format!("{what}: `{}` takes words that only other tools fill in", words.join(" "))
}

/// Has the referee fill in the arguments of a scorer that pahcer does: the files that the bot reads and writes, or else the first that
/// are named after the seed.
fn fill_in(arguments: &mut [String], bot: &Step) {
    for is_exact in [true, false] {
        for (file, place) in [(&bot.stdin, "{case}"), (&bot.stdout, "{answer}")] {
            let has_file = |word: &String| match (file, path_in(word)) {
                (Some(file), path) if is_exact => step::is_same(file, path),
                (_, path) => !is_exact && path.contains(SEED) && path.contains(['/', '.']),
            };
            let is_there = arguments.iter().any(|word| word.ends_with(place));
            let most = if is_exact { usize::MAX } else { usize::from(!is_there) };
            for word in arguments.iter_mut().filter(|word| has_file(word)).take(most) {
                word.replace_range(word.len() - path_in(word).len().., place);
            }
        }
    }
}

/// The path in a word of a command, which may stand behind an option, such as `--out=FILE`.
fn path_in(word: &str) -> &str {
    if word.starts_with('-') { word.split_once('=').map_or("", |(_, path)| path) } else { word }
}

/// The content of a file; `None` if it does not exist.
fn read_if_there(file: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some),
    }
}

/// How a contest's answers are judged.
struct Judge {
    /// The kind of its game.
    kind: &'static str,
    command: String,
    /// A comment on the choice, in a line of its own.
    note: String,
}

/// The judge among a contest's tools, and what is missing of it.
fn tool(
    folder: &Path,
    tools: &Tools,
    judging: Option<&Judging>,
    missing: &mut Vec<String>,
) -> Judge {
    let there: Vec<_> = TOOLS.iter().filter(|(tool, ..)| tools.has(tool)).collect();
    let is_judge = |tool: &&&Tool| tool.0 != "tester" || tools.tester_takes_command();
    let usual = there.iter().find(is_judge).or(there.first()).map_or(&TOOLS[0], |tool| *tool);
    let mut note = String::new();
    let (tool, kind, arguments) = match judging {
        Some(Judging { tool, starts_bot: true, .. }) => {
            (tool.as_str(), "tester", "{bot}".to_owned())
        }
        Some(Judging { tool, arguments, .. }) => {
            let has = |place: &str| arguments.iter().any(|word| word.ends_with(place));
            let is_whole = has("{case}") && has("{answer}") && !Step::has_seed(arguments);
            if !is_whole {
                missing.push(not_filled_in("the scorer", arguments));
            }
            let given = if is_whole { words(arguments) } else { SCORED.to_owned() };
            (tool.as_str(), "scored", given)
        }
        None => {
            if let Some((other, kind, arguments)) = there.iter().find(|tool| tool.0 != usual.0) {
                let command = started(&tools.program(other), arguments);
                note = format!(
                    "# or, if {other} is the judge: kind = \"{kind}\", command = {}\n",
                    quoted(&command)
                );
            }
            (usual.0, usual.1, usual.2.to_owned())
        }
    };
    let mut program = tools.program(tool);
    // Some steps move it to where others start it.
    let moved = judging.and_then(|judging| judging.program.as_ref());
    if let Some(moved) =
        moved.map(|moved| folder.join(step::inside(moved))).filter(|moved| moved.is_file())
        && !program.is_file()
    {
        program = moved;
    }
    let manifest = tools.folder.join("Cargo.toml");
    let is_missing = !program.is_file();
    if is_missing && (tools.has(tool) || manifest.is_file() && judging.is_some()) {
        let manifest = shell_word(&manifest.display().to_string());
        missing.push(format!(
            "the {tool}: build it with `cargo build --release --manifest-path {manifest}`"
        ));
    } else if is_missing {
        missing.push(format!(
            "a tester or scorer: {} has no src/bin/tester.rs, vis.rs or score.rs; unpack the contest's tools there",
            tools.folder.display()
        ));
    }
    if judging.is_none() && kind == "tester" && !tools.tester_takes_command() {
        missing
            .push("a scorer: src/bin/tester.rs does not start the bot that it is given".to_owned());
    }
    Judge { kind, command: started(&program, &arguments), note }
}

/// The command that starts a tool.
fn started(program: &Path, arguments: &str) -> String {
    format!("{} {arguments}", shell_word(&from_here(program)))
}

fn settings(name: &str, judge: &Judge, cases: &Path, told: ImportedSettings) -> String {
    let Judge { kind, command, note } = judge;
    let (command, cases) = (quoted(command), quoted(&cases.display().to_string()));
    let stdin = if *kind == "tester" { "stdin = \"{case}\"\n" } else { "" };
    let better = better_line(told.better);
    let mut settings = format!(
        "[game.{name}]\nkind = \"{kind}\"\ncommand = {command}\n{stdin}{note}cases = {cases}\n{LIMIT}{better}"
    );
    settings.extend(told.score.map(|score| format!("score = {}\n", quoted(&score))));
    settings + &refused_line(0)
}

/// Tools print this score for an answer that they refuse.
fn refused_line(score: i32) -> String {
    format!(
        "refused = {score}   # loses the game; remove this line if a valid answer can score {score}\n"
    )
}

fn better_line(better: Option<&str>) -> String {
    match better {
        Some(better) => format!("better = \"{better}\"\n"),
        None => "better = \"higher\"   # see the statement\n".to_owned(),
    }
}

/// The table of the bot that other tools play.
fn bot(name: &str, folder: &Path, told: &ImportedSettings) -> Option<String> {
    if told.bot.is_empty() {
        return None;
    }
    let command = quoted(&words(&told.bot));
    let folder = folder.display().to_string();
    let cwd = if folder == "." { String::new() } else { format!("cwd = {}\n", quoted(&folder)) };
    let build = if told.builds.is_empty() {
        String::new()
    } else {
        format!("build = {}\n", quoted(&told.builds.join(" && ")))
    };
    Some(format!("\n[bots.{name}]\n{build}command = {command}\n{cwd}"))
}

/// Looks at a tester of TopCoder's, and writes the settings of its game, under the name `given` or else its file's.
///
/// # Errors
/// When the file cannot be read or is not a jar, or psytester's settings next to it cannot be read.
pub fn survey_jar(jar: &Path, given: Option<&str>) -> io::Result<Survey> {
    let mut start = Vec::new();
    fs::File::open(jar)?.take(ZIP.len() as u64).read_to_end(&mut start)?;
    if start != ZIP {
        return Err(io::Error::other(format!("{} is not a jar", jar.display())));
    }
    let names = [given.map(str::to_owned), Some(last_part(&jar.with_extension("")))];
    let name = game_name(names.into_iter().flatten());
    let psytester = Psytester::read(folder_of(jar))?;
    let Psytester { command, better, is_raw, score, left, .. } = psytester.unwrap_or_default();
    let (command, note) = match command {
        Some(words) => (with_jar(&words, jar), ""),
        None => (with_jar(&USUAL.map(str::to_owned), jar), "   # flags differ: see the statement"),
    };
    let (command, better) = (quoted(&command), better_line(better));
    let measure = if is_raw { "" } else { RATIO };
    let mut settings = format!(
        "[game.{name}]\nkind = \"tester\"\ncommand = {command}{note}\n{LIMIT}{better}{measure}"
    );
    settings.extend(score.map(|score| format!("score = {}\n", quoted(&score))));
    settings += &refused_line(-1);
    let missing = left.into_iter().map(|what| format!("{} of {}", what, psytester::FILE)).collect();
    Ok(Survey { name, settings, missing })
}

/// A command of a tester with the path of its jar, as a shell takes it.
fn with_jar(command: &[String], jar: &Path) -> String {
    let is_jar = |word: &str| Path::new(word).extension().is_some_and(|ending| ending == "jar");
    let path = jar.display().to_string();
    let word = |word: &String| if is_jar(word) { path.clone() } else { word.clone() };
    words(&command.iter().map(word).collect::<Vec<_>>())
}

/// Words as a shell takes them.
fn words(words: &[String]) -> String {
    let word = |word: &String| {
        // Braces are nothing to a command without a shell.
        let plain = word.replace(['{', '}', '='], "");
        if shell_word(&plain) == plain { word.clone() } else { shell_word(word) }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A path with a slash in it, so that it is not looked up in `PATH`.
fn from_here(program: &Path) -> String {
    let path = program.display().to_string();
    if is_path(&path) { path } else { format!("./{path}") }
}

/// The tools of a contest.
struct Tools {
    folder: PathBuf,
    /// Where Cargo puts them once they are built.
    built: PathBuf,
}

impl Tools {
    /// The tools in `folder`, of a contest in `root`.
    fn new(root: &Path, folder: &Path) -> Self {
        let usual = folder.join("target");
        let is_built = TOOLS
            .iter()
            .any(|(tool, ..)| program_file(&usual.join("release").join(tool)).is_file());
        let target = if is_built { None } else { target_of_workspace(root, folder) };
        Self { folder: folder.to_owned(), built: target.unwrap_or(usual).join("release") }
    }

    fn source(&self, tool: &str) -> PathBuf {
        self.folder.join(format!("src/bin/{tool}.rs"))
    }

    /// Whether this tool is there, or its source.
    fn has(&self, tool: &str) -> bool {
        self.source(tool).is_file() || self.program(tool).is_file()
    }

    /// Where a tool is once it is built, unless somebody has put it into the folder itself.
    fn program(&self, tool: &str) -> PathBuf {
        let built = program_file(&self.built.join(tool));
        let copied = program_file(&self.folder.join(tool));
        if !built.is_file() && copied.is_file() { copied } else { built }
    }

    /// Whether the tester starts the bot whose command it is given, as in interactive contests, by its source. Others are their owner's,
    /// and play all cases with a bot that they know.
    fn tester_takes_command(&self) -> bool {
        let Ok(source) = fs::read_to_string(self.source("tester")) else { return true };
        let source: String = source.split_whitespace().collect();
        let takes_words =
            ["args()", "args_os()", "Parser"].iter().any(|sign| source.contains(sign));
        let knows_bot =
            ["Command::new(\"", "\"in/", "tools/in/"].iter().any(|sign| source.contains(sign));
        takes_words && !knows_bot
    }
}

/// The folder where Cargo puts what it builds of these tools, if that is not in them: in a workspace that is its root's.
fn target_of_workspace(root: &Path, tools: &Path) -> Option<PathBuf> {
    let manifest = tools.join("Cargo.toml");
    if !manifest.is_file() {
        return None;
    }
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1", "--manifest-path"]);
    let told = cargo.arg(manifest).stdin(Stdio::null()).output().ok()?;
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).ok()?;
    let target = PathBuf::from(told["target_directory"].as_str()?);
    let inside = target.strip_prefix(root.canonicalize().ok()?).map(|inside| root.join(inside));
    Some(inside.unwrap_or(target))
}

/// The first folder that has cases, as the settings name them. A folder alone means its files `*.txt`.
fn cases(folders: &[Option<PathBuf>]) -> Option<PathBuf> {
    let has = |folder: &Path, ending: &str| {
        let mut entries = folder.read_dir().into_iter().flatten().flatten();
        let is_case =
            |path: PathBuf| path.extension().is_some_and(|it| it == ending) && !is_hidden(&path);
        entries.any(|entry| is_case(entry.path()))
    };
    folders.iter().flatten().find_map(|folder| {
        let inputs = || has(folder, "in").then(|| folder.join("*.in"));
        has(folder, "txt").then(|| folder.clone()).or_else(inputs)
    })
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("inside")).expect("room");
            fs::write(path, text).expect("room");
        }
        folder
    }

    /// The settings for pahcer's steps of building and testing, besides the tools of an interactive contest.
    fn settings_for(steps: &str) -> String {
        let folder = made(&[
            ("tools/src/bin/tester.rs", ""),
            ("tools/in/0000.txt", "1"),
            ("pahcer/in/0000.txt", "1"),
            ("pahcer_config.toml", &format!("[problem]\nproblem_name = 'demo'\n[test]\n{steps}")),
        ]);
        let found = survey_ahc(folder.path(), None).expect("readable").settings;
        toml::from_str::<toml::Table>(&found).expect("good settings");
        found.replace(&folder.path().display().to_string(), "HERE")
    }

    #[test]
    fn steps_of_pahcer_name_the_bot_behind_a_tester() {
        let step = |program: &str, args: &str, more: &str| {
            format!("[[test.test_steps]]\nprogram = '{program}'\nargs = [{args}]\n{more}\n")
        };
        let tools = "current_dir = './tools'";
        let runs = "'run', '-r', '--bin=tester', '--', 'python3', '../b/main.py'";
        for (step, command) in [
            (step("cargo", "'run', '--bin', 'tester', '--release', '../a.out'", tools), "./a.out"),
            (step("cargo", runs, tools), "python3 ./b/main.py"),
            (step("./tester", "'./a.out', '-v'", ""), "./a.out -v"),
            (step("./tools/target/release/tester", "'./a.out'", ""), "./a.out"),
            (step("tools/tester.exe", "'./a.exe'", ""), "./a.exe"),
            (step("python3", "'./main.py'", ""), "python3 ./main.py"),
            (step("cargo", "'run', '--release'", ""), "cargo run --release"),
        ] {
            let settings = settings_for(&step);
            let line = format!("\n[bots.demo]\ncommand = \"{command}\"\n");
            assert!(settings.contains(&line), "{step}{settings}");
        }
        let odd = settings_for(&step("cargo", "'run', '--bin', 'tester', '--release'", tools));
        assert!(!odd.contains("[bots."), "{odd}");
    }

    #[test]
    fn steps_of_pahcer_name_a_scorer_of_ones_own() {
        let bot = "[[test.test_steps]]\nprogram = 'mkdir'\nargs = ['-p', 'made']\n\
            [[test.test_steps]]\nprogram = './a.out'\nstdin = './pahcer/in/{SEED04}.txt'\nstdout = 'made/{SEED}.out'\n\
            [[test.test_steps]]\n";
        for (step, command) in [
            (
                "program = 'python3'\nargs = ['score.py', 'pahcer/in/{SEED04}.txt', './made/{SEED}.out']",
                "python3 score.py {case} {answer}",
            ),
            (
                "program = 'java'\nargs = ['Judge', '../made/{SEED}.out', '../pahcer/in/{SEED04}.txt']\ncurrent_dir = 'x'",
                r#"sh -c 'cd HERE/x && exec \"$0\" \"$@\"' java Judge {answer} {case}"#,
            ),
            (
                "program = './mark'\nargs = ['--in=./pahcer/in/{SEED04}.txt', '--out=made/{SEED}.out']",
                "./mark --in={case} --out={answer}",
            ),
        ] {
            let settings = settings_for(&format!("{bot}{step}\n"));
            let game = format!("kind = \"scored\"\ncommand = \"{command}\"\n");
            assert!(settings.contains(&game), "{step}: {settings}");
            assert!(settings.contains("[bots.demo]\ncommand = \"./a.out\"\n"), "{settings}");
        }
        let draws = "program = 'sh'\nargs = ['s', 'pahcer/in/{SEED04}.txt', 'made/{SEED}.out', '{SEED}.svg']";
        let settings = settings_for(&format!("{bot}{draws}\n"));
        assert!(settings.contains("kind = \"tester\""), "the contest's own: {settings}");
    }

    #[test]
    fn a_step_of_psytester_that_makes_folders_is_not_the_bot() {
        let command = "mkdir -p %OUTPUT_DIR%/res && ./main < in/%SEED04%.txt > %OUTPUT_DIR%/%SEED%.out && \
            tools/target/release/vis in/%SEED04%.txt %OUTPUT_DIR%/%SEED%.out > %OUTPUT_DIR%/res/%SEED%";
        let folder = made(&[("tester.cfg", &format!("[general]\ncmd_tester = {command}\n"))]);
        let found = survey_ahc(folder.path(), None).expect("readable").settings;
        assert!(found.contains("\ncommand = \"./main\"\n"), "{found}");
    }

    #[test]
    fn a_contests_tools_get_their_settings() {
        let pahcer = "[problem]\nproblem_name = 'AHC 99'\nobjective = 'Min'\nscore_regex = '(?P<score>\\d+)'\n";
        let folder = made(&[
            ("tools/src/bin/gen.rs", ""),
            ("tools/src/bin/vis.rs", ""),
            ("tools/in/0000.txt", "1"),
            ("tools/in/0001.txt", "2"),
            ("pahcer_config.toml", pahcer),
        ]);
        let found = survey_ahc(folder.path(), None).expect("readable");
        assert_eq!(found.name, "ahc-99");
        for part in [
            "[game.ahc-99]\nkind = \"scored\"\n",
            "tools/target/release/vis {case} {answer}\"\n",
            "better = \"lower\"\nscore = \"(?P<score>\\\\d+)\"\nrefused = 0   # loses",
            "\n[limits.ahc-99]\nmemory = \"1GiB\"",
        ] {
            assert!(found.settings.contains(part), "{part}: {}", found.settings);
        }
        assert!(found.missing[0].starts_with("the vis: build it with `cargo build --release"));
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
    }

    #[test]
    fn a_tester_comes_before_a_scorer_and_reads_the_case() {
        let folder = made(&[
            ("tools/target/release/tester", ""),
            ("tools/target/release/vis", ""),
            ("in/0000.txt", ""),
        ]);
        let found = survey_ahc(folder.path(), None).expect("readable");
        assert!(found.missing.is_empty(), "{:?}", found.missing);
        let part = "tester {bot}\"\nstdin = \"{case}\"\n";
        assert!(found.settings.contains(part), "{}", found.settings);
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        let copied = made(&[("vis", ""), ("in/0000.txt", "")]);
        let found = survey_ahc(copied.path(), None).expect("readable");
        assert!(found.missing.is_empty(), "{:?}", found.missing);
        let part = format!("{}/vis {{case}} {{answer}}", copied.path().display());
        assert!(found.settings.contains(&part), "{}", found.settings);
        let other = made(&[("vis", ""), ("in/0000.in", ""), ("in/._0000.in", "")]);
        let found = survey_ahc(other.path(), None).expect("readable");
        let part = format!("cases = \"{}/in/*.in\"\n", other.path().display());
        assert!(found.settings.contains(&part), "{}", found.settings);
        let empty = survey_ahc(made(&[]).path(), None).expect("readable");
        assert_eq!(empty.missing.len(), 2, "{:?}", empty.missing);
    }

    #[test]
    fn what_a_tool_is_given_is_taken_over_or_missing() {
        for (arguments, taken) in [
            (
                "'--in', './tools/in/{SEED04}.txt', '--out=./out/{SEED}'",
                Some("--in {case} --out={answer}"),
            ),
            ("'./out/{SEED}', 'tools/in/{SEED04}.txt'", Some("{answer} {case}")),
            ("'other/{SEED04}.in', 'other/{SEED}.out'", Some("{case} {answer}")),
            ("'tools/in/{SEED04}.txt', 'out/{SEED}', '{SEED}.svg'", None),
            ("'--seed={SEED}', 'tools/in/{SEED04}.txt', 'out/{SEED}'", None),
            ("'tools/in/{SEED04}.txt', '-oout/{SEED}'", None),
        ] {
            let steps = format!(
                "[[test.test_steps]]\nprogram = './a.out'\nstdin = './tools/in/{{SEED04}}.txt'\nstdout = './out/{{SEED}}'\n\
                 [[test.test_steps]]\nprogram = './vis'\nargs = [{arguments}]\n"
            );
            let folder =
                made(&[("vis", ""), ("tools/in/0000.txt", "1"), ("pahcer_config.toml", &steps)]);
            let found = survey_ahc(folder.path(), None).expect("readable");
            let missing = found.missing.join("\n");
            assert_eq!(missing.is_empty(), taken.is_some(), "{arguments}: {missing}");
            let command = format!("/vis {}\"\n", taken.unwrap_or("{case} {answer}"));
            assert!(found.settings.contains(&command), "{arguments}: {}", found.settings);
        }
    }

    #[test]
    fn a_tester_of_the_owners_is_not_the_contests() {
        const GENUINE: &str = "let mut args = std::env::args().skip(1);\nstd::process::Command::new(args.next().unwrap());";
        let scorer = "# or, if vis is the judge: kind = \"scored\", command = \"";
        let tester = "# or, if tester is the judge: kind = \"tester\"";
        let reads = "for arg in env::args() { File::open(\"in/0000.txt\") }";
        let none = "a scorer: src/bin/tester.rs does not start the bot";
        for (source, others, kind, note, missing) in [
            (GENUINE, &[][..], "tester", "", ""),
            (GENUINE, &["vis"], "tester", scorer, ""),
            ("Command::new(\"../main\")", &["vis"], "scored", tester, ""),
            (reads, &["score"], "scored", "tester", ""),
            ("fn main() {}", &[], "tester", "", none),
        ] {
            let folder = made(&[("tools/src/bin/tester.rs", source), ("tools/in/0000.txt", "1")]);
            for other in others {
                fs::write(folder.path().join(format!("tools/src/bin/{other}.rs")), "")
                    .expect("room");
            }
            let found = survey_ahc(folder.path(), None).expect("readable");
            assert!(found.settings.contains(&format!("kind = \"{kind}\"\n")), "{}", found.settings);
            assert!(found.settings.contains(note), "{note}: {}", found.settings);
            assert_eq!(found.settings.contains("# or, if"), !note.is_empty(), "{}", found.settings);
            assert!(found.missing.join("\n").contains(missing), "{:?}", found.missing);
            toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        }
    }

    #[test]
    fn tools_of_a_workspace_are_where_cargo_builds_them() {
        let package = "[package]\nname = 'tools'\nversion = '0.1.0'\nedition = '2021'\n";
        let folder = made(&[
            ("Cargo.toml", "[workspace]\nmembers = ['tools']\nresolver = '2'\n"),
            ("tools/Cargo.toml", package),
            ("tools/src/bin/vis.rs", "fn main() {}"),
            ("tools/in/0000.txt", "1"),
        ]);
        let program = folder.path().join("target/release/vis");
        let part = format!("command = \"{} {{case}} {{answer}}\"", program.display());
        let missing = |count| {
            let found = survey_ahc(folder.path(), None).expect("readable");
            assert!(found.settings.contains(&part), "{}", found.settings);
            assert_eq!(found.missing.len(), count, "{:?}", found.missing);
        };
        missing(1);
        fs::create_dir_all(folder.path().join("target/release")).expect("room");
        fs::write(program_file(&program), "").expect("room");
        missing(0);
    }

    #[test]
    fn a_jar_gets_its_settings() {
        let folder = made(&[("My Vis.jar", "PK"), ("notes.txt", "mine"), ("empty", "")]);
        let found = survey_jar(&folder.path().join("My Vis.jar"), None).expect("it is there");
        assert_eq!(found.name, "my-vis");
        for part in [
            ".jar' -novis -exec {bot} -seed {seed}\"",
            "\nmeasure = \"ratio\" ",
            "\nrefused = -1   # ",
        ] {
            assert!(found.settings.contains(part), "{part}: {}", found.settings);
        }
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        for name in ["none.jar", "notes.txt", "empty", "."] {
            assert!(survey_jar(&folder.path().join(name), None).is_err(), "{name}");
        }
    }

    #[test]
    fn psytesters_settings_are_taken_over() {
        let settings = |command: &str, pattern: &str| {
            format!(
                "[general]\n# cmd_tester = other\ncmd_tester = {command}\nextraction_regex_0 = (?P<VARIABLE>\\w+)\n\
                 extraction_regex_1 = {pattern}\n\n[default]\nscoring = min\n"
            )
        };
        let usual = "java -jar t.jar -novis -saveSolError %OUTPUT_DIR% -pr -exec \"./my bot\" -seed %SEED% %TESTER_ARGS% > %OUTPUT_DIR%/%SEED%.out";
        let pattern = r"^Score = (?P<score>\d+), RunTime = (?P<time>\d+) ms$";
        let folder = made(&[("tester.jar", "PK"), ("tester.cfg", &settings(usual, pattern))]);
        let found = survey_jar(&folder.path().join("tester.jar"), None).expect("it is there");
        for part in [
            "/tester.jar -novis -pr -exec {bot} -seed {seed}\"\n",
            "better = \"lower\"\n",
            "score = \"(?m)^Score = (?P<score>",
        ] {
            assert!(found.settings.contains(part), "{part}: {}", found.settings);
        }
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        let shell = "mkdir -p %OUTPUT_DIR% && java -jar t.jar -ex ./bot -sd %SEED% > %OUTPUT_DIR%/%SEED%.out 2>&1 && echo";
        let folder = made(&[("tester.jar", "PK"), ("tester.cfg", &settings(shell, pattern))]);
        let found = survey_jar(&folder.path().join("tester.jar"), None).expect("it is there");
        let part = "/tester.jar -ex {bot} -sd {seed}\"\n";
        assert!(found.settings.contains(part), "{}", found.settings);
        let odd = settings("./run %SEED%", "(?P<score>(?=x))").replace("= min", "= raw");
        let folder = made(&[("tester.jar", "PK"), ("tester.cfg", &odd)]);
        let found = survey_jar(&folder.path().join("tester.jar"), None).expect("it is there");
        assert!(found.settings.contains("-novis -exec {bot}"), "{}", found.settings);
        assert!(!found.settings.contains("measure"), "{}", found.settings);
        assert!(
            found.missing[0].starts_with("cmd_tester")
                && found.missing[1].starts_with("extraction_regex_1")
        );
    }

    #[test]
    fn a_bot_that_pahcer_builds_becomes_a_bot_of_the_project() {
        let pahcer = |steps: &str| {
            format!(
                "[[test.compile_steps]]\nprogram = 'cargo'\nargs = ['build', '--release']\n\
                [[test.compile_steps]]\nprogram = 'mv'\nargs = ['a b', 'bot']\ncurrent_dir = 'x'\n[[test.test_steps]]\n{steps}"
            )
        };
        for (steps, bot) in [
            (
                "program = './bot'\nargs = ['fast']\n[[test.test_steps]]\nprogram = 'vis'\n",
                Some("./bot fast"),
            ),
            ("program = 'tools/target/release/tester'\nargs = ['./bot']\n", Some("./bot")),
            ("program = './bot'\nargs = ['{SEED}']\n", None),
        ] {
            let folder = made(&[("pahcer_config.toml", &pahcer(steps))]);
            let found = survey_ahc(folder.path(), None).expect("readable");
            let settings: toml::Table = toml::from_str(&found.settings).expect("good settings");
            let table = settings.get("bots").map(|bots| &bots[&found.name]);
            assert_eq!(table.and_then(|table| table["command"].as_str()), bot, "{steps}");
            if let Some(table) = table {
                let build = "cargo build --release && (cd x && mv 'a b' bot)";
                assert_eq!(table["build"].as_str(), Some(build));
                assert_eq!(table["cwd"].as_str(), folder.path().to_str());
            }
        }
    }
}
