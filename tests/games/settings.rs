//! Games from settings: tables `[game.NAME]`, whose judge is another program.

use support::prelude::*;

const SETTINGS: &str = r#"
[game.guess]
kind = "judge"
command = "./judge"
better = "lower"
cases = ["cases/*.txt"]

[bots.halves]
command = "sh halves.sh"

[bots.counts]
command = "sh counts.sh"
"#;

const HALVES: &str = "low=0; high=15; while read -r hint; do \
    case $hint in low) low=$((guess + 1));; high) high=$((guess - 1));; esac; \
    guess=$(((low + high) / 2)); echo $guess; done";

fn project() -> Place {
    let place = Place::new();
    for (file, text) in [
        ("referee.toml", SETTINGS),
        ("halves.sh", HALVES),
        ("counts.sh", "n=0; while read -r hint; do echo $n; n=$((n + 1)); done"),
    ] {
        fs::write(place.path(file), text).expect("written");
    }
    place.double("judge", "guess-number");
    fs::create_dir(place.path("cases")).expect("made");
    for (name, secret) in [("three", "3"), ("nine", "9")] {
        fs::write(place.path(&format!("cases/{name}.txt")), secret).expect("written");
    }
    place
}

fn run(place: &Place, line: &str) -> Output {
    place.command(&line.split(' ').collect::<Vec<_>>()).run()
}

#[test]
fn a_game_from_settings_is_played_and_its_log_needs_neither_judge_nor_settings() {
    let place = project();
    let played = run(&place, "play --game guess --seed 9 --bot halves --log log --format json");
    assert_code(&played, 0);
    let result = played.json();
    assert_eq!((&result["score"], &result["official"]), (&3.into(), &"Found".into()), "{result}");
    let by_name = run(&place, "play --game guess --board nine --bot halves --format json");
    assert_eq!(by_name.json()["score"], 3);
    let by_file = run(&place, "play --game referee.toml --board three --bot counts --format json");
    assert_eq!(by_file.json()["score"], 4);
    assert_code(&run(&place, "replay log --rejudge"), 0);
    place.double("judge", "guess-number was");
    let rejudged = run(&place, "replay log --rejudge --format json");
    assert_code(&rejudged, 1);
    let rejudged = rejudged.json();
    assert_eq!(
        (&rejudged["agrees"], &rejudged["difference"]["what"]),
        (&false.into(), &"summary".into())
    );
    fs::remove_file(place.path("judge")).expect("removed");
    fs::remove_file(place.path("referee.toml")).expect("removed");
    let replayed = run(&place, "replay log --format json --html page.html");
    assert_code(&replayed, 0);
    assert_eq!(replayed.json()["agrees"], true);
    let sent = run(&place, "replay log --export input").exits(0).out();
    assert_eq!(sent, "start\nlow\nhigh\n");
}

#[test]
fn the_judges_own_limit_holds_unless_the_profile_says_otherwise_and_a_changed_log_is_found_out() {
    let place = project();
    for (profile, limit) in
        [("official", json!(60_000.0)), ("relaxed", json!(240_000.0)), ("unlimited", Value::Null)]
    {
        let play = format!("play --game guess --board nine --bot halves --profile {profile}");
        assert_code(&run(&place, &format!("{play} --log log --force")), 0);
        let log = fs::read_to_string(place.path("log")).expect("a log");
        let turn: Value = serde_json::from_str(log.lines().nth(1).expect("a turn")).expect("JSON");
        assert_eq!(turn["asked"]["limit_ms"], limit, "{profile}");
        assert_eq!(turn["asked"]["official_limit_ms"], 60_000.0, "{profile}");
        fs::write(place.path("changed"), log.replacen("\"gain\":1", "\"gain\":7", 1))
            .expect("room");
        let shown = run(&place, "replay changed").exits(1).out();
        assert!(shown.contains("differs from the log at turn 1: gain"), "{shown}");
        let cut: String = log.split_inclusive('\n').take(3).collect();
        fs::write(place.path("cut"), cut).expect("room");
        assert_eq!(run(&place, "replay cut --format json").json()["agrees"], true, "{profile}");
    }
}

