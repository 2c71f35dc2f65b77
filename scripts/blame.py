#!/usr/bin/env python3
"""Measures the referee's blame for late turns: of bots that want to be excused, and of bots that are wronged.

Run it as root on an idle machine with two cores or more, from the top of the source tree:

    cargo build --release && python3 scripts/blame.py

It prints two tables; the one of wronged bots has a virtual machine too where there are qemu, a kernel in /boot, and a static
referee (see scripts/second-kernel); scripts/timing-report.py puts them into docs/timing.md. Bots are from
example-bots/python/excuses.py. Give names of tricks to play only those.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

REFEREE = os.path.abspath("target/release/referee")
BOT = os.path.abspath("example-bots/python/excuses.py")
MEANS = ("namespace", "seccomp", "plain")
USERS = {"root": {}, "nobody": {"user": 65534, "group": 65534, "extra_groups": []}}
# A bot has any core, or shares one with the referee, as in a suite.
CORES = {"any": [], "shared": ["--pin"]}
LIMIT_MS = 50
TRICK_MS = 75
TRICKS = ("spin", "sleep", "decoys", "children", "forgotten", "orphans", "vfork", "nice", "policy", "affinity", "helpers",
          "slow_referee", "late_hogs", "meddle", "stop", "alarm", "timeout", "heir", "disk", "daemons", "dozing_decoys",
          "brief_threads", "late_helper")
RULES = ["--first-turn", "20s", "--turn", f"{LIMIT_MS}ms"]


def start(bot, *more, user="root"):
    """A game of 21 turns, or several, whose first turn is never late."""
    command = [REFEREE, "timing", "--board", "@clearable", "--format", "json", *RULES, "--bot", bot, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/", **USERS[user])


def outcome(game):
    """The number of later turns, and of those that are the bot's and the host's fault."""
    out, err = game.communicate()
    if game.returncode not in (0, 1):
        sys.exit(err)
    report = json.loads(out)
    later = next((turns for turns in report["turns"] if turns["kind"] == "turn"), None)
    if later is None:
        sys.exit(f"{report['bot']}: {report['lost']}")
    return later["count"], later["bot_overruns"], later["host_overruns"]


def rows(measure):
    """A row by `measure`, which returns its cells and whether they are as promised, and a second one if they are not: a
    virtual machine that stalls for a moment disturbs a row."""
    cells, holds = measure()
    if not holds:
        yield "| " + " | ".join(map(str, cells)) + " | **no**, so once more |"
        cells, holds = measure()
    yield "| " + " | ".join(map(str, cells)) + f" | {'yes' if holds else '**no**'} |"


# What `plain` does not promise: a bot of the referee's user stops the referee.
NOT_PROMISED = {("meddle", "plain")}


def trick(name, user, placement):
    """The figures of a trick by a user, under each method of containment."""
    cells, holds = [], True
    for means in MEANS:
        if (name, means) in NOT_PROMISED:
            cells.append("not promised")
            continue
        # Processes that one game leaves behind disturb the next one.
        games = "2" if name == "daemons" else "1"
        bot_command = f"{BOT} {name} {TRICK_MS}"
        _, bot, host = outcome(start(bot_command, "--containment", means, "--games", games, *placement, user=user))
        cells.append(f"{bot}/{bot + host}")
        holds &= bot > 0 and host == 0
    if name == "daemons":
        # Processes that a group leaves behind fill all cores until they end by themselves; the next referee does not know them.
        time.sleep(20)
    return cells, holds


def tricks(names=TRICKS):
    """The late turns of each trick that are blamed on the bot: a row for all tricks with the same figures, and the largest of
    these rows gives their number instead of their names."""
    yield "| tricks | user and cores | " + " | ".join(f"`{means}`" for means in MEANS) + " | all on the bot |"
    yield "|---|---|" + "---|" * (len(MEANS) + 1)
    table = {}
    for name in names:
        ways_of = {}
        for user in USERS if os.geteuid() == 0 else ("root",):
            for cores, placement in CORES.items():
                for line in rows(lambda: trick(name, user, placement)):
                    print(name, user, cores, line, file=sys.stderr, flush=True)  # To follow the long run.
                    ways_of.setdefault(line, []).append(f"{user} {cores}")
        for line, ways in ways_of.items():
            table.setdefault((", ".join(ways), line), []).append(name)
    most = max(map(len, table.values()))
    for (ways, line), same in table.items():
        shown = f"{most} others" if len(same) == most > 3 else ", ".join(same)
        yield f"| {shown} | {ways} {line}"


@contextlib.contextmanager
def hogs(core, count):
    """Processes that want all of a core, in their own sessions, like a bot. They end with this one, however it ends."""
    pin = lambda: os.sched_setaffinity(0, {core})
    loop = ["setpriv", "--pdeathsig", "KILL", sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(loop, preexec_fn=pin, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def below(pid):
    """A process and all below it."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError), open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as children:
            found += map(int, children.read().split())
    return found


def starved(trick):
    """The bot computes for 20 ms, on a core that four others want."""
    with hogs(max(os.sched_getaffinity(0)), 4):
        return outcome(start(f"{BOT} {trick} 20", "--pin", "--games", "2"))


@contextlib.contextmanager
def now_and_then(stop, go, pause=0.2, between=0.15):
    """Stops processes for a while, repeatedly."""
    done = threading.Event()

    def run():
        while not done.wait(between + random.random() * between):
            with contextlib.suppress(OSError):
                stop()
                time.sleep(pause)
            with contextlib.suppress(OSError):
                go()

    thread = threading.Thread(target=run)
    time.sleep(0.5)  # The first turn is not measured.
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def signalled(whose):
    """SIGSTOP and SIGCONT from outside, to the bot or to all with the referee."""
    game = start(f"{BOT} spin 30", "--pin", "--games", "8")

    def send(number):
        # The keeper stands between the referee and the bot.
        found = below(game.pid)
        for pid in found[2:] if whose == "bot" else found:
            os.kill(pid, number)

    with now_and_then(lambda: send(signal.SIGSTOP), lambda: send(signal.SIGCONT)):
        out = outcome(game)
    return out


