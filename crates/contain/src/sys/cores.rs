//! Sets of cores, as the kernel takes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The set of these cores.
pub(crate) fn set(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core);
    }
    set
}

/// The cores that the calling thread may use.
pub(crate) fn usable() -> rustix::io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The cores that the calling thread may use, in an order that puts the second threads of physical cores last.
pub(crate) fn usable_apart() -> io::Result<Vec<usize>> {
    Ok(apart(usable()?, place))
}

/// Cores in an order that puts the second ones in each place last, then the third ones.
fn apart<P: Ord>(cores: Vec<usize>, place: impl Fn(usize) -> P) -> Vec<usize> {
    let mut seen = BTreeMap::new();
    let rank = |core| {
        let before = seen.entry(place(core)).or_insert(0);
        *before += 1;
        (*before, core)
    };
    let mut ranked: Vec<(usize, usize)> = cores.into_iter().map(rank).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, core)| core).collect()
}

/// The number of physical cores that the calling thread may use.
pub(crate) fn physical() -> io::Result<usize> {
    Ok(usable()?.into_iter().map(place).collect::<BTreeSet<_>>().len())
}

/// Which core of which package a logical processor is on; itself where the kernel does not tell.
fn place(core: usize) -> (String, String) {
    let read = |file: &str| {
        fs::read_to_string(format!("/sys/devices/system/cpu/cpu{core}/topology/{file}"))
    };
    match (read("physical_package_id"), read("core_id")) {
        (Ok(package), Ok(core)) => (package.trim().to_owned(), core.trim().to_owned()),
        _ => (String::new(), core.to_string()),
    }
}

/// Moves a thread, or the calling one, to these cores.
pub(crate) fn move_to(thread: Option<Pid>, cores: &[usize]) -> rustix::io::Result<()> {
    sched_setaffinity(thread, &set(cores))
}

#[test]
fn second_threads_of_physical_cores_come_last() {
    assert_eq!(apart((0..6).collect(), |core| core / 2), [0, 2, 4, 1, 3, 5]);
    assert_eq!(apart(vec![1, 2, 5], |core| core % 4), [1, 2, 5]);
}
