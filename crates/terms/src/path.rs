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

/// Whether the name of a file begins with a dot. Editors, Finder and others leave such files next to the user's.
///
/// ```
/// # use std::path::Path;
/// # use terms::path::is_hidden;
/// assert!(is_hidden(Path::new("in/._0001.txt")));
/// assert!(!is_hidden(Path::new("./in/0001.txt")));
/// ```
pub fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
