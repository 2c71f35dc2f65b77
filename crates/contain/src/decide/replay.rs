//! Makes the decisions of recorded exchanges again.

use std::fs;
use std::path::Path;

use super::culprit::Late;
use super::exchange::{Action, Exchange, Outcome};
use super::trace::Trace;
use terms::verdict::Culprit;

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
