#!/usr/bin/env python3
"""Plays the Windows program under Wine: verdicts, kills and resume, locks, splitting, judges.

Needs Wine, MinGW's gcc, and the program for both systems:

    cargo build --package referee --bin referee
    cargo build --package referee --bin referee --target x86_64-pc-windows-gnu
    scripts/windows-tests.py [--program REFEREE.EXE] [PART OF A NAME]...

Bots and a judge are in tests/windows, compiled for both. What a game of the same bot on Linux says, as `--containment plain`, is
expected of Windows word for word, but for times, blame and how crashes are called. A test that fails is made once more, alone, as
scripts/again does: one that then passes is called flaky.

Another program presses Ctrl-C and Ctrl-Break: from a terminal, they would also reach a fork of Wine's that has not started its Windows
program yet, which can hang in Wine's handler and keep the pipes open.
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LINUX = Path(os.environ.get("REFEREE_LINUX", TARGET / "debug" / "referee"))
WINDOWS = TARGET / "x86_64-pc-windows-gnu" / "debug" / "referee.exe"
WINE = TARGET / "wine"
BOUND = 120

# Since 1.78, Rust's library calls this function of a library that Wine 8 lacks.
PRNG = """
#include <stddef.h>
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *data, unsigned long size);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, size_t size) {
    return SystemFunction036(data, (unsigned long)size);
}
"""


def environment():
    return os.environ | {
        "WINEPREFIX": str(WINE / "prefix"),
        "WINEDEBUG": "-all",
        # A crash asks nobody what to do, and nothing asks to install Mono or Gecko.
        "WINEDLLOVERRIDES": "winedbg.exe=d;mscoree=d;mshtml=d",
        "NO_COLOR": "1",
    }


def prepare():
    """Makes what is missing of the prefix, and compiles the bots."""
    WINE.mkdir(parents=True, exist_ok=True)
    library = WINE / "prefix/drive_c/windows/system32/bcryptprimitives.dll"
    if not library.exists():
        run(["wineboot", "--init"])
        source = WINE / "prng.c"
        source.write_text(PRNG)
        gcc = ["x86_64-w64-mingw32-gcc", "-shared", "-O2", "-Wl,--kill-at", "-o", str(library), str(source), "-ladvapi32"]
        run(gcc, check=True)
    for name in ("fault", "nim", "interrupt"):
        source = ROOT / f"tests/windows/{name}.c"
        run(["x86_64-w64-mingw32-gcc", "-O1", "-w", "-o", WINE / f"{name}.exe", source], check=True)
        if name != "interrupt":
            run(["cc", "-O1", "-w", "-o", WINE / name, source], check=True)


def run(command, check=False, **options):
    # With a terminal, Wine gives the program a console, as it has one on Windows.
    terminal, theirs = pty.openpty()
    options = {"timeout": BOUND, "capture_output": True, "stdin": theirs, "env": environment()} | options
    try:
        done = subprocess.run([str(word) for word in command], **options)
    finally:
        os.close(theirs)
        os.close(terminal)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr.decode(errors='replace')}")
    return done


def words_of(done):
    text = (done.stdout + done.stderr).decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n")


class Place:
    """A folder for a test, in which both programs run."""

    def __init__(self, folder):
        self.folder = folder

    def windows(self, *words, **options):
        return run(["wine", WINDOWS, *words], cwd=self.folder, **options)

    def linux(self, *words, **options):
        return run([LINUX, *words], cwd=self.folder, **options)

    def start(self, *words, **options):
        """Starts the Windows program, and returns at once."""
        command = ["wine", str(WINDOWS), *map(str, words)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(command, cwd=self.folder, env=environment(), start_new_session=True, **(pipes | options))

    def put(self, name, text):
        (self.folder / name).write_text(text)

    def fault(self, system, name="fault"):
        """Puts the bot into the folder, and returns its name there."""
        shutil.copy(WINE / (f"{name}.exe" if system == "windows" else name), self.folder)
        return f"./{name}"


def plain(text):
    """A text without what differs between two games of the same bot."""
    text = re.sub(r"\d[\d,.]*( ?)(ns|µs|ms|s|min|h)\b", "TIME", text)
    text = re.sub(r"\d[\d.]* ?(KiB|MiB|GiB|kB|KB|MB|GB|bytes)", "SIZE", text)
    text = re.sub(r"(TIME)( \(turn \d+\))", r"\1", text)
    # Nothing tells on Windows which other processes had a core, and what is left in the pipe of its input.
    blame = r"; (the (bot|host)'s fault|nobody is known to be at fault[^:;\n]*): [^;\n]*"
    text = re.sub(blame + r"(; (without delays by others|`--on-host-delay|`--profile relaxed)[^;\n]*)?", "; blame", text)
    # Advice that goes with the blame.
    text = re.sub(r"\n *`(--profile relaxed` has longer limits|referee timing` waits for late replies)[^\n]*", "", text)
    text = re.sub(r"; it had not read \S+ of its input|; it had not read \d+ bytes of its input", "", text)
    text = re.sub(r"wrote \d+ bytes too many: .*|wrote SIZE too many: .*", "wrote too much", text)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    # The shell's limits are Linux's, Wine says itself what it does about a crash, and culprits are known on Linux alone.
    other = re.compile("containment by the method plain: root's bot|wine: Unhandled|^overruns")
    return [line.split("; its stack is limited to")[0] for line in lines if not other.search(line)]


# How crashes are called on both systems.
CRASHES = [
    (r"was killed by SIGSEGV", r"crashed with 0xC0000005 (access violation)"),
    (r"was killed by SIGFPE", r"crashed with 0xC0000094 (integer division by zero)"),
    (r"was killed by SIGABRT", r"exited with status 3"),
]

TESTS = []

# Limits that a loaded machine keeps.
LONG = ["--first-turn=20s", "--turn=5s"]


def test(name):
    """Adds a test of this name."""

    def add(function):
        TESTS.append((name, function))
        return function

    return add


def on_both(place, *command):
    """Plays on both systems, and expects the same exit code and words. Returns the words on Windows."""
    (code, linux), (other, windows) = (
        (done.returncode, words_of(done))
        for done in (place.linux(*command, "--containment", "plain"), place.windows(*command))
    )
    assert code == other, f"exit codes {code} and {other}\n{linux}\n{windows}"
    assert "the host's fault" not in windows, windows
    for here, there in CRASHES:
        linux = linux.replace(here, there)
    a, b = plain(linux), plain(windows)
    assert a == b, "on Linux:\n  " + "\n  ".join(a) + "\non Windows:\n  " + "\n  ".join(b)
    return windows


def same_words(name, *fault, flags=()):
    """Adds a test that a bot with this fault gets Linux's verdict, and Linux's words."""

    @test(name)
    def check(place):
        place.fault("linux")
        bot = place.fault("windows")
        on_both(place, "play", "--bot", " ".join([bot, *map(str, fault)]), "--board", "@random-1", *LONG, *flags)


same_words("a bot without fault", "none")
same_words("hang in the first turn", "hang", 1, flags=["--first-turn=1s"])
same_words("hang in a later turn", "hang", 3, flags=["--turn=1s"])
same_words("a late answer", "late", 2, 3000, flags=["--turn=1s"])
same_words("an answer of words", "words", 1)
same_words("an empty line", "empty", 2)
same_words("a move outside of the board", "outside", 1)
same_words("a move that removes nothing", "illegal", 2)
same_words("a line without its end", "partial", 2, flags=["--turn=1s"])
same_words("a line that is too long", "long-line", 2)
same_words("endless lines", "flood", 3)
same_words("much standard error", "stderr", 2, 10000)
same_words("output that is closed", "close", 2)
same_words("no reading", "noread", 1, flags=["--first-turn=1s"])
same_words("exit 0 before an answer", "exit", 1, 0)
same_words("exit 0 in a later turn", "exit", 4, 0)
same_words("exit 5", "exit", 2, 5)
same_words("exit 255", "exit", 1, 255)
same_words("an answer and exit 0", "answer-and-exit", 2, 0)
same_words("an answer and exit 3", "answer-and-exit", 2, 3)
same_words("a crash in the first turn", "crash", 1)
same_words("a crash in a later turn", "crash", 5)
same_words("an abort", "abort", 2)
same_words("a division by zero", "divide", 2)
same_words("a loop that computes for ever", "spin", 2, flags=["--turn=1s"])
same_words("a child, and playing on", "child", 2, "mark-1")
same_words("memory beyond the limit", "memory", 1, 600, flags=["--memory=200MiB"])
same_words("memory within the limit", "memory", 1, 100, flags=["--memory=500MiB"])


def no_program(mark):
    """Waits until no process has this mark on its command line."""
    until = time.monotonic() + 30
    while True:
        lines = [Path(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
        found = []
        for line in lines:
            try:
                content = line.read_bytes()
            except OSError:
                continue
            if mark.encode() in content and b"windows-tests" not in content:
                found.append(content)
        if not found:
            return
        assert time.monotonic() < until, f"still alive: {found}"
        time.sleep(0.1)


for kind in ("child-and-exit", "child-and-crash", "child", "launcher"):

    @test(f"nothing is left after {kind}")
    def leaves_nothing(place, kind=kind):
        mark = f"mark-{kind}-{os.getpid()}"
        place.fault("windows")
        done = words_of(place.windows("play", "--bot", f"./fault {kind} 1 {mark}", "--board", "@random-1", *LONG))
        no_program(mark)
        expected = {"child-and-exit": "exit", "child-and-crash": "crash", "child": "score", "launcher": "score"}[kind]
        assert expected in done, done


SPLIT = [
    ("a name without its ending", r"./fault argument 1 x", "x"),
    ("a name with its ending", r"./fault.exe argument 1 x", "x"),
    ("backslashes", r".\fault.exe argument 1 a\b\c", r"a\b\c"),
    ("double quotes", r'"./fault.exe" argument 1 "a b"', "a b"),
    ("single quotes", r"'./fault.exe' argument 1 'a b'", "a b"),
    ("a quote in a word", r"./fault argument 1 it's", "it's"),
    ("an escaped quote", r'./fault argument 1 "say \"hi\""', 'say "hi"'),
    ("a backslash at the end", r"./fault argument 1 c:\x" + "\\", r"c:\x" + "\\"),
    ("umlauts", "./fault argument 1 äöü", None),
]
for title, line, expected in SPLIT:

    @test(f"splitting: {title}")
    def splits(place, line=line, expected=expected):
        place.fault("windows")
        done = words_of(place.windows("play", "--bot", line, "--board", "@random-1", "--log", "game.jsonl", *LONG))
        assert "score" in done, done
        start, *turns = (json.loads(line) for line in (place.folder / "game.jsonl").read_text().splitlines())
        said = turns[0]["stderr"]
        if expected is not None:
            assert f"argument <{expected}>" in json.dumps(said).encode().decode("unicode_escape").replace("\\\\", "\\") or expected in str(said), said


@test("splitting: a quote that is not closed")
def quote_not_closed(place):
    done = place.windows("play", "--bot", '"./fault x')
    assert done.returncode == 2 and "quote is not closed" in words_of(done), words_of(done)


@test("a path with blanks and umlauts")
def path_with_blanks(place):
    folder = place.folder / "meine Bots ä"
    folder.mkdir()
    shutil.copy(WINE / "fault.exe", folder / "böt.exe")
    done = words_of(place.windows("play", "--bot", '"meine Bots ä\\böt.exe" none', "--board", "@random-1", *LONG))
    assert "Endgame" in done, done


@test("a program that is missing is refused")
def missing_program(place):
    done = place.windows("play", "--bot", "./nothing")
    assert done.returncode == 2 and "no such file" in words_of(done), words_of(done)


@test("a program in this folder is not found by its bare name")
def bare_name(place):
    place.fault("windows")
    done = place.windows("play", "--bot", "fault none")
    assert done.returncode == 2 and "./fault" in words_of(done), words_of(done)


@test("a script names what runs it")
def script(place):
    place.put("bot.py", "print(1)\n")
    done = place.windows("play", "--bot", "./bot.py")
    assert done.returncode == 2 and "python" in words_of(done), words_of(done)


for flags in (["--sandbox"], ["--containment", "namespace"], ["--containment", "seccomp"]):

    @test(f"{' '.join(flags)} is refused, with what to do")
    def refused(place, flags=flags):
        done = place.windows("play", "--bot", "@greedy", *flags)
        assert done.returncode == 2 and "WSL 2" in words_of(done), words_of(done)


@test("the bundled bots play")
def bundled(place):
    for bot in ("@greedy", "@random --seed 3"):
        assert "Endgame" in words_of(place.windows("play", "--bot", bot, "--board", "@random-1", *LONG)), bot
    done = place.windows("play", "--game", "square-remover", "--bot", "@squares-greedy", "--profile", "relaxed", "--seed", "1")
    assert done.returncode == 0, words_of(done)


@test("replay judges a log again")
def replay(place):
    place.windows("play", "--bot", "@greedy", "--board", "@random-1", "--log", "game.jsonl", *LONG)
    here, there = (words_of(run("game.jsonl")) for run in (lambda it: place.linux("replay", it), lambda it: place.windows("replay", it)))
    assert "Endgame" in here and plain(here) == plain(there), here + there


@test("the page of a game")
def page(place):
    done = place.windows("play", "--bot", "@greedy", "--board", "@random-1", "--html", "game.html", *LONG)
    assert (place.folder / "game.html").read_text().startswith("<!"), words_of(done)


@test("the log of a game that is being played is locked")
def locked_log(place):
    place.fault("windows")
    game = place.start("play", "--bot", "./fault hang 2", "--board", "@random-1", "--turn=20s", "--log", "game.jsonl")
    try:
        wait_for(lambda: (place.folder / "game.jsonl").exists() and (place.folder / "game.jsonl").stat().st_size > 0)
        done = place.windows("play", "--bot", "@greedy", "--board", "@random-1", "--log", "game.jsonl", *LONG)
        assert done.returncode == 2 and "another game is writing" in words_of(done), words_of(done)
        assert place.windows("replay", "game.jsonl").stdout
    finally:
        end(game)


def wait_for(condition, bound=60):
    until = time.monotonic() + bound
    while not condition():
        assert time.monotonic() < until, "it does not come"
        time.sleep(0.05)


def processes_of(command):
    """The numbers of the processes of a session."""
    found = []
    for pid in os.listdir("/proc"):
        try:
            if pid.isdigit() and os.getsid(int(pid)) == command.pid:
                found.append(int(pid))
        except OSError:
            pass
    return found


def end(command):
    """Kills the Windows program itself, as the task manager would; Wine's own processes stay."""
    for pid in processes_of(command):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    # Its output ends later, or never: a console of Wine's that was just starting holds it.
    command.wait(BOUND)
    command.stdout.close()
    command.stderr.close()


