//! Bots that attack the others at the table, compute while they are not asked, or outlive the game.

use super::players::{game, nim, of_seats};
use crate::contain::attacks::kill_marked;
use support::prelude::*;

/// A bot that waits in its first turn until the file `go` is there.
const WAITS: &str = "read -r heap; : >\"$HERE/asked\"; while [ ! -e \"$HERE/go\" ]; do sleep 0.05; done; echo 1\n\
                     while read -r heap; do echo 1; done";

/// A bot that reads and answers.
const ANSWERS: &str = "while read -r heap; do echo 1; done";

/// A game of two in which the second bot is asked for the first time, and answers when it is told to.
struct Held {
    place: Place,
    mark: Mark,
    child: Child,
}

impl Held {
    /// A game against this script.
    fn game_with(script: &str, words: &[&str]) -> Self {
        Self::game_by("env", script, words)
    }

    /// The same, whose referee `starter` executes.
    fn game_by(starter: &str, script: &str, words: &[&str]) -> Self {
        let (place, mark) = (nim(2, "6"), Mark::new());
        place.script("idle", script);
        place.script("waits", WAITS);
        let here = format!("HERE={}", place.folder().display());
        let play = game(&place, &["./idle", "./waits"]).args(["--env", mark.env(), "--env", &here]);
        let play: Command = play.args(["--log", "game.jsonl"]).args(words).into();
        let mut start = Command::new(starter);
        start.arg(play.get_program()).args(play.get_args()).current_dir(place.folder());
        let child = start.stdout(Stdio::null()).stderr(Stdio::null()).start();
        wait_until("it is asked", || place.path("asked").exists());
        Self { place, mark, child }
    }

    /// The processes of the first bot, apart from zombies: the state and the resident memory of each, in KiB.
    fn idle(&self) -> Vec<(char, u64)> {
        let found = self.mark.processes().into_iter().filter(|(_, command)| {
            !command.contains("./waits") && !command.starts_with("sleep 0.05")
        });
        let of = |(pid, _): (u32, String)| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let field = |name| status.lines().find_map(|line| line.strip_prefix(name));
            let memory = field("VmRSS:")?.split_whitespace().next()?.parse().ok()?;
            Some((field("State:")?.trim().chars().next()?, memory))
        };
        found.filter_map(of).collect()
    }

    fn states(&self) -> Vec<char> {
        self.idle().into_iter().map(|(state, _)| state).collect()
    }

    /// Lets the second bot answer. Returns the exit code, and the end in the log.
    fn end(self) -> (Option<i32>, Value) {
        let (code, mut log) = self.log();
        (code, log.pop().expect("an end"))
    }

    /// The same, with the whole log.
    fn log(self) -> (Option<i32>, Vec<Value>) {
        fs::write(self.place.path("go"), "").expect("room");
        let code = finished(self.child).status.code();
        let log = fs::read_to_string(self.place.path("game.jsonl")).expect("a log");
        self.mark.assert_gone();
        (code, log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
    }
}

#[test]
fn a_bot_that_is_not_asked_stands_still_unless_it_may_ponder() {
    for method in ALL_METHODS {
        for ponders in [false, true] {
            let words = ["--containment", method, "--ponder"];
            let words = &words[..2 + usize::from(ponders)];
            let held = Held::game_with(&format!("(while :; do :; done) & {ANSWERS}"), words);
            if ponders {
                wait_until("it runs", || held.states().contains(&'R'));
            } else {
                // The shell that reads, and the one that computes.
                // A process that waits for a core takes its signal when it gets one.
                wait_until("both are stopped", || held.states() == ['T', 'T']);
            }
            let (code, end) = held.end();
            let pondered = end["seats"][0]["ponder_cpu_ms"].as_f64();
            assert_eq!(pondered.is_some_and(|cpu| cpu > 0.0), ponders, "{method}: {end}");
            assert_eq!(code, Some(0), "{method}");
        }
    }
}

