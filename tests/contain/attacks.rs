//! Bots that attack the referee or their keeper, and referees that are killed at any moment.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use support::prelude::*;
use support::programs::tell;

/// The time for a game that a bot tries to delay for ever. Seconds are enough for the limit, the grace and the
/// keeper; a busy machine gets more.
const SOON: Duration = Duration::from_mins(2);

/// Plays a bot; processes that it leaves carry the mark.
pub(crate) fn play(user: User, method: &str, mark: &Mark, bot: &str, more: &[&str]) -> Value {
    referee_of(user)
        .play(["--format", "json", "--env", mark.env(), "--containment", method])
        .args(["--bot", bot])
        .args(more)
        .run()
        .json()
}

fn diagnosis(result: &Value) -> &str {
    result["diagnosis"].as_str().unwrap_or_default()
}

/// Kills the processes that left the group, and returns their number.
pub(crate) fn kill_marked(mark: &Mark) -> usize {
    let left = mark.processes();
    for pid in left.keys() {
        let pid = Pid::from_raw(i32::try_from(*pid).expect("a pid")).expect("not 0");
        let _ = kill_process(pid, Signal::KILL);
    }
    mark.assert_gone();
    left.len()
}

#[test]
fn a_keeper_without_the_right_to_open_files_does_its_work() {
    let Some([python]) = need("a bot that cripples its keeper", ["python3"]) else { return };
    let cripple = bot_line(&[python, "-c", include_str!("../data/crippling-its-keeper.py")]);
    let crippled = bot_line(&["@misbehaving", "shell", &cripple, "--on-turn", "2"]);
    for (user, method) in grid(METHODS) {
        let mark = Mark::new();
        let result = play(user, method, &mark, &crippled, &PATIENT);
        assert_eq!(result["verdict"], "completed", "{method} {user:?}: {result}");
        mark.assert_gone();
    }
}

#[test]
fn a_bot_changes_no_limits_scheduling_or_memory_of_the_processes_above_it() {
    let Some([python]) = need("a bot that meddles", ["python3"]) else { return };
    let meddle = bot_line(&[python, "-c", include_str!("../data/meddling.py")]);
    let bot = bot_line(&["@misbehaving", "shell", &format!("exec {meddle}")]);
    for (user, method) in grid(METHODS) {
        let mark = Mark::new();
        let result = play(user, method, &mark, &bot, &PATIENT);
        let said = result["stderr_tail"].as_array().expect("lines");
        let said: Vec<&str> = said.iter().map(|line| line.as_str().expect("text")).collect();
        assert!(!said.is_empty(), "{result}");
        if method == "namespace" {
            // It can reach only its keeper, which is in its namespace, and dies with it.
            assert!(said.iter().all(|line| !line.contains("the referee")), "{user:?}: {said:?}");
        } else {
            assert_eq!(said.len(), 8, "{said:?}");
            assert!(said.iter().all(|line| line.ends_with(": no")), "{method} {user:?}: {said:?}");
        }
    }
}

/// Has its keeper run only where nobody else wants a core, and wants it all: root has the right to do so, and others get it in a
/// user namespace.
const STARVING: &str = "import ctypes, os, time\n\
    core, keeper = {min(os.sched_getaffinity(0))}, os.getppid()\n\
    if os.getuid() != 0: ctypes.CDLL(None).unshare(0x10000000)\n\
    os.sched_setscheduler(keeper, os.SCHED_IDLE, os.sched_param(0))\n\
    os.sched_setaffinity(keeper, core)\n\
    for _ in range(200):\n\
    \x20   if os.fork() == 0:\n\
    \x20       os.sched_setaffinity(0, core)\n\
    \x20       while True: pass\n\
    os.write(2, b'armed\\n')\n\
    time.sleep(3600)";

#[test]
fn nothing_is_left_of_a_bot_that_starves_its_keeper() {
    let Some([python]) = need("bots that starve their keeper", ["python3"]) else { return };
    let bot = bot_line(&[python, "-c", STARVING]);
    for user in USERS {
        let mark = Mark::new();
        let (result, _) = play_until_said(user, "namespace", &mark, &bot, "armed", &[]);
        let left = mark.processes().len();
        kill_marked(&mark);
        assert_eq!(left, 0, "{user:?}: {result}");
        assert!(result["stderr_tail"].to_string().contains("armed"), "{user:?}: {result}");
        assert!(!diagnosis(&result).contains("still dying"), "{user:?}: {result}");
    }
}

