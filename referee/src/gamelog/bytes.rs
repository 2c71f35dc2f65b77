//! What a bot wrote, in a log: text where it is UTF-8, base64 where it is not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that read as text in JSON whenever they can, and survive a round trip always.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[derive(Serialize, Deserialize)]
struct Base64<'a> {
    base64: std::borrow::Cow<'a, str>,
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Base64 { base64: STANDARD.encode(&self.0).into() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "neither a string nor {\"base64\": string}")]
        enum Form {
            Text(String),
            Encoded(Base64<'static>),
        }
        match Form::deserialize(deserializer)? {
            Form::Text(text) => Ok(Self(text.into_bytes())),
            Form::Encoded(Base64 { base64 }) => {
                STANDARD.decode(base64.as_bytes()).map(Self).map_err(D::Error::custom)
            }
        }
    }
}
