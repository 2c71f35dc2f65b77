#!/usr/bin/env python3
"""Measures what the referee costs and writes docs/performance.md.

Run it on an idle machine with two cores or more, from the top of the source tree:

    python3 scripts/performance-report.py

It takes what users feel from `cargo bench`, with the machine and the date, and adds the tables of `scripts/peers.py`, whose help
names the peers that it finds by itself and those that must be given.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # The next lines leave nothing next to the scripts.

import host  # noqa: E402
import peers  # noqa: E402

HEAD = """\
# What the referee costs

Written by `scripts/performance-report.py` on {date} ({machine}). Times are medians; run the script on your machine.

- A turn costs microseconds, and a game milliseconds. If your bot computes, you can ignore both.
- Suites give each game a core. For a quick bot, add `--pin` to `play` too.
- `--logs all` slows a quick bot's suite by less than a tenth.

| what | costs |
|---|---|
"""

# What users feel of `cargo bench`, by its names.
SHOWN = {
    "a turn": "a turn",
    "a game": "a game",
    "`referee play`": "`referee play`, with its start",
    "a suite of 500 games": "a suite of 500 games",
    "refereeing a log again": "refereeing a log again",
    "a tester's game": "overhead in a tester's game",
    "a tester's exchange": "overhead in an exchange with a tester",
    "a tester's exchange with --pin": "the same with `--pin`",
    "memory of a game": "memory of a game",
    "memory of a suite of 100000 games": "memory of a suite of 100,000 games",
}

REST = """
`cargo bench` shows each cost next to a yardstick and its target, and `scripts/build_costs.py` shows the costs of a build.

## Compared with its peers

"""


def benches(games):
    """The rows of the table."""
    bench = ["cargo", "bench", "--quiet", "--", "--json"]
    environment = dict(os.environ, REFEREE_BENCH_GAMES=str(games))
    output = subprocess.run(bench, stdout=subprocess.PIPE, text=True, env=environment)
    if output.returncode != 0:
        sys.exit("cargo bench failed")
    return [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{")]


def rounded(figure):
    """A figure such as `9.622µs` with three digits and a space."""
    number, unit = re.fullmatch(r"([\d.]+) ?(.+)", figure).groups()
    return f"{float(number):.3g} {unit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("large", nargs="?", type=int, default=100_000, metavar="GAMES",
                        help="""the size of the large suite whose memory is compared with a small one's
[default: 100000, which takes some minutes]""")
    peers.add_options(parser)
    options = parser.parse_args()
    costs = {row["what"]: row["ours"] for row in benches(options.large)}
    rows = "".join(f"| {name} | {rounded(costs[what])} |\n" for what, name in SHOWN.items() if what in costs)
    head = HEAD.format(date=datetime.date.today(), machine=host.machine())
    next_to_peers = "".join(f"{line}\n" for line in peers.section(options))
    with open("docs/performance.md", "w") as file:
        file.write(head + rows + REST + next_to_peers)
    print(open("docs/performance.md").read())


main()
