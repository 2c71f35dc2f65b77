//! Tricks of every user, in the binary of the tests of times; the first set plays each trick by one user.

use crate::blame::{TRICKS, is_no_excuse};
use crate::support::{User, has_program, leave_out};

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn no_trick_of_any_user_puts_the_blame_on_the_host() {
    let _alone = crate::alone();
    if !has_program("python3") {
        return leave_out("tricks to be excused", "there is no python3 on this machine");
    }
    for (trick, method) in TRICKS {
        for user in [User::Mine, User::Nobody] {
            is_no_excuse(user, method, trick);
        }
    }
}
