//! The pictures that a judge has drawn in its scratch folder, such as `vis.html`, `out.svg` and `vis.png`.

use std::path::Path;

use fs_err as fs;

use rules::game::Drawing;
use terms::bounds::{PICTURE, PICTURES};

/// The pictures in a folder, by name. Links lead to files of the user's, so they do not count.
pub(crate) fn drawings(folder: &Path) -> Vec<Drawing> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let files = entries.filter(|entry| Drawing::has_ending(&entry.path()) && is_file(entry));
    let mut paths: Vec<_> = files.map(|entry| entry.path()).collect();
    paths.sort();
    paths.truncate(PICTURES);
    paths.iter().filter_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Option<Drawing> {
    let name = path.file_name()?.to_str()?.to_owned();
    let size = fs::metadata(path).ok()?.len();
    if size > PICTURE {
        log::warn!("the judge's picture {name} is not kept: it has {size} bytes");
        return None;
    }
    Some(Drawing { name, content: fs::read(path).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_the_judge_has_drawn_are_read_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [("vis.html", "<p>"), ("out.svg", "<svg/>"), ("input.txt", "1")] {
            fs::write(path(name), text).expect("written");
        }
        fs::create_dir(path("more.svg")).expect("made");
        std::os::unix::fs::symlink(path("input.txt"), path("mine.png")).expect("made");
        fs::File::create(path("huge.png"))
            .and_then(|file| file.set_len(PICTURE + 1))
            .expect("made");
        let found = drawings(folder.path());
        let names: Vec<_> = found.iter().map(|drawing| drawing.name.as_str()).collect();
        assert_eq!(names, ["out.svg", "vis.html"]);
        assert_eq!(found[0].content, b"<svg/>");
    }
}
