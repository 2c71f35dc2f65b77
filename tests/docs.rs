//! README, guide and the other pages: links lead somewhere, the referee takes every command, and the
//! README shows real output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use referee::cli::Cli;
use serde_json::Value;

use crate::support::{has_program, leave_out, referee, repository};

/// Limits that hold on a machine that is busy with other tests.
const PATIENCE: &str = "\
[limits.samegame]
first-turn = '60s'
turn = '60s'
[limits.square-remover]
total = '5m'
";

/// Flags that need a terminal, or more of the host than the README requires.
const NOT_RUN: [&str; 2] = ["--watch", "--sandbox"];

/// The pages for people, each with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut open: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs"]
        .map(|name| repository().join(name))
        .into();
    let mut pages = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = read(&path);
            pages.push((path, text));
        }
    }
    pages
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The targets of a page's links inside the project.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        let words: String = line.split('`').step_by(2).collect();
        let targets = words.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        links.extend(targets.filter(|target| !target.contains("://")).map(str::to_owned));
    }
    links
}

/// The problem of a link on the page at `path`, if any.
fn problem_of(path: &Path, text: &str, link: &str) -> Option<String> {
    let (file, anchor) =
        link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = match file {
        "" => path.to_owned(),
        file => path.parent().expect("a folder").join(file),
    };
    if !target.exists() {
        return Some(format!("{}: there is no {link}", path.display()));
    }
    let anchor = anchor?;
    let has = if file.is_empty() { anchors(text) } else { anchors(&read(&target)) };
    (!has.contains(anchor)).then(|| format!("{}: no heading for {link} in {has:?}", path.display()))
}

/// A command on a page, and its output there.
#[derive(Debug)]
struct Example {
    command: String,
    output: Vec<String>,
}

/// The commands in the code blocks of a page.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut in_console = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_console) {
            examples.push(Example { command: command.to_owned(), output: Vec::new() });
        } else if in_console {
            examples.last_mut().expect("a command").output.push(line.to_owned());
        }
    }
    examples
}

/// The words of a command of the referee, without the shell's part.
fn words(command: &str) -> Option<Vec<String>> {
    let command = command.replacen("cargo run --release --", "referee", 1);
    let words = shlex::split(&command).expect("closed quotes");
    let of_shell = |word: &str| ["|", ">", "&&"].contains(&word);
    let words: Vec<String> = words.into_iter().take_while(|word| !of_shell(word)).collect();
    (words.first()? == "referee").then_some(words)
}

/// A line with its varying parts masked: times, margins computed from them, and the slowest turn.
fn masked(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |pair: &[&str]| {
        pair[0].parse::<f64>().is_ok() && ["ns", "µs", "ms", "s"].contains(&pair[1])
    };
    if !words.windows(2).any(is_time) {
        return line.to_owned();
    }
    let varies = |at: usize| {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let after = words.get(at + 1).copied().unwrap_or_default();
        before == "(turn"
            || is_time(&[words[at], after])
            || is_time(&[before, words[at]])
            || after == "%"
    };
    let mask =
        |(at, word): (usize, &&str)| if varies(at) { "*".to_owned() } else { (*word).to_owned() };
    words.iter().enumerate().map(mask).collect::<Vec<_>>().join(" ")
}

/// Fails unless `printed` is what `example` shows, which may stop early with a line of three dots.
#[track_caller]
fn assert_shows(example: &Example, printed: &str) {
    let mut shown: Vec<String> = example.output.iter().map(|line| masked(line)).collect();
    let mut printed: Vec<String> = printed.lines().map(masked).collect();
    if shown.last().is_some_and(|line| line == "...") {
        shown.pop();
        printed.truncate(shown.len());
    }
    assert_eq!(shown, printed, "{}", example.command);
}

/// A folder like a fresh clone, as far as commands of the pages use it, with limits that hold.
fn fresh_clone() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    symlink(repository().join("example-bots"), folder.path().join("example-bots")).expect("a link");
    fs::write(folder.path().join("referee.toml"), PATIENCE).expect("settings");
    folder
}

/// A folder in which the commands of the guide can be run as they are written: `mybot` is the reader's own program.
fn playground() -> tempfile::TempDir {
    let folder = fresh_clone();
    let mybot = folder.path().join("mybot");
    fs::copy(repository().join("example-bots/python/greedy.py"), &mybot).expect("a bot");
    fs::set_permissions(&mybot, fs::Permissions::from_mode(0o755)).expect("its owner");
    folder
}

/// A command of a page as a shell runs it, with this referee.
fn shell(command: &str, folder: &Path) -> Command {
    let programs = Path::new(env!("CARGO_BIN_EXE_referee")).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &command.replacen("cargo run --release --", "referee", 1)]);
    shell.current_dir(folder).env("PATH", path);
    shell
}

#[test]
fn the_readme_is_short() {
    let lines = read(&repository().join("README.md")).lines().count();
    assert!(lines <= 150, "{lines} lines; what is not for everybody belongs into the guide");
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let problems = pages.iter().flat_map(|(path, text)| {
        links(text).into_iter().filter_map(move |link| problem_of(path, text, &link))
    });
    let problems: Vec<String> = problems.collect();
    assert!(problems.is_empty(), "{problems:#?}");
    let count: usize = pages.iter().map(|(_, text)| links(text).len()).sum();
    assert!(count > 60, "only {count} links have been found");
}

#[test]
fn a_link_to_no_file_or_no_heading_is_noticed() {
    let path = repository().join("README.md");
    let text = "# One heading: here\n[a](LICENSE-MIT) [`b`](#one-heading-here) `[c](none)`\n```\n[d](none)\n```\n\
                [e](none.md), [f](#two) and [g](https://example.com/none)";
    let problems = links(text).into_iter().map(|link| problem_of(&path, text, &link).is_some());
    assert_eq!(problems.collect::<Vec<_>>(), [false, false, true, true]);
}

/// The pages of the book that mdbook makes of `docs`, each by its path in the book, with its source.
fn book() -> BTreeMap<PathBuf, PathBuf> {
    let folder = repository().join("docs");
    let chapters = links(&read(&folder.join("SUMMARY.md")));
    let mut pages = BTreeMap::new();
    // The first chapter is also the front page, with its links as they are.
    pages.insert(PathBuf::from("index.html"), folder.join(&chapters[0]));
    for chapter in &chapters {
        pages.insert(in_book(Path::new(chapter)), folder.join(chapter));
    }
    pages
}

/// Where mdbook puts a page or another file, and what it makes of a link there.
fn in_book(path: &Path) -> PathBuf {
    match path.extension().is_some_and(|extension| extension == "md") {
        true if path.file_stem().is_some_and(|stem| stem == "README") => {
            path.with_file_name("index.html")
        }
        true => path.with_extension("html"),
        false => path.to_owned(),
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path {
        if part == ".." {
            assert!(plain.pop(), "{}: it leaves the clone", path.display());
        } else if part != "." {
            plain.push(part);
        }
    }
    plain
}

/// The links of the built book, in the folder `book` of a clone, that lead nowhere.
fn dead_links(book: &BTreeMap<PathBuf, PathBuf>) -> Vec<String> {
    let mut dead = Vec::new();
    for (page, source) in book {
        let here = Path::new("book").join(page);
        for link in links(&read(source)) {
            let file = link.split('#').next().unwrap_or_default();
            let target = plain(&here.parent().expect("a folder").join(in_book(Path::new(file))));
            let is_there = match target.strip_prefix("book") {
                _ if file.is_empty() => true,
                Ok(inside) if in_book(Path::new(file)) == Path::new(file) => {
                    repository().join("docs").join(inside).exists()
                }
                Ok(inside) => book.contains_key(inside),
                Err(_) => repository().join(&target).exists(),
            };
            if !is_there {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    dead
}

#[test]
fn the_built_book_has_no_dead_link() {
    let mut book = book();
    assert_eq!(dead_links(&book), [""; 0]);
    // The front page must lie where its links start.
    let introduction = repository().join("docs/guide/src/introduction.md");
    book.insert(PathBuf::from("index.html"), introduction);
    assert!(dead_links(&book).len() > 15);
}

#[test]
fn the_guide_lists_all_its_pages() {
    let folder = repository().join("docs");
    let summary = folder.join("SUMMARY.md");
    let listed = links(&read(&summary)).into_iter().map(|link| folder.join(link));
    let pages = pages().into_iter().map(|(path, _)| path);
    let pages = pages.filter(|path| path.starts_with(&folder) && *path != summary);
    assert_eq!(listed.collect::<BTreeSet<_>>(), pages.collect::<BTreeSet<_>>());
}

#[test]
fn the_referee_takes_every_command_that_a_page_shows() {
    let mut count = 0;
    for (path, text) in pages() {
        for Example { command, .. } in examples(&text) {
            let Some(words) = words(&command) else { continue };
            count += 1;
            if let Err(error) = Cli::try_parse_from(words) {
                let is_help =
                    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
                assert!(is_help, "{}: {command}: {error}", path.display());
            }
        }
    }
    assert!(count > 40, "only {count} commands have been found");
}

/// Why the referee refuses `code`, if it is a command of the referee.
fn unknown_in(code: &str, cli: &clap::Command) -> Option<String> {
    let mut words = code.strip_prefix("referee ")?.split_whitespace();
    let name = words.next().filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))?;
    let Some(mut command) = cli.find_subcommand(name) else {
        return Some(format!("no command `{name}`"));
    };
    let mut words = words.peekable();
    while let Some(below) = words.peek().and_then(|word| command.find_subcommand(word)) {
        command = below;
        words.next();
    }
    let own = words.take_while(|&word| word != "--" && !word.starts_with(['|', '>']));
    let mut flags = own.filter_map(|word| word.strip_prefix("--"));
    let unknown = flags.find(|flag| {
        let is = |arg: &clap::Arg| arg.get_long() == Some(flag.split('=').next().unwrap_or(flag));
        name != "bot" && !command.get_arguments().any(is)
    })?;
    Some(format!("no flag --{unknown} of `{name}`"))
}

#[test]
fn commands_and_flags_that_the_prose_names_exist() {
    let mut cli = Cli::command();
    cli.build();
    assert!(unknown_in("referee plays", &cli).is_some());
    assert!(unknown_in("referee play --none 1", &cli).is_some());
    let mut count = 0;
    for (path, text) in pages() {
        let paragraphs = prose(&text).collect::<Vec<_>>().join(" ");
        for code in paragraphs.split('`').skip(1).step_by(2) {
            count += usize::from(code.starts_with("referee "));
            let unknown = unknown_in(code, &cli);
            assert_eq!(unknown, None, "{}: {code}", path.display());
        }
    }
    assert!(count > 20, "only {count} commands have been found");
}

