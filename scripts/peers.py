#!/usr/bin/env python3
"""Plays the same games through the referee and through its peers, and prints the times as Markdown.

From the top of the source tree, on an idle machine:

    cargo build --release && python3 scripts/peers.py

A peer that is missing is left out, and named. pahcer (`cargo install pahcer --locked`) and psytester (`pip install
psytester`) are taken from PATH. The originals come from you: --tester names the jar of Square Remover's offline
tester, and --runner adds SameGame, played in CodinGame's runner. All play the same cases with the
same bot and without time limits; the script fails if a score differs anywhere.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True  # The next line leaves nothing next to the scripts.

import host  # noqa: E402

# Commands name the referee without its path, since the original tester splits them at blanks.
ENVIRONMENT = dict(os.environ, PATH=f"{os.path.abspath('target/release')}:{os.environ['PATH']}", NO_COLOR="1")
JOBS = (1, 2)
SEED = "{SEED}"  # pahcer's word for it


def run(words, folder="."):
    """A command's standard output and standard error; if it fails, so does the script."""
    done = subprocess.run(words, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


class Loop:
    """One process after another, or two at a time: the core of every harness."""

    name, version, missing = "a loop", None, None

    def play(self, player, games, jobs, folder):
        def score(seed):
            output, _ = run([word.replace(SEED, str(seed)) for word in player.words], folder)
            found = re.search(f"(?m)^{player.score}$", output)
            return int(found["score"]) if found else None

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(score, range(1, games + 1)))


class Pahcer:
    name, version = "pahcer", None

    def __init__(self):
        self.missing = None if shutil.which("pahcer") else "no `pahcer` in PATH"
        if not self.missing:
            self.version = run(["pahcer", "--version"])[0].strip()

    def play(self, player, games, jobs, folder):
        pattern = f"(?m)^{player.score}$"
        # A string of JSON is one of TOML, too.
        settings = f"""
            general = {{ version = {json.dumps(self.version.split()[1])} }}
            problem = {{ problem_name = "peers", objective = "Max", score_regex = {json.dumps(pattern)} }}
            [test]
            start_seed = 1
            end_seed = {games + 1}
            threads = {jobs}
            out_dir = "pahcer"
            compile_steps = []
            [[test.test_steps]]
            program = {json.dumps(player.words[0])}
            args = {json.dumps(player.words[1:])}
            measure_time = true
        """
        Path(folder, "pahcer_config.toml").write_text(settings)
        output, _ = run(["pahcer", "run", "--json"], folder)
        cases = [json.loads(line) for line in output.splitlines()]
        return [case["score"] for case in sorted(cases, key=lambda case: case["seed"])]


class Psytester:
    name, version = "psytester", None

    def __init__(self):
        self.missing = None if shutil.which("psytester") else "no `psytester` in PATH"
        if self.missing:
            return
        with tempfile.TemporaryDirectory() as folder:
            run(["psytester", "config", "--load", "topcoder"], folder)
            self.settings = Path(folder, "tester.cfg").read_text()
        self.version = "psytester " + re.search(r"(?m)^version = (.*)$", self.settings)[1]

    def play(self, player, games, jobs, folder):
        output = "%OUTPUT_DIR%/%SEED%.out"
        command = shlex.join(player.words).replace(SEED, "%SEED%")
        settings = self.settings
        for name, value in (("cmd_tester", f"{command} > {output}"), ("output_files", output),
                            ("extraction_regex_1", f"^{player.score}$")):
            line = f"{name} = {value}"
            settings = re.sub(f"(?m)^{name} =.*$", lambda _: line, settings)
        Path(folder, "tester.cfg").write_text(settings)
        run(["psytester", "run", "-t", f"1-{games}", "-m", str(jobs), "peers"], folder)
        cases = [json.loads(line) for line in Path(folder, "peers.res").read_text().splitlines()]
        return [case.get("score") for case in sorted(cases, key=lambda case: case["id"])]


