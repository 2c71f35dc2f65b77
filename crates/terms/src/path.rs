//! Paths that users give.

use std::path::Path;

/// The folder that holds `path`. For a bare name it is `.`, where [`Path::parent`] is an empty path, which the system does not take.
///
/// ```
/// # use std::path::Path;
/// # use terms::path::folder_of;
/// assert_eq!(folder_of(Path::new("a/referee.toml")), Path::new("a"));
/// assert_eq!(folder_of(Path::new("referee.toml")), Path::new("."));
/// ```
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
