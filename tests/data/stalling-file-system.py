"""A bot that holds a file of a file system that it serves itself (FUSE), and answers no questions about it.

With an argument, it answers its first turn, and in the second one writes to that descriptor from a page of the file, which never
comes.
"""

import ctypes
import mmap
import os
import signal
import struct
import sys
import time

INIT, LOOKUP, GETATTR, OPEN, STATFS, FORGET, READ = 26, 1, 3, 14, 17, 2, 15
UNKNOWN = -38


def attributes(inode, mode):
    owner = os.getuid(), os.getgid()
    return struct.pack("<6Q10I", inode, 4096, 8, 0, 0, 0, 0, 0, 0, mode, 1, *owner, 0, 4096, 0)


def serve(device):
    stalls = False

    def stall(*_):
        nonlocal stalls
        stalls = True

    signal.signal(signal.SIGUSR1, stall)
    # Should a referee wait for an answer, let it go after a while, so that it can be told what it did.
    signal.alarm(300)
    while True:
        request = os.read(device, 1 << 18)
        _, call, number, inode = struct.unpack_from("<IIQQ", request)

        def reply(data=b"", error=0):
            os.write(device, struct.pack("<IiQ", 16 + len(data), error, number) + data)

        if call == INIT:
            reply(struct.pack("<4I2H2I2H6I", 7, 31, 65536, 0, 10, 10, 65536, 1, 0, 0, *[0] * 6))
        elif call in (GETATTR, STATFS) and stalls:
            print("asked", file=sys.stderr, flush=True)
        elif call == GETATTR:
            mode = 0o40777 if inode == 1 else 0o100666
            reply(struct.pack("<QII", 0, 0, 0) + attributes(inode, mode))
        elif call == LOOKUP:
            reply(struct.pack("<4Q2I", 2, 1, 0, 0, 0, 0) + attributes(2, 0o100666))
        elif call == OPEN:
            reply(struct.pack("<QII", 1, 0, 0))
        elif call == READ:
            # A page fault waits for this answer.
            pass
        elif call != FORGET:
            reply(error=UNKNOWN)


def main():
    user, group = os.getuid(), os.getgid()
    c = ctypes.CDLL(None, use_errno=True)
    if c.unshare(0x10000000 | 0x20000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in ("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    folder = "/tmp"
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id={user},group_id={group}"
    if c.mount(b"fuse", folder.encode(), b"fuse", 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    server = os.fork()
    if server == 0:
        serve(device)
    # The file system ends with its server, which must not wait for this process.
    os.close(device)
    held = os.open(f"{folder}/file", os.O_RDWR)
    os.fstat(held)
    page = mmap.mmap(held, 4096)
    os.kill(server, signal.SIGUSR1)
    if len(sys.argv) > 1:
        os.read(0, 1 << 16)
        os.write(1, b"6 0\n")
        os.read(0, 1)
    print("armed", file=sys.stderr, flush=True)
    if len(sys.argv) > 1:
        # One page that comes has whoever polls the pipe read it.
        os.writev(int(sys.argv[1]), [bytes(4096), page])
    time.sleep(3600)


main()
