//! Where the processes of a bot are found.

use crate::observe::root::Root;
use crate::spawn::running::Running;

pub(super) fn root(running: &Running) -> Root {
    match running {
        Running::Kept(keeper) => Root::Keeper(keeper.pid),
        Running::Plain(plain) => Root::Program(plain.pid()),
    }
}
