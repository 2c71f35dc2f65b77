//! Kills and full disks at every call that changes a file.

use crate::kills::{Fault, MERGE, PRUNE, RECORDS, SESSION, START, SUBMIT, try_each};

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_kill_at_every_write_loses_nothing_and_needs_no_hand() {
    for scene in [MERGE, RECORDS, PRUNE, SESSION, START, SUBMIT] {
        try_each(&scene, Fault::Kill, 1);
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_full_disk_at_every_write_loses_nothing_and_needs_no_hand() {
    for scene in [MERGE, PRUNE] {
        try_each(&scene, Fault::FullDisk, 1);
    }
}
