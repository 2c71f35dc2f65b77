//! A process that wants a core.

use std::process::{Child, Command};

/// Computes for as long as it lives, and no longer than the test that made it, which may be killed.
#[derive(Debug)]
pub struct Hog(Child);

impl Hog {
    /// Starts one.
    pub fn start() -> Self {
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
