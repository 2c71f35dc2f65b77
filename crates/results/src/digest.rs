//! Short identifiers of content: equal for equal bytes, and in practice different for all others.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The bytes kept of the hash: easily enough to tell boards and programs apart.
const DIGEST_BYTES: usize = 16;

/// The first 128 bits of the SHA-256 of `bytes`, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

/// The digest of a hash.
pub fn to_hex(hash: &[u8]) -> String {
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
}
