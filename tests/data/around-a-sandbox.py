"""A bot that tries what a read-only mount does not stop, with a file and a FIFO that it may read, and says on standard
error what it achieves. What a program needs, it does as well: that this fails it says, too."""

import fcntl
import os
import sys
import tempfile
import termios


def attempt(what, act):
    try:
        act()
    except OSError:
        return
    print(what, file=sys.stderr)


def need(what, act):
    try:
        act()
    except OSError as error:
        print(f"{what}: {error}", file=sys.stderr)


def write(path, text=""):
    # A FIFO that nobody reads would wait.
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.write(descriptor, text.encode())


def lock(path):
    with open(path, "w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)


def is_no_terminal():
    try:
        termios.tcgetattr(0)
    except termios.error as error:
        if error.args[0] != 25:
            raise OSError(*error.args)


def move(folder):
    for name in "a", "b":
        os.mkdir(f"{folder}/{name}")
    with open(f"{folder}/a/file", "w") as file:
        file.write("x")
    os.rename(f"{folder}/a/file", f"{folder}/b/file")
    os.truncate(f"{folder}/b/file", 0)


file, fifo = sys.argv[1:]
read = os.open(file, os.O_RDONLY)
# EXT4_IOC_SETVERSION
attempt("generation", lambda: fcntl.ioctl(read, 0x40086604, bytearray(8)))
attempt("lease", lambda: fcntl.fcntl(read, fcntl.F_SETLEASE, fcntl.F_RDLCK))
attempt("fifo", lambda: write(fifo))
attempt("badness", lambda: write("/proc/self/oom_score_adj", "0"))
with tempfile.TemporaryDirectory() as scratch:
    need("scratch", lambda: move(scratch))
    need("lock", lambda: lock(f"{scratch}/lock"))
need("/dev/null", lambda: write("/dev/null", "x"))
need("no terminal", is_no_terminal)
need("length", lambda: fcntl.ioctl(0, termios.FIONREAD, bytearray(4)))
need("flags", lambda: fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL)))
