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

sys.dont_write_bytecode = True  # The next lines leave nothing beside the scripts.

import build_costs  # noqa: E402
import host  # noqa: E402
import peers  # noqa: E402

HEAD = """\
# What the referee costs

Written by `scripts/performance-report.py`; run it for the figures of your machine. They are not promises.

- A turn costs microseconds, and a game milliseconds. If your bot computes, you can ignore both.
- Suites give each game a core. For a quick bot, add `--pin` to `play` too.
- `--logs all` slows a quick bot's suite by about a tenth.

Each figure has a yardstick, measured in turn with it. Times are medians. A **no** is a target that this run has missed.

- Date: {date}
- Machine: {machine}
- Size of the program: {size:.1f} MB

| what | is | yardstick | is | ratio | target | met |
|---|---|---|---|---|---|---|
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

Times of games and exchanges are medians of five runs.

- **A quick turn** is six system calls, of which the ping-pong has two. The others are a read of the bytes that the bot has written
  (1.4 µs), `poll` (0.6), and checks for unread input and surplus output (0.3 each). Every half millisecond the referee reads its
  wait (0.8), and every millisecond the bot's certificate, five files of `/proc`. To reach 2.5 ping-pongs the first read would have to go,
  but it distinguishes a bot's reply from a line that its child wrote after the bot's exit.
- **Two jobs on two cores**: the target leaves a game 0.9 ms besides its bot, and it needs 1.7. A small launcher program would save 0.3.
- **`referee play`** also starts launcher and keeper, and reads settings and limits for the log. `--version` mostly loads the
  program: an empty Rust program takes 1.2 times as long as `/bin/true`.
- **An exchange with a tester** passes through the referee twice: 37 µs on one core (`perf sched`), of which tester and bot run 5 each, and the
  referee 9 to pass on the answer and 17 to begin the next turn. On the game's core it takes 46.
- **A tester's game** of one exchange takes 3.6 ms, and 1.4 without the referee, which contains two programs and starts a relay.
  The relay uses no library and starts in 0.17 ms; an empty static program takes 0.42, since C's library queries the processor, which
  traps in a virtual machine. The tester's exit overlaps the end of the bot, which saves 0.3 ms.
- **The tester's folder**, with its links to files, is reused. ext4 reuses no inode within five seconds of its removal, and searches past
  these: with new links, a game took 3.4 ms in the first 200 and 4.2 in 1,500, instead of 3.0 and 3.1.
- **A log** costs 0.1 ms a game: two thirds for the file, one third for JSON.
- **A report of 2,000 games** with 829 replays takes 6.3 MB. Chromium draws it in 0.75 s, sorts its boards in 80 ms and its
  games in 47. A step through 10,000 moves of Square Remover takes 12 ms (`scripts/page-speeds.mjs`).
- **`referee-contain` alone**, without optimisation, is built in 12.2 to 14.7 s (median 13.0), under full load in 18 to 28.
- **Rejected:** one keeper for all games of a worker would save 0.2 ms a game, but root's bot has power over its keeper. Keepers forked ahead
  saved a fifth of a short game with one job that the system places, but cost 7 % with two jobs on two cores (400 games of 15 turns).
"""

BUILD = """
## The build

"""

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
    cells = (
        row["what"], row["ours"], row["yardstick"], row["yardstick_is"], f"{row['ratio']:.2f}",
        row["target"], "yes" if row["met"] else "**no**",
    )
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
