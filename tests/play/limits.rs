//! Each limit of a bot end to end, and the sandbox.

use support::prelude::*;

/// Plays the misbehaving bot under these settings.
fn play(settings: &str, fault: &str, more: &[&str]) -> Output {
    let mark = Mark::new();
    let config = tempfile::NamedTempFile::new().expect("a file");
    fs::write(config.path(), settings).expect("written");
    let limits = if more.contains(&"--turn") { &[][..] } else { &PATIENT };
    let output = referee()
        .play(["--format", "json", "--env", mark.env(), "--config"])
        .arg(config.path())
        .args(["--bot", &format!("@misbehaving {fault} --on-turn 2")])
        .args(limits)
        .args(more)
        .run();
    mark.assert_gone();
    output
}

/// A limit that loses the game, with a diagnosis that names it and the figure.
#[track_caller]
fn lost(settings: &str, fault: &str, more: &[&str], verdict: &str, diagnosis: &[&str]) {
    let log = tempfile::NamedTempFile::new().expect("a file");
    let logged = ["--log", log.path().to_str().expect("UTF-8")];
    let more = [more, &logged].concat();
    let result = undisturbed(has_host_part, || play(settings, fault, &more).json());
    assert_eq!(result["verdict"], verdict, "{result}");
    assert_code(&referee().replay(log.path()).run(), 0);
    assert_eq!(result["official"], "[ERROR] Timeout!", "{result}");
    let said = result["diagnosis"].as_str().unwrap_or_default();
    for part in diagnosis {
        assert!(said.contains(part), "{part:?} is not in {said:?}");
    }
}

#[test]
fn memory() {
    let diagnosis = ["turn 2: the bot used ", "; its limit is 60 MiB (--memory)"];
    lost("", "memory 400", &["--memory", "60MiB"], "memory_limit", &diagnosis);
    lost("[limits.samegame]\nmemory = '60MiB'", "memory 400", &[], "memory_limit", &diagnosis);
    let free = play("", "memory 1000", &["--memory", "none"]).json();
    assert_eq!(free["verdict"], "completed", "{free}");
}

#[test]
fn memory_that_processes_share_counts_once() {
    let Some([python]) = need("shared memory", ["python3"]) else { return };
    let bot = "import os, sys, time\n\
               held = bytearray(60 << 20)\n\
               child = os.fork()\n\
               if child == 0: time.sleep(3600)\n\
               for line in range(15): sys.stdin.readline()\n\
               time.sleep(0.3)\n\
               print('x', flush=True)\n\
               sys.stdin.read()";
    let args = ["--format", "json", "--memory", "100MiB", "--", python, "-c", bot];
    for user in USERS {
        let output = referee_of(user).play(PATIENT).args(args).run();
        assert_eq!(output.json()["verdict"], "malformed_reply", "{user:?}: {output:?}");
    }
}

#[test]
fn a_process_name_that_is_not_utf8_hides_no_memory() {
    let Some([python]) = need("a name that is not text", ["python3"]) else { return };
    let bot = "import sys, time\n\
               open('/proc/self/comm', 'wb').write(b'\\xff\\xfe')\n\
               held = bytearray(300 << 20)\n\
               time.sleep(3600)";
    let args = ["--format", "json", "--memory", "100MiB", "--", python, "-c", bot];
    let output = referee().play(PATIENT).args(args).run();
    assert_eq!(output.json()["verdict"], "memory_limit", "{output:?}");
}

#[test]
fn processes_and_threads() {
    let diagnosis = ["processes and threads; its limit is 10 (`processes` in the settings)"];
    lost("resources.processes = 10", "fork 20", &[], "process_limit", &diagnosis);
    lost("resources.processes = 10", "threads 20", &[], "process_limit", &diagnosis);
}

