//! Suites of games of several players, played: round robins and gauntlets, killed and resumed, compared and verified.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use support::prelude::*;

/// A folder with the game `duel` of some players, and bots that always name the same number.
pub(super) fn duel(players: usize) -> Place {
    let place = Place::new();
    place.double("judge", "duel");
    let settings =
        format!("[game.duel]\nkind = \"judge\"\ncommand = \"./judge\"\nplayers = {players}\n");
    fs::write(place.path("referee.toml"), settings).expect("written");
    for (bot, number) in [("one", 1), ("two", 2), ("three", 3), ("other", 3)] {
        place.script(bot, &format!("while read -r line; do echo {number}; done"));
    }
    place.script("quitter", "read -r line; echo 9; exit 3");
    place
}

/// A suite of the game.
fn suite(place: &Place, words: &[&str]) -> Referee {
    place.command(&["suite", "--game", "duel", "--jobs", "2"]).args(words).patient()
}

fn results(place: &Place, run: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.path(run).join("results.jsonl")).expect("results");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn in_a_round_robin_every_seed_is_played_from_every_seat() {
    let place = duel(2);
    let bots = ["--bot", "./one", "--bot", "./two", "--bot", "./three", "--seed", "2..3"];
    let shown = suite(&place, &[&bots[..], &["--run", "run", "--logs", "all"]].concat()).run();
    let shown = shown.exits(0).out();
    assert!(shown.contains("12 games of duel, 0 failures"), "{shown}");
    let lines = results(&place, "run");
    let sits = |seed: &str| {
        let of_seed = lines.iter().filter(|line| line["board"] == format!("seed {seed}"));
        let seat = |line: &Value| {
            (line["bot"].to_string(), line["seat"].to_string(), line["with"].to_string())
        };
        of_seed.map(seat).collect::<BTreeSet<_>>()
    };
    assert_eq!((lines.len(), sits("2").len(), sits("3").len()), (24, 12, 12));
    let third = lines.iter().filter(|line| line["bot"] == "./three");
    assert!(third.clone().all(|line| line["place"] == 100.0 || line["board"] == "seed 3"));
    // On an odd seed the first seat has three points more: two and three are even there.
    let even = lines.iter().filter(|line| line["place"] == 50.0).count();
    assert_eq!(even, 4, "{lines:#?}");
    let verified = place.command(&["verify", "run"]).run();
    assert_code(&verified, 0);
    assert_code(&place.referee(&["resume", "run"]), 0);
    let page = place.command(&["report", "run", "--html", "page.html"]).run();
    assert_code(&page, 0);
    // A score depends on the opponents, so no board has a best one.
    for list in [&["show", "run"][..], &["runs"]] {
        let listed = place.command(list).run().exits(0).out();
        assert!(listed.contains("./three") && !listed.contains("yours/best"), "{listed}");
    }
    let shown = place.command(&["show", "run", "--format", "json"]).run().json();
    assert_eq!(shown["games"][0]["best"], Value::Null);
    let shown = place.command(&["replay", "run:2"]).run().exits(0).out();
    assert!(shown.contains("duel"), "{shown}");
}

#[test]
fn a_bot_that_fails_is_last_and_counted_and_its_game_is_played_again() {
    let place = duel(3);
    let bots = ["--bot", "./one", "--bot", "./quitter", "--bot", "./two", "--seed", "2"];
    let shown = suite(&place, &[&bots[..], &["--run", "run"]].concat()).run().exits(1).out();
    assert!(shown.contains("3 games of duel, 3 failures"), "{shown}");
    let lines = results(&place, "run");
    let lost = lines.iter().filter(|line| line["won"] == false);
    assert!(lost.clone().all(|line| line["bot"] == "./quitter" && line["place"] == 0.0));
    assert_eq!(lost.count(), 3);
    let again = place.command(&["play", "--again", "run:1"]).run().exits(0).out();
    assert!(again.starts_with("The bot plays as in the log: "), "{again}");
}

