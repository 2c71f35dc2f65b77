#!/usr/bin/env python3
"""The rule of docs/statistics.md, written from that page alone and without any library.

Reads a comparison on each line of standard input, as JSON: `alpha`, `margin`, and `boards`, each with `finished` (the two values, or
null), `all` (the two values), `lost` (the lost games of either bot) and `has_losses`. Prints what the page says of it.
"""

import json
import sys
from math import ceil, comb, exp, lgamma, log, log1p, sqrt
from statistics import NormalDist


def incomplete_beta(a, b, x):
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    tiny = 1e-300
    c, d, f = 1.0, 0.0, 1.0
    for i in range(2000):
        m = i // 2
        if i == 0:
            term = 1.0
        elif i % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1.0 / (1.0 + term * d or tiny)
        c = 1.0 + term / c or tiny
        f *= c * d
        if abs(1.0 - c * d) < 1e-16:
            break
    return front * (f - 1.0)


def root(rising, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def student_p(t, freedom):
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def student_quantile(alpha, freedom):
    return root(lambda t: alpha - student_p(t, freedom), 0.0, 1e9)


class Moments:
    def __init__(self, pairs):
        self.n = len(pairs)
        differences = [one - other for one, other in pairs]
        self.mean = sum(differences) / self.n if self.n else 0.0
        self.squares = sum((d - self.mean) ** 2 for d in differences)
        values = [value for pair in pairs for value in pair]
        self.range = max(values) - min(values) if values else 0.0
        self.variance = self.squares / max(self.n - 1, 1)

    def test(self, unseen, alpha):
        if self.n < 2:
            return None, 1.0
        error = sqrt((self.variance + unseen * self.range**2 / self.n) / self.n)
        if error == 0.0:
            return [self.mean, self.mean], 1.0 if self.mean == 0.0 else 0.0
        half = student_quantile(alpha, self.n - 1) * error
        return [self.mean - half, self.mean + half], student_p(self.mean / error, self.n - 1)

    def report(self, alpha):
        interval, p = self.test(0.0, alpha)
        guarded, guarded_p = self.test(0.5, alpha)
        return {"mean": self.mean, "interval": interval, "mean_p": p, "guarded_interval": guarded, "guarded_p": guarded_p}

    def settle(self, alpha):
        if self.n < 2 or self.mean == 0.0:
            return None
        q = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(0.8)
        a = q * q * self.variance / self.mean**2
        return max(ceil(a / 2 + sqrt(a * a / 4 + q * q * self.range**2 / (2 * self.mean**2))), 60)


class Boards:
    def __init__(self, boards):
        self.finished = Moments([board["finished"] for board in boards if board["finished"]])
        self.all = Moments([board["all"] for board in boards])
        lost = [board["lost"] for board in boards]
        self.lost = [sum(pair[bot] > 0 for pair in lost) for bot in (0, 1)]
        self.alone = [sum(pair[bot] > pair[1 - bot] for pair in lost) for bot in (0, 1)]
        contradicted = (self.finished.mean > 0 and self.alone[0]) or (self.finished.mean < 0 and self.alone[1])
        self.deciding = [] if contradicted else [self.finished]
        self.deciding += [self.all] if any(board["has_losses"] for board in boards) else []


def exact(lost, n, alpha):
    if n == 0:
        return [0.0, 1.0]
    if lost == 0:
        return [0.0, 1 - alpha ** (1 / n)]
    if lost == n:
        return [alpha ** (1 / n), 1.0]
    return [
        root(lambda p: incomplete_beta(lost, n - lost + 1, p) - alpha / 2, 0.0, 1.0),
        root(lambda p: incomplete_beta(lost + 1, n - lost, p) - (1 - alpha / 2), 0.0, 1.0),
    ]


def sign_test(boards):
    differences = [one - other for one, other in (board["all"] for board in boards)]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    tail = sum(comb(wins + losses, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / 2 ** (wins + losses))


def compare(boards, alpha):
    seen = Boards(boards)
    enough = [moments for moments in seen.deciding if moments.n >= 60]

    def strongest(unseen):
        return min([(moments.test(unseen, alpha)[1], moments.mean) for moments in enough], default=(1.0, 0.0))

    def verdict(p, mean):
        return None if p >= alpha or mean == 0 else "better" if mean > 0 else "worse"

    shown, probable = verdict(*strongest(0.5)), verdict(*strongest(0.0))
    if len(boards) < 60:
        shown, probable = "too_few_games", None
    return {
        "all": seen.all.report(alpha),
        "finished": seen.finished.report(alpha),
        "p": strongest(0.5)[0] if len(boards) >= 60 else sign_test(boards),
        "conclusion": shown or "no_difference_shown",
        "probably": None if shown else probable,
        "lost": [exact(lost, len(boards), alpha) for lost in seen.lost],
        "alone": seen.alone,
        "settle": min(filter(None, (moments.settle(alpha) for moments in seen.deciding)), default=None),
    }


def until_decided(boards, alpha, margin):
    decided, least = None, 1.0
    rho = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / 500

    def interval(moments):
        n = moments.n
        deviation = sqrt(moments.squares / n + 2 * moments.range**2 / n)
        spread = n * rho + 1
        half = deviation * sqrt(2 * spread / (n * n * rho) * log(sqrt(spread) / alpha))
        return moments.mean - half, moments.mean + half

    def p(moments):
        n, spread = moments.n, moments.n * rho + 1
        variance = moments.squares / n + 2 * moments.range**2 / n
        if variance == 0:
            return 1.0 if moments.mean == 0 else 0.0
        return min(1.0, sqrt(spread) * exp(-((n * moments.mean) ** 2) * rho / (2 * spread * variance)))

    for count in range(100, len(boards) + 1):
        seen = Boards(boards[:count])
        for moments in (moments for moments in seen.deciding if moments.n >= 100):
            least = min(least, p(moments))
            low, high = interval(moments)
            decided = decided or ("better" if low > 0 else "worse" if high < 0 else None)
        low, high = interval(seen.all)
        decided = decided or ("even" if -margin < low and high < margin else None)
    leading = min((moments for moments in Boards(boards).deciding if moments.n), key=p)
    return {"decided": decided, "p": least, "interval": interval(leading)}


if __name__ == "__main__":
    for line in sys.stdin:
        case = json.loads(line)
        alpha, boards = case["alpha"], case["boards"]
        print(json.dumps({"compare": compare(boards, alpha), "sequence": until_decided(boards, alpha, case["margin"])}))
