"""A child of a bot: sets the limit on open files of the bot's keeper to 0, where it may, and leaves daemons."""

import os
import resource

with open(f"/proc/{os.getppid()}/stat") as stat:
    keeper = int(stat.read().rsplit(") ")[-1].split()[1])
try:
    resource.prlimit(keeper, resource.RLIMIT_NOFILE, (0, 0))
except OSError:
    pass
os.close(0)
os.close(2)
for _ in range(3):
    if os.fork() == 0:
        try:
            os.setsid()
        except OSError:
            pass
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "3600"])
        os._exit(0)
    os.wait()
