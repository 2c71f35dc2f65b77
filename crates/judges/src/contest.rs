//! What the local tools of a contest have and lack, as `referee init --ahc` and `--tester` say it.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::codingame::Survey;
use rules::game::GAMES;
use terms::text::{plural, shell_word};

/// The limit that is written where the statement's is unknown.
const LIMIT: &str = "limits = { total = \"2s\" }   # see the statement\n";

/// A tool of a contest: its program, the kind of its game, and its command.
const TOOLS: [(&str, &str, &str); 3] = [
    ("tester", "tester", "{bot}"),
    ("vis", "scored", "{case} {answer}"),
    ("score", "scored", "{case} {answer}"),
];

/// Looks at the folder of one of AtCoder's heuristic contests, and writes the settings of its game. Builds nothing.
///
/// # Errors
/// When the folder cannot be read.
pub fn survey_ahc(folder: &Path) -> io::Result<Survey> {
    fs::read_dir(folder)?;
    let tools = Some(folder.join("tools")).filter(|tools| tools.is_dir());
    let tools = tools.unwrap_or_else(|| folder.to_owned());
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let pahcer = Pahcer::read(folder)?;
    found.extend(pahcer.as_ref().map(|_| format!("settings of pahcer: {PAHCER}")));
    let pahcer = pahcer.unwrap_or_default();
    let name = name(pahcer.name.as_deref(), folder);
    let tool = TOOLS.iter().find(|(tool, ..)| has(&tools, tool));
    let (tool, kind, command) = tool.unwrap_or(&TOOLS[0]);
    let program = tools.join("target/release").join(tool);
    if program.is_file() {
        found.push(format!("the {tool}: {}", program.display()));
    } else if has(&tools, tool) {
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
    let cases = cases(&[
        pahcer.cases.as_ref().map(|cases| folder.join(cases)),
        Some(tools.join("in")),
        Some(folder.join("in")),
    ]);
    match &cases {
        Some((cases, count)) => {
            found.push(format!("{} in {}", plural(*count, "case"), cases.display()));
        }
        None => missing.push(format!("cases: there is no file in {}", tools.join("in").display())),
    }
    let cases = cases.map_or_else(|| tools.join("in"), |(cases, _)| cases);
    let command = format!("{} {command}", shell_word(&from_here(&program)));
    let settings = settings(&name, kind, &command, &cases, pahcer);
    Ok(Survey { name, settings, found, missing })
}

fn settings(name: &str, kind: &str, command: &str, cases: &Path, pahcer: Pahcer) -> String {
    let (command, cases) = (quoted(command), quoted(&cases.display().to_string()));
    let stdin = if kind == "tester" { "stdin = \"{case}\"\n" } else { "" };
    let better = match pahcer.better {
        Some("lower") => "better = \"lower\"\n",
        Some(_) => "better = \"higher\"\n",
        None => "better = \"higher\"   # see the statement\n",
    };
    let mut settings = format!(
        "[game.{name}]\nkind = \"{kind}\"\ncommand = {command}\n{stdin}cases = {cases}\n{LIMIT}{better}"
    );
    settings.extend(pahcer.score.map(|score| format!("score = {}\n", quoted(&score))));
    settings
}

/// Looks at a tester of TopCoder's, and writes the settings of its game.
///
/// # Errors
/// When there is no such file.
pub fn survey_jar(jar: &Path) -> io::Result<Survey> {
    fs::metadata(jar)?;
    let name = name(None, &jar.with_extension(""));
    let jar = jar.display().to_string();
    let command = format!("java -jar {} -novis -exec {{bot}} -seed {{seed}}", shell_word(&jar));
    let settings = format!(
        "[game.{name}]\nkind = \"tester\"\ncommand = {}   # flags differ: see the statement\n{LIMIT}better = \"higher\"   # see the statement\n",
        quoted(&command)
    );
    Ok(Survey { name, settings, found: vec![format!("the tester: {jar}")], missing: Vec::new() })
}

/// A path with a slash in it, so that it is no name to look up in `PATH`.
fn from_here(program: &Path) -> String {
    let path = program.display().to_string();
    if path.contains('/') { path } else { format!("./{path}") }
}

/// Whether a folder has this tool, or its source.
fn has(tools: &Path, tool: &str) -> bool {
    let (source, program) = (format!("src/bin/{tool}.rs"), format!("target/release/{tool}"));
    tools.join(source).is_file() || tools.join(program).is_file()
}

/// The first folder that has cases, and their number.
fn cases(folders: &[Option<PathBuf>]) -> Option<(PathBuf, u64)> {
    let count = |folder: &Path| {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let is_case = |path: PathBuf| path.extension().is_some_and(|ending| ending == "txt");
        entries.filter(|entry| is_case(entry.path())).count() as u64
    };
    let counted = folders.iter().flatten().map(|folder| (folder.clone(), count(folder)));
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

/// The file of pahcer's settings.
const PAHCER: &str = "pahcer_config.toml";

/// What pahcer's settings say of a contest.
#[derive(Debug, Default)]
struct Pahcer {
    name: Option<String>,
    better: Option<&'static str>,
    score: Option<String>,
    cases: Option<String>,
}

impl Pahcer {
    /// Reads them, if there are any.
    fn read(folder: &Path) -> io::Result<Option<Self>> {
        let text = match fs::read_to_string(folder.join(PAHCER)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let table: toml::Table = text.parse().map_err(io::Error::other)?;
        let text =
            |section: &str, key: &str| Some(table.get(section)?.get(key)?.as_str()?.to_owned());
        let better = text("problem", "objective");
        Ok(Some(Self {
            name: text("problem", "problem_name"),
            better: better.map(|objective| if objective == "Min" { "lower" } else { "higher" }),
            score: text("problem", "score_regex"),
            cases: text("test", "in_dir"),
        }))
    }
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
        let empty = survey_ahc(made(&[]).path()).expect("readable");
        assert_eq!(empty.missing.len(), 2, "{:?}", empty.missing);
    }

    #[test]
    fn a_jar_gets_its_settings() {
        let folder = made(&[("My Vis.jar", "")]);
        let found = survey_jar(&folder.path().join("My Vis.jar")).expect("it is there");
        assert_eq!(found.name, "my-vis");
        assert!(
            found.settings.contains(".jar' -novis -exec {bot} -seed {seed}\""),
            "{}",
            found.settings
        );
        toml::from_str::<toml::Table>(&found.settings).expect("good settings");
        assert!(survey_jar(&folder.path().join("none.jar")).is_err());
    }
}
