//! Bots within their own limits on a host with less memory, or fewer processes, than these limits: they do not lose.

use std::sync::atomic::{AtomicU32, Ordering};
use support::prelude::*;

/// The group's memory limit; the referee and several small bots need less.
const LIMIT: &str = "157286400";

/// The limit of another group on processes and threads.
const PROCESSES: &str = "30";

/// A control group with a limit, in the one that this process is in.
struct Group(PathBuf);

impl Group {
    /// `None`, and a sentence on standard error, where none can be made.
    fn make(test: &str) -> Option<Self> {
        Self::limiting(
            test,
            "memory",
            [("memory", "memory.limit_in_bytes"), ("", "memory.max")],
            LIMIT,
        )
    }

    /// A group whose controller, in either version of the hierarchy, has this limit.
    fn limiting(test: &str, what: &str, files: [(&str, &str); 2], limit: &str) -> Option<Self> {
        let [first, second] = files.map(|(hierarchy, file)| (hierarchy, file, what, limit));
        let made = Self::make_in(first).or_else(|_| Self::make_in(second));
        let say = |error: &String| {
            let _ = writeln!(
                std::io::stderr(),
                "left out: {test}: no control group with a limit on {what} can be made here: {error}"
            );
        };
        made.inspect_err(say).ok()
    }

    fn make_in((controller, file, what, limit): (&str, &str, &str, &str)) -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let own = own_group(controller).ok_or("there is no such hierarchy")?;
        // Only if version 2 delegates controllers.
        let _ = fs::write(own.join("cgroup.subtree_control"), format!("+{what}"));
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let group = own.join(format!("referee-test-{}-{count}", std::process::id()));
        fs::create_dir(&group).map_err(|error| format!("{}: {error}", group.display()))?;
        let group = Self(group);
        fs::write(group.0.join(file), limit).map_err(|error| error.to_string())?;
        // Otherwise the excess would go to swap, if the machine has any.
        let _ = fs::write(group.0.join("memory.swap.max"), "0");
        let _ = fs::write(group.0.join("memory.swappiness"), "0");
        Ok(group)
    }

    /// Runs the referee in there.
    fn run(&self, user: User, args: &[&str]) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", "read go; exec \"$0\" \"$@\""]);
        command.arg(referee_of(user).get_program()).args(args).env("NO_COLOR", "1");
        run_as(user, &mut command);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
        fs::write(self.0.join("cgroup.procs"), child.id().to_string())
            .expect("it is made for this");
        child.stdin.take().expect("piped").write_all(b"go\n").expect("it reads");
        let output = child.wait_with_output().expect("a child");
        if output.status.code().is_none() {
            // The kernel's log lists the processes that it chose from.
            let log = Command::new("dmesg").output().expect("it runs").out();
            let log: Vec<&str> = log.lines().rev().take(60).collect();
            let stat = fs::read_to_string(self.0.join("memory.stat"));
            panic!("{output:?}\n{stat:?}\nthe last line first:\n{}", log.join("\n"));
        }
        output
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let remove = || {
            for inner in fs::read_dir(&self.0).into_iter().flatten().flatten() {
                let _ = fs::remove_dir(inner.path());
            }
            fs::remove_dir(&self.0)
        };
        // Killed processes may take a moment to disappear.
        if !std::thread::panicking() {
            wait_until("the control group is empty", || remove().is_ok());
        } else if let Err(error) = remove() {
            eprintln!("{}: {error}", self.0.display());
        }
    }
}

/// The group of this process in the hierarchy of version 1 with this controller, or of version 2.
fn own_group(controller: &str) -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| {
        let (names, path) = line.split_once(':')?.1.split_once(':')?;
        names.split(',').any(|name| name == controller).then_some(path)
    })?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mounted = mounts.lines().find_map(|line| {
        let fields: Vec<_> = line.split(' ').collect();
        let is_it = match controller {
            "" => fields[2] == "cgroup2",
            _ => fields[2] == "cgroup" && fields[3].split(',').any(|name| name == controller),
        };
        is_it.then(|| fields[1].to_owned())
    })?;
    Some(Path::new(&mounted).join(path.trim_start_matches('/')))
}

