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

- **A quick turn** is six system calls, where the ping-pong has two: one read of the bytes that the bot has written (1.4 µs, by
  a loop of nothing else on the machine of the second table), `poll` (0.6), and a check each for unread input and for surplus output
  (0.3). In half a millisecond of such turns the referee's own wait is read once (0.8), and in a millisecond the bot's certificate, which is
  five reads of /proc.
- **The deadline** that the launcher holds takes no call: a number in memory that it shares with the referee. As a timer, set and
  cleared in each turn, it took 1.0 µs.
- **To reach 2.5 ping-pongs a turn**, the read of what the bot has written would have to go: it tells a bot's reply from one that its child
  wrote after the bot's end. No cheaper call was found that does.
- **Without `--pin`** the system places bot and referee, mostly on two cores, and each wakes the other from sleep. `play` leaves it so; suites
  give each game a core.
- **A game with `--pin`** of a bot that parses its input and has 21 turns, by `perf` over 500 games before keepers were forked ahead: the
  bot's own process has 0.85 ms of processor time, which the bare game has as well; the referee 0.74, a third of it in its own code, a quarter
  in calls of the turns and the rest in opening, closing and asking for files and pipes; the launcher 0.41, of which the fork with its
  namespaces is 0.17 and the copying of the pages that it then shares 0.09; the keeper 0.36, of which its mounts are 0.04 and its end 0.1; the
  kernel's threads and the unmounting 0.13.
- **Keepers that wait** for the next bot, forked while a bot starts, took a fifth off a short game with one job that the system places, 3 %
  with one job on a core of its own, and cost 7 % with two jobs on two cores (400 games of 15 turns, the middle of five in turn). They are gone.
- **Two jobs on two cores** at most twice as long as two bare loops: a game may then have 0.9 ms of processor time beside its bot's, and has
  1.7. A launcher that is a small program of its own would halve its own part and some of the keeper's, 0.3 ms together; the rest
  would have to come from the referee's 0.8.
- **A keeper for all games of a worker** would save 0.2 ms of namespaces a game. It is not done: root's bot in a namespace has power
  over its keeper, which could then serve the next game, and keyrings, IPC objects and mounts would have to be cleaned one by one.
- **`referee play`** makes two processes beside the bot's, a launcher and a keeper; it also reads settings and the host's limits
  for the log. `--version` mostly loads a program of this size: an empty Rust program takes 1.2 times `/bin/true`.
- **An exchange with a tester** that starts the bot itself passes through four hands, tester, referee, bot and referee, where the tester alone
  has two. On one core it took 37 µs by `perf sched`: tester and bot ran 5 µs each, the referee 9 to pass on the answer, and 17 to end
  the turn, begin the next and pass on its question. On a core of the game's own an exchange took 46 µs, and 68 where the system
  placed them and the referee listened for 50 µs before it slept (games of 2,000 exchanges, the middle of five in turn); the listening is gone.
- **A tester's game** starts three programs where the tester alone starts two, and contains two. The third, the relay, uses no library: it starts
  in 0.17 ms, where an empty static program takes 0.42 and `/bin/true` 0.53. C's library asks the processor what it can do, and on a virtual machine
  each of some fifty such questions goes to the host. With a relay that was this whole program, a game of one exchange took 4.6 ms as cargo links
  the program, with this one 3.6, and 1.4 alone (200 games each, the middle of five runs in turn). The rest is two keepers with their namespaces,
  the start of the bot through one, and the hand-overs between processes.
  The bot's processes are ended while the tester ends, and the tester's folder is cleared in the background: 0.3 ms less.
  A tester that closes the bot's input is looked for in its system calls: if it does not wait for the bot yet, again after
  50 µs, then 100, up to a millisecond. While the first pause was a millisecond, and the search took 79 calls in place of 54, a game took 0.5 ms more.
  The tester's folder has a link to each file of the settings' folder. ext4 gives out no inode again within five seconds of its removal, and looks
  at each of these before it finds another one: with new links for each game, a game took 3.4 ms in the first 200 and 4.2 in 1,500, where it now
  takes 3.0 and 3.1 (1.5 alone). So the folder, cleared of all but its links and the relay, serves the next game.
- **The logs** are a file for each game, with a line for each turn: 0.1 ms a game, two thirds for the file and one third for its JSON.
- **A report of 2,000 games** with 829 replays takes 6.3 MB, and in Chromium on the idle machine 0.75 s to load and draw, 80 ms to sort
  its boards and 47 ms its games; a step through 10,000 moves of Square Remover takes 12 ms (the median of 100, by `scripts/page-speeds.mjs`).
- **The build** is for a third the referee itself, and for a ninth ratatui, the terminal player's library.
- **`referee-contain` alone**, without optimisation, is built in 12.2 to 14.7 s on the idle machine (median of five 13.0), which are 17 s of
  processor time; while it needed derives they were 41 s. What is left is for a third rustix and for a third the crate itself, of which compiling it in 16 units in place of
  the usual 256 spares a quarter. Under full load it takes 18 to 28 s.
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
