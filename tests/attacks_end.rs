//! Bots that delay the end of their game by what they leave: processes, descriptors, files, and memory to free.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use crate::attacks::{METHODS, USERS, kill_marked, play, play_until_said};
use crate::support::yardstick::beside_a_yardstick;
use crate::support::{
    Mark, PATIENT, User, bound, has_control_groups, has_program, has_sandbox, is_linux, json,
    leave_out, lets_go, referee_of, unspoilt,
};

/// How much later than its limit a game may end, unless the host is busy: then it is played again.
const LATE: Duration = Duration::from_secs(3);

/// A bot in Python; `None` without Python.
fn python(program: &str) -> Option<String> {
    if !has_program("python3") {
        leave_out("bots that delay their end", "there is no python3 on this machine");
        return None;
    }
    Some(shlex::try_join(["python3", "-c", program]).expect("no NUL"))
}

/// Plays a bot that says when it has begun and does not answer. The game ends soon after its limit, with one of these verdicts, and
/// leaves nothing.
fn delays_no_end(user: User, method: &str, bot: &str, more: &[&str], verdicts: &[&str]) {
    let play = || {
        let mark = Mark::new();
        let (result, took) = play_until_said(user, method, &mark, bot, "armed", more);
        mark.wait_for(0);
        let limit = result["timing"]["exchanges"][0]["limit_ms"].as_f64().expect("a limit");
        let late = took.saturating_sub(Duration::from_secs_f64(limit / 1e3));
        (result, late)
    };
    let is_spoilt = |((_, late), is_busy): &(_, bool)| *is_busy && *late >= LATE;
    let ((result, late), _) = unspoilt(is_spoilt, || beside_a_yardstick(play));
    let what = format!("{method} {user:?} {more:?}: {late:?} {result}");
    assert!(result["stderr_tail"].to_string().contains("armed"), "{what}");
    assert!(verdicts.iter().any(|&verdict| result["verdict"] == verdict), "{what}");
    assert!(late < bound(LATE), "{what}");
}

/// Processes that wait for input, and hold 1,000 descriptors each but no end of the pipe that the referee reads.
const MANY_DESCRIPTORS: &str = "
import os, resource, sys, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
files = [os.open('/dev/null', os.O_RDONLY) for _ in range(min(1000, most - 50))]
os.read(0, 1 << 16)
for _ in range(490):
    if os.fork() == 0:
        os.dup2(2, 1)
        os.read(0, 1)
        os._exit(0)
os.write(2, b'armed\\n')
time.sleep(3600)
";

/// Plays the bot with many descriptors.
fn many_descriptors_delay_no_end(user: User, method: &str) {
    if let Some(bot) = python(MANY_DESCRIPTORS) {
        delays_no_end(user, method, &bot, &["--memory", "none"], &["timeout"]);
    }
}

#[test]
fn many_descriptors_in_many_processes_delay_no_end() {
    many_descriptors_delay_no_end(User::Mine, "namespace");
    many_descriptors_delay_no_end(User::Nobody, "reaper");
}

/// Plays a bot that fills its scratch folder, which is empty again when the referee has ended. That no game waits for it is
/// shown by a test of `contain`.
fn many_files_are_removed(user: User, method: &str, files: u32) {
    if !has_sandbox(method) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("its owner");
    let fill = format!("cd $TMPDIR; while [ $((i += 1)) -le {files} ]; do : > $i; done");
    let mut command = referee_of(user);
    command.args(["play", "--format", "json", "--sandbox", "--containment", method]);
    command.args(PATIENT).args(["--memory", "none", "--", "sh", "-c", &fill]);
    let result = json(&command.env("TMPDIR", folder.path()).output().expect("runs"));
    assert_eq!(result["verdict"], "early_exit", "{method} {user:?}: {result}");
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0, "{method} {user:?}: {result}");
}

#[test]
fn many_files_in_the_scratch_folder_are_removed() {
    many_files_are_removed(User::Mine, "seccomp", 5_000);
}

/// The first Linux whose pid namespaces each have a maximum of process numbers.
const OWN_NUMBERS: (u32, u32) = (6, 14);

/// Reaps no process, says how many there could be, and ends.
const UNREAPED: &str = "
import os, sys
count = 0
try:
    while count < 8000:
        if os.fork() == 0:
            os._exit(0)
        count += 1
except OSError:
    pass
os.write(2, b'%d' % count)
os._exit(7)
";