#[test]
fn threads_of_a_process_whose_first_one_has_exited_count() {
    let Some([python]) = need("a first thread that exits", ["python3"]) else { return };
    let bot = "import ctypes, os, threading, time\n\
               def start():\n\
               \x20   while 'zombie' not in open('/proc/self/status').read(): time.sleep(0.01)\n\
               \x20   for _ in range(600): threading.Thread(target=time.sleep, args=(3600,)).start()\n\
               threading.Thread(target=start).start()\n\
               ctypes.CDLL(None).syscall({'x86_64': 60}.get(os.uname().machine, 93), 0)";
    let output = referee().play(PATIENT).args(["--format", "json", "--", python, "-c", bot]).run();
    assert_eq!(output.json()["verdict"], "process_limit", "{output:?}");
}

#[test]
fn open_files() {
    let diagnosis = ["it had 64 files open, its limit (`open-files` in the settings)"];
    let settings = "resources.open-files = 64";
    lost(settings, "open-files", &["--turn", "1s"], "timeout", &diagnosis);
}

#[test]
fn cpu_time() {
    let diagnosis = ["was killed by SIGXCPU", "its CPU time is limited to 1 s (`cpu-time`"];
    lost("resources.cpu-time = '1s'", "spin", &[], "crash", &diagnosis);
}

#[test]
fn the_size_of_a_file() {
    let diagnosis = ["was killed by SIGXFSZ", "is limited to 1 MiB (`file-size` in the settings)"];
    lost("resources.file-size = '1MiB'", "write-file 2", &[], "crash", &diagnosis);
}

#[test]
fn output() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    fs::write(config.path(), "resources.turn-output = '100B'").expect("written");
    let log = tempfile::NamedTempFile::new().expect("a file");
    let output = referee()
        .play(["--game", "square-remover", "--format", "json", "--config"])
        .arg(config.path())
        .args(["--bot", "@squares-random", "--log"])
        .arg(log.path())
        .run();
    let result = output.json();
    assert_eq!(result["verdict"], "output_limit", "{result}");
    assert_code(&referee().replay(log.path()).run(), 0);
    let said = result["diagnosis"].as_str().expect("text");
    assert!(said.contains("in one turn; its limit is 100 B (`turn-output`"), "{said}");
    let diagnosis = ["the bot has written ", "; its limit for a game is 30 B (`game-output`"];
    lost("resources.game-output = '30B'", "late 0", &[], "output_limit", &diagnosis);
}

#[test]
fn a_reply_counts_up_to_the_last_byte_of_its_limit_whatever_floods_in_behind() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    for (limit, verdict, element) in [
        (60_000, "illegal_move", None),
        (59_999, "output_limit", Some(29_999)),
        (8, "output_limit", Some(4)),
    ] {
        let settings = format!("resources.turn-output = '{limit}B'");
        fs::write(config.path(), settings).expect("written");
        let result = referee()
            .play(["--game", "square-remover", "--format", "json", "--config"])
            .arg(config.path())
            .args(["--total", "60s", "--", "yes", "0"])
            .run()
            .json();
        assert_eq!(result["verdict"], verdict, "{limit}: {result}");
        if let Some(element) = element {
            let official = result["official"].as_str().expect("text");
            assert!(official.contains(&format!("element {element} ")), "{limit}: {official}");
        }
    }
}

#[test]
fn no_core_is_dumped() {
    let bot = "grep 'Max core file size' /proc/self/limits >&2";
    let args = ["play", "--format", "json", "--", "sh", "-c", bot];
    let said =
        referee().args(args).run().json()["stderr_tail"][0].as_str().expect("a line").to_owned();
    assert_eq!(said.split_whitespace().collect::<Vec<_>>()[4..6], ["1", "1"], "{said}");
}

#[test]
fn standard_error_of_a_game() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let more = ["--log", log.to_str().expect("UTF-8")];
    let output = play("resources.game-stderr = '1kB'", "flood-stderr 3000000", &more);
    assert_eq!(output.json()["verdict"], "completed");
    let read = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("whole");
    assert_eq!(read.turns[1].stderr.0.len(), 1000);
    assert_eq!(read.turns[1].stderr_dropped, 2_999_000);
}

