#!/usr/bin/env python3
"""Measures what the referee costs and writes docs/performance.md.

Run it on an idle machine with two cores or more, from the top of the source tree:

    python3 scripts/performance-report.py [GAMES]

It is `cargo bench` as a page, with the machine and the date. GAMES is the size of the large suite whose
memory is held against that of a small one (default 100,000; that takes some minutes).
"""

import datetime
import json
import os
import platform
import subprocess
import sys

GAMES = sys.argv[1] if len(sys.argv) > 1 else "100000"

HEAD = """\
# What the referee costs

Written by `scripts/performance-report.py`; run it for the figures of your own machine. Each
figure stands beside a yardstick that was measured in the same run, in turn with it; times are
medians. A **no** is a target that this run has missed.

- Date: {date}
- Machine: {model}, {cores} cores, Linux {kernel}
- Size of the program: {size:.1f} MB

| what | is | yardstick | is | ratio | target | met |
|---|---|---|---|---|---|---|
"""


def benches():
    """The rows of the table."""
    bench = ["cargo", "bench", "--quiet", "--", "--json"]
    environment = dict(os.environ, REFEREE_BENCH_GAMES=GAMES)
    output = subprocess.run(bench, stdout=subprocess.PIPE, text=True, env=environment)
    if output.returncode != 0:
        sys.exit("cargo bench failed")
    return [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{")]


def model():
    """The processor's name."""
    with open("/proc/cpuinfo") as cpus:
        names = [line.split(":")[1].strip() for line in cpus if line.startswith("model name")]
    return names[0] if names else platform.machine()


def line(row):
    """A row of the table in Markdown."""
    cells = (
        row["what"], row["ours"], row["yardstick"], row["yardstick_is"], f"{row['ratio']:.2f}",
        row["target"], "yes" if row["met"] else "**no**",
    )
    return "| " + " | ".join(cells) + " |\n"


def main():
    rows = benches()
    head = HEAD.format(
        date=datetime.date.today(),
        model=model(),
        cores=os.cpu_count(),
        kernel=platform.release().split("-")[0],
        size=os.path.getsize("target/release/referee") / 1e6,
    )
    with open("docs/performance.md", "w") as file:
        file.write(head + "".join(map(line, rows)))
    print(open("docs/performance.md").read())


main()
