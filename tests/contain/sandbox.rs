//! Ways around a sandbox that an attacker who knows its design would try.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use support::prelude::*;

/// The output of a bot in a sandbox, line by line.
fn said(user: User, method: &str, bot: &[&str], more: &[&str]) -> Vec<String> {
    let lines = referee_of(user)
        .play(["--sandbox", "--format", "json", "--containment", method])
        .args(PATIENT)
        .args(more)
        .arg("--")
        .args(bot)
        .run()
        .json()["stderr_tail"]
        .as_array()
        .expect("lines")
        .clone();
    lines.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A segment of shared memory that exists as long as this.
struct Segment(String);

impl Segment {
    fn make() -> Self {
        let output = Command::new("ipcmk").args(["-M", "4096", "-p", "0666"]).output();
        let output = output.expect("ipcmk, from util-linux");
        let text = output.out();
        Self(text.trim().rsplit(' ').next().expect("a number").to_owned())
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let _ = Command::new("ipcrm").args(["-m", &self.0]).status();
    }
}

#[test]
fn a_sandbox_refuses_every_way_around_it() {
    let Some([python]) = need("ways around a sandbox", ["python3"]) else { return };
    let segment = Segment::make();
    let script = "import ctypes, os, socket, sys\n\
        c = ctypes.CDLL(None, use_errno=True)\n\
        c.shmat.restype = ctypes.c_long\n\
        def attempt(what, act):\n\
        \x20   try: done = act()\n\
        \x20   except OSError: return\n\
        \x20   if done is None or done >= 0: print(what, file=sys.stderr)\n\
        for kind in socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_RDM:\n\
        \x20   attempt('sockets without a connection', lambda: socket.socketpair(type=kind) and 0)\n\
        attempt('a socket', lambda: socket.socket() and 0)\n\
        attempt('memory of others', lambda: c.shmat(int(sys.argv[1]), 0, 0))\n\
        attempt('removing memory of others', lambda: c.shmctl(int(sys.argv[1]), 0, 0))\n\
        attempt('a queue', lambda: c.msgget(0, 0o1666))\n\
        attempt('a semaphore', lambda: c.semget(0, 1, 0o1666))\n\
        attempt('a user namespace', lambda: c.unshare(0x10000000))\n\
        attempt('the newer clone', lambda: c.syscall(435, 0, 0))\n\
        attempt('clone', lambda: c.syscall(56, 0x10000011, 0, 0, 0, 0))\n\
        attempt('an abstract name', lambda: socket.socketpair()[0].bind('\\0referee-tests'))\n\
        attempt('a queue with a name', lambda: c.mq_open(b'/referee-tests', 0o102, 0o600, None))\n\
        attempt('pages in a pipe', lambda: c.vmsplice(os.pipe()[1], None, 0, 0))\n\
        attempt('tracing', lambda: c.ptrace(16, os.getppid(), 0, 0))\n\
        attempt('keys', lambda: c.syscall({'x86_64': 250, 'aarch64': 219}[os.uname().machine], 0, -3, 0))\n\
        attempt('watching files', lambda: c.inotify_init())\n\
        attempt('watching files', lambda: c.inotify_init1(0))\n\
        attempt('watching files', lambda: c.fanotify_init(0, 0))\n\
        context = ctypes.c_ulong()\n\
        attempt('asynchronous input', lambda: c.syscall({'x86_64': 206, 'aarch64': 0}[os.uname().machine], 1, ctypes.byref(context)))\n\
        timer = lambda: c.timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0\n\
        attempt('a thousand timers', lambda: all(timer() for _ in range(1025)) - 1)\n\
        attempt('a pair of sockets works', lambda: socket.socketpair() and 0)\n";
    for (user, method) in sandbox_grid() {
        let said = said(user, method, &[python, "-c", script, &segment.0], &[]);
        assert_eq!(said, ["a pair of sockets works"], "{method} {user:?}");
    }
}

#[test]
fn a_sandbox_shows_nothing_of_the_hosts_network() {
    let script = "grep -h . /proc/net/unix /proc/self/net/tcp >&2";
    let listen = |name: &str| {
        SocketAddr::from_abstract_name(name).and_then(|it| UnixListener::bind_addr(&it))
    };
    let _listener = listen("referee-tests-seen").expect("nobody else has this name");
    for user in USERS {
        // Two lines with the names of the columns.
        let said = said(user, "namespace", &["sh", "-c", script], &[]);
        assert_eq!(said.len(), 2, "{user:?}: {said:?}");
    }
}

#[test]
fn a_sandboxed_bot_of_roots_may_do_what_nobody_may() {
    if !rustix::process::getuid().is_root() {
        return leave_out("root's bots", "the tests do not run as root");
    }
    let folder = tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("its owner");
    for (name, mode) in [("secret", 0o600), ("public", 0o644)] {
        let file = folder.path().join(name);
        fs::write(&file, name).expect("written");
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("its owner");
    }
    let script = "for file in /etc/shadow secret public; do cat $file >/dev/null 2>&1 && echo $file >&2; done; \
        id -u >&2; grep CapPrm /proc/self/status >&2; echo written >$TMPDIR/file && cat $TMPDIR/file >&2";
    let cwd = ["--cwd", folder.path().to_str().expect("UTF-8")];
    for method in sandboxes() {
        let said = said(User::Mine, method, &["sh", "-c", script], &cwd);
        let expected = ["public", "65534", "CapPrm:\t0000000000000000", "written"];
        assert_eq!(said, expected, "{method}");
    }
}

#[test]
fn a_sandboxed_bot_in_a_namespace_sees_itself_alone() {
    for user in USERS {
        let script =
            "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' >&2; echo >&2; ls /dev/shm /tmp >&2; ls / >&2";
        let said = said(user, "namespace", &["sh", "-c", script], &[]);
        assert!(!said[0].contains("referee"), "{user:?}: {said:?}");
        assert!(!said.iter().any(|line| ["boot", "srv", "var"].contains(&&**line)), "{said:?}");
    }
}

#[test]
fn of_the_hosts_files_a_sandbox_shows_nothing_that_can_be_written_to() {
    let script = "while read -r what at kind how rest; do \
        case $how in ro,*|ro) ;; *) echo $kind $at >&2 ;; esac; done </proc/self/mounts; \
        mount -o remount,rw /usr >&2; echo x 2>/dev/null >/usr/x && echo written >&2";
    for user in USERS {
        let said = said(user, "namespace", &["sh", "-c", script], &[]);
        let own = said.iter().filter(|line| !line.contains(" /dev/") && !line.contains("mount"));
        let own: Vec<&str> = own.map(String::as_str).collect();
        // Its own files and processes, and devices that do no harm.
        assert_eq!(own, ["tmpfs /", "proc /proc"], "{user:?}: {said:?}");
        let devices = said.iter().filter(|line| line.contains(" /dev/")).count();
        assert_eq!(devices, 5, "{user:?}: {said:?}");
    }
}

/// A folder that is somebody's home, with a program and something private.
fn home() -> TempDir {
    let home = tempdir().expect("a folder");
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("its owner");
    fs::create_dir(home.path().join(".ssh")).expect("room");
    fs::write(home.path().join(".ssh/key"), "private").expect("written");
    let bot = home.path().join("bot");
    write_program(&bot, "#!/bin/sh\ncat \"$1\" >/dev/null && echo read >&2\n");
    home
}

fn reads(user: User, method: &str, bot: &Path, file: &Path, home: &Path) -> bool {
    let lines = referee_of(user)
        .play(["--sandbox", "--format", "json", "--containment", method, "--"])
        .args([bot, file])
        .env("HOME", home)
        .run()
        .json()["stderr_tail"]
        .clone();
    lines.as_array().is_some_and(|lines| lines.iter().any(|line| line == "read"))
}

#[test]
fn a_program_in_a_home_shows_nothing_else_of_it() {
    let home = home();
    let (bot, key) = (home.path().join("bot"), home.path().join(".ssh/key"));
    for (user, method) in sandbox_grid() {
        let own = |file: &Path| reads(user, method, &bot, file, home.path());
        // A named file is visible; its neighbours are not.
        assert!(own(&bot), "{method} {user:?}");
        assert!(own(&key), "{method} {user:?}: it is an argument");
        let script = format!("cat $(dirname {})/.ssh/key && echo read >&2", bot.display());
        let tail = referee_of(user)
            .play(["--sandbox", "--format", "json", "--containment", method, "--"])
            .args(["sh", "-c", &script, bot.to_str().expect("UTF-8")])
            .env("HOME", home.path())
            .run()
            .json()["stderr_tail"]
            .to_string();
        assert!(!tail.contains("\"read\""), "{method} {user:?}: {tail}");
    }
}

#[test]
fn a_folder_that_everybody_shares_is_not_shown_as_a_whole() {
    let shared = tempdir().expect("a folder");
    fs::set_permissions(shared.path(), fs::Permissions::from_mode(0o1777)).expect("its owner");
    let file = shared.path().join("of-somebody");
    fs::write(&file, "private").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("its owner");
    for (user, method) in sandbox_grid() {
        let cwd = ["--cwd", shared.path().to_str().expect("UTF-8")];
        let said = said(user, method, &["sh", "-c", "cat of-somebody && echo read >&2"], &cwd);
        assert!(!said.contains(&"read".to_owned()), "{method} {user:?}: {said:?}");
    }
}
