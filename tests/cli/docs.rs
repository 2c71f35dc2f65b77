//! README, guide and the other pages: links lead somewhere, the referee takes every command, and the
//! README shows real output.

use std::os::unix::fs::symlink;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use referee::cli::Cli;
use support::prelude::*;

/// Limits that hold on a machine that is busy with other tests.
const PATIENCE: &str = "\
[limits.samegame]
first-turn = '60s'
turn = '60s'
[limits.square-remover]
total = '5m'
";

/// The pages for people, each with its text.
pub(crate) fn pages() -> Vec<(PathBuf, String)> {
    let mut open: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs"]
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

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines outside of code blocks.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = &str> {
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
pub(crate) struct Example {
    pub(crate) command: String,
    output: Vec<String>,
}

/// The commands in the code blocks of a page.
pub(crate) fn examples(text: &str) -> Vec<Example> {
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
    let command = command.replacen("cargo run --", "referee", 1);
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

/// A folder with the parts of a fresh clone that the pages' commands use, and with limits that hold.
fn fresh_clone() -> TempDir {
    let folder = tempdir().expect("a folder");
    symlink(repository().join("example-bots"), folder.path().join("example-bots")).expect("a link");
    fs::write(folder.path().join("referee.toml"), PATIENCE).expect("settings");
    folder
}

/// A folder in which the commands of the guide can be run as they are written: `mybot` is the reader's own program.
pub(crate) fn playground() -> TempDir {
    let folder = fresh_clone();
    let sample = read(&repository().join("example-bots/python/greedy.py"));
    write_program(&folder.path().join("mybot"), &sample);
    folder
}

/// A command of a page as a shell runs it, with this referee.
pub(crate) fn shell(command: &str, folder: &Path) -> Command {
    let programs = Path::new(program()).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &command.replacen("cargo run --", "referee", 1)]);
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

/// The links of the built book that lead to none of its pages and files. It may be published without the clone.
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
                Err(_) => false,
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
        let flag = flag.split('=').next().unwrap_or(flag);
        let is = |arg: &clap::Arg| {
            let aliases = arg.get_visible_aliases().unwrap_or_default();
            arg.get_long() == Some(flag) || aliases.contains(&flag)
        };
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
    if need("the README's commands", ["python3"]).is_none() {
        return;
    }
    let folder = fresh_clone();
    for example in examples(&read(&repository().join("README.md"))) {
        // The gate runs the tests.
        if example.command.starts_with("cargo test") {
            continue;
        }
        let output = shell(&example.command, folder.path()).run();
        let printed = output.out();
        let said = output.err();
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
        let output = referee().args(&words[1..]).current_dir(&folder).run();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command}: {output:?}");
        output.out()
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
