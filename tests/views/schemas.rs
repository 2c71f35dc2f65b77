//! The published JSON Schemas fit the real output, and know every field of it.

use std::ffi::OsStr;
use support::prelude::*;

/// A Python that has the package `jsonschema`; otherwise prints what is left out.
pub(crate) fn validator() -> Option<PathBuf> {
    let [python] = need("the schemas", ["python3"])?;
    let can = |python: &PathBuf| {
        let import = Command::new(python).args(["-c", "import jsonschema"]).output();
        import.is_ok_and(|output| output.status.success())
    };
    // Debian's package is for Debian's Python, which may not be the first one in PATH.
    let found = [PathBuf::from(python), Path::new("/usr/bin").join(python)].into_iter().find(can);
    if found.is_none() {
        leave_out(
            "the schemas",
            "jsonschema is missing (Debian: apt-get install python3-jsonschema)",
        );
    }
    found
}

/// JSON texts with the names of the definitions that they should fit.
#[derive(Default)]
pub(crate) struct Documents(String);

impl Documents {
    pub(crate) fn add(&mut self, name: &str, texts: &str) {
        for text in texts.lines() {
            self.0.extend([name, "\t", text, "\n"]);
        }
    }

    pub(crate) fn add_file(&mut self, name: &str, path: &Path) {
        let text = read(path);
        if path.extension().is_some_and(|extension| extension == "toml") {
            let value: Value = toml::from_str(&text).expect("TOML");
            self.add(name, &value.to_string());
        } else {
            self.add(name, &text);
        }
    }

