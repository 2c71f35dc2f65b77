//! The statistics against `SciPy`, on data that `scripts/scipy-statistics.py` has made.

use std::fs;

use referee::stats::{percentile, sign_test, signed_rank_test};
use serde::Deserialize;

use crate::support::data;

#[derive(Deserialize)]
struct Case {
    sample: Vec<f64>,
    /// Null if `SciPy` has no exact value either.
    wilcoxon: Option<f64>,
    sign: f64,
    percentiles: Vec<(f64, f64)>,
}

fn cases() -> Vec<Case> {
    let text = fs::read_to_string(data("scipy-statistics.jsonl")).expect("the data");
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

#[track_caller]
fn assert_close(what: &str, case: &Case, found: f64, expected: f64) {
    let difference = (found - expected).abs();
    assert!(difference < 1e-9, "{what}: {found}, not {expected}, of {:?}", case.sample);
}

#[test]
fn the_signed_rank_test_agrees_with_scipy() {
    let mut compared = 0;
    for case in cases() {
        if let Some(expected) = case.wilcoxon {
            assert_close("p", &case, signed_rank_test(&case.sample), expected);
            compared += 1;
        }
    }
    assert!(compared >= 60, "{compared}");
}

#[test]
fn the_sign_test_agrees_with_scipy() {
    for case in cases() {
        let count = |keep: fn(f64) -> bool| case.sample.iter().filter(|d| keep(**d)).count() as u64;
        assert_close("p", &case, sign_test(count(|d| d > 0.0), count(|d| d < 0.0)), case.sign);
    }
}

#[test]
fn percentiles_agree_with_scipy() {
    for case in cases() {
        let mut sorted = case.sample.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        for &(fraction, expected) in &case.percentiles {
            let found = percentile(&sorted, fraction).expect("values");
            assert_close(&format!("percentile {fraction}"), &case, found, expected);
        }
    }
}
