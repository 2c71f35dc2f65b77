//! What several commands say of one run is the same, also what their exit codes say.

use super::leagues::duel;
use support::prelude::*;

/// What each command says, by a bot and a figure.
#[derive(Default)]
struct Said(BTreeMap<(String, &'static str), BTreeMap<String, String>>);

/// The figures, each with the names that commands have for it.
const FIGURES: [(&str, &[&str]); 8] = [
    ("games", &["games"]),
    ("lost", &["lost", "failed"]),
    ("sum", &["sum"]),
    ("mean", &["mean"]),
    ("ratio", &["ratio"]),
    ("place", &["place"]),
    ("bests", &["bests"]),
    ("uniques", &["uniques"]),
];

impl Said {
    fn add(&mut self, command: &str, bot: &str, figure: &'static str, value: String) {
        let of = self.0.entry((bot.to_owned(), figure)).or_default();
        assert_eq!(of.insert(command.to_owned(), value), None, "{command} {bot} {figure}");
    }

    /// Adds the numbers that a command prints as JSON of each bot.
    fn add_bots(&mut self, command: &str, bots: &Value) {
        for bot in bots.as_array().unwrap_or_else(|| panic!("{command}: {bots}")) {
            for (figure, keys) in FIGURES {
                if let Some(number) = keys.iter().find_map(|key| bot[*key].as_f64()) {
                    let name = bot["bot"].as_str().expect("a name");
                    self.add(command, name, figure, format!("{number:.9}"));
                }
            }
        }
    }

    /// Adds the share or the place that a text shows in the first line of each of these bots.
    fn add_shown(&mut self, command: &str, bots: &[&str], text: &str) {
        for bot in bots {
            let lines = text.lines().filter(|line| line.contains(bot) && line.contains('%'));
            let line = lines.take(1).collect::<String>();
            let words: Vec<&str> = line.split_whitespace().collect();
            let shown = words.windows(2).find(|pair| pair[1] == "%").map(|pair| pair[0]);
            let shown = shown.unwrap_or_else(|| panic!("{command} shows nothing of {bot}: {text}"));
            self.add(command, bot, "shown", shown.to_owned());
        }
    }

    /// Checks that all commands agree, and that at least a number of them know a figure.
    fn check(&self, (figure, least): (&str, usize)) {
        for ((bot, figure), by) in &self.0 {
            let values: BTreeSet<&String> = by.values().collect();
            assert_eq!(values.len(), 1, "{bot}: {figure} is {by:#?}");
        }
        let of_figure = self.0.iter().filter(|((_, name), _)| *name == figure);
        let counts: Vec<usize> = of_figure.map(|(_, by)| by.len()).collect();
        assert!(!counts.is_empty() && counts.iter().all(|count| *count >= least), "{counts:?}");
    }
}

/// The text of a page: a line for each row of a table.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    for piece in html.replace("</tr>", "</tr>\n").split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
        text.push(' ');
    }
    text
}

/// The rows of a table with a heading, as objects.
fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    // A comma between quotes separates nothing.
    let cells = |line: &str| {
        let mut is_quoted = false;
        let cells = line.split(|letter: char| {
            is_quoted ^= letter == '"';
            letter == ',' && !is_quoted
        });
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut lines = csv.lines();
    let headings = cells(lines.next().expect("headings"));
    lines.map(|line| headings.iter().cloned().zip(cells(line)).collect()).collect()
}

