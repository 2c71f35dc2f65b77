//! Nothing of a bot outlives its game, whatever it does; under `plain`, nothing of its process group.

use std::io::Read as _;
use std::thread;

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use crate::contain::attacks::{kill_marked, leaving};
use crate::play::faults::{FAULTS, Fault};
use support::prelude::*;

/// For bots that hang.
const SHORT: [&str; 4] = ["--first-turn", "60s", "--turn", "1s"];

/// The time for such a game: the limit, the grace, a second for everything else, and far more for a machine that is
/// busy.
const SOON: Duration = Duration::from_secs(30);

/// The most memory that the referee may have.
const REFEREE_MEMORY: u64 = 64 << 20;

/// More faults than `play::faults` has, which concern a bot's processes.
const OF_PROCESSES: [Fault; 3] = [
    ("threads 20", PATIENT, "completed", ""),
    ("signal-parent 9", PATIENT, "completed", ""),
    ("signal-parent 15", PATIENT, "completed", ""),
];

/// The results of a game.
struct Shown {
    result: Value,
    took: Duration,
    /// The sampled peak of the referee's memory.
    memory: u64,
}

/// Runs the referee to its end, and watches its memory.
fn run(command: Referee) -> Shown {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).start();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (mut out, mut err) =
        (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let mut memory = None;
    let status = thread::scope(|scope| {
        scope.spawn(|| out.read_to_end(&mut stdout).expect("a pipe"));
        scope.spawn(|| err.read_to_end(&mut stderr).expect("a pipe"));
        loop {
            // A peak only rises, so the last one holds; the first may still be this process's, since a
            // child is there shortly before it has memory of its own.
            memory = peak(child.id()).or(memory);
            if let Some(status) = child.try_wait().expect("a child") {
                break status;
            }
            sleep(Duration::from_millis(5));
        }
    });
    let result = Output { status, stdout, stderr }.json();
    // One that has ended before it was looked at was quick, and no game that takes much memory is. That peaks
    // are found at all is shown by this process's own.
    assert!(peak(std::process::id()).is_some());
    Shown { result, took: start.elapsed(), memory: memory.unwrap_or_default() }
}

/// The peak of a process's resident memory in bytes; `None` once it has ended.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

fn play(user: User, means: &str, mark: &Mark, bot: &str, more: &[&str]) -> Shown {
    let command = referee_of(user)
        .play(["--format", "json", "--env", mark.env(), "--containment", means])
        .args(["--bot", bot])
        .args(more);
    run(command)
}

/// Whether the kernel can keep a bot outside a namespace from signalling others: by Landlock, since Linux 6.12.
fn signals_can_be_scoped() -> bool {
    is_linux((6, 12))
}

fn is_contained(&(words, limits, verdict, diagnosis): &Fault, user: User, means: &str) {
    let mark = Mark::new();
    let bot = format!("@misbehaving {words} --on-turn 2");
    let once = || {
        let shown = play(user, means, &mark, &bot, &limits);
        mark.assert_gone();
        shown
    };
    let shown = undisturbed(|shown: &Shown| has_host_part(&shown.result), once);
    let result = &shown.result;
    let what = format!("{words} under {means} by {user:?}: {result}");
    let ends_its_keeper = words == "signal-parent 9" && means != "namespace";
    if ends_its_keeper && !signals_can_be_scoped() {
        // The bot dies with its keeper.
        assert_eq!(result["verdict"], "crash", "{what}");
        return;
    }
    assert_eq!(result["verdict"], verdict, "{what}");
    let said = result["diagnosis"].as_str().unwrap_or_default();
    assert!(said.contains(diagnosis) && said.is_empty() == diagnosis.is_empty(), "{what}");
    assert!(limits == PATIENT || shown.took < bound(SOON), "{:?}: {what}", shown.took);
    assert!(shown.memory < REFEREE_MEMORY, "{} bytes: {what}", shown.memory);
}

