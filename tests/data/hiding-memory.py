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


def wait():
    print("held", file=sys.stderr, flush=True)
    time.sleep(3600)


held = globals()[sys.argv[1]]()
wait()
