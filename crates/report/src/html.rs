//! Helpers for self-contained HTML pages: filling templates, and the hashes by which a content security
//! policy allows a style or a script. The module does not know what the pages show.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A page: the template with these parts in the place of their `{{name}}`, its style and script, and their hashes. Names inside parts
/// are not replaced.
pub(crate) fn page(template: &str, style: &str, script: &str, parts: &[(&str, String)]) -> String {
    let hashes = [style, script].map(source_of);
    let mut page = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("a template closes what it opens");
        page.push_str(before);
        page.push_str(match name {
            "style" => style,
            "style-hash" => &hashes[0],
            "script" => script,
            "script-hash" => &hashes[1],
            other => &parts.iter().find(|(name, _)| *name == other).expect("a known part").1,
        });
        rest = after;
    }
    page + rest
}

/// A content security policy's source expression that allows exactly this text.
fn source_of(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_not_templates() {
        let parts = [("x", "{{x}}"), ("y", "{{y}}")].map(|(name, part)| (name, part.to_owned()));
        assert_eq!(page("a {{x}} {{y}}.", "", "", &parts), "a {{x}} {{y}}.");
    }
}
