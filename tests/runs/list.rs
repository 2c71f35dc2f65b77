//! `referee runs`: lists, comments, sizes and names of runs.

use support::prelude::*;

/// A project in which commands are run.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let folder = tempdir().expect("a folder");
        // Without a project file, one in a folder further up would apply.
        let settings = "[suite]\nrecords = 'records.toml'\n[boards.few]\nseeds = '1..2'\n";
        fs::write(folder.path().join("referee.toml"), settings).expect("written");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn referee(&self, args: &[&str]) -> Output {
        referee().args(args).current_dir(&self.0).run()
    }

    #[track_caller]
    fn prints(&self, args: &[&str]) -> String {
        let output = self.referee(args);
        let said = output.err();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        output.out()
    }

    /// Plays a suite into `runs/NAME`.
    #[track_caller]
    fn suite(&self, name: &str, args: &[&str]) -> Value {
        let run = format!("runs/{name}");
        let own = ["suite", "--format", "json", "--logs", "none", "--run", &run];
        self.referee(&[&own[..], &PATIENT, args].concat()).exits(0).json()
    }

    /// The entries of `referee runs`.
    #[track_caller]
    fn runs(&self, args: &[&str]) -> Vec<Value> {
        let text = self.prints(&[&["runs", "--format", "json"], args].concat());
        serde_json::from_str(&text).expect("an array")
    }

    /// The names of the runs that `referee runs` lists.
    #[track_caller]
    fn names(&self, args: &[&str]) -> Vec<String> {
        let name = |run: &Value| run["run"].as_str().expect("a name").to_owned();
        self.runs(args).iter().map(name).collect()
    }
}

