"""A bot that holds 200 MiB in which its own processes have hardly a page: in the way that its argument names."""

import ctypes
import mmap
import os
import sys
import time

ALL, STEP, PAGE = 200 << 20, 4 << 20, 4096
c = ctypes.CDLL(None, use_errno=True)
c.mmap.restype = ctypes.c_void_p


def must(result):
    if result in (-1, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def map_memory(size, flags, descriptor=-1):
    return must(c.mmap(None, ctypes.c_size_t(size), 3, flags, descriptor, ctypes.c_long(0)))


def fill_and_drop(start):
    for at in range(start, start + ALL, STEP):
        ctypes.memset(at, 1, STEP)
        must(c.madvise(ctypes.c_void_p(at), ctypes.c_size_t(STEP), mmap.MADV_DONTNEED))


def shared():
    fill_and_drop(map_memory(ALL, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))


def memfd():
    descriptor = os.memfd_create("hidden")
    os.ftruncate(descriptor, ALL)
    start = map_memory(ALL, mmap.MAP_SHARED, descriptor)
    os.close(descriptor)
    fill_and_drop(start)
    must(c.munmap(ctypes.c_void_p(start + PAGE), ctypes.c_size_t(ALL - PAGE)))


def pipes():
    """A byte of a large page in a slot of a pipe keeps all of the page."""
    large, slots = 2 << 20, 16

    class Vector(ctypes.Structure):
        _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    ends = []
    for number in range(ALL // large):
        if number % slots == 0:
            ends.append(os.pipe())
        start = map_memory(2 * large, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        page = -(-start // large) * large
        c.madvise(ctypes.c_void_p(page), ctypes.c_size_t(large), 14)
        ctypes.memset(page, 1, PAGE)
        vector = Vector(page, 1)
        must(c.vmsplice(ends[-1][1], ctypes.byref(vector), ctypes.c_size_t(1), 0))
        must(c.munmap(ctypes.c_void_p(start), ctypes.c_size_t(2 * large)))
    # At its limit a group gets small pages for large ones, which no one is killed for.
    ctypes.memset(map_memory(4 * large, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), 1, 4 * large)
    return ends


def wait():
    print("held", file=sys.stderr, flush=True)
    time.sleep(3600)


held = globals()[sys.argv[1]]()
wait()
