//! Where the processes of a bot are found that is about to start.
#![expect(clippy::unused_self, reason = "as on Linux")]

use crate::confine::method::ContainmentMethod;
use crate::observe::root::Root;
use crate::spawn::running::Running;

/// What is read before the start: nothing.
pub(super) struct Beginning;

impl Beginning {
    pub(super) fn of(_method: ContainmentMethod) -> Self {
        Self
    }

    pub(super) fn root(&self, running: &Running) -> Root {
        let plain = running.plain();
        Root::new(plain.number(), plain.group())
    }
}