    /// The texts that do not fit.
    pub(crate) fn problems(&self, python: impl AsRef<OsStr>) -> String {
        let schema = repository().join("docs/guide/src/formats.schema.json");
        let mut command = Command::new(python);
        command.arg(data("validate.py")).arg(schema);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.start();
        let mut stdin = child.stdin.take().expect("a pipe");
        let texts = self.0.clone();
        let writer = std::thread::spawn(move || stdin.write_all(texts.as_bytes()));
        let output = child.wait_with_output().expect("ends");
        writer.join().expect("no panic").expect("all is read");
        assert!(output.status.success(), "{}", output.err());
        output.out()
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the referee, and returns what it prints.
fn printed(folder: &Path, args: &[&str]) -> String {
    let output = referee().args(args).current_dir(folder).run();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {output:?}");
    output.out()
}

const CRASH: &str = "@misbehaving signal 11 --on-turn 3";

/// Games of all kinds: won, lost, late, of the other game, and with bytes that are not text.
fn add_games(folder: &Path, documents: &mut Documents) {
    for (number, args) in [
        &["--env", "A=1", "--first-turn", "60s", "--turn", "60s"][..],
        &["--bot", CRASH],
        &["--bot", "@thinker --sleep 300", "--turn", "100ms"],
        &["--game", "square-remover", "--total", "60s"],
        &["--", "sh", "-c", "printf '\\377' >&2; printf '0 0\\n\\377\\n'; exit 3"],
        &["--", "sh", "-c", "printf '@referee depth=3\\n@referee name=x\\n' >&2; echo 0 0; exit 3"],
        &["--bot", "@misbehaving flood-stdout"],
    ]
    .iter()
    .enumerate()
    {
        let log = format!("{number}.jsonl");
        let args = [&["play", "--format", "json", "--log", &log], *args].concat();
        documents.add("play", &printed(folder, &args));
        documents.add_file("log-line", &folder.join(&log));
        documents.add("replay", &printed(folder, &["replay", "--format", "json", &log]));
    }
    let log = fs::read_to_string(folder.join("0.jsonl")).expect("a log");
    fs::write(folder.join("other.jsonl"), log.replacen("\"gain\":", "\"gain\":1", 1))
        .expect("written");
    let replayed = printed(folder, &["replay", "--format", "json", "other.jsonl"]);
    assert!(replayed.contains("\"agrees\":false"), "{replayed}");
    documents.add("replay", &replayed);
}

/// Runs and all output about them.
fn add_runs(folder: &Path, documents: &mut Documents) {
    let suite = |args: &[&str]| printed(folder, &[&["suite", "--format", "json"], args].concat());
    // Only scores under limits as strict as the official ones are records. This game's hold on a busy machine.
    let records = ["--game", "square-remover", "--records", "records.toml", "--seed", "1..2"];
    let first = ["--run", "run", "--bot", "@squares-random", "--bot", "@misbehaving exit 3"];
    documents.add("suite", &suite(&[&records[..], &first].concat()));
    let better = suite(&[&records[..], &["--run", "new", "--bot", "@squares-greedy"]].concat());
    assert!(better.contains("\"before\""), "{better}");
    documents.add("suite", &better);
    let old = ["--seed", "1..2", "--run", "old", "--bot", "@first", "--bot", CRASH];
    documents.add("suite", &suite(&old));
    let against = ["--against", "old:@first", "--bot", "@greedy"];
    documents.add("suite", &suite(&[&against[..], &["--run", "decided"]].concat()));
    let says = "sh -c 'echo @referee depth=3 >&2'";
    let params = ["--param", "WIDTH=1,2"];
    documents.add(
        "suite",
        &suite(&[&["--seed", "1", "--run", "none", "--bot", says], &params[..]].concat()),
    );
    let lines = ["suite", "--format", "jsonl", "--seed", "1", "--run", "said", "--bot", says];
    documents
        .add("suite-line", &printed(folder, &[&lines[..], &params, &["--comment", "x"]].concat()));
    let board = repository().join("configs/boards/clearable.toml");
    let listed = ["--run", "listed", "--sandbox", "--board", board.to_str().expect("UTF-8")];
    documents.add("suite", &suite(&listed));
    for run in ["run", "new", "old", "decided", "said", "listed"] {
        documents.add_file("run-file", &folder.join(run).join("run.toml"));
        documents.add_file("result-line", &folder.join(run).join("results.jsonl"));
        documents.add_file("session-line", &folder.join(run).join("sessions.jsonl"));
    }
    fs::create_dir(folder.join("broken")).expect("a folder");
    fs::write(folder.join("broken/run.toml"), "").expect("written");
    let runs = printed(folder, &["runs", "--format", "json"]);
    assert!(runs.contains("\"problem\""), "{runs}");
    documents.add("runs", &runs);
    documents.add_file("records-file", &folder.join("records.toml"));
    documents.add("compare", &printed(folder, &["compare", "--format", "json", "run", "new"]));
    let groups = ["compare", "--format", "json", "old:@first", "--by", "colors"];
    documents.add("compare-groups", &printed(folder, &groups));
    documents.add("verify", &printed(folder, &["verify", "--format", "json", "run"]));
}

#[test]
fn what_is_written_fits_its_schema() {
    let Some(python) = validator() else { return };
    let folder = tempdir().expect("a folder");
    let mut documents = Documents::default();
    add_games(folder.path(), &mut documents);
    add_runs(folder.path(), &mut documents);
    let timing = printed(folder.path(), &["timing", "--format", "json", "--seed", "1"]);
    documents.add("timing", &timing);
    let several = ["timing", "--format", "json", "--seed", "1", "--bot", "@first", "--bot", CRASH];
    documents.add("timing", &printed(folder.path(), &several));
    documents.add("doctor", &printed(folder.path(), &["doctor", "--format", "json"]));
    assert_eq!(documents.problems(&python), "");
}

#[test]
fn a_text_that_does_not_fit_is_noticed() {
    let Some(python) = validator() else { return };
    let session = r#"{"number":1,"started":"2026-11-22T10:46:01Z","referee":"1.0.0","host":"h","cpu":"c","os":"o","arch":"a","cpus":2,"containment":"plain"}"#;
    let wrong = [
        (session.replace("\"number\":1", "\"number\":0"), "$.number"),
        (session.replace("\"cpus\":2,", ""), "'cpus' is a required property"),
        (session.replace("\"cpus\":2,", "\"cpus\":2,\"gpus\":2,"), "'gpus' was unexpected"),
    ];
    let mut documents = Documents::default();
    documents.add("session-line", session);
    for (text, _) in &wrong {
        documents.add("session-line", text);
    }
    let problems = documents.problems(&python);
    let problems: Vec<&str> = problems.lines().collect();
    assert_eq!(problems.len(), wrong.len(), "{problems:?}");
    for (problem, (text, expected)) in problems.iter().zip(&wrong) {
        assert!(problem.contains(expected), "{text}: {problem}");
    }
}

/// Fields whose names say what they are.
const SELF_EXPLAINING: &str = "arch base64 bots code commit context_switches count cpu_time_ms culprit dirty estimate file_size_bytes first_turn_ms \
    game_output_bytes game_stderr_bytes high logged low max max_ms memory_bytes min min_ms name open_files os over_limit \
    p50_ms p90_ms p99_ms page_faults plan problem processes record refereed resource signal started timing total_ms \
    turn_ms turn_output_bytes what";

/// Adds the names of the fields in a part of a schema to `all`, and to `described` if it describes them there or where
/// they refer to.
fn add_fields(
    part: &Value,
    definitions: &Value,
    all: &mut BTreeSet<String>,
    described: &mut BTreeSet<String>,
) {
    if let Value::Array(values) = part {
        for value in values {
            add_fields(value, definitions, all, described);
        }
    }
    let Value::Object(members) = part else { return };
    for (name, field) in members.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        all.insert(name.clone());
        let definition = field["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        let definition = definition.map_or(&Value::Null, |name| &definitions[name]);
        if [field, definition].iter().any(|value| value["description"].is_string())
            || field["const"].is_string()
        {
            described.insert(name.clone());
        }
    }
    for value in members.values() {
        add_fields(value, definitions, all, described);
    }
}

#[test]
fn the_schema_describes_every_field() {
    let schema = read(&repository().join("docs/guide/src/formats.schema.json"));
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let (mut all, mut described) = (BTreeSet::new(), BTreeSet::new());
    let definitions = &schema["$defs"];
    add_fields(definitions, definitions, &mut all, &mut described);
    described.extend(SELF_EXPLAINING.split(' ').map(str::to_owned));
    let missing: Vec<&String> = all.difference(&described).collect();
    assert!(missing.is_empty(), "formats.schema.json does not describe {missing:?}");
    assert!(all.len() > 200, "only {} fields have been found", all.len());
}
