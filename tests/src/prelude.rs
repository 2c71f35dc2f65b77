//! What nearly every test needs.

pub use std::collections::{BTreeMap, BTreeSet};
pub use std::fs;
pub use std::io::Write as _;
pub use std::os::unix::fs::PermissionsExt as _;
pub use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
pub use std::path::{Path, PathBuf};
pub use std::process::{Child, Command, Output, Stdio};
pub use std::thread::sleep;
pub use std::time::{Duration, Instant};

pub use rustix::process::{Pid, Signal, kill_process};
pub use serde_json::{Value, json};
pub use tempfile::{TempDir, tempdir};

pub use crate::browser::Browser;
pub use crate::double::double;
pub use crate::grid::{ALL_METHODS, METHODS, USERS, grid, sandbox_grid, sandboxes};
pub use crate::hog::Hog;
pub use crate::made::MadeRun;
pub use crate::place::Place;
pub use crate::terminal::Terminal;
pub use crate::{
    DAEMONS, HOP, LEAVE_WRITER, Mark, PATIENT, Printed, Referee, Run, User, as_nobody, assert_code,
    bot_line, bound, children, data, finished, for_each_in_parallel, git, has_control_groups,
    has_host_part, has_sandbox, is_linux, keepers, leave_out, need, overruns, program, referee,
    referee_of, repository, run_as, shared_data, stalling_file_system, start_without, summary,
    undisturbed, wait_until, write_program,
};
