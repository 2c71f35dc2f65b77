//! A suite that is killed again and again.

use crate::runs::suite::a_killed_suite_ends_as_an_undisturbed_one;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_suite_killed_31_times_ends_with_the_results_of_an_undisturbed_one() {
    a_killed_suite_ends_as_an_undisturbed_one(31, 2);
}
