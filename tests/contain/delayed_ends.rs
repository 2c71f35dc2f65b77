//! Bots that delay the end of their game by what they leave: files, processes, and memory to free.

use crate::contain::attacks::play;
use support::prelude::*;

/// A bot in Python; `None` without Python.
fn python(program: &str) -> Option<String> {
    let [python] = need("bots that delay their end", ["python3"])?;
    Some(shlex::try_join([python, "-c", program]).expect("no NUL"))
}

/// A folder that everybody may write to.
fn public_folder() -> TempDir {
    let folder = tempdir().expect("a folder");
    let all = fs::Permissions::from_mode(0o777);
    fs::set_permissions(folder.path(), all).expect("its owner");
    folder
}

/// Plays a bot that fills its scratch folder, which is empty again when the referee has ended. That no game waits for it is
/// shown by a test of `contain`.
fn many_files_are_removed(user: User, method: &str, files: u32) {
    if !has_sandbox(method) {
        return;
    }
    let folder = public_folder();
    let fill = format!("cd $TMPDIR; while [ $((i += 1)) -le {files} ]; do : > $i; done");
    let result = referee_of(user)
        .play(["--format", "json", "--sandbox", "--containment", method])
        .args(PATIENT)
        .args(["--memory", "none", "--", "sh", "-c", &fill])
        .env("TMPDIR", folder.path())
        .run()
        .json();
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

/// Reaps no process, says how many there could be, and ends. Each shares the memory of the first, which makes it quick to start,
/// and ends at once.
const UNREAPED: &str = "
import ctypes, os
CLONE_VM, SIGCHLD = 0x100, 17
c = ctypes.CDLL(None)
stack = ctypes.create_string_buffer(1 << 16)
top = ctypes.c_void_p((ctypes.addressof(stack) + (1 << 15)) & -16)
count = 0
while count < 8000 and c.clone(c._exit, top, CLONE_VM | SIGCHLD, None) > 0:
    count += 1
os.write(2, b'%d' % count)
os._exit(7)
";

#[test]
fn in_a_namespace_a_bot_uses_up_its_own_process_numbers_alone() {
    let Some(bot) = python(UNREAPED).filter(|_| is_linux(OWN_NUMBERS)) else { return };
    for (user, more) in USERS.into_iter().flat_map(|user| [(user, &[][..]), (user, &["--sandbox"])])
    {
        let result = play(user, "namespace", &Mark::new(), &bot, &[&PATIENT, more].concat());
        let said = result["stderr_tail"][0].as_str().and_then(|count| count.parse::<u32>().ok());
        // Two for each of 512 processes, and 4,000 to spare.
        let is_bounded = said.is_some_and(|count| (1000..5024).contains(&count));
        assert!(is_bounded, "{user:?} {more:?}: {result}");
    }
}

#[test]
fn a_method_that_lets_roots_bot_use_up_the_hosts_process_numbers_says_so_once() {
    let told = |user: User, method: &str| {
        let mut command = referee_of(user);
        command = command.args([
            "suite", "--seed", "1..2", "--bot", "@first", "--bot", "@greedy", "--run", "none",
        ]);
        command = command.args(["--config", &format!("containment={method}")]).args(PATIENT);
        command.run().exits(0).err().matches("can take all process numbers").count()
    };
    let is_exposed = rustix::process::getuid().is_root() && !has_control_groups(User::Mine);
    for method in METHODS {
        let is_bounded = method == "namespace" && is_linux(OWN_NUMBERS);
        assert_eq!(told(User::Mine, method), usize::from(is_exposed && !is_bounded), "{method}");
    }
    // It uses no control groups.
    assert_eq!(told(User::Mine, "plain"), usize::from(rustix::process::getuid().is_root()));
    if rustix::process::getuid().is_root() {
        assert_eq!(told(User::Nobody, "seccomp"), 0);
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

/// A way to end, its verdict, and its diagnosis.
pub(crate) type LongEnd = (&'static str, &'static str, &'static str);

const LONG_ENDS: [LongEnd; 3] = [
    ("os._exit(0)", "early_exit", "exited with status 0"),
    ("os._exit(3)", "crash", "exited with status 3"),
    ("os.abort()", "crash", "was killed by SIGABRT"),
];

/// Plays a bot that ends in this way.
fn a_long_end_is_known(user: User, method: &str, more: &[&str], (end, verdict, said): LongEnd) {
    let Some(bot) = python(&format!("{HEAVY}{end}")) else { return };
    let more = [&["--memory", "none"][..], &PATIENT, more].concat();
    let result = play(user, method, &Mark::new(), &bot, &more);
    let what = format!("{method} {user:?} {more:?}: {result}");
    assert_eq!(result["verdict"], verdict, "{what}");
    assert!(result["diagnosis"].to_string().contains(said), "{what}");
}

#[test]
fn a_bot_whose_end_takes_long_has_ended_and_the_way_is_known() {
    a_long_end_is_known(User::Mine, "namespace", &[], LONG_ENDS[1]);
}

/// Bots that delay the end of their game, under each method, by each user, with and without a sandbox.
mod heavy {
    use super::{LONG_ENDS, a_long_end_is_known, many_files_are_removed};
    use crate::contain::attacks::shared_memory_is_reported_once;
    use support::prelude::*;

    const PLAIN: &[&str] = &[];
    const SANDBOX: &[&str] = &["--sandbox"];

    /// Calls `play` for each user and method, with and without a sandbox, which are numbered.
    fn under_any_method(play: impl Fn(usize, User, &str, &[&str])) {
        let sandboxed = METHODS.map(has_sandbox);
        let pairs = METHODS.into_iter().zip(sandboxed).flat_map(|(method, has_sandbox)| {
            [(method, PLAIN)].into_iter().chain(has_sandbox.then_some((method, SANDBOX)))
        });
        let all = USERS.into_iter().flat_map(|user| pairs.clone().map(move |pair| (user, pair)));
        for (number, (user, (method, more))) in all.enumerate() {
            play(number, user, method, more);
        }
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn many_files_in_a_scratch_folder_are_removed_under_any_method() {
        for (user, method) in grid(METHODS) {
            many_files_are_removed(user, method, 2_000);
        }
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_bot_whose_end_takes_long_has_ended_under_any_method() {
        under_any_method(|number, user, method, more| {
            a_long_end_is_known(user, method, more, LONG_ENDS[number % LONG_ENDS.len()]);
        });
        for end in LONG_ENDS {
            a_long_end_is_known(User::Mine, "plain", &[], end);
        }
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn memory_that_many_processes_share_is_reported_once_under_any_method() {
        for (user, method) in grid(ALL_METHODS) {
            shared_memory_is_reported_once(user, method);
        }
    }
}