#[test]
fn in_a_namespace_a_bot_uses_up_its_own_process_numbers_alone() {
    let Some(bot) = python(UNREAPED).filter(|_| is_linux(OWN_NUMBERS)) else { return };
    for (user, more) in USERS.into_iter().flat_map(|user| [(user, &[][..]), (user, &["--sandbox"])])
    {
        let result = play(user, "namespace", &Mark::new(), &bot, &[&PATIENT, more].concat());
        let said = result["stderr_tail"][0].as_str().expect("a number").parse::<u32>();
        // Two for each of 512 processes, and 4,000 to spare.
        assert!(said.is_ok_and(|count| count < 5024), "{user:?} {more:?}: {result}");
    }
}

#[test]
fn a_method_that_lets_roots_bot_use_up_the_hosts_process_numbers_says_so_once() {
    let told = |user: User, method: &str| {
        let mut command = referee_of(user);
        command
            .args(["suite", "--seed", "1..2", "--bot", "@first", "--bot", "@greedy", "--no-run"]);
        command.args(["--containment", method]).args(PATIENT);
        let output = command.output().expect("runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).matches("can take all process numbers").count()
    };
    let is_exposed = rustix::process::getuid().is_root() && !has_control_groups(User::Mine);
    for method in METHODS {
        let is_bounded = method == "namespace" && is_linux(OWN_NUMBERS);
        assert_eq!(told(User::Mine, method), usize::from(is_exposed && !is_bounded), "{method}");
    }
    if rustix::process::getuid().is_root() {
        assert_eq!(told(User::Nobody, "reaper"), 0);
    }
}

/// Its end takes the kernel some tenths of a second: it has mapped the same pages 250 times.
const HEAVY: &str = "
import mmap, os
file = os.memfd_create('x')
os.ftruncate(file, 64 << 20)
held = [mmap.mmap(file, 64 << 20, flags=mmap.MAP_SHARED | 0x8000) for _ in range(250)]
os.close(1)
";

#[test]
fn a_bot_whose_end_takes_long_has_ended_and_the_way_is_known() {
    for (end, verdict, said) in [
        ("os._exit(0)", "early_exit", "exited with status 0"),
        ("os._exit(3)", "crash", "exited with status 3"),
        ("os.abort()", "crash", "was killed by SIGABRT"),
    ] {
        let Some(bot) = python(&format!("{HEAVY}{end}")) else { return };
        let more = [&["--memory", "none"][..], &PATIENT].concat();
        let result = play(User::Mine, "namespace", &Mark::new(), &bot, &more);
        assert_eq!(result["verdict"], verdict, "{result}");
        assert!(result["diagnosis"].to_string().contains(said), "{result}");
    }
}

/// Leaves a process that waits until the folder is being emptied, and then puts links to another one in the place of all
/// folders in it, of which most are known by then.
const SWAPPING: &str = "
import os, sys, time
os.chdir(os.environ['TMPDIR'])
for at in range(100):
    os.mkdir('folder-%d' % at)
for at in range(5000):
    open(str(at), 'w').close()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while all(os.path.lexists(str(at)) for at in range(0, 5000, 100)):
            pass
        for at in range(100):
            try:
                os.rename('folder-%d' % at, 'aside-%d' % at)
                os.symlink(sys.argv[1], 'folder-%d' % at)
            except OSError:
                pass
        time.sleep(3600)
    os._exit(0)
time.sleep(0.2)
";

#[test]
fn a_survivor_that_swaps_folders_for_links_leads_no_removal_astray() {
    let Some(bot) = python(SWAPPING) else { return };
    for user in USERS.into_iter().filter(|&user| lets_go("group", user) && has_sandbox("group")) {
        let (mark, outside, temporary) =
            (Mark::new(), tempfile::tempdir().expect("a folder"), tempfile::tempdir());
        let temporary = temporary.expect("a folder");
        for folder in [outside.path(), temporary.path()] {
            let all = fs::Permissions::from_mode(0o777);
            fs::set_permissions(folder, all).expect("its owner");
        }
        let precious = outside.path().join("precious");
        fs::write(&precious, "").expect("room");
        let mut command = referee_of(user);
        command.args(["play", "--format", "json", "--sandbox", "--containment", "group"]);
        command.args(PATIENT).args(["--env", mark.env(), "--bot"]);
        command.arg(format!("{bot} {}", outside.path().display()));
        let result = json(&command.env("TMPDIR", temporary.path()).output().expect("runs"));
        assert_eq!(result["verdict"], "early_exit", "{user:?}: {result}");
        assert_eq!(kill_marked(&mark), 1, "{user:?}: {result}");
        let rights = fs::metadata(outside.path()).expect("a folder").permissions().mode();
        assert!(precious.exists() && rights & 0o777 == 0o777, "{user:?} {rights:o}: {result}");
    }
}
