//! The pictures that a judge has drawn of a game: files in a folder next to the game's log.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use rules::game::Drawing;

/// The ending of the folder's name.
pub(crate) const ENDING: &str = "pictures";

/// The folder of a game's pictures: `game.pictures` next to `game.jsonl` or `game.jsonl.gz`. Next to `game.html` it is
/// `game.html.pictures`, since the page may be of another game than the log of its name.
pub fn folder(log: &Path) -> PathBuf {
    let ends_in = |ending| log.extension().is_some_and(|it| it == ending);
    if ends_in("html") {
        return log.with_extension(format!("html.{ENDING}"));
    }
    let name = if ends_in("gz") { log.with_extension("") } else { log.to_owned() };
    name.with_extension(ENDING)
}

/// The pictures next to a log, by name.
pub fn kept(log: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(log)).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| Drawing::has_ending(path) && path.is_file());
    paths.sort();
    paths
}

/// Keeps the pictures of a game next to its log, and removes an earlier game's there.
///
/// # Errors
/// When a file cannot be written or removed; the error names it.
pub fn keep(log: &Path, drawings: &[Drawing]) -> io::Result<()> {
    let folder = folder(log);
    if folder.is_dir() {
        kept(log).iter().try_for_each(fs::remove_file)?;
        if drawings.is_empty() {
            // Fails only if it has other files.
            let _ = fs::remove_dir(&folder);
        }
    } else if !drawings.is_empty() {
        fs::create_dir(&folder)?;
    }
    drawings.iter().try_for_each(|Drawing { name, content }| fs::write(folder.join(name), content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_kept_beside_a_log_until_another_game_takes_their_place() {
        let place = tempfile::tempdir().expect("a folder");
        let (log, packed) = (place.path().join("a.jsonl"), place.path().join("a.jsonl.gz"));
        let drawing = |name: &str| Drawing { name: name.to_owned(), content: b"<svg/>".to_vec() };
        keep(&log, &[drawing("out.svg"), drawing("vis.html")]).expect("kept");
        let names = |log: &Path| -> Vec<_> {
            kept(log).iter().map(|path| path.file_name().expect("a name").to_owned()).collect()
        };
        assert_eq!(names(&packed), ["out.svg", "vis.html"]);
        fs::write(folder(&log).join("note.txt"), "mine").expect("written");
        keep(&packed, &[drawing("new.svg")]).expect("kept");
        assert_eq!(names(&log), ["new.svg"]);
        keep(&log, &[]).expect("removed");
        assert_eq!(kept(&log), [] as [PathBuf; 0]);
        assert!(folder(&log).join("note.txt").is_file(), "a file of the user's stays");
        fs::remove_file(folder(&log).join("note.txt")).expect("removed");
        keep(&log, &[]).expect("removed");
        assert!(!folder(&log).exists());
    }
}
