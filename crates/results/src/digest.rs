//! Short identifiers of content: equal for equal bytes, and in practice different for all others.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The bytes kept of the hash: easily enough to tell boards and programs apart.
pub(crate) const DIGEST_BYTES: usize = 16;

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

/// The bytes of a digest, if `text` is one as [`digest`] writes it.
pub(crate) fn from_hex(text: &str) -> Option<[u8; DIGEST_BYTES]> {
    let nibble = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let pairs: &[_; DIGEST_BYTES] = pairs.try_into().ok()?;
    let mut bytes = [0; DIGEST_BYTES];
    for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = nibble(high)? << 4 | nibble(low)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_beginning_of_sha_256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223");
        let bytes = from_hex("ba7816bf8f01cfea414140de5dae2223").expect("a digest");
        assert_eq!(to_hex(&bytes), "ba7816bf8f01cfea414140de5dae2223");
        for other in ["", "ba7816bf8f01cfea414140de5dae222", "BA7816bf8f01cfea414140de5dae2223"] {
            assert_eq!(from_hex(other), None, "{other}");
        }
    }
}
