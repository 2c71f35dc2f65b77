//! Suites on a real Slurm cluster: their results equal one machine's, whatever happens to their tasks.

use referee::suite::RunFolder;
use serde::de::IgnoredAny;
use support::prelude::*;
use support::slurm::{Cluster, ended, outcomes, part_of};

/// The fields of times and places in results and logs. `command` has the path of the copy of the referee that
/// plays a bundled bot. Whether a bot ends by itself once its game is over depends on time as well.
const TIMES_AND_PLACES: [&str; 12] = [
    "session",
    "wall_ms",
    "first_ms",
    "slowest_ms",
    "certificate",
    "host",
    "cores",
    "time",
    "command",
    "cwd",
    "bot_exit",
    "killed",
];

/// A line of JSON without times and places, otherwise byte for byte.
fn without_times_and_places(line: &str) -> String {
    let mut line = line.to_owned();
    for name in TIMES_AND_PLACES {
        let key = format!(",\"{name}\":");
        while let Some(start) = line.find(&key) {
            let value = &line[start + key.len()..];
            let mut values = serde_json::Deserializer::from_str(value).into_iter::<IgnoredAny>();
            values.next().expect("a value").expect("JSON");
            let end = start + key.len() + values.byte_offset();
            line.replace_range(start..end, "");
        }
    }
    line
}

/// The lines of a run's results and logs, by file, without times and places. Results are sorted by game, since
/// they are written as games end.
fn files(run: &Path) -> BTreeMap<String, Vec<String>> {
    let lines = |path: &Path| {
        let text = fs::read_to_string(path).expect("a file");
        text.lines().map(without_times_and_places).collect::<Vec<_>>()
    };
    let mut results = lines(&run.join("results.jsonl"));
    let game = |line: &String| line[8..line.find(',').expect("fields")].parse().expect("a number");
    results.sort_by_key(|line| -> usize { game(line) });
    let logs = fs::read_dir(run.join("games")).expect("logs").flatten();
    let log = |entry: fs::DirEntry| {
        (entry.file_name().into_string().expect("UTF-8"), lines(&entry.path()))
    };
    logs.map(log).chain([("results.jsonl".to_owned(), results)]).collect()
}

/// The plan in `run.toml`, without the number of parts.
fn plan(run: &Path) -> String {
    let text = fs::read_to_string(run.join("run.toml")).expect("a run");
    let plan = text.split_once("[plan]").expect("a plan").1;
    let lines: Vec<_> = plan.lines().filter(|line| !line.starts_with("parts = ")).collect();
    lines.join("\n")
}

/// Cancels two tasks, requeues one, kills the daemons of a step and of a node. One of the cancelled tasks is
/// waiting; the others are in the middle of a part, with at most `most` games played.
fn disturb(cluster: &Cluster, run: &str, most: usize) {
    cluster.slurm("scancel", &[&cluster.playing(run, "n1", most)]);
    cluster.slurm("scancel", &[&cluster.tasks("PENDING")[0].0]);
    let requeued = cluster.playing(run, "n2", most);
    cluster.slurm("scontrol", &["requeue", &requeued]);
    cluster.start_again(&requeued);
    let mut killed = String::new();
    cluster.wait_until("a step is killed", || {
        killed = cluster.playing(run, "n1", most);
        // The task may have ended by then.
        cluster.kill_step("n1")
    });
    let alone = part_of(&cluster.playing(run, "n2", most));
    cluster.kill_daemon("n2");
    let before = cluster.results_of_part(run, alone);
    cluster.wait_until("it plays on", || cluster.results_of_part(run, alone) > before);
    cluster.start_node("n2");
    cluster.notice_the_end(&killed, "n1");
}