/// Asks every command for a run of these bots, of which `played` is what the suite has printed.
fn said(place: &Place, run: &str, bots: &[&str], played: &Value) -> Said {
    let mut said = Said::default();
    let json = |words: &[&str]| place.command(words).args(["--format", "json"]).run().json();
    let text = |words: &[&str]| place.command(words).run().out();
    said.add_bots("suite", &played["bots"]);
    said.add_bots("suite --resume", &json(&["resume", run])["bots"]);
    said.add_shown("suite --resume", bots, &text(&["resume", run]));
    let shown = json(&["show", run]);
    said.add_bots("show", &shown["summary"]["bots"]);
    said.add_shown("show", bots, &text(&["show", run]));
    let runs = json(&["runs"]);
    let listed = runs.as_array().expect("runs").iter().find(|it| it["run"] == *run);
    said.add_bots("runs", &listed.expect("the run")["bots"]);
    let list = text(&["runs"]);
    said.add_shown("runs", bots, &list[list.find(&format!("\n  {run}  ")).expect("the run")..]);
    said.add_bots("verify", &json(&["verify", run])["bots"]);
    for row in rows(&text(&["runs", "--format", "csv"])) {
        if row["run"] == *run {
            said.add(
                "runs --format csv",
                &row["bot"],
                "games",
                format!("{}.000000000", row["games"]),
            );
        }
    }
    let csv = rows(&text(&["show", run, "--format", "csv"]));
    for bot in bots {
        let games = csv.iter().filter(|row| row["bot"] == *bot).count();
        said.add("show --format csv", bot, "games", format!("{games}.000000000"));
    }
    assert_code(&place.referee(&["report", run, "--html", "page.html", "--force"]), 0);
    let page = text_of(&fs::read_to_string(place.path("page.html")).expect("a page"));
    let totals = page.split_once(" Totals ").expect("totals").1.split_once(" Totals ");
    said.add_shown("report", bots, totals.expect("the list of sections comes first").1);
    let games = played["games"].as_u64().expect("a number");
    let status = text(&["status", run]);
    assert!(status.contains(&format!("{games} of {games} games are played")), "{status}");
    assert_eq!(shown["summary"]["games"], games);
    said
}

/// A game of one player, in which each question answered is a point.
fn guess() -> Place {
    let place = Place::new();
    place.double("judge", "guess-number");
    let settings = "[game.guess]\nkind = \"judge\"\ncommand = \"./judge\"\n";
    fs::write(place.path("referee.toml"), settings).expect("written");
    place.script("up", "n=0; while read -r hint; do n=$((n + 1)); echo $n; done");
    place.script("down", "n=10; while read -r hint; do n=$((n - 1)); echo $n; done");
    place
}

fn suite(place: &Place, game: &str, words: &[&str]) -> Value {
    let suite = place.command(&["suite", "--game", game, "--logs", "all", "--format", "json"]);
    suite.args(words).run().json()
}

#[test]
fn all_commands_agree_in_every_figure_of_a_run() {
    let solo = guess();
    let settings = fs::read_to_string(solo.path("referee.toml")).expect("settings");
    fs::write(
        solo.path("referee.toml"),
        format!("{settings}[suite]\nrecords = \"records.toml\"\n"),
    )
    .expect("written");
    let seeds = ["--seed", "1..8"];
    // The first run sets records, which the second one has to compare with, and beats on some boards.
    let old = suite(&solo, "guess", &["--bot", "./down", "--seed", "1..6", "--run", "old"]);
    said(&solo, "old", &["./down"], &old).check(("ratio", 4));
    let new = suite(&solo, "guess", &["--bot", "./up", "--run", "new", seeds[0], seeds[1]]);
    let mut of_new = said(&solo, "new", &["./up"], &new);
    let compared = solo.command(&["compare", "old", "new"]).json();
    let mut alone = compared[0]["of_challenger"].clone();
    alone["bot"] = "./up".into();
    of_new.add_bots("compare", &json!([alone]));
    assert_code(&solo.referee(&["report", "--all", "--html", "all.html"]), 0);
    let page = text_of(&fs::read_to_string(solo.path("all.html")).expect("a page"));
    let share = of_new.0[&("./up".to_owned(), "shown")]["show"].clone();
    assert!(page.contains(&format!("./up, new: {share} %, ")), "{page}");
    of_new.check(("ratio", 4));
    of_new.check(("shown", 4));
    of_new.check(("games", 8));
    let both = suite(
        &solo,
        "guess",
        &["--bot", "./up", "--bot", "./down", "--run", "both", seeds[0], seeds[1]],
    );
    said(&solo, "both", &["./up", "./down"], &both).check(("ratio", 4));

    for (bots, words) in [
        (
            ["./one", "./two", "./quitter"],
            &["--bot", "./one", "--bot", "./two", "--bot", "./quitter"][..],
        ),
        (["./one", "./two", "./quitter"], &["--bot", "./one", "--pool", "./two", "./quitter"]),
    ] {
        let place = duel(2);
        let words = [words, &["--seed", "1..3", "--run", "run", "--keep-going"]].concat();
        let played = suite(&place, "duel", &words);
        let has_pool = words.contains(&"--pool");
        let shown = if has_pool { &bots[..1] } else { &bots[..] };
        let mut said = said(&place, "run", shown, &played);
        let ratings = place.command(&["ratings", "run"]);
        said.add_shown("ratings", shown, &ratings.run().out());
        said.add_bots(
            "ratings",
            &place.command(&["ratings", "run", "--format", "json"]).run().json()["bots"],
        );
        if !has_pool {
            for compared in place.command(&["compare", "run"]).json().as_array().expect("some") {
                let mut alone = compared["of_challenger"].clone();
                let mean = alone["mean"].take();
                (alone["place"], alone["bot"]) = (mean, compared["challenger"].clone());
                said.add_bots("compare", &json!([alone]));
            }
        }
        said.check(("place", 6));
        said.check(("shown", 5));
        // A game has one number, whichever seat a result is of, and files, commands and tables name it by that.
        let csv = place.command(&["show", "run", "--format", "csv"]).run().out();
        let rows = rows(&csv);
        let numbers: BTreeSet<usize> =
            rows.iter().map(|row| row["number"].parse().expect("a number")).collect();
        let games = usize::try_from(played["games"].as_u64().expect("a number")).expect("few");
        assert_eq!(numbers, (1..=games).collect(), "{csv}");
        assert!(csv.lines().next().is_some_and(|heading| heading.contains(",with")), "{csv}");
        assert_eq!(fs::read_dir(place.path("run/games")).expect("logs").count(), games);
        let last =
            place.command(&["replay", &format!("run:{games}"), "--format", "json"]).run().json();
        let log =
            fs::read_to_string(place.path(&format!("run/games/{games:06}.jsonl"))).expect("a log");
        assert!(log.contains(&format!("\"board\":{}", last["board"])), "{last}");
        assert_code(&place.referee(&["replay", &format!("run:{}", games + 1)]), 2);
    }
}

