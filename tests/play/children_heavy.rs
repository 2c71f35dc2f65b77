//! A child that plays on is heard in no game, whatever else the machine does.

use crate::play::children::{LEFT, is_not_heard, writers_are_known};
use support::prelude::*;

/// Computes for as long as it lives.
struct Hog(Child);

impl Hog {
    fn start() -> Self {
        let hog = ["--pdeathsig", "KILL", "sh", "-c", "while :; do :; done"];
        Self(Command::new("setpriv").args(hog).spawn().expect("util-linux is there"))
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_child_that_plays_on_is_never_heard() {
    if !writers_are_known() {
        return;
    }
    for hogs in [0, 2] {
        let _hogs: Vec<Hog> = (0..hogs).map(|_| Hog::start()).collect();
        let plain = &["--containment", "plain"];
        for more in [&[][..], &["--pin"], &["--sandbox"], &["--pin", "--sandbox"], plain] {
            for bot in LEFT {
                is_not_heard(bot, more, 12);
            }
        }
    }
}
