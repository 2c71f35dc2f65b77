"""A bot that tries what a sandbox forbids, and tells on standard error what it could do.

It tries to create the file that its argument names, to change one called `victim` next to it, to read one called `private`, and to use
the network.
"""

import os
import socket
import sys

new = sys.argv[1]
folder = os.path.dirname(new)
victim = os.path.join(folder, "victim")
scratch = os.path.join(os.environ.get("TMPDIR", "/tmp"), "mine")


def use_scratch():
    open(scratch, "w").close()
    os.remove(scratch)


for what, attempt in {
    "create": lambda: open(new, "w"),
    "append": lambda: open(victim, "a"),
    "mode": lambda: os.chmod(victim, 0o777),
    "remove": lambda: os.remove(victim),
    "tcp": lambda: socket.create_server(("127.0.0.1", 0)),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("127.0.0.1", 0)),
    "read": lambda: open(os.path.join(folder, "private")),
    "scratch": use_scratch,
    "system": lambda: open("/etc/passwd"),
}.items():
    try:
        attempt()
        done = "yes"
    except OSError:
        done = "no"
    print(f"{what}: {done}", file=sys.stderr)