#[test]
fn a_game_is_played_again_with_the_environment_and_folder_of_each_bot() {
    let place = duel(2);
    let settings = fs::read_to_string(place.path("referee.toml")).expect("settings");
    let bots = "[bots.a]\ncommand = \"./bot\"\ncwd = \"in a\"\nenv = { NUMBER = \"1\", LOG = \"two words\" }\n\
                [bots.b]\ncommand = \"./bot\"\ncwd = \"b\"\nenv = { NUMBER = \"2\" }\n";
    fs::write(place.path("referee.toml"), settings + bots).expect("written");
    for folder in ["in a", "b"] {
        fs::create_dir(place.path(folder)).expect("room");
        let tells =
            "read -r line; echo \"$NUMBER in ${PWD##*/}, $LOG\" >&2; echo \"$NUMBER\"; exit 3";
        place.script(&format!("{folder}/bot"), tells);
    }
    for sandbox in [None, has_sandbox("auto").then_some("--sandbox")] {
        let run = format!("run{}", sandbox.unwrap_or_default());
        let words = ["--bot", "a", "--bot", "b", "--seed", "2", "--logs", "all", "--run", &run];
        let played = suite(&place, &words).args(sandbox).run();
        assert_code(&played, 1);
        for log in fs::read_dir(place.path(&run).join("games")).expect("logs").flatten() {
            let again = place.command(&["play", "--again"]).arg(log.path()).run().exits(0).out();
            assert!(again.starts_with("The bot plays as in the log: "), "{again}");
            let text = fs::read_to_string(log.path()).expect("a log");
            assert!(text.contains("1 in in a, two words") && text.contains("2 in b, "), "{text}");
        }
    }
}

#[test]
fn a_complete_league_keeps_a_game_that_the_host_disturbed_once_a_bot_has_changed() {
    let place = duel(3);
    let bots = ["--bot", "./one", "--bot", "./two", "--bot", "./three", "--seed", "2"];
    assert_code(&suite(&place, &[&bots[..], &["--run", "run"]].concat()).run(), 0);
    // As if the host had made a bot late in the first game, also when it was played again.
    let lines = results(&place, "run").into_iter().map(|mut line| {
        line["spoilt"] = (line["game"].as_u64() <= Some(3)).into();
        line.to_string() + "\n"
    });
    let path = place.path("run/results.jsonl");
    let before = lines.collect::<String>();
    fs::write(&path, &before).expect("written");
    let bot = fs::read_to_string(place.path("one")).expect("a script");
    place.script("one", "while read -r line; do echo 2; done");
    let resumed = place.command(&["resume", "run"]).run();
    let resumed = resumed.exits(0);
    assert!(resumed.err().contains("run is complete, so nothing is played"), "{}", resumed.err());
    assert!(resumed.out().starts_with("3 games of duel, 0 failures"), "{}", resumed.out());
    assert_eq!(fs::read_to_string(&path).expect("results"), before);
    // With the bot of the run, the game is played again.
    write_program(&place.path("one"), &bot);
    assert_code(&place.command(&["resume", "run"]).run(), 0);
    assert!(results(&place, "run").iter().all(|line| line["spoilt"] != true));
}

#[test]
fn a_log_and_a_result_of_a_seat_that_the_game_does_not_have_are_damaged() {
    let place = duel(3);
    let bots = ["--bot", "./one", "--bot", "./two", "--bot", "./three", "--seed", "2"];
    let words = [&bots[..], &["--run", "run", "--logs", "all"]].concat();
    assert_code(&suite(&place, &words).run(), 0);
    let log = fs::read_to_string(place.path("run/games/000001.jsonl")).expect("a log");
    let damaged = |name: &str, text: String| {
        assert_ne!(text, log);
        fs::write(place.path(name), text).expect("written");
        let html = ["replay", name, "--html", "page.html", "--force"];
        for command in [&["replay", name][..], &html, &["replay", name, "--format", "json"]] {
            let said = place.referee(command).exits(2).err();
            assert!(said.starts_with(&format!("error: {name}:")), "{said}");
            assert!(said.contains("has 3 seats"), "{said}");
        }
    };
    damaged("turn", log.replacen("\"seat\":1,", "\"seat\":3,", 1));
    let (before, end) = log.trim_end().rsplit_once('\n').expect("lines");
    let mut end: Value = serde_json::from_str(end).expect("JSON");
    let seats = end["seats"].as_array_mut().expect("seats");
    seats.push(seats[0].clone());
    damaged("end", format!("{before}\n{end}\n"));
    // The third line of the results is of the last seat.
    let path = place.path("run/results.jsonl");
    let results = fs::read_to_string(&path).expect("results");
    for seat in ["\"seat\":3", "\"seat\":99"] {
        fs::write(&path, results.replacen("\"seat\":2", seat, 1)).expect("written");
        for command in [&["ratings", "run"][..], &["show", "run"], &["resume", "run"]] {
            let said = place.referee(command).exits(2).err();
            assert!(said.contains("run/results.jsonl:3: by the plan, game "), "{said}");
            assert!(said.contains(" is in seat 2 of a game of 3 players"), "{said}");
        }
    }
}

