//! Settings for a bot's resources, as users write them.

use serde::Deserialize;

use super::over::{Layered, over_by_field};
use terms::limits::Resources;
use terms::millis::Millis;
use terms::values::{Bound, Count, Limit, Size};

/// Limits on a bot's resources, each of which may be unset.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table [resources]")]
pub(super) struct ResourceTable {
    pub(super) sandbox_memory: Option<Bound<Size>>,
    processes: Option<Bound<Count>>,
    open_files: Option<Bound<Count>>,
    cpu_time: Option<Bound<Limit>>,
    file_size: Option<Bound<Size>>,
    turn_output: Option<Bound<Size>>,
    game_output: Option<Bound<Size>>,
    game_stderr: Option<Bound<Size>>,
    pub(super) log_size: Option<Bound<Size>>,
}

over_by_field!(ResourceTable:
    sandbox_memory, processes, open_files, cpu_time, file_size, turn_output, game_output, game_stderr, log_size
);

impl ResourceTable {
    /// The resources that these settings grant, with this limit on memory in bytes.
    pub(super) fn resources(self, memory: Option<u64>) -> Resources {
        let size = |bound: Option<Bound<Size>>| bound?.limit().map(|size| size.0);
        let count = |bound: Option<Bound<Count>>| bound?.limit().map(|count| count.0);
        Resources {
            memory,
            processes: count(self.processes),
            open_files: count(self.open_files),
            cpu_time: self.cpu_time.and_then(Bound::limit).map(|limit| Millis(limit.0)),
            file_size: size(self.file_size),
            turn_output: size(self.turn_output),
            game_output: size(self.game_output),
            game_stderr: size(self.game_stderr),
            ..Resources::default()
        }
    }
}