#[test]
fn a_referee_whose_files_may_not_grow_says_so_and_ends() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let mut command = Command::new("prlimit");
    command.args(["--fsize=100:100", "--", program(), "play", "--log"]);
    let output = command.arg(&log).args(PATIENT).output().expect("prlimit, from util-linux");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let stderr = output.err();
    assert!(stderr.contains("File too large"), "{stderr}");
}

/// Plays a bot whose processes come and go all the time. They may be any number, since those that have ended count
/// until they are reaped, with which a busy machine is late.
fn churn_holds_up_no_verdict(user: User, method: &str) {
    let mark = Mark::new();
    let config = tempfile::NamedTempFile::new().expect("a file");
    fs::write(config.path(), "resources.processes = 'none'").expect("written");
    fs::set_permissions(config.path(), fs::Permissions::from_mode(0o644)).expect("its owner");
    let limits = ["--first-turn", "1s", "--config", config.path().to_str().expect("UTF-8")];
    let start = Instant::now();
    let churn = "h() { h & exit; }; for i in $(seq 200); do h & done; exec sleep 3600";
    let bot = bot_line(&["@misbehaving", "shell", churn]);
    let result = play(user, method, &mark, &bot, &limits);
    let took = start.elapsed();
    assert_eq!(result["verdict"], "timeout", "{method} {user:?}: {result}");
    assert!(took < bound(SOON), "{method} {user:?}: {took:?} {result}");
    mark.wait_for(0);
}

#[test]
fn processes_that_come_and_go_all_the_time_hold_up_no_verdict() {
    churn_holds_up_no_verdict(User::Mine, "seccomp");
}

/// Plays a bot that does not answer but writes this once it has begun; repeats with more time if it did not get there.
pub(crate) fn play_until_said(
    user: User,
    method: &str,
    mark: &Mark,
    bot: &str,
    word: &str,
    more: &[&str],
) -> (Value, Duration) {
    let mut last = None;
    for limit in ["1s", "4s", "16s", "48s"] {
        let start = Instant::now();
        let limits = ["--first-turn", limit, "--turn", limit];
        let result = play(user, method, mark, bot, &[&limits, more].concat());
        let has_begun = result["stderr_tail"].to_string().contains(word);
        last = Some((result, start.elapsed()));
        if has_begun {
            break;
        }
    }
    last.expect("a game")
}

/// A query for the size of such a file waits for its server, and not even SIGKILL helps.
#[test]
fn a_bot_that_serves_a_file_system_and_does_not_answer_holds_up_no_verdict() {
    let Some([python]) = need("file systems of bots", ["python3"]) else { return };
    let Some(program) = stalling_file_system("file systems of bots") else { return };
    let bot = shlex::try_join([python, "-c", &program]).expect("no NUL");
    // Under the other methods Landlock forbids every mount.
    for user in USERS {
        let mark = Mark::new();
        let (result, took) = play_until_said(user, "namespace", &mark, &bot, "armed", &[]);
        let said = result["stderr_tail"].to_string();
        assert_eq!(result["verdict"], "timeout", "{user:?}: {said}");
        assert!(!said.contains("asked"), "{user:?}: {said}");
        assert!(took < bound(SOON), "{user:?}: {took:?} {said}");
        if !said.contains("armed") {
            leave_out("file systems of bots", &said);
        }
        mark.wait_for(0);
    }
}

#[test]
fn a_bot_cannot_take_over_its_keeper() {
    let Some([python]) = need("bots that take over their keeper", ["python3"]) else { return };
    let program = include_str!("../data/taking-over-its-keeper.py");
    let bot = shlex::try_join([python, "-c", program]).expect("no NUL");
    for (user, method) in grid(METHODS) {
        let (result, _) = play_until_said(user, method, &Mark::new(), &bot, "ways:", &[]);
        assert_eq!(result["stderr_tail"], json!(["ways:"]), "{method} {user:?}");
    }
}

/// A bundled bot that first starts this number of processes, each of which has left its group and is still its child.
pub(crate) fn leaving(processes: usize, user: User, bot: &str) -> String {
    let program = referee_of(user).get_program().to_str().expect("UTF-8").to_owned();
    let script = format!(
        "for i in $(seq {processes}); do setsid sleep 3600 >&- 2>&- & \
        until read -r name </proc/$!/comm && [ \"$name\" = sleep ]; do :; done; done; exec '{program}' bot {bot}"
    );
    bot_line(&["sh", "-c", &script])
}

