//! Beginners' mistakes in languages that take long to compile or to start.

use crate::play::beginners::{each_mistake_is_named, others};
use support::prelude::*;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn each_mistake_in_each_other_language_is_named() {
    // Java takes a while to start and to end, on a busy machine longer than a short limit.
    let programs = need("beginners' mistakes", ["c++", "node", "java", "javac"]);
    let Some(programs) = programs else { return };
    let folder = tempdir().expect("a folder");
    each_mistake_is_named(&others(folder.path(), programs), ["12s", "5s"]);
}