fn every_fault_is_contained(user: User, means: &str) {
    let faults: Vec<Fault> = FAULTS.into_iter().chain(OF_PROCESSES).collect();
    for_each_in_parallel(&faults, |fault| is_contained(fault, user, means));
    // The next game knows nothing of all this.
    let mark = Mark::new();
    let result = play(user, means, &mark, "@first", &PATIENT).result;
    assert_eq!((&result["verdict"], &result["score"]), (&"completed".into(), &198.into()));
    assert_eq!(result["diagnosis"], Value::Null);
}

/// The other two pairs of user and method are in `heavy`.
macro_rules! matrix {
    ($($name:ident: $user:expr, $means:expr;)*) => {
        $(#[test]
        fn $name() {
            every_fault_is_contained($user, $means);
        })*
    };
}

matrix! {
    a_namespace_needs_no_privilege: User::Nobody, "namespace";
    a_filter_contains_every_fault: User::Mine, "seccomp";
}

#[test]
fn daemons_are_killed() {
    let bot = format!("@misbehaving {DAEMONS} --on-turn 2");
    for (user, means) in grid(METHODS) {
        let mark = Mark::new();
        let result = play(user, means, &mark, &bot, &PATIENT).result;
        assert_eq!(result["verdict"], "completed", "{means}: {result}");
        assert_eq!(result["diagnosis"], Value::Null, "{means}: {result}");
        mark.assert_gone();
    }
}

/// Whether it was killed or ended by itself.
#[test]
fn a_plain_bots_children_that_left_its_group_are_counted() {
    for (user, ends) in USERS.into_iter().flat_map(|user| [(user, false), (user, true)]) {
        let mark = Mark::new();
        let bot = leaving(3, user, if ends { "first" } else { "misbehaving hang --on-turn 2" });
        let result = play(user, "plain", &mark, &bot, &SHORT).result;
        assert_eq!(result["verdict"], if ends { "completed" } else { "timeout" }, "{result}");
        let said = result["diagnosis"].as_str().unwrap_or_else(|| panic!("{result}"));
        let left = mark.processes();
        assert_eq!(left.len(), 3, "{left:?}: {said}");
        assert!(said.contains("3 of the bot's processes left its group"), "{said}");
        assert_eq!(kill_marked(&mark), 3);
    }
}

#[test]
fn a_plain_bot_that_changes_its_group_is_killed() {
    let Some([python]) = need("a bot that changes its group", ["python3"]) else { return };
    let program = "import os, time; os.setpgid(0, os.getpgid(os.getppid())); time.sleep(3600)";
    let bot = bot_line(&[python, "-c", program]);
    let mark = Mark::new();
    let limits = ["--first-turn", "1s", "--turn", "1s"];
    let result = play(User::Mine, "plain", &mark, &bot, &limits).result;
    assert_eq!(result["verdict"], "timeout", "{result}");
    assert!(!result["diagnosis"].to_string().contains("still alive"), "{result}");
    mark.assert_gone();
}

#[test]
fn a_plain_bot_has_no_sandbox() {
    let output = referee().args(["play", "--sandbox", "--containment", "plain"]).run();
    let said = output.err();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let remedy = "plain: it has no sandbox; `namespace` and `seccomp` have one";
    assert!(said.contains(remedy), "{said}");
}

/// A bot that hangs, with a process in its group and, where that is possible, one that has left it.
fn hanging(means: &str, mark: &Mark) -> Child {
    let line = "sh -c 'sleep 3600 & setsid sleep 3600 2>&- & exec sleep 3600'";
    let child = referee()
        .play(["--env", mark.env(), "--containment", means, "--bot", line])
        .args(PATIENT)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .start();
    mark.wait_for(if means == "seccomp" { 2 } else { 3 });
    child
}

#[test]
fn nothing_outlives_a_referee_that_is_killed() {
    for means in METHODS {
        for signal in [Signal::KILL, Signal::INT, Signal::TERM, Signal::HUP] {
            let mark = Mark::new();
            let mut child = hanging(means, &mark);
            kill_process(Pid::from_child(&child), signal).expect("it is there");
            child.wait().expect("a child");
            mark.assert_gone();
        }
    }
}

/// A process's `oom_score_adj`.
fn badness(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).expect("it runs")
}