def lines_of(file):
    return file.read_text().splitlines() if file.exists() else []


def suite_of(games):
    return ["suite", "--bot", "./fault none", "--seed", f"1..{games}", "--run", "run", "--jobs", "2", *LONG]


@test("a suite that is killed loses nothing, and is resumed")
def kill_and_resume(place):
    place.fault("windows")
    results = place.folder / "run" / "results.jsonl"
    suite = place.start(*suite_of(100))
    try:
        wait_for(lambda: len(lines_of(results)) >= 5)
    finally:
        end(suite)
    before = [line for line in results.read_text().split("\n")[:-1]]
    assert 5 <= len(before) < 100, len(before)
    done = place.windows("resume", "run", "--jobs", "2")
    assert done.returncode == 0, words_of(done)
    after = lines_of(results)
    games = [json.loads(line)["game"] for line in after]
    assert sorted(games) == list(range(1, 101)) and after[: len(before)] == before, games
    done = place.linux("status", "run")
    assert "100 of 100" in words_of(done), words_of(done)


for key, name in (("c", "Ctrl-C"), ("break", "Ctrl-Break")):

    @test(f"{name} ends a suite, which is resumed")
    def interrupted_suite(place, key=key):
        place.fault("windows")
        results = place.folder / "run/results.jsonl"
        done = run(["wine", WINE / "interrupt.exe", key, "run/results.jsonl", "3", WINDOWS, *suite_of(40)], cwd=place.folder)
        before = lines_of(results)
        assert done.returncode == 3 and "referee resume run" in words_of(done), words_of(done)
        assert 3 <= len(before) < 40, before
        done = place.windows("resume", "run", "--jobs", "2")
        after = lines_of(results)
        assert len(after) == 40 and after[: len(before)] == before, words_of(done)
        # It has reached no bot.
        assert {json.loads(line)["verdict"] for line in after} == {"completed"}, after

    @test(f"{name} ends a game whose bot hangs")
    def interrupted_game(place, key=key):
        mark = f"mark-{key}-{os.getpid()}"
        place.fault("windows")
        # Ctrl-Break reaches the bot too, and ends it before the referee.
        fault = {"c": "hang", "break": "broken"}[key]
        game = ["play", "--bot", f"./fault {fault} 2 {mark}", "--board", "@random-1", "--turn=100s", "--log", "game.jsonl"]
        done = run(["wine", WINE / "interrupt.exe", key, "game.jsonl", "2", WINDOWS, *game], cwd=place.folder)
        assert done.returncode == 3 and "interrupted" in words_of(done), words_of(done)
        no_program(mark)