/// Answers, and computes without end in a process, or takes as many MiB as it is told to. Timers continue it ten times a second, since
/// the kernel does not repeat one for a signal that is ignored. The first numbers are a `sigevent`: the signal, and 0 for one to the process.
const CONTINUES: &str = "import ctypes, os, signal, sys, time\n\
    libc = ctypes.CDLL(None)\n\
    event, timer = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0), ctypes.c_void_p()\n\
    for tenth in range(1, 600):\n\
    \x20   libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer))\n\
    \x20   time_left = (ctypes.c_long * 4)(0, 0, tenth // 10, tenth % 10 * 100_000_000)\n\
    \x20   libc.timer_settime(timer, 0, time_left, None)\n\
    if len(sys.argv) == 1 and os.fork() == 0:\n\
    \x20   while True: pass\n\
    for line in sys.stdin:\n\
    \x20   print(1, flush=True)\n\
    \x20   held = b'x' * (int(sys.argv[1]) << 20) if len(sys.argv) > 1 else b''\n";

#[test]
fn a_bot_that_continues_itself_is_stopped_again() {
    let Some([python]) = need("a bot that continues itself", ["python3"]) else { return };
    for method in ALL_METHODS {
        let bot = format!("exec {}", shlex::try_join([python, "-c", CONTINUES]).expect("no NUL"));
        let held = Held::game_with(&bot, &["--containment", method]);
        wait_until("it is stopped", || held.states().iter().all(|state| *state == 'T'));
        let looks: Vec<bool> = (0..400)
            .map(|_| {
                sleep(Duration::from_millis(5));
                held.states().iter().all(|state| *state == 'T')
            })
            .collect();
        let stopped = looks.iter().filter(|is_stopped| **is_stopped).count();
        assert!(stopped > looks.len() / 2, "{method}: {stopped} of {}", looks.len());
        let (code, end) = held.end();
        assert_eq!((code, &end["seats"][0]["verdict"]), (Some(0), &json!("completed")), "{method}");
    }
}

#[test]
fn a_stopped_bot_that_exceeds_a_limit_is_killed_at_once() {
    let Some([python]) = need("a bot that continues itself", ["python3"]) else { return };
    for method in ALL_METHODS {
        let words = [python, "-c", CONTINUES, "200"];
        let bot = format!("exec {}", shlex::try_join(words).expect("no NUL"));
        let limits = ["--containment", method, "--memory", "100MiB"];
        let held = Held::game_with(&bot, &limits);
        // The other bot is still asked.
        wait_until("it is gone", || held.idle().is_empty());
        let (code, end) = held.end();
        let verdicts = [&end["seats"][0]["verdict"], &end["seats"][1]["verdict"]];
        assert_eq!(verdicts, ["memory_limit", "completed"], "{method}: {end}");
        assert_eq!(code, Some(1), "{method}");
    }
}

#[test]
fn if_memory_runs_out_the_kernel_kills_the_bot_that_is_asked() {
    for method in ALL_METHODS {
        let says = "while read -r heap; do cat /proc/self/oom_score_adj >&2; echo 1; done";
        let held = Held::game_with(says, &["--containment", method]);
        wait_until("it is stopped", || held.states() == ['T']);
        let badness = |(pid, command): (u32, String)| {
            let badness = fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).ok()?;
            (!command.contains("./waits")).then_some(badness)
        };
        let stopped: Vec<String> = held.mark.processes().into_iter().filter_map(badness).collect();
        assert!(stopped.contains(&"500\n".to_owned()), "{method}: {stopped:?}");
        let (code, log) = held.log();
        let said = |turn: &Value| turn["stderr"].as_str().map(str::to_owned);
        let said: Vec<String> = log.iter().filter_map(said).collect();
        assert_eq!((code, said), (Some(0), vec!["1000\n".to_owned(); 3]), "{method}: {log:?}");
    }
}

/// A judge that asks the first of two players five times, and the other one in between.
const ASKS_IN_TURN: &str = r#"read -r start
for round in 1 2 3 4 5; do
    for player in 0 1; do
        printf '{"ask":"go\\n","player":%s,"limit_ms":60000}\n' "$player"
        read -r reply
    done
