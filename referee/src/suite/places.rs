//! Whether games were played in places that compare.

use std::collections::BTreeSet;

use super::folder::{FolderError, RunFolder};

/// What makes runs hard to compare, or a run hard to join: games from different kinds of processors,
/// where time is limited, and games that different versions of the referee have played. One clause each.
///
/// # Errors
/// When a file of parts cannot be read.
pub fn differing_places(folders: &[&RunFolder]) -> Result<Vec<String>, FolderError> {
    let (mut cpus, mut referees) = (BTreeSet::new(), BTreeSet::new());
    for folder in folders {
        for part in folder.parts()? {
            if folder.run.plan.is_timed() {
                cpus.insert(part.cpu);
            }
            referees.insert(part.referee);
        }
        referees.insert(folder.run.referee.clone());
    }
    let tell = |what: &str, kinds: BTreeSet<String>| {
        let kinds: Vec<String> = kinds.into_iter().collect();
        (kinds.len() > 1).then(|| format!("{what}: {}", kinds.join("; ")))
    };
    let cpus = tell(
        "games come from different processors, so times, and what bots make of them, do not compare",
        cpus,
    );
    let referees = tell("games come from different versions of the referee", referees);
    Ok(cpus.into_iter().chain(referees).collect())
}