#[test]
fn a_check_shows_what_a_judge_does() {
    let place = project();
    let checked = run(&place, "game check guess --bot halves --board nine");
    assert_code(&checked, 0);
    let text = checked.out();
    for part in [
        "guess\n  kind         judge\n",
        "memory       no limit, with --sandbox 1 GiB\n",
        "better       lower\n",
        "cases        2, and any seed\n",
        "a bot that ends at once\n",
        "  end: early exit, score 0: No answer\n",
        "turn 2: sends `low`, wants 1 line within 60 s; came: `11`\n",
        "  end: completed, score 3: Found\n",
        "A second judge says the same to these replies.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    place.double("judge", "guess-number open");
    let limits = "[limits.guess]\nfirst-turn = '100ms'\n";
    fs::write(place.path("referee.toml"), format!("{SETTINGS}{limits}")).expect("written");
    let checked = run(&place, "game check guess --bot halves --board nine");
    let text = checked.out();
    for part in ["diagnosis: turn 1: no answer within 100 ms", "the text of turn 1 does not end"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    fs::write(place.path("referee.toml"), SETTINGS).expect("written");
    place.double("judge", "guess-number random");
    let checked = run(&place, "game check guess --bot halves --board nine");
    assert_code(&checked, 1);
    let text = checked.out();
    assert!(text.contains("says something else to these replies, at turn 3: summary"), "{text}");
}

#[test]
fn a_sandbox_limits_memory_where_neither_game_nor_user_does() {
    let place = project();
    let limit = "[game]\ndefault = 'guess'\n[resources]\nsandbox-memory = '60MiB'\n";
    fs::write(place.path("referee.toml"), format!("{SETTINGS}{limit}")).expect("written");
    let memory = "head -c 300000000 /dev/zero | tail -n 1 >/dev/null";
    fs::write(place.path("halves.sh"), format!("{memory}; {HALVES}")).expect("written");
    let shown = run(&place, "doctor").out();
    assert!(shown.contains("With --sandbox a bot has 60 MiB of memory"), "{shown}");
    let game = "--board nine --bot halves --first-turn 60s --turn 60s";
    for (more, verdict) in [
        ("", "completed"),
        (" --sandbox", "memory_limit"),
        (" --sandbox --memory none", "completed"),
        (" --sandbox --memory 1GiB", "completed"),
    ] {
        let result = run(&place, &format!("play {game} --format json{more}")).json();
        assert_eq!(result["verdict"], verdict, "{more}: {result}");
    }
    assert_code(&run(&place, &format!("suite {game} --run run --sandbox")), 1);
    assert_eq!(place.run("run").run.plan.rules.resources.memory, Some(60 << 20));
    assert_code(&run(&place, "verify run"), 0);
}

#[test]
fn the_list_of_games_has_those_of_the_settings() {
    let listed = run(&project(), "games --format json");
    let games = listed.json();
    let names: Vec<_> =
        games.as_array().expect("a list").iter().map(|game| &game["name"]).collect();
    assert_eq!(names, ["samegame", "square-remover", "guess"]);
    assert_eq!(games[2]["about"], "judge: ./judge");
    assert!(games[2]["settings"].as_str().is_some_and(|place| place.ends_with("referee.toml:2")));
    let text = String::from_utf8(run(&project(), "games").stdout).expect("UTF-8");
    assert!(text.starts_with("samegame        SameGame, built in\n"), "{text}");
}

#[test]
fn a_suite_plays_all_cases_and_refuses_another_judge() {
    let place = project();
    let suite = run(&place, "suite --game guess --bot halves --bot counts --run one --logs all");
    assert_code(&suite, 0);
    let folder = place.run("one");
    let boards: Vec<_> = folder.run.plan.boards.iter().map(|board| board.name.as_str()).collect();
    assert_eq!(boards, ["nine", "three"]);
    let verified = run(&place, "verify one");
    assert_code(&verified, 0);
    let again = run(&place, "resume one");
    assert_code(&again, 0);
    assert_code(&run(&place, "suite --game guess --bot halves --run before"), 0);
    place.double("judge", "guess-number another");
    fs::remove_file(place.path("one/results.jsonl")).expect("removed");
    fs::write(place.path("one/results.jsonl"), "").expect("written");
    let refused = run(&place, "resume one");
    assert_code(&refused, 2);
    assert!(refused.err().contains("the game's judge is not the same"), "{}", refused.err());
    place.double("judge", "guess-number");
    let env = SETTINGS.replace("kind =", "env = { LEVEL = '2' }\nkind =");
    fs::write(place.path("referee.toml"), env).expect("written");
    let refused = run(&place, "resume one");
    assert_code(&refused, 2);
    assert!(refused.err().contains("the game's judge is not the same"), "{}", refused.err());
    let other = run(&place, "suite --game guess --bot halves --run two");
    assert_code(&other, 0);
    // The best scores of one judge are not another's.
    let ids = |run: &str| {
        place
            .run(run)
            .outcomes()
            .expect("results")
            .map(|one| one.expect("sound").record_id)
            .collect::<Vec<_>>()
    };
    assert!(!ids("two").is_empty() && ids("two").iter().all(|id| !ids("before").contains(id)));
    let compared = run(&place, "compare one:halves two:halves");
    assert_code(&compared, 2);
    assert!(compared.err().contains("were played with different judges"));
}

#[test]
fn a_lost_game_of_a_judge_is_played_again() {
    let place = project();
    fs::create_dir(place.path("games")).expect("made");
    fs::rename(place.path("referee.toml"), place.path("games/guess.toml")).expect("moved");
    for file in ["judge", "cases"] {
        fs::rename(place.path(file), place.path("games").join(file)).expect("moved");
    }
    place.script("quits", "read -r hint; exit 3");
    let suite = "suite --game games/guess.toml --board nine --bot ./quits --run one";
    assert_code(&run(&place, suite), 1);
    let again = place.command(&["play", "--again", "one:1"]).args(["--config", "games/guess.toml"]);
    let said = again.run().exits(0).out();
    assert_eq!(said, "The bot plays as in the log: 1 turn.\n");
}

#[test]
fn a_run_of_a_game_in_a_file_of_its_own_says_how_it_is_resumed() {
    let place = project();
    fs::rename(place.path("referee.toml"), place.path("guess.toml")).expect("moved");
    let halves = ["--bot", "sh halves.sh", "--run", "one"];
    assert_code(&place.command(&["suite", "--game", "guess.toml"]).args(halves).run(), 0);
    fs::write(place.path("one/results.jsonl"), "").expect("written");
    let refused = run(&place, "resume one");
    assert_code(&refused, 2);
    let said = refused.err();
    let remedy = "no table [game.guess], which names its judge; `referee resume one --config FILE`";
    assert!(said.contains(remedy), "{said}");
    assert_code(&run(&place, "resume one --config guess.toml"), 0);
    assert_eq!(place.run("one").played().expect("results").count(), 2);
}

#[test]
fn a_judge_that_is_replaced_during_a_run_ends_it_and_the_game_does_not_count() {
    let place = project();
    let swaps = "read -r hint; [ $hint = start ] && echo '#' >> judge; echo 3";
    fs::write(place.path("swaps.sh"), swaps).expect("written");
    let suite =
        ["suite", "--game", "guess", "--board", "three", "--run", "r", "--bot", "sh swaps.sh"];
    let output = place.command(&suite).run().exits(2);
    let expected = "the judge changed while it was played: ./judge is not the same; no game of the new one was kept";
    assert!(output.err().contains(expected), "{}", output.err());
    assert_eq!(fs::read_to_string(place.path("r/results.jsonl")).expect("there"), "");
}

#[test]
fn a_game_that_is_played_again_leaves_no_log_of_the_earlier_try() {
    let place = project();
    fs::write(place.path("later.sh"), "read -r hint; [ -e now ] && echo 3").expect("written");
    let suite =
        ["suite", "--game", "guess", "--board", "three", "--run", "r", "--bot", "sh later.sh"];
    assert_code(&place.command(&suite).run(), 1);
    let log = place.path("r/games/000001.jsonl");
    assert!(log.exists());
    fs::write(place.path("now"), "").expect("written");
    assert_code(&run(&place, "resume r --again crash"), 0);
    assert!(!log.exists(), "it is a lost game's");
}

#[test]
fn cases_are_found_in_a_folder_of_any_name() {
    let place = project();
    let folder = place.path("a [b] *");
    fs::create_dir_all(folder.join("cases")).expect("made");
    for file in ["referee.toml", "cases/three.txt"] {
        fs::copy(place.path(file), folder.join(file)).expect("copied");
    }
    place.double("a [b] */judge", "guess-number");
    let play =
        ["play", "--game", "a [b] */referee.toml", "--board", "three", "--bot", "sh halves.sh"];
    assert_code(&place.command(&play).run(), 0);
}

#[test]
fn a_judge_that_fails_leaves_a_game_to_be_played() {
    let place = project();
    fs::write(place.path("breaks.sh"), "while read -r hint; do echo -1; done").expect("written");
    let played = place
        .command(&["play", "--game", "guess", "--seed", "1", "--bot", "sh breaks.sh"])
        .run()
        .exits(3);
    assert!(played.err().contains("broken by a negative guess"), "{}", played.err());
    let suite = place
        .command(&["suite", "--game", "guess", "--board", "nine", "--run", "r"])
        .args(["--bot", "sh breaks.sh", "--format", "json"])
        .run();
    assert_eq!(suite.json()["games_not_played"], 1, "{suite:?}");
    assert_eq!(suite.json()["not_played"][0]["verdict"], "judge_trouble");
}

/// Lines of a game's table, and what is said of them.
const WRONG: &str = r#"kind = 'jury'; command = 'x' | referee.toml:2:8: there is no kind `jury`; the kinds are: codingame, judge, brutaltester, scored
kind = 'judge' | missing field `command`
kind = 'judge'; command = 'x'; comand = 'y' | referee.toml:4:1: unknown field `comand`
kind = 'judge'; command = '' | referee.toml:3:11: the command is empty
kind = 'judge'; command = 'x'; league = 2 | referee.toml:4:10: `league` is for games of kind = "codingame"
kind = 'judge'; command = 'x'; cases = ['no/*.txt'] | referee.toml:4:9: no file matches
kind = 'judge'; command = 'x'; cases = ['cases/*.txt', 'cases/nine.*'] | cases/nine.txt: there is another case `nine`,
kind = 'judge'; command = 'x'; limits = { total = '1s' } | referee.toml:4:10: games of kind = "judge" have no limit `total`; they have: first-turn, turn
kind = 'codingame'; command = 'x'; project = 'none' | referee.toml:4:11:
kind = 'codingame'; command = 'x'; engine = 'new' | referee.toml:4:10: `new` is not a version
kind = 'scored'; command = 'vis {answer}' | referee.toml:3:11: the command has no `{case}`
kind = 'scored'; command = 'vis {case} {answer}'; score = '(\d+)' | referee.toml:4:9: the pattern has no group `(?P<score>…)`
kind = 'scored'; command = 'vis {case} {answer}'; limits = { turn = '1s' } | referee.toml:4:10: games of kind = "scored" have no limit `turn`; they have: total
kind = 'tester'; command = 'x {case}' | referee.toml:3:11: the command has no `{bot}`
kind = 'tester'; command = 'x {bot}' | referee.toml:3:11: the command needs `{case}` or `{seed}`, one of both
kind = 'tester'; command = 'x {bot} {seed}'; stdin = 'in.txt' | referee.toml:4:9: `stdin` is "{case}", or left out
kind = 'tester'; command = 'x {bot} {seed}'; limits = { total = '1s', turn = '1s' } | referee.toml:4:10: either `total` limits a game, or `first-turn` and `turn` do"#;

#[test]
fn wrong_settings_of_a_game_are_refused_with_their_place() {
    for row in WRONG.lines() {
        let (lines, expected) = row.split_once(" | ").expect("two columns");
        let lines = lines.replace("; ", "\n");
        let place = project();
        fs::write(place.path("referee.toml"), format!("[game.moon]\n{lines}\n")).expect("written");
        let output = run(&place, "play --game moon --seed 1 --bot cat");
        assert_code(&output, 2);
        assert!(output.err().contains(expected), "{row}: {}", output.err());
    }
    let place = project();
    fs::write(place.path("referee.toml"), "[game.samegame]\nkind = 'judge'\ncommand = 'x'\n")
        .expect("written");
    let output = run(&place, "play");
    assert!(output.err().contains("there is another game `samegame`"), "{}", output.err());
    let output = run(&project(), "play --game moon");
    let known = "there is no game `moon`; the games are: samegame, square-remover, guess";
    assert!(output.err().contains(known), "{}", output.err());
}
