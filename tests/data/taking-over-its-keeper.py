"""A bot that tells in which ways it could take over its keeper, if in any: its descriptors, its memory, tracing."""

import ctypes
import os
import sys
import time

PIDFD_GETFD, PTRACE_SEIZE = 438, 0x4206

c = ctypes.CDLL(None)
keeper = os.getppid()
found = os.pidfd_open(keeper)
ways = [f"descriptor {number}" for number in range(64) if c.syscall(PIDFD_GETFD, found, number, 0) >= 0]
for name in "mem", "fd/0", "root", "ns/mnt":
    try:
        os.close(os.open(f"/proc/{keeper}/{name}", os.O_RDONLY))
        ways.append(name)
    except OSError:
        pass
if c.ptrace(PTRACE_SEIZE, keeper, None, None) == 0:
    ways.append("traced")
print("ways:", *ways, file=sys.stderr, flush=True)
time.sleep(3600)
