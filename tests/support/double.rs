//! The doubles of outside judges, which `tests/doubles` holds.

use std::path::{Path, PathBuf};

/// The program that stands in for outside judges; its first word chooses one.
pub(crate) fn double() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_referee")).with_file_name("examples").join("double");
    assert!(built.is_file(), "{} is missing: `cargo test` builds it", built.display());
    built
}