#[test]
fn the_readmes_commands_print_what_it_shows() {
    if !has_program("python3") {
        return leave_out("the README's commands", "there is no python3 on this machine");
    }
    let folder = fresh_clone();
    for example in examples(&read(&repository().join("README.md"))) {
        // The gate runs the tests; a line of the README that it could not run would be marked as such there.
        let is_run_elsewhere = example.command.starts_with("cargo test");
        if is_run_elsewhere || NOT_RUN.iter().any(|flag| example.command.contains(flag)) {
            continue;
        }
        let output = shell(&example.command, folder.path()).output().expect("runs");
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        let said = String::from_utf8_lossy(&output.stderr);
        // 1 is the exit code when the bot loses.
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{}: {printed}{said}",
            example.command
        );
        if !example.output.is_empty() {
            assert_shows(&example, &printed);
        }
    }
    assert!(folder.path().join("report.html").exists());
}

/// The example on a page of the guide whose command starts with this text.
#[track_caller]
fn example_of(page: &str, start: &str) -> Example {
    let text = read(&repository().join("docs/guide/src").join(page));
    let found = examples(&text).into_iter().find(|example| example.command.starts_with(start));
    found.unwrap_or_else(|| panic!("{page}: {start}"))
}

#[test]
fn the_guides_examples_print_what_it_shows() {
    let folder = playground();
    let run = |command: &str| {
        let words = words(command).expect("a command of the referee");
        let output = referee().args(&words[1..]).current_dir(&folder).output().expect("runs");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for (page, start) in [
        ("introduction.md", "referee play"),
        ("verdicts.md", "referee play --bot \"@misbehaving signal"),
    ] {
        let example = example_of(page, start);
        assert_shows(&example, &run(&example.command));
    }
    let picked = example_of("scripts.md", "referee play --format json | jq");
    let shown: Value = serde_json::from_str(&picked.output.concat()).expect("JSON");
    let printed: Value = serde_json::from_str(&run(&picked.command)).expect("JSON");
    for (field, value) in shown.as_object().expect("an object") {
        assert_eq!(printed[field], *value, "{field}");
    }
    // Two pages show the same run, which is named after its start time.
    let shown = "runs/20261121-021920";
    let suite = example_of("suites.md", "referee suite --bot @first");
    let printed = run(&suite.command);
    let made = fs::read_dir(folder.path().join("runs")).expect("runs").flatten().next();
    let made = format!("runs/{}", made.expect("one").file_name().to_string_lossy());
    assert_shows(&suite, &printed.replace(&made, shown));
    let compare = example_of("better.md", &format!("referee compare {shown}"));
    assert_shows(&compare, &run(&compare.command.replace(shown, &made)));
    for (bot, name) in [("@first", "runs/old"), ("@greedy", "runs/new")] {
        run(&format!("referee suite --bot {bot} --seed 1..80 --logs all --run {name}"));
    }
    let report = example_of("watching.md", "referee report runs/old runs/new");
    assert_shows(&report, &run(&report.command));
}

#[test]
fn each_sample_of_the_first_page_plays_as_the_page_says() {
    for program in ["python3", "c++", "cc", "node", "javac", "rustc"] {
        if !has_program(program) {
            return leave_out("the samples of the first page", &format!("there is no {program}"));
        }
    }
    let folder = playground();
    let page = read(&repository().join("docs/guide/src/first-bot.md"));
    let (samples, _) = page.split_once("## Anything else").expect("the part on other languages");
    let mut games = 0;
    for Example { command, .. } in examples(samples) {
        let output = shell(&command, folder.path()).output().expect("runs");
        assert!(output.status.success(), "{command}: {output:?}");
        if command.starts_with("referee play") {
            games += 1;
            let printed = String::from_utf8(output.stdout).expect("UTF-8");
            assert!(
                printed.starts_with("Endgame. Obtained a score of 230."),
                "{command}: {printed}"
            );
        }
    }
    assert_eq!(games, 7);
}

/// Makes a folder as CodinGame's repository of SameGame has it: boards in JSON, beside other files.
fn make_originals_config(config: &Path) {
    fs::create_dir_all(config).expect("made");
    let made = tempfile::tempdir().expect("a folder");
    let mut generate = referee();
    generate.args(["generate", "--seed", "1..13", "--out"]).arg(made.path());
    assert!(generate.output().expect("runs").status.success());
    for number in 1..=13 {
        let rows = read(&made.path().join(format!("seed-{number}.txt")));
        let file = serde_json::json!({ "title": { "1": "a board" }, "testIn": rows.trim() });
        fs::write(config.join(format!("test{number}.json")), file.to_string()).expect("written");
    }
    for (file, text) in [
        ("config.ini", "title=SameGame\ntype=opti\ncriteria=Score\n"),
        ("statement_en.html", "<div>The goal</div>\n"),
        ("stub.txt", "gameloop\nread color:int\n"),
    ] {
        fs::write(config.join(file), text).expect("written");
    }
}

#[test]
fn the_pages_on_boards_and_suites_go_as_they_say_beside_the_originals_repository() {
    if !has_program("python3") {
        return leave_out("the pages on boards and suites", "there is no python3 on this machine");
    }
    let folder = playground();
    make_originals_config(&folder.path().join("path/to/SameGame/config"));
    let programs = Path::new(env!("CARGO_BIN_EXE_referee")).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a path"));
    let mut with_config = 0;
    for page in ["boards.md", "suites.md"] {
        let text = read(&repository().join("docs/guide/src").join(page));
        let prose = prose(&text).collect::<Vec<_>>().join(" ");
        let named = prose.split('`').skip(1).step_by(2).filter(|code| code.contains("/config"));
        let named = named.map(|code| match code.strip_prefix("referee ") {
            Some(_) => code.to_owned(),
            None => format!("referee suite {code}"),
        });
        let shown = examples(&text).into_iter().map(|example| example.command);
        let of_samegame =
            |command: &String| !command.contains("square") && !command.contains("tester");
        for command in shown.chain(named).filter(of_samegame) {
            with_config += usize::from(command.contains("SameGame/config"));
            // Fewer boards, which take seconds.
            let fewer = command.replace("1..100", "1..4").replace("1..20", "1..1");
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", &fewer]).current_dir(&folder).env("PATH", &path);
            let output = shell.output().expect("runs");
            assert!(output.status.success(), "{page}: {command}: {output:?}");
        }
    }
    assert_eq!(with_config, 4, "commands beside the original's repository");
}

#[test]
fn a_day_with_referee_goes_as_the_page_says() {
    if !has_program("python3") {
        return leave_out("a day with referee", "there is no python3 on this machine");
    }
    let folder = playground();
    let page = read(&repository().join("docs/guide/src/daily.md"));
    let before = read(&folder.path().join("mybot"));
    let mut printed = BTreeMap::new();
    for Example { command, .. } in examples(&page) {
        // Fewer boards, which take seconds.
        let fewer = command.replace("1..100", "1..4");
        let output = shell(&fewer, folder.path()).output().expect("runs");
        assert!(output.status.success(), "{command}: {output:?}");
        printed.insert(command, String::from_utf8(output.stdout).expect("UTF-8"));
    }
    let of = |command: &str| {
        let found = printed.iter().find(|(shown, _)| shown.contains(command));
        found.unwrap_or_else(|| panic!("{command}")).1.as_str()
    };
    let after = read(&folder.path().join("mybot"));
    for change in ["import os, sys", "environ.get(\"PULL\", 1)) * len(best)", "@referee largest="] {
        assert!(after.contains(change) && !before.contains(change), "{change}: {after}");
    }
    for comment in ["1.3 times as large", "which PULL?", "as in the morning, but it talks"] {
        assert!(of("runs -n 5").contains(comment), "{comment}: {}", of("runs -n 5"));
    }
    assert!(of("compare latest~1").contains("too few boards to compare"));
    assert!(of("--by largest").contains(" largest "), "{}", of("--by largest"));
    let summary: Value = serde_json::from_str(of("--format jsonl")).expect("JSON");
    assert_eq!((&summary["type"], &summary["games"]), (&"summary".into(), &4.into()));
    assert!(read(&folder.path().join("told.csv")).contains("said.largest.max"));
    assert!(of("prune").contains("There is nothing to remove"));
    for page in ["compared.html", "history.html", "history-runs/told.html"] {
        assert!(folder.path().join(page).exists(), "{page}");
    }
}

#[test]
fn the_tasks_for_an_editor_are_commands_of_the_referee() {
    let text = read(&repository().join("docs/guide/src/tasks.json"));
    let tasks: Value = serde_json::from_str(&text).expect("JSON");
    let tasks = tasks["tasks"].as_array().expect("tasks");
    let lines = tasks.iter().map(|task| task["command"].as_str().expect("a command"));
    let commands: Vec<&str> = lines.flat_map(|line| line.split("; ")).collect();
    assert_eq!(commands.len(), 3);
    for command in commands {
        Cli::try_parse_from(words(command).expect("a command of the referee"))
            .unwrap_or_else(|error| panic!("{command}: {error}"));
    }
}
