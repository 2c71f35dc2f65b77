#!/usr/bin/env python3
"""Measures the referee's blame for late turns of ordinary bots next to programs that want the same cores.

Run it on a machine with two cores or more, from the top of the source tree; bots whose compiler or interpreter is missing are left out:

    cargo build --release && python3 scripts/ordinary.py

It prints a table; docs/timing.md has the sums. Give names of bots to play only those. With REFEREE=PATH
another program is measured.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

REFEREE = os.path.abspath(os.environ.get("REFEREE", "target/release/referee"))
METHODS = ("namespace", "seccomp", "plain")
LIMIT_MS = 50
RULES = ("--first-turn", "20s", "--turn", f"{LIMIT_MS}ms")
#: What a bot computes in each turn, and more than it may.
NEEDED_MS, TOO_MUCH_MS = 25, 60
LATE_TURNS = 40
TURNS = 26

#: Asks each player in turn; every answer will do.
JUDGE = f"""
import json, sys
players = int(sys.argv[1])
input()
for turn in range({TURNS} * players):
    print(json.dumps({{"ask": "0\\n" * 15, "player": turn % players}}), flush=True)
    if "reply" not in json.loads(input()):
        break
print(json.dumps({{"end": "completed", "scores": [1] * players}}), flush=True)
"""

CPP = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <thread>
#include <sys/wait.h>
#include <unistd.h>

static double cpu() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}
static void compute(double seconds) {
    for (double end = cpu() + seconds; cpu() < end;) {}
}
int main(int, char **args) {
    const char *how = args[1];
    double seconds = atof(args[2]) / 1000;
    int ask[2], answer[2];
    char line[200], byte = 0;
    if (!strcmp(how, "helper")) {
        if (pipe(ask) || pipe(answer)) return 1;
        if (!fork()) {
            close(ask[1]);
            while (read(ask[0], &byte, 1) == 1) {
                compute(seconds);
                if (write(answer[1], &byte, 1) != 1) break;
            }
            _exit(0);
        }
    }
    for (int turn = 0; ; turn++) {
        for (int row = 0; row < 15; row++)
            if (!fgets(line, sizeof line, stdin)) return 0;
        if (!turn) {
        } else if (!strcmp(how, "plain")) {
            compute(seconds);
        } else if (!strcmp(how, "thread")) {
            std::thread(compute, seconds).join();
        } else if (!strcmp(how, "async")) {
            std::async(std::launch::async, compute, seconds).get();
        } else if (!strcmp(how, "child")) {
            pid_t child = fork();
            if (!child) compute(seconds), _exit(0);
            waitpid(child, nullptr, 0);
        } else if (write(ask[1], &byte, 1) != 1 || read(answer[0], &byte, 1) != 1) {
            return 1;
        }
        puts("0 0");
        fflush(stdout);
    }
}
"""
PYTHON = """
import sys, threading, time
def compute():
    end = time.thread_time() + float(sys.argv[1]) / 1000
    while time.thread_time() < end:
        pass
for turn in range(1000):
    if not all([sys.stdin.readline() for _ in range(15)]):
        break
    if turn:
        worker = threading.Thread(target=compute)
        worker.start()
        worker.join()
    print("0 0", flush=True)
"""
JAVA = """
import java.io.*;
import java.lang.management.*;
public class Bot {
    public static void main(String[] args) throws IOException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (int turn = 0; ; turn++) {
            for (int row = 0; row < 15; row++) if (in.readLine() == null) return;
            long end = threads.getCurrentThreadCpuTime() + (turn == 0 ? 500 : Long.parseLong(args[0])) * 1_000_000;
            while (threads.getCurrentThreadCpuTime() < end) {}
            System.out.println("0 0");
        }
    }
}
"""
NODE = """
const lines = require('readline').createInterface({input: process.stdin});
const used = () => { const {user, system} = process.cpuUsage(); return (user + system) / 1000; };
let count = 0;
lines.on('line', () => {
    if (++count % 15) return;
    const end = used() + Number(process.argv[2]);
    while (count > 15 && used() < end);
    console.log('0 0');
});
"""
GO = """
package main
import ("bufio"; "fmt"; "os"; "strconv"; "syscall")
func used() int64 {
    var usage syscall.Rusage
    syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
    return usage.Utime.Nano() + usage.Stime.Nano()
}
func main() {
    needed, _ := strconv.ParseInt(os.Args[1], 10, 64)
    in := bufio.NewScanner(os.Stdin)
    for turn := 0; ; turn++ {
        for row := 0; row < 15; row++ { if !in.Scan() { return } }
        for end := used() + needed*1000000; turn > 0 && used() < end; {}
        fmt.Println("0 0")
    }
}
"""


def build(folder):
    """The command of each ordinary bot that can run here, to which its CPU time is added."""
    def write(name, text):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(f"{folder}/{name}", 0o755)
        return f"{folder}/{name}"

    bot, bots = f"{folder}/bot", {}
    subprocess.run(["g++", "-O2", "-pthread", "-o", bot, write("bot.cpp", CPP)], check=True)
    write("wrapper", f'#!/bin/sh\n{bot} plain "$1"\necho ended >&2\n')
    write("piped", f'#!/bin/sh\n{bot} plain "$1" | cat\n')
    bots["started directly"] = f"{bot} plain"
    bots["a shell script without `exec`"] = f"{folder}/wrapper"
    bots["`timeout 1000 bot`"] = f"timeout 1000 {bot} plain"
    bots["`bot \\| cat`"] = f"{folder}/piped"
    bots["a helper over a pipe"] = f"{bot} helper"
    bots["`std::thread`"] = f"{bot} thread"
    bots["`std::async`"] = f"{bot} async"
    bots["a forked child"] = f"{bot} child"
    bots["Python's `Thread`"] = f"python3 {write('bot.py', PYTHON)}"
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", folder, write("Bot.java", JAVA)], check=True)
        bots["Java"] = f"java -XX:-UsePerfData -cp {folder} Bot"
    if shutil.which("node"):
        bots["Node"] = f"node {write('bot.js', NODE)}"
    if shutil.which("go"):
        environment = {**os.environ, "GOCACHE": f"{folder}/go", "GO111MODULE": "off"}
        subprocess.run(["go", "build", "-o", f"{folder}/go-bot", write("bot.go", GO)], check=True, env=environment)
        bots["Go"] = f"{folder}/go-bot"
    return bots


