//! What bots say about themselves on standard error: in logs, results, tables and comparisons.

use support::prelude::*;

/// A bot that plays as `@first`, and writes the given lines in each turn.
const BOT: &str = r#"
import subprocess, sys
inner = subprocess.Popen([sys.argv[1], "bot", "first"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
turn = 0
while True:
    lines = [sys.stdin.buffer.readline() for _ in range(15)]
    if not lines[14]:
        break
    inner.stdin.writelines(lines)
    inner.stdin.flush()
    turn += 1
    exec(sys.argv[2])
    sys.stderr.flush()
    sys.stdout.buffer.write(inner.stdout.readline())
    sys.stdout.buffer.flush()
    tiles = sum(line.count(b"-1") for line in lines)
say("@referee last=1")
"#;

struct Saying {
    python: &'static str,
    folder: TempDir,
}

impl Saying {
    /// Left out without Python.
    fn new(test: &str) -> Option<Self> {
        let [python] = need(test, ["python3"])?;
        let folder = tempdir().expect("a folder");
        let head = "def say(text):\n    sys.stderr.write(text + '\\n')\n";
        fs::write(folder.path().join("bot.py"), format!("import sys\n{head}{BOT}"))
            .expect("written");
        Some(Self { python, folder })
    }

    /// The command line of a bot that executes this line of Python in each turn.
    fn bot(&self, code: &str) -> String {
        let words = [self.python, "bot.py", program(), code];
        shlex::try_join(words).expect("no NUL")
    }

    fn run(&self, args: &[&str]) -> Output {
        referee().args(args).current_dir(&self.folder).run()
    }

    #[track_caller]
    fn prints(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = output.err();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        output.out()
    }

    fn read(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join(name)).expect(name);
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

#[test]
fn what_a_bot_says_is_in_the_log_by_turn_and_in_all() {
    let Some(saying) = Saying::new("what a bot says in a log") else { return };
    let code = "say(f'@referee turn={turn} half={turn/2} phase={\"early\" if turn < 3 else \"late\"}'); \
                say('@referee turn=0.5' if turn == 2 else '@referee not data'); say('text')";
    let bot = saying.bot(code);
    saying.prints(&[&["play", "--bot", &bot, "--log", "log.jsonl"], &PATIENT[..]].concat());
    let log = saying.read("log.jsonl");
    assert_eq!(log[1]["said"], json!({"turn": 1, "half": 0.5, "phase": "early"}));
    assert_eq!(log[2]["said"], json!({"turn": 0.5, "half": 1, "phase": "early"}), "the last one");
    assert_eq!(log[3]["said"]["phase"], "late");
    let stderr = log[3]["stderr"].as_str().expect("text");
    assert_eq!(stderr, "@referee turn=3 half=1.5 phase=late\n@referee not data\ntext\n");
    let end = log.last().expect("an end");
    let turns = end["turns"].as_i64().expect("a number");
    assert_eq!(end["said"]["phase"], json!({"last": "late"}));
    assert_eq!(end["said"]["last"], json!({"last": 1, "min": 1, "max": 1, "mean": 1}));
    let of_turns = &end["said"]["turn"];
    assert_eq!((&of_turns["last"], &of_turns["min"]), (&json!(turns), &json!(0.5)));
    assert_eq!(of_turns["max"], json!(turns));
    #[expect(clippy::cast_precision_loss, reason = "a few turns")]
    let mean = ((turns * (turns + 1) / 2) as f64 + 0.5) / (turns + 1) as f64;
    assert!((of_turns["mean"].as_f64().expect("a number") - mean).abs() < 1e-9, "{of_turns}");
    // The rules ignore it, so a replay agrees.
    saying.prints(&["replay", "log.jsonl"]);
}

/// The column of this name in a table without quotes.
fn column(csv: &str, name: &str) -> Vec<String> {
    let mut lines = csv.lines();
    let headings = lines.next().expect("headings");
    let at = headings.split(',').position(|heading| heading == name);
    let at = at.unwrap_or_else(|| panic!("{name}: {headings}"));
    lines.map(|line| line.split(',').nth(at).expect("a cell").to_owned()).collect()
}

#[test]
fn what_bots_say_is_in_results_tables_and_comparisons() {
    let Some(saying) = Saying::new("what bots say in results") else { return };
    let bot = saying
        .bot("say(f'@referee turn={turn} kind={\"=even\" if len(lines[0]) % 2 else \"odd\"}')");
    let bots = ["--bot", "@greedy", "--bot", &bot, "--seed", "1..6"];
    let suite = [&["suite", "--run", "run"], &bots[..], &PATIENT[..]].concat();
    let report: Value =
        serde_json::from_str(&saying.prints(&[&suite[..], &["--format", "json"]].concat()))
            .expect("JSON");
    assert_eq!(report["bots"][0].get("said"), None);
    let said = &report["bots"][1]["said"];
    assert_eq!((&said["turn"]["games"], &said["turn"]["min"]), (&json!(6), &json!(1)));
    assert_eq!(said.get("kind"), None, "it is not a number");
    let results = saying.read("run/results.jsonl");
    for result in results.iter().filter(|result| result["bot"] == bot.as_str()) {
        assert_eq!(result["said"]["turn"]["max"], result["turns"], "{result}");
    }

    let csv = saying.prints(&["resume", "run", "--format", "csv"]);
    let (turns, last) = (column(&csv, "turns"), column(&csv, "said.turn"));
    let bots = column(&csv, "bot");
    for (game, bot) in bots.iter().enumerate() {
        let expected = if bot == "@greedy" { "" } else { &turns[game] };
        assert_eq!(last[game].trim_end_matches(".0"), expected, "game {game}");
    }
    assert_eq!(column(&csv, "said.turn.max"), last);
    let kinds = column(&csv, "said.kind");
    assert!(kinds.iter().all(|kind| ["", "'=even", "odd"].contains(&kind.as_str())), "{kinds:?}");

    assert_shown(&saying, &bot);
    assert_groups(&saying);
}

/// Fails unless the tables for people have the numbers of this bot in 6 games.
#[track_caller]
fn assert_shown(saying: &Saying, bot: &str) {
    for format in ["text", "markdown"] {
        let shown = saying.prints(&["show", "run", "--format", format]);
        let row = |line: &&str| line.contains("bot.py") && line.contains(" turn ");
        let row = shown.lines().find(row).unwrap_or_else(|| panic!("{bot}: {shown}"));
        let cells: Vec<&str> = row.split_whitespace().filter(|cell| *cell != "|").collect();
        let [.., name, games, min, mean, max] = cells[..] else { panic!("{row}") };
        assert_eq!((name, games, min), ("turn", "6", "1"), "{shown}");
        let [mean, max] = [mean, max].map(|cell| cell.parse::<f64>().expect("a number"));
        assert!(1.0 < mean && mean < max, "{row}");
        let listed = saying.prints(&["runs", "--format", format]);
        assert!(listed.contains("said, on average"), "{listed}");
        assert!(listed.contains(&format!("turn {mean}")), "{mean}: {listed}");
    }
}

/// Fails unless comparisons group the boards by what the bots said.
#[track_caller]
fn assert_groups(saying: &Saying) {
    let groups = |by: &str| -> Vec<(String, i64)> {
        let compared = saying.run(&["compare", "run", "--by", by, "--format", "json"]);
        let compared: Value = serde_json::from_slice(&compared.stdout).expect("JSON");
        let groups = compared[0]["groups"].as_array().expect("groups").iter();
        let group = |group: &Value| {
            (
                group["name"].as_str().expect("a name").to_owned(),
                group["pairs"].as_i64().expect("a number"),
            )
        };
        groups.map(group).collect()
    };
    assert!(
        groups("kind").iter().all(|(name, _)| ["kind =even", "kind odd"].contains(&name.as_str()))
    );
    for by in ["turn", "kind", "colors"] {
        let groups = groups(by);
        assert!(groups.iter().all(|(name, _)| name.starts_with(by)), "{groups:?}");
        assert_eq!(groups.iter().map(|(_, boards)| boards).sum::<i64>(), 6, "{groups:?}");
    }
    let output = saying.run(&["compare", "run", "--by", "nothing"]);
    let said = output.err();
    assert!(
        output.status.code() == Some(2) && said.contains("--by nothing: no bot said this name"),
        "{said}"
    );
}

#[test]
fn a_flood_of_names_and_of_standard_error_stays_bounded() {
    let Some(saying) = Saying::new("a flood of names") else { return };
    let code = "[say(f'@referee n{turn}_{i}={i}') for i in range(3000)]";
    let args = ["play", "--bot", &saying.bot(code), "--log", "log.jsonl"];
    saying.prints(&[&args[..], &PATIENT[..]].concat());
    let end = saying.read("log.jsonl").pop().expect("an end");
    assert_eq!(end["said"].as_object().expect("names").len(), 32);
    let size =
        fs::metadata(Path::new(saying.folder.path()).join("log.jsonl")).expect("a log").len();
    let turns = end["turns"].as_u64().expect("a number");
    assert!(size < turns * 80_000, "{size} bytes for {turns} turns");
}
