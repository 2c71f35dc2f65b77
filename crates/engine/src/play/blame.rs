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
        Culprit::Bot => ("the bot's", parts.map(without_others).unwrap_or_default()),
        Culprit::Host => ("the host's", advice(on_host_delay).to_owned()),
    };
    let wall = duration(turn.wall.0);
    let parts = parts.map(where_the_time_went).filter(|parts| !parts.is_empty());
    let parts = parts.map(|parts| format!(" {parts}")).unwrap_or_default();
    Some(format!("{culprit} fault: in {wall}{parts}{more}"))
}

/// What the user can do about delays by the host.
fn advice(on_host_delay: OnHostDelay) -> &'static str {
    match on_host_delay {
        OnHostDelay::Retry => "; `--profile relaxed` has longer limits",
        _ => "; `--on-host-delay retry` repeats such a game, `--profile relaxed` has longer limits",
    }
}

/// The time that a late turn would have taken anyway; empty if others did not delay it noticeably.
fn without_others(parts: &Parts) -> String {
    let excused = parts.excused();
    if excused < WORTH_A_WORD {
        return String::new();
    }
    let own = duration(parts.wall().saturating_sub(excused));
    format!("; without delays by others it would still have taken {own}")
}

/// The parts of a turn's time that are long enough to mention.
fn where_the_time_went(parts: &Parts) -> String {
    let disk = if parts.waits_for_disk {
        ", at times for a disk (whether others kept it busy is unknown)"
    } else {
        ""
    };
    let told = [
        (parts.computed, "it computed for ", ""),
        (parts.kept_waiting, "it waited ", " for a core that others had"),
        (parts.taken, "it was halted from outside for ", ""),
        (parts.referee, "the referee was late by ", ""),
        (parts.asleep, "it slept for ", disk),
        (parts.unknown, "", why_unknown(parts)),
    ];
    let worth_a_word = |(Millis(time), before, after): (Millis, &str, &str)| {
        (time >= WORTH_A_WORD).then(|| format!("{before}{}{after}", duration(time)))
    };
    let told: Vec<String> = told.into_iter().filter_map(worth_a_word).collect();
    told.join(", ")
}

fn why_unknown(parts: &Parts) -> &'static str {
    if parts.has_own_scheduling {
        CHOSEN
    } else if parts.has_ended {
        " is unexplained, since a thread or a process of the bot ended meanwhile"
    } else {
        " is unexplained"
    }
}

/// What others did to a thread that the bot has scheduled otherwise is not known.
const CHOSEN: &str = " is unexplained, since it chose its own niceness, policy or cores, as `nice` and `taskset` do (let the referee have \
     them: `--pin`, or `taskset referee …`)";

/// The shortest part of a turn's time to mention.
const WORTH_A_WORD: Duration = Duration::from_millis(1);

#[test]
fn a_late_bot_learns_its_time_without_delays_by_others() {
    let ms = |ms| Millis(Duration::from_millis(ms));
    let parts =
        Parts { computed: ms(44), asleep: ms(6), kept_waiting: ms(148), ..Parts::default() };
    let without = "; without delays by others it would still have taken 50 ms";
    assert_eq!(without_others(&parts), without);
    assert_eq!(without_others(&Parts { kept_waiting: ms(0), ..parts }), "");
}

#[test]
fn a_late_bot_with_its_own_scheduling_learns_that_it_is_not_excused() {
    let parts = Parts { unknown: Millis(Duration::from_millis(30)), ..Parts::default() };
    assert_eq!(where_the_time_went(&parts), "30 ms is unexplained");
    let own = Parts { has_own_scheduling: true, ..parts };
    assert_eq!(where_the_time_went(&own), format!("30 ms{CHOSEN}"));
    let ended = where_the_time_went(&Parts { has_ended: true, ..parts });
    assert!(ended.ends_with("since a thread or a process of the bot ended meanwhile"), "{ended}");
}