#[test]
fn out_of_memory_kills_the_bot_before_the_referee() {
    for (user, means) in grid(METHODS) {
        let mark = Mark::new();
        let mut child = referee_of(user)
            .play(["--env", mark.env(), "--containment", means, "--bot", "sleep 3600"])
            .args(PATIENT)
            .stdout(Stdio::null())
            .start();
        mark.wait_for(1);
        let bot = *mark.processes().keys().next().expect("just seen");
        wait_until(&format!("{means}: the bot's badness"), || badness(bot) == "500\n");
        assert_eq!(badness(child.id()), badness(std::process::id()), "{means}");
        child.kill().expect("it is there");
        child.wait().expect("a child");
        mark.assert_gone();
    }
}

/// Plays a suite and keeps killing some of its processes, which leaves nothing behind; returns its results.
/// It goes on until some results have `word`.
fn plays_on_while_killed(
    means: &str,
    pause: Duration,
    victims: fn(u32) -> Vec<Pid>,
    word: &str,
) -> String {
    let mark = Mark::new();
    let folder = tempdir().expect("a folder");
    let run = folder.path().join("run");
    let config = format!("containment={means}");
    let mut child = referee()
        .suite(["--env", mark.env(), "--config", &config, "--bot", "sleep 3600"])
        .args(["--seed", "1..100000", "--first-turn", "20ms", "--logs", "none"])
        // All may be lost in the same way.
        .args(["--keep-going", "--run"])
        .arg(&run)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .start();
    let start = Instant::now();
    let (mut killed, mut rounds) = (0, 0_u32);
    // A machine that is busy may take longer than that for the first game.
    let results = || fs::read_to_string(run.join("results.jsonl")).unwrap_or_default();
    while start.elapsed() < Duration::from_secs(2) || killed == 0 || !results().contains(word) {
        assert!(start.elapsed() < Duration::from_mins(5), "{means}: there is nobody to kill");
        let victims = victims(child.id()).into_iter();
        killed += victims.filter(|victim| kill_process(*victim, Signal::KILL).is_ok()).count();
        rounds += 1;
        // Never in step with the games.
        sleep(pause.mul_f64(0.5 + (f64::from(rounds) * 0.618).fract()));
    }
    assert!(child.try_wait().expect("a child").is_none(), "{means}: the referee plays on");
    assert_eq!(badness(child.id()), badness(std::process::id()), "{means}");
    kill_process(Pid::from_child(&child), Signal::INT).expect("it is there");
    child.wait().expect("a child");
    mark.assert_gone();
    results()
}

#[test]
fn a_bot_ends_whenever_its_keeper_is_killed() {
    plays_on_while_killed("seccomp", Duration::ZERO, keepers, "");
}

#[test]
fn a_suite_plays_on_when_its_launcher_is_killed_and_no_bot_loses_by_it() {
    // A suite ends when several games in a row cannot be played.
    let pause = bound(Duration::from_millis(300));
    // With its launcher, the kernel ends a namespace's bots.
    for (means, word) in [("namespace", "(`bot-launcher`) was killed"), ("seccomp", "")] {
        let results = plays_on_while_killed(means, pause, children, word);
        assert!(!results.contains("\"crash\""), "{means}");
        assert!(results.contains("\"timeout\""), "{means}: some games are played");
    }
}

/// As if a referee were already dying when the keeper asks the kernel for a death signal.
#[test]
fn a_death_of_the_referee_without_a_signal_is_noticed() {
    let asked = libc::PR_SET_PDEATHSIG.try_into().expect("small");
    let asks = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, asked);
    let asks = SeccompRule::new(vec![asks.expect("a condition")]).expect("a rule");
    for means in METHODS {
        let mark = Mark::new();
        let play = referee()
            .play(["--env", mark.env(), "--containment", means, "--bot", "sleep 3600"])
            .args(PATIENT)
            .stdout(Stdio::null());
        let mut child = start_without(libc::SYS_prctl, vec![asks.clone()], 0, play);
        mark.wait_for(1);
        child.kill().expect("it is there");
        child.wait().expect("a child");
        mark.wait_for(0);
    }
}

