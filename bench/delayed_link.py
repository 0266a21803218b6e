#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links two network namespaces, delivering every packet after a delay: delayed_link.py SPACE SPACE SECONDS.

In each namespace the link is the network device link0 (10.99.0.1 and 10.99.0.2). Prints "ready" once it is up and runs
until terminated. Needs root. (The kernel's netem does the same, but not every kernel has it.)"""

import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

IFF_TUN, IFF_NO_PI, TUNSETIFF = 0x0001, 0x1000, 0x400454CA


def open_device(space, own, other):
    """Opens link0 in a namespace and returns the file descriptor of its packets."""
    with open(f"/run/netns/{space}") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the network namespace {space}")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"link0", IFF_TUN | IFF_NO_PI))
    for command in (f"address add {own} peer {other} dev link0", "link set link0 up", "link set lo up"):
        subprocess.run(["ip", *command.split()], check=True)
    return device


def main():
    first, second, delay = sys.argv[1], sys.argv[2], float(sys.argv[3])
    ends = [open_device(first, "10.99.0.1", "10.99.0.2"), open_device(second, "10.99.0.2", "10.99.0.1")]
    print("ready", flush=True)
    waiting = collections.deque()  # (when, where to, packet): equal delays keep the order
    while True:
        patience = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select(ends, [], [], patience)[0]:
            waiting.append((time.monotonic() + delay, ends[1 - ends.index(end)], os.read(end, 65536)))
        while waiting and waiting[0][0] <= time.monotonic():
            _, end, packet = waiting.popleft()
            os.write(end, packet)


if __name__ == "__main__":
    main()