/// One cluster for all of this: it takes long to start, and waits for most of its time.
#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn suites_on_a_cluster_end_as_on_one_machine() {
    let test = "suites_on_a_cluster_end_as_on_one_machine";
    // An array has at most 21 tasks, so that more parts than that take several.
    let Some(cluster) = Cluster::start(test, &["MaxArraySize=21"]) else { return };
    several_arrays(&cluster);
    records_are_those_of_one_machine(&cluster);
    mixed_processors(&cluster);
    a_suite_stops_once_it_is_decided(&cluster);
    what_is_done_to_tasks_and_nodes_does_not_change_the_results(&cluster);
}

fn what_is_done_to_tasks_and_nodes_does_not_change_the_results(cluster: &Cluster) {
    // Two games a board; REFEREE_SLURM_BOARDS=1000 plays 2,000 games.
    let boards = std::env::var("REFEREE_SLURM_BOARDS").unwrap_or_else(|_| "200".to_owned());
    let (seeds, games) = (format!("1..{boards}"), 2 * boards.parse::<usize>().expect("a number"));
    // The second bot takes a few milliseconds a turn, so that a part takes long enough to be disturbed.
    let bots = ["--bot", "@greedy", "--bot", "@thinker --sleep 1"];
    let suite = |more: &[&str]| {
        cluster
            .referee(&["suite"])
            .args(bots)
            .args(["--seed", &seeds, "--logs", "all"])
            .args(PATIENT)
            .args(more)
    };
    let whole = suite(&["--run", "whole", "--jobs", "2"]);
    assert_code(&whole.env("REFEREE_LOG", "error").run(), 0);
    assert_code(&suite(&["--run", "big", "--slurm", "--parts", "20"]).run(), 0);
    disturb(cluster, "big", games / 20 / 2);

    // Cancelled tasks are submitted again only on request.
    let mut last = None;
    for _ in 0..4 {
        let again = ["suite", "--resume", "big", "--slurm", "--wait", "--logs", "all"];
        let again = cluster.referee(&again);
        let output = ended(again);
        let is_done = output.status.success();
        last = Some(output);
        if is_done {
            break;
        }
    }
    assert_code(&last.expect("one"), 0);
    let [big, whole] = ["big", "whole"].map(|run| cluster.path(run));
    let left = fs::read_dir(big.join("parts")).into_iter().flatten().flatten();
    let is_printed = |name: std::ffi::OsString| name.as_encoded_bytes().ends_with(b".out");
    assert!(left.map(|entry| entry.file_name()).all(is_printed), "it is merged");
    let (files, expected) = (files(&big), files(&whole));
    assert_eq!((files["results.jsonl"].len(), files.len()), (games, games + 1));
    for (name, lines) in expected {
        assert_eq!(files[&name], lines, "{name}");
    }
    assert_eq!(plan(&big), plan(&whole));

    let sessions = RunFolder::open(&big).expect("a run").sessions().expect("sessions");
    let (parts, count) = (20, sessions.len());
    assert!(count > parts, "{count} sessions: nothing was disturbed in the middle");
    for session in &sessions {
        assert!(session.job.as_ref().is_some_and(|job| job.starts_with("slurm ")), "{session:?}");
        assert!(session.smallest_limit.is_some(), "each task looks at its host: {session:?}");
    }
    println!("{games} games in {count} sessions");
    cluster.wait_until_idle();
}

