//! The pages of the guide, followed from their first command to the last: each page in a folder of its own, with what its reader is
//! supposed to have there.

use std::time::SystemTime;

use crate::cli::docs::{Example, examples, pages, playground, prose, read, shell};
use support::prelude::*;

/// How a page of the guide is followed, if its commands alone are not enough.
struct Walk {
    page: &'static str,
    /// What its reader has done before.
    before: &'static [&'static str],
    /// The beginnings of commands that are not run here, each with the reason.
    not_run: &'static [(&'static str, &'static str)],
}

const CLUSTER: &str = "a cluster: tests/runs/shards.rs";
const TERMINAL: &str = "a terminal: tests/views/player.rs";
const DEBUGGER: &str = "no debugger belongs to the gate";
const IMAGE: &str = "the image of a release: scripts/release";

const WALKS: &[Walk] = &[
    Walk {
        page: "atcoder.md",
        before: &[],
        not_run: &[("cargo build --release", "the tools of the test below are scripts")],
    },
    Walk {
        page: "better.md",
        before: &[
            "referee suite --bot @first --bot @greedy --seed 1..4 --run runs/20261121-021920",
            "referee suite --bot ./old --seed 1..4 --run runs/old",
            "referee suite --bot ./new --seed 1..4 --run runs/new",
        ],
        not_run: &[],
    },
    Walk {
        page: "codingame.md",
        before: &[],
        not_run: &[("referee init", "a contribution: tests/games/contributions.rs")],
    },
    Walk { page: "containers.md", before: &[], not_run: &[("podman run", IMAGE)] },
    Walk {
        page: "daily.md",
        before: &[],
        not_run: &[("ls mybot |", "it ends at Ctrl-C: the test below")],
    },
    Walk {
        page: "installing.md",
        before: &[],
        not_run: &[("scripts/release", "it builds for minutes: CONTRIBUTING.md")],
    },
    Walk {
        page: "library.md",
        before: &[],
        not_run: &[("cargo doc", "the gate builds the documentation")],
    },
    Walk {
        page: "scripts.md",
        before: &["referee suite --bot ./mybot --seed 1..4 --run runs/trusted"],
        not_run: &[("referee play --format json | jq", "tests/cli/docs.rs compares each field")],
    },
    Walk {
        page: "several-machines.md",
        before: &[],
        not_run: &[("referee submit --bot", CLUSTER)],
    },
    Walk {
        page: "untrusted.md",
        before: &[],
        not_run: &[("referee play --sandbox", "a host that can sandbox: tests/contain/sandbox.rs")],
    },
    Walk { page: "verdicts.md", before: &[], not_run: &[("gdb ", DEBUGGER), ("perf ", DEBUGGER)] },
    Walk {
        page: "watching.md",
        before: &[
            "referee play --bot ./old --log game.jsonl",
            "cp game.jsonl before.jsonl",
            "referee play --bot ./new --log after.jsonl",
            "referee suite --bot ./old --seed 1..4 --logs all --run runs/old",
            "referee suite --bot ./new --seed 1..4 --logs all --run runs/new",
        ],
        not_run: &[
            ("referee replay game.jsonl --watch", TERMINAL),
            ("referee play --bot ./mybot --watch", TERMINAL),
        ],
    },
];

/// The same command with fewer boards, less thought, and this reader's bot of the other game.
fn quick(command: &str) -> String {
    let mut quick = command.to_owned();
    quick = quick.replace("0..99", "0..3");
    for long in ["1..2000", "1..1000", "1..100", "1..40", "1..20", "1..10"] {
        quick = quick.replace(long, "1..4");
    }
    quick = quick.replace("@nrpa --first 0.5", "@nrpa --first 0.05 --later 0");
    quick = quick.replace("--bot @nrpa", "--bot '@nrpa --first 0.2 --later 0'");
    quick = quick.replace("square-remover --bot ./mybot", "square-remover --bot ./squares");
    quick = quick.replace("-exec \"./mybot\"", "-exec ./squares");
    // What a reader knows of a contest.
    let limit = |init| format!("{init} && sed -i 's/\"2s\"/\"60s\"/' referee.toml");
    let traits = "sed -i '/^kind/a traits = \"n m\"' referee.toml";
    quick = quick.replace("init --ahc .", &format!("{} && {traits}", limit("init --ahc .")));
    quick.replace("init --tester tester.jar", &limit("init --tester tester.jar"))
}

