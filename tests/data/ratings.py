#!/usr/bin/env python3
"""The ratings of docs/statistics.md, written from that page alone and without any library.

Reads a case on each line of standard input, as JSON: `bots` (their number), `games` (lists of a seed and of pairs of a bot and its
result, seat by seat) and `anchor` (null, or a bot and its rating). Prints the rating of each bot, half the width of its interval
(or null), its group and whether it is unbounded, and whether the seatings of a seed agree.
"""

import json
import sys
from collections import defaultdict
from math import exp, log, sqrt

sys.dont_write_bytecode = True
from rule import student_quantile

ELO = 400 / log(10)


def pairs(seats):
    for place, (one, result) in enumerate(seats):
        for other, others in seats[place + 1:]:
            if one != other:
                score = 0.5 if result == others else float(result > others)
                yield one, other, score, 1 / (len(seats) - 1)


def win(difference):
    return 1 / (1 + exp(-difference))


def reachable(start, leads):
    found, new = {start}, [start]
    while new:
        bot = new.pop()
        more = leads[bot] - found
        found |= more
        new += more
    return found


def classes(bots, leads):
    """The bots that reach each other, by bot."""
    reach = [reachable(bot, leads) for bot in range(bots)]
    return [sorted(other for other in reach[bot] if bot in reach[other]) for bot in range(bots)]


def fit(bots, won):
    """One strength after the other, each at the zero of its own derivative, until none moves."""
    strengths = [0.0] * bots
    for _ in range(200000):
        moved = 0.0
        for bot in range(bots):
            met = [(other, won[bot, other], won[other, bot]) for other in range(bots) if won[bot, other] > 0]
            if not met:
                continue
            at = strengths[bot]
            for _ in range(100):
                chances = [win(at - strengths[other]) for other, _, _ in met]
                slope = sum(w - (w + l) * p for (_, w, l), p in zip(met, chances))
                curve = sum((w + l) * p * (1 - p) for (_, w, l), p in zip(met, chances))
                step = max(-1.0, min(1.0, slope / curve))
                at += step
                if abs(step) < 1e-14:
                    break
            moved = max(moved, abs(at - strengths[bot]))
            strengths[bot] = at
        if moved < 1e-13:
            break
    return strengths


def solve(matrix, columns):
    """Gauss and Jordan, with the largest pivot."""
    size = len(matrix)
    rows = [list(matrix[i]) + list(columns[i]) for i in range(size)]
    for i in range(size):
        best = max(range(i, size), key=lambda row: abs(rows[row][i]))
        rows[i], rows[best] = rows[best], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i])]
    return [row[size:] for row in rows]


def covariance(group, strengths, won, games):
    """Of the strengths of a group's bots less that of its first one, which has none."""
    others = group[1:]
    index = {bot: place for place, bot in enumerate(others)}
    information = [[0.0] * len(others) for _ in others]
    for one in group:
        for other in group:
            if one != other:
                p = win(strengths[one] - strengths[other])
                curve = (won[one, other] + won[other, one]) * p * (1 - p)
                if one in index:
                    information[index[one]][index[one]] += curve
                    if other in index:
                        information[index[one]][index[other]] -= curve
    by_seed = defaultdict(lambda: [0.0] * len(others))
    for seed, seats in games:
        for one, other, score, weight in pairs(seats):
            surprise = weight * (score - win(strengths[one] - strengths[other]))
            if one in index:
                by_seed[seed][index[one]] += surprise
            if other in index:
                by_seed[seed][index[other]] -= surprise
    # The sandwich is the sum of the squares of these.
    columns = [list(column) for column in zip(*by_seed.values())]
    influence = solve(information, columns) if others else []
    values = {group[0]: [0.0] * len(by_seed)} | dict(zip(others, influence))
    return {(a, b): sum(x * y for x, y in zip(values[a], values[b])) for a in group for b in group}


def ratings(case):
    bots, games, anchor = case["bots"], case["games"], case["anchor"]
    won, seeds = defaultdict(float), defaultdict(set)
    for seed, seats in games:
        for one, other, score, weight in pairs(seats):
            won[one, other] += weight * score
            won[other, one] += weight * (1 - score)
            seeds[one].add(seed)
            seeds[other].add(seed)
    beaten = [{b for b in range(bots) if won[a, b] > 0} for a in range(bots)]
    met = [{b for b in range(bots) if won[a, b] + won[b, a] > 0} for a in range(bots)]
    groups, comparable = classes(bots, met), classes(bots, beaten)
    for a in range(bots):
        for b in met[a]:
            won[a, b] += 0.125
    strengths = fit(bots, won)
    found = []
    for bot in range(bots):
        group = groups[bot]
        variances = covariance(group, strengths, won, games)
        if anchor and anchor[0] in group:
            center, at = anchor
            reference, bounded = {center: 1.0}, comparable[center]
        else:
            largest, at = max((comparable[it] for it in group), key=lambda it: (len(it), -it[0])), 0.0
            bounded = largest if len(largest) > 1 or len(group) == 1 else []
            reference = {it: 1 / len(bounded or group) for it in bounded or group}
        combined = defaultdict(float, {bot: 1.0})
        for it, weight in reference.items():
            combined[it] -= weight
        rating = at + ELO * sum(weight * strengths[it] for it, weight in combined.items())
        variance = sum(combined[a] * combined[b] * variances[a, b] for a in combined for b in combined)
        count = len(seeds[bot])
        if anchor and anchor[0] in group:
            count = min(count, len(seeds[anchor[0]]))
        unbounded = bot not in bounded
        has_margin = count >= 20 and not unbounded
        margin = ELO * student_quantile(0.05, count - 1) * sqrt(max(variance, 0.0)) if has_margin else None
        found.append([rating, margin, groups[bot][0], unbounded])
    return {"ratings": found}


for line in sys.stdin:
    print(json.dumps(ratings(json.loads(line))), flush=True)
