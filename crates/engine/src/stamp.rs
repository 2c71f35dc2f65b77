//! The digests of files that may change while games are played.
//!
//! Reading a file takes long, so a digest is kept for as long as the file's stamp (its place, size and times) stays the
//! same.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use fs_err as fs;
use sha2::{Digest as _, Sha256};

use results::digest::to_hex;

/// Changes whenever the file's content does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn read(path: &Path) -> io::Result<Self> {
        let data = fs::metadata(path)?;
        Ok(Self {
            file: (data.dev(), data.ino()),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }
}

/// A file's stamp and the digest of its content.
pub(crate) fn stamped(path: &Path) -> io::Result<(Stamp, String)> {
    static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (Stamp, String)>>> =
        LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let stamp = Stamp::read(path)?;
        if let Some(found) = known().get(path).filter(|(known, _)| *known == stamp) {
            return Ok(found.clone());
        }
        let digest = file_digest(path)?;
        // The digest of a file that changes while it is read fits neither content.
        if Stamp::read(path)? == stamp {
            known().insert(path.to_owned(), (stamp, digest));
        }
    }
}

/// The digest of a file's content.
fn file_digest(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(to_hex(&hash.finalize())),
            count => hash.update(&chunk[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_digest_of_its_content() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let content = vec![7; 200_000];
        std::fs::write(file.path(), &content).expect("written");
        assert_eq!(file_digest(file.path()).expect("read"), results::digest::digest(&content));
        assert!(file_digest(Path::new("/nowhere")).is_err());
    }
}