done
echo '{"end":"completed","scores":[1,1]}'"#;

/// Thinks for 30 ms of CPU time, answers, and goes on for 15 ms.
const TIDIES: &str = "import sys, time\n\
    def compute(seconds):\n\
    \x20   end = time.process_time() + seconds\n\
    \x20   while time.process_time() < end: pass\n\
    for line in sys.stdin:\n\
    \x20   compute(0.03)\n\
    \x20   print(1, flush=True)\n\
    \x20   compute(0.015)\n";

#[test]
fn a_bot_finishes_after_its_reply_and_pays_nothing_for_it() {
    let Some([python]) = need("a bot that tidies up", ["python3"]) else { return };
    let place = Place::new();
    place.script("asks", ASKS_IN_TURN);
    let settings = "[game.tidy]\nkind = \"judge\"\ncommand = \"./asks\"\nplayers = 2\n";
    fs::write(place.path("referee.toml"), settings).expect("room");
    for method in ALL_METHODS {
        let bots = [bot_line(&[python, "-c", TIDIES]), bot_line(&["sh", "-c", ANSWERS])];
        // Next to other work it may not finish within 100 ms in any turn of a game, and times are less exact.
        let mut thoughts = Vec::new();
        for _ in 0..20 {
            let play = ["play", "--game", "tidy", "--seed", "1", "--containment", method];
            let play = place.command(&play).args(["--log", "game.jsonl", "--force"]);
            let code = play.args(["--bot", &bots[0], "--bot", &bots[1]]).run().status.code();
            assert_eq!(code, Some(0), "{method}");
            let log = fs::read_to_string(place.path("game.jsonl")).expect("a log");
            let turns = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
            let tidies = turns.filter(|turn| turn["type"] == "turn" && turn["seat"].is_null());
            let tidies: Vec<Value> = tidies.collect();
            let finished = tidies.windows(2).filter(|pair| {
                let ran_on = pair[0]["ran_on_ms"].as_f64();
                ran_on.is_some_and(|ms| (5.0..95.0).contains(&ms))
            });
            thoughts.extend(
                finished
                    .map(|pair| pair[1]["certificate"]["cpu_ms"].as_f64().expect("a certificate")),
            );
            if thoughts.len() >= 5 {
                break;
            }
        }
        thoughts.sort_by(f64::total_cmp);
        let median = thoughts.get(thoughts.len() / 2);
        assert!(median.is_some_and(|cpu_ms| *cpu_ms < 40.0), "{method}: {thoughts:?}");
    }
}

#[test]
fn a_bot_that_starts_processes_all_the_time_stands_still_and_is_gone_in_the_end() {
    for method in ALL_METHODS {
        let forks = format!("trap '' HUP TERM; (while :; do (:); done) & {ANSWERS}; sleep 3600");
        let held = Held::game_with(&forks, &["--containment", method]);
        wait_until("all are stopped", || held.states().iter().all(|it| *it == 'T'));
        for _ in 0..50 {
            let states = held.states();
            assert!(
                states.len() >= 2 && states.iter().all(|it| *it == 'T'),
                "{method}: {states:?}"
            );
            sleep(Duration::from_millis(2));
        }
        let (code, end) = held.end();
        assert_eq!((code, &end["seats"][0]["verdict"]), (Some(0), &json!("completed")), "{method}");
    }
}

#[test]
fn what_an_exited_bot_has_left_stands_still_too() {
    for method in ALL_METHODS {
        // Its last line ends with the exit, so the exit comes before the pause.
        let exits = "(while :; do :; done) >/dev/null 2>&1 & read -r heap; printf 1";
        let held = Held::game_with(exits, &["--containment", method]);
        wait_until("what it left is stopped", || held.states() == ['T']);
        let (code, end) = held.end();
        assert_eq!(
            (code, &end["seats"][0]["verdict"]),
            (Some(1), &json!("early_exit")),
            "{method}"
        );
    }
}

