//! Where a program's processes are found.

use crate::sys::processes::{self, Group};

/// The process from which all processes of a program descend, and what keeps them together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Root {
    pid: i32,
    group: Group,
}

impl Root {
    pub(crate) fn new(pid: i32, group: Group) -> Self {
        Self { pid, group }
    }

    /// The process itself.
    pub(crate) fn pid(self) -> i32 {
        self.pid
    }

    /// All processes by now, the program's first one first.
    pub(super) fn processes(self) -> Vec<i32> {
        processes::below(self.pid, self.group)
    }
}
