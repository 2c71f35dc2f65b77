//! Tricks of every user, in the binary of the tests of times; the first set plays each trick by one user.

use crate::blame::{TRICKS, is_no_excuse};
use support::prelude::*;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn no_trick_of_any_user_puts_the_blame_on_the_host() {
    let _alone = crate::alone();
    let Some([python]) = need("tricks to be excused", ["python3"]) else { return };
    for (trick, method) in TRICKS {
        for user in [User::Mine, User::Nobody] {
            is_no_excuse(python, user, method, trick);
        }
    }
}
