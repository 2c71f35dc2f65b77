//! Certificates, culprits and decisions on late answers. Margins hold on a loaded machine; how
//! exact the figures are on an idle one is in docs/timing.md.

use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::Value;

use crate::support::{
    PATIENT, has_host_part, has_program, json, keepers, leave_out, referee, unspoilt, wait_until,
};

fn play(args: &[&str]) -> Value {
    json(&referee().args(["play", "--format", "json"]).args(args).output().expect("runs"))
}

fn overruns(result: &Value) -> (i64, i64) {
    let count = |culprit| result["timing"]["overruns"][culprit].as_i64().expect("a count");
    (count("bot"), count("host"))
}

#[test]
fn each_exchange_has_a_certificate() {
    let _alone = crate::alone();
    let result = play(
        &[&["--bot", "@thinker --compute 20", "--board", "@clearable"], &PATIENT[..]].concat(),
    );
    let exchanges = result["timing"]["exchanges"].as_array().expect("an array");
    assert_eq!(exchanges.len(), 21);
    for exchange in exchanges {
        let number =
            |field: &str| exchange[field].as_f64().unwrap_or_else(|| panic!("{field}: {exchange}"));
        // Two ticks of the coarsest scheduler, since the counters may lag behind.
        assert!(
            number("cpu_ms") >= 0.0 && number("cpu_ms") <= number("wall_ms") + 20.0,
            "{exchange}"
        );
        assert!(number("wall_ms") >= 20.0, "{exchange}");
        assert!(number("peak_memory_bytes") > 100_000.0, "{exchange}");
        assert!(number("context_switches") >= 1.0, "it slept until its turn: {exchange}");
        for always_there in ["wait_ms", "referee_wait_ms", "page_faults"] {
            number(always_there);
        }
    }
    let cpu: f64 =
        exchanges.iter().map(|exchange| exchange["cpu_ms"].as_f64().expect("a number")).sum();
    assert!(cpu > 21.0 * 15.0, "most of the computing shows: {cpu} ms");
}

#[test]
fn what_a_bots_own_children_use_counts() {
    let _alone = crate::alone();
    let bot =
        format!("sh -c '\"{}\" bot thinker --compute 30; true'", env!("CARGO_BIN_EXE_referee"));
    let result = play(&[&["--bot", &bot, "--board", "@clearable"], &PATIENT[..]].concat());
    let exchanges = result["timing"]["exchanges"].as_array().expect("an array");
    let cpu: f64 =
        exchanges.iter().map(|exchange| exchange["cpu_ms"].as_f64().expect("a number")).sum();
    assert!(cpu > 21.0 * 20.0, "{cpu} ms behind a shell");
}

