#!/usr/bin/env python3
"""How often the verdicts err, and how many boards they take: the tables behind docs/statistics.md, on made bots and on real ones.

    scripts/verdicts.py            makes the tables, from the scores in tests/data/verdicts
    scripts/verdicts.py --play     plays these games again first, for some minutes on one core

The bots that think do so for a short time, so that their scores depend on the machine; the tables hardly do.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCORES = ROOT / "tests/data/verdicts"
GAMES = {
    "samegame": (
        "1..400",
        {
            "@greedy": "@greedy",
            "@random --seed 1": "@random --seed 1",
            "@random --seed 2": "@random --seed 2",
            "@nrpa --seed 1": "@nrpa --first 0.05 --later 1 --seed 1",
            "@nrpa --seed 2": "@nrpa --first 0.05 --later 1 --seed 2",
        },
    ),
    "square-remover": (
        "1..300",
        {
            "@squares-greedy": "@squares-greedy",
            "@squares-random": "@squares-random",
            "@squares-beam --total 0.1": "@squares-beam --total 0.1",
            "@squares-beam --total 0.2": "@squares-beam --total 0.2",
        },
    ),
}


def play(referee, game, seeds, bots):
    """The scores of the bots by board, without boards on which one was lost."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "run"
        command = [referee, "suite", "--game", game, "--seed", seeds, "--run", run, "--logs", "none", "--jobs", "1"]
        command += [word for bot in bots.values() for word in ("--bot", bot)]
        subprocess.run(command, cwd=scratch, stdout=subprocess.DEVNULL)
        outcomes = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    boards = {}
    for outcome in outcomes:
        if outcome["won"]:
            boards.setdefault(outcome["board"], {})[outcome["bot"]] = outcome["score"]
    return {board: scores for board, scores in boards.items() if len(scores) == len(bots)}


def save(game, bots, boards):
    SCORES.mkdir(parents=True, exist_ok=True)
    with open(SCORES / f"{game}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["board", *bots])
        for board, scores in sorted(boards.items(), key=lambda item: int(item[0].split()[-1])):
            writer.writerow([board, *(scores[command] for command in bots.values())])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--play", action="store_true", help="play the games again")
    parser.add_argument("--referee", default=ROOT / "target/release/referee", help="the program that plays them")
    args = parser.parse_args()
    for game, (seeds, bots) in GAMES.items():
        if args.play:
            save(game, bots, play(args.referee, game, seeds, bots))
    tables = ["cargo", "test", "--release", "-p", "referee-statistics", "--test", "simulation", "--"]
    tables += ["--nocapture", "--test-threads=1"]
    return subprocess.run(tables, cwd=ROOT, env={**os.environ, "REFEREE_RUNS": "2000"}).returncode


if __name__ == "__main__":
    sys.exit(main())