def frozen(whose):
    """A freezer of control groups of version 1 or 2."""
    folder, state, on, off = next(
        (f"{top}/blame", state, on, off)
        for top, state, on, off in (("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"),
                                    ("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0"),
                                    ("/sys/fs/cgroup", "cgroup.freeze", "1", "0"))
        if os.path.isdir(top))
    os.makedirs(folder, exist_ok=True)

    def write(name, text):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    game = start(f"{BOT} spin 30", "--pin", "--games", "8")

    def freeze():
        found = below(game.pid)
        for pid in found[2:] if whose == "bot" else found:
            with contextlib.suppress(OSError):
                write("cgroup.procs", str(pid))
        write(state, on)

    try:
        with now_and_then(freeze, lambda: write(state, off)):
            return outcome(game)
    finally:
        write(state, off)
        time.sleep(0.1)
        os.rmdir(folder)


def throttled():
    """A control group with a fifth of a core, for the bot alone."""
    folder = "/sys/fs/cgroup/cpu/blame"
    os.makedirs(folder, exist_ok=True)

    def write(name, text):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    write("cpu.cfs_period_us", "100000")
    write("cpu.cfs_quota_us", "20000")
    game = start(f"{BOT} spin 30", "--pin", "--games", "1")
    done = threading.Event()

    def enter():
        # The keeper stands between the referee and the bot. The echo child of the host check comes first, so whatever
        # appears is moved.
        while not done.wait(0.005):
            for pid in below(game.pid)[2:]:
                with contextlib.suppress(OSError):
                    write("cgroup.procs", str(pid))

    thread = threading.Thread(target=enter)
    thread.start()
    try:
        return outcome(game)
    finally:
        done.set()
        thread.join()
        time.sleep(0.1)
        os.rmdir(folder)


STATIC = os.path.abspath("dist/files/referee")
INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs devtmpfs /dev
/bin/busybox echo GO
/bin/referee timing --board @clearable --format json --first-turn 60s --turn 1s --games 8 --bot '@thinker --compute 200'
/bin/busybox poweroff -f
"""


def boot(folder):
    """A virtual machine without KVM, that plays and powers off."""
    root = f"{folder}/root"
    for name in ("bin", "proc", "dev", "tmp"):
        os.makedirs(f"{root}/{name}")
    shutil.copy("/bin/busybox", f"{root}/bin/")
    shutil.copy(STATIC, f"{root}/bin/")
    with open(f"{root}/init", "w", encoding="ascii") as init:
        init.write(INIT)
    os.chmod(f"{root}/init", 0o755)
    subprocess.run("find . | cpio --quiet -o -H newc | gzip -1 >../initrd.gz", shell=True, check=True, cwd=root)
    kernel = max(name for name in os.listdir("/boot") if name.startswith("vmlinuz-"))
    command = ["qemu-system-x86_64", "-m", "1024", "-smp", "2", "-nographic", "-no-reboot", "-kernel", f"/boot/{kernel}",
               "-initrd", f"{folder}/initrd.gz", "-append", "console=ttyS0 quiet panic=-1"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace")


def taken_away():
    """A whole virtual machine stops for 1.5 s, repeatedly; the bot needs 200 ms of a second."""
    with tempfile.TemporaryDirectory() as folder:
        machine = boot(folder)
        while "GO" not in machine.stdout.readline():
            pass
        stop, go = (lambda: machine.send_signal(signal.SIGSTOP)), (lambda: machine.send_signal(signal.SIGCONT))
        with now_and_then(stop, go, 1.5, 1):
            lines = machine.stdout.readlines()
        # The console is a terminal, so progress stands before the report.
        report = json.loads(next(line[line.index('{"bot"'):] for line in lines if '{"bot"' in line))
    later = next(turns for turns in report["turns"] if turns["kind"] == "turn")
    return later["count"], later["bot_overruns"], later["host_overruns"]


WRONGS = {
    "hogs next to its main thread": lambda: starved("spin"),
    "hogs next to a thread": lambda: starved("thread"),
    "hogs next to a forked child": lambda: starved("child"),
    "SIGSTOP from outside, to the bot": lambda: signalled("bot"),
    "SIGSTOP from outside, to all": lambda: signalled("all"),
    "the freezer, for the bot": lambda: frozen("bot"),
    "the freezer, for all": lambda: frozen("all"),
    "a throttled control group": throttled,
}
if os.path.exists(STATIC) and shutil.which("qemu-system-x86_64"):
    WRONGS["a virtual machine that is stopped"] = taken_away


def wrong(name):
    """A row of that table."""
    count, bot, host = WRONGS[name]()
    late = bot + host
    return (name, count, late, f"{100 * host / max(late, 1):.1f} %"), host >= 0.95 * late and late > 0


def wrongs(names=tuple(WRONGS)):
    """The late turns of each wrong that are blamed on the host."""
    yield "| wrong | turns | late | put on the host | at least 95 % |"
    yield "|---|---|---|---|---|"
    for name in names:
        yield from rows(lambda: wrong(name))


def main():
    asked = sys.argv[1:]
    for table, names in ((tricks, TRICKS), (wrongs, WRONGS)):
        chosen = [name for name in names if name in asked] if asked else list(names)
        if chosen:
            for line in table(chosen):
                print(line, flush=True)
            print()


if __name__ == "__main__":
    main()
