//! What this host allows of all that keeps a bot in its place, and what would allow more.

use std::fs;

use serde::Serialize;

use crate::bot::{Means, Sandbox};
use crate::limits::Resources;

/// What was found out.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// Each means of containment, from the strongest to the weakest.
    pub containment: Vec<MeansFinding>,
    /// The name of the first that this host offers.
    pub used: &'static str,
    /// Why there can be no sandbox, if there can be none.
    pub no_sandbox: Option<String>,
    /// What a bot may use by the settings.
    pub resources: Resources,
    /// What to change to get more.
    pub advice: Vec<String>,
}

/// Whether this host offers a means of containment.
#[derive(Debug, Clone, Serialize)]
pub struct MeansFinding {
    /// Its name, as `--containment` takes it.
    pub name: &'static str,
    /// What it needs.
    pub how: &'static str,
    /// Why it is not to be had, if it is not.
    pub missing: Option<String>,
}

impl Findings {
    /// Tries everything once.
    pub fn gather(resources: Resources) -> Self {
        let finding = |means: Means| MeansFinding {
            name: means.name(),
            how: how(means),
            missing: means.check().err(),
        };
        let containment: Vec<_> = Means::ALL.into_iter().map(finding).collect();
        let has = |name| containment.iter().any(|it| it.name == name && it.missing.is_none());
        let first = containment.iter().find(|finding| finding.missing.is_none());
        let no_sandbox = Sandbox::new(&[]).err().map(|error| error.to_string());
        let mut advice = Vec::new();
        if !has("namespace") {
            advice.extend(for_namespaces());
        }
        if no_sandbox.is_some() {
            advice.push(
                "for --sandbox: a kernel of 6.2 or later, with `landlock` in its `lsm=` line"
                    .to_owned(),
            );
        }
        Self {
            used: first.map_or(Means::Group.name(), |finding| finding.name),
            containment,
            no_sandbox,
            resources,
            advice,
        }
    }
}

fn how(means: Means) -> &'static str {
    match means {
        Means::PidNamespace => "a pid namespace, made with privilege",
        Means::UserNamespace => "a pid namespace in a user namespace, made by anybody",
        Means::Seccomp => "a filter that keeps processes in their group",
        Means::Reaper => "orphans are adopted, and killed one by one",
        Means::Group => "the process group is killed; what leaves it is named",
    }
}

/// The switches that forbid namespaces, as far as they are known and set.
fn for_namespaces() -> Vec<String> {
    let is = |path: &str, value: &str| {
        fs::read_to_string(path).is_ok_and(|content| content.trim() == value)
    };
    let mut advice = Vec::new();
    for (path, value, better) in [
        ("kernel/unprivileged_userns_clone", "0", "1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user/max_user_namespaces", "0", "10000"),
        ("user/max_pid_namespaces", "0", "10000"),
    ] {
        if is(&format!("/proc/sys/{path}"), value) {
            let name = path.replace('/', ".");
            advice.push(format!("for namespaces: sysctl -w {name}={better} (it is {value})"));
        }
    }
    if advice.is_empty() {
        advice.push(
            "for namespaces: in a container, a seccomp profile that allows `clone` with \
             CLONE_NEWUSER; elsewhere a kernel with CONFIG_USER_NS and CONFIG_PID_NS"
                .to_owned(),
        );
    }
    advice
}
