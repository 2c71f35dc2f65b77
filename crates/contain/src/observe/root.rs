//! Where a program's processes are found.

use rustix::process::Pid;

use crate::sys::proc::children;

/// The process from which all processes of a program descend.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Root {
    /// Its keeper, which is not one of them.
    Keeper(Pid),
    /// The program itself.
    Program(Pid),
}

impl Root {
    /// The process itself.
    pub(crate) fn pid(self) -> Pid {
        let (Self::Keeper(pid) | Self::Program(pid)) = self;
        pid
    }

    /// The processes with which a walk begins: the program is the first one.
    pub(super) fn first_processes(self) -> Vec<i32> {
        match self {
            Self::Keeper(keeper) => children(keeper.as_raw_pid(), keeper.as_raw_pid()),
            Self::Program(pid) => vec![pid.as_raw_pid()],
        }
    }
}