@test("a run that is being played is read, and played by nobody else")
def run_in_use(place):
    place.fault("windows")
    results = place.folder / "run" / "results.jsonl"
    suite = place.start(*suite_of(400))
    try:
        wait_for(lambda: len(lines_of(results)) >= 3)
        for command in (["status", "run"], ["report", "--html", "run.html", "run"], ["show", "run"]):
            done = place.windows(*command)
            assert done.returncode in (0, 1) and "error" not in words_of(done), f"{command}: {words_of(done)}"
        done = place.windows("resume", "run")
        assert done.returncode == 2 and "another process is playing" in words_of(done), words_of(done)
    finally:
        end(suite)


@test("a run of Windows is read on Linux, and one of Linux on Windows")
def across(place):
    place.fault("windows")
    place.fault("linux")
    bot = "./fault none"
    place.windows("suite", "--bot", bot, "--seed", "1..4", "--run", "w", *LONG, check=True)
    place.linux("suite", "--bot", bot, "--seed", "1..4", "--run", "l", *LONG, check=True)
    scores = lambda run: [json.loads(line)["score"] for line in sorted(lines_of(place.folder / run / "results.jsonl"))]
    assert sorted(scores("w")) == sorted(scores("l")), (scores("w"), scores("l"))
    for program in (place.windows, place.linux):
        done = program("compare", "w", "l")
        assert done.returncode == 0 and "4 boards" in words_of(done).replace("4 of 4", "4 boards"), words_of(done)


