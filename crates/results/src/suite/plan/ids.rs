//! The ids of a board: digests of its content, which do not depend on its name.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::{DIGEST_BYTES, digest, from_hex, to_hex};
use rules::game::TestCase;
use rules::game::judge::JudgeProgram;

/// The digest of a test case: equal for the same board in any file format.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardId(Id);

/// The digest of a board's [record key](TestCase::record_key): equal for boards that share their
/// records, such as the same `SameGame` board in other colours.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordId(Id);

impl BoardId {
    /// The digest of the test case as the game writes it.
    pub fn of(case: &TestCase) -> Self {
        Self(digest(case.text.as_bytes()).into())
    }
}

impl RecordId {
    /// The id under which a test case's records are kept. Scores of another judge are of another game.
    pub fn of(case: &TestCase, judge: Option<&JudgeProgram>) -> Self {
        let judge = judge.map(JudgeProgram::deciding);
        let judge = judge.map(|judge| serde_json::to_string(&judge).expect("plain data"));
        let key = format!("{}{}", case.record_key, judge.unwrap_or_default());
        Self(digest(key.as_bytes()).into())
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Self {
        Self(name.to_owned().into())
    }
}

/// An id, as small as it can be: a long run has a million of them.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Id {
    /// What a digest in hexadecimal says.
    Digest([u8; DIGEST_BYTES]),
    /// Any other text that was in a file.
    Text(Box<str>),
}

impl Id {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Digest(bytes) => to_hex(bytes).into(),
            Self::Text(text) => text.as_ref().into(),
        }
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        from_hex(&text).map_or_else(|| Self::Text(text.into()), Self::Digest)
    }
}

impl Default for Id {
    fn default() -> Self {
        Self::Text(Box::default())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

/// The order of the texts.
impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Digest(one), Self::Digest(other)) => one.cmp(other),
            _ => self.text().cmp(&other.text()),
        }
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_the_text_that_they_were_in_its_order() {
        let mut texts = [
            "",
            "00112233445566778899aabbccddeeff",
            "00112233445566778899AABBCCDDEEFF",
            "f0112233445566778899aabbccddeef",
            "ff112233445566778899aabbccddeeff",
            "r1",
        ];
        let ids = texts.map(RecordId::named);
        for (text, id) in texts.iter().zip(&ids) {
            let json = serde_json::to_string(id).expect("JSON");
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(&serde_json::from_str::<RecordId>(&json).expect("an id"), id);
        }
        let mut sorted = ids.clone();
        sorted.sort();
        texts.sort_unstable();
        assert_eq!(sorted, texts.map(RecordId::named));
        assert!(size_of::<RecordId>() <= 24);
    }
}