#[test]
fn a_broken_bot_is_out_with_its_cause_and_the_others_play() {
    let place = duel(2);
    for student in ["ann", "bob", "cy", "dan", "pat"] {
        fs::create_dir_all(place.path(&format!("students/{student}"))).expect("room");
    }
    for (student, number) in [("ann", 1), ("bob", 2)] {
        place.script(
            &format!("students/{student}/bot"),
            &format!("while read -r line; do echo {number}; done"),
        );
    }
    // A script that is not executable is started by its interpreter, and other files are not.
    let python = "import sys\nfor line in sys.stdin: print(3, flush=True)\n";
    fs::write(place.path("students/cy/bot.py"), python).expect("written");
    fs::write(place.path("students/dan/bot"), "#!/bin/sh\n").expect("written");
    write_program(&place.path("students/pat/bot"), "#!/nowhere/interpreter\n");
    let settings = fs::read_to_string(place.path("referee.toml")).expect("settings");
    let built = "[bots.zoe]\ncommand = \"./zoe\"\nbuild = \"exit 7\"\n";
    fs::write(place.path("referee.toml"), settings + built).expect("written");
    let students = ["ann/bot", "bob/bot", "cy/bot.py", "dan/bot", "eve/bot", "pat/bot"];
    let students = students.map(|student| format!("students/{student}"));
    let words = ["--bot", "zoe", "--seed", "2", "--run", "run", "--bots"];
    let students = students.iter().map(String::as_str);
    let words: Vec<&str> = words.into_iter().chain(students).collect();
    let played = suite(&place, &words).run().exits(1);
    let (said, shown) = (played.err(), played.out());
    for (bot, why) in [
        ("zoe", "exit 7"),
        ("dan/bot", "students/dan/bot is not executable (try `chmod +x students/dan/bot`)"),
        ("eve/bot", "no such file: students/eve/bot"),
        ("pat/bot", "students/pat/bot needs an interpreter that does not exist"),
    ] {
        assert!(said.contains(&format!(" {bot} is out: ")) && said.contains(why), "{said}");
        let row = shown
            .lines()
            .find(|line| line.starts_with(&format!("  {bot} ")) && line.contains(" out "));
        assert!(row.is_some() && shown.contains(&format!("  {bot}: ")), "{bot}: {shown}");
    }
    assert!(
        shown.contains("6 games of duel, 0 failures") && shown.contains(" cy/bot.py "),
        "{shown}"
    );
    let json = place.command(&["ratings", "run"]).json();
    assert_eq!(
        [json["bots"].as_array().map(Vec::len), json["out"].as_array().map(Vec::len)],
        [Some(3), Some(4)]
    );
    assert_code(&place.command(&["report", "run", "--html", "page.html"]).run(), 0);
    let page = fs::read_to_string(place.path("page.html")).expect("a page");
    assert!(page.contains("eve/bot: no such file: students/eve/bot"), "{page}");
    // The names say what differs, also without the file.
    let words = ["--seed", "2", "--run", "none", "--bots", "students/ann/bot", "students/bob/bot"];
    let shown = suite(&place, &words).run().exits(0).out();
    assert!(shown.contains("\n  bob ") && shown.contains("\n  ann "), "{shown}");
    // Of two bots each is wanted, and a bot that meets nobody plays no game.
    let words = ["--seed", "2", "--run", "none", "--bots", "./one", "./nobody"];
    assert!(suite(&place, &words).run().exits(2).err().contains("no such file: ./nobody"));
    let words = ["--seed", "2", "--run", "none", "--bots", "./one", "./nobody", "./none"];
    assert!(suite(&place, &words).run().exits(2).err().contains("no such file: ./nobody"));
    let words = ["--seed", "2", "--run", "none", "--bots", "all", "--bot", "./one"];
    assert!(suite(&place, &words).run().exits(2).err().contains("exit 7"));
    let error = suite(&place, &["--seed", "2", "--bot", "python3", "bot.py"]).run().exits(2).err();
    assert!(
        error.contains("unexpected argument `bot.py`; name a bot with --bot bot.py"),
        "{error}"
    );
}