@test("a lost game is kept with a log that plays it again")
def again(place):
    place.fault("windows")
    place.windows("suite", "--bot", "'./fault' exit 2 5 'R&D (x) 50% > \"y\" ^'", "--seed", "1..2", "--run", "run", *LONG)
    done = place.windows("play", "--again", "run:1")
    assert done.returncode == 0 and "as in the log" in words_of(done), words_of(done)


@test("records are kept")
def records(place):
    # Only games within the official limits count, and this game has long ones.
    for number in range(2):
        words = ["--game", "square-remover", "--bot", "@squares-greedy", "--seed", "1..2", "--records", "records.toml"]
        done = place.windows("suite", *words, "--run", f"run{number}")
        assert done.returncode == 0, words_of(done)
    assert "record_id" in (place.folder / "records.toml").read_text()


@test("a judge that is a program plays its game")
def judge(place):
    source = place.folder / "judge.c"
    source.write_text(JUDGE)
    run(["x86_64-w64-mingw32-gcc", "-o", str(place.folder / "judge.exe"), str(source)], check=True)
    place.put("referee.toml", '[game.sum]\nkind = "judge"\ncommand = "./judge.exe"\n')
    place.put("bot.c", '#include <stdio.h>\nint main(void){int a,b;while(scanf("%d %d",&a,&b)==2){printf("%d\\n",a+b);fflush(stdout);}}\n')
    run(["x86_64-w64-mingw32-gcc", "-o", str(place.folder / "bot.exe"), str(place.folder / "bot.c")], check=True)
    done = place.windows("play", "--game", "sum", "--bot", "./bot", "--seed", "1", *LONG)
    assert "7" in words_of(done) and done.returncode == 0, words_of(done)