/// The folder of the reader of a page.
fn folder_of_reader() -> TempDir {
    let folder = playground();
    let at = |name: &str| folder.path().join(name);
    let says = "echo '@referee phase=end' >&2; exec referee bot";
    for (name, text) in [
        ("old", format!("#!/bin/sh\n{says} first\n")),
        ("new", format!("#!/bin/sh\n{says} greedy\n")),
        ("squares", "#!/bin/sh\nexec referee bot squares-random\n".to_owned()),
    ] {
        write_program(&at(name), &text);
    }
    make_originals_config(&at("path/to/SameGame/config"));
    let saved = data("sdk-json");
    fs::copy(saved.join("h103.json"), at("codingame.json")).expect("a game");
    fs::copy(saved.join("h103.board.txt"), at("test13.json")).expect("its board");
    folder
}

/// What the commands of a page have printed, in order, in the folder where they ran.
struct Walked {
    folder: TempDir,
    printed: Vec<(String, String)>,
}

impl Walked {
    /// What the command with this part has printed.
    #[track_caller]
    fn of(&self, part: &str) -> &str {
        let found = self.printed.iter().find(|(command, _)| command.contains(part));
        found.unwrap_or_else(|| panic!("{part}: {:?}", self.printed)).1.as_str()
    }

    #[track_caller]
    fn read(&self, name: &str) -> String {
        read(&self.folder.path().join(name))
    }
}