#[test]
fn files_of_games_that_earlier_versions_named_by_a_seats_result_are_found() {
    let place = duel(2);
    let words = ["--bot", "./one", "--bot", "./two", "--seed", "1..3", "--run", "run"];
    suite(&place, "duel", &words);
    let plan = fs::read_to_string(place.path("run/run.toml")).expect("a plan");
    fs::write(place.path("run/run.toml"), plan.replace("names_games = true\n", ""))
        .expect("written");
    for game in (1..=6).rev() {
        let path = |number: usize| place.path(&format!("run/games/{number:06}.jsonl"));
        fs::rename(path(game), path(2 * game - 1)).expect("renamed");
    }
    let results = fs::read_to_string(place.path("run/results.jsonl")).expect("results");
    let numbered = results.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        line.as_object_mut().expect("an object").remove("number");
        format!("{line}\n")
    });
    fs::write(place.path("run/results.jsonl"), numbered.collect::<String>()).expect("written");
    assert_code(&place.referee(&["verify", "run"]), 0);
    let shown = place.command(&["show", "run"]).json();
    assert_eq!(shown["games"][5]["number"], 3, "{shown}");
    assert_code(&place.referee(&["replay", "run:6"]), 0);
}

#[test]
fn bots_that_met_other_opponents_are_compared_by_common_ones_or_not_at_all() {
    let place = duel(2);
    for (run, words) in [
        ("pool", &["--bot", "./one", "--pool", "./two", "./three"][..]),
        ("same", &["--bot", "./other", "--pool", "./two", "./three"]),
        ("fewer", &["--bot", "./other", "--pool", "./two"]),
        ("strangers", &["--bot", "./other", "--pool", "./quitter"]),
    ] {
        suite(&place, "duel", &[words, &["--seed", "1..3", "--run", run, "--keep-going"]].concat());
    }
    let left_out =
        |run: &str| place.command(&["compare", "pool", run]).json()[0]["other_opponents"].clone();
    assert_eq!([left_out("same"), left_out("fewer")], [Value::Null, 6.into()]);
    let shown = place.command(&["compare", "pool", "fewer"]).run().out();
    assert!(shown.contains("6 games are left out: only one of the two has met"), "{shown}");
    let said = place.command(&["compare", "pool", "strangers"]).run().exits(2).err();
    assert!(said.contains("have met no common opponent"), "{said}");
    // Another program of the same name is another opponent.
    place.script("two", "while read -r line; do echo 2; done; :");
    suite(
        &place,
        "duel",
        &["--bot", "./other", "--pool", "./two", "--seed", "1..3", "--run", "changed"],
    );
    assert_code(&place.referee(&["compare", "pool", "changed"]), 2);
}

