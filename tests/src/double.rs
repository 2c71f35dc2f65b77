//! Finds the program in `tests/doubles`, which stands in for outside judges.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{program, repository};

/// The program that stands in for outside judges; its first word chooses one.
pub fn double() -> PathBuf {
    let built = Path::new(program()).with_file_name("examples").join("double");
    let sources = repository().join("tests/doubles").read_dir().expect("a folder").flatten();
    let newest = sources.map(|source| changed(&source.path())).max();
    // `cargo test NAME` builds no examples.
    assert!(
        built.is_file() && Some(changed(&built)) >= newest,
        "{} is missing or older than tests/doubles: `cargo test` builds it, and so does `cargo build -p referee --example double`",
        built.display()
    );
    built
}

fn changed(file: &Path) -> SystemTime {
    fs::metadata(file).and_then(|file| file.modified()).expect("a file")
}