#[test]
fn paused_bots_without_a_keeper_end_with_their_referee() {
    for signal in [Signal::KILL, Signal::INT] {
        // The kernel continues a stopped bot whose referee has ended, unless process 1 is in their session, as in some containers.
        let answers = format!("trap '' HUP; {ANSWERS}");
        let mut held = Held::game_by("setsid", &answers, &["--containment", "plain"]);
        kill_process(Pid::from_child(&held.child), signal).expect("it runs");
        held.child.wait().expect("a child");
        // The other one ends when it next writes.
        fs::write(held.place.path("go"), "").expect("room");
        held.mark.assert_gone();
    }
}

#[test]
fn a_pondering_bot_keeps_its_limit_on_memory() {
    for (method, limit) in ALL_METHODS.map(|method| (method, "100MiB")) {
        // Beyond the limit, it still takes seconds to what the test allows, since it copies all that it has for each MiB more.
        let eats = format!(
            "read -r heap; echo 1; {{ part=$(head -c 1M /dev/zero | tr '\\0' x); for _ in $(seq 450); do all=$all$part; done; \
             exec sleep 3600; }} & {ANSWERS}"
        );
        let words = ["--ponder", "--containment", method, "--memory", limit];
        let held = Held::game_with(&eats, &words);
        // Where the kernel holds the limit, nothing is left of it.
        wait_until("it is stopped", || held.states().iter().all(|state| *state == 'T'));
        let memory: u64 = held.idle().iter().map(|(_, memory)| memory >> 10).sum();
        assert!(memory < 500, "{method}: {memory} MiB");
        let (code, end) = held.end();
        let verdicts = [&end["seats"][0]["verdict"], &end["seats"][1]["verdict"]];
        assert_eq!(verdicts, ["memory_limit", "completed"], "{method}: {end}");
        assert_eq!(code, Some(1), "{method}");
    }
}

