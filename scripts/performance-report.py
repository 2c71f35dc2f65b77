#!/usr/bin/env python3
"""Measures what the referee costs and writes docs/performance.md.

Run it on an idle machine with two cores or more, from the top of the source tree:

    python3 scripts/performance-report.py

It is `cargo bench` as a page, with the machine and the date, the table of `scripts/build_costs.py`, and that of
`scripts/peers.py`, whose help says which peers it finds by itself and which must be given.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # The next lines leave nothing beside the scripts.

import build_costs  # noqa: E402
import host  # noqa: E402
import peers  # noqa: E402

HEAD = """\
# What the referee costs

Written by `scripts/performance-report.py`; run it for the figures of your own machine. Each
figure has a yardstick, measured in the same run in turn with it; times are
medians. A **no** is a target that this run has missed.

- Date: {date}
- Machine: {machine}
- Size of the program: {size:.1f} MB

| what | is | yardstick | is | ratio | target | met |
|---|---|---|---|---|---|---|
"""

# By hand, from `strace -f -r referee play` and `perf record -a -g referee suite`.
REST = """
## Where the time goes

- **A quick turn** is nine system calls, where the ping-pong has two: the timer that the launcher holds, set and cleared, one read of
  the referee's own waits and one of the bytes that the bot has written, one check for unread input and one for surplus output, and
  `poll`. A turn of a millisecond adds four reads of /proc for its certificate.
- **To reach 2.5 ping-pongs a turn**, four of these seven more calls would have to go, if each costs the same; that is an estimate from the table.
  Three could, each at the price of a promise: a timer that is not cleared between turns would end the bot of a referee that waits for a
  judge or is stopped there, one that is not set anew in each turn would expire later than promised, and own waits that are read once in a
  millisecond would excuse a late bot by up to a millisecond that it had not lost. So none is done.
- **Without `--pin`** the system places bot and referee, mostly on two cores, and each wakes the other from sleep.
  A bot confined to one core would count one core, start one thread and keep it there, so only `--pin` does that.
- **A game with `--pin`**, by `perf` over 500 games of a bot that parses its input: of the busy time 31 % is the bot's own, which the
  bare game has as well, 30 % the referee's turns, 16 % the launcher's (the fork, the namespaces, the pages that both then share), 12 % the
  keeper's and 4 % the unmounting. Beside bare loops that play the same, in one run: two jobs 3.64 times as long, `--pin` 2.44, one
  job 3.43. (The table above is from before keepers were forked by a small process.)
- **A keeper for all games of a worker** would save 0.2 ms of namespaces a game. It is not done: root's bot in a namespace has power
  over its keeper, which could then serve the next game, and keyrings, IPC objects and mounts would have to be cleaned one by one.
- **`referee play`** makes two processes beside the bot's, a launcher and a keeper; it also reads settings and the host's limits
  for the log. `--version` mostly loads a program of this size: an empty Rust program takes 1.2 times `/bin/true`.
- **The logs** are a file for each game, with a line for each turn: 0.1 ms a game, two thirds for the file and one third for its JSON.
- **The build** is for a third the referee itself, and for a ninth ratatui, the terminal player's library.
"""

BUILD = """
## The build

"""

PEERS = """
## Beside its peers

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
    cells = (
        row["what"], row["ours"], row["yardstick"], row["yardstick_is"], f"{row['ratio']:.2f}",
        row["target"], "yes" if row["met"] else "**no**",
    )
    return "| " + " | ".join(cells) + " |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("large", nargs="?", type=int, default=100_000, metavar="GAMES",
                        help="""the size of the large suite whose memory is compared with that of a small one
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
