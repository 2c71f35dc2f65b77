//! The names of games in settings that are written for them.

use std::path::Path;

use rules::game::GAMES;

/// The first of these names that has a letter or digit, as settings have it.
pub(crate) fn game_name(names: impl IntoIterator<Item = String>) -> String {
    let slug = |text: String| {
        let lower = text.to_lowercase();
        let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    };
    let mut names = names.into_iter().map(slug);
    let name = names.find(|name| !name.is_empty()).unwrap_or_else(|| "game".to_owned());
    // A game that comes with the referee keeps its name.
    let is_taken = GAMES.iter().any(|game| game.name == name);
    if is_taken { format!("{name}-original") } else { name }
}

/// The last part of a path, whatever way leads there.
pub(crate) fn last_part(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
