//! Contributions to CodinGame, from `init --codingame` to a suite that is killed and resumed. The settings are played
//! unmodified: `java` is a double.

use judges::codingame::Codingame;
use referee::game::Placement;
use referee::game::judge::Case;

use super::conversations;
use support::prelude::*;

/// A contribution that has been built: its folder, its `config.ini`, its test case, and the conversation that is its game.
const CONTRIBUTIONS: [(&str, &str, &str, &str); 2] = [
    ("2048", "type=opti\ncriteria=Points\nsorting_order=desc\n", "290797", "2048.txt"),
    (
        "shifting",
        "title=Number Shifting\ntype=opti\ncriteria=Level\n",
        "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
        "number-shifting.txt",
    ),
];

/// The other classes that a referee needs.
const CLASSES: [&str; 7] = [
    "com/codingame/gameengine/core/RefereeMain",
    "com/google/inject/Guice",
    "com/google/gson/Gson",
    "com/google/common/collect/ImmutableList",
    "org/aopalliance/intercept/MethodInterceptor",
    "javax/inject/Inject",
    "org/apache/commons/logging/LogFactory",
];

/// The referee in a place where `java` is the double.
fn command(place: &Place, args: &[&str]) -> Referee {
    let mut command = place.command(args);
    let path = std::env::var("PATH").expect("a path");
    command = command.env("PATH", format!("{}:{path}", place.path("bin").display()));
    command
}

fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, content).expect("written");
}

/// A place with the games 2048 and number-shifting in its settings, and bots for them.
fn with_contributions() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("bin")).expect("made");
    let words = place.path("words");
    let java = format!("echo \"$@\" >'{}'; exec '{}' java", words.display(), double().display());
    place.script("bin/java", &(java + " \"$@\""));
    for (name, settings, case, conversation) in CONTRIBUTIONS {
        let project = place.path(name);
        write(&project.join("config/config.ini"), settings);
        write(&project.join("config/test1.json"), format!("{{\"testIn\": \"{case}\"}}"));
        write(&project.join("pom.xml"), "<gamengine.version>3.15.2</gamengine.version>");
        let classes = project.join("target/classes");
        for class in CLASSES {
            write(&classes.join(format!("{class}.class")), "");
        }
        let game = fs::read(data("conversations").join(conversation)).expect("a conversation");
        write(&classes.join("com/codingame/game/Referee.class"), game);
        let told = command(&place, &["init", "--codingame", name]).run().exits(0).out();
        assert!(told.contains("\nNothing is missing. "), "{told}");
    }
    // Answers each question of six lines with the next direction; after two results it waits for the file `go` first.
    let around = "until [ -e go ] || [ \"$(cat run/results.jsonl 2>&- | wc -l)\" -lt 2 ]; do sleep 0.01; done\n\
                  while :; do for move in U R D L; do\n\
                  for line in 1 2 3 4 5 6; do read -r ignored || exit 0; done; echo $move\ndone; done";
    // Exits once it has read the first level.
    let shift = "echo first_level; for line in 1 2 3 4 5 6; do read -r ignored; done";
    for (name, script) in [("around", around), ("shift", shift)] {
        place.script(name, script);
    }
    place
}

#[test]
fn number_shifting_is_played_in_a_suite_and_verified_without_its_judge() {
    let place = with_contributions();
    let suite = ["suite", "--game", "number-shifting", "--bot", "./shift", "--repeat", "3"];
    let more = ["--logs", "all", "--run", "run", "--format", "json"];
    let report = command(&place, &suite).args(more).args(PATIENT).run().json();
    assert_eq!((&report["games"], &report["lost"]), (&3.into(), &3.into()), "{report}");
    let outcomes = place.run("run").outcomes().expect("results").map(|it| it.expect("whole"));
    let official: Vec<_> = outcomes.map(|outcome| outcome.official).collect();
    assert_eq!(official, ["timeout"; 3]);
    fs::remove_file(place.path("referee.toml")).expect("removed");
    fs::remove_dir_all(place.path("shifting")).expect("removed");
    assert_code(&place.command(&["verify", "run"]).run(), 0);
}

#[test]
fn a_league_without_a_folder_is_played() {
    let place = with_contributions();
    fs::create_dir(place.path("2048/config/level1")).expect("made");
    let settings = fs::read_to_string(place.path("referee.toml")).expect("written");
    for (number, code, said) in [
        (1, 0, "league       1\n"),
        (2, 0, "note         league 2 has no folder level2: the files of all leagues count\n"),
        (0, 2, "leagues are numbered from 1"),
    ] {
        let project = "project = \"2048\"\n";
        let league = settings.replace(project, &format!("{project}league = {number}\n"));
        fs::write(place.path("referee.toml"), league).expect("written");
        let play = ["play", "--game", "2048", "--bot", "./around"];
        assert_code(&command(&place, &play).args(PATIENT).run(), code);
        let checked = command(&place, &["game", "check", "2048"]).run();
        let told = checked.out() + &checked.err();
        assert!(told.contains(said), "{told}");
        assert_eq!(told.contains("note  "), said.starts_with("note  "), "{told}");
        let words = fs::read_to_string(place.path("words")).expect("it was started");
        assert_eq!(words.contains(&format!("-Dleague.level={number} ")), code == 0, "{words}");
    }
}

