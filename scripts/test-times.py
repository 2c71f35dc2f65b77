#!/usr/bin/env python3
"""Runs the tests module by module, and prints what each took as Markdown.

From the top of the source tree, on an idle machine:

    scripts/test-times.py            the first set
    scripts/test-times.py --heavy    the second set

Processor time includes all processes which the tests waited for. The slowest tests follow. Modules run one
after the other, so the sum is more than `cargo test --workspace` takes. Fails if a test fails.
"""

import collections
import json
import os
import re
import subprocess
import sys
import time

SLOWEST = 25
MODULES = 1.0  # Modules that took less wall time than this, in seconds, are added up.

# The harness shows times of tests only with its unstable options.
ENVIRONMENT = dict(os.environ, RUSTC_BOOTSTRAP="1")
TIMES = ["-Z", "unstable-options", "--report-time"]


def binaries():
    """Each test binary's name, path, and folder to run in."""
    build = ["cargo", "test", "--workspace", "--no-run", "--locked", "--message-format=json"]
    for line in subprocess.run(build, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        made = json.loads(line)
        if made.get("executable") and made["profile"]["test"]:
            yield made["target"]["name"], made["executable"], os.path.dirname(made["manifest_path"])


def modules(name, binary, which):
    """The tests of a binary by module; unit tests of a crate are one module."""
    listed = subprocess.run([binary, "--list", *which], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = collections.defaultdict(list)
    for test in re.findall("(?m)^(.+): test$", listed):
        if which and "heavy" not in test:
            continue
        module = test.rpartition("::")[0]
        found[module if name in ("tests", "alone") else f"{name}, its own tests"].append(test)
    return found


def run(binary, folder, which, tests):
    """What tests took: processor time, wall time, and the time of each."""
    start = time.monotonic()
    command = [binary, "--exact", *which, *TIMES, *tests]
    process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if status != 0:
        sys.exit(output)
    times = re.findall(r"(?m)^test (\S+) .*<([0-9.]+)s>$", output)
    return usage.ru_utime + usage.ru_stime, wall, times


def main():
    if sys.argv[1:] not in ([], ["--heavy"]):
        sys.exit(__doc__)
    which = ["--ignored"] if sys.argv[1:] else []
    rows, slowest = [], []
    for name, binary, folder in binaries():
        for module, tests in modules(name, binary, which).items():
            processor, wall, times = run(binary, folder, which, tests)
            rows.append((wall, processor, module))
            slowest += [(float(seconds), test) for test, seconds in times]
            print(f"{module}: {wall:.1f} s", file=sys.stderr)
    print("| module | processor | wall |")
    print("|---|---:|---:|")
    large = sorted((row for row in rows if row[0] >= MODULES), reverse=True)
    for wall, processor, module in large:
        print(f"| {module} | {processor:.1f} | {wall:.1f} |")
    wall, processor = (sum(row[column] for row in rows if row not in large) for column in (0, 1))
    print(f"| {len(rows) - len(large)} others | {processor:.1f} | {wall:.1f} |")
    wall, processor = (sum(row[column] for row in rows) for column in (0, 1))
    print(f"| **sum** | {processor:.0f} | {wall:.0f} |")
    print("\nThe slowest tests, in seconds:\n")
    for seconds, test in sorted(slowest, reverse=True)[:SLOWEST]:
        print(f"- {seconds:.1f} {test}")


if __name__ == "__main__":
    main()