#[test]
fn a_bot_that_the_host_has_no_memory_for_does_not_lose() {
    let Some(group) = Group::make("the host's memory") else { return };
    for (user, method) in grid(ALL_METHODS) {
        let bot = "@misbehaving memory 400 --on-turn 2";
        let args = ["play", "--memory", "1GiB", "--containment", method, "--bot", bot];
        let output = group.run(user, &[&args[..], &PATIENT].concat());
        let said = output.err();
        assert_eq!(output.status.code(), Some(3), "{method} {user:?}: {output:?}");
        assert!(said.contains("the host ran out of memory"), "{method} {user:?}: {said}");
        assert!(said.contains("has 150 MiB for all"), "{method} {user:?}: {said}");
    }
}

#[test]
fn what_a_bot_does_itself_stays_its_own_fault_where_memory_is_scarce() {
    let Some(group) = Group::make("faults where memory is scarce") else { return };
    // The second one stays below what the group has, since its limit is watched, and found to be exceeded a little later.
    for (fault, memory, verdict) in
        [("signal 9", "1GiB", "crash"), ("memory 80", "60MiB", "memory_limit")]
    {
        let bot = format!("@misbehaving {fault} --on-turn 2");
        let args = ["play", "--format", "json", "--memory", memory, "--bot", &bot];
        let output = group.run(User::Mine, &[&args[..], &PATIENT].concat());
        assert_eq!(output.json()["verdict"], verdict, "{output:?}");
    }
}

#[test]
fn a_suite_does_not_play_what_the_host_has_no_memory_for() {
    let Some(group) = Group::make("a suite without memory") else { return };
    let folder = tempdir().expect("a folder");
    let run = folder.path().join("run");
    let args = ["suite", "--jobs", "2", "--seed", "1..3", "--memory", "1GiB", "--bot"];
    let more = ["@misbehaving memory 400 --on-turn 2", "--run", run.to_str().expect("UTF-8")];
    let output = group.run(User::Mine, &[&args[..], &more, &PATIENT].concat());
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let results = fs::read_to_string(run.join("results.jsonl")).expect("a run");
    assert_eq!(results.matches("\"verdict\":\"no_resources\"").count(), 3, "{results}");
}

#[test]
fn a_bot_that_the_host_has_no_processes_for_does_not_lose() {
    let files = [("pids", "pids.max"), ("", "pids.max")];
    let Some(group) = Group::limiting("the host's processes", "pids", files, PROCESSES) else {
        return;
    };
    let forks = "sh -c 'for i in $(seq 40); do sleep 60 & done; echo 0 0; cat'";
    for method in ALL_METHODS {
        let args = ["play", "--containment", method, "--bot", forks];
        let output = group.run(User::Mine, &[&args[..], &PATIENT].concat());
        assert_eq!(output.status.code(), Some(3), "{method}: {output:?}");
        let expected = "the host refused a process or thread, so nobody is at fault";
        assert!(output.err().contains(expected), "{method}: {}", output.err());
    }
    // What was killed may take a moment to be reaped.
    let group =
        Group::limiting("the host's processes", "pids", files, PROCESSES).expect("as before");
    let suite = ["suite", "--run", "none", "--jobs", "1", "--seed", "1", "--bot", "@first"];
    let output = group.run(User::Mine, &[&suite[..], &PATIENT].concat());
    assert!(output.status.success() && output.err().contains("to 30 processes"), "{output:?}");
    let doctor = group.run(User::Mine, &["doctor"]).out();
    assert!(doctor.contains("all its bots have 30 processes and threads"), "{doctor}");
}
