//! The users of a user namespace: root maps all users that it sees, anybody else only itself.

use std::fs;
use std::io;
use std::sync::OnceLock;

use rustix::process::{Pid, getegid, geteuid};

use super::plan::NOBODY;

/// The users, and the groups, that this process's own namespace has, each mapped to itself.
pub(crate) struct Users([String; 2]);

impl Users {
    pub(crate) fn seen() -> Self {
        Self(["uid_map", "gid_map"].map(|name| {
            let map = fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
            let identity = |line: &str| {
                let mut numbers = line.split_whitespace();
                let (first, _, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
                Some(format!("{first} {first} {count}\n"))
            };
            map.lines().filter_map(identity).collect()
        }))
    }

    /// Maps users and groups in a process's new user namespace to themselves.
    pub(crate) fn map(&self, pid: Pid) -> io::Result<()> {
        let write = |file: &str, content: &str| {
            fs::write(format!("/proc/{}/{file}", pid.as_raw_pid()), content)
        };
        if maps_everybody() {
            let Self([users, groups]) = self;
            return write("uid_map", users).and_then(|()| write("gid_map", groups));
        }
        write("setgroups", "deny")?;
        let identity = |id: u32| format!("{id} {id} 1\n");
        write("uid_map", &identity(geteuid().as_raw()))?;
        write("gid_map", &identity(getegid().as_raw()))
    }
}

/// Whether root's bot can run as an unprivileged user, who has no number in some namespaces.
pub(crate) fn has_nobody() -> bool {
    static SEEN: OnceLock<Users> = OnceLock::new();
    let maps_nobody = |map: &str| {
        map.lines().any(|line| {
            let mut numbers = line.split_whitespace().map(str::parse::<u32>);
            let mut next = || numbers.next()?.ok();
            let range = next().zip(next()).zip(next());
            range.is_some_and(|((first, _), count)| {
                NOBODY.checked_sub(first).is_some_and(|at| at < count)
            })
        })
    };
    maps_everybody() && SEEN.get_or_init(Users::seen).0.iter().all(|map| maps_nobody(map))
}

/// Root may map all the users that it sees; anybody else only itself.
fn maps_everybody() -> bool {
    geteuid().is_root()
}
