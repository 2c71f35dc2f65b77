//! The times that limits hold for: of each turn, or of all turns of a game together.

use std::time::Duration;

use super::Timed;
use terms::limits::{LimitKind, Limits};
use terms::millis::Millis;
use terms::verdict::{Culprit, NoReply};

/// The time that a bot had spent by the end of a turn: in this turn, or in its game if one limit holds for all turns of a
/// game.
#[derive(Debug, Clone, Copy)]
pub struct Spent<'a> {
    /// The turn.
    pub timed: &'a Timed,
    /// The first of the turns whose times it adds up.
    first: &'a Timed,
    /// The time.
    pub wall: Duration,
    /// The part of it that the bot itself caused.
    own: Duration,
    /// Whether it is complete: no later turn of the game adds to it.
    pub is_last: bool,
}

impl<'a> Spent<'a> {
    /// The times of all turns, which are in the order in which they were played.
    pub fn of_all(turns: &'a [Timed]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::with_capacity(turns.len());
        for timed in turns {
            let wall = timed.turn.wall.0;
            let mut spent = Self { timed, first: timed, wall, own: own(timed), is_last: true };
            let mut of_game = all.iter_mut().rev().take_while(|it| it.timed.game == timed.game);
            let earlier = of_game.find(|it| it.timed.turn.seat == timed.turn.seat);
            if let Some(earlier) = earlier.filter(|it| it.shares_limit_with(timed)) {
                earlier.is_last = false;
                spent.first = earlier.first;
                spent.wall += earlier.wall;
                spent.own += earlier.own;
            }
            all.push(spent);
        }
        all
    }

    /// The kind of limit that holds for it.
    pub fn kind(&self) -> LimitKind {
        self.timed.turn.limit
    }

    /// The limit that it had in a game with these limits. Before its first turn nothing of a limit for all turns was spent.
    pub fn limit(&self, limits: &Limits) -> Option<Duration> {
        self.first.turn.limit_under(limits)
    }

    fn shares_limit_with(&self, next: &Timed) -> bool {
        let is_total = |timed: &Timed| timed.turn.limit == LimitKind::Total;
        let limit = |timed: &Timed| timed.turn.asked.as_ref().and_then(|asked| asked.limit);
        // What is left of it only grows when the bot is started again.
        let starts_anew = limit(next) > limit(self.timed);
        is_total(self.timed) && is_total(next) && !starts_anew
    }

    /// Whose fault it is if this time, `scale` times longer, is beyond the limit.
    pub fn culprit(&self, limit: Duration, scale: f64) -> Option<Culprit> {
        let turn = &self.timed.turn;
        let late = turn.no_reply == Some(NoReply::Deadline) || self.wall.mul_f64(scale) > limit;
        late.then(|| {
            let decided = turn.overrun.map(|overrun| overrun.culprit);
            let by_own = if self.own.mul_f64(scale) > limit { Culprit::Bot } else { Culprit::Host };
            // If no answer came, the match loop has already judged the turn.
            decided.filter(|_| turn.no_reply.is_some()).unwrap_or(by_own)
        })
    }
}

/// The time of a bot's longest run in a game under a total limit, from the time of each turn and what was left of the limit
/// before it: that only grows when the bot is started again.
pub fn longest_run(turns: impl IntoIterator<Item = (Millis, Option<Millis>)>) -> Millis {
    let (mut longest, mut run, mut before) = (Duration::ZERO, Duration::ZERO, None);
    for (wall, left) in turns {
        run = if left > before { wall.0 } else { run + wall.0 };
        longest = longest.max(run);
        before = left;
    }
    Millis(longest)
}

