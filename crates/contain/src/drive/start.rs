//! Where the processes of a bot are found that is about to start.

use crate::confine::method::ContainmentMethod;
use crate::observe::root::{Root, Scheduling};
use crate::spawn::running::Running;

/// What is read before the start, after which the bot may change it.
pub(super) struct Beginning(Option<Scheduling>);

impl Beginning {
    pub(super) fn of(method: ContainmentMethod) -> Self {
        let is_plain = method == ContainmentMethod::Plain;
        Self(if is_plain { Scheduling::of_this_thread() } else { None })
    }

    pub(super) fn root(&self, running: &Running) -> Root {
        match running {
            Running::Kept(keeper) => Root::Keeper(keeper.pid, Scheduling::by(keeper.launcher())),
            Running::Plain(plain) => Root::Program(plain.pid(), self.0),
        }
    }
}
