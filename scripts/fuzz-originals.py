#!/usr/bin/env python3
"""Plays games of odd bots in `referee` and in the original, and compares what both say.

`samegame` sends replies that are legal, odd or wrong to the SDK's referee, and has a bot give the same
replies to `referee play`. `square-remover` runs `referee tester` and the original tester with the same
arguments and answers. Replies that are deliberately treated otherwise (docs/guide/src/faithful.md) are
not made.

The originals are in the folder that REFEREE_JUDGES names, for those who have built them: the jars of the
SDK's referee in samegame, the tester's jar in square-remover. Without them each game is played twice
instead, and must come out the same, also in `referee replay`.
"""

import argparse
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIDE = 15
DIGITS = "0٠۰०০０"  # zeros of scripts that Java reads
BLANKS = [" ", "  ", "\t", "\x0b", "\f", " \t "]
HEADER = re.compile(r"\[\[(.+)\] ?(\d+)\]")
JAVA = ["java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Dfile.encoding=UTF-8", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog"]


def jars(game):
    """The jars of an original."""
    folder = os.environ.get("REFEREE_JUDGES")
    return sorted(map(str, Path(folder, game).resolve().glob("*.jar"))) if folder else []


class Samegame:
    """Replies for SameGame, and the SDK's referee."""

    def __init__(self, options):
        self.options = options
        path = jars("samegame")
        self.original = path and [*JAVA, "-Dgame.mode=solo", "-cp", ":".join(path),
                                  "com.codingame.gameengine.core.RefereeMain"]

    def round(self, rng, folder):
        board = random_board(rng)
        if self.original:
            replies, expected = ask_the_sdk(self.original, board, rng)
        else:
            replies, expected = [odd_reply(rng, board) for _ in range(8)], None
        Path(folder, "board.txt").write_text("\n".join(" ".join(map(str, row)) for row in board))
        script = [step for reply in replies for step in (["read", SIDE], ["write", list(reply + b"\n")])]
        Path(folder, "script.json").write_text(json.dumps(script))
        play = [self.options.referee, "play", "--format", "json", "--board", "board.txt", "--log", "log", "--first-turn",
                "60s", "--turn", "60s", "--bot", "@script script.json"]
        here = [summary(run(play, folder)) for _ in range(1 if expected else 2)]
        replayed = run([self.options.referee, "replay", "log"], folder)
        if replayed.returncode:
            raise Differs(f"the log does not replay: {replayed.stdout}")
        compare(expected or here[1], here[0], replies)


def summary(output):
    result = json.loads(output.stdout)
    return result["summary"], result["metadata"]["Score"]


def random_board(rng):
    colors = rng.choice([1, 2, 2, 3, 5])
    cells = [*range(colors), *([-1] if rng.random() < 0.2 else [])]
    return [[rng.choice(cells) for _ in range(SIDE)] for _ in range(SIDE)]


def ask_the_sdk(command, board, rng):
    """Plays a game of up to 12 replies; the replies, and the summary and score of the original."""
    judge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    rows = [" ".join(map(str, row)) for row in board]
    send(judge, f"[[INIT] {SIDE + 1}]", "1", *rows)
    replies, lines, last = [], [], rng.randrange(1, 13)
    while True:
        send(judge, "[[GET_GAME_INFO] 0]")
        blocks = read_turn(judge.stdout)
        lines += [line for name, block in blocks if name == "INFOS" for line in block]
        found = dict(blocks)
        if "METADATA" in found:
            judge.kill()
            judge.wait()
            judge.stdout.close()
            with contextlib.suppress(BrokenPipeError):
                judge.stdin.close()
            return replies, (lines, json.loads("".join(found["METADATA"]))["Score"])
        if found["NEXT_PLAYER_INFO"][1] == "0":
            send(judge, "[[SET_PLAYER_OUTPUT] 0]")
        elif len(replies) == last:
            send(judge, "[[SET_PLAYER_TIMEOUT] 0]")
        else:
            now = [[int(tile) for tile in row.split()] for row in found["NEXT_PLAYER_INPUT"]]
            replies.append(odd_reply(rng, now))
            send(judge, "[[SET_PLAYER_OUTPUT] 1]", replies[-1])


def send(judge, *lines):
    """Sends lines. A judge that has ended does not read them; what it said before is still there."""
    with contextlib.suppress(BrokenPipeError):
        judge.stdin.write(b"".join(line.encode() + b"\n" if isinstance(line, str) else line + b"\n" for line in lines))
        judge.stdin.flush()


def read_turn(stream):
    """The blocks up to the question to a player, or to the end of the game."""
    blocks = []
    while not blocks or blocks[-1][0] not in ("NEXT_PLAYER_INFO", "SCORES"):
        line = stream.readline()
        header = HEADER.fullmatch(line.decode().strip())
        if header is None:
            raise Differs(f"the original says {line!r}")
        blocks.append((header[1], [stream.readline().decode().rstrip("\n") for _ in range(int(header[2]))]))
        if blocks[-1][0] == "FAIL":
            raise Differs(f"the original failed: {blocks[-1][1]}")
    return blocks


def odd_reply(rng, board):
    """A line, mostly a legal move in odd clothes."""
    legal = [(x, y) for y in range(SIDE) for x in range(SIDE) if has_neighbour(board, x, y)]
    x, y = rng.choice(legal) if legal and rng.random() < 0.9 else (rng.randrange(-1, 17), rng.randrange(-1, 17))
    if rng.random() < 0.05:
        return rng.choice([b"", b" ", b"1", b"x y", b"1,2", b"0x1 1", b"+-1 0", b"2147483648 0", "\u00a01 2".encode(), b"\xff 0"])
    text = rng.choice(["", " ", "\t", "\x00"]) + odd_number(rng, x) + rng.choice(BLANKS) + odd_number(rng, y)
    message = b"".join(rng.choice([b"a", b"b c", b"\\n", "é".encode(), "😀".encode(), b"\xff", b"\xed\xa0\x80", b"\xe2\x82", b" "])
                       for _ in range(rng.randrange(25) if rng.random() < 0.6 else 0))
    # A message of only line breaks is treated differently.
    return text.encode() + (b" m" + message if message else rng.choice([b"", b" ", b"\x0c"]))


def odd_number(rng, number):
    if rng.random() < 0.6:
        return str(number)
    zero = ord(rng.choice(DIGITS))
    digits = "".join(chr(zero + int(digit)) for digit in str(abs(number)).zfill(rng.randrange(1, 40)))
    return ("-" if number < 0 else rng.choice(["", "+"])) + digits


def has_neighbour(board, x, y):
    tile = lambda x, y: board[SIDE - 1 - y][x] if 0 <= x < SIDE and 0 <= y < SIDE else -1
    neighbours = [tile(x + 1, y), tile(x - 1, y), tile(x, y + 1), tile(x, y - 1)]
    return tile(x, y) >= 0 and tile(x, y) in neighbours


class SquareRemover:
    """Answers and arguments for Square Remover, and the original tester."""

    def __init__(self, options):
        self.options = options
        path = jars("square-remover")
        self.original = path and [*JAVA, "-jar", path[0]]

    def round(self, rng, folder):
        Path(folder, "answer").write_bytes(odd_answer(rng))
        Path(folder, "bot.sh").write_text("exec cat answer\n")
        args = odd_arguments(rng)
        here = run([self.options.referee, "tester", *args], folder)
        other = run([*(self.original or [self.options.referee, "tester"]), *args], folder)
        compare((other.stdout, other.returncode), (here.stdout, here.returncode), args)


def odd_arguments(rng):
    seed = rng.choice([rng.randrange(1, 2000), -rng.randrange(1, 2**63), rng.randrange(1, 2**63)])
    blank = rng.choice(BLANKS[:3] + ["\f", "\n", "\r"])
    command = f"{rng.choice(['', ' '])}sh{blank}bot.sh{rng.choice(['', ' a', blank + chr(34) + 'b c' + chr(34), ' it' + chr(39) + 's', ' # d'])}"
    pairs = [["-novis"], ["-exec", command], ["-seed", odd_number(rng, seed) if rng.random() < 0.3 else str(seed)]]
    pairs += [[word] for word in rng.sample(["foo", "-x", "--novis", "-Seed", "é"], rng.randrange(3))]
    rng.shuffle(pairs)
    if rng.random() < 0.05:
        pairs.append(rng.choice([["-seed", "abc"], ["-seed"], ["-exec"]]))
    if rng.random() < 0.03:
        pairs = [pair for pair in pairs if pair[0] != "-exec"]
    return ["-novis", *(word for pair in pairs for word in pair)]


def odd_answer(rng):
    """30,000 numbers, mostly moves on the board, with up to three faults."""
    inner = range(1, 7)
    numbers = [str(number) for _ in range(10000) for number in (rng.choice(inner), rng.choice(inner), rng.randrange(4))]
    for _ in range(rng.choice([0, 0, 1, 2, 3])):
        at = rng.choice([0, 1, 2, 29999, rng.randrange(30000)])
        numbers[at] = rng.choice(["", " 1", "1 ", "x", "1.0", "+1", "-0", "-1", "99", "4", "0" * 2000 + "1", "９", "2147483648", "\ufeff1"])
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    numbers = numbers[:rng.choice([30000, 30000, 30000, 29999, rng.randrange(30000)])] + rng.choice([[], ["7"]])
    return (end.join(numbers) + rng.choice([end, ""])).encode()


class Differs(Exception):
    pass


def compare(expected, found, what):
    if expected != found:
        raise Differs(f"{what}\n  original: {expected}\n  referee:  {found}")


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="surrogateescape", check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=["samegame", "square-remover"])
    parser.add_argument("--seconds", type=float, default=60, help="how long [default: %(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; each round adds 1 [default: %(default)s]")
    parser.add_argument("--referee", default="target/release/referee", help="the program [default: %(default)s]")
    options = parser.parse_args()
    options.referee = str(Path(options.referee).resolve())
    fuzzer = (Samegame if options.game == "samegame" else SquareRemover)(options)
    if not fuzzer.original:
        print("the original is missing: each game is played twice here", file=sys.stderr)
    until, seed, wrong = time.monotonic() + options.seconds, options.seed, 0
    while time.monotonic() < until:
        with tempfile.TemporaryDirectory() as folder:
            try:
                fuzzer.round(random.Random(seed), folder)
            except Differs as difference:
                wrong += 1
                print(f"round {seed}: {difference}")
        seed += 1
    print(f"{seed - options.seed} rounds, {wrong} of them differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