#[test]
fn a_sleeping_bot_is_late_by_its_own_fault() {
    let _alone = crate::alone();
    let args = ["--bot", "@thinker --sleep 4000", "--first-turn", "1s"];
    let result = unspoilt(has_host_part, || play(&args));
    assert_eq!(result["verdict"], "timeout");
    assert_eq!(overruns(&result), (1, 0), "{result}");
    let diagnosis = result["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("the bot's fault: in 1"), "{diagnosis}");
}

#[test]
fn chatter_does_not_extend_a_deadline() {
    let _alone = crate::alone();
    let args = ["--first-turn", "1s", "--bot", "@misbehaving chatter"];
    let result = unspoilt(has_host_part, || play(&args));
    assert_eq!(result["verdict"], "timeout");
    assert!(result["timing"]["first_turn"]["wall_ms"].as_f64().expect("a number") < 20_000.0);
    let diagnosis = result["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("it had written `xxx"), "{diagnosis}");
}

#[test]
fn sdk_soft_forgives_two_late_answers_and_not_the_third() {
    let _alone = crate::alone();
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(&config, "profile = 'sdk-soft'\n[sdk-soft]\nextra = '60s'").expect("written");
    let args =
        ["--bot", "@thinker --sleep 300", "--first-turn", "60s", "--turn", "100ms", "--config"];
    let log = folder.path().join("game.jsonl");
    let log = ["--log", log.to_str().expect("UTF-8")];
    let args = [&args[..], &[config.to_str().expect("UTF-8")], &log].concat();
    let result = unspoilt(has_host_part, || play(&args));
    assert_eq!(result["verdict"], "timeout", "{result}");
    assert_eq!(result["turns"], 4, "turns 2 and 3 are forgiven");
    let diagnosis = result["diagnosis"].as_str().expect("text");
    let forgiven = "2 turns answered late, and forgiven (the first is turn 2)";
    assert!(diagnosis.contains(forgiven), "{diagnosis}");
    let replayed =
        json(&referee().args(["replay", "--format", "json", log[1]]).output().expect("runs"));
    assert_eq!(replayed["agrees"], true, "a late reply that is whole is a timeout: {replayed}");
}

#[test]
fn sdk_soft_waits_no_longer_than_it_says() {
    let _alone = crate::alone();
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(&config, "profile = 'sdk-soft'\n[sdk-soft]\nextra = '500ms'").expect("written");
    let args = ["--bot", "@thinker --sleep 5000", "--first-turn", "100ms", "--config"];
    let result = play(&[&args[..], &[config.to_str().expect("UTF-8")]].concat());
    assert_eq!((&result["verdict"], &result["turns"]), (&"timeout".into(), &1.into()));
    assert!(result["timing"]["first_turn"]["wall_ms"].as_f64().expect("a number") >= 600.0);
}

/// How late a thread on core 0 is at most, in ms, that wakes every 25 ms as a referee does.
fn longest_of_sixty_wakes() -> f64 {
    let measure = || {
        let mut core = CpuSet::new();
        core.set(0);
        sched_setaffinity(None, &core).expect("there is a core 0");
        let step = Duration::from_millis(25);
        let late = (0..60).map(|_| {
            let start = Instant::now();
            sleep(step);
            start.elapsed().saturating_sub(step)
        });
        late.max().expect("sixty").as_secs_f64() * 1000.0
    };
    std::thread::spawn(measure).join().expect("no panic")
}

/// Hogs on one core, for as long as it lives, and no longer than the test that made it, which may be killed.
pub(crate) struct Hogs(Vec<Child>);

impl Hogs {
    pub(crate) fn on_core(core: &str, count: usize) -> Self {
        let hog = || {
            // In sessions of their own, as a bot is: Linux may share a core out among sessions.
            let mut hog = Command::new("setsid");
            hog.args(["setpriv", "--pdeathsig", "KILL", "taskset", "-c", core])
                .args(["sh", "-c", "while :; do :; done"])
                .stdin(Stdio::null());
            hog.spawn().expect("runs")
        };
        let hogs: Vec<Child> = (0..count).map(|_| hog()).collect();
        for hog in &hogs {
            // On a busy machine it may take a while until each of them computes.
            let name = format!("/proc/{}/comm", hog.id());
            wait_until("a hog", || fs::read_to_string(&name).is_ok_and(|name| name == "sh\n"));
        }
        Self(hogs)
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for hog in &mut self.0 {
            // It may have ended already.
            let _ = hog.kill();
            let _ = hog.wait();
        }
    }
}

/// A game of one move for a bot that computes for 200 ms under a limit of 400 ms, on a core where six
/// others want to compute.
fn starved(more: &[&str]) -> Value {
    let args = ["--seed", "7", "--colors", "1", "--first-turn", "400ms"];
    let _hogs = Hogs::on_core("0", 6);
    // The bot gets the core from its referee: a core that it chose itself would be its own fault.
    let output = Command::new("taskset")
        .args(["-c", "0", env!("CARGO_BIN_EXE_referee"), "play", "--format", "json"])
        .args(args)
        .args(["--bot", "@thinker --compute 200"])
        .args(more)
        .output();
    json(&output.expect("runs"))
}

/// The parts of an exchange's time, which add up to it.
fn parts(exchange: &Value) -> &Value {
    let parts = &exchange["parts"];
    let names =
        ["computed_ms", "kept_waiting_ms", "taken_ms", "referee_ms", "asleep_ms", "unknown_ms"];
    let sum: f64 = names.iter().map(|name| parts[name].as_f64().expect("a part")).sum();
    let wall = exchange["wall_ms"].as_f64().expect("a number");
    assert!((sum - wall).abs() < 0.01, "{exchange}");
    parts
}

#[test]
fn a_core_that_a_bot_chose_itself_is_its_own_fault() {
    let _alone = crate::alone();
    if !has_program("taskset") {
        return leave_out("a bot that chooses its core", "there is no taskset on this machine");
    }
    if std::thread::available_parallelism().expect("known").get() < 2 {
        return leave_out("a bot that chooses its core", "this machine has one core");
    }
    let bot = format!("taskset -c 0 '{}' bot thinker --compute 200", env!("CARGO_BIN_EXE_referee"));
    let _hogs = Hogs::on_core("0", 6);
    // The hogs do not count as the host; a machine that stands still does, and so does a referee that has to wait.
    let is_spoilt = |result: &Value| {
        let parts = parts(&result["timing"]["exchanges"][0]);
        let host = ["taken_ms", "referee_ms"].map(|part| parts[part].as_f64().expect("a time"));
        host.iter().sum::<f64>() > 0.0 && has_host_part(result)
    };
    let args = ["--seed", "7", "--colors", "1", "--first-turn", "400ms", "--bot", &bot];
    let result = unspoilt(is_spoilt, || play(&args));
    assert_eq!(overruns(&result), (1, 0), "{result}");
    let parts = parts(&result["timing"]["exchanges"][0]);
    assert_eq!(parts["kept_waiting_ms"], 0.0, "{parts}");
    assert_eq!(parts["own_scheduling"], true, "{parts}");
    let diagnosis = result["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("since it chose its own niceness, policy or cores"), "{diagnosis}");
}

#[test]
fn a_starved_bot_is_late_by_the_hosts_fault_and_the_user_decides() {
    let _alone = crate::alone();
    if !has_program("taskset") {
        return leave_out("a starved bot", "there is no taskset on this machine");
    }
    fail_for_the_host();
    retry_for_the_host();
}

fn fail_for_the_host() {
    let failed = starved(&[]);
    assert_eq!(failed["verdict"], "timeout", "{failed}");
    assert_eq!(overruns(&failed), (0, 1), "{failed}");
    let diagnosis = failed["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("the host's fault: in "), "{diagnosis}");
    let waited = failed["timing"]["exchanges"][0]["wait_ms"].as_f64().expect("a number");
    assert!(waited > 100.0, "six others were on its core: {failed}");
    let kept = parts(&failed["timing"]["exchanges"][0])["kept_waiting_ms"].as_f64();
    assert!(kept.expect("a number") > 100.0, "{failed}");
}

fn retry_for_the_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    let retried = starved(&["--on-host-delay", "retry", "--log", path]);
    let read = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("a good log");
    assert_eq!(overruns(&retried), (0, 1), "{retried}");
    assert_eq!(read.start.retried.len(), 2, "{:?}", read.start.retried);
    for spoilt in &read.start.retried {
        assert!(spoilt.contains("the host's fault"), "{spoilt}");
        // The hogs stay.
        assert!(spoilt.contains("; the referee waited 5"), "{spoilt}");
    }
}

#[test]
fn only_the_referees_wait_that_delayed_a_reply_counts() {
    let _alone = crate::alone();
    if !has_program("taskset") {
        return leave_out("a starved referee", "there is no taskset on this machine");
    }
    // The referee wakes every 25 ms to sample the bot, and waits for its core each time.
    let _hogs = Hogs::on_core("0", 6);
    let mut play = Command::new("taskset");
    play.args(["-c", "0", env!("CARGO_BIN_EXE_referee"), "play", "--format", "json"]).args([
        "--bot",
        "@thinker --sleep 1500",
        "--seed",
        "7",
        "--colors",
        "1",
    ]);
    let play = play.stdout(Stdio::piped()).spawn().expect("runs");
    let longest = longest_of_sixty_wakes();
    let result = json(&play.wait_with_output().expect("runs"));
    let exchange = &result["timing"]["exchanges"][0];
    let wait = exchange["referee_wait_ms"].as_f64().expect("a number");
    assert!(wait < 2.0 * longest + 20.0, "one wake, and others take {longest} ms: {exchange}");
}

#[test]
fn a_bot_that_starves_itself_has_nobody_else_to_blame() {
    let _alone = crate::alone();
    if !has_program("taskset") {
        return leave_out("a bot that starves itself", "there is no taskset on this machine");
    }
    let bot = format!(
        "taskset -c 0 sh -c 'for i in 1 2 3 4 5 6; do (while :; do :; done) & done; \
         exec \"{}\" bot thinker --compute 200'",
        env!("CARGO_BIN_EXE_referee")
    );
    let args = ["--seed", "7", "--colors", "1", "--first-turn", "400ms", "--bot", &bot];
    let late = || play(&[&args[..], &["--on-host-delay", "accept"]].concat());
    let result = unspoilt(has_host_part, late);
    assert_eq!(overruns(&result), (1, 0), "{result}");
}

#[test]
fn a_late_answer_of_the_hosts_making_counts_if_the_user_wants_it() {
    let _alone = crate::alone();
    if !has_program("taskset") {
        return leave_out("a starved bot", "there is no taskset on this machine");
    }
    let accepted = starved(&["--on-host-delay", "accept"]);
    assert_eq!(overruns(&accepted), (0, 1), "{accepted}");
    // With still more load than the hogs make, even the second that is waited is too short.
    let overrun = &accepted["timing"]["first_turn"]["overrun"]["decision"];
    let verdict = if overrun == "accepted" { "completed" } else { "timeout" };
    assert_eq!(accepted["verdict"], verdict, "{accepted}");
}

fn timing(args: &[&str]) -> Output {
    referee().arg("timing").args(args).output().expect("runs")
}

#[test]
fn timing_measures_every_turn_of_every_game() {
    let _alone = crate::alone();
    let patient = ["--first-turn", "60s", "--turn", "60s", "--format", "json"];
    let output =
        timing(&[&["--bot", "@first", "--seed", "1..2", "--games", "3"], &patient[..]].concat());
    let report = json(&output);
    assert_eq!(report["games"], 3);
    assert_eq!(report["turns"][0]["kind"], "first_turn");
    assert_eq!(report["turns"][0]["count"], 3);
    assert_eq!(report["turns"][1]["kind"], "turn");
    assert_eq!(report["turns"][1]["limit_ms"], 60_000.0);
    assert!(report["turns"][1]["margin"].as_f64().expect("a number") > 0.0);
    assert_eq!(report["slowest"].as_array().expect("an array").len(), 10);
    assert!(report["slowest"][0]["choices"].as_u64().expect("regions") > 0);
    assert_eq!(report["broken_by_bot"], false);
    assert_eq!(report["timeout_per_game"]["estimate"], 0.0);
    let passes = report["passes"].as_array().expect("an array");
    assert!(passes.iter().all(|pass| pass["passes"] == true && pass["games"] == 3), "{report}");
    assert!(report["host"]["smallest_limit_ms"].as_f64().expect("a number") > 0.0);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn timing_goes_on_beyond_the_limit_and_says_who_was_late() {
    let _alone = crate::alone();
    let args = ["--bot", "@thinker --sleep 150", "--board", "@clearable", "--turn", "50ms"];
    let args = [&args[..], &["--first-turn", "60s", "--patience", "60s", "--format", "json"]];
    let overruns = |report: &Value| {
        ["bot_overruns", "host_overruns"]
            .map(|culprit| report["turns"][1][culprit].as_i64().expect("a count"))
    };
    let is_spoilt = |output: &Output| overruns(&json(output))[1] > 0;
    let output = unspoilt(is_spoilt, || timing(&args.concat()));
    let report = json(&output);
    assert_eq!(report["turns"][1]["count"], 20, "the game went on: {report}");
    assert_eq!(overruns(&report), [20, 0], "{report}");
    assert_eq!(report["lost"], serde_json::json!([]));
    assert_eq!(report["timeout_per_submission"]["estimate"], 1.0);
    let passes: Vec<_> =
        report["passes"].as_array().expect("an array").iter().map(|pass| &pass["passes"]).collect();
    // Three times the limit: too late for all profiles but `relaxed`.
    assert_eq!(passes, [false, false, true], "{report}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_slower_judge_scales_the_times() {
    let _alone = crate::alone();
    let args = ["--bot", "@thinker --sleep 120", "--board", "@clearable"];
    let args = [&args[..], &["--first-turn", "10s", "--turn", "10s", "--scale"]].concat();
    let kept = timing(&[&args[..], &["1"]].concat());
    assert_eq!(kept.status.code(), Some(0), "{kept:?}");
    let broken = timing(&[&args[..], &["100"]].concat());
    assert_eq!(broken.status.code(), Some(1));
    let text = String::from_utf8(broken.stdout).expect("UTF-8");
    assert!(text.contains("Times are shown 100 times as long, for a slower judge."), "{text}");
    assert!(
        text.contains("@thinker --sleep 120 breaks its limits: 1 game of samegame, 21 turns"),
        "{text}"
    );
    // The culprit of each of the twenty depends on the load: 0.1 s is soon stolen.
    let later = text.lines().find(|line| line.contains("later turns")).expect("a row of the table");
    assert!(later.contains(" 20 ") && later.replace(' ', "").contains("10s-"), "{text}");
}

#[test]
fn a_bot_that_crashes_is_reported_as_lost() {
    let _alone = crate::alone();
    let output = timing(&[
        "--bot",
        "@misbehaving exit 3 --on-turn 2",
        "--seed",
        "1..2",
        "--first-turn",
        "60s",
        "--turn",
        "60s",
    ]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("lost seed 1: crash: turn 2: the bot exited with status 3"), "{text}");
    assert!(text.contains("lost seed 2: crash"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn timing_writes_csv_and_svg() {
    let _alone = crate::alone();
    let folder = tempfile::tempdir().expect("a folder");
    let svg = folder.path().join("times.svg");
    let args = [
        "--bot",
        "@first",
        "--board",
        "@clearable",
        "--first-turn",
        "60s",
        "--turn",
        "60s",
        "--format",
        "csv",
        "--svg",
    ];
    let output = timing(&[&args[..], &[svg.to_str().expect("UTF-8")]].concat());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 22, "a heading and 21 turns");
    assert!(
        lines[0].starts_with("game,board,turn,kind,wall_ms,limit_ms,cpu_ms,wait_ms"),
        "{}",
        lines[0]
    );
    assert!(lines[2].starts_with("1,@clearable,2,turn,"), "{}", lines[2]);
    let image = fs::read_to_string(&svg).expect("an image");
    assert!(image.starts_with("<svg ") && image.ends_with("</svg>\n"), "{image}");
    assert!(image.contains("later turns: 20 turns, limit 60 s"), "{image}");
}

#[test]
fn the_host_check_stands_alone() {
    let _alone = crate::alone();
    let output = timing(&["--host"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for part in [
        "round trip of an echo child:",
        "waking up late:",
        "it can be told here, now, whose fault a late turn is",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert_eq!(output.status.code(), Some(0));
    let report = json(&timing(&["--host", "--format", "json"]));
    assert_eq!(report["host"]["round_trip"]["count"], 300);
    assert!(report.get("bot").is_none());
}

#[test]
fn square_remover_is_timed_as_a_whole() {
    let _alone = crate::alone();
    let report = json(&timing(&[
        "--game",
        "square-remover",
        "--bot",
        "@squares-random",
        "--seed",
        "1..3",
        "--format",
        "json",
    ]));
    assert_eq!(report["turns"][0]["kind"], "total");
    assert_eq!(report["turns"][0]["count"], 3);
}

/// The cores that a process may use, as the kernel shows them.
fn cores_of(bot: &str, more: &[&str]) -> Value {
    let script = format!("grep Cpus_allowed_list /proc/self/status >&2; exec {bot}");
    play(&[more, &PATIENT, &["--board", "@clearable", "--", "sh", "-c", &script]].concat())
}

/// The cores of any running process.
fn cores_allowed(pid: u32) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find(|line| line.starts_with("Cpus_allowed_list:")).map(str::to_owned)
}

#[test]
fn a_pinned_bot_has_cores_of_its_own_and_too_few_are_refused() {
    let _alone = crate::alone();
    let cores = std::thread::available_parallelism().expect("known").get();
    let too_many = cores.to_string();
    let output =
        referee().args(["play", "--pin", "--cores-per-bot", &too_many]).output().expect("runs");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(error.contains(&format!("the referee need {} cores", cores + 1)), "{error}");
    if cores < 2 {
        return leave_out("a pinned bot", "this machine has one core");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let bot = format!("'{}' bot first", env!("CARGO_BIN_EXE_referee"));
    let result = cores_of(&bot, &["--pin", "--log", log.to_str().expect("UTF-8")]);
    assert_eq!(result["verdict"], "completed", "{result}");
    let read = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("a good log");
    let pinned = read.start.bot.cores.expect("logged");
    assert_eq!(pinned.len(), 1);
    let said = result["stderr_tail"][0].as_str().expect("a line").to_owned();
    assert_eq!(said, format!("Cpus_allowed_list:\t{}", pinned[0]));
}

/// Waits until the sampled value is as expected, and returns it.
pub(crate) fn watched(look: impl Fn() -> String, is_good: impl Fn(&str) -> bool) -> String {
    let start = Instant::now();
    loop {
        let seen = look();
        if is_good(&seen) || start.elapsed() > Duration::from_mins(5) {
            return seen;
        }
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_referee_keeps_to_one_core_and_the_keeper_to_those_of_its_bot() {
    let _alone = crate::alone();
    if std::thread::available_parallelism().expect("known").get() < 2 {
        return leave_out("a pinned referee", "this machine has one core");
    }
    let bot = ["play", "--pin", "--bot", "@thinker --sleep 60000"];
    let mut child = referee().args(bot).args(PATIENT).stdout(Stdio::null()).spawn().expect("runs");
    let is_one = |cores: &str| !cores.is_empty() && !cores.contains(['-', ',']);
    let keepers = || {
        let keeper = keepers(child.id()).first().copied();
        keeper
            .and_then(|keeper| cores_allowed(keeper.as_raw_pid().cast_unsigned()))
            .unwrap_or_default()
    };
    let keepers = watched(keepers, is_one);
    // The referee moves to its own core after the first slow answer.
    let is_apart = |cores: &str| is_one(cores) && cores != keepers;
    let referees = watched(|| cores_allowed(child.id()).unwrap_or_default(), is_apart);
    child.kill().expect("it runs");
    child.wait().expect("a child");
    assert!(is_one(&referees) && is_one(&keepers), "{referees} {keepers}");
    assert_ne!(keepers, referees);
}

/// Field 39 of a process's `stat` is the core that it was on last.
fn core_of(stat: &str) -> &str {
    let (_, fields) = stat.rsplit_once(") ").expect("a line of stat");
    fields.split(' ').nth(36).expect("a core")
}

/// Where referee and bot were in the end.
struct InTheEnd {
    referee: String,
    bot: String,
    /// The longest of the later turns, in ms.
    longest: f64,
}

/// Plays a bot that does this in each turn, which is to print `$cores` and answer.
fn cores_in_the_end(turn: &str) -> InTheEnd {
    // Above the keeper is the launcher, and above that the referee.
    let script = format!(
        "parent() {{ read -r stat </proc/$1/stat; set -- ${{stat##*)}}; echo $2; }}; \
        referee=$(parent $(parent $PPID)); \
        cores() {{ for pid in $referee $$; do read -r stat </proc/$pid/stat; echo \"$stat\" >&2; done; }}; \
        while i=1; do \
            while [ $i -le 15 ] && read -r line; do i=$((i+1)); done; [ $i -gt 15 ] || exit 0; {turn}; \
        done"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bot");
    fs::write(&file, script).expect("written");
    let bot = format!("sh '{}'", file.to_str().expect("UTF-8"));
    // A namespace has process numbers of its own.
    let args = ["--pin", "--containment", "reaper", "--board", "@clearable", "--bot", &bot];
    let result = play(&[&args[..], &PATIENT].concat());
    assert_eq!(result["verdict"], "completed", "{result}");
    let said = result["stderr_tail"].as_array().expect("lines");
    let said: Vec<&str> = said.iter().map(|line| line.as_str().expect("text")).collect();
    let [.., referee, bot] = said[..] else { panic!("{said:?}") };
    let later = result["timing"]["exchanges"].as_array().expect("turns").iter().skip(1);
    let longest = later.map(|turn| turn["wall_ms"].as_f64().expect("a time")).fold(0.0, f64::max);
    let [referee, bot] = [referee, bot].map(|stat| core_of(stat).to_owned());
    InTheEnd { referee, bot, longest }
}

#[test]
fn the_referee_is_on_the_core_of_a_bot_that_answers_at_once_and_of_no_other() {
    let _alone = crate::alone();
    if std::thread::available_parallelism().expect("known").get() < 2 {
        return leave_out("a shared core", "this machine has one core");
    }
    // To the referee a bot that waits for its core thinks, if that takes it a millisecond.
    let has_waited = |end: &InTheEnd| end.longest >= 1.0;
    let prompt = unspoilt(has_waited, || cores_in_the_end("echo 0 0; cores"));
    assert!(has_waited(&prompt) || prompt.referee == prompt.bot, "on another core");
    let slow = cores_in_the_end("cores; sleep 0.05; echo 0 0");
    assert_ne!(slow.referee, slow.bot);
}
