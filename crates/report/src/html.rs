//! Helpers for self-contained HTML pages: filling templates, and the hashes by which a content security
//! policy allows a style or a script. The module does not know what the pages show.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Replaces each `{{name}}` in a template by its part. Names inside parts are not replaced.
pub(crate) fn fill(template: &str, mut part: impl FnMut(&str) -> String) -> String {
    let mut page = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("a template closes what it opens");
        page.push_str(before);
        page.push_str(&part(name));
        rest = after;
    }
    page + rest
}

/// A content security policy's source expression that allows exactly this text.
pub(crate) fn source_of(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_not_templates() {
        let filled = fill("a {{x}} {{y}}.", |name| format!("{{{{{name}}}}}"));
        assert_eq!(filled, "a {{x}} {{y}}.");
    }
}
