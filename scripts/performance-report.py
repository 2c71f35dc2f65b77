#!/usr/bin/env python3
"""Measures what the referee costs and writes docs/performance.md.

Run it on an idle machine with two cores or more, from the top of the source tree:

    cargo build --release && python3 scripts/performance-report.py [GAMES]

Figures are ratios to a yardstick in the same run. GAMES is the size of the large suite whose memory
is held against that of a small one (default 20,000; a minute for each 20,000 or so).
"""

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

REFEREE = os.path.abspath("target/release/referee")
SMALL_SUITE = 1000
LARGE_SUITE = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000

# A bot that computes, so that two jobs want two cores; 20 games of about 50 turns of 5 ms.
BUSY_BOT = "@thinker --compute 5"
BUSY_SUITE = ["--bot", BUSY_BOT, "--seed", "1..20", "--turn", "10s", "--logs", "none"]


def run(args, folder):
    """Runs the referee; returns the seconds it took and its peak memory in MB."""
    start = time.monotonic()
    child = subprocess.Popen(
        [REFEREE, *args], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                lines = [line for line in status if line.startswith("VmHWM:")]
            peak = max(peak, *(int(line.split()[1]) for line in lines), 0)
        except OSError:
            pass
        time.sleep(0.002)
    if child.returncode not in (0, 1):
        sys.exit(f"{args}: exit {child.returncode}")
    return time.monotonic() - start, peak / 1000


def suite(jobs, folder):
    args = ["suite", *BUSY_SUITE, "--jobs", str(jobs), "--run", os.path.join(folder, f"{jobs}")]
    return run(args, folder)[0]


def benches():
    bench = ["cargo", "bench", "--quiet", "--bench", "ratios", "--", "--json"]
    output = subprocess.run(bench, capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(output.stderr)
    return [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{")]


def duration(micros):
    for size, unit in ((1e6, "s"), (1e3, "ms"), (1, "µs")):
        if micros >= size:
            return f"{micros / size:.3g} {unit}"
    return f"{micros * 1000:.3g} ns"


def model():
    with open("/proc/cpuinfo") as cpus:
        names = [line.split(":")[1].strip() for line in cpus if line.startswith("model name")]
    return names[0] if names else platform.machine()


def page(rows, one, two, game, small, large, size):
    yield "# What the referee costs"
    yield ""
    yield "Written by `scripts/performance-report.py`; run it for the figures of your own machine. Each"
    yield "figure stands beside a yardstick that was measured in the same run, in turn with it; medians."
    yield "A **no** is a target that this run has missed."
    yield ""
    yield f"- Date: {datetime.date.today()}"
    yield f"- Machine: {model()}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}"
    yield f"- Size of the program: {size / 1e6:.1f} MB"
    yield ""
    yield "| what | time | yardstick | time | ratio | target | met |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        met = "yes" if row["met"] else "**no**"
        cells = (
            row["what"], duration(row["ours_us"]), row["yardstick"], duration(row["yardstick_us"]),
            f"{row['ratio']:.2f}", row["target"], met,
        )
        yield "| " + " | ".join(cells) + " |"
    speedup = one / two
    met = "yes" if speedup >= 1.8 else "**no**"
    yield f"| a suite of a bot that computes, two jobs | {two:.1f} s | one job | {one:.1f} s " \
          f"| {speedup:.2f} | at least 1.8 | {met} |"
    yield ""
    yield "| what | peak memory of the referee | target | met |"
    yield "|---|---|---|---|"
    met = "yes" if game <= 12 else "**no**"
    yield f"| a game | {game:.1f} MB | at most 12 MB | {met} |"
    yield f"| a suite of {SMALL_SUITE:,} games | {small:.1f} MB | | |"
    met = "yes" if large <= small * 1.1 else "**no**"
    yield f"| a suite of {LARGE_SUITE:,} games | {large:.1f} MB | no growth | {met} |"


def main():
    rows = benches()
    with tempfile.TemporaryDirectory() as folder:
        one, two = suite(1, folder), suite(2, folder)
        _, game = run(["play", "--bot", "@thinker --sleep 1"], folder)
        of = lambda games: run(
            ["suite", "--bot", "@echo", "--board", "@clearable", "--repeat", str(games),
             "--jobs", "1", "--logs", "none", "--run", os.path.join(folder, f"m{games}")],
            folder,
        )[1]
        small, large = of(SMALL_SUITE), of(LARGE_SUITE)
    lines = page(rows, one, two, game, small, large, os.path.getsize(REFEREE))
    with open("docs/performance.md", "w") as file:
        file.write("\n".join(lines) + "\n")
    print(open("docs/performance.md").read())


main()