/// Its first process ends; the next one leaves orphans that end at once, waits until its keeper has reaped them, and says how many
/// children the keeper has then: the first process, and this one.
const ORPHANS: &str = "import os, time\n\
    keeper = os.getppid()\n\
    if os.fork() > 0: os._exit(0)\n\
    for _ in range(200):\n\
    \x20   if (child := os.fork()) == 0:\n\
    \x20       os.fork()\n\
    \x20       os._exit(0)\n\
    \x20   os.waitpid(child, 0)\n\
    children = lambda: len(open(f'/proc/{keeper}/task/{keeper}/children').read().split())\n\
    until = time.monotonic() + 20\n\
    while (left := children()) != 2 and time.monotonic() < until: time.sleep(0.01)\n\
    os.write(2, b'%d' % left)";

#[test]
fn orphans_are_reaped_once_the_first_process_has_ended() {
    let Some([python]) = need("orphans", ["python3"]) else { return };
    let bot = bot_line(&[python, "-c", ORPHANS]);
    // There the game goes on with the other processes.
    let more = ["--game", "square-remover", "--total", "60s"];
    for (user, method) in grid(METHODS) {
        let result = play(user, method, &Mark::new(), &bot, &more);
        assert_eq!(result["stderr_tail"], json!(["2"]), "{method} {user:?}: {result}");
    }
}

