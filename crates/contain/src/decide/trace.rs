//! The record of an exchange, from which its decisions can be made again on any machine.

use crate::decide::exchange::{Event, Start, Terms};
use crate::decide::sample::Moment;

/// What an exchange was about, how it started, and its events with their moments.
///
/// With the feature `serde` it can be stored. Its content depends on the version of the crate.
#[derive(Debug, Clone)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    not(any(test, feature = "serde")),
    expect(dead_code, reason = "only what is stored is read")
)]
pub struct Trace {
    pub(crate) terms: Terms,
    pub(crate) start: Start,
    pub(crate) events: Vec<(Moment, Event)>,
}

/// Two traces are equal if they show the same.
impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl Eq for Trace {}

/// Durations as whole nanoseconds.
#[cfg(any(test, feature = "serde"))]
pub(crate) mod nanos {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use crate::decide::exchange::{Action, Exchange, Late, Outcome};
    use terms::verdict::Culprit;

    use super::*;

    /// A recorded exchange, and whose fault it is that its reply was late.
    #[derive(serde::Deserialize)]
    struct Recorded {
        culprit: Option<Culprit>,
        trace: Trace,
    }

    fn recorded(path: &Path) -> Recorded {
        let text = fs::read_to_string(path).expect("a trace");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The outcome of the same events; each answers the action before it.
    fn replayed(trace: Trace) -> Box<Outcome> {
        let mut exchange = Exchange::new(trace.terms, trace.start);
        for (now, event) in trace.events {
            if let Action::Done(outcome) = exchange.on(event, now) {
                return outcome;
            }
        }
        panic!("it ends in the midst of an exchange");
    }

    fn culprit(outcome: &Outcome, trace: &Trace) -> Option<Culprit> {
        let Outcome { no_reply, phase, wall, awaits_input, ref certificate, .. } = *outcome;
        let limit = trace.terms.limit?;
        let parts = certificate.parts.as_ref();
        let late = Late { no_reply, phase, awaits_input, wall, parts };
        (no_reply.is_some() || wall > limit).then(|| late.culprit(limit))
    }

    #[test]
    fn each_recorded_exchange_has_the_culprit_that_it_had() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/traces");
        let mut count = 0;
        for entry in fs::read_dir(folder).expect("the traces") {
            let path = entry.expect("a file").path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let Recorded { culprit: expected, trace } = recorded(&path);
            let outcome = replayed(trace.clone());
            assert_eq!(culprit(&outcome, &trace), expected, "{}: {outcome:?}", path.display());
            count += 1;
        }
        assert!(count >= 30, "only {count} traces");
    }
}
