#!/usr/bin/env python3
"""Records exchanges for tests/data/traces: one late turn of each trick, of each ordinary bot and of each wronged bot.

Run it as root on a machine with two cores or more, from the top of the source tree:

    cargo build --release && python3 scripts/traces.py

Each file holds one line of `referee play --trace`, in which the culprit is the one that it must be; tests make the same decisions
from it again. Give parts of names to record only those.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

import blame
import ordinary

FOLDER = os.path.abspath("tests/data/traces")
METHODS = ("namespace", "seccomp", "plain")
ATTEMPTS = 12


def late_turn(bot, *more, disturbing=contextlib.nullcontext):
    """The record of the last turn, if it was late."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/trace"
        command = [blame.REFEREE, "play", "--trace", file, *blame.RULES, "--bot", bot, *more]
        game = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")
        with disturbing(game):
            _, problem = game.communicate()
        if game.returncode not in (0, 1):
            sys.exit(problem)
        with open(file, encoding="utf-8") as lines:
            last = json.loads(lines.readlines()[-1])
    return last if last["culprit"] else None


def record(name, expected, bot, *more, around=contextlib.nullcontext, disturbing=contextlib.nullcontext):
    """Plays until a turn is late by the fault that it must have, and keeps its record."""
    if sys.argv[1:] and not any(part in name for part in sys.argv[1:]):
        return
    for _ in range(ATTEMPTS):
        with around():
            turn = late_turn(bot, *more, disturbing=disturbing)
        if turn and turn["culprit"] == expected:
            with open(f"{FOLDER}/{name}.json", "w", encoding="utf-8") as file:
                json.dump(turn, file, separators=(",", ":"))
            print(name, flush=True)
            return
    print(f"{name}: no late turn by the fault of the {expected} in {ATTEMPTS} games", flush=True)


def stopping(whose):
    """Stops a bot from outside, or it and its referee, now and then."""
    def disturbing(game):
        def send(number):
            found = blame.below(game.pid)
            # The launcher and the keeper stand between the referee and the bot.
            for pid in found[3:] if whose == "bot" else found:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)

        return blame.now_and_then(lambda: send(signal.SIGSTOP), lambda: send(signal.SIGCONT))

    return disturbing


def file_name(bot):
    """A name for the file of an ordinary bot."""
    kept = "".join(letter if letter.isalnum() else " " for letter in bot.replace("`", ""))
    return "-".join(kept.lower().split())


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for at, trick in enumerate(blame.TRICKS):
        for method in (METHODS[at % 3], METHODS[(at + 1) % 3]):
            record(f"trick-{trick}-{method}", "bot", f"{blame.BOT} {trick} {blame.TRICK_MS}", "--board", "@clearable",
                   "--containment", method)
    core = max(os.sched_getaffinity(0))
    for kind in ("spin", "thread", "child"):
        record(f"wronged-{kind}", "host", f"{blame.BOT} {kind} 20", "--board", "@clearable", "--pin",
               around=lambda: blame.hogs(core, 4))
    for whose in ("bot", "all"):
        record(f"wronged-stopped-{whose}", "host", f"{blame.BOT} spin 30", "--board", "@clearable", "--pin",
               disturbing=stopping(whose))
    with tempfile.TemporaryDirectory() as folder:
        board = f"{folder}/board.txt"
        with open(board, "w", encoding="ascii") as file:
            file.write(ordinary.BOARD)
        for bot, command in ordinary.build(folder).items():
            record(f"ordinary-{file_name(bot)}-beside-hogs", "host", f"{command} {ordinary.NEEDED_MS}", "--board", board,
                   around=lambda: ordinary.hogs(3))
            record(f"ordinary-{file_name(bot)}-too-slow", "bot", f"{command} {ordinary.TOO_MUCH_MS}", "--board", board)


if __name__ == "__main__":
    main()
