//! Bots that delay the end of their game, under each method, by each user, with and without a sandbox.

use crate::contain::attacks::{ALL_METHODS, METHODS, USERS, shared_memory_is_reported_once};
use crate::contain::delayed_ends::{
    LONG_ENDS, a_long_end_is_known, many_descriptors_delay_no_end, many_files_are_removed,
};
use support::prelude::*;

const PLAIN: &[&str] = &[];
const SANDBOX: &[&str] = &["--sandbox"];

/// Calls `play` for each user and method, with and without a sandbox, which are numbered.
fn under_any_method(play: impl Fn(usize, User, &str, &[&str])) {
    let sandboxed = METHODS.map(has_sandbox);
    let pairs = METHODS.into_iter().zip(sandboxed).flat_map(|(method, has_sandbox)| {
        [(method, PLAIN)].into_iter().chain(has_sandbox.then_some((method, SANDBOX)))
    });
    let all = USERS.into_iter().flat_map(|user| pairs.clone().map(move |pair| (user, pair)));
    for (number, (user, (method, more))) in all.enumerate() {
        play(number, user, method, more);
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn many_descriptors_in_many_processes_delay_no_end_under_any_method() {
    under_any_method(|_, user, method, more| {
        let whose = if user == User::Mine { "own" } else { "shared" };
        many_descriptors_delay_no_end(user, method, more, whose);
    });
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn many_files_in_a_scratch_folder_are_removed_under_any_method() {
    for user in USERS {
        for method in METHODS {
            many_files_are_removed(user, method, 2_000);
        }
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_bot_whose_end_takes_long_has_ended_under_any_method() {
    under_any_method(|number, user, method, more| {
        a_long_end_is_known(user, method, more, LONG_ENDS[number % LONG_ENDS.len()]);
    });
    for end in LONG_ENDS {
        a_long_end_is_known(User::Mine, "plain", &[], end);
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn memory_that_many_processes_share_is_reported_once_under_any_method() {
    for user in USERS {
        for method in ALL_METHODS {
            shared_memory_is_reported_once(user, method);
        }
    }
}
