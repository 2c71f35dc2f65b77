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

Each figure has a yardstick, measured in turn with it. Times are medians. A bold ratio misses its target.

- Date: {date}
- Machine: {machine}
- Size of the program: {size:.1f} MB

| what | is | yardstick | ratio | target |
|---|---|---|---|---|
"""

# By hand, from `strace -f -r referee play` and `perf record -a -g referee suite`.
REST = """
## Where the time goes

For builders. A game with `--pin`, of 21 turns of a bot that parses its input, has this CPU time (`perf`, 500 games):

| process | ms of CPU time | of which |
|---|---|---|
| bot | 0.85 | all, as in the bare game |
| referee | 0.74 | a third in its code, a quarter in calls of turns, the rest for files and pipes |
| launcher | 0.41 | the fork with namespaces 0.17, copies of shared pages 0.09 |
| keeper | 0.36 | mounts 0.04, exit 0.1 |
| kernel threads | 0.13 | with the unmounting |

- **A quick turn** is six system calls, of which the ping-pong has two. The longest of the others, a read of the bot's count of written bytes
  (1.4 µs), distinguishes a bot's reply from a line that its child wrote after the bot's exit. Every millisecond the referee also reads
  the bot's certificate, five files of `/proc`.
- **Two jobs on two cores**: the target leaves a game 0.9 ms besides its bot, and it needs 1.7.
- **An exchange with a tester** passes through the referee twice: 37 µs on one core, 26 of them in the referee. **A tester's game** of one
  exchange takes 3.6 ms, and 1.4 without the referee, which contains two programs and starts a relay. The tester's folder is reused, since
  ext4 slows down when many links are made and removed.
- **A report of 2,000 games** with 829 replays takes 6.3 MB. Chromium draws it in 0.75 s, and sorts its boards in 80 ms
  (`scripts/page-speeds.mjs`).
- **Rejected:** one keeper for all games of a worker would save 0.2 ms a game, but root's bot has power over its keeper. Keepers forked ahead
  saved a fifth of a short game with one job that the system places, but cost 7 % with two jobs on two cores.
"""

BUILD = """
## The build

For builders. """

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
    beside = "".join(f"{line}\n" for line in peers.section(options))
    with open("docs/performance.md", "w") as file:
        file.write(head + "".join(map(line, rows)) + REST + BUILD + build + PEERS + beside)
    print(open("docs/performance.md").read())


main()
