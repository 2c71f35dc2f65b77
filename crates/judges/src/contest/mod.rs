//! What the local tools of a contest have and lack, as `referee init --ahc` and `--tester` say it.

mod pahcer;
mod psytester;
mod step;

use std::io::{self, Read as _};
use std::mem;
use std::path::{Path, PathBuf};

use fs_err as fs;

use self::pahcer::Pahcer;
use self::psytester::Psytester;
use self::step::{Judging, SEED, Step, from_windows};
use crate::codingame::Survey;
use rules::game::GAMES;
use terms::path::{folder_of, is_hidden};
use terms::system::{is_path, program_file};
use terms::text::{plural, shell_word};

/// The limit that is written where the statement's is unknown.
const LIMIT: &str = "limits = { total = \"2s\" }   # see the statement\n";

/// A tool of a contest: its program, the kind of its game, and its command.
const TOOLS: [(&str, &str, &str); 3] =
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
struct Told {
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

/// Looks at the folder of one of AtCoder's heuristic contests, and writes the settings of its game. Builds nothing.
///
/// # Errors
/// When the folder cannot be read.
pub fn survey_ahc(folder: &Path) -> io::Result<Survey> {
    fs::read_dir(folder)?;
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let told = told(folder, &mut found)?;
    let tools = told.judging.as_ref().and_then(|judging| judging.tools.as_ref());
    let tools = tools.map(|tools| folder.join(tools)).filter(|tools| tools.is_dir());
    let tools = tools.or_else(|| Some(folder.join("tools")).filter(|tools| tools.is_dir()));
    let tools = tools.unwrap_or_else(|| folder.to_owned());
    let name = name(told.name.as_deref(), folder);
    let judging = told.judging.as_ref();
    let (kind, command) = if let Some(scorer) = judging.filter(|judging| judging.is_other) {
        let command = words(&scorer.arguments);
        found.push(format!("the scorer: {command}"));
        ("scored", command)
    } else {
        let (program, kind, arguments) = tool(folder, &tools, judging, &mut found, &mut missing);
        (kind, format!("{} {arguments}", shell_word(&from_here(&program))))
    };
    let cases = cases(&[
        told.cases.as_ref().map(|cases| folder.join(step::inside(cases))),
        Some(tools.join("in")),
        Some(folder.join("in")),
    ]);
    match &cases {
        Some((cases, count)) => {
            found.push(format!("{} in {}", plural(*count, "case"), cases.display()));
        }
        None => {
            missing.push(format!("cases: {} has no .txt or .in file", tools.join("in").display()));
        }
    }
    let cases = cases.map_or_else(|| tools.join("in"), |(cases, _)| cases);
    let bot = bot(&name, folder, &told);
    let builds = if told.builds.is_empty() { "plays it" } else { "builds it and plays" };
    found.extend(bot.as_ref().map(|_| format!("the bot: --bot {name} {builds}")));
    missing.extend(told.left.iter().cloned());
    let settings = settings(&name, kind, &command, &cases, told);
    let limits = format!("\n[limits.{name}]\nmemory = \"1GiB\"   # of the bot: AtCoder's limit\n");
    let settings = settings + &limits + &bot.unwrap_or_default();
    Ok(Survey { name, settings, found, missing })
}

/// What pahcer's settings say, or without them psytester's.
fn told(folder: &Path, found: &mut Vec<String>) -> io::Result<Told> {
    let (mut told, builds, tests) = if let Some(settings) = Pahcer::read(folder)? {
        found.push(format!("settings of pahcer: {}", pahcer::FILE));
        let Pahcer { name, better, score, cases, builds, tests } = settings;
        let cases = cases.map(PathBuf::from);
        (Told { name, better, score, cases, ..Told::default() }, builds, tests)
    } else if let Some(settings) = Psytester::read(folder)? {
        found.push(format!("settings of psytester: {}", psytester::FILE));
        let Psytester { better, score, tests, left, .. } = settings.of_cases();
        (Told { better, score, left, ..Told::default() }, Vec::new(), tests)
    } else {
        return Ok(Told::default());
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

/// Has the referee fill in the arguments of a scorer that pahcer does: the files that the bot reads and writes.
fn fill_in(arguments: &mut [String], bot: &Step) {
    let mut places = ["{case}", "{answer}"].into_iter();
    for word in arguments.iter_mut().filter(|word| word.contains(SEED)) {
        let is =
            |file: &Option<String>| file.as_ref().is_some_and(|file| step::is_same(file, word));
        let usual = places.next().unwrap_or(word);
        let place = if is(&bot.stdin) {
            "{case}"
        } else if is(&bot.stdout) {
            "{answer}"
        } else {
            usual
        };
        *word = place.to_owned();
    }
}

/// The content of a file; `None` if it does not exist.
fn read_if_there(file: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some),
    }
}

/// The program of a contest's tools, the kind of its game and its arguments, and what is there of it and what is missing.
fn tool(
    folder: &Path,
    tools: &Path,
    judging: Option<&Judging>,
    found: &mut Vec<String>,
    missing: &mut Vec<String>,
) -> (PathBuf, &'static str, String) {
    let usual = TOOLS.iter().find(|(tool, ..)| has(tools, tool)).unwrap_or(&TOOLS[0]);
    let (tool, kind, arguments) = match judging {
        Some(Judging { tool, starts_bot: true, .. }) => {
            (tool.as_str(), "tester", "{bot}".to_owned())
        }
        Some(Judging { tool, arguments, .. }) => {
            let has = |place: &str| arguments.iter().any(|word| word == place);
            let is_whole = has("{case}") && has("{answer}") && !Step::has_seed(arguments);
            let given = if is_whole { words(arguments) } else { SCORED.to_owned() };
            (tool.as_str(), "scored", given)
        }
        None => (usual.0, usual.1, usual.2.to_owned()),
    };
    let mut program = program(tools, tool);
    // Some steps move it to where others start it.
    let moved = judging.and_then(|judging| judging.program.as_ref());
    if let Some(moved) =
        moved.map(|moved| folder.join(step::inside(moved))).filter(|moved| moved.is_file())
        && !program.is_file()
    {
        program = moved;
    }
    if program.is_file() {
        found.push(format!("the {tool}: {}", program.display()));
    } else if has(tools, tool) || tools.join("Cargo.toml").is_file() && judging.is_some() {
        let manifest = shell_word(&tools.join("Cargo.toml").display().to_string());
        missing.push(format!(
            "the {tool}: build it with `cargo build --release --manifest-path {manifest}`"
        ));
    } else {
        missing.push(format!(
            "a tester or scorer: {} has no src/bin/tester.rs, vis.rs or score.rs; unpack the contest's tools there",
            tools.display()
        ));
    }
    (program, kind, arguments)
}

fn settings(name: &str, kind: &str, command: &str, cases: &Path, told: Told) -> String {
    let (command, cases) = (quoted(command), quoted(&cases.display().to_string()));
    let stdin = if kind == "tester" { "stdin = \"{case}\"\n" } else { "" };
    let better = better_line(told.better);
    let mut settings = format!(
        "[game.{name}]\nkind = \"{kind}\"\ncommand = {command}\n{stdin}cases = {cases}\n{LIMIT}{better}"
    );
    settings.extend(told.score.map(|score| format!("score = {}\n", quoted(&score))));
    settings
}

fn better_line(better: Option<&str>) -> String {
    match better {
        Some(better) => format!("better = \"{better}\"\n"),
        None => "better = \"higher\"   # see the statement\n".to_owned(),
    }
}

/// The table of the bot that other tools play.
fn bot(name: &str, folder: &Path, told: &Told) -> Option<String> {
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

/// Looks at a tester of TopCoder's, and writes the settings of its game.
///
/// # Errors
/// When the file cannot be read or is not a jar, or psytester's settings next to it cannot be read.
pub fn survey_jar(jar: &Path) -> io::Result<Survey> {
    let mut start = Vec::new();
    fs::File::open(jar)?.take(ZIP.len() as u64).read_to_end(&mut start)?;
    if start != ZIP {
        return Err(io::Error::other(format!("{} is not a jar", jar.display())));
    }
    let name = name(None, &jar.with_extension(""));
    let psytester = Psytester::read(folder_of(jar))?;
    let mut found = vec![format!("the tester: {}", jar.display())];
    let bot = psytester.as_ref().and_then(|settings| settings.bot.as_ref());
    let bot = bot.map(|bot| format!("; it plays `{bot}`")).unwrap_or_default();
    found.extend(
        psytester.as_ref().map(|_| format!("settings of psytester: {}{bot}", psytester::FILE)),
    );
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
    let missing = left.into_iter().map(|what| format!("{} of {}", what, psytester::FILE)).collect();
    Ok(Survey { name, settings, found, missing })
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
    // Braces are nothing to a command without a shell.
    let word = |word: &String| if word.starts_with('{') { word.clone() } else { shell_word(word) };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A path with a slash in it, so that it is not looked up in `PATH`.
fn from_here(program: &Path) -> String {
    let path = program.display().to_string();
    if is_path(&path) { path } else { format!("./{path}") }
}

/// Whether a folder has this tool, or its source.
fn has(tools: &Path, tool: &str) -> bool {
    tools.join(format!("src/bin/{tool}.rs")).is_file() || program(tools, tool).is_file()
}

/// Where a tool is once it is built: where Cargo puts it, unless somebody has put it into the folder itself.
fn program(tools: &Path, tool: &str) -> PathBuf {
    let built = program_file(&tools.join("target/release").join(tool));
    let copied = program_file(&tools.join(tool));
    if !built.is_file() && copied.is_file() { copied } else { built }
}

/// The first folder that has cases, as the settings name them, and their number. A folder alone means its files `*.txt`.
fn cases(folders: &[Option<PathBuf>]) -> Option<(PathBuf, u64)> {
    let count = |folder: &Path, ending: &str| {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let is_case =
            |path: PathBuf| path.extension().is_some_and(|it| it == ending) && !is_hidden(&path);
        entries.filter(|entry| is_case(entry.path())).count() as u64
    };
    let counted = folders.iter().flatten().flat_map(|folder| {
        [(folder.clone(), count(folder, "txt")), (folder.join("*.in"), count(folder, "in"))]
    });
    counted.into_iter().find(|(_, count)| *count > 0)
}

/// A name for the settings.
fn name(given: Option<&str>, path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let of_path = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let text = given.map_or(of_path, str::to_lowercase);
    let words: Vec<_> = text.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let name = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    match name.as_str() {
        "" => "contest".to_owned(),
        taken if GAMES.iter().any(|game| game.name == taken) => format!("{name}-original"),
        _ => name,
    }
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
        let found = survey_ahc(folder.path()).expect("readable").settings;
        toml::from_str::<toml::Table>(&found).expect("good settings");
        found.replace(&folder.path().display().to_string(), "HERE")
    }

    #[test]
    fn steps_of_pahcer_name_the_bot_behind_a_tester() {
        let step = |program: &str, args: &str, more: &str| {
            format!("[[test.test_steps]]\nprogram = '{program}'\nargs = [{args}]\n{more}\n")
        };
        let tools = "current_dir = './tools'";
        for (step, command) in [
            (step("cargo", "'run', '--bin', 'tester', '--release', '../a.out'", tools), "./a.out"),
            (
                step(
                    "cargo",
                    "'run', '-r', '--bin=tester', '--', 'python3', '../b/main.py'",
                    tools,
                ),
                "python3 ./b/main.py",
            ),
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
                "java Judge {answer} {case}",
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
        let found = survey_ahc(folder.path()).expect("readable").settings;
        assert!(found.contains("\ncommand = \"./main\"\n"), "{found}");
    }

    #[test]
    fn steps_of_pahcer_that_move_the_tester_do_not_build_the_bot() {
        let settings = settings_for(
            "[[test.compile_steps]]\nprogram = 'g++'\nargs = ['main.cpp']\n\
             [[test.compile_steps]]\nprogram = 'mv'\nargs = ['./tools/target/release/tester', './tester']\n\
             [[test.test_steps]]\nprogram = './tester'\nargs = ['./a.out']\nstdin = './pahcer/in/{SEED04}.txt'\n",
        );
        assert!(
            settings.contains("build = \"g++ main.cpp\"\ncommand = \"./a.out\"\n"),
            "{settings}"
        );
        assert!(settings.contains("cases = \"HERE/pahcer/in\"\n"), "{settings}");
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
        let found = survey_ahc(folder.path()).expect("readable");
        assert_eq!(found.name, "ahc-99");
        for part in [
            "[game.ahc-99]\nkind = \"scored\"\n",
            "tools/target/release/vis {case} {answer}\"\n",
            "better = \"lower\"\nscore = \"(?P<score>\\\\d+)\"\n",
            "\n[limits.ahc-99]\nmemory = \"1GiB\"",
        ] {
            assert!(found.settings.contains(part), "{part}: {}", found.settings);
        }
        assert!(
            found.found.iter().any(|line| line.starts_with("2 cases in ")),
            "{:?}",
            found.found
        );
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
        let found = survey_ahc(folder.path()).expect("readable");
        assert!(found.missing.is_empty(), "{:?}", found.missing);
        let part = "tester {bot}\"\nstdin = \"{case}\"\n";
        assert!(found.settings.contains(part), "{}", found.settings);
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        let copied = made(&[("vis", ""), ("in/0000.txt", "")]);
        let found = survey_ahc(copied.path()).expect("readable");
        assert!(found.missing.is_empty(), "{:?}", found.missing);
        let part = format!("{}/vis {{case}} {{answer}}", copied.path().display());
        assert!(found.settings.contains(&part), "{}", found.settings);
        let other = made(&[("vis", ""), ("in/0000.in", ""), ("in/._0000.in", "")]);
        let found = survey_ahc(other.path()).expect("readable");
        assert!(found.found.iter().any(|it| it.starts_with("1 case in ")), "{:?}", found.found);
        let part = format!("cases = \"{}/in/*.in\"\n", other.path().display());
        assert!(found.settings.contains(&part), "{}", found.settings);
        let empty = survey_ahc(made(&[]).path()).expect("readable");
        assert_eq!(empty.missing.len(), 2, "{:?}", empty.missing);
    }

    #[test]
    fn a_jar_gets_its_settings() {
        let folder = made(&[("My Vis.jar", "PK"), ("notes.txt", "mine"), ("empty", "")]);
        let found = survey_jar(&folder.path().join("My Vis.jar")).expect("it is there");
        assert_eq!(found.name, "my-vis");
        for part in [".jar' -novis -exec {bot} -seed {seed}\"", "\nmeasure = \"ratio\" "] {
            assert!(found.settings.contains(part), "{part}: {}", found.settings);
        }
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        for name in ["none.jar", "notes.txt", "empty", "."] {
            assert!(survey_jar(&folder.path().join(name)).is_err(), "{name}");
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
        let found = survey_jar(&folder.path().join("tester.jar")).expect("it is there");
        for part in [
            "/tester.jar -novis -pr -exec {bot} -seed {seed}\"\n",
            "better = \"lower\"\n",
            "score = \"(?m)^Score = (?P<score>",
        ] {
            assert!(found.settings.contains(part), "{part}: {}", found.settings);
        }
        assert!(found.found[1].ends_with("tester.cfg; it plays `./my bot`"), "{:?}", found.found);
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        let shell = "mkdir -p %OUTPUT_DIR% && java -jar t.jar -ex ./bot -sd %SEED% > %OUTPUT_DIR%/%SEED%.out 2>&1 && echo";
        let folder = made(&[("tester.jar", "PK"), ("tester.cfg", &settings(shell, pattern))]);
        let found = survey_jar(&folder.path().join("tester.jar")).expect("it is there");
        let part = "/tester.jar -ex {bot} -sd {seed}\"\n";
        assert!(found.settings.contains(part), "{}", found.settings);
        let odd = settings("./run %SEED%", "(?P<score>(?=x))").replace("= min", "= raw");
        let folder = made(&[("tester.jar", "PK"), ("tester.cfg", &odd)]);
        let found = survey_jar(&folder.path().join("tester.jar")).expect("it is there");
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
            let found = survey_ahc(folder.path()).expect("readable");
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