#[test]
fn a_bot_that_fails_at_once_forfeits_its_later_games() {
    let place = duel(2);
    place.script("dead", "exit 3");
    let bots = ["--bots", "./one", "./dead", "./two", "./three", "--seed", "1..20"];
    let league = |run: &str, more: &[&str]| {
        suite(&place, &[&bots[..], &["--run", run], more].concat()).run().exits(1)
    };
    let said = league("run", &["--logs", "all"]).err();
    let out = "dead is out: it lost its first games in the first turn, with one verdict, and forfeits its later ones; `referee resume run --again crash` plays them";
    assert!(said.contains(out), "{said}");
    let lines = results(&place, "run");
    assert_eq!(lines.len(), 20 * 12 * 2);
    let of_dead = lines.iter().filter(|line| line["bot"] == "dead");
    let is_forfeit = |line: &&Value| line["forfeit"] == true;
    // Some are in flight.
    let forfeits = of_dead.clone().filter(is_forfeit).count();
    assert!((105..=110).contains(&forfeits), "{forfeits}");
    assert!(
        of_dead.clone().all(|line| line["verdict"] == "crash" && line["place"] == 0.0),
        "{said}"
    );
    let won = |line: &&Value| line["won"] == true && line["place"] == 100.0 && line["turns"] == 0;
    assert_eq!(lines.iter().filter(won).count(), forfeits);
    let json = place.command(&["ratings", "run"]).json();
    let last = &json["bots"][3];
    assert!(
        last["bot"] == "dead" && last["failed"] == 120 && last["causes"]["crash"] == 120,
        "{json}"
    );
    assert_code(&place.command(&["report", "run", "--html", "page.html"]).run(), 0);
    let page = fs::read_to_string(place.path("page.html")).expect("a page");
    assert!(page.contains(&format!("{forfeits} more games")), "nothing was played: {page}");
    let verify = |code| place.command(&["verify", "run"]).run().exits(code).out();
    assert!(
        verify(0).starts_with("240 of 240 games of duel agree with their logs"),
        "{}",
        verify(0)
    );
    // A victory without a game that nobody has given away.
    let path = place.path("run/results.jsonl");
    let before = fs::read_to_string(&path).expect("results");
    let with_dead = "\"with\":[\"dead\",\"one\"]";
    let line =
        before.lines().rfind(|line| line.contains(with_dead) && line.contains("\"won\":true"));
    let line = line.expect("a forfeit");
    for (old, new) in [("\"place\":100.0", "\"place\":50.0"), ("\"score\":null", "\"score\":9")] {
        assert!(line.contains(old), "{line}");
        fs::write(&path, before.replace(line, &line.replace(old, new))).expect("written");
        assert!(
            verify(1).contains("it is a forfeit, and the games that were played do not say so")
        );
    }
    fs::write(&path, before).expect("written");
    assert_code(&place.command(&["resume", "run", "--again", "crash"]).run(), 1);
    assert!(!results(&place, "run").iter().any(|line| is_forfeit(&line)));
    assert!(!league("all", &["--keep-going"]).err().contains("is out"));
    assert!(!results(&place, "all").iter().any(|line| is_forfeit(&line)));
}

#[test]
fn slow_games_that_start_before_instant_crashes_keep_a_bot_in() {
    let place = duel(2);
    let bot =
        "mkdir once || exit 3; read -r line; sleep 2; echo 3; while read -r line; do echo 3; done";
    place.script("first", bot);
    let suite = ["suite", "--game", "duel", "--jobs", "4", "--seed", "1..10", "--run", "run"];
    let bots = ["--bots", "./first", "./one", "./two"];
    let said = place.command(&[&suite[..], &bots].concat()).patient().run().exits(1).err();
    assert!(!said.contains("is out"), "{said}");
    assert!(!results(&place, "run").iter().any(|line| line["forfeit"] == true));
}

