//! Attacks under each containment method and by each user; the first set has only some of these pairs.

use crate::contain::attacks::{
    HELD, METHODS, USERS, churn_holds_up_no_verdict, referees_killed_at_any_moment_leave_nothing,
    speaking_for_a_keeper_holds_up_no_verdict,
};
use crate::contain::held_up::{
    PUNCHED, SERVED, held_up_referees_can_be_ended, holding_a_pipe_holds_up_no_verdict,
    no_file_system_is_mounted, python,
};
use support::prelude::*;

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
    let Some(python) = python() else { return };
    let holds = |user, method, more: &[&str]| {
        holding_a_pipe_holds_up_no_verdict(python, user, method, more, PUNCHED);
        if method == "namespace" && more.is_empty() {
            holding_a_pipe_holds_up_no_verdict(python, user, method, more, SERVED);
        } else {
            no_file_system_is_mounted(python, user, method, more);
        }
    };
    for user in USERS {
        for method in METHODS {
            holds(user, method, &[]);
            if has_sandbox(method) {
                holds(user, method, &["--sandbox"]);
            }
        }
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_referee_that_is_held_up_in_the_kernel_can_be_killed_by_any_user() {
    if let Some(python) = python() {
        held_up_referees_can_be_ended(python, User::Nobody);
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