JUDGE = r"""
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    puts("{\"ask\":\"3 4\\n\"}");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) return 1;
    puts(strstr(line, "7") ? "{\"end\":\"completed\",\"score\":7}" : "{\"end\":\"lost\",\"score\":0}");
    fflush(stdout);
}
"""


def seats(place, *bots, heap=6):
    """The words of a game of several players by these bots."""
    for system in ("linux", "windows"):
        place.fault(system, "nim")
    place.put("referee.toml", f'[game.nim]\nkind = "judge"\ncommand = "./nim judge {heap}"\nplayers = 2\n')
    flags = [word for bot in bots for word in ("--bot", f"./nim {bot}")]
    return ["play", "--game", "nim", "--seed", "7", *flags, *LONG]


for bots in (("one", "one"), ("quits", "one"), ("one", "cheats")):

    @test(f"two players: {' and '.join(bots)}")
    def two_players(place, bots=bots):
        assert "seat 1" in on_both(place, *seats(place, *bots))


@test("two players: a bot and its child do not compute while the other is asked")
def paused(place):
    found = {}
    for flag in ((), ("--ponder",)):
        command = seats(place, f"ticks ticks{len(flag)}", "slow")
        done = place.windows(*command, *flag, "--log", "game.jsonl")
        assert done.returncode == 0, words_of(done)
        turns = [line for line in lines_of(place.folder / "game.jsonl") if '"ticks ' in line]
        found[flag] = [int(re.search(r'"ticks (\d+)', line).group(1)) for line in turns][1:]
    paused, pondering = found.values()
    assert len(paused) == len(pondering) == 2, found
    # A second has at most 100 ticks. Some come before the pause and after it.
    assert max(paused) < min(pondering) / 2 and min(pondering) > 20, found