/// Starts a command of the referee and kills it at some moment.
fn kill_at_random(user: User, args: &[&str], mark: &Mark, folder: &Path, random: &mut Pcg32) {
    let (name, value) = mark.env().split_once('=').expect("a pair");
    let mut child = referee_of(user)
        .args(args)
        // The referee itself carries the mark, and so do its keepers.
        .env(name, value)
        .env("TMPDIR", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .start();
    sleep(Duration::from_micros(u64::from(random.next_u32() % 150_000)));
    let signal = if random.next_u32().is_multiple_of(4) { Signal::TERM } else { Signal::KILL };
    let _ = kill_process(Pid::from_child(&child), signal);
    child.wait().expect("a child");
}

/// Kills referees of each kind, each as often as this.
fn referees_killed_at_any_moment_leave_nothing(method: &str, more: &[&str], kills: u64) {
    let mut random = Pcg32::seed_from_u64(7);
    if more.contains(&"--sandbox") && !has_sandbox(method) {
        return;
    }
    for user in USERS {
        let folder = tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("its owner");
        let run = folder.path().join("runs/run");
        let bot = format!("@misbehaving {DAEMONS}");
        for round in 0..kills {
            let mark = Mark::new();
            let run = format!("{}-{round}", run.display());
            let seeds = ["--seed", "1..50"];
            let suite = [&["suite", "--jobs", "2", "--run", &run][..], &seeds].concat();
            for what in [&["play"][..], &suite, &[&["timing"][..], &seeds].concat()] {
                let config = format!("containment={method}");
                let args = [what, &["--config", &config, "--bot", &bot], &PATIENT, more].concat();
                kill_at_random(user, &args, &mark, folder.path(), &mut random);
            }
            mark.wait_for(0);
        }
        // The next start finds the rest and removes it.
        let next = referee_of(user).play(["--containment", method]).args(PATIENT).args(more);
        assert_code(&next.env("TMPDIR", folder.path()).run(), 0);
        let left: Vec<_> = fs::read_dir(folder.path()).expect("it").flatten().collect();
        let left = left.iter().filter(|entry| entry.file_name() != "runs").count();
        assert_eq!(left, 0, "{method} {user:?}");
    }
}

/// The ways in which a bot is held, for which a killed referee has different things to leave.
const HELD: [(&str, &[&str]); 4] = [
    ("namespace", &[]),
    ("seccomp", &[]),
    ("namespace", &["--sandbox"]),
    ("seccomp", &["--sandbox"]),
];

#[test]
fn referees_killed_at_any_moment_leave_nothing_behind() {
    for (method, more) in HELD {
        referees_killed_at_any_moment_leave_nothing(method, more, 1);
    }
}

#[test]
fn what_a_bot_shares_by_number_goes_with_its_namespace() {
    // Its size is unique.
    let bot = "sh -c '(ipcmk -M 8675309 && ipcmk -Q && ipcmk -S 1) >&2 && exit 7'";
    for user in USERS {
        let result = play(user, "namespace", &Mark::new(), bot, &PATIENT);
        assert!(diagnosis(&result).contains("exited with status 7"), "{user:?}: {result}");
        let left = fs::read_to_string("/proc/sysvipc/shm").expect("the kernel has it");
        assert!(!left.contains(" 8675309 "), "{user:?}: {left}");
    }
}

/// Whether a POSIX message queue with this name is there; `how` are flags of `mq_open(3)`.
fn has_queue(python: &str, name: &str, how: u32) -> bool {
    let script = format!(
        "import ctypes, sys; c = ctypes.CDLL(None); \
         sys.exit(c.mq_open(b'{name}', {how}, 0o666, None) < 0)"
    );
    Command::new(python).args(["-c", &script]).status().expect("runs").success()
}

/// To write to a queue, and to make it.
const MAKE: u32 = 0o102;

#[test]
fn a_message_queue_with_a_name_goes_with_its_namespace() {
    let Some([python]) = need("message queues", ["python3"]) else { return };
    let name = format!("/referee-tests-{}", std::process::id());
    let bot = format!(
        "import ctypes, os; os._exit(7 + (ctypes.CDLL(None).mq_open(b'{name}', {MAKE}, 0o666, None) < 0))"
    );
    let bot = shlex::try_join([python, "-c", &bot]).expect("no NUL");
    for user in USERS {
        let result = play(user, "namespace", &Mark::new(), &bot, &PATIENT);
        assert!(diagnosis(&result).contains("exited with status 7"), "{user:?}: {result}");
        assert!(!has_queue(python, &name, 0), "{user:?}");
    }
    assert!(has_queue(python, &name, MAKE) && has_queue(python, &name, 0), "it can be seen");
    let remove = format!("import ctypes; ctypes.CDLL(None).mq_unlink(b'{name}')");
    assert!(Command::new(python).args(["-c", &remove]).status().expect("runs").success());
}

#[test]
fn a_bot_in_a_namespace_undoes_none_of_its_mounts_and_changes_no_settings_of_the_machine() {
    // A file is only opened, and written to by nobody. The kernel itself protects /proc/mtrr, and what is written to /proc/pressure
    // is not a setting. The bot's standard output stays open, so that it is not killed.
    let bot = "for at in /proc /dev/pts; do umount -l $at && echo unmounted $at; done; \
        unshare -rm umount -l /proc && echo unmounted in a namespace of its own; \
        unshare -rm mount -o remount,rw,bind /proc/sys && echo writable in a namespace of its own; \
        for at in kernel/core_pattern kernel/hostname vm/overcommit_memory ../sysrq-trigger; do \
        true >>/proc/sys/$at && echo opened $at; done; \
        [ $(id -u) != 0 ] || find /proc /sys -path '/proc/[0-9]*' -prune -o -path /proc/pressure -prune -o \
        -type f -perm /222 -writable ! -path /proc/mtrr -print; \
        grep -h CapPrm /proc/1/status /proc/self/status; exit 7";
    let bot = format!("exec 4>&1 3>&2 2>/dev/null 1>&3; {bot}");
    let bot = shlex::try_join(["sh", "-c", &bot]).expect("no NUL");
    for user in USERS {
        let result = play(user, "namespace", &Mark::new(), &bot, &PATIENT);
        let said = result["stderr_tail"].as_array().expect("lines");
        let (rights, done): (Vec<_>, Vec<_>) =
            said.iter().filter_map(Value::as_str).partition(|line| line.starts_with("CapPrm:"));
        assert_eq!(done, [""; 0], "{user:?}");
        assert_eq!(rights.len(), 2, "{user:?}: {result}");
        for set in rights {
            let set = set.trim_start_matches("CapPrm:").trim();
            let set = u64::from_str_radix(set, 16).expect("a set");
            assert_eq!(set & SYS_ADMIN, 0, "{user:?}: of the keeper and the bot");
        }
    }
}

/// The right to mount and unmount, in `/proc/PID/status`.
const SYS_ADMIN: u64 = 1 << 21;

fn loses_by_memory(user: User, method: &str, bot: &str, more: &[&str]) {
    let mark = Mark::new();
    let more = [&["--memory", "100MiB"][..], &PATIENT, more].concat();
    let result = play(user, method, &mark, bot, &more);
    assert_eq!(result["verdict"], "memory_limit", "{method} {user:?} {more:?}: {result}");
    mark.assert_gone();
}

/// A bot that hides memory in this way.
fn hiding(how: &str) -> Option<String> {
    let [python] = need("hidden memory", ["python3"])?;
    let words = [python, "-c", include_str!("../data/hiding-memory.py"), how];
    Some(shlex::try_join(words).expect("no NUL"))
}

/// Plays a bot that hides memory under every method, with and without a sandbox.
fn hidden_memory_counts(user: User, how: &str, methods: &[&str]) {
    let Some(bot) = hiding(how) else { return };
    for method in methods {
        loses_by_memory(user, method, &bot, &[]);
        if has_sandbox(method) {
            loses_by_memory(user, method, &bot, &["--sandbox"]);
        }
    }
}

/// The users whose bots are in control groups; says so if there is none, since few machines grant them.
fn users_of_control_groups() -> Vec<User> {
    let users: Vec<User> = USERS.into_iter().filter(|&user| has_control_groups(user)).collect();
    if users.is_empty() {
        tell(
            "memory in control groups is not tested: none can be made here; see scripts/second-kernel",
        );
    }
    users
}

#[test]
fn a_control_group_counts_shared_memory_that_only_a_mapping_holds() {
    for user in users_of_control_groups() {
        hidden_memory_counts(user, "shared", &METHODS);
    }
}

#[test]
fn a_control_group_counts_a_memfd_that_only_a_mapping_holds() {
    for user in users_of_control_groups() {
        hidden_memory_counts(user, "memfd", &METHODS);
    }
}

/// A bot of which 40 processes inherit a file in memory, and read what another one has written to it.
const SHARING: &str = "import mmap, os, sys, time\n\
    size = 64 << 20\n\
    held = mmap.mmap(-1, size)\n\
    held.write(b'x' * size)\n\
    reports, report = os.pipe()\n\
    for process in range(40):\n\
    \x20   if os.fork() == 0:\n\
    \x20       sum(held[at] for at in range(0, size, 4096))\n\
    \x20       os.write(report, b'.')\n\
    \x20       time.sleep(3600)\n\
    for process in range(40): os.read(reports, 1)\n\
    time.sleep(0.3)\n\
    os.execv(sys.argv[1], [sys.argv[1], 'bot', 'greedy'])\n";

/// Plays a bot of which many processes share memory.
pub(crate) fn shared_memory_is_reported_once(user: User, method: &str) {
    let Some([python]) = need("shared memory", ["python3"]) else { return };
    let referee = referee_of(user).get_program().to_owned();
    let bot = bot_line(&[python.as_ref(), "-c".as_ref(), SHARING.as_ref(), referee.as_os_str()]);
    let more = [&["--memory", "none"][..], &PATIENT].concat();
    let result = play(user, method, &Mark::new(), &bot, &more);
    assert_eq!(result["verdict"], "completed", "{method} {user:?}: {result}");
    let exchanges = result["timing"]["exchanges"].as_array().expect("a list").iter();
    let peaks = exchanges.filter_map(|exchange| exchange["peak_memory_bytes"].as_u64());
    let peak = peaks.max().unwrap_or_else(|| panic!("{result}"));
    // 40 interpreters have some MiB each of their own.
    assert!((64 << 20..1000 << 20).contains(&peak), "{method} {user:?}: {peak}");
}

#[test]
fn memory_that_many_processes_share_is_reported_once() {
    shared_memory_is_reported_once(User::Mine, "namespace");
    shared_memory_is_reported_once(User::Nobody, "plain");
}

/// Attacks under each containment method and by each user; the first set has only some of these pairs.
mod heavy {
    use super::{HELD, churn_holds_up_no_verdict, referees_killed_at_any_moment_leave_nothing};
    use crate::contain::held_up::{
        PUNCHED, SERVED, holding_a_pipe_holds_up_no_verdict, no_file_system_is_mounted, python,
    };
    use support::prelude::*;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn processes_that_come_and_go_all_the_time_hold_up_no_verdict_under_any_method() {
        for (user, method) in grid(METHODS) {
            churn_holds_up_no_verdict(user, method);
        }
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_bot_that_holds_its_pipe_in_the_kernel_holds_up_no_verdict_under_any_method() {
        let Some(python) = python() else { return };
        let holds = |user, method, more: &[&str]| {
            holding_a_pipe_holds_up_no_verdict(python, user, method, more, PUNCHED);
            if method == "namespace" && more.is_empty() {
                holding_a_pipe_holds_up_no_verdict(python, user, method, more, SERVED);
            } else {
                no_file_system_is_mounted(python, user, method, more);
            }
        };
        for (user, method) in grid(METHODS) {
            holds(user, method, &[]);
            if has_sandbox(method) {
                holds(user, method, &["--sandbox"]);
            }
        }
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn referees_that_are_killed_again_and_again_leave_nothing_behind() {
        // More with `REFEREE_KILLS` in the environment.
        let kills = std::env::var("REFEREE_KILLS").ok();
        let kills = kills.map_or(6, |kills| kills.parse().expect("a number"));
        for (method, more) in HELD {
            referees_killed_at_any_moment_leave_nothing(method, more, kills);
        }
    }
}
