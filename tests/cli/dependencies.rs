//! What the program is built from.

use support::prelude::*;

/// The packages that the owner of the project asks for.
const ASKED_FOR: [&str; 6] = ["clap", "wait-timeout", "serde", "toml", "log", "env_logger"];

/// The crates of this workspace that the program links, by their folders.
fn linked() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![root.join("referee")];
    let mut seen = 0;
    while let Some(folder) = folders.get(seen) {
        seen += 1;
        for name in dependencies(folder) {
            let inner = [root.join("crates").join(&name), root.join(&name)];
            let found = inner.into_iter().find(|it| it.join("Cargo.toml").is_file());
            folders.extend(found.filter(|it| !folders.contains(it)));
        }
    }
    folders
}

/// The names under `[dependencies]` in a crate's manifest.
fn dependencies(folder: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    dependencies.into_iter().flat_map(toml::Table::keys).cloned().collect()
}

/// Whether a source file in a folder, or in one within it, contains this text.
fn is_in_source(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            is_in_source(&path, text)
        } else {
            fs::read_to_string(&path).expect("a source file").contains(text)
        }
    })
}

#[test]
fn the_program_links_and_uses_the_packages_that_its_owner_asks_for() {
    let linked = linked();
    assert!(linked.len() > 5, "{linked:?}");
    for package in ASKED_FOR {
        let path = format!("{}::", package.replace('-', "_"));
        let uses =
            linked.iter().filter(|crate_| dependencies(crate_).iter().any(|it| it == package));
        assert!(uses.clone().any(|it| is_in_source(&it.join("src"), &path)), "{package}");
    }
}
