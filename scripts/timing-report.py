#!/usr/bin/env python3
"""Measures how exact the referee's times and culprits are, and writes docs/timing.md.

Run it on an idle machine with two cores or more, from the top of the source tree:

    cargo build --release && python3 scripts/timing-report.py

It takes about twenty minutes; as root it also plays as nobody, and freezes and throttles bots. It fails if a figure is outside of what
the project promises. The theory in docs/timing.md is kept as it is.
"""

import datetime
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # The next lines leave nothing beside the scripts.

import blame  # noqa: E402
import host  # noqa: E402
import ordinary  # noqa: E402

REFEREE = os.path.abspath("target/release/referee")
TURNS = 500
SEEDS = "1..10"  # more than 500 turns
LIMIT_MS = 50
HOGS = 4


def referee(*args):
    """Runs a command that prints one JSON object."""
    run = subprocess.run([REFEREE, *args, "--format", "json"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{args}: {run.stderr}")
    return json.loads(run.stdout)


def timing(bot, *more):
    """The later turns of a bot's games, under the official limits."""
    report = referee("timing", "--bot", bot, "--seed", SEEDS, *more)
    later = next(turns for turns in report["turns"] if turns["kind"] == "turn")
    assert later["count"] >= TURNS, later
    return later


failures = []


def precision():
    yield "| bot computes for | turns | median | p99 | off at the median | within 0.3 ms |"
    yield "|---|---|---|---|---|---|"

    def measure(spin):
        later = timing(f"@thinker --spin {spin}", "--pin")
        off = later["p50_ms"] - spin
        cells = (f"{spin} ms", later["count"], f"{later['p50_ms']:.3f} ms", f"{later['p99_ms']:.3f} ms", f"{off:+.3f} ms")
        return cells, abs(off) <= 0.3

    for spin in (5, 20, 45):
        yield from blame.rows(lambda: measure(spin))


def verdicts():
    yield "| bot | turns | late by its own fault | late by the host's | as it must be |"
    yield "|---|---|---|---|---|"

    def measure(bot, own):
        later = timing(f"@thinker {bot}", "--pin")
        cells = (f"`@thinker {bot}`", later["count"], later["bot_overruns"], later["host_overruns"])
        return cells, later["bot_overruns"] == own * later["count"] and later["host_overruns"] == 0

    for bot, own in (("--spin 45", 0), ("--spin 60", 1), ("--sleep 60", 1)):
        yield from blame.rows(lambda: measure(bot, own))


def a_little_late():
    games = 30
    yield "| bot sleeps for | games | late | said to be late by, at the median | said to wait for input, or not to flush |"
    yield "|---|---|---|---|---|"
    for sleep in (50.1, 50.3, 50.5):
        played = [referee("play", "--bot", f"@thinker --sleep {sleep}", "--turn", f"{LIMIT_MS}ms") for _ in range(games)]
        walls = sorted(game["timing"]["slowest_turn"]["wall_ms"] for game in played if game["verdict"] == "timeout")
        wronged = sum("flush" in game["diagnosis"] or "waited for more" in game["diagnosis"] for game in played)
        assert not wronged, played
        yield f"| {sleep} ms | {games} | {len(walls)} | {walls[len(walls) // 2] - LIMIT_MS:.2f} ms | {wronged} |"


def culprits():
    core = max(os.sched_getaffinity(0))
    yield "| bot | hogs on its core | turns | late | of these put on the host | at least 95 % |"
    yield "|---|---|---|---|---|---|"

    def measure():
        with blame.hogs(core, HOGS):
            later = timing("@thinker --compute 20", "--pin")
        late = later["bot_overruns"] + later["host_overruns"]
        share = later["host_overruns"] / max(late, 1)
        return ("`@thinker --compute 20`", HOGS, later["count"], late, f"{100 * share:.1f} %"), late > 0 and share >= 0.95

    yield from blame.rows(measure)


def chatter():
    runs = 50
    limit = 300
    args = ("play", "--pin", "--first-turn", f"{limit}ms", "--bot", "@misbehaving chatter")

    def beyond():
        """The time beyond the limit, and that time without the delays by others."""
        turn = referee(*args)["timing"]["first_turn"]
        parts = turn.get("parts", {})
        taken = sum(parts.get(part, 0) for part in ("taken_ms", "kept_waiting_ms", "referee_ms"))
        over = turn["wall_ms"] - limit
        return over, over - taken

    yield "| games | limit | beyond it at the median | at most | at most, without what others took | within 2 ms |"
    yield "|---|---|---|---|---|---|"

    def measure():
        over, own = zip(*(beyond() for _ in range(runs)))
        cells = f"{sorted(over)[runs // 2]:.3f} ms", f"{max(over):.3f} ms", f"{max(own):.3f} ms"
        return (runs, f"{limit} ms", *cells), max(own) <= 2

    yield from blame.rows(measure)


def checked(lines):
    """The rows; those that end with a no are failures too."""
    for line in lines:
        if line.endswith("**no** |"):
            failures.append(line)
        yield line


def shown(line):
    """The line, printed at once, to follow the long run."""
    print(line, flush=True)
    return line


def theory():
    """The hand-written part of the page: from its heading to the end."""
    with open("docs/timing.md", encoding="utf-8") as page:
        text = page.read()
    return text[text.index("## What the time of an exchange is made of"):].rstrip().splitlines()


def page():
    measured = referee("timing", "--host")["host"]
    yield "# How far the times can be trusted"
    yield ""
    yield "Figures are written by `scripts/timing-report.py`, which also says how each is made; run it to get those"
    yield "of your own machine. What they mean is at the end. A **no** is what this run on this machine has not shown; it is measured once"
    yield "more, since a virtual machine is never quite idle, and what its host takes away from it cannot be seen from inside."
    yield ""
    yield f"- Date: {datetime.date.today()}"
    yield f"- Machine: {host.machine()}"
    yield (f"- Round trip of an echo child: {measured['round_trip']['p50_ms'] * 1e3:.0f} µs at the median, "
           f"{measured['round_trip']['max_ms'] * 1e3:.0f} µs at most")
    yield (f"- Waking up late: {measured['wake_up']['p50_ms'] * 1e3:.0f} µs at the median, "
           f"{measured['wake_up']['max_ms'] * 1e3:.0f} µs at most")
    yield ""
    yield "## A measured time is the bot's"
    yield ""
    yield "`@thinker --spin T` computes for T milliseconds in each turn."
    yield ""
    yield from checked(precision())
    yield ""
    yield "## A verdict depends on the bot alone"
    yield ""
    yield f"Under the official limit of {LIMIT_MS} ms, on an idle machine: a bot that takes 45 ms is never late, one"
    yield "that computes or sleeps for 60 ms always is, and by its own fault."
    yield ""
    yield from checked(verdicts())
    yield ""
    yield "`--spin` ends by the clock on the wall, whoever had the core. So one that spins for 45 ms is late if a virtual machine stands"
    yield "still for 5 ms meanwhile, by its own fault if that is less than 10 ms, which may show as computing. One that spins for 60 ms"
    yield "has had less than 50 ms if the machine stood still for more than 10, and is excused."
    yield ""
    yield "## An answer that is a little late is called late"
    yield ""
    yield "The referee looks out for an answer for 10 ms beyond the limit, though it no longer counts: a bot that has answered waits"
    yield "for input too, and must not be told that it does nothing else."
    yield ""
    yield from a_little_late()
    yield ""
    yield "## A busy machine is named"
    yield ""
    yield "A bot computes for 20 ms of CPU time, on a core where others want to compute too."
    yield ""
    yield from checked(culprits())
    yield ""
    yield "## Chatter does not extend a deadline"
    yield ""
    yield "A bot that writes a byte every 10 ms and never a newline fails at its limit, or as much later as the machine stood still or"
    yield "others had its core."
    yield ""
    yield from checked(chatter())
    yield ""
    yield "## No trick puts the blame on the host"
    yield ""
    yield (f"Bots of `example-bots/python/excuses.py`, which says what each does, take {blame.TRICK_MS} ms a turn under a limit of "
           f"{LIMIT_MS} ms.")
    yield "Late turns that are put on the bot, of all late ones:"
    yield ""
    yield from checked(blame.tricks())
    yield ""
    yield "## A wronged bot is excused"
    yield ""
    yield "A bot that needs 20 or 30 ms, and what is done to it."
    yield ""
    yield from checked(blame.wrongs())
    yield ""
    yield "## An ordinary bot is excused wherever it computes"
    yield ""
    yield (f"A bot that needs {ordinary.NEEDED_MS} ms of {LIMIT_MS}, beside two programs that want the cores: late turns that are put on the "
           "host, of all late ones. The same")
    yield f"bot that computes for {ordinary.TOO_MUCH_MS} ms is late by its own fault."
    yield ""
    yield from checked(ordinary.table())
    yield ""
    yield from theory()


def main():
    text = "".join(f"{line}\n" for line in map(shown, page()))
    with open("docs/timing.md", "w", encoding="utf-8") as report:
        report.write(text)
    if failures:
        sys.exit(f"not as promised: {failures}")


main()