/// Follows a page. No command may fail, apart from the exit code 1, which says that a bot lost or got worse.
#[track_caller]
fn follow(page: &str, prepare: impl Fn(&Path)) -> Walked {
    let walk = WALKS.iter().find(|walk| walk.page == page);
    let before = walk.map_or(&[] as &[&str], |walk| walk.before);
    let not_run = walk.map_or(&[] as &[(&str, &str)], |walk| walk.not_run);
    let folder = folder_of_reader();
    prepare(folder.path());
    let run = |command: &str| {
        let mut shell = shell(&quick(command), folder.path());
        // Where rustup keeps the compiler, which Cargo tells the tests; started without Cargo, they do not know it.
        if let Some(home) =
            std::env::home_dir().filter(|_| std::env::var_os("RUSTUP_HOME").is_none())
        {
            shell.env("RUSTUP_HOME", home.join(".rustup"));
        }
        let output = shell.env("HOME", folder.path()).run();
        let is_good = matches!(output.status.code(), Some(0 | 1));
        assert!(is_good, "{page}: {command}: {output:?}");
        output.out()
    };
    for command in before {
        run(command);
    }
    let mut unused: BTreeSet<&str> = not_run.iter().map(|(start, _)| *start).collect();
    let mut printed = Vec::new();
    for Example { command, .. } in examples(&read(&repository().join("docs/guide/src").join(page)))
    {
        if let Some((start, _)) = not_run.iter().find(|(start, _)| command.starts_with(start)) {
            unused.remove(start);
        } else {
            let said = run(&command);
            printed.push((command, said));
        }
    }
    assert_eq!(unused, BTreeSet::new(), "{page} has no such command");
    Walked { folder, printed }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_shorter_pages_go_as_they_say() {
    if need("the pages of the guide", ["python3"]).is_none() {
        return;
    }
    // The others have tests of their own.
    let own = [
        "atcoder.md",
        "boards.md",
        "class.md",
        "codingame.md",
        "daily.md",
        "first-bot.md",
        "own-game.md",
        "suites.md",
        "topcoder.md",
        "two-players.md",
    ];
    let guide = repository().join("docs/guide/src");
    let mut commands = 0;
    for (path, _) in pages() {
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.starts_with(&guide) && !own.contains(&&*name) {
            commands += follow(&name, |_| {}).printed.len();
        }
    }
    assert!(commands > 25, "only {commands} commands");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn each_sample_of_the_first_page_plays_as_the_page_says() {
    if need("the samples of the first page", ["python3", "c++", "node", "javac"]).is_none() {
        return;
    }
    let remove_mybot = |folder: &Path| fs::remove_file(folder.join("mybot")).expect("a bot");
    let walked = follow("first-bot.md", remove_mybot);
    let page = read(&repository().join("docs/guide/src/first-bot.md"));
    let (samples, _) = page.split_once("## Anything else").expect("the part on other languages");
    let samples = examples(samples);
    let games = samples.iter().filter(|example| example.command.starts_with("referee play"));
    for Example { command, .. } in games.clone() {
        let printed = walked.of(command);
        assert!(printed.starts_with("Endgame. Obtained a score of 230."), "{command}: {printed}");
    }
    assert_eq!(games.count(), 7);
}

/// Writes programs of a contest, which are shell scripts.
fn write_scripts(folder: &Path, scripts: &[(&str, &str)]) {
    for (name, text) in scripts {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        write_program(&path, &format!("#!/bin/sh\n{text}\n"));
    }
}

/// Fails unless `init` has written the settings that the page shows in its block of this number.
#[track_caller]
fn assert_settings(walked: &Walked, page: &str, block: usize) {
    let text = read(&repository().join("docs/guide/src").join(page));
    let shown = text.split("```toml\n").nth(block).and_then(|rest| rest.split("```").next());
    let shown = shown.expect("settings").replace("2s", "60s");
    let shown: Vec<&str> = shown.lines().filter(|line| !line.starts_with("traits")).collect();
    let written = walked.read("referee.toml");
    let written = written.lines().map(|line| line.split("   #").next().expect("a start"));
    let written: Vec<&str> = written.filter(|line| !line.starts_with("traits")).collect();
    let at = written.iter().position(|line| Some(line) == shown.first()).expect("a table");
    let table: Vec<&str> = written[at..].iter().copied().take(shown.len()).collect();
    assert_eq!(table, shown);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_page_on_atcoder_goes_as_it_says_with_a_scorer_and_with_a_tester() {
    let vis =
        "read -r answer <\"$2\"; echo \"<p>$answer</p>\" >vis.html; echo \"Score = $answer\" >&2";
    let tester = "case=$(cat); answer=$(echo \"$case\" | \"$1\"); echo \"<p>$answer</p>\" >vis.html; \
        echo \"Score = $answer\" >&2";
    for (tool, text, block) in [("vis", vis, 1), ("tester", tester, 2)] {
        let walked = follow("atcoder.md", |folder| {
            let solution = "read -r n m; echo $((n + m))";
            let tool = format!("tools/target/release/{tool}");
            write_scripts(folder, &[(&tool, text), ("solution", solution)]);
            fs::create_dir(folder.join("tools/in")).expect("made");
            for number in 0..4 {
                let case = folder.join(format!("tools/in/000{number}.txt"));
                fs::write(case, format!("{number} 4\n")).expect("written");
            }
            // The name of this folder is another one each time.
            let named = "[problem]\nproblem_name = \"contest\"\n";
            fs::write(folder.join("pahcer_config.toml"), named).expect("written");
        });
        assert_settings(&walked, "atcoder.md", block);
        assert!(walked.of("referee init").contains("Nothing is missing"), "{tool}");
        let suite = walked.of("referee suite");
        assert!(suite.contains("4 games of contest, 0 lost"), "{tool}: {suite}");
        assert_eq!(walked.read("game.html.pictures/vis.html"), "<p>4</p>\n");
        let compared = walked.of("referee compare");
        assert!(
            compared.contains("no difference between") && compared.contains(" n "),
            "{compared}"
        );
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_page_on_topcoder_goes_as_it_says() {
    let programs = need("the page on TopCoder", ["java", "javac", "jar"]);
    let Some([_, javac, jar]) = programs else { return };
    let source = data("tester/Tester.java");
    let walked = follow("topcoder.md", |folder| {
        write_scripts(folder, &[("solution", "read -r n; echo $((n * 2))")]);
        let build = format!(
            "{javac} -d classes '{}' && {jar} --create --file tester.jar --main-class Tester -C classes .",
            source.display()
        );
        assert!(shell(&build, folder).status().expect("runs").success());
    });
    assert_settings(&walked, "topcoder.md", 1);
    assert!(walked.of("referee suite").contains("4 games of tester, 0 lost"));
    let shown = walked.of("referee show");
    assert!(shown.contains("seed 4"), "{shown}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_page_on_a_game_of_ones_own_goes_as_it_says() {
    if need("a game of one's own", ["python3"]).is_none() {
        return;
    }
    let [judge, bot] = &blocks("own-game.md", "python")[..] else { panic!("a judge and a bot") };
    let settings = blocks("own-game.md", "toml").concat();
    let walked = follow("own-game.md", |folder| {
        for (name, text) in [("guess_judge.py", judge), ("guess_bot.py", bot)] {
            fs::write(folder.join(name), text).expect("written");
        }
        let patience = "limits = { first-turn = '60s', turn = '60s' }\n";
        fs::write(folder.join("referee.toml"), format!("{settings}{patience}")).expect("settings");
    });
    assert!(walked.of("referee play").starts_with("Found after "), "{}", walked.of("referee play"));
    assert!(
        walked.of("referee suite").contains("games of guess, 0 lost"),
        "{}",
        walked.of("referee suite")
    );
}

/// The blocks of code of a page in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let page = read(&repository().join("docs/guide/src").join(page));
    let fence = format!("```{language}\n");
    let starts = page.split(&fence).skip(1);
    starts.map(|rest| rest.split("```").next().expect("an end").to_owned()).collect()
}

/// Writes the judge and the bots of the page on two players, and settings that end with its table.
fn write_nim(folder: &Path, settings: &str) {
    let programs = blocks("two-players.md", "python");
    assert!(programs[0].lines().count() <= 40, "the judge is short");
    for (name, text) in ["nim_judge.py", "clever.py", "hasty.py"].iter().zip(&programs) {
        fs::write(folder.join(name), text).expect("written");
    }
    let patience = "limits = { first-turn = '60s', turn = '60s' }\n";
    fs::write(folder.join("referee.toml"), format!("{settings}{patience}")).expect("settings");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_page_on_two_players_goes_as_it_says() {
    if need("a game of two players", ["python3"]).is_none() {
        return;
    }
    let settings = blocks("two-players.md", "toml").concat();
    let walked = follow("two-players.md", |folder| write_nim(folder, &settings));
    let check = walked.of("referee game check");
    assert!(check.contains("A second judge says the same"), "{check}");
    let replay = walked.of("referee replay");
    assert!(replay.contains("seat 1") && replay.contains("agrees with the log"), "{replay}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_page_on_a_class_goes_as_it_says() {
    if need("a game of two players", ["python3"]).is_none() {
        return;
    }
    let settings = blocks("two-players.md", "toml").concat();
    let walked = follow("class.md", |folder| {
        write_nim(folder, &settings);
        for (place, bot) in [
            ("students/ann/bot.py", "clever.py"),
            ("students/bob/bot.py", "hasty.py"),
            ("late/zoe.py", "clever.py"),
        ] {
            let place = folder.join(place);
            fs::create_dir_all(place.parent().expect("a folder")).expect("made");
            fs::copy(folder.join(bot), place).expect("copied");
        }
    });
    let league = walked.of("referee suite --game nim --sandbox --bots");
    assert!(league.contains("\n  ann ") && league.contains("\n  bob "), "{league}");
    let later = walked.of("referee suite --game nim --sandbox --bot ");
    assert!(later.contains("\n  zoe "), "{later}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_page_on_a_codingame_contest_goes_as_it_says_with_another_judge() {
    if need("a game of two players", ["python3"]).is_none() {
        return;
    }
    let settings = "game.default = 'cellularena'\n[game.cellularena]\nkind = 'judge'\nplayers = 2\n\
                    command = 'python3 nim_judge.py'\n";
    let walked = follow("codingame.md", |folder| {
        write_nim(folder, settings);
        write_scripts(folder, &["new", "old", "boss"].map(|bot| (bot, "exec python3 clever.py")));
    });
    let ratings = walked.of("referee ratings");
    assert!(ratings.contains("24 games of cellularena on 4 seeds"), "{ratings}");
}

/// Makes a folder as CodinGame's repository of SameGame has it: boards in JSON, among other files.
fn make_originals_config(config: &Path) {
    fs::create_dir_all(config).expect("made");
    let made = tempdir().expect("a folder");
    assert!(
        referee()
            .args(["generate", "--seed", "1..13", "--out"])
            .arg(made.path())
            .run()
            .status
            .success()
    );
    for number in 1..=13 {
        let rows = read(&made.path().join(format!("seed-{number}.txt")));
        let file = json!({ "title": { "1": "a board" }, "testIn": rows.trim() });
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
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_pages_on_boards_and_suites_go_as_they_say_beside_the_originals_repository() {
    if need("the pages on boards and suites", ["python3"]).is_none() {
        return;
    }
    let mut with_config = 0;
    for page in ["boards.md", "suites.md"] {
        let walked = follow(page, |_| {});
        let shown = walked.printed.iter().map(|(command, _)| command);
        with_config += shown.filter(|command| command.contains("SameGame/config")).count();
        let text = read(&repository().join("docs/guide/src").join(page));
        let prose = prose(&text).collect::<Vec<_>>().join(" ");
        for code in prose.split('`').skip(1).step_by(2).filter(|code| code.contains("/config")) {
            let command = match code.strip_prefix("referee ") {
                Some(_) => code.to_owned(),
                None => format!("referee suite {code}"),
            };
            let output = shell(&command, walked.folder.path()).run();
            assert!(output.status.success(), "{page}: {command}: {output:?}");
            with_config += 1;
        }
    }
    assert_eq!(with_config, 4, "commands next to the original's repository");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_day_with_referee_goes_as_the_page_says() {
    if need("a day with referee", ["python3"]).is_none() {
        return;
    }
    let walked = follow("daily.md", |_| {});
    let before = read(&repository().join("example-bots/python/greedy.py"));
    let after = walked.read("mybot");
    for change in ["import os, sys", "environ.get(\"PULL\", 1)) * len(best)", "@referee largest="] {
        assert!(after.contains(change) && !before.contains(change), "{change}: {after}");
    }
    let of = |part: &str| walked.of(part);
    for comment in ["1.3 times as large", "which PULL?", "as in the morning, but it talks"] {
        assert!(of("runs -n 5").contains(comment), "{comment}: {}", of("runs -n 5"));
    }
    assert!(of("compare latest~1").contains("too few boards to compare"));
    assert!(of("--by largest").contains(" largest "), "{}", of("--by largest"));
    assert!(walked.read("told.csv").contains("said.largest.max"));
    for page in ["compared.html", "all.html", "all-runs/told.html"] {
        assert!(walked.folder.path().join(page).exists(), "{page}");
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn each_change_of_a_bot_is_played_and_compared_as_the_page_says() {
    if need("a suite at each change", ["python3", "entr"]).is_none() {
        return;
    }
    let folder = playground();
    let commands = examples(&read(&repository().join("docs/guide/src/daily.md")));
    let command = commands.into_iter().map(|example| example.command);
    let command = command.into_iter().find(|command| command.contains(" entr "));
    let mut shell = shell(&quick(&command.expect("a recipe")), folder.path());
    let [output, errors] = ["output", "errors"]
        .map(|name| fs::File::create(folder.path().join(name)).expect("a file"));
    shell.env("SHELL", "/bin/sh").stdout(output).stderr(errors).process_group(0);
    let _entr = Entr(shell.start());
    let printed = |name: &str| read(&folder.path().join(name));
    wait_until("the first suite", || printed("errors").contains("latest~1: there is 1 run"));
    let bot = folder.path().join("mybot");
    let change = read(&bot).replace("len(tiles) > len(best)", "len(tiles) >= len(best)");
    fs::write(&bot, change).expect("written");
    let mut last = Instant::now();
    wait_until("the second suite", || {
        // Perhaps nobody watched yet when it changed.
        if last.elapsed() > Duration::from_secs(5) {
            let now = fs::File::options().append(true).open(&bot);
            now.and_then(|file| file.set_modified(SystemTime::now())).expect("its owner");
            last = Instant::now();
        }
        printed("output").matches("4 games of samegame, 0 lost").count() > 1
    });
    wait_until("the comparison", || printed("output").contains("too few boards to compare"));
}

/// entr, with all that it has started.
struct Entr(Child);

impl Drop for Entr {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = rustix::process::kill_process_group(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}
