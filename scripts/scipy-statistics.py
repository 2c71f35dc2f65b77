#!/usr/bin/env python3
"""Writes tests/data/scipy-statistics.jsonl: samples, and SciPy's results for them.

Run it from the top of the source tree, with SciPy installed. The same seed makes the same samples.
"""

import json

import numpy
import scipy
from scipy import stats


def samples():
    """Differences of all kinds: few and many, whole and not, with and without equal ones and zeros."""
    random = numpy.random.default_rng(20260920)
    for n in (1, 2, 3, 5, 6, 8, 12, 13, 20, 35, 49, 50):
        for shift in (0.0, 0.4):
            yield random.normal(shift, 1.0, n)
    for n in (2, 4, 7, 10, 13):
        for spread in (1, 3, 50):
            yield random.integers(-spread, spread + 2, n).astype(float)
    for n in (51, 60, 100, 500, 2000):
        for shift in (0.0, 0.1):
            yield random.normal(shift, 1.0, n)
            yield random.integers(-4, 6, n).astype(float)
            yield numpy.round(random.normal(shift * 100, 400, n))


def sign_test(sample):
    wins, losses = int((sample > 0).sum()), int((sample < 0).sum())
    return stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0


def main():
    with open("tests/data/scipy-statistics.jsonl", "w") as out:
        for sample in samples():
            case = {"scipy": scipy.__version__, "sample": sample.tolist(), "sign": sign_test(sample)}
            out.write(json.dumps(case) + "\n")


if __name__ == "__main__":
    main()
