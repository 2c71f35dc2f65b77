//! Project files: bots and board sets by name, and settings with their origins.

use insta::assert_snapshot;
use referee::suite::RunFolder;
use support::prelude::*;

/// A project, and a folder below it.
struct Project(TempDir);

impl Project {
    fn new(file: &str) -> Self {
        let folder = tempdir().expect("a folder");
        fs::create_dir(folder.path().join("below")).expect("made");
        fs::write(folder.path().join("referee.toml"), file).expect("written");
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs in the folder below the project's own.
    fn run(&self, args: &[&str]) -> Output {
        referee().current_dir(self.path().join("below")).args(args).run()
    }

    /// The error for these arguments, in the project's folder.
    #[track_caller]
    fn error(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = output.err();
        assert_eq!(output.status.code(), Some(2), "{said}");
        said.trim_end().replace(&format!("{}/", self.path().display()), "")
    }
}

const BOTS: &str = "
[bots.mine]
command = 'sh bot.sh'
build = 'echo exec \\\"$BOT\\\" bot first > bot.sh'
env = { WHO = 'me' }
[boards.few]
seeds = '1..3'
[boards.files]
files = ['boards']
[suite]
runs = 'all-runs'
records = 'best.toml'
jobs = 1
";

#[test]
fn the_only_bot_of_a_project_plays_if_none_is_named() {
    let project = Project::new(BOTS);
    for args in ["play", "suite --seed 1 --run none", "timing --seed 1 --turn 60s"] {
        let args: Vec<&str> = args.split(' ').collect();
        let command = referee();
        let command = command.current_dir(project.path()).env("BOT", program()).args(&args);
        let output = command.run().exits(0);
        assert!(output.out().contains("mine"), "{args:?}: {output:?}");
        let said = output.err();
        let told = "building `mine`: echo exec \\\"$BOT\\\" bot first > bot.sh";
        assert!(said.lines().any(|line| line == told), "{args:?}: {said}");
    }
    let quiet = referee().current_dir(project.path()).env("BOT", program());
    assert_eq!(quiet.args(["play", "-q"]).run().exits(0).err(), "");
    let two = "[bots.new]\ncommand = './new'\n[bots.old]\ncommand = './old'\n";
    let two = Project::new(&format!("{two}[game.nim]\nkind = 'judge'\ncommand = './judge'\n"));
    let said = two.error(&["play", "--game", "nim"]);
    assert!(said.contains("name the bot with --bot: new, old"), "{said}");
}

#[test]
fn a_project_names_bots_boards_and_where_runs_go() {
    let project = Project::new(BOTS);
    let boards = project.path().join("boards");
    let args = ["generate", "--seed", "1..2", "--out", boards.to_str().expect("UTF-8")];
    assert_eq!(project.run(&args).status.code(), Some(0));
    let args = ["suite", "--bot", "mine", "--board", "few", "--board", "files"];
    let command = referee().current_dir(project.path().join("below")).env("BOT", program());
    assert_code(&command.args(args).patient().run(), 0);
    let runs = fs::read_dir(project.path().join("all-runs")).expect("runs");
    let run = runs.last().expect("a run").expect("an entry").path();
    let run = RunFolder::open(&run).expect("a run");
    let bot = &run.run.plan.bots[0];
    assert_eq!((bot.name.as_str(), bot.env["WHO"].as_str()), ("mine", "me"));
    assert!(bot.files.contains_key("bot.sh"), "the build came first: {bot:?}");
    let outcomes: Result<Vec<_>, _> = run.outcomes().expect("results").collect();
    let sets: Vec<_> = outcomes.expect("results").into_iter().filter_map(|game| game.set).collect();
    assert_eq!(sets, ["files", "files", "few", "few", "few"]);
    // The limits are longer than the official ones, so nothing is recorded.
    assert!(!project.path().join("best.toml").exists());
}

#[test]
fn a_project_keeps_its_runs_together_and_finds_them_from_below() {
    let project = Project::new("[bots.mine]\ncommand = '@first'\n");
    let suite = ["suite", "--seed", "1", "--logs", "all", "--bot"];
    let suite = |bot: &str, more: &[&str]| {
        let args = [&suite[..], &[bot], more].concat();
        let below = project.path().join("below");
        assert_code(&referee().current_dir(below).args(args).patient().run(), 0);
    };
    suite("mine", &[]);
    assert!(project.path().join("runs").is_dir() && !project.path().join("below/runs").exists());
    // As versions before did.
    suite("@greedy", &["--run", "runs/old"]);
    for folder in ["", "below"] {
        let found = |args: &[&str]| {
            referee().current_dir(project.path().join(folder)).args(args).run().exits(0).out()
        };
        assert_eq!(found(&["runs"]).contains("@greedy"), folder == "below");
        assert!(found(&["runs"]).contains("mine"));
        let latest = if folder.is_empty() { "latest" } else { "latest~1" };
        assert!(found(&["show", latest]).contains("mine"), "{folder}");
        assert!(found(&["replay", latest]).contains("mine"), "{folder}");
    }
    assert_code(&project.run(&["report", "--html", "page.html"]), 0);
    let page = fs::read_to_string(project.path().join("below/page.html")).expect("a page");
    assert!(page.contains("@greedy"), "a report is of the latest run");
    assert_code(&project.run(&["resume", "latest~1"]), 0);
}

#[test]
fn settings_and_all_other_files_may_be_bare_names() {
    let project = Project::new("");
    let text = "[bots.mine]\ncommand = 'sh bot.sh'\nbuild = 'echo exec cat > bot.sh'\n\
                [boards.few]\nseeds = 'seeds.txt'\n[suite]\nruns = 'all-runs'\n\
                [game.any]\nkind = 'judge'\ncommand = 'sh judge.sh'\n[game]\ndefault = 'any'\n";
    let judge = "echo '{\"end\": \"completed\"}'";
    for (name, text) in [("my.toml", text), ("seeds.txt", "1..2"), ("judge.sh", judge)] {
        fs::write(project.path().join(name), text).expect("written");
    }
    for words in [
        "play --config my.toml --bot mine --seed 1 --log game.jsonl --html game.html",
        "play --game my.toml --bot cat --seed 1",
        "play --game my.toml --bot cat",
        "game check my.toml --bot cat --seed 1",
        "game check any --config my.toml --bot cat",
        "replay game.jsonl --html again.html",
        "suite --config my.toml --bot mine --board few",
        "suite --config my.toml --bot mine --seed 1..2 --logs all --run run",
        "report run --html run.html",
        "report run --games --html games.html",
        "timing --config my.toml --bot mine --seed 1",
    ] {
        let output = referee().current_dir(project.path()).args(words.split(' ')).run();
        assert_eq!(output.status.code(), Some(0), "{words}: {output:?}");
    }
    assert_eq!(fs::read_dir(project.path().join("all-runs")).expect("runs").count(), 1);
}

#[test]
fn a_bot_of_the_project_plays_a_single_game_too() {
    let project = Project::new("[bots.mine]\ncommand = '@greedy'\n[bots.one]\ncommand = '@first'");
    let play = |bot: &str| {
        project.run(&[&["play", "--format", "json", "--bot", bot], &PATIENT[..]].concat()).json()
    };
    assert_eq!(play("mine")["score"], 230);
    assert_eq!(play("one")["bot"], "one");
}

#[test]
fn a_build_that_fails_stops_with_its_output() {
    let file = "[bots.mine]\ncommand = './mine'\nbuild = 'echo no such type >&2; exit 3'";
    let project = Project::new(file);
    assert_snapshot!(project.error(&["suite", "--bot", "mine"]), @"
    building `mine`: echo no such type >&2; exit 3
    error: cannot build the bot `mine`: `echo no such type >&2; exit 3` ended with exit status: 3
    no such type
    ");
    assert_snapshot!(project.error(&["play", "-q", "--bot", "mine"]), @"
    error: cannot build the bot `mine`: `echo no such type >&2; exit 3` ended with exit status: 3
    no such type
    ");
    assert!(!project.path().join("below/runs").exists());
}

#[test]
fn what_a_project_lacks_is_named() {
    let project = Project::new(BOTS);
    assert_snapshot!(project.error(&["suite", "-q", "--board", "nope"]), @"error: nope: no such file");
    assert_snapshot!(project.error(&["suite", "-q", "--board", "few", "--seed", "1"]), @"error: --board few: there can be only one list of seeds; a set or --seed has another one");
    for (file, expected) in [
        ("profil = 'relaxed'", "referee.toml:1:1: unknown field `profil`, "),
        ("[suite]\njob = 2", "referee.toml:2:1: unknown field `job`, "),
        ("[bots.x]\ncomand = 'x'", "referee.toml:2:1: unknown field `comand`, "),
    ] {
        let said = Project::new(file).error(&["play"]);
        assert!(said.contains(expected) && said.contains("; did you mean `"), "{said}");
    }
}

#[test]
fn config_tells_where_each_setting_comes_from() {
    let project = Project::new("profile = 'relaxed'\n[limits.samegame]\nturn = '70ms'\n");
    let output = project.run(&["config", "--config", "limits.samegame.first-turn=3s"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = output.out();
    let line = |name: &str| {
        let found = shown.lines().find(|line| line.starts_with(&format!("{name} = ")));
        let words: Vec<_> = found.expect("a setting").split_whitespace().collect();
        words.join(" ").replace(&format!("{}/", project.path().display()), "")
    };
    assert_eq!(line("profile"), "profile = \"relaxed\" # referee.toml");
    assert_eq!(line("limits.samegame.turn"), "limits.samegame.turn = \"70ms\" # referee.toml");
    let first = "limits.samegame.first-turn = \"3s\" # --config";
    assert_eq!(line("limits.samegame.first-turn"), first);
    assert_eq!(line("on-host-delay"), "on-host-delay = \"fail\" # default");
}

#[test]
fn init_writes_a_project_file_that_works_and_replaces_none() {
    let folder = tempdir().expect("a folder");
    let run = |args: &[&str]| referee().current_dir(&folder).args(args).run();
    assert_eq!(run(&["init"]).status.code(), Some(0));
    let again = run(&["init"]);
    assert_eq!(again.status.code(), Some(2));
    let said = again.err();
    assert_eq!(said, "error: referee.toml: exists already\n");
    let suite = run(&["suite", "--bot", "@first", "--board", "smoke"]);
    assert_eq!(suite.status.code().map(|code| code < 2), Some(true), "{suite:?}");
    assert!(folder.path().join("runs").is_dir());
    // The commented-out settings are valid too.
    let file = fs::read_to_string(folder.path().join("referee.toml")).expect("a file");
    let all: Vec<&str> = file
        .lines()
        .map(|line| {
            if line.contains(" = ") || line.starts_with("# [") {
                line.trim_start_matches("# ")
            } else {
                line
            }
        })
        .collect();
    fs::write(folder.path().join("referee.toml"), all.join("\n")).expect("written");
    let config = run(&["config"]);
    assert_eq!(config.status.code(), Some(0), "{config:?}");
    assert!(config.out().contains("bots.mybot.command"));
}

#[test]
fn init_adds_the_game_of_a_contribution_and_says_what_it_lacks() {
    let folder = tempdir().expect("a folder");
    for (name, text) in [
        ("moon/config/config.ini", "title=Moon\ntype=opti\ncriteria=Fuel\nsorting_order=asc\n"),
        ("moon/config/test1.json", "{\"testIn\":\"7\"}"),
        ("moon/pom.xml", "<gamengine.version>4.5.0</gamengine.version>"),
        ("moon/target/classes/com/codingame/game/Referee.class", ""),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("inside")).expect("made");
        fs::write(path, text).expect("written");
    }
    fs::write(folder.path().join("referee.toml"), "profile = \"relaxed\"\n").expect("written");
    let run = |args: &[&str]| referee().current_dir(&folder).args(args).run();
    let added = run(&["init", "--codingame", "moon"]);
    let told = added.out();
    assert_eq!(added.status.code(), Some(0), "{told}");
    assert!(told.contains("the game moon"), "{told}");
    let missing = told.split("Missing:").nth(1).expect("the engine is missing");
    assert!(missing.contains("mvn package dependency:copy-dependencies"), "{missing}");
    let file = fs::read_to_string(folder.path().join("referee.toml")).expect("a file");
    assert!(
        file.starts_with(
            "profile = \"relaxed\"\n\n[game]\ndefault = \"moon\"   # without --game\n\n\
             [game.moon]\nkind = \"codingame\"\n"
        ),
        "{file}"
    );
    assert_eq!(run(&["config"]).status.code(), Some(0), "the settings are valid");
    let shown = run(&["config"]).out();
    assert!(shown.contains("moon"), "{shown}");
    for file in ["config/config.ini", "target/classes/com/codingame/game/Referee.class"] {
        let [moon, mars] = ["moon", "mars"].map(|project| folder.path().join(project).join(file));
        fs::create_dir_all(mars.parent().expect("inside")).expect("made");
        let text = fs::read_to_string(moon).expect("a file");
        fs::write(mars, text.replace("Moon", "Mars")).expect("written");
    }
    let second = run(&["init", "--codingame", "mars"]);
    assert!(second.out().starts_with("referee.toml has the game mars now.\n"), "{second:?}");
    let file = fs::read_to_string(folder.path().join("referee.toml")).expect("a file");
    assert_eq!(file.matches("default = ").count(), 1, "the first game stays the default: {file}");
    let again = run(&["init", "--codingame", "moon"]);
    assert_eq!(again.status.code(), Some(2));
    let said = again.err();
    assert!(said.contains("referee.toml: has the table [game.moon] already"), "{said}");
    let named = run(&["init", "--codingame", "moon", "--name", "New Moon"]).exits(0).out();
    assert!(named.starts_with("referee.toml has the game new-moon now.\n"), "{named}");
    assert_code(&run(&["init", "--name", "alone"]), 2);
    let nowhere = run(&["init", "--codingame", "nowhere"]).exits(2).err();
    assert_eq!(nowhere, "error: nowhere: No such file or directory (os error 2)\n");
    let no_jar = run(&["init", "--tester", "moon/pom.xml"]).exits(2).err();
    assert!(no_jar.contains("moon/pom.xml is not a jar"), "{no_jar}");
    // What cannot be read is not made longer.
    fs::write(folder.path().join("referee.toml"), "jobs = [").expect("written");
    let said = run(&["init", "--codingame", "moon"]).exits(2).err();
    assert!(said.contains("referee.toml:1:"), "{said}");
    let file = fs::read_to_string(folder.path().join("referee.toml")).expect("a file");
    assert_eq!(file, "jobs = [");
}

#[test]
fn a_game_is_not_added_where_the_settings_have_no_room_for_it() {
    let place = Place::new();
    let before = "game = \"square-remover\"\n";
    fs::write(place.path("referee.toml"), before).expect("room");
    let said = place.command(&["init", "--ahc", "."]).run().exits(2).err();
    assert!(said.contains("write the table [game] with `default = \"square-remover\"`"), "{said}");
    assert_eq!(fs::read_to_string(place.path("referee.toml")).expect("a file"), before);
}

#[test]
fn a_parent_that_ignores_sigchld_costs_no_build_and_no_commit() {
    let what = "a parent that ignores SIGCHLD";
    let Some([python]) = need(what, ["python3"]) else { return };
    let project = Project::new(BOTS);
    git(project.path(), &["init", "--quiet"]);
    git(project.path(), &["add", "."]);
    git(project.path(), &["commit", "--quiet", "-m", "x"]);
    let ignoring = "import os, signal, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
        os.execv(sys.argv[1], sys.argv[1:])";
    let output = Command::new(python)
        .args(["-c", ignoring, program()])
        .args(["suite", "--bot", "mine", "--board", "few", "--run", "run"])
        .args(PATIENT)
        .current_dir(project.path())
        .env("BOT", program())
        .run();
    assert_code(&output, 0);
    let run = RunFolder::open(&project.path().join("run")).expect("a run").run;
    assert!(run.git.is_some(), "{run:?}");
}

#[test]
fn settings_from_a_pipe_are_shown() {
    let place = Place::new();
    fs::write(place.path("mine.toml"), "profile = \"relaxed\"\n").expect("written");
    let line = "cat mine.toml | \"$0\" config --config /dev/stdin";
    let mut shell = Command::new("sh");
    shell.args(["-c", line, program()]).current_dir(place.folder());
    let shown = shell.run().exits(0).out();
    let line = shown.lines().find(|line| line.starts_with("profile = \"relaxed\""));
    assert!(line.is_some_and(|line| line.ends_with("# /dev/stdin")), "{shown}");
}

#[test]
fn all_commands_have_the_projects_default_game() {
    let place = Place::new();
    let generate = || place.command(&["generate", "--seed", "7"]).run().exits(0).out();
    let samegame = generate();
    fs::write(place.path("referee.toml"), "game = \"square-remover\"\n").expect("room");
    let squares = generate();
    assert_ne!(squares, samegame);
    assert_eq!(
        squares,
        place.command(&["generate", "--seed", "7", "--game", "square-remover"]).run().out()
    );
    fs::write(place.path("case"), squares).expect("room");
    let play = ["play", "--bot", "@squares-random", "--board", "case"];
    assert_code(&place.command(&play).run(), 0);
    let own = "[game.own]\nkind = \"judge\"\ncommand = \"true\"\n";
    fs::write(place.path("referee.toml"), own).expect("room");
    assert_eq!(generate(), samegame, "a game that the settings do not choose");
    fs::write(place.path("referee.toml"), format!("{own}[game]\ndefault = \"own\"\n"))
        .expect("room");
    assert_eq!(generate(), "{\"seed\":7}");
    fs::write(place.path("board"), samegame).expect("room");
    fs::write(place.path("moves"), "0 0\n").expect("room");
    let replay = ["replay", "moves", "--board", "board"];
    let told = place.command(&replay).run().exits(2).err();
    assert!(
        told.contains(
            "the rules of own are in another program; name the game of this file with --game"
        ),
        "{told}"
    );
    let named = place.command(&replay).args(["--game", "samegame"]).run().out();
    assert!(named.contains("samegame"), "{named}");
}
