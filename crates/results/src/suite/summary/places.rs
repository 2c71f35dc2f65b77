//! Checks whether games were played in comparable places.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use super::Summary;
use crate::suite::store::{FolderError, RunFolder, Session};
use terms::text::{duration, plural};

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

/// A machine that is too noisy for the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyHost {
    /// Its name.
    pub host: String,
    /// The limit of the run.
    pub limit: Duration,
    /// The smallest limit that can be judged there.
    pub smallest_limit: Duration,
    /// The number of games that were played there.
    pub games: usize,
    /// The number of those games with a late reply.
    pub late: usize,
}

impl fmt::Display for NoisyHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is too noisy for limits of {}: limits below {} cannot be judged there; {} of its {} had a late reply",
            self.host,
            duration(self.limit),
            duration(self.smallest_limit),
            self.late,
            plural(self.games as u64, "game"),
        )
    }
}

/// The machines that a host check has found too noisy for the limits of a run; `summary` is asked for if
/// there can be any.
///
/// # Errors
/// When sessions cannot be read, or `summary` fails.
pub fn noisy_hosts<S: Borrow<Summary>>(
    folder: &RunFolder,
    summary: impl FnOnce() -> Result<S, FolderError>,
) -> Result<Vec<NoisyHost>, FolderError> {
    let plan = &folder.run.plan;
    let limit = plan.smallest_limit();
    // A judge can have named a smaller limit.
    let is_noisy = |least| plan.judge.is_some() || limit.is_some_and(|limit| least > limit);
    let sessions = folder.sessions()?.into_iter();
    let checked = sessions.filter_map(|session| Some((session.smallest_limit?.0, session)));
    let checked: Vec<(Duration, Session)> = checked.filter(|(least, _)| is_noisy(*least)).collect();
    if checked.is_empty() {
        return Ok(Vec::new());
    }
    let summary = summary()?;
    let summary = summary.borrow();
    let named = summary.smallest_named.map(|limit| limit.0);
    let Some(limit) = named.or(limit) else { return Ok(Vec::new()) };
    let (mut noisy, mut hosts) = (BTreeMap::new(), BTreeMap::new());
    for (smallest_limit, session) in checked.into_iter().filter(|(least, _)| *least > limit) {
        let new = || NoisyHost {
            host: session.host.clone(),
            limit,
            smallest_limit: limit,
            games: 0,
            late: 0,
        };
        let entry = noisy.entry(session.host.clone()).or_insert_with(new);
        entry.smallest_limit = smallest_limit.max(entry.smallest_limit);
        hosts.insert(session.number, session.host);
    }
    for (session, &(results, late)) in &summary.sessions {
        if let Some(entry) = hosts.get(session).and_then(|host| noisy.get_mut(host)) {
            entry.games += summary.tables(std::iter::once(results));
            entry.late += late;
        }
    }
    Ok(noisy.into_values().collect())
}
