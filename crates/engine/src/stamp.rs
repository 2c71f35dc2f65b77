//! The digests of files that may change while games are played.
//!
//! Reading a file takes long, so a digest is kept for as long as the file's stamp (its place, size and times) stays the
//! same.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use fs_err as fs;
use sha2::{Digest as _, Sha256};

use results::digest::to_hex;
use terms::system::FileStamp;

/// How often a file that changes while it is read is read again.
const RETRIES: u32 = 3;

/// The digest of a file's content. A file that keeps changing has some digest, which fits no plan.
pub(crate) fn digest_of(path: &Path) -> io::Result<String> {
    digest_by(path, file_digest)
}

fn digest_by(path: &Path, read: impl Fn(&Path) -> io::Result<String>) -> io::Result<String> {
    static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (FileStamp, String)>>> =
        LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut retries = 0;
    loop {
        let stamp = FileStamp::of(&fs::metadata(path)?);
        if let Some(found) = known().get(path).filter(|(known, _)| *known == stamp) {
            return Ok(found.1.clone());
        }
        let digest = read(path)?;
        // The digest of a file that changes while it is read fits neither content.
        let is_settled = FileStamp::of(&fs::metadata(path)?) == stamp;
        if is_settled {
            known().insert(path.to_owned(), (stamp, digest.clone()));
        }
        if is_settled || retries == RETRIES {
            return Ok(digest);
        }
        retries += 1;
    }
}

/// Reads a file for its digest.
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
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_file_has_the_digest_of_its_content() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let content = vec![7; 200_000];
        std::fs::write(file.path(), &content).expect("written");
        assert_eq!(file_digest(file.path()).expect("read"), results::digest::digest(&content));
        assert!(file_digest(Path::new("/nowhere")).is_err());
    }

    #[test]
    fn a_file_that_keeps_changing_is_not_read_for_ever_and_its_digest_is_not_kept() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let reads = Cell::new(0);
        let read = |changes: u32| {
            reads.set(0);
            let read = |path: &Path| {
                reads.set(reads.get() + 1);
                assert!(reads.get() < 100, "it goes on and on");
                let digest = file_digest(path)?;
                if reads.get() <= changes {
                    std::fs::write(path, vec![b'x'; reads.get() as usize])?;
                }
                Ok(digest)
            };
            digest_by(file.path(), read).expect("read")
        };
        read(u32::MAX);
        assert_eq!(reads.get(), 1 + RETRIES);
        assert_eq!(read(1), results::digest::digest(b"x"), "it settled");
        assert_eq!(reads.get(), 2);
        read(0);
        assert_eq!(reads.get(), 0, "it is known");
    }
}
