//! Every fault under the pairs of user and method that the first set leaves out.

use crate::contain::methods::every_fault_is_contained;
use support::prelude::*;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_namespace_contains_every_fault() {
    every_fault_is_contained(User::Mine, "namespace");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_filter_needs_no_privilege() {
    every_fault_is_contained(User::Nobody, "seccomp");
}