class Suite:
    """The referee's own harness. Its player is a part of it, of which only the words are used, or a tester."""

    version, missing = None, None  # The page's date stands for the version.

    def __init__(self, *options):
        self.name = f"`{' '.join(['referee suite', *options])}`"
        self.options = options

    def play(self, player, games, jobs, folder):
        words = player.words
        if player.bot:
            command = shlex.join(words).replace(shlex.quote(player.bot), "{bot}").replace(SEED, "{seed}")
            game = f'[game.peers]\nkind = "tester"\ncommand = {json.dumps(command)}\n'
            Path(folder, "referee.toml").write_text(game)
            words = ["--game", "peers", "--bot", player.bot, "--profile", "unlimited"]
        run(["referee", "suite", *words, "--seed", f"1..{games}", "--jobs", str(jobs), "--run", "run", *self.options], folder)
        lines = [json.loads(line) for line in Path(folder, "run/results.jsonl").read_text().splitlines()]
        return [line["score"] for line in sorted(lines, key=lambda line: line["game"])]


class Player:
    """A program that plays a game, where SEED among its words stands for the seed; `score` describes a whole line of
    its output. A tester starts the command `bot`, which is one of its words."""

    def __init__(self, name, words, score=None, version=None, missing=None, bot=None):
        self.name, self.words, self.score, self.version = name, words, score, version
        self.missing, self.bot = missing, bot


def original(name, words, score, missing, bot=None):
    """A program in Java, if the user has it."""
    if not missing and not shutil.which("java"):
        missing = "no `java` in PATH"
    version = None if missing else "Java " + re.search(r'"(.*?)"', run(["java", "-version"])[1])[1]
    return Player(name, words, score, version, missing, bot)


def square_remover(options):
    """The players of a game, and the suite's arguments for it."""
    score = r"\s*Score\s*=\s*(?P<score>\d+)\s*"
    bot = "referee bot squares-random"
    arguments = ["-exec", bot, "-seed", SEED, "-novis"]
    rules = ["--game", "square-remover", "--bot", bot, "--profile", "unlimited"]
    missing = None if options.tester else "--tester is not given"
    return [original("the original tester", ["java", "-jar", options.tester, *arguments], score, missing, bot),
            Player("`referee tester`", ["referee", "tester", *arguments], score, bot=bot)], rules


def plain(folder):
    """As above, for a tester in C that starts its bot without any containment, and has as many exchanges as its seed says."""
    missing = None if shutil.which("cc") else "no `cc` in PATH"
    tester, bot = f"{folder}/tester", f"{folder}/bot"
    if not missing:
        run(["cc", "-O2", "-o", tester, "referee/benches/costs/doubles.c"])
        os.link(tester, bot)  # Without arguments it is the bot.
    return [Player("`doubles.c`", [tester, SEED, bot], r"Score = (?P<score>\d+)", missing=missing, bot=bot)], None


def samegame(options, boards):
    """As above, for the other game; `boards` has its boards as files."""
    bot = "referee bot random"
    places = {"{bot}": bot, "{board}": f"{boards}/seed-{SEED}.txt"}
    words = [re.sub(r"\{bot\}|\{board\}", lambda place: places[place[0]], word)
             for word in shlex.split(options.runner)]
    rules = ["--game", "samegame", "--bot", bot, "--profile", "unlimited"]
    play = ["referee", "play", *rules, "--seed", SEED]
    return [original("the original runner", words, r".*Obtained a score of (?P<score>\d+).*", None),
            Player("`referee play`", play, r"\s*score\s+(?P<score>\d+)\s*")], rules


class Row:
    """A harness with a player, and the seconds that it took for each number of jobs."""

    def __init__(self, harness, player):
        self.harness, self.player = harness, player
        parts = [part for part in (harness, player) if part.name]
        self.name = " with ".join(part.name for part in parts)
        self.versions = [part.version for part in parts if part.version]
        self.missing = harness.missing or player.missing
        self.seconds = {jobs: [] for jobs in JOBS}
        self.scores = None

    def measure(self, games, jobs):
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            self.scores = self.harness.play(self.player, games, jobs, folder)
            self.seconds[jobs].append(time.monotonic() - start)
        print(f"{self.name}, {jobs} at a time: {self.seconds[jobs][-1]:.2f} s", file=sys.stderr, flush=True)

    def line(self):
        cells = [self.name, *(f"{statistics.median(taken):.2f}" for taken in self.seconds.values())]
        return "| " + " | ".join(cells) + " |"


