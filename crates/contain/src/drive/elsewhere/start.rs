//! Where the processes of a bot are found.

use crate::observe::root::Root;
use crate::spawn::running::Running;

pub(super) fn root(running: &Running) -> Root {
    let plain = running.plain();
    Root::new(plain.number(), plain.group())
}