#[test]
fn a_log_that_is_full_holds_no_more_standard_error_and_all_the_moves() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    let output = play("resources.log-size = '10kB'", "flood-stderr 60000", &["--log", path]);
    assert_eq!(output.json()["verdict"], "completed");
    let stderr = output.err();
    assert!(stderr.contains("has reached its limit of 10 kB"), "{stderr}");
    let read = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("whole");
    assert_eq!((read.turns[1].stderr.0.len(), read.turns[1].stderr_dropped), (0, 60_000));
    assert_eq!(referee().args(["replay", path]).run().status.code(), Some(0));
}

/// The successes of the prying bot. Its Python is the system's: a sandbox does not show all of one in a home.
fn pry(python: &str, user: User, folder: &Path, more: &[&str]) -> Vec<String> {
    let file = folder.join("new");
    let file = file.to_str().expect("UTF-8");
    let pry = bot_line(&[python, "-c", include_str!("../data/prying.py"), file]);
    let bot = bot_line(&["@misbehaving", "shell", &format!("exec {pry}")]);
    let result = referee_of(user).play(["--bot", &bot]).patient().args(more).json();
    assert_eq!(result["verdict"], "completed", "{result}");
    let said = result["stderr_tail"].as_array().expect("lines").iter();
    let said: Vec<_> = said.map(|line| line.as_str().expect("text").to_owned()).collect();
    assert_eq!(said.len(), 9, "{said:?}");
    said.into_iter().filter_map(|line| line.strip_suffix(": yes").map(str::to_owned)).collect()
}

