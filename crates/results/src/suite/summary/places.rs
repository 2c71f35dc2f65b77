//! Checks whether games were played in comparable places.

use std::collections::BTreeSet;

use crate::suite::store::{FolderError, RunFolder};
use terms::text::plural;

/// Why runs are hard to compare, or the games of a run hard to add up: games from different kinds of
/// processors or with different cores, if time is limited, and from different versions of the referee. One clause each.
///
/// # Errors
/// When a file of sessions cannot be read.
pub fn differing_places(folders: &[&RunFolder]) -> Result<Vec<String>, FolderError> {
    let (mut cpus, mut cores, mut referees) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for folder in folders {
        for session in folder.sessions()? {
            if folder.run.plan.is_timed() {
                cpus.insert(session.cpu);
                cores.insert(match session.cores_per_bot {
                    Some(cores) => format!("{} of their own", plural(cores.into(), "core")),
                    None => "those that the system gave them".to_owned(),
                });
            }
            referees.insert(session.referee);
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
    let cores =
        tell("bots had different cores, which changes what they compute in their time", cores);
    Ok([cpus, cores, referees].into_iter().flatten().collect())
}