#[test]
fn a_bot_has_no_terminal_to_write_to() {
    let own = r"printf '\033]0;owned\007THE %s WAS HERE\n' BOT 2>&- >/dev/tty";
    // Outside a namespace a bot may write to everything that its user may.
    let others =
        [("namespace", "for it in /dev/pts/*; do printf 'THE %s WAS HERE\\n' BOT 2>&- >$it; done")];
    for (means, script) in METHODS.map(|means| (means, own)).into_iter().chain(others) {
        for user in USERS {
            let bin = referee_of(user).get_program().to_owned().into_string().expect("UTF-8");
            let bot = bot_line(&["@misbehaving", "shell", script]);
            let line = bot_line(&[&bin, "play", "--containment", means, "--bot", &bot]);
            let line = format!("{line} --first-turn 60s --turn 60s");
            let mut script = Command::new("script");
            script.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
            run_as(user, &mut script);
            let text = script.output().expect("script, from util-linux").stdout;
            let text = String::from_utf8_lossy(&text);
            assert!(text.contains("Endgame. Obtained a score of 198."), "{user:?}: {text}");
            assert!(!text.contains("THE BOT WAS HERE"), "{user:?}: {text}");
        }
    }
}

#[test]
fn a_bot_starts_with_no_signal_blocked_and_sigpipe_at_its_default() {
    let script = "grep -E 'SigBlk|SigIgn' /proc/self/status >&2";
    for means in ALL_METHODS {
        let args = ["play", "--format", "json", "--containment", means];
        let result =
            referee().args(args).args(PATIENT).args(["--", "sh", "-c", script]).run().json();
        let signals = |line: usize, name: &str| {
            let said = result["stderr_tail"][line].as_str().unwrap_or_else(|| panic!("{result}"));
            let set = said.strip_prefix(name).unwrap_or_else(|| panic!("{said}"));
            u64::from_str_radix(set.trim(), 16).expect("a set")
        };
        assert_eq!(signals(0, "SigBlk:"), 0, "{means}");
        // The referee, like every Rust program, itself ignores this signal.
        let sigpipe = 1 << (Signal::PIPE.as_raw() - 1);
        assert_eq!(signals(1, "SigIgn:") & sigpipe, 0, "{means}");
    }
}

#[test]
fn the_log_names_the_containment_method() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let log = log.to_str().expect("UTF-8");
    for means in ALL_METHODS {
        let args = ["play", "--containment", means, "--memory", "1GB", "--log", log];
        assert!(referee().args(args).args(PATIENT).run().status.success());
        let read = referee::gamelog::read(&fs::read(log).expect("a log")).expect("whole");
        assert_eq!(read.start.bot.containment, means);
        assert_eq!(read.start.bot.resources.memory, Some(1_000_000_000));
        let is_enforced = means != "plain" && has_control_groups(User::Mine);
        let limit = if is_enforced { "enforced" } else { "watched" };
        assert_eq!(read.start.bot.memory_limit, limit, "{means}");
    }
}

/// A host that forbids namespaces: none can be made in this one, and no privilege is left.
fn without_namespaces(args: &str) -> Option<Output> {
    with_namespaces(&[("user", 0), ("pid", 0)], args)
}

/// Runs the referee on a host with these limits on kinds of namespaces.
fn with_namespaces(limits: &[(&str, u32)], args: &str) -> Option<Output> {
    let limit = |(kind, limit)| format!("echo {limit} > /proc/sys/user/max_{kind}_namespaces && ");
    let limits: String = limits.iter().copied().map(limit).collect();
    let script = format!("{limits}exec '{}' {args}", program());
    let output = Command::new("unshare").args(["-Ur", "sh", "-c", &script]).run();
    (!output.err().contains("unshare")).then_some(output)
}

