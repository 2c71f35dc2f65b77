#!/usr/bin/env python3
"""Records exchanges for tests/data/traces: late turns of ordinary bots, too slow or next to programs that want their core, and of one
whose machine stalls.

Run it on a machine with two cores or more, from the top of the source tree:

    cargo build --release && python3 scripts/traces.py

Each file holds one line of `referee play --trace`, in which the culprit is the one that it must be; tests make the same decisions
from it again. Give parts of names to record only those.
"""

import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
import time

import ordinary

FOLDER = os.path.abspath("tests/data/traces")
ATTEMPTS = 12


def late_turn(ways, bot, *more, disturbing=contextlib.nullcontext):
    """The record of the last turn, if it was late."""
    file = f"{ways.folder}/trace"
    game = ways.start(["play", "--trace", file], "--bot", bot, *more)
    with disturbing(game):
        _, problem = game.communicate()
    if game.returncode not in (0, 1):
        sys.exit(problem)
    with open(file, encoding="utf-8") as lines:
        last = json.loads(lines.readlines()[-1])
    os.remove(file)
    return last if last["culprit"] else None


def record(ways, name, expected, bot, *more, around=contextlib.nullcontext, disturbing=contextlib.nullcontext):
    """Plays until a turn is late by the fault that it must have, and keeps its record."""
    if sys.argv[1:] and not any(part in name for part in sys.argv[1:]):
        return
    for _ in range(ATTEMPTS):
        with around():
            turn = late_turn(ways, bot, *more, disturbing=disturbing)
        if turn and turn["culprit"] == expected:
            with open(f"{FOLDER}/{name}.json", "w", encoding="utf-8") as file:
                json.dump(turn, file, separators=(",", ":"))
            print(name, flush=True)
            return
    print(f"{name}: no late turn by the fault of the {expected} in {ATTEMPTS} games", flush=True)


def below(pid):
    """A process and all below it."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError), open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as children:
            found += map(int, children.read().split())
    return found


@contextlib.contextmanager
def stopping(game):
    """Stops a referee with all its processes now and then, as a machine that stalls."""
    done = threading.Event()

    def send(number):
        for pid in below(game.pid):
            with contextlib.suppress(OSError):
                os.kill(pid, number)

    def run():
        while not done.wait(0.2):
            send(signal.SIGSTOP)
            time.sleep(0.2)
            send(signal.SIGCONT)

    thread = threading.Thread(target=run)
    time.sleep(0.5)  # The first turn has a longer limit.
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def file_name(bot):
    """A name for the file of an ordinary bot."""
    kept = "".join(letter if letter.isalnum() else " " for letter in bot.replace("`", ""))
    return "-".join(kept.lower().split())


def main():
    os.makedirs(FOLDER, exist_ok=True)
    core = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        bots, ways = ordinary.build(folder), ordinary.Ways(folder)
        for bot, command in bots.items():
            slow, quick = f"{command} {ordinary.TOO_MUCH_MS}", f"{command} {ordinary.NEEDED_MS}"
            record(ways, f"ordinary-{file_name(bot)}-beside-hogs", "host", quick, around=lambda: ordinary.hogs(3))
            record(ways, f"ordinary-{file_name(bot)}-on-a-crowded-core", "host", quick, "--pin", around=lambda: ordinary.hogs(6, core))
            record(ways, f"ordinary-{file_name(bot)}-too-slow", "bot", slow)
        quick = f"{bots['started directly']} {ordinary.NEEDED_MS}"
        record(ways, "wronged-by-a-machine-that-stalls", "host", quick, "--pin", disturbing=stopping)


if __name__ == "__main__":
    main()