def table(harnesses, players, suite_words, games, rounds):
    """Plays in turn, so that a slow moment of the machine affects all alike."""
    all_rows = [Row(harness, player) for player in players for harness in harnesses]
    suites = [Suite(), Suite("--config", "containment=plain")]
    all_rows += [Row(suite, player) for player in players if player.bot for suite in suites]
    if suite_words:
        all_rows.append(Row(Suite(), Player(None, suite_words)))
    played = [row for row in all_rows if not row.missing]
    for _ in range(rounds):
        for row in played:
            for jobs in JOBS:
                row.measure(games, jobs)
                if None in row.scores:
                    sys.exit(f"{row.name}: no score in its output for seed {row.scores.index(None) + 1}")
                if row.scores != played[0].scores:
                    sys.exit(f"{row.name} and {played[0].name} differ:\n{row.scores}\n{played[0].scores}")
    yield "| what plays | one at a time | two at a time |"
    yield "|---|---|---|"
    yield from (row.line() for row in played)
    if played:
        versions = dict.fromkeys(version for row in played for version in row.versions)
        yield ""
        yield "; ".join([f"Mean score {statistics.mean(played[0].scores):.1f}", *versions]) + "."
    parts = {part.name: part.missing for row in all_rows for part in (row.harness, row.player) if part.missing}
    if parts:
        yield ""
        yield "Left out: " + "; ".join(f"{name} ({reason})" for name, reason in parts.items()) + "."


def section(options):
    """The lines of the report."""
    games, rounds = options.cases, options.rounds
    harnesses = [Loop(), Pahcer(), Psytester()]
    runs = f"the median of {rounds} alternating runs" if rounds > 1 else "one run"
    yield f"Measured by `scripts/peers.py`: seconds for {games} games, {runs}. All programs play the same cases with the same bot,"
    yield "without time limits, and get the same scores. A loop only starts a process for each game."
    yield ""
    yield f"### Square Remover, seeds 1 to {games}, `squares-random`"
    yield ""
    yield from table(harnesses, *square_remover(options), games, rounds)
    yield ""
    yield f"### A plain tester in C, 1 to {games} exchanges"
    yield ""
    yield "`referee/benches/costs/doubles.c` starts the bot without containment, limits or logs: time beyond the loop's is the harness's cost."
    yield "`referee suite` also times each answer, and contains tester and bot unless the row says `plain`."
    yield ""
    with tempfile.TemporaryDirectory() as folder:
        yield from table(harnesses, *plain(folder), games, rounds)
    if not options.runner:
        return
    yield ""
    yield f"### SameGame, seeds 1 to {games}, `random`"
    yield ""
    with tempfile.TemporaryDirectory() as boards:
        run(["referee", "generate", "--seed", f"1..{games}", "--out", boards])
        yield from table(harnesses, *samegame(options, boards), games, rounds)


def number(text):
    """A whole number above 0."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def file(text):
    """The absolute path of a file, since games are played elsewhere."""
    if not os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return os.path.abspath(text)


def add_options(parser):
    parser.add_argument("--cases", type=number, default=60, help="cases of each game, from seed 1 on [default: 60]")
    parser.add_argument("--rounds", type=number, default=5, help="runs of each [default: 5]")
    parser.add_argument("--tester", type=file, metavar="JAR", help="the original offline tester of Square Remover")
    parser.add_argument("--runner", metavar="COMMAND", help="""plays a game of SameGame in CodinGame's runner:
{bot} in it stands for the bot's command line, {board} for a file with the board's 15 rows; it
must print the official summary, with `Obtained a score of N`; it is started in another folder""")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_options(parser)
    options = parser.parse_args()
    print(f"- Machine: {host.machine()}\n")
    for line in section(options):
        print(line, flush=True)


if __name__ == "__main__":
    main()