#[test]
fn a_league_in_which_all_bots_fail_at_once_stops_with_the_common_cause() {
    let place = duel(2);
    let names: Vec<String> = (1..=8).map(|number| format!("./bot{number}")).collect();
    for name in &names {
        place.script(name, "echo no such module >&2; exit 3");
    }
    let bots: Vec<&str> = ["--bots"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let words = [&bots[..], &["--seed", "1..20", "--run", "run"]].concat();
    let said = suite(&place, &words).run().exits(1).err();
    assert!(
        said.contains(
            "stopped, since all 5 bots so far lost in their first turn, with one verdict (crash: "
        ),
        "{said}"
    );
    assert!(said.contains("`referee resume run` plays the rest, as --keep-going does"), "{said}");
    assert!(results(&place, "run").len() < 2 * 20, "{said}");
}

#[test]
fn a_bot_that_comes_later_plays_the_missing_pairs_and_both_runs_are_one_league() {
    let place = duel(2);
    let words = ["--bots", "./one", "./two", "--seed", "2..3", "--run", "run"];
    assert_code(&suite(&place, &words).run(), 0);
    let join = |bot: &str, run: &str, of: &str| {
        let name = run.trim_start_matches("with-");
        let words = ["--bot", bot, "--name", name, "--run", run, "--logs", "all", "--pool-of", of];
        suite(&place, &words).run().exits(0)
    };
    join("./three", "with-three", "run");
    join("./other", "with-other", "with-three");
    let [three, other] = ["with-three", "with-other"].map(|run| results(&place, run).len());
    assert_eq!([three, other], [2 * 8, 2 * 12]);
    let runs = ["run", "with-three", "with-other"];
    let json = place.command(&["ratings"]).args(runs).json();
    let bots = json["bots"].as_array().expect("bots");
    assert!(bots.len() == 4 && bots.iter().all(|bot| bot["games"] == 12), "{json}");
    let shown = place.command(&["ratings"]).args(runs).run().exits(0).out();
    assert!(
        shown.contains(
            "`referee report run with-three with-other --html FILE` makes a page of them."
        )
    );
    let report = ["report", "--html", "page.html", "--title", "Class <10b>", "--games"];
    assert_code(&place.command(&report).args(runs).run(), 0);
    let page = fs::read_to_string(place.path("page.html")).expect("a page");
    assert!(
        page.contains("<h1>Class &lt;10b&gt;</h1>\n<p>3 runs: 24 games, 0 failures</p>"),
        "{page}"
    );
    // A program that has changed is another bot.
    place.script("one", "while read -r line; do echo 4; done");
    let said = join("./one", "with-new", "run").err();
    assert!(said.contains("`one` has changed since run, so it is not in the pool"), "{said}");
    assert_eq!(results(&place, "with-new").len(), 2 * 4);
    let words = ["--bot", "./three", "--pool-of", "run"];
    let said = suite(&place, &[&words[..], &["--pool", "./two"]].concat()).run().exits(2).err();
    assert!(said.contains("cannot be used with"), "{said}");
    let words = ["suite", "--bot", "./three", "--pool-of", "run"];
    let said = place.command(&words).run().exits(2).err();
    assert!(said.contains("--pool-of: run is of duel; add --game duel"), "{said}");
    let said = place.command(&words).args(["--game", "duel", "--name", "two"]).run().exits(2).err();
    let remedy = "--pool-of: `two` is named twice; give another label with --name";
    assert!(said.contains(remedy), "{said}");
    let settings = fs::read_to_string(place.path("referee.toml")).expect("settings");
    fs::write(place.path("referee.toml"), settings.replace("./judge", "./judge 2"))
        .expect("written");
    let said = place.command(&words).args(["--game", "duel"]).run().exits(2).err();
    assert!(said.contains("--pool-of: run was played with another judge"), "{said}");
}

#[test]
fn paths_with_blanks_and_quotes_are_bots_and_a_shard_needs_all_bots() {
    let place = duel(2);
    for (student, number) in [("Ann Lee", 1), ("O'Brien", 2)] {
        fs::create_dir_all(place.path(&format!("students/{student}"))).expect("room");
        let bot = format!("import sys\nfor line in sys.stdin: print({number}, flush=True)\n");
        fs::write(place.path(&format!("students/{student}/bot.py")), bot).expect("written");
    }
    let bots = ["--bots", "students/Ann Lee/bot.py", "students/O'Brien/bot.py", "./one"];
    let words = [&bots[..], &["--seed", "2..3", "--run", "run"]].concat();
    let shown = suite(&place, &words).run().exits(0).out();
    let lines: Vec<&str> = shown.lines().map(str::trim_start).collect();
    for name in ["students/Ann Lee/bot.py ", "students/O'Brien/bot.py "] {
        assert!(lines.iter().any(|line| line.starts_with(name)), "{shown}");
    }
    let said = suite(&place, &["--bots", "./one;", "./two", "--seed", "2"]).run().exits(2).err();
    assert!(said.contains("--bots: ") && !said.contains("--bot "), "{said}");
    let words = ["--bots", "./one", "./two", "./nobody", "--seed", "2..3", "--shard", "1/2"];
    let said = suite(&place, &words).args(["--run", "shard"]).run().exits(2).err();
    assert!(said.contains("no such file: ./nobody") && !said.contains("is out"), "{said}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_heavy_page_of_a_league_shows_names_on_a_phone_and_leads_to_games_with_winner_and_board() {
    let Some(browser) = Browser::open() else { return };
    let place = duel(2);
    let settings = fs::read_to_string(place.path("referee.toml")).expect("settings");
    let settings = settings.replace("./judge", "./judge 3 show");
    fs::write(place.path("referee.toml"), settings).expect("written");
    let pupils: Vec<String> =
        (1..=12).map(|pupil| format!("pupils/long-name-{pupil}/bot")).collect();
    for pupil in &pupils {
        fs::create_dir_all(place.path(pupil).parent().expect("a folder")).expect("room");
        place.script(pupil, "while read -r line; do echo 2; done");
    }
    place.script(&pupils[0], "while read -r line; do echo 3; done");
    place.script(&pupils[1], "read -r line; echo 1; exit 3");
    let words = ["--seed", "2", "--logs", "all", "--run", "run", "--bots"];
    let words: Vec<&str> = words.into_iter().chain(pupils.iter().map(String::as_str)).collect();
    assert_code(&suite(&place, &words).run(), 1);
    let report = ["report", "run", "--html", "page.html", "--title", "Class", "--games"];
    assert_code(&place.command(&report).run(), 0);
    let url = format!("file://{}", place.path("page.html").display());
    let expected = json!({
        "url": url, "title": "Class", "bots": 12, "best": "long-name-1", "failed": "long-name-2",
        "heading": "^long-name-\\d+ (9 : 6|6 : 9) long-name-\\d+$", "board": "long-name-\\d+ \\d \\| long-name-\\d+ \\d",
    });
    browser.check("league", &expected);
}

#[test]
fn a_gauntlet_seats_every_bot_with_the_same_opponents() {
    let place = duel(3);
    let bots = ["--bot", "./three", "--bot", "./other", "--pool", "./one", "--pool", "./two"];
    let words = [&bots[..], &["--seed", "2..4", "--run", "run"]].concat();
    assert_code(&suite(&place, &words).run(), 0);
    let lines = results(&place, "run");
    let of = |bot: &str| -> Vec<(String, String)> {
        let own = lines.iter().filter(|line| line["bot"] == bot);
        let mut seats: Vec<_> = own
            .map(|line| (line["board"].to_string(), line["with"].to_string().replace(bot, "BOT")))
            .collect();
        seats.sort();
        seats
    };
    assert_eq!(of("./three"), of("./other"));
    assert_eq!(of("./three").len(), 18 / 2);
    // Against that run, another pool is refused, and the same one is not.
    let against = ["--against", "run:./three", "--bot", "./other", "--run", "new"];
    let other = suite(&place, &[&against[..], &["--pool", "./one"]].concat()).run().exits(2).err();
    let pool = "its games have another pool, number of players or order of seats";
    assert!(other.contains(pool), "{other}");
    let seats = [&against[..], &bots[4..], &["--config=suite.seats=one"]].concat();
    let seats = suite(&place, &seats).run().exits(2).err();
    assert!(seats.contains(pool), "{seats}");
    assert_code(&suite(&place, &[&against[..], &bots[4..]].concat()).run(), 0);
}

#[test]
fn a_game_of_several_players_is_one_game_wherever_games_are_counted() {
    let place = duel(2);
    place.script("waiter", "while [ ! -e go ]; do sleep 0.02; done; exec ./one");
    let bots = ["--bot", "./three", "--pool", "./two", "./waiter", "--seed", "1..3"];
    let words = [&bots[..], &["--run", "run", "--logs", "all"]].concat();
    let played = suite(&place, &words).silent().start();
    let page = |name: &str| fs::read_to_string(place.path(name)).unwrap_or_default();
    wait_until("it begins", || place.path("run/results.jsonl").exists());
    let report = ["report", "run", "--html", "live.html", "--live"];
    let follower = place.command(&report).silent().start();
    wait_until("the first page", || page("live.html").contains("id=\"live\""));
    let live = page("live.html");
    fs::write(place.path("go"), "").expect("written");
    assert_eq!(finished(played).status.code(), Some(0));
    assert_eq!(finished(follower).status.code(), Some(0));
    assert!(live.contains(" of 12 games played, "), "{live}");
    assert!(!page("live.html").contains("id=\"live\""), "the last page does not renew itself");
    let runs = |form: &str| place.command(&["runs", "--format", form]).run().exits(0).out();
    assert!(!runs("text").contains("12/") && !runs("text").contains("6/"), "{}", runs("text"));
    assert!(runs("json").contains("\"planned\":12,"), "{}", runs("json"));
    let csv = runs("csv");
    let rows = csv.lines().skip(1).map(|row| row.split(',').skip(4).take(3).collect::<Vec<_>>());
    let expected = [["./three", "12", "12"], ["./two", "6", "6"], ["./waiter", "6", "6"]];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let json = place.command(&["resume", "run"]).json();
    assert_eq!([&json["planned"], &json["games"], &json["lost"]], [12, 12, 0]);
    for (shown, headline) in [
        (&["run"][..], "12 games of duel, 0 failures"),
        (&["run:./two"], "12 games of duel, 0 failures"),
        (&["run:./two", "run:./three", "run:./waiter"], "12 games of duel, 0 failures"),
    ] {
        let report = place.command(&["report", "--html", "page.html", "--force"]).args(shown);
        let said = report.run().exits(0).out();
        assert!(said.starts_with(headline), "{said}");
    }
    // A bot has the score that it has itself, from every seat and against every other bot.
    let same = ["show", "run:./three", "--against", "run:./three"];
    let games = place.command(&same).json()["games"].as_array().expect("games").clone();
    assert!(games.len() == 12 && games.iter().all(|game| game["gain"] == 0), "{games:?}");
    // Two bots that meet the same ones are compared game by game.
    let others = place.command(&["show", "run:./two", "--against", "run:./waiter"]).json();
    let games = others["games"].as_array().expect("games");
    assert!(games.len() == 6 && games.iter().all(|game| game["gain"].is_number()), "{games:?}");
    let input = ["replay", "run:1", "--seat", "1", "--export", "input:3"];
    let said = place.command(&input).run().exits(2).err();
    assert!(said.contains("--export input:3: seat 1 has 3 turns, from 2 to 6"), "{said}");
    let verified = || place.command(&["verify", "run"]).json();
    assert_eq!([&verified()["planned"], &verified()["agree"]], [12, 12]);
    let lines = results(&place, "run").into_iter().map(|mut line| {
        if [1, 24].contains(&line["game"].as_i64().expect("a number")) {
            line["turns"] = 99.into();
        }
        line.to_string() + "\n"
    });
    fs::write(place.path("run/results.jsonl"), lines.collect::<String>()).expect("written");
    assert_eq!(verified()["agree"], 10, "two seats of two games disagree");

    let shard = [&bots[..], &["--run", "half", "--shard", "1/2"]].concat();
    assert_code(&suite(&place, &shard).run(), 0);
    let results = place.path("half/results.jsonl");
    let lines = fs::read_to_string(&results).expect("results");
    let (_, without_a_seat) = lines.split_once('\n').expect("lines");
    fs::write(&results, without_a_seat).expect("written");
    let said = place.command(&["merge", "half"]).run().exits(2).err();
    assert!(said.contains("lacks 1 of 8 games"), "a game needs all of its seats: {said}");
}

#[test]
fn the_page_of_all_runs_tells_whether_the_newest_version_is_better() {
    let place = duel(2);
    let versions: Vec<String> = (1..=6).map(|version| format!("versions/{version}/bot")).collect();
    for (version, number) in versions.iter().zip([1, 1, 1, 1, 2, 1]) {
        fs::create_dir_all(place.path(version).parent().expect("a folder")).expect("room");
        place.script(version, &format!("while read -r line; do echo {number}; done"));
    }
    // What a shell makes of `versions/*/bot`, and a new bot against them.
    let verdict = |newest: usize| {
        let mut words = vec!["--bot", &versions[newest], "--pool"];
        words.extend(versions[..=newest].iter().map(String::as_str));
        words.extend(["--seed", "1..20", "--logs", "none"]);
        assert_code(&suite(&place, &words).run(), 0);
        let page = place.command(&["report", "--all", "--html", "page.html"]).run();
        assert_code(&page, 0);
        fs::read_to_string(place.path("page.html")).expect("a page")
    };
    let page = verdict(4);
    assert!(page.contains("Ratings over time"));
    assert!(
        page.contains("versions/5/bot is better than versions/1/bot, 4 versions before it: +"),
        "{page}"
    );
    let page = verdict(5);
    let told = "versions/6/bot is not known to differ from versions/1/bot, 5 versions before it: ";
    assert!(page.contains(told), "{page}");
    // The pool of the first run is older than its bot, and the bot of the second one is the newest.
    let at = |version: &String| page.find(&format!("<tr><th scope=\"row\">{version}</th>"));
    let rows: Vec<usize> = versions.iter().rev().map(|it| at(it).expect("a row")).collect();
    assert!(rows.is_sorted(), "{rows:?}");
}

#[test]
fn two_versions_are_decided_on_by_how_they_do_against_a_pool() {
    let place = duel(2);
    let bots = ["--bot", "./three", "--bot", "./one", "--pool", "./two", "--against", "./one"];
    let words = [
        &bots[..],
        &[
            "--config=suite.seats=all",
            "--config=suite.seats=one",
            "--seed",
            "1..400",
            "--run",
            "run",
        ],
    ]
    .concat();
    let shown = suite(&place, &words).args(["--logs", "none"]).run().exits(0).out();
    assert!(shown.contains("./three is better than ./one: "), "{shown}");
    assert_eq!(place.run("run").run.plan.seats, referee::suite::Seats::One, "the last one holds");
    let lines = results(&place, "run");
    assert!(lines.len() < 400 * 4, "{}", lines.len());
    let few = [&bots[..], &["--seed", "1..2", "--run", "few"]].concat();
    let said = suite(&place, &few).run().exits(0).err();
    assert!(said.contains("--against decides on 100 boards or more"), "{said}");
    assert!(lines.iter().all(|line| line["with"].to_string().contains("./two")));
}

#[test]
fn flags_that_need_several_players_and_bots_that_meet_nobody_are_refused() {
    let place = duel(2);
    let refused = |words: &[&str], problem: &str| {
        let error = place.command(&["suite"]).args(words).run().exits(2).err();
        assert!(error.contains(problem), "{error}");
    };
    refused(
        &["--game", "duel", "--bot", "./one"],
        "a game of duel has 2 players: name a second --bot",
    );
    let twice = ["--game", "duel", "--bot", "./one", "--pool", "./two", "./two"];
    refused(&twice, "--pool: `./two` is named twice");
    refused(&["--bot", "@first", "--pool", "@greedy"], "--pool: a game of samegame has one player");
    refused(
        &["--bot", "@first", "--score", "place"],
        "--score place: a game of samegame has one player",
    );
    let three = ["--game", "duel", "--bot", "./one", "--bot", "./two", "--bot", "./three"];
    refused(&[&three[..], &["--against", "./two"]].concat(), "name two bots with --bot");
    refused(&[&three[..4], &three[4..6], &["--against", "./one"]].concat(), "name the second one");
}

#[test]
fn a_league_that_is_killed_again_and_again_has_every_seed_whole_in_the_end() {
    const SEEDS: usize = 24;
    let place = duel(3);
    place.script("slow", "while read -r line; do sleep 0.01; echo 2; done");
    let seeds = format!("1..{SEEDS}");
    let bots = ["--bot", "./one", "--bot", "./slow", "--bot", "./three"];
    let words = [&bots[..], &["--seed", &seeds, "--run", "run", "--logs", "all"]].concat();
    let resume = || place.command(&["resume", "run", "--jobs", "2"]);
    let mut random = Pcg32::seed_from_u64(62);
    for _ in 0..20 {
        // A run that was killed before it was there begins again.
        let exists = place.path("run/run.toml").exists();
        let command = if exists { resume() } else { suite(&place, &words) };
        let mut child = command.silent().start();
        sleep(Duration::from_millis(u64::from(random.next_u32() % 300)));
        child.kill().expect("it can be killed");
        child.wait().expect("it was");
    }
    assert_code(&resume().run(), 0);
    let mut seats = BTreeMap::new();
    for line in results(&place, "run") {
        let seat = usize::try_from(line["seat"].as_u64().unwrap_or_default()).expect("small");
        assert_eq!(line["bot"], line["with"][seat], "{line}");
        let seat = (line["board"].to_string(), line["with"].to_string(), seat);
        assert_eq!(seats.insert(seat, line["game"].as_u64()), None, "twice: {line}");
    }
    let boards: BTreeSet<_> = seats.keys().map(|(board, ..)| board).collect();
    // Each seed in three seatings, which have three seats each.
    assert_eq!((boards.len(), seats.len()), (SEEDS, SEEDS * 9));
    let games: BTreeSet<_> = seats.values().flatten().copied().collect();
    assert_eq!(games, (1..=9 * SEEDS as u64).collect());
    assert_code(&place.command(&["verify", "run"]).run(), 0);
}
