//! What a checker of accessibility says of all pages in all their states.

use crate::views::metrics::charts_are_accessible;
use crate::views::run_pages_heavy::all_pages_of_runs_are_accessible;
use crate::views::side_by_side_heavy::all_replay_pages_are_accessible;
use support::prelude::*;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_checker_of_accessibility_finds_nothing_in_any_page() {
    if can_browse("a_checker_of_accessibility_finds_nothing_in_any_page") {
        all_replay_pages_are_accessible();
        all_pages_of_runs_are_accessible();
        charts_are_accessible();
    }
}
