#!/usr/bin/env python3
"""Measures the referee's blame for late turns of ordinary bots next to programs that want the same cores.

Run it on a machine with two cores or more, from the top of the source tree; bots whose compiler or interpreter is missing are left out:

    cargo build --release && python3 scripts/ordinary.py

It prints a table; scripts/timing-report.py puts it into docs/timing.md. Give names of bots to play only those.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

import blame

#: What a bot computes in each turn, and more than it may.
NEEDED_MS, TOO_MUCH_MS = 25, 60
LATE_TURNS = 40

#: Removing what is at the bottom left takes 105 turns.
COLUMNS = [[(2 * (x % 2)) + min(y // 2, 6) % 2 for y in range(15)] for x in range(15)]
BOARD = "".join(" ".join(str(column[y]) for column in COLUMNS) + "\n" for y in reversed(range(15)))

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
def hogs(count):
    """Processes that want a core each, wherever it is."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            loop = ["setpriv", "--pdeathsig", "KILL", sys.executable, "-c", "while True: pass"]
            process = subprocess.Popen(loop, start_new_session=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def play(command, board, *more):
    """The late turns of games that are the bot's and the host's fault: at least `LATE_TURNS`, or the late turns of five games."""
    bot = host = 0
    for _ in range(5):
        arguments = ["--board", board, "--games", "1", "--format", "json", *blame.RULES, "--bot", command, *more]
        run = subprocess.run([blame.REFEREE, "timing", *arguments], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            sys.exit(run.stderr)
        report = json.loads(run.stdout)
        later = next((turns for turns in report["turns"] if turns["kind"] == "turn"), None)
        if later is None:
            sys.exit(f"{command}: {report['lost']}")
        bot, host = bot + later["bot_overruns"], host + later["host_overruns"]
        if bot + host >= LATE_TURNS:
            break
    return bot, host


def row(name, command, board, loads):
    """A row of the table."""
    cells, holds = [name], True
    for load in loads:
        with load():
            for more in ([], ["--pin"]):
                bot, host = play(f"{command} {NEEDED_MS}", board, *more)
                cells.append(f"{host}/{bot + host}")
                holds &= host >= 0.95 * (bot + host)
    bot, host = play(f"{command} {TOO_MUCH_MS}", board)
    cells.append(f"{bot}/{bot + host}")
    return cells, holds and host == 0


def table(names=()):
    """Late turns that are put on the host, and for a bot that computes for too long on the bot."""
    yield "| bot | two hogs | `--pin` | two compilers | `--pin` | 60 ms: on the bot | as it must be |"
    yield "|---|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        bots = build(folder)
        board = f"{folder}/board.txt"
        with open(board, "w", encoding="ascii") as file:
            file.write(BOARD)
        loads = (lambda: hogs(2)), (lambda: compilers(2, folder))
        for name, command in bots.items():
            if not names or any(asked in name for asked in names):
                yield from blame.rows(lambda: row(name, command, board, loads))


if __name__ == "__main__":
    for line in table(sys.argv[1:]):
        print(line, flush=True)
