//! The grid that tests of containment walk: each method, by each user, with and without a sandbox.

use super::{User, has_sandbox};

/// Both users, which are one unless the tests run as root.
pub const USERS: [User; 2] = [User::Mine, User::Nobody];

/// The methods under which nothing of a bot outlives its game.
pub const METHODS: [&str; 2] = ["namespace", "seccomp"];

/// Those, and the one that promises limits and the verdict alone.
pub const ALL_METHODS: [&str; 3] = ["namespace", "seccomp", "plain"];

/// Each of these methods, by each user.
pub fn grid<const N: usize>(
    methods: [&'static str; N],
) -> impl Iterator<Item = (User, &'static str)> {
    USERS.into_iter().flat_map(move |user| methods.map(|method| (user, method)))
}

/// The methods that have a sandbox on this host.
pub fn sandboxes() -> impl Iterator<Item = &'static str> + Clone {
    METHODS.into_iter().filter(|method| has_sandbox(method))
}

/// Each method that has a sandbox on this host, by each user.
pub fn sandbox_grid() -> impl Iterator<Item = (User, &'static str)> {
    USERS.into_iter().flat_map(|user| sandboxes().map(move |method| (user, method)))
}
