//! Beginners' mistakes in languages that take long to compile or to start.

use crate::beginners::{each_mistake_is_named, others};

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn each_mistake_in_each_other_language_is_named() {
    // Java takes a while to start and to end, on a busy machine longer than a short limit.
    each_mistake_is_named(&["cc", "c++", "node", "javac"], others, ["12s", "5s"]);
}
