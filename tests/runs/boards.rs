//! The boards of suites: seeds in lists and files, folders with other files, patterns.

use support::prelude::*;

/// Plays games of a quick bot on these seeds.
fn play(place: &Place, run: &str, seeds: &str) {
    let suite = place.command(&["suite", "--bot", "@first", "--seed", seeds, "--run", run]);
    assert_code(&suite.patient().run(), 0);
}

/// The names of the boards of a run, in the order of its games.
fn boards(place: &Place, run: &str) -> Vec<String> {
    let plan = place.run(run).run.plan;
    (0..plan.boards()).map(|board| plan.board_name(board)).collect()
}

#[test]
fn seeds_come_as_a_list_or_from_a_file_also_in_the_project() {
    let place = Place::new();
    play(&place, "list", "7,1..3,-4");
    assert_eq!(boards(&place, "list"), ["seed 7", "seed 1", "seed 2", "seed 3", "seed -4"]);
    fs::write(place.path("seeds.txt"), "7, 1..2 # mine\n3\n-4\n").expect("written");
    play(&place, "file", "seeds.txt");
    assert_eq!(boards(&place, "file"), boards(&place, "list"));
    fs::write(place.path("referee.toml"), "[boards.mine]\nseeds = 'seeds.txt'\n").expect("written");
    fs::create_dir(place.path("below")).expect("made");
    let suite = place.command(&["suite", "--board", "mine", "--run", "../set"]);
    assert_code(&suite.current_dir(place.path("below")).patient().run(), 0);
    assert_eq!(boards(&place, "set"), boards(&place, "list"));
    fs::write(place.path("bad.txt"), "1\n5..x\n").expect("written");
    for (seeds, problem) in [
        ("1..3,2", "seeds: seed 2 is listed twice"),
        ("bad.txt", "bad.txt:2: `5..x` is neither a number nor a range"),
        ("none.txt", "none.txt: no such file; seeds are numbers and ranges"),
    ] {
        let output = place.command(&["suite", "--seed", seeds]).run().exits(2);
        assert!(output.err().contains(problem), "{}", output.err());
    }
}

/// A place with boards as CodinGame's repository has them: twelve in JSON, among other files.
fn with_config() -> Place {
    let place = Place::new();
    let config = place.path("SameGame/config");
    fs::create_dir_all(&config).expect("made");
    assert_code(&place.command(&["generate", "--seed", "1..12", "--out", "boards"]).run(), 0);
    for seed in 1..=12 {
        let rows =
            fs::read_to_string(place.path(&format!("boards/seed-{seed}.txt"))).expect("a board");
        let file = json!({ "testIn": rows.trim() }).to_string();
        fs::write(config.join(format!("test{seed}.json")), file).expect("written");
    }
    for file in ["config.ini", "statement_en.html", "stub.txt"] {
        fs::write(config.join(file), "title=SameGame\n").expect("written");
    }
    place
}

#[test]
fn a_folder_of_boards_may_hold_other_files_and_a_pattern_chooses() {
    let place = with_config();
    let config = place.path("SameGame/config");
    let suite = |board: &str, run: &str| {
        place.command(&["suite", "--bot", "@first", "--board", board, "--run", run]).patient().run()
    };
    let output = suite("SameGame/config", "all");
    assert_code(&output, 0);
    let warning = "SameGame/config: left out files that are not boards: config.ini, statement_en.html, stub.txt";
    assert_eq!(output.err().matches("left out").count(), 1, "{}", output.err());
    assert!(output.err().contains(warning), "{}", output.err());
    assert_eq!(boards(&place, "all").len(), 12);
    assert_code(&suite("SameGame/config/test?.json", "few"), 0);
    assert_eq!(boards(&place, "few")[8..], ["SameGame/config/test9.json"]);
    let set = "[boards.tests]\nfiles = ['SameGame/config/test1*.json']\n";
    fs::write(place.path("referee.toml"), set).expect("written");
    let of_set = place.command(&["suite", "--board", "tests", "--run", "named"]);
    assert_code(&of_set.patient().run(), 0);
    let names = boards(&place, "named");
    assert_eq!(names.len(), 4);
    assert!(names[0].ends_with("/test1.json") && names[3].ends_with("/test12.json"), "{names:?}");
    for (board, problem) in [
        ("SameGame/config/x*.json", "x*.json: no file matches this pattern"),
        ("SameGame", "SameGame: there is no file in this folder"),
        ("SameGame/config/stub.txt", "stub.txt:1:7: "),
    ] {
        let output = suite(board, "none");
        assert_code(&output, 2);
        assert!(output.err().contains(problem), "{}", output.err());
    }
    fs::write(config.join("test13.json"), "{}").expect("written");
    let output = suite("SameGame/config", "damaged");
    assert_code(&output, 2);
    assert!(output.err().contains("test13.json:1:1: no `testIn`"), "{}", output.err());
}

#[test]
fn files_that_begin_with_a_dot_are_not_boards() {
    let place = with_config();
    for name in ["._test1.json", ".test2.json.swp", ".test99.json"] {
        let file = place.path("SameGame/config").join(name);
        fs::write(file, b"\0\x05\x16\x07\xff").expect("written");
    }
    for (board, run, count) in
        [("SameGame/config", "all", 12), ("SameGame/config/*1.json", "ones", 2)]
    {
        let suite = place.command(&["suite", "--bot", "@first", "--board", board, "--run", run]);
        let output = suite.patient().run();
        assert_code(&output, 0);
        assert_eq!(boards(&place, run).len(), count, "{board}");
        assert!(!output.err().contains("._test1"), "{}", output.err());
    }
}