@test("two players: a suite that rates its bots")
def rated(place):
    command = seats(place, "one", "other")
    done = place.windows("suite", "--run", "run", *command[1:4], "1..4", *command[5:])
    assert done.returncode == 0, words_of(done)
    done = place.windows("ratings", "run")
    assert done.returncode == 0 and "Elo" in words_of(done), words_of(done)


@test("a tester that starts the bot is refused, with what to do")
def tester(place):
    place.fault("windows")
    place.put("referee.toml", '[game.t]\nkind = "tester"\ncommand = "./fault.exe {bot} {seed}"\n')
    done = words_of(place.windows("play", "--game", "t", "--bot", "./fault none", "--seed", "1"))
    assert "WSL 2" in done, done


@test("init and new begin a project")
def project(place):
    assert place.windows("init").returncode == 0
    done = place.windows("new", "mybot", "--lang", "c")
    assert done.returncode == 0 and "gcc" in (place.folder / "referee.toml").read_text(), words_of(done)


PAHCER = """
[problem]
problem_name = "sum"
objective = "Max"

[[test.compile_steps]]
program = "g++"
args = ["-O2", "-o", "a.exe", "main.cpp"]

[[test.test_steps]]
program = "%s"
"""

SCORER = r"""
#include <stdio.h>
int main(int count, char **words) {
    int answer;
    FILE *file = fopen(words[2], "r");
    if (!file || fscanf(file, "%d", &answer) != 1) return 1;
    printf("Score = %d\n", answer);
}
"""


@test("init --ahc reads the settings of pahcer, and its contest is played")
def contest(place):
    (place.folder / "tools/target/release").mkdir(parents=True)
    (place.folder / "tools/in").mkdir()
    place.put("tools/in/0003.txt", "1\n")
    for name, source in (("tools/target/release/vis", SCORER), ("a", '#include <stdio.h>\nint main(void) { puts("8"); }\n')):
        place.put("source.c", source)
        run(["x86_64-w64-mingw32-gcc", "-o", place.folder / f"{name}.exe", place.folder / "source.c"], check=True)
    interactive = 'cargo"\nargs = ["run", "--bin", "tester", "--release", "py", "../main.py"]\ncurrent_dir = "./tools'
    for step, command, judge in ((interactive, "py ./main.py", "tester {bot}"), ("./a.exe", "./a.exe", "vis.exe {case} {answer}")):
        place.put("pahcer_config.toml", PAHCER % step)
        (place.folder / "referee.toml").unlink(missing_ok=True)
        done = place.windows("init", "--ahc", ".")
        settings = (place.folder / "referee.toml").read_text()
        assert done.returncode == 0 and f'command = "{command}"' in settings, words_of(done) + settings
        assert 'build = "g++ -O2 -o a.exe main.cpp"' in settings and judge in settings, settings
    done = place.windows("suite", "--bot", "./a.exe", "--format", "json")
    assert '"sum":8,' in words_of(done), words_of(done)


