#!/usr/bin/env python3
"""Measures what the referee costs and writes docs/performance.md.

Run it on an idle machine with two cores or more, from the top of the source tree:

    python3 scripts/performance-report.py

It is `cargo bench` as a page, with the machine and the date, the table of `scripts/build_costs.py`, and the one of
`scripts/peers.py`, whose help says which peers it finds by itself and which must be given.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # The next lines leave nothing next to the scripts.

import build_costs  # noqa: E402
import host  # noqa: E402
import peers  # noqa: E402

HEAD = """\
# What the referee costs

Written by `scripts/performance-report.py`; run it for the figures of your machine. They are not promises.

- A turn costs microseconds, and a game milliseconds. If your bot computes, you can ignore both.
- Suites give each game a core. For a quick bot, add `--pin` to `play` too.
- `--logs all` slows a quick bot's suite by about a tenth.

Each figure was measured alternately with a yardstick; the ratio is the figure divided by it. Times are medians. A bold ratio misses
its target, which matters only to builders.

- Date: {date}
- Machine: {machine}
- Size of the program: {size:.1f} MB

| what | is | yardstick | ratio | target |
|---|---|---|---|---|
"""

BUILD = """
## The build

For builders: [the benches](../referee/benches/costs/main.rs) explain where the time goes. """

PEERS = """
## Next to its peers

"""


def benches(games):
    """The rows of the table."""
    bench = ["cargo", "bench", "--quiet", "--", "--json"]
    environment = dict(os.environ, REFEREE_BENCH_GAMES=str(games))
    output = subprocess.run(bench, stdout=subprocess.PIPE, text=True, env=environment)
    if output.returncode != 0:
        sys.exit("cargo bench failed")
    return [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{")]


def line(row):
    """A row of the table in Markdown."""
    ratio = f"{row['ratio']:.2f}"
    cells = row["what"], row["ours"], row["yardstick"], ratio if row["met"] else f"**{ratio}**", row["target"]
    return "| " + " | ".join(cells) + " |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("large", nargs="?", type=int, default=100_000, metavar="GAMES",
                        help="""the size of the large suite whose memory is compared with a small one's
[default: 100000, which takes some minutes]""")
    peers.add_options(parser)
    options = parser.parse_args()
    rows = benches(options.large)
    head = HEAD.format(
        date=datetime.date.today(),
        machine=host.machine(),
        size=os.path.getsize("target/release/referee") / 1e6,
    )
    build = "".join(f"{line}\n" for line in build_costs.section())
    next_to_peers = "".join(f"{line}\n" for line in peers.section(options))
    with open("docs/performance.md", "w") as file:
        file.write(head + "".join(map(line, rows)) + BUILD + build + PEERS + next_to_peers)
    print(open("docs/performance.md").read())


main()