#[test]
fn runs_are_listed_newest_first_with_what_a_suite_reports() {
    let project = Project::new();
    let both = ["--bot", "@first", "--bot", "@greedy", "--seed", "1..3", "--repeat", "2"];
    let summary = project.suite("a", &both);
    project.suite("b", &["--bot", "@first", "--board", "few", "-m", " wider\nbeam "]);
    let runs = project.runs(&[]);
    assert_eq!(project.names(&[]), ["runs/b", "runs/a"]);
    assert_eq!(runs[0]["comment"], "wider\nbeam");
    assert_eq!((&runs[0]["sets"][0], &runs[0]["boards"]), (&"few".into(), &2.into()));
    assert_eq!(runs[1]["planned"], 12);
    for (listed, told) in runs[1]["bots"].as_array().expect("bots").iter().zip([0, 1]) {
        let told = &summary["bots"][told];
        for field in ["bot", "games", "not_played", "lost", "sum", "mean"] {
            assert_eq!(listed[field], told[field], "{field}");
        }
        let ratios = [listed, told].map(|bot| bot["ratio"].as_f64().expect("a ratio"));
        assert!((ratios[0] - ratios[1]).abs() < 1e-12, "{ratios:?}");
        assert!(listed["slowest_ms"].as_f64().expect("a time") > 0.0);
    }
    assert_eq!(project.names(&["-n", "1"]), ["runs/b"]);
    let text = project.prints(&["runs", "-n", "1"]);
    assert!(text.contains(" started (UTC) "), "{text}");
    assert!(text.contains("wider beam") && text.contains("1 older run is not shown"), "{text}");
    let csv = project.prints(&["runs", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let markdown = project.prints(&["runs", "--format", "markdown"]);
    assert!(markdown.contains("| runs/a |") && markdown.contains("&#64;greedy"), "{markdown}");
}

/// Writes the project's records: these points on the board of the first game of a run, set in that run.
fn set_record(project: &Project, run: &str, points: impl Fn(i64) -> i64) {
    let results = fs::read_to_string(project.path(run).join("results.jsonl")).expect("results");
    let first: Value = serde_json::from_str(results.lines().next().expect("a line")).expect("JSON");
    let (id, score) = (&first["record_id"], points(first["score"].as_i64().expect("a score")));
    let record = format!(
        "format = 1\n[[record]]\nrecord_id = {id}\nboard = 'x'\ngame = 'samegame'\n\
         bot = 'x'\nscore = {score}\nrun = '{run}'\n"
    );
    fs::write(project.path("records.toml"), record).expect("written");
}

#[test]
fn yours_to_best_is_that_of_todays_records() {
    let project = Project::new();
    project.suite("a", &["--bot", "@first", "--seed", "1..3"]);
    let ratio = || project.runs(&[])[0]["bots"][0]["ratio"].as_f64();
    assert_eq!(ratio(), None, "no best is known");
    set_record(&project, "runs/a", |score| score);
    assert_eq!(ratio(), Some(1.0));
    set_record(&project, "runs/a", |score| 2 * score);
    assert_eq!(ratio(), Some(0.5));
    let none = project.path("none.toml");
    fs::write(&none, "format = 1\n").expect("written");
    let runs = project.runs(&["--records", none.to_str().expect("UTF-8")]);
    assert_eq!(runs[0]["bots"][0]["ratio"], Value::Null);
}

#[test]
fn a_list_has_the_results_of_now() {
    let project = Project::new();
    project.suite("a", &["--bot", "@first", "--seed", "1..2"]);
    let results = project.path("runs/a/results.jsonl");
    let content = fs::read(&results).expect("results");
    // One of two games.
    let first = content.iter().position(|&byte| byte == b'\n').expect("a line");
    fs::write(&results, &content[..=first]).expect("written");
    let runs = project.runs(&[]);
    assert_eq!((&runs[0]["bots"][0]["games"], &runs[0]["planned"]), (&1.into(), &2.into()));
    assert!(project.prints(&["runs"]).contains("1/2"));
    fs::write(&results, "\n").expect("written");
    let problem = project.runs(&[])[0]["problem"].as_str().expect("a problem").to_owned();
    assert!(problem.contains("results.jsonl:1: not a result"), "{problem}");
}

#[test]
fn folders_that_hold_no_run_are_listed_as_such_and_break_nothing() {
    let project = Project::new();
    let none = project.prints(&["runs"]);
    assert!(none.contains("There are no runs in runs or the working directory."), "{none}");
    project.suite("good", &["--bot", "@first", "--seed", "1"]);
    let write = |name: &str, text: &str| {
        let path = project.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write("runs/a-malformed/run.toml", "format = 1\nx");
    write("runs/b-newer/run.toml", "format = 99");
    write("runs/c-other/notes.md", "");
    write("runs/.hidden/x", "");
    write("runs/file", "");
    // Killed before there was a result.
    let toml = fs::read_to_string(project.path("runs/good/run.toml")).expect("a run");
    write("runs/begun/run.toml", &toml);
    let runs = project.runs(&[]);
    assert_eq!(
        project.names(&[]),
        ["runs/good", "runs/begun", "runs/a-malformed", "runs/b-newer", "runs/c-other"]
    );
    assert_eq!(runs[1]["bots"][0]["games"], 0);
    let problem = |at: usize| runs[at]["problem"].as_str().expect("a problem");
    assert!(problem(2).contains("run.toml:2:2"), "{}", problem(2));
    assert!(problem(3).contains("format 99") && problem(4).contains("it has no run.toml"));
    let text = project.prints(&["runs"]);
    assert!(text.contains("runs/c-other: runs/c-other is not a run folder"), "{text}");
}

#[test]
fn a_comment_is_replaced_and_removed() {
    let project = Project::new();
    project.suite("a", &["--bot", "@first", "--seed", "1", "--comment", "one"]);
    let toml = || fs::read(project.path("runs/a/run.toml")).expect("a run");
    let before = toml();
    let comment = || project.runs(&[])[0]["comment"].clone();
    assert_eq!(comment(), "one");
    assert_eq!(project.prints(&["runs", "note", "latest", "-two\u{1b}"]), "runs/a: -two\\u{1b}\n");
    assert_eq!(comment(), "-two\u{1b}");
    assert!(!project.prints(&["runs"]).contains('\u{1b}'));
    project.prints(&["runs", "note", "runs/a", ""]);
    assert_eq!(comment(), Value::Null);
    assert_eq!(toml(), before);
    assert_code(&project.referee(&["runs", "note", "runs/none", "x"]), 2);
    let output = project.referee(&["resume", "runs/a", "-m", "x"]);
    assert_eq!(output.status.code(), Some(2), "there is `runs note` for that");
}

#[test]
fn a_run_knows_the_commit_that_it_was_started_from() {
    let project = Project::new();
    let folder = project.0.path();
    let bot = ["--bot", "@first", "--seed", "1"];
    git(folder, &["init", "--quiet"]);
    project.suite("before", &bot);
    git(folder, &["add", "referee.toml"]);
    git(folder, &["commit", "--quiet", "-m", "x"]);
    project.suite("clean", &bot);
    fs::write(project.path("referee.toml"), "# changed\n").expect("written");
    project.suite("dirty", &bot);
    let commit = git(folder, &["rev-parse", "HEAD"]);
    let runs = project.runs(&[]);
    assert_eq!(runs[0]["git"], json!({"commit": commit, "dirty": true}));
    // Runs and records are not tracked, so they are not changes.
    assert_eq!(runs[1]["git"], json!({"commit": commit, "dirty": false}));
    assert_eq!(runs[2]["git"], Value::Null);
    let text = project.prints(&["runs"]);
    assert!(text.contains(&format!("{}*", &commit[..9])), "{text}");
    assert!(text.contains("* Some changes were not committed."), "{text}");
}

#[test]
fn latest_names_a_run_wherever_one_is_asked_for() {
    let project = Project::new();
    project.suite("z", &["--bot", "@first", "--seed", "1..3"]);
    project.suite("y", &["--bot", "@first", "--bot", "@greedy", "--seed", "1..3"]);
    let compared = project.prints(&["compare", "latest~1", "latest:@greedy", "--format", "json"]);
    let compared: Value = serde_json::from_str(&compared).expect("JSON");
    assert_eq!((&compared[0]["baseline"], &compared[0]["pairs"]), (&"@first".into(), &3.into()));
    assert_eq!(compared[0]["challenger"], "@greedy");
    project.prints(&["report", "latest", "--html", "page.html"]);
    let page = fs::read_to_string(project.path("page.html")).expect("a page");
    assert!(page.contains("runs/y, started"));
    let resumed = project.referee(&["resume", "latest~1", "--format", "json"]).json();
    assert_eq!(resumed["run"], "runs/z");
    let against = ["--bot", "@first", "--against", "latest~1"];
    project.suite("x", &against);
    let toml = fs::read_to_string(project.path("runs/x/run.toml")).expect("a run");
    assert!(toml.contains("/runs/z\""), "{toml}");
    // A folder with this exact name takes precedence.
    fs::rename(project.path("runs/z"), project.path("latest")).expect("moved");
    project.prints(&["report", "latest", "--html", "page.html"]);
    let page = fs::read_to_string(project.path("page.html")).expect("a page");
    assert!(page.contains("latest, started"));
    for (name, problem) in [
        ("latest~9", "latest~9: there are 3 runs"),
        ("latest~x", "latest~x: there is no such folder"),
    ] {
        let output = project.referee(&["compare", name]);
        let said = output.err();
        assert!(output.status.code() == Some(2) && said.contains(problem), "{said}");
    }
}

#[test]
fn runs_have_their_sizes_with_all_that_is_in_their_folders() {
    let project = Project::new();
    let size = |text: &str| project.prints(&["runs"]).contains(text);
    project.suite("a", &["--bot", "@first", "--seed", "1", "--bot", "@greedy"]);
    assert!(!size("These runs take"), "it is the size of the only run");
    project.suite("b", &["--bot", "@first", "--seed", "1"]);
    let before = project.runs(&[]);
    let files = fs::read_dir(project.path("runs/a")).expect("a folder").flatten();
    let sum: u64 = files.map(|file| file.metadata().expect("a file").len()).sum();
    assert_eq!(before[1]["bytes"], sum);
    fs::create_dir(project.path("runs/a/games")).expect("made");
    fs::write(project.path("runs/a/games/000001.jsonl"), vec![0; 5_000_000]).expect("written");
    std::os::unix::fs::symlink("../..", project.path("runs/a/up")).expect("a link");
    assert!(size(" 5 MB\n") && size("These runs take 5 MB."), "{}", project.prints(&["runs"]));
    assert_eq!(project.runs(&["-n", "1"])[0]["bytes"], before[0]["bytes"]);
    let csv = project.prints(&["runs", "--format", "csv"]);
    assert!(csv.lines().next().is_some_and(|line| line.ends_with(",bytes")), "{csv}");
}

#[test]
fn the_page_of_the_runs_so_far_links_to_the_page_of_each_run() {
    let project = Project::new();
    let none = project.referee(&["report", "--history", "--html", "page.html"]);
    assert_eq!(none.status.code(), Some(2), "there are no runs");
    project.suite("a b", &["--bot", "@first", "--seed", "1..5", "--comment", "<i>&one"]);
    set_record(&project, "runs/a b", |score| 2 * score);
    project.suite("c", &["--bot", "@first", "--bot", "@greedy", "--seed", "1..5"]);
    fs::create_dir(project.path("runs/broken")).expect("made");
    let told = project.prints(&["report", "--history", "--html", "page.html"]);
    assert!(told.starts_with("2 runs\n\n  The page is page.html."), "{told}");
    let page = fs::read_to_string(project.path("page.html")).expect("a page");
    assert!(page.contains("<title>2 runs of samegame</title>"));
    assert!(page.contains("<h2>@first</h2>") && page.contains("<h2>@greedy</h2>"));
    assert!(page.contains("<a href=\"page-runs/a%20b.html\">a b</a>"), "{page}");
    assert!(page.contains("&lt;i&gt;&amp;one") && page.contains(">50.00 %</td>"), "{page}");
    let count = |part: &str| page.matches(part).count();
    // An interval for each point, and a line between the two of `@first`.
    let marks = [
        "<line class=\"s0\"",
        "<circle class=\"s0\"",
        "<line class=\"s1\"",
        "<circle class=\"s1\"",
    ];
    assert_eq!(marks.map(count), [3, 2, 1, 1], "{page}");
    let own = fs::read_to_string(project.path("page-runs/a b.html")).expect("a page");
    assert!(own.contains("runs/a b, started"));
    assert!(own.contains("<a href=\"../page.html\">All runs</a>"), "a way back");
    // Of the three bots in two runs each two are compared; the newer run's second bot with the older run's one.
    let pairs = page.split("id=\"pairs\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let pairs: Value = serde_json::from_str(pairs.expect("pairs")).expect("JSON");
    assert_eq!(pairs.as_object().expect("pairs").len(), 3, "{pairs}");
    let told = pairs["0.1 1.0"]["told"].as_str().expect("a verdict");
    let expected = "too few boards to compare @greedy (c) with @first (a b): +";
    assert!(told.starts_with(expected) && told.ends_with(" on 5 boards"), "{told}");
    assert_eq!(pairs["0.1 1.0"]["command"], "referee compare 'runs/a b:@first' runs/c:@greedy");
    assert!(page.contains("data-entry=\"0.1\" data-name=\"@greedy of c\""), "{page}");
    assert!(project.path("page-runs/c.html").exists());
    // The rows of `@first`, newest first.
    let rows: Vec<usize> = ["page-runs/c.html", "page-runs/a%20b.html"]
        .map(|link| page.find(link).expect("a link"))
        .into();
    assert!(rows.is_sorted(), "{rows:?}");
    project.prints(&["report", "--history", "--html", "page.html", "-n", "1"]);
    let page = fs::read_to_string(project.path("page.html")).expect("a page");
    assert!(page.contains("<title>1 run of samegame</title>") && !page.contains("a%20b"));
    assert_code(&project.referee(&["report", "--history", "runs/c", "--html", "page.html"]), 2);
}

#[test]
fn a_live_page_of_the_runs_so_far_follows_them_until_a_signal() {
    let project = Project::new();
    let live = ["report", "--all", "--live", "--html", "page.html"];
    let none = project.referee(&live);
    let told = "there are no runs in runs or the working directory";
    assert!(none.err().contains(told), "{}", none.err());
    assert_code(&project.referee(&["report", "--live", "runs/a", "--html", "page.html"]), 2);
    project.suite("a", &["--bot", "@first", "--seed", "1..2"]);
    let child = referee().args(live).current_dir(&project.0).silent().start();
    let page = || fs::read_to_string(project.path("page.html")).unwrap_or_default();
    let renews = |page: &str| page.contains("data-every=\"2\"");
    wait_until("the first page", || page().contains("1 run of samegame") && renews(&page()));
    project.suite("b", &["--bot", "@first", "--seed", "1..2"]);
    wait_until("the second run", || page().contains("2 runs of samegame") && renews(&page()));
    assert!(project.path("page-runs/b.html").exists());
    fs::remove_dir_all(project.path("runs/a")).expect("removed");
    wait_until("the first run's end", || page().contains("1 run of samegame"));
    // Without any run it waits for the next one.
    fs::remove_dir_all(project.path("runs/b")).expect("removed");
    project.suite("c", &["--bot", "@first", "--seed", "1..2"]);
    wait_until("the third run", || page().contains("page-runs/c.html"));
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let status = finished(child).status;
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()), "{status}");
    assert!(page().contains("data-every=\"\""), "nothing renews the page any more");
}

#[test]
fn a_lone_bot_without_a_best_score_has_its_means_over_time() {
    let project = Project::new();
    for (name, seed) in [("a", "1"), ("b", "2")] {
        let bot = format!("@random --seed {seed}");
        project.suite(name, &["--bot", &bot, "--name", "mine", "--seed", "1..5"]);
    }
    let listed = project.prints(&["runs"]);
    assert!(listed.contains("  mean  ") && !listed.contains("yours/best"), "{listed}");
    let means: Vec<String> = project
        .runs(&[])
        .iter()
        .map(|run| format!("{:.1}", run["bots"][0]["mean"].as_f64().expect("a mean")))
        .collect();
    project.prints(&["report", "--history", "--html", "page.html"]);
    let page = fs::read_to_string(project.path("page.html")).expect("a page");
    assert!(page.contains("<h2>Over time</h2>"), "{page}");
    assert_eq!(page.matches("<line class=\"s0\"").count(), 3, "two intervals and a line: {page}");
    assert!(
        page.contains("<th scope=\"col\">mean</th>") && !page.contains(">yours/best<"),
        "{page}"
    );
    for mean in means {
        assert!(page.contains(&format!("<td data-name=\"mean\">{mean}</td>")), "{mean}: {page}");
    }
}
