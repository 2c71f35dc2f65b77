//! The number of processes and threads alive at one moment.

use std::time::Instant;

use super::walk::long_walk;
use crate::decide::sample::Sample;
use crate::sys::proc::{field, has_exited, status};

/// The number of processes and threads that were in the sample and are still there. They were all alive at one
/// moment; of processes that come and go, the sample itself may have seen more than ever lived at once. If not all
/// of them can be read before `deadline`, the rest is estimated from those.
pub(crate) fn tasks(sample: &Sample, deadline: Option<Instant>) -> u64 {
    let until = long_walk(deadline);
    let visited = sample.processes.iter().map(|process| (process.pid, process.threads));
    let unvisited = sample.unvisited.iter().map(|&pid| (pid, 1));
    let mut all: Vec<(i32, u64)> = visited.chain(unvisited).collect();
    // In pseudo-random order, since the first ones are older than the rest.
    all.sort_unstable_by_key(|&(pid, _)| pid.wrapping_mul(0x61c8_8647));
    let (mut seen, mut living) = (0, 0);
    for (pid, threads) in all {
        seen += threads;
        living += living_threads(pid).min(threads);
        if Instant::now() >= until {
            break;
        }
    }
    (living * sample.tasks()).checked_div(seen).unwrap_or(0)
}

/// The number of threads; 0 of a process that has ended, even if nobody has reaped it.
fn living_threads(pid: i32) -> u64 {
    let Some((_, status)) = status(pid) else { return 0 };
    if has_exited(&status) { 0 } else { field(&status, "Threads:").unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::observe::walk::of_all;

    #[test]
    fn who_has_ended_does_not_live() {
        let mut child = Command::new("sleep").arg("3600").spawn().expect("starts");
        let pid = i32::try_from(child.id()).expect("a pid");
        let sample = of_all(vec![pid], long_walk(None));
        assert_eq!((sample.tasks(), tasks(&sample, None)), (1, 1));
        child.kill().expect("it is there");
        let patience = Instant::now() + std::time::Duration::from_secs(20);
        while tasks(&sample, None) > 0 {
            assert!(Instant::now() < patience, "a zombie counts");
        }
        child.wait().expect("a child");
    }

    #[test]
    fn where_looking_takes_long_a_few_stand_for_all() {
        let me = i32::try_from(std::process::id()).expect("a pid");
        let unvisited = vec![me; 700];
        let sample = Sample { unvisited, ..Sample::default() };
        assert_eq!(tasks(&sample, Some(Instant::now())), 700);
        assert_eq!(tasks(&Sample::default(), None), 0);
    }
}
