#!/usr/bin/env python3
"""Builds the program from nothing, and prints the costs as Markdown.

From the top of the source tree, on an idle machine:

    python3 scripts/build_costs.py

Sources are fetched first, and are not part of the time. It is what a new user's first command waits for.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # The next line leaves nothing next to the scripts.

import host  # noqa: E402

SECONDS, CRATES = 60, 130

# For the crate that others build upon alone, as they do while they write: without optimisation.
ALONE, ALONE_SECONDS = "referee-contain", 15

# Crates below this share of the compiler's time are added up in one line.
SMALL = 0.02

# The purposes of crates; the first one of a group stands for the others.
PURPOSES = {
    "referee": "the program and its library",
    "referee-results": "runs, logs, replays, comparisons",
    "referee-report": "pages and tables",
    "referee-engine": "plays games and suites",
    "referee-contain": "contains and times bots",
    "referee-judges": "outside judges",
    "referee-rules": "the rules of games",
    "referee-statistics": "verdicts of comparisons",
    "referee-example-bots": "the bundled bots",
    "clap clap_complete clap_mangen anstream anstyle": "the command line, its completions and manual pages",
    "syn": "derives",
    "proc-macro2": "the same",
    "quote": "the same",
    "serde serde_json": "files in JSON",
    "serde_core": "what those and `toml` share",
    "toml": "settings, boards and plans",
    "jiff": "durations and time stamps",
    "rustix": "system calls without `unsafe`",
    "libc": "raw calls between a bot's start and its program; most crates of the system need it too",
    "seccompiler": "what a bot in a sandbox cannot call",
    "statrs": "the distributions behind comparisons",
    "hdrhistogram": "percentiles of many times in little memory",
    "sha1 sha2": "digests of boards and bots; Java's generator of Square Remover's cases",
    "flate2": "packed logs, in Rust alone",
    "indicatif": "progress on standard error",
    "comfy-table": "tables that fit the terminal",
    "csv": "tables for spreadsheets",
    "yaml-rust2": "psytester's settings",
    "tempfile": "files that appear whole or not at all",
    "memchr": "line ends in large replies; JSON and CSV need it too",
}


def needed_by():
    """For each crate, the direct dependencies that bring it."""
    tree = ["cargo", "tree", "--package", "referee", "--edges", "normal,build", "--prefix", "depth", "--no-dedupe"]
    output = subprocess.run(tree, check=True, stdout=subprocess.PIPE, text=True).stdout
    direct, result = "referee", collections.defaultdict(set)
    for line in output.splitlines():
        depth, name = re.match(r"(\d+)(\S+)", line).groups()
        direct = name if depth == "1" else direct
        # The bundled bots are a part of the program, which needs all of their crates as well.
        if direct != "referee-example-bots" or depth == "1":
            result[name].add(direct)
    return result


def build(*arguments):
    """Seconds from nothing to what is asked for, and cargo's report on each unit of work."""
    subprocess.run(["cargo", "fetch", "--locked", "--quiet"], check=True)
    with tempfile.TemporaryDirectory() as target:
        start = time.monotonic()
        subprocess.run(["cargo", "build", "--locked", "--quiet", "--timings", *arguments], check=True,
                       env=dict(os.environ, CARGO_TARGET_DIR=target), stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - start
        page = Path(target, "cargo-timings/cargo-timing.html").read_text(encoding="utf-8")
    return seconds, json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);", page, re.DOTALL)[1])


def groups(units):
    """For each group: its crate, its purpose, the number of crates and the compiler's seconds; the largest first."""
    first = {name: names.split()[0] for names in PURPOSES for name in names.split()}
    purpose = {name: text for names, text in PURPOSES.items() for name in names.split()}
    needed, crates, seconds = needed_by(), collections.defaultdict(set), collections.Counter()
    for unit in units:
        users = {first.get(user, user) for user in needed[unit["name"]]}
        crate = users.pop() if len(users) == 1 else unit["name"]
        crates[crate].add((unit["name"], unit["version"]))
        seconds[crate] += unit["duration"]
    total = sum(seconds.values())
    large = [crate for crate, took in seconds.most_common() if took >= SMALL * total]
    for crate in large:
        yield f"`{crate}`", purpose.get(crate, ""), len(crates[crate]), seconds[crate]
    small = [crate for crate in seconds if crate not in large]
    yield "the rest", "", sum(len(crates[crate]) for crate in small), sum(seconds[crate] for crate in small)


def section():
    """The lines of the report."""
    alone, _ = build("--package", ALONE)
    seconds, units = build("--release")
    crates = len({(unit["name"], unit["version"]) for unit in units})
    met = {True: "yes", False: "**no**"}
    yield "`cargo build --release` from nothing, and `cargo build --package` for one crate."
    yield ""
    yield "| what | is | target | met |"
    yield "|---|---|---|---|"
    yield f"| a build from nothing | {seconds:.0f} s | at most {SECONDS} s | {met[seconds <= SECONDS]} |"
    yield f"| crates in it | {crates} | at most {CRATES} | {met[crates <= CRATES]} |"
    yield f"| `{ALONE}` alone | {alone:.0f} s | at most {ALONE_SECONDS} s | {met[alone <= ALONE_SECONDS]} |"
    yield ""
    yield "| crate | for | crates | seconds, with what only that crate needs |"
    yield "|---|---|---|---|"
    for name, purpose, count, took in groups(units):
        yield f"| {name} | {purpose} | {count} | {took:.1f} |"


if __name__ == "__main__":
    print(f"- Machine: {host.machine()}\n")
    for line in section():
        print(line, flush=True)
