//! How far a run is that is being played.

use std::time::Duration;

use terms::text::{duration, plural};

/// How far a run is, and how often its page is written.
#[derive(Debug)]
pub struct Pace {
    /// The number of games played.
    pub played: usize,
    /// The number of those that were played before `elapsed` began.
    pub before: usize,
    /// The number of all games.
    pub planned: usize,
    /// The time that the other games took.
    pub elapsed: Duration,
    /// The shortest time between two pages.
    pub every: Duration,
}

impl Pace {
    /// The first section of the page; its script renews the page while this is there.
    pub(super) fn html(&self) -> String {
        let Self { played, planned, .. } = *self;
        let to_go = plural(planned.saturating_sub(played) as u64, "game");
        let left = self.left().map_or(String::new(), |left| format!(", about {}", duration(left)));
        format!(
            "<section class=\"card\" id=\"live\" data-every=\"{}\">\n<h2>Being played</h2>\n\
             <p>{played} of {} played, {to_go} to go{left}.</p>\n\
             <progress max=\"{planned}\" value=\"{played}\" aria-label=\"Games played\"></progress>\n</section>\n",
            self.every.as_secs(),
            plural(planned as u64, "game"),
        )
    }

    /// The time that the other games will take, at the pace of those so far.
    pub fn left(&self) -> Option<Duration> {
        let mine = u32::try_from(self.played.checked_sub(self.before)?).ok()?;
        let left = u32::try_from(self.planned.checked_sub(self.played)?).ok()?;
        Some(self.elapsed.checked_div(mine)?.saturating_mul(left))
    }
}
