"""A bot that writes to a descriptor, its argument, from pages that hardly ever come: they are punched out all the time.

It answers its first turn, whose limit covers its start, and writes in the second one.

A page fault in a file in memory waits while a hole is made there, which takes long in a file that is mapped often. Who
faults runs seldom, finds a gap between two holes by chance, and needs many pages.
"""

import ctypes
import fcntl
import os
import sys
import time

KEEP_SIZE, PUNCH_HOLE = 1, 2
SIZE = 1 << 20
MAPPINGS = 20_000

out = int(sys.argv[1])
c = ctypes.CDLL(None)
c.mmap.restype = ctypes.c_void_p
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, SIZE)
held = os.memfd_create("held")
os.ftruncate(held, SIZE)
pages = [c.mmap(None, ctypes.c_long(SIZE), 3, 1, held, ctypes.c_long(0)) for _ in range(MAPPINGS)]
if os.fork() == 0:
    os.nice(19)
    time.sleep(0.4)
    os.read(0, SIZE)
    os.write(1, b"6 0\n")
    os.read(0, 1)
    print("armed", file=sys.stderr, flush=True)
    while True:
        c.write(out, ctypes.c_void_p(pages[0]), ctypes.c_long(SIZE))
while True:
    c.fallocate(held, KEEP_SIZE | PUNCH_HOLE, ctypes.c_long(0), ctypes.c_long(SIZE))
