//! Links from a page to files on the same disk.

use std::fs;
use std::path::Path;

use serde::{Serialize, Serializer};

use crate::markup::address_of;
use results::gamelog::drawings;
use terms::path::folder_of;
use terms::text::printable;

/// A link to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    #[serde(serialize_with = "inert")]
    name: String,
    /// Relative to the page's folder: it begins with `./`, so that no name is taken for a scheme.
    address: String,
}

/// Links from the page at `page` to the pictures next to the log of its game.
pub(crate) fn to_drawings(log: &Path, page: &Path) -> Vec<Link> {
    let link = |file: &Path| {
        let name = file.file_name()?.to_string_lossy().into_owned();
        Some(Link { name, address: address(file, page)? })
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

fn inert<S: Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&printable(name))
}