@contextlib.contextmanager
def compilers(count, folder):
    """Compilers that run again and again, in their own sessions. They end with this script, however it ends."""
    loop = ["setpriv", "--pdeathsig", "KILL", "sh", "-c",
            f"while :; do g++ -O2 -pthread -fsyntax-only {folder}/bot.cpp; g++ -O2 -S -o /dev/null {folder}/bot.cpp; done"]
    running = [subprocess.Popen(loop, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            os.killpg(process.pid, 9)
            process.wait()


@contextlib.contextmanager
def hogs(count, core=None):
    """Processes that want a core each, this one or any, in their own sessions, like a bot. They end with this script, however it ends."""
    pin = [] if core is None else ["taskset", "-c", str(core)]
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            loop = ["setpriv", "--pdeathsig", "KILL", *pin, sys.executable, "-c", "while True: pass"]
            process = subprocess.Popen(loop, start_new_session=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def rows(measure):
    """A row by `measure`, which returns its cells and whether they are as promised, and a second one if they are not: a
    virtual machine that stalls for a moment disturbs a row."""
    cells, holds = measure()
    if not holds:
        yield "| " + " | ".join(map(str, cells)) + " | **no**, so once more |"
        cells, holds = measure()
    yield "| " + " | ".join(map(str, cells)) + f" | {'yes' if holds else '**no**'} |"


class Ways:
    """How games are played: by which method, how many at once, and of how many seats."""

    def __init__(self, folder, containment="auto", jobs=1, seats=1, late=LATE_TURNS):
        self.folder, self.jobs, self.late = folder, jobs, late
        self.arguments = ["--game", "ordinary", "--seed", "1", *RULES, "--containment", containment]
        with open(f"{folder}/judge.py", "w", encoding="utf-8") as file:
            file.write(JUDGE)
        with open(f"{folder}/referee.toml", "w", encoding="utf-8") as file:
            file.write(f'[game.ordinary]\nkind = "judge"\ncommand = "{sys.executable} judge.py {seats}"\nplayers = {seats}\n')

    def start(self, command, *more):
        """Starts a game, or any other command of the referee."""
        return subprocess.Popen([REFEREE, *command, *self.arguments, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder)

    def play(self, bot, *more):
        """The late turns that are the bot's and the host's fault: at least `late` of them, or the late turns of five rounds of games."""
        by_bot = by_host = 0
        for _ in range(5):
            games = [self.start(["timing", "--format", "json"], "--bot", bot, *more) for _ in range(self.jobs)]
            for game, (out, problem) in [(game, game.communicate()) for game in games]:
                if game.returncode not in (0, 1):
                    sys.exit(problem)
                report = json.loads(out)
                later = next((turns for turns in report["turns"] if turns["kind"] == "turn"), None)
                if later is None:
                    sys.exit(f"{bot}: {report['lost']}")
                by_bot, by_host = by_bot + later["bot_overruns"], by_host + later["host_overruns"]
            if by_bot + by_host >= self.late:
                break
        return by_bot, by_host


def row(name, command, ways, loads):
    """A row of the table."""
    cells, holds = [name], True
    # Each pinned game has a core of its own.
    pins = [[], ["--pin"]] if ways.jobs <= len(os.sched_getaffinity(0)) else [[]]
    for load in loads:
        with load():
            for pin in pins:
                bot, host = ways.play(f"{command} {NEEDED_MS}", *pin)
                cells.append(f"{host}/{bot + host}")
                holds &= host >= 0.95 * (bot + host)
    bot, host = ways.play(f"{command} {TOO_MUCH_MS}")
    cells.append(f"{bot}/{bot + host}")
    return cells, holds and bot >= 0.95 * (bot + host)


def table(names=(), **how):
    """Late turns that are put on the host, and for a bot that computes for too long on the bot."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        bots, ways = build(folder), Ways(folder, **how)
        loads = (lambda: hogs(2)), (lambda: compilers(2, folder))
        pin = " | `--pin`" if ways.jobs <= len(os.sched_getaffinity(0)) else ""
        columns = f"| bot | two hogs{pin} | two compilers{pin} | {TOO_MUCH_MS} ms: on the bot | as it must be |"
        yield columns
        yield "|---" * (columns.count("|") - 1) + "|"
        for name, command in bots.items():
            if not names or any(asked in name for asked in names):
                yield from rows(lambda: row(name, command, ways, loads))


def main():
    parser = argparse.ArgumentParser(description="Measures the referee's blame for late turns of ordinary bots.")
    parser.add_argument("names", nargs="*", help="parts of names of the bots to play")
    parser.add_argument("--containment", choices=METHODS, default="auto")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="games at once")
    parser.add_argument("--seats", type=int, choices=(1, 2), default=1, help="the bot plays in all of them")
    parser.add_argument("--late", type=int, default=LATE_TURNS, help="late turns to wait for in each cell")
    asked = parser.parse_args()
    for line in table(**vars(asked)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