#[test]
fn what_a_pondering_bot_writes_waits_in_its_pipes() {
    let floods = format!("read -r heap; echo 1; yes & yes >&2 & {ANSWERS}");
    let held = Held::game_with(&floods, &["--ponder"]);
    // Both writers have filled their pipes, and so has the shell nothing to do.
    wait_until("it waits", || held.states() == ['S', 'S', 'S']);
    let status = fs::read_to_string(format!("/proc/{}/status", held.child.id())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(peak < 200 << 10, "{peak} KiB");
    let (code, end) = held.end();
    assert_ne!(end["seats"][0]["verdict"], "completed", "{end}");
    assert_eq!((code, &end["seats"][1]["verdict"]), (Some(1), &json!("completed")), "{end}");
}

/// The number of attacks on a process that `attacking-a-seat.py` knows outside of a sandbox.
const ATTACKS: usize = 12;

/// Plays an attacker and its victim, in both orders, and two attackers. Returns the attacks that worked.
fn attack(python: &str, user: User, words: &[&str]) -> BTreeSet<String> {
    let (place, mark) = (Place::new(), Mark::new());
    place.script("asks", ASKS_IN_TURN);
    let settings = "[game.attack]\nkind = \"judge\"\ncommand = \"./asks\"\nplayers = 2\n";
    fs::write(place.path("referee.toml"), settings).expect("room");
    fs::write(place.path("attack.py"), include_str!("../data/attacking-a-seat.py")).expect("room");
    fs::create_dir(place.path("tmp")).expect("room");
    for (name, mode) in [("", 0o755), ("tmp", 0o777)] {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(place.path(name), mode).expect("its owner");
    }
    let temporary = place.path("tmp").display().to_string();
    let word = mark.env().replace('=', "-");
    let is_sandboxed = words.contains(&"--sandbox");
    let kept = if is_sandboxed { "kept=$TMPDIR/$0; : >\"$kept\"" } else { "kept=/" };
    let victim = format!("{kept}; while read -r line && [ -e \"$kept\" ]; do echo 1; done");
    let victim = bot_line(&["sh", "-c", &victim, &word]);
    let attacker = ["attack.py", &word].into_iter().chain(is_sandboxed.then_some(&*temporary));
    let attacker = bot_line(&[python].into_iter().chain(attacker).collect::<Vec<_>>());
    let mut worked = BTreeSet::new();
    for [first, second] in [[&victim, &attacker], [&attacker, &victim], [&attacker, &attacker]] {
        let log = place.path("tmp/game.jsonl");
        let play = referee_of(user).current_dir(place.folder()).env("TMPDIR", &temporary);
        let play = play.play(["--game", "attack", "--seed", "1", "--env", mark.env()]);
        let play = play.args(["--bot", first, "--bot", second, "--log"]).arg(&log);
        let played = play.args(words).patient().json();
        assert_eq!(of_seats(&played, "verdict"), ["completed"; 2], "{user:?} {words:?}: {played}");
        assert_eq!(of_seats(&played, "turns"), [5, 5], "{user:?} {words:?}");
        let text = fs::read_to_string(&log).expect("a log");
        fs::remove_file(&log).expect("its folder is open to all");
        for line in text.lines() {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let told = event["stderr"].as_str().unwrap_or_default().lines();
            let told = told.map(|line| line.strip_prefix("worked: ").unwrap_or(line));
            worked.extend(told.map(str::to_owned));
        }
        kill_marked(&mark);
    }
    worked
}

#[test]
fn no_seat_traces_reads_or_signals_another() {
    let Some([python]) = need("attacks between seats", ["python3"]) else { return };
    if rustix::process::getuid().is_root() {
        let worked = attack(python, User::Mine, &["--containment", "plain"]);
        assert_eq!(worked.len(), ATTACKS, "without containment: {worked:?}");
    }
    for (user, method) in grid(METHODS) {
        let mut worked = attack(python, user, &["--containment", method]);
        if method == "seccomp" && user == User::Mine && rustix::process::getuid().is_root() {
            // Root's right to measure the machine includes these, and Landlock does not limit it.
            worked.retain(|attack| !["environment", "maps"].contains(&&**attack));
        }
        assert_none(worked, user, method);
    }
}

#[test]
fn no_seat_in_a_sandbox_reaches_another_or_its_files() {
    let Some([python]) = need("attacks between seats", ["python3"]) else { return };
    for (user, method) in sandbox_grid() {
        let worked = attack(python, user, &["--containment", method, "--sandbox"]);
        assert_none(worked, user, method);
    }
}

/// None of these attacks may work.
#[track_caller]
fn assert_none(mut worked: BTreeSet<String>, user: User, method: &str) {
    if method == "seccomp" && !is_linux((6, 12)) {
        worked.remove("signal");
    }
    assert!(worked.is_empty(), "{method} {user:?}: {worked:?}");
}

/// Kills the referee of games of four bots and a judge in `kills` moments.
fn kill_referees(kills: u64) {
    let place = nim(4, "400");
    let settings = fs::read_to_string(place.path("referee.toml")).expect("settings");
    place.script("slow", "sleep 60 & while read -r heap; do sleep 0.01; echo 1; done");
    for number in 0..kills {
        let mark = Mark::new();
        let (name, value) = mark.env().split_once('=').expect("a variable");
        let env = format!("{settings}env = {{ {name} = \"{value}\" }}\n");
        fs::write(place.path("referee.toml"), env).expect("room");
        let play = game(&place, &["./slow"]).args(["--env", mark.env()]).silent();
        let mut child = play.start();
        // From the start of the judge to the middle of the game.
        sleep(Duration::from_millis(number * 7 % 600));
        let _ = child.kill();
        child.wait().expect("a child");
        mark.assert_gone();
    }
}

#[test]
fn nothing_is_left_of_four_bots_when_their_referee_is_killed() {
    kill_referees(6);
}

mod heavy {
    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn nothing_is_left_of_four_bots_whenever_their_referee_is_killed() {
        let kills = std::env::var("REFEREE_KILLS").ok().and_then(|kills| kills.parse().ok());
        super::kill_referees(kills.unwrap_or(40));
    }
}
