//! Comparing runs, and the reports that programs read.

use insta::{assert_snapshot, with_settings};
use referee::limits::{LimitKind, OnHostDelay, Profile};
use referee::suite::Outcome;
use referee::verdict::Culprit;
use support::prelude::*;

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Runs made by hand: the scores of bots on boards, which are all that a comparison reads.
pub(crate) struct Runs(TempDir);

impl Runs {
    pub(crate) fn new() -> Self {
        Self(tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A run of one bot on the boards of seeds 1 to `scores.len()`.
    pub(crate) fn run(self, name: &str, bot: &str, scores: &[i64]) -> Self {
        MadeRun::new(&[(bot, scores)]).save(&self.path(name));
        self
    }

    pub(crate) fn compare(&self, args: &[&str]) -> Output {
        self.referee(&[&["compare"], args].concat())
    }

    pub(crate) fn referee(&self, args: &[&str]) -> Output {
        referee().current_dir(self.0.path()).args(args).run()
    }
}

pub(crate) fn scores(count: i64, score: impl Fn(i64) -> i64) -> Vec<i64> {
    (1..=count).map(score).collect()
}

/// A bot that loses each of its games at once.
const LOSER: &str = "sh -c 'exit 3'";

/// Two bots of which the second has a little more on most boards.
fn better() -> Runs {
    let old = scores(80, |n| 1000 + 37 * (n % 7));
    let new = scores(82, |n| 1000 + 37 * (n % 7) + 10 * (n % 5) - 5);
    Runs::new().run("old", "./v1", &old).run("new", "./v2", &new)
}

#[test]
fn a_comparison_tells_who_is_better_and_what_that_rests_on() {
    let runs = better();
    let output = runs.compare(&["old", "new"]);
    assert_snapshot!(output.out(), @"
    ./v2 is better than ./v1

                  boards  higher  even  lower   mean   95 % interval  guarded interval         p
      all boards      80      64     0     16  +15.0  +11.8 to +18.2     +9.4 to +20.6  < 0.0001
      colors 4        40      32     0      8  +15.0  +10.4 to +19.6     +4.6 to +25.4    0.0060
      colors 5        40      32     0      8  +15.0  +10.4 to +19.6     +4.6 to +25.4    0.0060

      Of 80 boards that both played, ./v2 lost on none (at most 3.7 %), ./v1 on none (at most 3.7 %).

      The mean difference is +1.35 % of ./v1's mean.

      The guarded interval and p decide; they allow for boards not seen. For information: Student's test p < 0.0001, sign test p < 0.0001.

      largest gains  ./v1  ./v2  difference
      seed 9         1074  1109         +35
      seed 79        1074  1109         +35
      seed 74        1148  1183         +35
      seed 69        1222  1257         +35
      seed 64        1037  1072         +35

      largest losses  ./v1  ./v2  difference
      seed 10         1111  1106          -5
      seed 15         1037  1032          -5
      seed 20         1222  1217          -5
      seed 25         1148  1143          -5
      seed 30         1074  1069          -5

      Only ./v2 has played 2 boards: seed 81, seed 82.
    ");
    assert_eq!(output.status.code(), Some(0));
    let reversed = runs.compare(&["new", "old"]);
    assert!(reversed.out().starts_with("./v1 is worse than ./v2\n"));
    assert_eq!(reversed.status.code(), Some(1), "a bot that is worse");
}

#[test]
fn a_comparison_says_when_it_shows_nothing_and_what_would() {
    let runs = Runs::new()
        .run("old", "a", &scores(80, |n| 1000 + n))
        .run("new", "b", &scores(80, |n| 1000 + n + (n % 9) * 20 - 75))
        .run("few", "c", &[1, 2, 3]);
    let same = runs.compare(&["old", "new"]).out();
    assert!(same.starts_with("no difference shown between b and a\n  About "), "{same}");
    assert!(same.contains("more boards would settle a difference of this size."), "{same}");
    let few = runs.compare(&["old", "few"]).out();
    let expected = "too few boards to compare c with a\n  A verdict requires 60 boards: play 57 more \
                    boards with both bots.\n";
    assert!(few.starts_with(expected), "{few}");
    let itself = runs.compare(&["old", "old"]).out();
    assert!(itself.starts_with("no difference shown between "), "{itself}");
    assert!(!itself.contains("would settle"), "{itself}");
}

#[test]
fn few_boards_fail_a_bot_that_is_worse_on_nearly_all() {
    let runs = Runs::new()
        .run("old", "a", &scores(30, |n| 1000 + n))
        .run("new", "b", &scores(30, |n| 990 + n))
        .run("even", "c", &scores(30, |n| if n % 2 == 0 { 1100 } else { 900 }));
    let worse = runs.compare(&["old", "new"]).exits(1).out();
    let expected = "b scores worse than a on 30 of 30 boards\n  A verdict on the mean requires 60 boards: play 30 more \
                    boards with both bots.\n";
    assert!(worse.starts_with(expected), "{worse}");
    let better = runs.compare(&["new", "old"]).exits(0).out();
    assert!(better.starts_with("a scores better than b on 30 of 30 boards\n"), "{better}");
    let even = runs.compare(&["old", "even"]).exits(0).out();
    assert!(even.starts_with("too few boards to compare c with a\n"), "{even}");
    let decides = "On fewer than 60 boards only the sign test decides, at p < 0.0001";
    for (shown, here) in [(&worse, "; here p < 0.0001."), (&even, "; here p = 1.0000.")] {
        assert!(shown.contains(&format!("{decides}{here}")), "{shown}");
        assert!(!shown.contains("guarded interval and p decide"), "{shown}");
    }
    let equal = runs.compare(&["new", "new"]).exits(0).out();
    assert!(equal.starts_with("no difference between "), "{equal}");
    assert!(equal.contains(" on 30 of 30 boards\n"), "{equal}");
    let all = runs.compare(&["old", "new", "even"]).exits(1).out();
    assert!(all.contains("worse on most boards") && all.contains("too few boards"), "{all}");
    assert!(all.contains(&format!("{decides}, once adjusted for 2 comparisons (Holm)")), "{all}");
    let junit = runs.compare(&["old", "new", "--format", "junit"]).exits(1).out();
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("sign test p &lt; 0.0001"),
        "{junit}"
    );
    let json = runs.compare(&["old", "new", "--format", "json"]).exits(1).json();
    assert_eq!(
        (&json[0]["conclusion"], &json[0]["most_boards"]),
        (&"too_few_games".into(), &"worse".into())
    );
}

#[test]
fn the_difference_of_scores_that_are_0_or_1_has_digits() {
    let old = scores(200, |n| n % 2);
    let new = scores(200, |n| if n % 10 == 0 { 1 } else { n % 2 });
    let runs = Runs::new().run("old", "a", &old).run("new", "b", &new);
    let text = runs.compare(&["old", "new"]).exits(0).out();
    assert!(text.starts_with("b is better than a\n"), "{text}");
    assert!(text.contains("  +0.100  +0.058 to +0.142  "), "{text}");
    let means = runs.referee(&["show", "new"]).out();
    assert!(means.contains("  120  0.60\n"), "{means}");
}

#[test]
fn a_bot_that_loses_some_of_its_games_on_each_board_does_not_lose_on_more() {
    let runs = Runs::new();
    let mut run = MadeRun::new(&[("a", &[100; 40]), ("b", &[100; 40])]);
    run.plan().repeat = 2;
    let again = run.outcomes.clone().into_iter().map(|outcome| {
        let game = outcome.game + run.outcomes.len();
        Outcome { game, repeat: 2, ..outcome }
    });
    let mut outcomes: Vec<_> = run.outcomes.iter().cloned().chain(again).collect();
    // On the first nine boards b loses both of its games, and a one.
    for outcome in outcomes.iter_mut().filter(|outcome| outcome.board.len() == "seed 9".len()) {
        outcome.won = outcome.bot == "a" && outcome.repeat == 2;
    }
    run.outcomes = outcomes;
    run.save_games(&runs.path("run"));
    let text = runs.compare(&["run"]).out();
    assert!(text.starts_with("too few boards to compare b with a\n"), "{text}");
}

#[test]
fn bots_of_one_name_are_told_apart_by_comments_and_settings_and_else_by_folders() {
    let runs = Runs::new();
    let all = scores(60, |n| 1000 + n);
    for (run, bot, depth, comment) in [
        ("old", "./bot", None, Some("narrow beam")),
        ("new", "./bot", Some("4"), Some("wide beam")),
        ("bare", "./bot", None, None),
        ("other", "v2", None, Some("unused")),
    ] {
        let mut made = MadeRun::new(&[(bot, &all)]);
        let env = depth.map(|depth: &str| ("DEPTH".to_owned(), depth.to_owned()));
        made.plan().bots[0].env = env.into_iter().collect();
        let folder = made.save(&runs.path(run));
        if let Some(comment) = comment {
            folder.set_comment(comment).expect("kept");
        }
    }
    let compared = |args: &[&str]| {
        let out = runs.compare(args).out();
        out.lines().next().expect("a verdict").replace("no difference shown between ", "")
    };
    assert_eq!(
        compared(&["old", "new"]),
        "./bot (wide beam, DEPTH=4) and ./bot (narrow beam, no DEPTH)"
    );
    assert_eq!(compared(&["old", "bare"]), "./bot (bare) and ./bot (narrow beam)");
    assert_eq!(compared(&["old", "other"]), "v2 and ./bot");
}

#[test]
fn rules_that_differ_are_named_unless_they_change_no_score() {
    let runs = better();
    let warned = |change: &dyn Fn(&mut referee::suite::Plan)| {
        let mut made = MadeRun::new(&[("./v3", &scores(80, |n| 1000 + n))]);
        change(made.plan());
        let _ = fs::remove_dir_all(runs.path("third"));
        made.save(&runs.path("third"));
        runs.compare(&["old", "third"]).err()
    };
    let limit = |plan: &mut referee::suite::Plan| {
        plan.rules.limits = [(LimitKind::Turn, Duration::from_millis(100))].into();
        plan.rules.profile = Profile::Relaxed;
    };
    let expected = "old and third were played under different rules, which may change scores: turn unlimited, not 100 ms; profile \
                    official, not relaxed";
    assert!(warned(&limit).contains(expected), "{}", warned(&limit));
    let retry = |plan: &mut referee::suite::Plan| plan.rules.on_host_delay = OnHostDelay::Retry;
    assert_eq!(warned(&retry), "");
}

#[test]
fn a_plan_says_how_many_boards_a_difference_takes() {
    let runs = Runs::new().run("old", "a", &scores(80, |_| 1000)).run(
        "new",
        "b",
        &scores(80, |n| if n % 2 == 0 { 1050 } else { 950 }),
    );
    let plan = |args: &[&str]| {
        let output = runs.compare(&[&["old", "new"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        output.out()
    };
    assert_snapshot!(plan(&["--plan", "1%"]), @"
    Boards to show a difference of 1%

                   boards so far  deviation  difference  compare  --against
      b against a             80       50.3        10.0      201        250

      compare shows such a difference in four of five comparisons on this many boards. Differences and scores are taken to vary as on the boards so far that both finish.
    ");
    let points = plan(&["--plan", "10", "--risk", "5%"]);
    assert!(points.contains("Boards to show a difference of 10\n"), "{points}");
    assert!(!points.contains(" 201 "), "a greater risk takes fewer boards: {points}");
    assert!(
        plan(&["--plan", "0"]).trim_end().contains(" -  "),
        "no number of boards shows nothing"
    );
}

#[test]
fn games_that_the_host_ended_are_no_result_and_the_comparison_says_how_many() {
    let runs = Runs::new().run("quiet", "a", &scores(80, |n| 1000 + n));
    for (run, culprit) in [("busy", Culprit::Host), ("slow", Culprit::Bot)] {
        let late = MadeRun::new(&[("a", &scores(80, |n| 1000 + n))]).late(&[3, 20, 71], culprit);
        late.save(&runs.path(run));
    }
    let found = |run: &str| runs.compare(&["quiet", run, "--format", "json"]).json()[0].take();
    let (busy, slow) = (found("busy"), found("slow"));
    assert_eq!((&busy["pairs"], &busy["lost_by_host"]), (&77.into(), &3.into()), "{busy}");
    assert_eq!(busy["interval"], json!([0.0, 0.0]), "a bot against itself");
    assert_eq!((&slow["pairs"], &slow["lost_by_host"]), (&80.into(), &0.into()), "{slow}");
    assert!(slow["mean"].as_f64().expect("a number") < -30.0, "{slow}");
    let text = runs.compare(&["quiet", "busy"]).out();
    let left_out = "\n  3 games are left out: lost to a delay by the host.\n";
    assert!(text.contains(left_out), "{text}");
    assert!(!runs.compare(&["quiet", "slow"]).out().contains("left out"));
}

#[test]
fn comparisons_have_a_report_for_every_reader() {
    let runs = better();
    let report = |format: &str| runs.compare(&["old", "new", "--format", format]);
    assert_snapshot!(report("markdown").out(), @"
    ### ./v2 is better than ./v1

    |  | boards | higher | even | lower | mean | 95 % interval | guarded interval | p |
    |---|---:|---:|---:|---:|---:|---:|---:|---:|
    | all boards | 80 | 64 | 0 | 16 | +15.0 | +11.8 to +18.2 | +9.4 to +20.6 | &lt; 0.0001 |
    | colors 4 | 40 | 32 | 0 | 8 | +15.0 | +10.4 to +19.6 | +4.6 to +25.4 | 0.0060 |
    | colors 5 | 40 | 32 | 0 | 8 | +15.0 | +10.4 to +19.6 | +4.6 to +25.4 | 0.0060 |

    Of 80 boards that both played, ./v2 lost on none (at most 3.7 %), ./v1 on none (at most 3.7 %).

    The mean difference is +1.35 % of ./v1's mean.

    The guarded interval and p decide; they allow for boards not seen. For information: Student's test p &lt; 0.0001, sign test p &lt; 0.0001.

    Only ./v2 has played 2 boards: seed 81, seed 82.
    ");
    assert_snapshot!(report("junit").out(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="referee compare" tests="1" failures="0" errors="0" time="0.000">
        <testsuite name="comparisons" skipped="0" tests="1" failures="0" errors="0" time="0.000">
            <testcase name="./v2 against ./v1" classname="comparisons" time="0.000"/>
        </testsuite>
    </testsuites>
    "#);
    let csv = report("csv").out();
    assert_eq!(csv.lines().count(), 81);
    let first = "baseline,challenger,board,baseline_points,challenger_points,difference";
    assert_eq!(csv.lines().next(), Some(first));
    let json = report("json").json();
    assert_eq!(json[0]["conclusion"], "better");
    assert_eq!(json[0]["boards"].as_array().map(Vec::len), Some(80));
    assert_eq!(json[0]["only_challenger"]["count"], 2);
    let worse = runs.compare(&["new", "old", "--format", "junit"]).out();
    assert!(worse.contains("failures=\"1\"") && worse.contains("type=\"worse\""), "{worse}");
}

#[test]
fn bots_of_a_run_are_compared_by_name() {
    let folder = tempdir().expect("a folder");
    let run = folder.path().join("run");
    let bots = ["--bot", "@greedy", "--bot", "@first", "--bot", "@random --seed 1"];
    assert_eq!(
        referee()
            .suite(bots)
            .args(["--seed", "1..8", "--run", text(&run)])
            .args(PATIENT)
            .run()
            .status
            .code(),
        Some(0)
    );
    let compare = |args: &[&str]| referee().current_dir(&folder).arg("compare").args(args).run();
    let all = compare(&["run", "--format", "json"]).json();
    let names = |value: &Value| (value["baseline"].clone(), value["challenger"].clone());
    assert_eq!(names(&all[0]), ("@greedy".into(), "@first".into()));
    assert_eq!(names(&all[1]), ("@greedy".into(), "@random --seed 1".into()));
    let two = compare(&["run:@random --seed 1", "run:@greedy", "--format", "json"]).json();
    assert_eq!(two[0]["challenger"], "@greedy");
    assert_eq!(two[0]["pairs"], 8);
}

#[test]
fn runs_that_cannot_be_compared_are_refused_with_a_reason() {
    let runs = better();
    let error = |args: &[&str]| {
        let output = runs.compare(args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        output.err().trim_end().to_owned()
    };
    assert_snapshot!(error(&["old"]), @"error: old has only `./v1` to compare; name another run too, as in `referee compare latest~1 latest`");
    assert_snapshot!(error(&["old", "nope"]), @"error: nope: there is no such folder");
    assert_snapshot!(error(&["old:./v3", "new"]), @"error: old has no bot `./v3`; it has: `./v1`");
    let plan = runs.path("new/run.toml");
    let source = fs::read_to_string(&plan).expect("a plan");
    fs::write(&plan, source.replace("\"samegame\"", "\"square-remover\"")).expect("written");
    assert_snapshot!(error(&["old", "new"]), @"error: old and new are of different games");
    fs::write(&plan, source.replace("format = 1", "format = 9")).expect("written");
    assert_snapshot!(error(&["old", "new"]), @"error: new/run.toml: the run has format 9, and this referee reads format 1");
    fs::write(&plan, source.replace("repeat", "reheat")).expect("written");
    // The line depends on whether the tests run in a clone, whose commit is above it.
    let error = error(&["old", "new"]);
    assert!(error.starts_with("error: new/run.toml:"), "{error}");
    assert!(error.ends_with(":1: missing field `repeat`"), "{error}");
}

#[test]
fn a_suite_has_a_report_for_every_reader() {
    let folder = tempdir().expect("a folder");
    let run = folder.path().join("run");
    let bots = ["--bot", "@first", "--bot", "@misbehaving exit 3 --on-turn 2"];
    let suite = referee().suite(bots).args(["--seed", "1..2", "--run", text(&run)]).args(PATIENT);
    assert_eq!(suite.run().status.code(), Some(1));
    let report = |format: &str| {
        let args = ["resume", "run", "--format", format];
        referee().args(args).current_dir(&folder).run().exits(1).out()
    };
    with_settings!({filters => vec![
        (r"after [0-9.]+ (µs|ms|s)", "after [time]"),
        (r#"time="[0-9.]+""#, r#"time="[time]""#),
        (r"(%|\|) +[0-9.]+ (µs|ms|s)", "$1 [time]"),
    ]}, {
        assert_snapshot!(report("text"), @"
        4 games of samegame, 2 lost

          bot                              games  won  lost  sum   mean  yours/best  slowest turn
          @first                               2    2     0  451  225.5    100.00 % [time]
          @misbehaving exit 3 --on-turn 2      2    0     2    0    0.0      0.00 % [time]

          lost games
               2  @misbehaving exit 3 --on-turn 2 on seed 1: crash: turn 2: the bot exited with status 3 after [time] without answering; see run:2 (and 1 more game like it)

          The run is in run.
        ");
        assert_snapshot!(report("markdown"), @"
        ### 4 games of samegame, 2 lost

        | bot | games | won | lost | sum | mean | yours/best | slowest turn |
        |---|---:|---:|---:|---:|---:|---:|---:|
        | &#64;first | 2 | 2 | 0 | 451 | 225.5 | 100.00 % | [time] |
        | &#64;misbehaving exit 3 --on-turn 2 | 2 | 0 | 2 | 0 | 0.0 | 0.00 % | [time] |

        Lost games:

        - game 2, &#64;misbehaving exit 3 --on-turn 2 on seed 1: crash: turn 2: the bot exited with status 3 after [time] without answering; see run:2 (and 1 more game like it)
        ");
        assert_snapshot!(report("junit"), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="referee suite" tests="4" failures="2" errors="0" time="[time]">
            <testsuite name="@first" skipped="0" tests="2" failures="0" errors="0" time="[time]">
                <testcase name="game 1: seed 1" classname="@first" time="[time]"/>
                <testcase name="game 3: seed 2" classname="@first" time="[time]"/>
            </testsuite>
            <testsuite name="@misbehaving exit 3 --on-turn 2" skipped="0" tests="2" failures="2" errors="0" time="[time]">
                <testcase name="game 2: seed 1" classname="@misbehaving exit 3 --on-turn 2" time="[time]">
                    <failure message="crash: turn 2: the bot exited with status 3 after [time] without answering" type="crash"/>
                </testcase>
                <testcase name="game 4: seed 2" classname="@misbehaving exit 3 --on-turn 2" time="[time]">
                    <failure message="crash: turn 2: the bot exited with status 3 after [time] without answering" type="crash"/>
                </testcase>
            </testsuite>
        </testsuites>
        "#);
    });
    let csv = report("csv");
    assert_eq!(csv.lines().count(), 5);
    let lost = "\n2,@misbehaving exit 3 --on-turn 2,seed 1,,1,crash,false,";
    assert!(csv.contains(lost), "{csv}");
}

#[test]
fn a_suite_can_fail_by_ratio_and_by_a_single_late_answer() {
    let folder = tempdir().expect("a folder");
    let suite =
        |args: &[&str]| referee().current_dir(&folder).arg("suite").args(args).run().status.code();
    let resume =
        |args: &[&str]| referee().current_dir(&folder).arg("resume").args(args).run().status.code();
    let bots = ["--bot", "@greedy", "--bot", "@first", "--seed", "1..10", "--run", "run"];
    assert_eq!(suite(&[&bots[..], &PATIENT].concat()), Some(0));
    assert_eq!(resume(&["run", "--fail-on", "below=0.2"]), Some(0));
    assert_eq!(resume(&["run", "--fail-on", "below=0.99"]), Some(1), "neither wins all");
    assert_eq!(resume(&["run", "--fail-on", "timeout"]), Some(0));
    assert_eq!(resume(&["run", "--fail-on", "below=2"]), Some(2));

    // Two late answers are forgiven, but still reported.
    let config = "profile = 'sdk-soft'\n[sdk-soft]\nextra = '60s'\nforgiven = 200";
    fs::write(folder.path().join("soft.toml"), config).expect("written");
    let late = ["--bot", "@misbehaving late 1500 --on-turn 2", "--seed", "1", "--run", "late"];
    let limits = ["--config", "soft.toml", "--first-turn", "60s", "--turn", "1s"];
    assert_eq!(suite(&[&late[..], &limits].concat()), Some(0));
    assert_eq!(resume(&["late", "--fail-on", "timeout"]), Some(1));
}

/// A time as a shell shows it, such as `0m1.230000s`.
fn seconds(shown: &str) -> f64 {
    let (minutes, seconds) = shown.trim_end_matches('s').split_once('m').expect("minutes");
    60.0 * minutes.parse::<f64>().expect("a number") + seconds.parse::<f64>().expect("a number")
}

#[test]
fn ten_times_as_many_games_take_at_most_twenty_times_as_long_to_compare() {
    let took = |boards: usize| -> f64 {
        let count = i64::try_from(boards).expect("few");
        let runs = Runs::new().run("old", "a", &scores(count, |n| 1000 + n * 7919 % 997)).run(
            "new",
            "b",
            &scores(count, |n| 1003 + n * 6007 % 997),
        );
        // Processor time, since others may want the processor during one of the two.
        let script = "\"$0\" compare old new --format csv; times";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(referee().get_program()).current_dir(&runs.0);
        let text = shell.run().out();
        assert_eq!(
            text.lines().count(),
            1 + boards + 2,
            "a heading, the boards, two lines of times"
        );
        text.lines().last().expect("of what the shell has started").split(' ').map(seconds).sum()
    };
    let (few, many) = (took(1_000), took(10_000));
    assert!(many < 20.0 * few, "{few} {many}");
}

#[test]
fn a_suite_stops_once_it_is_decided_who_is_better() {
    let runs = Runs::new();
    for (name, score) in [("weak", 1), ("strong", 5000)] {
        let run = MadeRun::new(&[(name, &[score; 200])]).on_real_boards();
        run.save(&runs.path(name));
    }
    let suite = |args: &[&str]| {
        referee()
            .current_dir(&runs.0)
            .args(["suite", "--format", "json", "--logs", "none"])
            .args(args)
            .run()
    };
    let resume = |args: &[&str]| {
        let resume = referee().current_dir(&runs.0).args(["resume", "--format", "json"]);
        resume.args(args).run()
    };
    let against = |bot: &str, other: &str, run: &str| {
        let args = ["--bot", bot, "--against", other, "--run", run];
        suite(&[&args[..], &PATIENT].concat())
    };
    let decided = against("@first", "weak", "new");
    assert_eq!(decided.status.code(), Some(0), "{decided:?}");
    let report = decided.json();
    assert_eq!(report["decision"]["bot_is"], "better", "{report}");
    assert_eq!(report["planned"], 200, "the opponent's boards");
    let games = report["games"].as_u64().expect("a number");
    assert!((100..200).contains(&games), "{games}");
    let again = resume(&["new"]).json();
    assert_eq!(again["games"], games, "what is decided stays so");
    assert_eq!(again["decision"], report["decision"]);
    let ratio = suite(
        &[
            &["--bot", "@first", "--against", "weak", "--run", "ratio"][..],
            &["--score", "ratio"],
            &PATIENT,
        ]
        .concat(),
    )
    .json();
    let decision = &ratio["decision"];
    assert_eq!((&decision["bot_is"], &decision["measure"]), (&"better".into(), &"ratio".into()));
    assert!(
        decision["mean"].as_f64().is_some_and(|mean| (90.0..100.0).contains(&mean)),
        "{decision}"
    );
    assert_eq!(resume(&["ratio"]).json()["decision"], *decision, "the run keeps its measure");
    let worse = against(LOSER, "strong", "back");
    assert_eq!(worse.status.code(), Some(1), "{worse:?}");
    let decision = &worse.json()["decision"];
    assert_eq!((&decision["bot_is"], &decision["opponent"]), (&"worse".into(), &"strong".into()));
}

#[test]
fn verdicts_on_many_bots_are_adjusted_for_their_number() {
    let mut runs = Runs::new().run("old", "base", &scores(80, |n| 1000 + 2 * (n % 7)));
    for bot in 0..8 {
        // A small difference, which alone would be significant.
        let with_luck = |n: i64| 1000 + 2 * (n % 7) + (n * (7 + bot) % 11) * 3 - 11;
        runs = runs.run(&format!("new{bot}"), &format!("b{bot}"), &scores(80, with_luck));
    }
    let alone = runs.compare(&["old", "new0", "--format", "json"]).json();
    assert_eq!(alone[0]["conclusion"], "better", "{}", alone[0]["mean_p"]);
    let names: Vec<String> = (0..8).map(|bot| format!("new{bot}")).collect();
    let mut args = vec!["old"];
    args.extend(names.iter().map(String::as_str));
    let among = runs.compare(&[&args[..], &["--format", "json"]].concat()).json();
    let p = |value: &Value, name: &str| value[name].as_f64().expect("a number");
    assert!(p(&among[0], "adjusted_p") > p(&alone[0], "adjusted_p"));
    assert_eq!(among[0]["mean_p"], alone[0]["mean_p"], "shown as it is too");
    let text = runs.compare(&args).out();
    assert_eq!(text.matches("Adjusted for 8 comparisons (Holm), the verdict's p ").count(), 8);
}

#[test]
fn a_suite_stops_when_bots_are_even_and_says_how_to_go_on_when_the_boards_run_out() {
    // As bad as a bot that loses.
    let runs = Runs::new();
    MadeRun::new(&[("old", &[0; 120])]).on_real_boards().save(&runs.path("old"));
    let suite = |args: &[&str]| {
        referee().current_dir(&runs.0).args(["suite", "--logs", "none"]).args(args).run()
    };
    let resume = |args: &[&str]| referee().current_dir(&runs.0).arg("resume").args(args).run();
    let against = |margin: &str, run: &str| {
        let args = ["--bot", LOSER, "--against", "old", "--run", run];
        suite(&[&args[..], &[&format!("--config=suite.margin={margin}")], &PATIENT].concat()).out()
    };
    let even = against("10", "even");
    let games = even.split(" of 120 games of samegame, ").next().and_then(|it| it.parse().ok());
    assert!(games.is_some_and(|games: u32| (100..120).contains(&games)), "{even}");
    let expected = format!("  {LOSER} and old are even within 10.0 points: +0.0 points a board (");
    assert!(even.lines().any(|line| line.starts_with(&expected)), "{even}");
    let open = against("0", "open");
    let expected = format!("  not decided yet: {LOSER} against old: +0.0 points a board (");
    let line = open.lines().find(|line| line.starts_with(&expected)).expect("the decision");
    let hint = " on 120 boards. Play both bots on more boards to go on";
    assert!(line.ends_with(hint), "{line}");
    let again = resume(&["even", "--format", "json"]).json();
    assert_eq!(again["decision"]["bot_is"], "even");
    let said = suite(&["--against", "old", "--config=suite.margin=much"]).err();
    assert!(said.contains("`much` is neither a percentage such as 0.5% nor points"), "{said}");
}