@test("doctor names what this system does not offer")
def doctor(place):
    done = words_of(place.windows("doctor"))
    assert "WSL 2" in done and "not enforced on this system" in done and "plain" in done, done


@test("timing measures turns")
def timing(place):
    done = place.windows("timing", "--bot", "@greedy", "--board", "@random-1", "--games", "2", *LONG)
    assert done.returncode == 0, words_of(done)


@test("verify, config, games and completions answer")
def others(place):
    place.windows("suite", "--bot", "@greedy", "--seed", "1..2", "--run", "run", "--logs", "all", *LONG, check=True)
    for command in (["verify", "run"], ["config"], ["games"], ["completions", "powershell"], ["--version"], ["--help"]):
        done = place.windows(*command)
        assert done.returncode == 0, f"{command}: {words_of(done)}"


@test("a bot does not live longer than a referee that is killed")
def killed_referee(place):
    mark = f"mark-killed-{os.getpid()}"
    place.fault("windows")
    game = place.start("play", "--bot", f"./fault hang 1 {mark}", "--board", "@random-1", "--first-turn=100s")
    try:
        wait_for(lambda: alive(mark) >= 2)
        victims = [pid for pid in processes_of(game) if is_referee(pid)]
        assert victims, processes_of(game)
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        no_program(mark)
    finally:
        end(game)


def alive(mark):
    count = 0
    for pid in os.listdir("/proc"):
        try:
            if pid.isdigit() and mark.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                count += 1
        except OSError:
            pass
    return count


def is_referee(pid):
    return b"referee.exe" in Path(f"/proc/{pid}/cmdline").read_bytes()


def keep_wine():
    """Starts a program that ends with this script. As long as it runs, Wine's server and services stay, which take longer to start than
    most games. Programs that start at the same time as a server starts or ends can wait for it without end, so this waits for both."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    for _ in range(3):
        run(["wineserver", "-k"])
        run(["wineserver", "-w"])
        keeps = subprocess.Popen(["wine", WINE / "fault.exe", "none"], env=environment(), start_new_session=True, **pipes)
        keeps.stdin.write(b"0 " * 225 + b"\n")
        keeps.stdin.flush()
        if select.select([keeps.stdout], [], [], BOUND / 4)[0]:
            run(["wine", WINE / "fault.exe", "none"], check=True, stdin=subprocess.DEVNULL)
            return keeps
        keeps.kill()
        keeps.communicate()
    raise AssertionError("Wine does not start")


def attempt(named):
    """Makes a test in a folder of its own. Returns its error, if any, and the seconds that it took."""
    begun = time.monotonic()
    error = None
    with tempfile.TemporaryDirectory(prefix="referee-windows-") as folder:
        try:
            named[1](Place(Path(folder)))
        except Exception as failure:
            error = failure
    return error, time.monotonic() - begun


def main():
    global WINDOWS
    parts = sys.argv[1:]
    if parts[:1] == ["--program"]:
        WINDOWS, parts = Path(parts[1]).resolve(), parts[2:]
    prepare()
    keeps = keep_wine()
    chosen = [(name, check) for name, check in TESTS if not parts or any(part in name for part in parts)]
    suspects, failed = [], []
    started = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        for test, (error, took) in zip(chosen, pool.map(attempt, chosen)):
            print(f"{'FAILED' if error else 'ok':6} {took:5.1f} s  {test[0]}", flush=True)
            if error:
                suspects.append((test, error))
    for test, error in suspects:
        print(f"\n== {test[0]}\n{type(error).__name__}: {error}")
        error, _ = attempt(test)
        if error:
            failed.append(test)
        print(f"once more, alone: {type(error).__name__}: {error}" if error else f"flaky: {test[0]}")
    keeps.communicate(timeout=BOUND)
    print(f"\n{len(chosen) - len(failed)} of {len(chosen)} passed in {time.monotonic() - started:.0f} s")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
