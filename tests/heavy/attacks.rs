//! Attacks under each containment method and by each user; the first set has only some of these pairs.

use crate::attacks::{
    HELD, METHODS, USERS, churn_holds_up_no_verdict, referees_killed_at_any_moment_leave_nothing,
    speaking_for_a_keeper_holds_up_no_verdict,
};
use crate::held_up::{PUNCHED, SERVED, holding_a_pipe_holds_up_no_verdict};
use crate::support::has_sandbox;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn processes_that_come_and_go_all_the_time_hold_up_no_verdict_under_any_method() {
    for user in USERS {
        for method in METHODS {
            churn_holds_up_no_verdict(user, method);
        }
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_bot_that_speaks_for_its_keeper_holds_up_no_verdict_under_any_method() {
    for user in USERS {
        for method in METHODS {
            speaking_for_a_keeper_holds_up_no_verdict(user, method);
        }
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_bot_that_holds_its_pipe_in_the_kernel_holds_up_no_verdict_under_any_method() {
    for user in USERS {
        for method in METHODS {
            holding_a_pipe_holds_up_no_verdict(user, method, &[], PUNCHED);
            if has_sandbox(method) {
                holding_a_pipe_holds_up_no_verdict(user, method, &["--sandbox"], PUNCHED);
            }
        }
        // Elsewhere Landlock, and in a sandbox the filter, forbid every mount.
        holding_a_pipe_holds_up_no_verdict(user, "namespace", &[], SERVED);
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn referees_that_are_killed_again_and_again_leave_nothing_behind() {
    // More with `REFEREE_KILLS` in the environment.
    let kills = std::env::var("REFEREE_KILLS").ok();
    let kills = kills.map_or(6, |kills| kills.parse().expect("a number"));
    for (method, more) in HELD {
        referees_killed_at_any_moment_leave_nothing(method, more, kills);
    }
}