#[test]
fn a_killed_suite_of_2048_is_resumed() {
    let place = with_contributions();
    let suite = ["suite", "--game", "2048", "--bot", "./around", "--jobs", "1", "--run", "run"];
    let mut suite = command(&place, &suite)
        .args(["--repeat", "6", "--logs", "all"])
        .args(PATIENT)
        .silent()
        .start();
    let results = place.path("run/results.jsonl");
    let kept = || fs::read_to_string(&results).unwrap_or_default();
    wait_until("two results", || kept().lines().count() >= 2);
    suite.kill().expect("it plays");
    finished(suite);
    let kept = kept();
    fs::write(place.path("go"), "").expect("written");
    let resume = ["resume", "run", "--jobs", "1"];
    assert_code(&command(&place, &resume).run(), 0);
    let all = fs::read_to_string(&results).expect("results");
    assert!(kept.lines().count() < 6, "it was killed in the midst of the run");
    let whole = kept.rfind('\n').map_or("", |end| &kept[..=end]);
    assert!(all.starts_with(whole), "no game is played twice");
    let outcomes = place.run("run").outcomes().expect("results").map(|it| it.expect("whole"));
    let repeats: Vec<_> = outcomes.map(|it| (it.repeat, it.official)).collect();
    assert_eq!(repeats, [1, 2, 3, 4, 5, 6].map(|repeat| (repeat, "score: 2932".to_owned())));
    assert_code(&place.command(&["verify", "run"]).run(), 0);
}

#[test]
fn a_page_of_2048_has_what_the_judge_told_and_the_whole_at_the_end() {
    let place = with_contributions();
    let play = ["play", "--game", "2048", "--bot", "./around", "--html", "page.html"];
    assert_code(&command(&place, &play).args(PATIENT).run(), 0);
    let page = fs::read_to_string(place.path("page.html")).expect("a page");
    let (turns, end) = page.split_once("\"end\":").expect("a film");
    assert!(end.contains("\"told\":\"") && end.contains("score: 2932\\n\""), "{end}");
    assert!(!turns.contains('¤') && !end.contains('¤'), "marks of colours");
}

#[test]
fn number_shifting_is_watched_while_it_is_played() {
    let place = with_contributions();
    let Some(terminal) = Terminal::of_size(100, 30) else { return };
    terminal.run(&format!("cd '{}'; PATH=$PWD/bin:$PATH", place.folder().display()));
    let play = ["play", "--watch", "--game", "number-shifting", "--bot", "./shift"];
    terminal.referee(&[&play[..], &PATIENT[..]].concat(), &[]);
    terminal.wait_for("timeout");
    terminal.press(&["Home"]);
    let screen = terminal.wait_for("first_level");
    assert!(screen.contains("the bot's answer:"), "{screen}");
    terminal.press(&["Right"]);
    terminal.wait_for("sent to the bot:");
    terminal.press(&["q"]);
    terminal.wait_for("status: 1");
    terminal.assert_restored();
}

#[test]
fn a_game_that_is_in_the_settings_is_not_added_again() {
    let place = with_contributions();
    let again = place.command(&["init", "--codingame", "2048"]).run().exits(2);
    assert!(again.err().contains("has the table [game.2048] already"), "{}", again.err());
}

#[test]
fn known_trouble_of_java_comes_with_its_remedy() {
    const OPENS: &str = "--add-opens java.base/java.lang=ALL-UNNAMED";
    let place = with_contributions();
    fs::create_dir_all(place.path("engine/com/codingame/gameengine/core")).expect("made");
    fs::write(place.path("engine").join(CLASSES[0]).with_extension("class"), "").expect("written");
    for (options, remedy) in [
        ("-cp 2048/target/classes", OPENS),
        (&format!("{OPENS} -cp engine"), "name the game's own jar"),
        (&format!("{OPENS} -cp 2048"), "name the engine's jar on the class path"),
    ] {
        let java = place.path("bin/java").display().to_string();
        let command = format!("{java} {options} com.codingame.gameengine.core.RefereeMain");
        let words: Vec<&str> = command.split(' ').collect();
        let command = conversations::command(&words, place.folder());
        let game = Codingame { command, ..Codingame::default() };
        let mut judge =
            game.start(&Case::Seed(290_797.into()), &Placement::default()).expect("starts");
        let trouble = judge.begin().expect_err(remedy);
        let found = trouble.remedy.clone().unwrap_or_default();
        assert!(found.contains(remedy), "{trouble:?}");
    }
}
