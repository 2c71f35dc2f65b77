//! Links from a page to files on the same disk.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::markup::address_of;
use results::gamelog::drawings;
use terms::path::folder_of;

/// A link to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    name: String,
    /// Relative to the page's folder: it begins with `./`, so that no name is taken for a scheme.
    address: String,
    /// Its content as an address, if the page shows it. A picture in an `img` runs no script and loads nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip)]
    file: PathBuf,
}

/// The size in bytes up to which a page shows a picture.
const SHOWN: u64 = 1 << 20;

impl Link {
    /// The same, with the picture in the page if it is small and of a kind that browsers show as an image.
    pub(crate) fn with_image(self) -> Self {
        let is_small = fs::metadata(&self.file).is_ok_and(|file| file.len() <= SHOWN);
        let content = || fs::read(&self.file).ok().filter(|_| is_small);
        let content = match self.file.extension().and_then(OsStr::to_str) {
            Some("svg") => content().map(|picture| ("svg+xml", picture)),
            Some("png") => content().map(|picture| ("png", picture)),
            Some("html") => {
                content().and_then(picture_of).map(|picture| ("svg+xml", picture.into_bytes()))
            }
            _ => None,
        };
        let image = content.map(|(kind, content)| {
            format!("data:image/{kind};base64,{}", STANDARD.encode(content))
        });
        Self { image, ..self }
    }
}

/// The picture of a page such as `vis.html` that shows one without scripts and styles of its own.
fn picture_of(page: Vec<u8>) -> Option<String> {
    let page = String::from_utf8(page).ok()?;
    let (before, rest) = page.split_once("<svg")?;
    let (inner, after) = rest.split_once("</svg>")?;
    let has_more = |part: &str| {
        let part = part.to_ascii_lowercase();
        ["<svg", "<script", "<style", "<link"].iter().any(|tag| part.contains(tag))
    };
    if has_more(before) || has_more(after) || inner.contains("<script") {
        return None;
    }
    let is_named = inner.split_once('>')?.0.contains("xmlns=");
    let name = if is_named { "" } else { " xmlns=\"http://www.w3.org/2000/svg\"" };
    Some(format!("<svg{name}{inner}</svg>"))
}

/// Links from the page at `page` to the pictures next to the log of its game.
pub(crate) fn to_drawings(log: &Path, page: &Path) -> Vec<Link> {
    let link = |file: &Path| {
        let name = file.file_name()?.to_string_lossy().into_owned();
        Some(Link { name, address: address(file, page)?, image: None, file: file.to_owned() })
    };
    drawings::kept(log).iter().filter_map(|file| link(file)).collect()
}

fn address(file: &Path, page: &Path) -> Option<String> {
    let from = fs::canonicalize(folder_of(page)).ok()?;
    let to = fs::canonicalize(file).ok()?;
    let shared = from.components().zip(to.components()).take_while(|(one, two)| one == two).count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared);
    let down = down.map(|part| address_of(part.as_os_str().as_encoded_bytes()));
    Some(format!("./{}", up.chain(down).collect::<Vec<_>>().join("/")))
}