fn several_arrays(cluster: &Cluster) {
    cluster.script("loser", "sleep 0.05; exit 3");
    // Nothing here needs accounting, and this cluster has none.
    let accounting = cluster.on(Command::new("sacct")).run();
    assert!(!accounting.status.success(), "{accounting:?}");
    // The path has a blank, a quote, a hash, and a per cent sign, which Slurm reads as a placeholder.
    let said = cluster
        .referee(&["suite", "--bot", "./loser", "--seed", "1..50"])
        .args(PATIENT)
        .args(["--slurm=3", "--run", "it's #1 %j", "--parts", "45"])
        .run()
        .exits(0)
        .out();
    assert!(said.starts_with("50 games in 45 parts (1-45) are submitted"), "{said}");
    let submitted = fs::read_to_string(cluster.path("it's #1 %j/submissions.jsonl")).expect("jobs");
    let arrays: Vec<_> = submitted.lines().filter(|line| line.contains("first_part")).collect();
    assert_eq!(arrays.len(), 3, "{submitted}");
    // The arrays follow each other, with three tasks at a time.
    cluster.wait_until("tasks run", || !cluster.tasks("RUNNING").is_empty());
    let throttled = cluster.slurm("scontrol", &["show", "job"]);
    assert!(throttled.contains("ArrayTaskThrottle=3"), "{throttled}");
    assert!(throttled.contains("Dependency=afterany:"), "{throttled}");
    // All parts are in the queue, so nothing is submitted again; then the waiting job merges them.
    let again =
        ended(cluster.referee(&["suite", "--resume", "it's #1 %j", "--slurm", "--wait"])).exits(1);
    assert!(again.err().contains("are in the queue already"), "{again:?}");
    assert!(again.out().starts_with("50 games of samegame, 50 lost"), "{again:?}");
    let printed = fs::read_dir(cluster.path("it's #1 %j/parts")).expect("outputs").count();
    assert_eq!(printed, 45, "what each task printed is there");
}

fn records_are_those_of_one_machine(cluster: &Cluster) {
    // Under the official limit of 30 s, since games under other limits set no record.
    let suite = ["suite", "--game", "square-remover", "--bot", "@squares-greedy", "--seed", "1..6"];
    let whole =
        cluster.referee(&suite).args(["--run", "squares", "--jobs", "1", "--records", "one.toml"]);
    assert_code(&ended(whole), 0);
    let parts = cluster.referee(&suite).args([
        "--run",
        "squares-in-parts",
        "--slurm",
        "--parts",
        "2",
        "--records",
        "parts.toml",
    ]);
    assert_code(&ended(parts), 0);
    // The job that merges them keeps the records, and reports.
    cluster.wait_until_idle();
    let read = |name: &str| fs::read_to_string(cluster.path(name)).expect("a file");
    // Records name their run.
    let expected = read("one.toml").replace("run = \"squares\"", "run = \"squares-in-parts\"");
    assert_eq!(read("parts.toml"), expected);
    assert_eq!(read("parts.toml").matches("score = ").count(), 6);
    let report = read("squares-in-parts/merge.out");
    assert!(report.starts_with("6 games of square-remover, 0 lost"), "{report}");
}

/// `squares` and `squares-in-parts` as if they came from other processors.
fn mixed_processors(cluster: &Cluster) {
    let path = cluster.path("squares-in-parts/sessions.jsonl");
    let sessions = fs::read_to_string(&path).expect("sessions");
    let (first, others) = sessions.split_once('\n').expect("two");
    let mut first: Value = serde_json::from_str(first).expect("a session");
    first["cpu"] = "Abacus 7".into();
    fs::write(&path, format!("{first}\n{others}")).expect("written");
    let said = cluster.referee(&["merge", "squares-in-parts"]).run().err();
    assert!(said.contains("games come from different processors"), "{said}");
    assert!(said.contains("; --slurm-arg=--constraint=… keeps to one kind"), "{said}");
}

fn a_suite_stops_once_it_is_decided(cluster: &Cluster) {
    let old = MadeRun::new(&[("@first", &[1; 600])]).on_real_boards();
    old.save(&cluster.path("old"));
    let new = ["suite", "--bot", "@greedy", "--against", "old", "--run", "new"];
    let new = cluster
        .referee(&new)
        .args(PATIENT)
        .args(["--slurm", "--parts", "30", "--wait", "--logs", "none"]);
    let said = ended(new).exits(0).out();
    assert!(said.contains("@greedy is better than @first"), "{said}");
    let folder = RunFolder::open(&cluster.path("new")).expect("a run");
    let games = outcomes(&folder).len();
    assert!((100..600).contains(&games), "{games} were played");
    cluster.wait_until_idle();
}
