#!/usr/bin/env python3
"""A bot that takes too long on every turn but the first, and tries to put the blame on the host.

Usage: excuses.py TRICK [MILLISECONDS]. Each trick is a function below; the project's tests and
scripts/blame.py play them all. `spin`, `thread` and `child` are honest: they take as long as
they compute.
"""

import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

CORES = os.cpu_count() or 1


def compute(seconds):
    """Computes for this much CPU time, however long it takes."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def fork(act, *args):
    """Starts a child that does one thing."""
    child = os.fork()
    if child == 0:
        act(*args)
        os._exit(0)
    return child


def forever():
    while True:
        pass


def idle_decoy():
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    forever()


def end_all(children):
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def alongside(helpers, act, *args):
    """Does something while helpers run."""
    children = [fork(helper) for helper in helpers]
    act(*args)
    end_all(children)


def wait_for(child):
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass  # The kernel has forgotten it.


def chain(seconds):
    """Short-lived children do the work, one after another."""
    for _ in range(round(seconds / 0.004)):
        wait_for(fork(compute, 0.004))


# The tricks: each takes its duration, as CPU time if it computes.

def spin(seconds):
    compute(seconds)


def sleep(seconds):
    time.sleep(seconds)


def decoys(seconds):
    """Processes that run only on idle cores, and wait for the bot itself."""
    alongside([idle_decoy] * 2 * CORES, compute, seconds)


def children(seconds):
    """A decoy waits while short-lived children do the work."""
    alongside([idle_decoy] * CORES, chain, seconds)


def forgotten(seconds):
    """Children that the kernel is told to forget do the work, and an honest helper waits for its core next to them."""
    helpers = [fork(forever) for _ in range(CORES)]
    old = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    chain(seconds)
    signal.signal(signal.SIGCHLD, old)
    end_all(helpers)


def orphans(seconds):
    """Grandchildren whose parents have ended do the work."""
    def parent():
        fork(compute, seconds)
    alongside([idle_decoy] * CORES, lambda: (wait_for(fork(parent)), sleep(seconds)))


def vfork(seconds):
    """Programs started without a copy of the bot do the work."""
    loop = ["sh", "-c", "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done"]
    def programs():
        used = lambda: sum(os.times()[2:4])
        end = used() + seconds
        while used() < end:
            subprocess.run(loop, check=True, close_fds=False)
    alongside([idle_decoy] * CORES, programs)


def for_a_while(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def nice(seconds):
    """The bot makes itself as nice as possible, next to its own hogs."""
    def polite():
        os.nice(19)
        for_a_while(seconds)
    alongside([forever] * CORES, lambda: wait_for(fork(polite)))


def session(seconds):
    """The bot makes its session as nice as possible."""
    with open("/proc/self/autogroup", "w", encoding="ascii") as file:
        file.write("19")
    compute(seconds)


def policy(seconds):
    """A child that runs only on idle cores does the work, after the bot's own hogs."""
    def last():
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        compute(seconds / 4)
    alongside([lambda: for_a_while(seconds)] * CORES, lambda: wait_for(fork(last)))


def affinity(seconds):
    """All the bot's processes crowd on one core."""
    old = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(old)})
    alongside([forever] * 3, for_a_while, seconds)
    os.sched_setaffinity(0, old)


HELPERS = []


def helpers(seconds):
    """Helpers that outlive the turn fill all cores."""
    if not HELPERS:
        HELPERS.extend(fork(forever) for _ in range(2 * CORES))
    sleep(seconds)


def slow_referee(seconds):
    """Hogs on all cores keep the referee from seeing the time."""
    alongside([forever] * 4 * CORES, sleep, seconds)


def late_hogs(seconds):
    """Hogs on all cores, from just before the limit."""
    sleep(seconds - 0.025)
    alongside([forever] * 4 * CORES, sleep, 0.025)


def meddle(seconds):
    """A child stops and slows the processes above the bot, and continues them."""
    above = [os.getppid()]
    with open(f"/proc/{above[0]}/stat", encoding="utf-8") as stat:
        above.append(int(stat.read().rsplit(") ", 1)[1].split()[1]))

    def each(act):
        for pid in above:
            try:
                act(pid)
            except OSError:
                pass

    # Nobody's parent is number 0, which would mean the bot itself; nor is the init of a namespace worth a try.
    above = [pid for pid in above if pid > 1]
    each(lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    each(lambda pid: os.kill(pid, signal.SIGSTOP))
    sleep(seconds)
    each(lambda pid: os.kill(pid, signal.SIGCONT))


def stop(seconds):
    """A child stops the bot, and continues it."""
    bot = os.getpid()
    def helper():
        os.kill(bot, signal.SIGSTOP)
        sleep(seconds)
        os.kill(bot, signal.SIGCONT)
    wait_for(fork(helper))


LIBC = ctypes.CDLL(None)


def set_timer(number, seconds):
    """Has the kernel send a signal to this process."""
    # struct sigevent: a value of 8 bytes, the signal, and 0 for a signal to the process.
    event = (ctypes.c_int * 16)(0, 0, number, 0)
    timer = ctypes.c_void_p()
    LIBC.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer))
    LIBC.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 0, int(seconds * 1e9)), None)
    return timer


