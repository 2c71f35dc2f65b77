#!/usr/bin/env python3
"""Measures how exact the referee's times and culprits are, and prints them as Markdown, for docs/timing.md.

Run it on an idle machine with two cores or more, from the top of the source tree:

    cargo build --release && python3 scripts/timing-report.py

It takes about ten minutes. It fails if a figure is outside of what the project promises.
"""

import datetime
import json
import os
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True  # The next lines leave nothing next to the scripts.

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
        yield from ordinary.rows(lambda: measure(spin))


def verdicts():
    yield "| bot | turns | the bot's fault | the host's fault | as it must be |"
    yield "|---|---|---|---|---|"

    def measure(bot, own):
        later = timing(f"@thinker {bot}", "--pin")
        cells = (f"`@thinker {bot}`", later["count"], later["bot_overruns"], later["host_overruns"])
        return cells, later["bot_overruns"] == own * later["count"] and later["host_overruns"] == 0

    for bot, own in (("--spin 45", 0), ("--spin 60", 1), ("--sleep 60", 1)):
        yield from ordinary.rows(lambda: measure(bot, own))


def a_little_late():
    games = 30
    yield "| bot sleeps for | games | late | reported delay at the median | reported as waiting, or not flushing |"
    yield "|---|---|---|---|---|"
    for sleep in (50.1, 50.3, 50.5):
        played = [referee("play", "--bot", f"@thinker --sleep {sleep}", "--turn", f"{LIMIT_MS}ms") for _ in range(games)]
        walls = sorted(game["timing"]["slowest_turn"]["wall_ms"] for game in played if game["verdict"] == "timeout")
        wronged = sum("flush" in game["diagnosis"] or "waited for more" in game["diagnosis"] for game in played)
        assert not wronged, played
        yield f"| {sleep} ms | {games} | {len(walls)} | {walls[len(walls) // 2] - LIMIT_MS:.2f} ms | {wronged} |"


def culprits():
    core = max(os.sched_getaffinity(0))
    yield "| bot | hogs on its core | turns | late | put on the host | at least 95 % |"
    yield "|---|---|---|---|---|---|"

    def measure():
        with ordinary.hogs(HOGS, core):
            later = timing("@thinker --compute 20", "--pin")
        late = later["bot_overruns"] + later["host_overruns"]
        share = later["host_overruns"] / max(late, 1)
        return ("`@thinker --compute 20`", HOGS, later["count"], late, f"{100 * share:.1f} %"), late > 0 and share >= 0.95

    yield from ordinary.rows(measure)


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

    yield from ordinary.rows(measure)


def checked(lines):
    """The rows; those that end with a no are failures too."""
    for line in lines:
        if line.endswith("**no** |"):
            failures.append(line)
        yield line


def section(promise, test, text, lines):
    """A promise with its test, what is measured, and the table."""
    yield f"### {promise}"
    yield ""
    yield textwrap.fill(f"{text} Test: `{test}`.", 140, break_long_words=False, break_on_hyphens=False)
    yield ""
    yield from lines
    yield ""


def page():
    measured = referee("doctor")["timing"]
    yield "The figures are from an idle machine. Rows with **no** are measured again, since a host may stop a virtual machine unnoticed."
    yield ""
    yield f"- Date: {datetime.date.today()}"
    yield f"- Machine: {host.machine()}"
    yield (f"- Round trip of an echo child: {measured['round_trip']['p50_ms'] * 1e3:.0f} µs at the median, "
           f"{measured['round_trip']['max_ms'] * 1e3:.0f} µs at most")
    yield (f"- Waking up late: {measured['wake_up']['p50_ms'] * 1e3:.0f} µs at the median, "
           f"{measured['wake_up']['max_ms'] * 1e3:.0f} µs at most")
    yield ""
    yield from section(
        "A measured time is the bot's", "each_exchange_has_a_certificate", "`@thinker --spin T` computes for T milliseconds in each turn.",
        checked(precision()))
    yield from section(
        "A verdict depends on the bot alone", "a_sleeping_bot_is_late_by_its_own_fault",
        f"The official limit is {LIMIT_MS} ms. `--spin` computes until a time on the clock, so a stall of the machine can turn either verdict.",
        checked(verdicts()))
    yield from section(
        "An answer that is a little late is called late",
        "an_answer_that_is_a_little_late_is_late_and_its_bot_does_not_wait_for_input",
        "It is not called a wait for input.", a_little_late())
    yield from section(
        "A busy machine is named", "a_starved_bot_is_late_by_the_hosts_fault_and_the_user_decides",
        "A bot needs 20 ms of CPU time, on a core that others want.", checked(culprits()))
    yield from section(
        "Chatter does not extend a deadline", "chatter_does_not_extend_a_deadline",
        "A bot writes a byte every 10 ms and never a newline.", checked(chatter()))
    yield from section(
        "An ordinary bot is excused wherever it computes", "work_beside_hogs_is_excused_wherever_the_bot_does_it",
        f"A bot needs {ordinary.NEEDED_MS} ms of {LIMIT_MS}, next to two programs that want the cores. Threads and children live for a turn. "
        "The table has late turns put on the host, of all late ones.", checked(ordinary.table()))


def main():
    for line in page():
        print(line, flush=True)
    if failures:
        sys.exit(f"not as promised: {failures}")


main()
