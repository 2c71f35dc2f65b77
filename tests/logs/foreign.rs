//! Games saved by other programs are refereed again, and every difference from their claims is listed.

use referee::game::GameKind;
use referee::gamelog::{self, foreign};
use referee::replay::foreign::{Refereed, referee as referee_foreign};

use crate::measured::{Case, Expected, cases};
use support::prelude::*;

/// The summary lines, split over frames as the original does: one for each turn, the last one with
/// what ends the game.
fn frames_of(summary: &[String], turns: usize) -> Vec<String> {
    let mut frames: Vec<String> = summary.iter().map(|line| format!("{line}\n")).collect();
    while frames.len() > turns {
        let last = frames.pop().expect("a line");
        *frames.last_mut().expect("a turn") += &last;
    }
    frames
}

/// A measured game as the SDK's runner returns it.
fn runner_json(case: &Case) -> Option<Value> {
    let Expected::Result { summary, won, score } = &case.expected else { return None };
    let timed_out = summary.last()?.contains("[ERROR] Timeout!");
    let mut outputs: Vec<Value> = vec![Value::Null];
    outputs.extend(case.outputs.iter().map(|output| json!(output)));
    outputs.extend(timed_out.then_some(Value::Null));
    let mut summaries = vec![json!("")];
    if *won {
        // The end has a frame of its own.
        outputs.push(json!(""));
    }
    summaries.extend(frames_of(summary, outputs.len() - 1).into_iter().map(Value::from));
    Some(json!({
        "errors": { "0": [""], "referee": [""] },
        "outputs": { "0": outputs, "referee": [] },
        "summaries": summaries,
        "scores": { "0": i32::from(*won) },
        "metadata": json!({ "Score": score.to_string() }).to_string(),
        "uinput": [], "views": [], "tooltips": [],
    }))
}

/// The same game in the website's format.
fn website_json(case: &Case) -> Option<Value> {
    let runner = runner_json(case)?;
    let outputs = runner["outputs"]["0"].as_array()?;
    let start = json!({ "agentId": -1, "keyframe": true, "view": "" });
    let frames: Vec<Value> = std::iter::once(start)
        .chain((1..outputs.len()).map(|turn| {
            let text = &runner["summaries"][turn];
            let mut frame = json!({ "agentId": 0, "gameInformation": text, "keyframe": true });
            if let Some(output) = outputs[turn].as_str() {
                frame["stdout"] = json!(output);
            }
            frame
        }))
        .collect();
    Some(json!({ "success": { "frames": frames, "metadata": runner["metadata"], "gameId": 1 } }))
}

/// Whether each answer is one complete line, since the runner and the website save only these.
fn is_line_by_line(case: &Case) -> bool {
    let is_line = |output: &String| {
        output.ends_with('\n')
            && !output[..output.len() - 1].contains(['\n', '\r'])
            && output.len() < 9_999
    };
    case.outputs.iter().all(is_line)
}

fn referee_json(file: &Value, case: &Case) -> Refereed {
    let foreign = foreign::read(file.to_string().as_bytes()).expect("a known form");
    let kind = GameKind::named("samegame").expect("there is one");
    let board = (kind.parse)(&case.board.join("\n")).expect("a board");
    referee_foreign(&foreign, &kind, &board, "measured").expect("its rules are here")
}

#[test]
fn measured_games_agree_in_the_forms_of_runner_and_website() {
    let mut agreed = 0;
    for case in cases().iter().filter(|case| is_line_by_line(case)) {
        for file in [runner_json(case), website_json(case)].into_iter().flatten() {
            let refereed = referee_json(&file, case);
            assert_eq!(refereed.differences, [], "{}", case.id);
            let end = refereed.log.end.expect("an end");
            assert_eq!(
                (end.summary, end.won, end.score.expect("points")),
                case.expected(),
                "{}",
                case.id
            );
            agreed += 1;
        }
    }
    assert!(agreed > 900, "{agreed}");
}