#[test]
fn a_run_remembers_which_games_leave_a_log_and_how() {
    let place = guess();
    let words = ["suite", "--game", "guess", "--bot", "./up", "--seed", "1..4", "--run", "run"];
    let suite = place.command(&words).args(["--logs", "all.gz"]);
    assert_code(&suite.patient().run(), 0);
    let results = fs::read_to_string(place.path("run/results.jsonl")).expect("results");
    let first: String = results.split_inclusive('\n').take(1).collect();
    fs::write(place.path("run/results.jsonl"), first).expect("written");
    fs::remove_dir_all(place.path("run/games")).expect("there were logs");
    assert_code(&place.command(&["resume", "run"]).run(), 0);
    assert_eq!(fs::read_dir(place.path("run/games")).expect("logs").count(), 3);
    assert!(place.path("run/games/000004.jsonl.gz").exists());
}

#[test]
fn labels_of_a_pool_come_after_those_of_the_other_bots() {
    let place = duel(2);
    let words = ["--bot", "./one", "--pool", "./two", "./three", "--seed", "1", "--name", "a"];
    let names = |run: &str, more: &[&str]| {
        let played = suite(&place, "duel", &[&words, more, &["--run", run]].concat());
        let bots = played["bots"].as_array().expect("bots").clone();
        bots.iter().map(|bot| bot["bot"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("alone", &[]), ["a", "./two", "./three"]);
    assert_eq!(names("all", &["--name", "b", "--name", "c"]), ["a", "b", "c"]);
    let two = place.command(&["suite", "--game", "duel", "--name", "b", "--run", "no"]).args(words);
    let said = two.run().exits(2).err();
    assert!(said.contains("2 labels for 1 bot"), "{said}");
}

#[test]
fn exit_codes_are_those_of_the_table() {
    let place = guess();
    let settings = fs::read_to_string(place.path("referee.toml")).expect("settings");
    let broken = "[game.broken]\nkind = \"judge\"\ncommand = \"./broken\"\n";
    fs::write(place.path("referee.toml"), format!("{settings}{broken}")).expect("written");
    place.script("broken", "echo 'no such thing' >&2; exit 1");
    MadeRun::new(&[("old", &[100; 60]), ("new", &[50; 60])]).save(&place.path("worse"));
    MadeRun::new(&[("old", &[100; 100])]).on_real_boards().save(&place.path("old"));
    MadeRun::new(&[("some", &[1, 2])]).save_none(&place.path("begun"));
    MadeRun::new(&[("some", &[1, 2])]).in_shard("1/2").save(&place.path("shard"));
    for (words, code, says) in [
        ("play --game guess --bot ./up --seed 1", 0, ""),
        ("play --game guess --bot true --seed 1", 1, ""),
        ("play --game guess --bot ./missing --seed 1", 2, ""),
        ("play --game broken --bot ./up --seed 1", 3, "no such thing"),
        ("suite --game guess --bot ./up --seed 1..2 --run none", 0, ""),
        ("suite --game guess --bot true --seed 1..2 --run none", 1, ""),
        ("suite --game guess --bot ./missing --seed 1 --run none", 2, ""),
        ("suite --game broken --bot ./up --seed 1..2 --run few", 3, "judge failure: the judge: "),
        (
            "suite --game broken --bot ./up --seed 1..8 --run many --jobs 1",
            3,
            "in a row could not be",
        ),
        ("resume few", 3, ""),
        (
            "suite --bot @first --against old --run none --seed 1..2 --first-turn 60s --turn 60s",
            0,
            "not decided yet",
        ),
        (
            "suite --game guess --bot ./up --seed 1 --run none --config suite.cores-per-bot=9999 --config suite.pin=always",
            2,
            "the bots need 9999 cores in all",
        ),
        ("suite --bot '@misbehaving exit' --seed 1 --run none", 2, "not provided: <CODE>; see"),
        ("compare worse", 1, "new is worse than old"),
        ("compare worse --baseline new", 0, "old is better than new"),
        ("merge shard", 2, "shard 2/2 is missing"),
        ("status shard", 0, ""),
        ("status begun", 1, ""),
        ("status worse", 0, ""),
        ("verify worse", 1, "No logs were kept"),
        ("show worse", 0, ""),
        ("report worse --html page.html", 0, ""),
        ("report worse --html page.html -n 3", 2, "--count is for the page of all runs"),
    ] {
        let words = shlex::split(words).expect("words");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = place.command(&words).run();
        assert_code(&ended, code);
        let text = format!("{}{}", ended.out(), ended.err());
        assert!(text.contains(says) && !text.contains("\\n"), "{words:?}: {text}");
    }
}
