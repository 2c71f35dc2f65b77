//! Culprits and decisions on late answers, and times on cores that nobody else wants. Margins hold on a loaded machine; how
//! exact the figures are on an idle one is in docs/timing.md. What holds next to any work is in `tests/timing/certificates.rs`.

use std::io::{BufRead as _, BufReader};

use rustix::thread::{CpuSet, sched_setaffinity};
use support::prelude::*;

fn play(args: &[&str]) -> Value {
    referee().play(["--format", "json"]).args(args).run().json()
}

/// How late a thread on core 0 is at most, in ms, that wakes every 25 ms as a referee does, until this child ends.
fn longest_wake_until_the_end_of(child: &mut Child) -> f64 {
    let measure = || {
        let mut core = CpuSet::new();
        core.set(0);
        sched_setaffinity(None, &core).expect("there is a core 0");
        let (step, mut longest) = (Duration::from_millis(25), Duration::ZERO);
        while child.try_wait().expect("a child").is_none() {
            let start = Instant::now();
            sleep(step);
            longest = longest.max(start.elapsed().saturating_sub(step));
        }
        longest.as_secs_f64() * 1000.0
    };
    std::thread::scope(|scope| scope.spawn(measure).join().expect("no panic"))
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
            hog.start()
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
fn starved(core: &str, more: &[&str]) -> Value {
    let args = ["--seed", "7", "--colors", "1", "--first-turn", "400ms"];
    let _hogs = Hogs::on_core(core, 6);
    // The bot gets the core from its referee: a core that it chose itself would be its own fault.
    Command::new("taskset")
        .args(["-c", core, program(), "play", "--format", "json"])
        .args(args)
        .args(["--bot", "@thinker --compute 200"])
        .args(more)
        .run()
        .json()
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
fn a_starved_bot_is_late_by_the_hosts_fault_and_the_user_decides() {
    let _alone = crate::alone();
    let cores = std::thread::available_parallelism().expect("known").get();
    let other = if cores < 2 { "0" } else { "1" };
    std::thread::scope(|scope| {
        // It mostly waits.
        scope.spawn(|| retry_for_the_host("0"));
        fail_for_the_host(other);
        accept_for_the_host(other);
    });
}

fn fail_for_the_host(core: &str) {
    let failed = starved(core, &[]);
    assert_eq!(failed["verdict"], "timeout", "{failed}");
    assert_eq!(overruns(&failed), (0, 1), "{failed}");
    let diagnosis = failed["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("the host's fault: in "), "{diagnosis}");
    let waited = failed["timing"]["exchanges"][0]["wait_ms"].as_f64().expect("a number");
    assert!(waited > 100.0, "six others were on its core: {failed}");
    let kept = parts(&failed["timing"]["exchanges"][0])["kept_waiting_ms"].as_f64();
    assert!(kept.expect("a number") > 100.0, "{failed}");
}

fn accept_for_the_host(core: &str) {
    let accepted = starved(core, &["--on-host-delay", "accept"]);
    assert_eq!(overruns(&accepted), (0, 1), "{accepted}");
    // With still more load than the hogs make, even the second that is waited is too short.
    let overrun = &accepted["timing"]["first_turn"]["overrun"]["decision"];
    let verdict = if overrun == "accepted" { "completed" } else { "timeout" };
    assert_eq!(accepted["verdict"], verdict, "{accepted}");
}

fn retry_for_the_host(core: &str) {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    let retried = starved(core, &["--on-host-delay", "retry", "--log", path]);
    let read = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("a good log");
    assert_eq!(overruns(&retried), (0, 1), "{retried}");
    assert_eq!(read.start.retried.len(), 2, "{:?}", read.start.retried);
    for disturbed in &read.start.retried {
        assert!(disturbed.contains("the host's fault"), "{disturbed}");
        // The hogs stay, so all of its patience, and its last look as long as they make that.
        let waited = disturbed.split("; the referee waited ").nth(1).expect("how long");
        let seconds = waited.split_once(" s ").expect("seconds").0;
        assert!(seconds.parse::<f64>().expect("a number") >= 5.0, "{disturbed}");
    }
}

/// A suite of one game as in [`starved`], whose hogs go once the referee says that it plays the game again.
fn starved_suite(core: &str, run: &[&str], more: &[&str]) -> Output {
    let place = Place::new();
    // Of one colour, so a game of one turn.
    fs::write(place.path("board"), "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n".repeat(15)).expect("written");
    let board = place.path("board").display().to_string();
    let game = ["--board", &board, "--first-turn", "400ms", "--bot", "@thinker --compute 200"];
    starved_while(core, &[&["suite"], run, &game, more].concat())
}

/// A suite or a resumed one, whose hogs go once the referee says that it plays a game again.
fn starved_while(core: &str, words: &[&str]) -> Output {
    let mut hogs = Some(Hogs::on_core(core, 6));
    let mut suite = Command::new("taskset");
    suite.args(["-c", core, program()]).args(words);
    suite.args(["--jobs", "1", "--config=suite.pin=off"]);
    let mut suite = suite.stdout(Stdio::piped()).stderr(Stdio::piped()).start();
    let mut said = BufReader::new(suite.stderr.take().expect("a pipe"));
    let (mut all, mut line) = (Vec::new(), String::new());
    while said.read_line(&mut line).expect("text") > 0 {
        if line.contains("playing again") {
            hogs = None;
        }
        all.extend(std::mem::take(&mut line).into_bytes());
    }
    drop(hogs);
    Output { stderr: all, ..finished(suite) }
}

#[test]
fn a_suite_plays_games_that_were_lost_to_the_host_again_once_the_machine_is_quiet() {
    let _alone = crate::alone();
    let place = Place::new();
    let run = place.path("run").display().to_string();
    let stays_lost = |lost: Output| {
        assert!(lost.out().starts_with("1 game of samegame, 1 lost to the host\n"), "{lost:?}");
        assert!(!lost.err().contains("playing again"), "{lost:?}");
    };
    stays_lost(starved_suite("0", &["--run", &run], &["--on-host-delay", "fail"]).exits(1));
    // The run knows it when it is resumed.
    stays_lost(starved_while("0", &["resume", &run, "--again", "timeout"]).exits(1));
    // Others than the hogs may still have the core.
    let is_disturbed = |suite: &Output| suite.out().contains("lost to the host");
    let again = undisturbed(is_disturbed, || starved_suite("0", &["--run", "none"], &[]));
    let said = again.err();
    assert!(said.contains("1 game lost to the host; playing again, one at a time"), "{said}");
    assert!(again.out().starts_with("1 game of samegame, 0 lost\n"), "{again:?}");
    let lines = starved_suite("0", &["--run", "none"], &["--format", "jsonl"]);
    let games = lines.out().lines().filter(|line| line.contains("\"type\":\"game\"")).count();
    assert_eq!(games, 1, "the last result alone: {lines:?}");
}

#[test]
fn only_the_referees_wait_that_delayed_a_reply_counts() {
    let _alone = crate::alone();
    // The referee wakes every 25 ms to sample the bot, and waits for its core each time.
    let _hogs = Hogs::on_core("0", 6);
    let mut play = Command::new("taskset");
    play.args(["-c", "0", program(), "play", "--format", "json"]).args([
        "--bot",
        "@thinker --sleep 1500",
        "--seed",
        "7",
        "--colors",
        "1",
    ]);
    let mut play = play.stdout(Stdio::piped()).start();
    let longest = longest_wake_until_the_end_of(&mut play);
    let result = play.wait_with_output().expect("runs").json();
    let exchange = &result["timing"]["exchanges"][0];
    let wait = exchange["referee_wait_ms"].as_f64().expect("a number");
    assert!(wait < 2.0 * longest + 20.0, "one wake, and others take {longest} ms: {exchange}");
}

#[test]
fn a_bot_that_starves_itself_has_nobody_else_to_blame() {
    let _alone = crate::alone();
    let bot = format!(
        "taskset -c 0 sh -c 'for i in 1 2 3 4 5 6; do (while :; do :; done) & done; \
         exec \"{}\" bot thinker --compute 200'",
        program()
    );
    let args = ["--seed", "7", "--colors", "1", "--first-turn", "400ms", "--bot", &bot];
    let late = || play(&[&args[..], &["--on-host-delay", "accept"]].concat());
    let result = undisturbed(has_host_part, late);
    assert_eq!(overruns(&result), (1, 0), "{result}");
}

fn timing(args: &[&str]) -> Output {
    referee().arg("timing").args(args).run()
}

#[test]
fn timing_measures_every_turn_of_every_game() {
    let _alone = crate::alone();
    let patient = ["--first-turn", "60s", "--turn", "60s", "--format", "json"];
    let output =
        timing(&[&["--bot", "@first", "--seed", "1..2", "--games", "3"], &patient[..]].concat());
    let report = output.json();
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
    let is_disturbed = |output: &Output| overruns(&output.json())[1] > 0;
    let output = undisturbed(is_disturbed, || timing(&args.concat()));
    let report = output.json();
    assert_eq!(report["turns"][1]["count"], 20, "the game went on: {report}");
    assert_eq!(overruns(&report), [20, 0], "{report}");
    assert_eq!(report["lost"], json!([]));
    assert_eq!(report["timeout_per_submission"]["estimate"], 1.0);
    let passes: Vec<_> =
        report["passes"].as_array().expect("an array").iter().map(|pass| &pass["passes"]).collect();
    // Three times the limit: too late for all profiles but `relaxed`.
    assert_eq!(passes, [false, false, true], "{report}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn doctor_checks_the_host() {
    let _alone = crate::alone();
    let output = referee().arg("doctor").run();
    let text = output.out();
    for part in
        ["round trip of an echo child:", "waking up late:", "blame can be assigned for limits from"]
    {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert_eq!(output.status.code(), Some(0));
    let report = referee().args(["doctor", "--format", "json"]).run().json();
    assert_eq!(report["timing"]["round_trip"]["count"], 300);
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
    let too_many = (cores + 1).to_string();
    let error = referee().play(["--pin", "--cores-per-bot", &too_many]).run().exits(2).err();
    assert!(error.contains(&format!("the bots need {too_many} cores in all")), "{error}");
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let bot = format!("'{}' bot first", program());
    let result = cores_of(&bot, &["--pin", "--log", log.to_str().expect("UTF-8")]);
    assert_eq!(result["verdict"], "completed", "{result}");
    let read = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("a good log");
    let pinned = read.start.bot.cores.expect("logged");
    assert_eq!(pinned.len(), 1);
    let said = result["stderr_tail"][0].as_str().expect("a line").to_owned();
    assert_eq!(said, format!("Cpus_allowed_list:\t{}", pinned[0]));
}

/// Waits until the sampled value is as expected, and returns it.
fn watched(look: impl Fn() -> String, is_good: impl Fn(&str) -> bool) -> String {
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
fn the_referee_and_the_keeper_keep_to_the_core_of_their_bot() {
    let _alone = crate::alone();
    if std::thread::available_parallelism().expect("known").get() < 2 {
        return leave_out("a pinned referee", "this machine has one core");
    }
    let bot = ["play", "--pin", "--bot", "@thinker --sleep 60000"];
    let mut child = referee().args(bot).args(PATIENT).stdout(Stdio::null()).start();
    let is_one = |cores: &str| !cores.is_empty() && !cores.contains(['-', ',']);
    let keepers = || {
        let keeper = keepers(child.id()).first().copied();
        keeper
            .and_then(|keeper| cores_allowed(keeper.as_raw_pid().cast_unsigned()))
            .unwrap_or_default()
    };
    let keepers = watched(keepers, is_one);
    let referees = watched(|| cores_allowed(child.id()).unwrap_or_default(), is_one);
    child.kill().expect("it runs");
    child.wait().expect("a child");
    assert!(is_one(&referees) && referees == keepers, "{referees} {keepers}");
}

#[test]
fn two_pinned_suites_do_not_share_a_core() {
    let _alone = crate::alone();
    let cores = std::thread::available_parallelism().expect("known").get();
    let place = Place::new();
    place.script("bot", "sleep 60");
    let pinned = |run: &str| {
        let args = ["suite", "--bot", "./bot", "--seed", "1", "--logs", "none", "--run", run];
        let command = place
            .command(&args)
            .args(["--jobs", &cores.to_string(), "--config=suite.pin=always"])
            .patient();
        command.stdout(Stdio::null()).stderr(Stdio::piped()).start()
    };
    let mut first = pinned("first");
    wait_until("it plays", || place.path("first/sessions.jsonl").exists());
    let second = pinned("second").wait_with_output().expect("ends");
    first.kill().expect("SIGKILL");
    first.wait().expect("ends");
    assert_code(&second, 2);
    let said = second.err();
    assert!(said.contains(&format!("of which other suites have {cores}")), "{said}");
    let mut third = pinned("third");
    wait_until("the cores are free again", || place.path("third/sessions.jsonl").exists());
    third.kill().expect("SIGKILL");
    third.wait().expect("ends");
}
