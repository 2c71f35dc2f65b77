"""A bot that attacks each process with a certain word in its command line whenever it is asked, reports on standard error which
attacks work, and plays on. It also removes files of that name in the folders that it is given, as bots in a sandbox cannot."""

import ctypes
import errno
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
ATTACH, DETACH, SEIZE, INTERRUPT = 16, 17, 0x4206, 0x4207
PIDFD_OPEN, PIDFD_GETFD = 434, 438


class Memory(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def call(function, *arguments):
    result = function(*map(ctypes.c_long, arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def copy(function, pid):
    buffer = ctypes.create_string_buffer(8)
    here, there = Memory(ctypes.addressof(buffer), 8), Memory(4096, 8)
    try:
        call(function, pid, ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0)
    except OSError as error:
        # It may, and only this page is not there.
        if error.errno != errno.EFAULT:
            raise


def trace(requests, pid):
    for request in requests:
        call(libc.ptrace, request, pid, 0, 0)
    os.waitpid(pid, 0)
    call(libc.ptrace, DETACH, pid, 0, 0)


def take_file(pid):
    pidfd = call(libc.syscall, PIDFD_OPEN, pid, 0)
    os.close(call(libc.syscall, PIDFD_GETFD, pidfd, 0, 0))


def open_file(name, flags, pid):
    os.close(os.open(f"/proc/{pid}/{name}", flags))


def take_cores(pid):
    """A call may be answered with success, but have no effect."""
    before = os.sched_getaffinity(pid)
    os.sched_setaffinity(pid, {min(before)})
    if os.sched_getaffinity(pid) == before and len(before) > 1:
        raise OSError


def lower(pid):
    os.setpriority(os.PRIO_PROCESS, pid, 19)
    if os.getpriority(os.PRIO_PROCESS, pid) != 19:
        raise OSError


ATTACKS = {
    "signal": lambda pid: os.kill(pid, 0),
    "attach": lambda pid: trace([ATTACH], pid),
    "seize": lambda pid: trace([SEIZE, INTERRUPT], pid),
    "read": lambda pid: copy(libc.process_vm_readv, pid),
    "write": lambda pid: copy(libc.process_vm_writev, pid),
    "mem": lambda pid: open_file("mem", os.O_RDWR, pid),
    "maps": lambda pid: open_file("maps", os.O_RDONLY, pid),
    "input": lambda pid: open_file("fd/0", os.O_WRONLY | os.O_NONBLOCK, pid),
    "file": take_file,
    "environment": lambda pid: open(f"/proc/{pid}/environ", "rb").read(),
    "cores": take_cores,
    "priority": lower,
}
if len(sys.argv) > 2:
    ATTACKS["badness"] = lambda pid: open_file("oom_score_adj", os.O_WRONLY, pid)


def victims(word):
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                arguments = file.read().split(b"\0")
        except OSError:
            continue
        if word in arguments and int(name) != os.getpid():
            yield int(name)


def remove_files(folder, name):
    for path, _, files in os.walk(folder):
        if name in files:
            os.remove(os.path.join(path, name))
            print("worked: files", file=sys.stderr)


for line in sys.stdin:
    for pid in victims(sys.argv[1].encode()):
        for name, attack in ATTACKS.items():
            try:
                attack(pid)
                print("worked:", name, file=sys.stderr)
            except (OSError, ValueError):
                pass
    for folder in sys.argv[2:]:
        try:
            remove_files(folder, sys.argv[1])
        except OSError:
            pass
    print("1", flush=True)