/// The same in a shell with other devices or none: `$dev` has this host's.
fn with_devices(script: &str, args: &str) -> Option<Output> {
    let folder = tempdir().expect("a folder");
    let script = format!(
        "set -e; dev={}; mount --rbind /dev $dev; mount -t tmpfs none /dev; {script}; exec '{}' {args}",
        folder.path().display(),
        program()
    );
    let output = Command::new("unshare").args(["-rm", "sh", "-c", &script]).run();
    let is_refused = ["unshare", "mount"].iter().any(|it| output.err().starts_with(it));
    (!is_refused).then_some(output)
}

#[test]
fn a_sandbox_is_made_by_a_method_that_the_host_grants() {
    let doctor = with_namespaces(&[("net", 0)], "doctor");
    let doctor = doctor.map(|output| output.out()).unwrap_or_default();
    if !doctor.contains("by the method seccomp, but not by the method namespace: ") {
        return leave_out(
            "a sandbox without a network namespace",
            "unshare or Landlock is missing",
        );
    }
    assert!(
        doctor.contains("yes  namespace ") && doctor.contains("no more namespaces"),
        "{doctor}"
    );
    let play = |options: &str| {
        let args = format!("play --sandbox --bot @first --first-turn 60s --turn 60s {options}");
        with_namespaces(&[("net", 0)], &args).expect("as before")
    };
    let log = tempfile::NamedTempFile::new().expect("a file");
    let played = play(&format!("--log '{}'", log.path().display()));
    assert!(played.status.success(), "{}", played.err());
    let read = referee::gamelog::read(&fs::read(log.path()).expect("a log")).expect("whole");
    assert_eq!((read.start.bot.containment.as_str(), read.start.bot.sandbox), ("seccomp", true));
    let refused = play("--containment namespace");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(refused.err().contains("No space left on device (os error 28)"), "{}", refused.err());
}

#[test]
fn a_sandbox_has_the_devices_that_the_host_has() {
    for has in ["null", "null urandom"] {
        let script =
            format!("for d in {has}; do touch /dev/$d; mount --bind $dev/$d /dev/$d; done");
        let args =
            "play --containment namespace --sandbox --bot @first --first-turn 60s --turn 60s";
        let Some(played) = with_devices(&script, args) else {
            return leave_out("a host with few devices", "this user can mount nothing");
        };
        assert!(played.status.success(), "{has}: {}", played.err());
    }
}

