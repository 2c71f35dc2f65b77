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


def wilcoxon(sample):
    """The exact p-value if SciPy has one, and its normal one above 50 differences."""
    sample = sample[sample != 0]
    if len(sample) == 0:
        return 1.0
    if len(sample) > 50:
        return stats.wilcoxon(sample, method="asymptotic").pvalue
    if len(set(abs(sample))) == len(sample):
        return stats.wilcoxon(sample, method="exact").pvalue
    if len(sample) <= 13:
        every_sign = stats.PermutationMethod(n_resamples=numpy.inf)
        return stats.wilcoxon(sample, method=every_sign).pvalue
    return None


def sign_test(sample):
    wins, losses = int((sample > 0).sum()), int((sample < 0).sum())
    return stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0


def main():
    with open("tests/data/scipy-statistics.jsonl", "w") as out:
        for sample in samples():
            case = {
                "scipy": scipy.__version__,
                "sample": sample.tolist(),
                "wilcoxon": wilcoxon(sample),
                "sign": sign_test(sample),
            }
            out.write(json.dumps(case) + "\n")


if __name__ == "__main__":
    main()
