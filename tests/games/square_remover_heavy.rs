//! A bot for a tester that floods it, with half a gigabyte.

use crate::games::square_remover::the_tester_ends_a_flood;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_flood_of_one_line_is_ended_by_the_tester() {
    the_tester_ends_a_flood();
}
