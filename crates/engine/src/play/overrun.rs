//! Judges replies that come after their limit: whose fault it is, and whether they count.

use std::time::Duration;

use contain::bot::{Exchanged, Overtime, Phase};
use terms::limits::{OnHostDelay, OverrunRules};
use terms::verdict::{Culprit, Decision, NoReply, Overrun};

/// How long to wait beyond the limit for a bot that is itself waiting for a core.
const WATCH: Duration = Duration::from_secs(1);

/// How long to wait for a reply beyond its limit.
pub(super) fn overtime(rules: &OverrunRules) -> Overtime {
    let always = rules.patience.or(rules.soft.map(|soft| soft.extra));
    always.map_or(Overtime::WhileStarved(WATCH), Overtime::Always)
}

/// Judges an exchange under `limit`, after `forgiven` late replies have been forgiven. `None` if the reply was in time, or the
/// exchange failed for another reason.
pub(super) fn assess(
    rules: &OverrunRules,
    exchanged: &Exchanged,
    limit: Option<Duration>,
    forgiven: u32,
) -> Option<Overrun> {
    let limit = limit?;
    let replied = exchanged.no_reply.is_none();
    let late = exchanged.phase != Phase::Limit
        || exchanged.no_reply == Some(NoReply::Deadline)
        || (replied && exchanged.wall > limit);
    late.then(|| {
        let culprit = exchanged.culprit(limit);
        let host = culprit == Culprit::Host;
        let decision = if !replied {
            Decision::Timeout
        } else if host && exchanged.phase == Phase::Limit {
            Decision::Accepted
        } else if rules.soft.is_some_and(|soft| forgiven < soft.forgiven) {
            Decision::Forgiven
        } else if rules.patience.is_some() {
            Decision::Measured
        } else if host && rules.on_host_delay == OnHostDelay::Accept {
            Decision::Accepted
        } else {
            Decision::Timeout
        };
        Overrun { culprit, decision }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contain::bot::{Captured, InputUse};
    use terms::certificate::{Certificate, Parts};
    use terms::limits::SoftLimit;
    use terms::lines::Lines;
    use terms::millis::Millis;

    const LIMIT: Duration = Duration::from_millis(50);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// An exchange of `wall` ms, in which the bot was kept waiting and the referee was late.
    fn exchanged(wall: u64, wait: u64, referee: u64) -> Exchanged {
        let parts = Parts {
            kept_waiting: Millis(ms(wait)),
            referee: Millis(ms(referee)),
            unknown: Millis(ms(wall - wait - referee)),
            ..Parts::default()
        };
        Exchanged {
            reply: Lines::default(),
            no_reply: None,
            wall: ms(wall),
            phase: Phase::Limit,
            certificate: Certificate { parts: Some(parts), ..Certificate::default() },
            passed: Vec::new(),
            input: InputUse::default(),
            stopped: false,
            exit: None,
            stderr: Captured::default(),
            trace: None,
        }
    }

    fn in_overtime(exchanged: Exchanged) -> Exchanged {
        Exchanged { phase: Phase::Overtime, ..exchanged }
    }

    fn silent(exchanged: Exchanged) -> Exchanged {
        Exchanged { no_reply: Some(NoReply::Deadline), ..exchanged }
    }

    /// An exchange in which others kept the bot waiting before it asked for input that does not come.
    fn asks_for_more(exchanged: Exchanged) -> Exchanged {
        let input = InputUse { awaits_more: true, ..InputUse::default() };
        Exchanged { phase: Phase::Starved, input, ..exchanged }
    }

    #[test]
    fn the_culprit_is_who_took_the_time() {
        use Culprit::{Bot, Host};
        for (exchange, expected) in [
            (exchanged(60, 0, 0), Bot),
            (exchanged(60, 40, 0), Host),
            (exchanged(60, 9, 0), Bot),
            (exchanged(60, 0, 11), Host),
            (exchanged(60, 5, 5), Host),
            (exchanged(100, 49, 0), Bot),
            (silent(exchanged(50, 1, 1)), Bot),
            (Exchanged { phase: Phase::Starved, ..silent(exchanged(1050, 1000, 0)) }, Host),
            (Exchanged { phase: Phase::Starved, ..silent(exchanged(1050, 999, 0)) }, Bot),
            (asks_for_more(silent(exchanged(1050, 1000, 0))), Bot),
        ] {
            assert_eq!(exchange.culprit(LIMIT), expected, "{exchange:?}");
        }
    }

    #[test]
    fn what_nobody_measured_is_nobodys_excuse() {
        let exchange = Exchanged { certificate: Certificate::default(), ..exchanged(51, 51, 0) };
        assert_eq!(exchange.culprit(LIMIT), Culprit::Bot);
    }

    fn decide(rules: &OverrunRules, exchange: &Exchanged, forgiven: u32) -> Option<Decision> {
        assess(rules, exchange, Some(LIMIT), forgiven).map(|overrun| overrun.decision)
    }

    #[test]
    fn what_is_in_time_is_no_overrun() {
        let rules = OverrunRules::default();
        assert_eq!(decide(&rules, &exchanged(50, 0, 0), 0), None);
        assert_eq!(assess(&rules, &exchanged(5000, 0, 0), None, 0), None, "no limit");
        let crashed = Exchanged { no_reply: Some(NoReply::StdoutClosed), ..exchanged(60, 0, 0) };
        assert_eq!(decide(&rules, &crashed, 0), None);
    }

    #[test]
    fn each_rule_decides_as_it_says() {
        let starved = in_overtime(exchanged(90, 60, 0));
        let slow = in_overtime(exchanged(90, 0, 0));
        let fail = OverrunRules::default();
        assert_eq!(decide(&fail, &starved, 0), Some(Decision::Timeout));
        assert_eq!(decide(&fail, &silent(exchanged(50, 0, 0)), 0), Some(Decision::Timeout));
        assert_eq!(decide(&fail, &exchanged(60, 0, 10), 0), Some(Decision::Accepted));
        assert_eq!(decide(&fail, &exchanged(60, 0, 9), 0), Some(Decision::Timeout));
        let accept = OverrunRules { on_host_delay: OnHostDelay::Accept, ..fail };
        assert_eq!(decide(&accept, &starved, 0), Some(Decision::Accepted));
        assert_eq!(decide(&accept, &slow, 0), Some(Decision::Timeout));
        assert_eq!(decide(&accept, &silent(starved.clone()), 0), Some(Decision::Timeout));
        let soft = Some(SoftLimit { extra: ms(50), forgiven: 2 });
        let soft = OverrunRules { soft, ..fail };
        assert_eq!(decide(&soft, &slow, 0), Some(Decision::Forgiven));
        assert_eq!(decide(&soft, &slow, 1), Some(Decision::Forgiven));
        assert_eq!(decide(&soft, &slow, 2), Some(Decision::Timeout), "the third");
        let measure = OverrunRules { patience: Some(ms(1000)), ..fail };
        assert_eq!(decide(&measure, &slow, 9), Some(Decision::Measured));
    }
}