fn folder_to_pry_in() -> TempDir {
    let folder = tempdir().expect("a folder");
    for name in ["victim", "private"] {
        let file = folder.path().join(name);
        fs::write(&file, "").expect("written");
        fs::set_permissions(file, fs::Permissions::from_mode(0o666)).expect("its owner");
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("its owner");
    folder
}

#[test]
fn a_sandbox_leaves_a_bot_its_scratch_folder_and_the_system() {
    let Some([python]) = need("a bot that pries", ["/usr/bin/python3"]) else { return };
    for user in USERS {
        let folder = folder_to_pry_in();
        assert_eq!(pry(python, user, folder.path(), &["--sandbox"]), ["scratch", "system"]);
        assert!(folder.path().join("victim").exists() && !folder.path().join("new").exists());
        let read = ["--sandbox", &format!("--sandbox={}", folder.path().display())];
        assert_eq!(pry(python, user, folder.path(), &read), ["read", "scratch", "system"]);
        if has_sandbox("seccomp") {
            let folder = folder_to_pry_in();
            let more = ["--sandbox", "--containment", "seccomp"];
            assert_eq!(pry(python, user, folder.path(), &more), ["scratch", "system"], "{user:?}");
        }
    }
}

#[test]
fn without_a_sandbox_a_bot_may_do_what_its_user_may() {
    let Some([python]) = need("a bot that pries", ["/usr/bin/python3"]) else { return };
    let folder = folder_to_pry_in();
    let all = ["create", "append", "mode", "remove", "tcp", "udp", "read", "scratch", "system"];
    assert_eq!(pry(python, User::Mine, folder.path(), &[]), all);
}

#[test]
fn a_sandbox_leaves_no_folder_behind() {
    let folder = tempdir().expect("a folder");
    let left = |fault: &str| {
        let output = referee()
            .play(["--sandbox", "--format", "json", "--bot", fault])
            .env("TMPDIR", folder.path())
            .patient()
            .run();
        (output.json()["verdict"].clone(), fs::read_dir(folder.path()).expect("it").count())
    };
    assert_eq!(left("@misbehaving exit 1"), (Value::from("crash"), 0));
    let litter =
        "sh -c 'mkdir -p $TMPDIR/a/b; echo x > $TMPDIR/a/b/c; test -e $TMPDIR/a/b/c && exit 7'";
    assert_eq!(left(litter), (Value::from("crash"), 0));
}

#[test]
fn a_sandbox_leaves_no_folder_behind_that_nobody_may_enter() {
    let folder = folder_to_pry_in();
    let scratch = folder.path().join("scratch");
    fs::create_dir(&scratch).expect("room");
    fs::set_permissions(&scratch, fs::Permissions::from_mode(0o777)).expect("its owner");
    let bot = "mkdir $TMPDIR/a $TMPDIR/a/b && umask 777 && mkdir $TMPDIR/a/b/c && exit 7";
    let output = referee_of(User::Nobody)
        .play(["--sandbox", "--format", "json"])
        .patient()
        .args(["--", "sh", "-c", bot])
        .env("TMPDIR", &scratch)
        .run();
    assert!(said(&output).contains("exited with status 7"), "{output:?}");
    assert_eq!(fs::read_dir(scratch).expect("it").count(), 0);
}

/// What the diagnosis says.
fn said(output: &Output) -> String {
    output.json()["diagnosis"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_bot_in_a_sandbox_has_no_privileges_and_leaves_no_shared_memory() {
    // A device made in the only writable folder would bypass all rules.
    let bot = "mknod $TMPDIR/d b 7 250 && exit 9; ipcmk -M 4096 && exit 10; exit 8";
    for (user, means) in sandbox_grid() {
        let args = ["play", "--sandbox", "--format", "json", "--containment", means];
        let output = referee_of(user).args(args).args(["--", "sh", "-c", bot]).run();
        assert!(said(&output).contains("exited with status 8"), "{means} {user:?}: {output:?}");
    }
}

#[test]
fn a_bot_sets_no_limits_for_the_processes_above_it() {
    let sandboxed: &[&str] = &["--containment", "seccomp", "--sandbox"];
    let sandboxed = has_sandbox("seccomp").then_some(sandboxed);
    for more in [&["--containment", "seccomp"][..]].into_iter().chain(sandboxed) {
        let bot = "prlimit --pid $PPID --core=0:0 && exit 9; prlimit --pid $PPID >&2 && exit 8";
        let output = referee_of(User::Nobody)
            .play(["--format", "json"])
            .args(more)
            .args(["--", "sh", "-c", bot])
            .run();
        assert!(said(&output).contains("exited with status 8"), "{output:?}");
    }
}

/// Ends with status 9 after the call `exit` of 32 bits, and with status 8 after one by its second number.
#[cfg(target_arch = "x86_64")]
const OF_32_BITS: [&str; 2] = [
    "void _start(void) { __asm__(\"int $0x80\" :: \"a\"(1), \"b\"(9)); }",
    "void _start(void) { __asm__(\"syscall\" :: \"a\"(0x4000003c), \"D\"(8)); }",
];

#[cfg(target_arch = "x86_64")]
#[test]
fn a_bot_that_calls_the_kernel_as_one_of_32_bits_does_is_told_what_refuses_that() {
    let place = Place::new();
    for (source, flags) in OF_32_BITS.into_iter().zip([&["-m32"][..], &[]]) {
        fs::write(place.path("bot.c"), source).expect("room");
        let mut compiler = Command::new("cc");
        compiler.args(flags).args(["-nostdlib", "-static", "-o", "bot", "bot.c"]);
        let built = compiler.current_dir(place.folder()).status().expect("a C compiler");
        assert!(built.success(), "{source}");
        for more in [&["--containment", "seccomp"][..], &["--sandbox"]] {
            let play = [&["play", "--format", "json", "--bot", "./bot"], more].concat();
            let said = said(&place.command(&play).patient().run());
            assert!(said.contains("was killed by SIGSYS"), "{more:?}: {said}");
            let why = "it called the kernel as a 32-bit program does, and the filter of";
            assert!(said.contains(why) && !said.contains("--sandbox="), "{more:?}: {said}");
        }
    }
}