#[test]
fn a_suite_whose_namespaces_run_out_says_so_and_how_to_go_on() {
    let place = Place::new();
    let game = "[game.any]\nkind = 'judge'\ncommand = 'sh judge.sh'\n";
    fs::write(place.path("referee.toml"), game).expect("written");
    let judge = "read start; echo '{\"ask\": \"1\"}'; read reply\n";
    fs::write(place.path("judge.sh"), judge).expect("written");
    // Enough for the judge, and then for no bot.
    let mut shell = Command::new("unshare");
    let script = "echo 1 > /proc/sys/user/max_pid_namespaces && exec \"$0\" suite --config containment=namespace \
                  --jobs 1 --game any --seed 1..9 --bot cat --run run";
    let output =
        shell.args(["-Ur", "sh", "-c", script, program()]).current_dir(place.folder()).run();
    if output.err().contains("unshare") {
        return leave_out("namespaces that run out", "unshare is refused");
    }
    let said = output.err();
    assert_eq!(output.status.code(), Some(3), "{said}");
    for part in [
        "could not be played: ",
        "the host makes no more namespaces; raise their limits (/proc/sys/user)",
        "No space left on device (os error 28)",
        "; `referee resume` plays them once that is mended",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_call_that_the_host_refuses_costs_no_game() {
    let refuse = |call, answer: i32, args: &[&str]| {
        let place = Place::new();
        let command = place.command(args).args(["--bot", "@first", "--seed", "1"]).patient();
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = start_without(call, Vec::new(), answer.cast_unsigned(), command);
        let output = child.wait_with_output().expect("a child");
        assert!(output.status.success(), "{args:?}: {output:?}");
    };
    for answer in [libc::EPERM, libc::ENOSYS] {
        // As file systems of Windows and some shares do.
        refuse(libc::SYS_fchmod, answer, &["suite", "--run", "run"]);
        refuse(libc::SYS_pidfd_open, answer, &["play", "--containment", "plain"]);
        refuse(libc::SYS_pivot_root, answer, &["play"]);
    }
}

#[test]
fn a_host_without_namespaces_gets_the_next_best() {
    let Some(output) = without_namespaces("play --containment namespace") else {
        return leave_out("a host without namespaces", "unshare is refused");
    };
    let stderr = output.err();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("error: containment by the method namespace: "), "{stderr}");
    assert!(stderr.contains("`referee doctor` shows what this host offers"), "{stderr}");
    let doctor = without_namespaces("doctor").expect("as before");
    let stdout = doctor.out();
    assert!(stdout.contains("no   namespace "), "{stdout}");
    assert!(stdout.contains("unless --containment names another: seccomp."), "{stdout}");
    assert!(stdout.contains("sysctl -w user.max_user_namespaces=10000 (it is 0)"), "{stdout}");
    let log = tempfile::NamedTempFile::new().expect("a file");
    let args = format!("play --first-turn 60s --turn 60s --log '{}'", log.path().display());
    let played = without_namespaces(&args).expect("as before");
    assert!(played.status.success(), "{}", played.err());
    let read = referee::gamelog::read(&fs::read(log.path()).expect("a log")).expect("whole");
    assert_eq!(read.start.bot.containment, "seccomp");
}

#[test]
fn many_games_in_one_process_leak_nothing() {
    let programs = Path::new(program()).parent().expect("a folder");
    let soak = programs.join("examples/soak");
    if !soak.exists() {
        return leave_out("many games in one process", "the examples are not built");
    }
    // It counts the folders that are left there.
    let temporary = tempdir().expect("a folder");
    let output = Command::new(soak).arg("60").env("TMPDIR", temporary.path()).run();
    assert!(output.status.success(), "{}", output.out());
}

/// Every fault under the pairs of user and method that the first set leaves out.
mod heavy {
    use super::every_fault_is_contained;
    use support::prelude::*;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_namespace_contains_every_fault() {
        every_fault_is_contained(User::Mine, "namespace");
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_filter_needs_no_privilege() {
        every_fault_is_contained(User::Nobody, "seccomp");
    }
}

/// Sets the scheduling of its first thread by that thread's number, as Mono and OpenMP do, and says whether that was refused.
const SCHEDULING: &str = "import ctypes, os, threading\n\
    own, core = threading.get_native_id(), {min(os.sched_getaffinity(0))}\n\
    os.sched_setscheduler(own, os.SCHED_OTHER, os.sched_param(0))\n\
    os.sched_setparam(own, os.sched_param(0))\n\
    os.sched_setaffinity(own, core)\n\
    os.setpriority(os.PRIO_PROCESS, own, 0)\n\
    os.sched_setaffinity(0, core)\n\
    os._exit(7 if os.sched_getaffinity(own) == core else 8)";

#[test]
fn a_bot_may_set_the_scheduling_of_its_threads() {
    let Some([python]) = need("scheduling of threads", ["python3"]) else { return };
    let bot = bot_line(&[python, "-c", SCHEDULING]);
    for (user, means) in grid(METHODS) {
        let result = play(user, means, &Mark::new(), &bot, &PATIENT).result;
        let said = result["diagnosis"].as_str().unwrap_or_default();
        assert!(said.contains("exited with status 7"), "{means} {user:?}: {result}");
    }
}

#[test]
fn a_host_without_proc_is_told_to_mount_it() {
    let without = || {
        let mut command = Command::new("unshare");
        let script = "mount -t tmpfs none /proc && exec \"$@\"";
        command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]);
        command
    };
    if !without().arg("true").status().is_ok_and(|status| status.success()) {
        return leave_out("a host without /proc", "this one has no namespaces");
    }
    for args in [&["play"][..], &["suite", "--run", "none"], &["timing"]] {
        let bin = program();
        let output = without().arg(bin).args(args).args(["--bot", "@greedy"]).run();
        let error = "error: no bot can be watched here: /proc is not mounted; mount /proc with \
                     `mount -t proc proc /proc`\n";
        assert_eq!(output.err(), error, "{args:?}");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}
