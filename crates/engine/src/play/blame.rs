//! Whose fault a timeout is, in words, with the parts of the turn's time.

use std::time::Duration;

use results::gamelog::{Parts, Turn};
use terms::millis::Millis;
use terms::text::duration;
use terms::verdict::Culprit;

/// Whose fault a timeout is, with the figures.
pub(super) fn blame(turn: &Turn) -> Option<String> {
    let parts = turn.certificate.parts.as_ref();
    let was_killed = turn.no_reply.is_some();
    let (culprit, without_others) = match turn.overrun?.culprit {
        Culprit::Host => ("the host's fault", None),
        Culprit::Bot if parts.is_some_and(|parts| parts.unknown.0 > parts.wall() / 2) => {
            ("nobody is known to be at fault, so it counts against the bot", None)
        }
        Culprit::Bot => ("the bot's fault", parts.map(|parts| without_others(parts, was_killed))),
    };
    let wall = duration(turn.wall.0);
    let parts = parts.map(where_the_time_went).filter(|parts| !parts.is_empty());
    let went = match parts {
        Some(parts) => format!("in {wall} {parts}"),
        None => format!("it took {wall}"),
    };
    Some(format!("{culprit}: {went}{}", without_others.unwrap_or_default()))
}

/// The time that a late turn would have taken anyway; empty if others did not delay it noticeably. Of a bot that was killed before
/// it answered only a lower bound is known.
fn without_others(parts: &Parts, was_killed: bool) -> String {
    let excused = parts.excused();
    if excused < WORTH_A_WORD {
        return String::new();
    }
    let own = duration(parts.wall().saturating_sub(excused));
    let more = if was_killed { "more than " } else { "" };
    format!("; without delays by others it would still have taken {more}{own}")
}

/// The parts of a turn's time that are long enough to mention.
fn where_the_time_went(parts: &Parts) -> String {
    let told = [
        (parts.computed, "it computed for ", ""),
        (parts.kept_waiting, "it waited ", " for a core that others had"),
        (parts.taken, "it was halted from outside for ", ""),
        (parts.referee, "the referee was late by ", ""),
        (parts.asleep, "it slept for ", ""),
        (parts.unknown, "", " is unexplained"),
    ];
    let worth_a_word = |(Millis(time), before, after): (Millis, &str, &str)| {
        (time >= WORTH_A_WORD).then(|| format!("{before}{}{after}", duration(time)))
    };
    let told: Vec<String> = told.into_iter().filter_map(worth_a_word).collect();
    told.join(", ")
}

/// The shortest part of a turn's time to mention.
const WORTH_A_WORD: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_reply_is_put_on_someone_with_the_figures() {
        use terms::certificate::Certificate;
        use terms::verdict::{Decision, NoReply, Overrun};

        let ms = |ms| Millis(Duration::from_millis(ms));
        let said = |culprit, parts, no_reply| {
            let overrun = Some(Overrun { culprit, decision: Decision::Timeout });
            let certificate = Certificate { parts, ..Certificate::default() };
            blame(&Turn { overrun, certificate, no_reply, ..super::super::made::turn() })
        };
        let parts = Parts {
            computed: ms(51),
            kept_waiting: ms(1),
            taken: ms(2),
            referee: ms(3),
            asleep: ms(3),
            ..Parts::default()
        };
        let went = "in 60 ms it computed for 51 ms, it waited 1 ms for a core that others had, it was halted from outside for 2 ms, \
                    the referee was late by 3 ms, it slept for 3 ms";
        let without = "without delays by others it would still have taken";
        let unexplained = Parts { computed: ms(2), unknown: ms(58), ..Parts::default() };
        let explained = Parts { computed: ms(31), unknown: ms(29), ..Parts::default() };
        let barely = Parts { kept_waiting: ms(1), computed: ms(59), ..Parts::default() };
        for (culprit, parts, no_reply, expected) in [
            (
                Culprit::Bot,
                Some(unexplained),
                None,
                "nobody is known to be at fault, so it counts against the bot: in 60 ms it computed for 2 ms, 58 ms is unexplained",
            ),
            (
                Culprit::Bot,
                Some(explained),
                None,
                "the bot's fault: in 60 ms it computed for 31 ms, 29 ms is unexplained",
            ),
            (Culprit::Bot, None, None, "the bot's fault: it took 60 ms"),
            (Culprit::Bot, Some(Parts::default()), None, "the bot's fault: it took 60 ms"),
            (Culprit::Bot, Some(parts), None, &format!("the bot's fault: {went}; {without} 54 ms")),
            (
                Culprit::Bot,
                Some(barely),
                Some(NoReply::Deadline),
                &format!(
                    "the bot's fault: in 60 ms it computed for 59 ms, it waited 1 ms for a core that others had; {without} more than 59 ms"
                ),
            ),
            (Culprit::Host, Some(parts), None, &format!("the host's fault: {went}")),
            (Culprit::Host, None, None, "the host's fault: it took 60 ms"),
        ] {
            assert_eq!(said(culprit, parts, no_reply).as_deref(), Some(expected));
        }
        assert_eq!(blame(&super::super::made::turn()), None, "it was in time");
    }
}