/// A game by the bundled greedy bot on its default board, and a folder for what is made of it.
struct Scene {
    folder: TempDir,
    moves: Vec<String>,
}

impl Scene {
    fn new(args: &[&str]) -> Self {
        let folder = tempdir().expect("a folder");
        let log = folder.path().join("game.jsonl");
        referee().play(args).arg("--log").arg(&log).run();
        let log = gamelog::read(&fs::read(log).expect("a log")).expect("a good log");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Self { folder, moves: log.turns.iter().map(|turn| text(&turn.reply.0)).collect() }
    }

    fn replay(&self, file: &str, content: &str, args: &[&str]) -> Output {
        let path = self.folder.path().join(file);
        fs::write(&path, content).expect("written");
        referee().current_dir(self.folder.path()).args(["replay", file]).args(args).run()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

#[test]
fn genuine_results_of_the_sdks_runner_agree() {
    let folder = data("sdk-json");
    let shared = shared_data("a result on CodinGame's test1");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 6);
    for file in files {
        let mut board = file.with_extension("board.txt");
        if !board.exists() {
            let Some(shared) = &shared else { continue };
            board = shared.join("samegame/codingame/test1.json");
        }
        let output =
            referee().args(["replay", "--format", "json", "--board"]).args([&board, &file]).run();
        let replayed = output.json();
        assert_eq!(replayed["differences"], json!([]), "{}", file.display());
        assert_eq!(replayed["complete"], true, "{}", file.display());
        assert_eq!(output.status.code(), Some(0), "{}", file.display());
        let result: Value =
            serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
        assert_eq!(replayed["won"], result["scores"]["0"] == 1, "{}", file.display());
        let lines = result["summaries"].as_array().expect("an array").iter();
        let lines: String = lines.map(|text| text.as_str().expect("text")).collect();
        let claimed: Vec<&str> = lines.lines().collect();
        assert_eq!(summary(&replayed), claimed, "{}", file.display());
    }
}

#[test]
fn a_completed_game_with_a_move_too_many_differs() {
    let file = data("sdk-json").join("h103.json");
    let mut result: Value =
        serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    result["outputs"]["0"][2] = json!("0 0\n");
    let scene = Scene::new(&PATIENT);
    let board = file.with_extension("board.txt");
    let board = board.to_str().expect("UTF-8");
    let output = scene.replay("game.json", &result.to_string(), &["--board", board]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_list_of_moves_is_a_game() {
    let scene = Scene::new(&PATIENT);
    let args = ["--board", "@random-1", "--format", "json", "--html", "page.html"];
    let output = scene.replay("moves.txt", &scene.moves.concat(), &args);
    assert_eq!(output.status.code(), Some(0));
    let result = output.json();
    assert_eq!(result["score"], 230);
    assert_eq!(result["verdict"], "completed");
    assert_eq!(result["timing"]["first_turn"], Value::Null, "nobody took the time");
    assert!(
        fs::read_to_string(scene.path().join("page.html"))
            .expect("a page")
            .contains("a list of moves")
    );
    let half = scene.replay("half.txt", &scene.moves[..9].concat(), &args[..4]).json();
    assert_eq!(half["complete"], false);
    assert_eq!(half["turns"], 9);
}

#[test]
fn numbers_of_square_remover_may_be_spread_over_lines_in_any_way() {
    let scene = Scene::new(&["--game", "square-remover"]);
    let args = ["--game", "square-remover", "--board", "@seed-1", "--format", "json"];
    let numbers: Vec<&str> = scene.moves[0].split_whitespace().collect();
    let rows: Vec<String> = numbers.chunks(3).map(|step| step.join(" ")).collect();
    for text in [scene.moves[0].clone(), rows.join("\n")] {
        let result = scene.replay("moves.txt", &text, &args).json();
        assert_eq!((&result["score"], &result["verdict"]), (&json!(6201), &json!("completed")));
    }
    let short = scene.replay("moves.txt", &rows[..100].join("\n"), &args).json();
    assert_eq!(short["score"], -1);
}

#[test]
fn every_difference_from_what_is_claimed_is_listed() {
    let case = &cases()[0];
    let mut file = runner_json(case).expect("a result");
    file["summaries"][3] = json!("Performed action x=9, y=9 (color 1, region size 99).\n");
    file["scores"]["0"] = json!(1);
    file["metadata"] = json!("{\"Score\": \"99999\"}");
    let scene = Scene::new(&PATIENT);
    fs::write(scene.path().join("board.txt"), case.board.join("\n")).expect("written");
    let args = ["--board", "board.txt"];
    let output = scene.replay("game.json", &file.to_string(), &args);
    assert_eq!(output.status.code(), Some(1));
    let text = output.out();
    assert!(text.starts_with("The replay differs from the log at turn 3.\n"), "{text}");
    for expected in ["at turn 3: summary", "x=9, y=9", ": won", ": metadata", "99999"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let args = ["--board", "board.txt", "--format", "json"];
    let result = scene.replay("game.json", &file.to_string(), &args).json();
    let differences = result["differences"].as_array().expect("an array");
    assert_eq!(differences.len(), 3, "{result}");
    assert_eq!(result["difference"], differences[0]);
}

#[test]
fn a_game_that_goes_on_after_its_end_differs() {
    let scene = Scene::new(&PATIENT);
    let moves = scene.moves.concat() + "0 0\n";
    let output = scene.replay("moves.txt", &moves, &["--board", "@random-1"]);
    assert_eq!(output.status.code(), Some(1));
    let text = output.out();
    assert!(text.contains("differs from the log at turn 48: the game"), "{text}");
}

#[test]
fn moves_may_stand_on_one_line_and_an_illegal_one_says_which_rule_it_broke() {
    let scene = Scene::new(&PATIENT);
    let moves: Vec<&str> = scene.moves.iter().map(|line| line.trim_end()).collect();
    let args = ["--board", "@random-1"];
    let text = |output: Output| output.out();
    let whole = text(scene.replay("moves.txt", &format!("{};\n", moves.join(";")), &args));
    assert!(whole.starts_with("Endgame. Obtained a score of 230.\n"), "{whole}");
    let rule = "[ERROR] Selected target out of bounds: x=0, y=15";
    let last = text(scene.replay("moves.txt", &format!("{};0 15", moves[0]), &args));
    assert!(last.starts_with(rule), "{last}");
    let amid = text(scene.replay("moves.txt", &format!("{};0 15;0 0;", moves[0]), &args));
    assert!(amid.starts_with("The replay differs from the log at turn 3.\n"), "{amid}");
    assert!(amid.contains(&format!("  official      {rule}\n")), "{amid}");
    assert!(amid.contains("turn 2: the reply was `0 15`: x and y go from 0 to 14\n"), "{amid}");
}

#[test]
fn missing_and_surplus_options_are_named() {
    let scene = Scene::new(&PATIENT);
    let error = |output: Output| {
        assert_eq!(output.status.code(), Some(2));
        output.err()
    };
    let runner = runner_json(&cases()[0]).expect("a result").to_string();
    let asked = "game.json: a game of CodinGame's SDK has no board; name it with --board FILE";
    assert!(error(scene.replay("game.json", &runner, &[])).contains(asked));
    let website = website_json(&cases()[0]).expect("a result").to_string();
    let asked = "game.json: a game of CodinGame's website has no board; name it with --board FILE";
    assert!(error(scene.replay("game.json", &website, &[])).contains(asked));
    let log = fs::read_to_string(scene.path().join("game.jsonl")).expect("a log");
    let error = error(scene.replay("copy.jsonl", &log, &["--board", "@random-1"]));
    assert!(error.contains("this log has its board"), "{error}");
}