def alarm(seconds):
    """The bot stops itself, and has set a timer that continues it."""
    timer = set_timer(signal.SIGCONT, seconds)
    os.kill(os.getpid(), signal.SIGSTOP)
    LIBC.timer_delete(timer)


def timeout(seconds):
    """The bot stops itself, and a connection that times out, as soon as the kernel finds that, continues it."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        with socket.create_connection(listener.getsockname()) as end, listener.accept()[0]:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))
            end.setblocking(False)
            try:
                while True:
                    end.send(bytes(1 << 16))
            except BlockingIOError:
                pass
            fcntl.fcntl(end, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(end, fcntl.F_SETSIG, signal.SIGCONT)
            fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_ASYNC)
            os.kill(os.getpid(), signal.SIGSTOP)


def heir(seconds):
    """The bot and a child stop; a timer kills the child, whose end continues its own child, and that one the bot."""
    set_parent_death_signal = 1
    bot = os.getpid()

    def middle():
        parent = os.getpid()

        def last():
            LIBC.prctl(set_parent_death_signal, signal.SIGCONT)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.kill(bot, signal.SIGCONT)

        fork(last)
        set_timer(signal.SIGKILL, seconds)
        os.kill(parent, signal.SIGSTOP)

    child = fork(middle)
    os.kill(bot, signal.SIGSTOP)
    wait_for(child)


def disk(seconds):
    """Writes to the disk, and waits until that is done."""
    with tempfile.TemporaryFile() as file:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())


def daemons(seconds):
    """Leaves hogs to the next game, in their own sessions."""
    if not HELPERS:
        HELPERS[:] = [fork(lambda: (os.setsid(), signal.alarm(20), forever())) for _ in range(2 * CORES)]
    sleep(seconds)


def dozing_decoys(seconds):
    """Processes wait for cores while the bot sleeps, and fall asleep when it answers."""
    end_all(HELPERS)
    HELPERS[:] = [fork(lambda: (for_a_while(seconds), time.sleep(60))) for _ in range(2 * CORES)]
    sleep(seconds)


def brief_threads(seconds):
    """Threads wait for cores while the bot sleeps, and end just after the limit."""
    for _ in range(2 * CORES):
        threading.Thread(target=for_a_while, args=(seconds * 0.68,)).start()
    sleep(seconds)


def late_helper(seconds):
    """A helper knows the answer and tells it late, next to others that want its core."""
    mine, helpers_own = os.pipe()
    def helper():
        sleep(seconds)
        os.write(helpers_own, b"!")
    child = fork(helper)
    alongside([forever] * 2 * CORES, os.read, mine, 1)
    wait_for(child)
    os.close(mine)
    os.close(helpers_own)


# The honest bots.

def thread(seconds):
    worker = threading.Thread(target=compute, args=(seconds,))
    worker.start()
    worker.join()


def child(seconds):
    wait_for(fork(compute, seconds))


TRICKS = {trick.__name__: trick for trick in (
    spin, sleep, decoys, children, forgotten, orphans, vfork, nice, session, policy, affinity, helpers, slow_referee, late_hogs,
    meddle, stop, alarm, timeout, heir, disk, daemons, dozing_decoys, brief_threads, late_helper, thread, child)}


def first_move(board):
    """Two tiles of one colour side by side."""
    for row in range(15):
        for column in range(15):
            tile = board[row][column]
            below = row < 14 and board[row + 1][column] == tile
            beside_it = column < 14 and board[row][column + 1] == tile
            if tile != "-1" and (below or beside_it):
                return f"{column} {14 - row}"
    return "0 0"


def main():
    trick, seconds = sys.argv[1], float((sys.argv[2:] or ["70"])[0]) / 1000
    for turn in range(1, 1000):
        board = [sys.stdin.readline().split() for _ in range(15)]
        if not board[-1]:
            return
        if turn > 1:
            TRICKS[trick](seconds)
        print(first_move(board), flush=True)


main()
