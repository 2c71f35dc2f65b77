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

/// Changes whenever the file's content does.
pub(crate) type Stamp = FileStamp;

/// A file's stamp and the digest of its content.
pub(crate) fn stamped(path: &Path) -> io::Result<(Stamp, String)> {
    static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (Stamp, String)>>> =
        LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let stamp = Stamp::of(&fs::metadata(path)?);
        if let Some(found) = known().get(path).filter(|(known, _)| *known == stamp) {
            return Ok(found.clone());
        }
        let digest = file_digest(path)?;
        // The digest of a file that changes while it is read fits neither content.
        if Stamp::of(&fs::metadata(path)?) == stamp {
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