/// The time of a turn that the bot itself caused.
fn own(timed: &Timed) -> Duration {
    let certificate = &timed.turn.certificate;
    let wall = timed.turn.wall.0;
    if let Some(parts) = certificate.parts {
        return wall.saturating_sub(parts.excused());
    }
    let part = |part: Option<Millis>| part.unwrap_or_default().0;
    let computed = part(certificate.cpu);
    let by_others = computed.saturating_sub(part(certificate.busiest_cpu));
    let waited = part(certificate.wait).saturating_sub(by_others);
    wall.saturating_sub(waited + part(certificate.referee_wait)).max(computed.min(wall))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamelog::Asked;
    use crate::timing::tests::{ms, timed};
    use terms::certificate::Parts;

    fn culprit(turn: &Timed, limit: u64) -> Option<Culprit> {
        Spent::of_all(std::slice::from_ref(turn))[0].culprit(ms(limit), 1.0)
    }

    #[test]
    fn computing_cannot_be_excused_by_waits() {
        let mut turn = timed(1, 2, 80, 40);
        let computed = |millis| Some(Millis(ms(millis)));
        turn.turn.certificate.cpu = computed(40);
        turn.turn.certificate.busiest_cpu = computed(40);
        assert_eq!(culprit(&turn, 50), Some(Culprit::Host));
        turn.turn.certificate.cpu = computed(51);
        assert_eq!(culprit(&turn, 50), Some(Culprit::Bot), "another thread had the core");
    }

    #[test]
    fn waits_are_among_the_parts() {
        let mut turn = timed(1, 2, 80, 80);
        let (taken, unknown) = (Millis(ms(40)), Millis(ms(40)));
        turn.turn.certificate.parts = Some(Parts { taken, unknown, ..Parts::default() });
        assert_eq!(culprit(&turn, 50), Some(Culprit::Host));
        assert_eq!(culprit(&turn, 39), Some(Culprit::Bot));
    }

    #[test]
    fn turns_add_up_under_a_limit_for_the_whole_game_and_under_no_other() {
        let walls = |kind| {
            let mut turns = [timed(1, 2, 20, 0), timed(1, 3, 30, 0), timed(2, 2, 5, 0)];
            for timed in &mut turns {
                timed.turn.limit = kind;
            }
            let all = Spent::of_all(&turns);
            all.iter().map(|spent| (spent.wall, spent.is_last)).collect::<Vec<_>>()
        };
        let totals = [(ms(20), false), (ms(50), true), (ms(5), true)];
        assert_eq!(walls(LimitKind::Total), totals);
        assert_eq!(walls(LimitKind::Turn), [(ms(20), true), (ms(30), true), (ms(5), true)]);
    }

    #[test]
    fn each_seat_of_a_game_has_a_total_of_its_own() {
        let turns = [(1, 0, 20), (1, 1, 5), (1, 0, 30), (1, 1, 6), (2, 1, 7)];
        let turns = turns.map(|(game, seat, wall)| {
            let mut timed = timed(game, 2, wall, 0);
            (timed.turn.limit, timed.turn.seat) = (LimitKind::Total, seat);
            timed
        });
        let all = Spent::of_all(&turns);
        let walls: Vec<_> = all.iter().map(|spent| (spent.wall, spent.is_last)).collect();
        let expected = [(20, false), (5, false), (50, true), (11, true), (7, true)];
        assert_eq!(walls, expected.map(|(wall, is_last)| (ms(wall), is_last)));
    }

    #[test]
    fn a_bot_that_is_started_again_has_its_whole_limit_again() {
        let turn = |turn, left| {
            let mut timed = timed(1, turn, 20, 0);
            timed.turn.limit = LimitKind::Total;
            let limit = Some(Millis(ms(left)));
            timed.turn.asked = Some(Asked { limit, ..Asked::default() });
            timed
        };
        let turns = [turn(1, 100), turn(2, 80), turn(3, 100)];
        let walls: Vec<_> = Spent::of_all(&turns).iter().map(|spent| spent.wall).collect();
        assert_eq!(walls, [ms(20), ms(40), ms(20)]);
        let left = [Some(100), Some(80), Some(100)].map(|left| left.map(|left| Millis(ms(left))));
        let run = |left: [Option<Millis>; 3]| longest_run(left.map(|left| (Millis(ms(20)), left)));
        assert_eq!((run(left).0, run([None; 3]).0), (ms(40), ms(60)));
    }
}
