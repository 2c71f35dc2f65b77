//! Whose fault a timeout is, in words, with the parts of the turn's time.

use std::time::Duration;

use results::gamelog::{Parts, Turn};
use terms::limits::OnHostDelay;
use terms::millis::Millis;
use terms::text::duration;
use terms::verdict::Culprit;

/// Whose fault a timeout is, with the figures.
pub(super) fn blame(turn: &Turn, on_host_delay: OnHostDelay) -> Option<String> {
    let parts = turn.certificate.parts.as_ref();
    let (culprit, more) = match turn.overrun?.culprit {
        Culprit::Bot if parts.is_some_and(is_mostly_unexplained) => {
            let more = format!("; {LONGER_LIMITS}");
            ("nobody is known to be at fault, so it counts against the bot", more)
        }
        Culprit::Bot => {
            let was_killed = turn.no_reply.is_some();
            let more = parts.map(|parts| without_others(parts, was_killed)).unwrap_or_default();
            ("the bot's fault", more)
        }
        Culprit::Host => ("the host's fault", advice(on_host_delay)),
    };
    let wall = duration(turn.wall.0);
    let parts = parts.map(where_the_time_went).filter(|parts| !parts.is_empty());
    let went = match parts {
        Some(parts) => format!("in {wall} {parts}"),
        None => format!("it took {wall}"),
    };
    Some(format!("{culprit}: {went}{more}"))
}

/// Whether most of a turn's time has no known cause, so that the bot may have wanted a core for all of it.
fn is_mostly_unexplained(parts: &Parts) -> bool {
    let known = parts.wall().saturating_sub(parts.unknown.0);
    parts.unknown.0 > known
}

/// What the user can do about delays by the host.
fn advice(on_host_delay: OnHostDelay) -> String {
    match on_host_delay {
        OnHostDelay::Retry => format!("; {LONGER_LIMITS}"),
        _ => format!("; `--on-host-delay retry` repeats such a game, {LONGER_LIMITS}"),
    }
}

/// Another remedy for late turns.
const LONGER_LIMITS: &str = "`--profile relaxed` has longer limits";

/// The time that a late turn would have taken anyway; empty if others did not delay it noticeably. Of a bot that was killed before
/// it answered only a lower bound is known.
fn without_others(parts: &Parts, was_killed: bool) -> String {
    let excused = parts.excused();
    if excused < WORTH_A_WORD {
        return String::new();
    }
    let own = duration(parts.wall().saturating_sub(excused));
    let (more, measured) = if was_killed {
        ("more than ", "; `referee timing` waits for its reply")
    } else {
        ("", "")
    };
    format!("; without delays by others it would still have taken {more}{own}{measured}")
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

#[test]
fn a_late_bot_learns_its_time_without_delays_by_others() {
    let ms = |ms| Millis(Duration::from_millis(ms));
    let parts =
        Parts { computed: ms(44), asleep: ms(6), kept_waiting: ms(148), ..Parts::default() };
    let without = "; without delays by others it would still have taken 50 ms";
    assert_eq!(without_others(&parts, false), without);
    let killed = "; without delays by others it would still have taken more than 50 ms; `referee timing` waits for its reply";
    assert_eq!(without_others(&parts, true), killed);
    assert_eq!(without_others(&Parts { kept_waiting: ms(0), ..parts }, true), "");
}

#[test]
fn a_late_reply_is_put_on_someone_with_the_figures() {
    use terms::certificate::Certificate;
    use terms::verdict::{Decision, Overrun};

    let ms = |ms| Millis(Duration::from_millis(ms));
    let said = |culprit, parts, on_host_delay| {
        let overrun = Some(Overrun { culprit, decision: Decision::Timeout });
        let certificate = Certificate { parts, ..Certificate::default() };
        blame(&Turn { overrun, certificate, ..super::made::turn() }, on_host_delay)
    };
    let parts = Parts {
        computed: ms(51),
        kept_waiting: ms(1),
        taken: ms(2),
        referee: ms(3),
        asleep: ms(3),
        ..Parts::default()
    };
    let went = " it computed for 51 ms, it waited 1 ms for a core that others had, it was halted from outside for 2 ms, \
                the referee was late by 3 ms, it slept for 3 ms";
    let without = "; without delays by others it would still have taken 54 ms";
    let repeat =
        "; `--on-host-delay retry` repeats such a game, `--profile relaxed` has longer limits";
    let unexplained = Parts { computed: ms(2), unknown: ms(58), ..Parts::default() };
    let explained = Parts { computed: ms(31), unknown: ms(29), ..Parts::default() };
    for (parts, at_fault) in [
        (
            unexplained,
            "nobody is known to be at fault, so it counts against the bot: in 60 ms it computed for 2 ms, 58 ms is unexplained; ",
        ),
        (explained, "the bot's fault: in 60 ms it computed for 31 ms, 29 ms is unexplained"),
    ] {
        let told = said(Culprit::Bot, Some(parts), OnHostDelay::Fail).expect("late");
        assert!(told.starts_with(at_fault), "{told}");
    }
    for (culprit, parts, on_host_delay, expected) in [
        (Culprit::Bot, None, OnHostDelay::Fail, "the bot's fault: it took 60 ms"),
        (Culprit::Bot, Some(Parts::default()), OnHostDelay::Fail, "the bot's fault: it took 60 ms"),
        (
            Culprit::Bot,
            Some(parts),
            OnHostDelay::Fail,
            &format!("the bot's fault: in 60 ms{went}{without}"),
        ),
        (
            Culprit::Host,
            Some(parts),
            OnHostDelay::Fail,
            &format!("the host's fault: in 60 ms{went}{repeat}"),
        ),
        (
            Culprit::Host,
            None,
            OnHostDelay::Retry,
            "the host's fault: it took 60 ms; `--profile relaxed` has longer limits",
        ),
    ] {
        assert_eq!(said(culprit, parts, on_host_delay).as_deref(), Some(expected));
    }
    assert_eq!(blame(&super::made::turn(), OnHostDelay::Fail), None, "it was in time");
    let barely = Parts { kept_waiting: ms(1), computed: ms(50), ..Parts::default() };
    assert!(without_others(&barely, false).ends_with("taken 50 ms"));
}
