//! Short identifiers for content: equal for equal bytes, and in practice for no others.

use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// How many bytes of the hash are kept: easily enough to tell boards and programs apart.
const DIGEST_BYTES: usize = 16;

/// The first 128 bits of the SHA-256 of `bytes`, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

/// The digest of a file's content.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn file_digest(path: &Path) -> io::Result<String> {
    let mut file = fs_err::File::open(path)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(to_hex(&hash.finalize())),
            count => hash.update(&chunk[..count]),
        }
    }
}

fn to_hex(hash: &[u8]) -> String {
    let mut hex = String::new();
    for byte in &hash[..DIGEST_BYTES] {
        write!(hex, "{byte:02x}").expect("memory");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_beginning_of_sha_256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223");
    }

    #[test]
    fn a_file_has_the_digest_of_its_content() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let content = vec![7; 200_000];
        std::fs::write(file.path(), &content).expect("written");
        assert_eq!(file_digest(file.path()).expect("read"), digest(&content));
        assert!(file_digest(Path::new("/nowhere")).is_err());
    }
}
