//! `referee new`: a bot to begin with.

use support::prelude::*;

#[test]
fn a_new_bot_of_each_language_plays_by_its_name() {
    let place = Place::new();
    let run = |args: &[&str]| place.command(args).run();
    let languages = [
        ("python", need("a new bot in Python", ["python3"]).is_some()),
        ("cpp", need("a new bot in C++", ["c++"]).is_some()),
        ("c", true),
        ("rust", true),
        ("javascript", need("a new bot in JavaScript", ["node"]).is_some()),
        ("java", need("a new bot in Java", ["java", "javac"]).is_some()),
    ];
    for (language, _) in languages.into_iter().filter(|&(_, can_play)| can_play) {
        let name = format!("my-{language}");
        assert_code(&run(&["new", &name, "--lang", language]), 0);
        let played = run(&["play", "--bot", &name, "--first-turn", "60s", "--turn", "60s"]);
        let shown = played.out();
        assert!(shown.starts_with("Endgame. Obtained a score of 230."), "{language}: {played:?}");
    }
    let squares = ["new", "squares", "--lang", "rust", "--game", "square-remover"];
    let made = run(&squares);
    let advice = "referee play --game square-remover --bot squares";
    assert!(made.out().contains(advice), "{made:?}");
    let play = ["play", "--game", "square-remover", "--bot", "squares", "--total", "5m"];
    assert_code(&run(&play), 0);
    for (args, problem) in [
        (&squares[..], "has a bot `squares` already"),
        (&["new", "x", "--lang", "c", "--game", "square-remover"], "there are: cpp, rust, python"),
        (&["new", "../x", "--lang", "c"], "it is a letter, and then"),
    ] {
        let refused = run(args);
        assert_code(&refused, 2);
        assert!(refused.err().contains(problem), "{refused:?}");
    }
    fs::write(place.path("mine.c"), "mine").expect("written");
    assert_code(&run(&["new", "mine", "--lang", "c"]), 2);
    // Building it would replace this file.
    fs::write(place.path("own"), "my work").expect("written");
    let refused = run(&["new", "own", "--lang", "c"]).exits(2).err();
    assert!(
        refused.contains("own: exists already, and building the bot would replace it"),
        "{refused}"
    );
    assert!(!place.path("own.c").exists());
    // Nor does a bot stay whose project cannot name it.
    fs::rename(place.path("referee.toml"), place.path("moved")).expect("renamed");
    fs::create_dir(place.path("referee.toml")).expect("made");
    let refused = run(&["new", "other", "--lang", "c"]).exits(2).err();
    assert!(refused.contains("referee.toml: is not a file"), "{refused}");
    assert!(!place.path("other.c").exists());
    assert_eq!(fs::read_to_string(place.path("mine.c")).expect("it stays"), "mine");
}
