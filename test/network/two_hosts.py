# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts on one machine: network namespaces, host names and folders for temporary files of their own, joined by a link that loses
and delays packets and can be cut. They share the file system. Nothing of the machine's own network is used or touched."""

import contextlib
import fcntl
import heapq
import itertools
import os
import pathlib
import random
import select
import shutil
import struct
import subprocess
import tempfile
import threading
import time

SET_INTERFACE = 0x400454CA  # TUNSETIFF of linux/if_tun.h
TAP, NO_HEADER = 0x0002, 0x1000
LARGEST_FRAME = 65536


class CannotStart(Exception):
    """Why there are no two hosts here."""


def open_tap(name):
    """A network interface of this namespace whose other end is the file."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, SET_INTERFACE, struct.pack("16sH22x", name.encode(), TAP | NO_HEADER))
    return file


class Link(threading.Thread):
    """Carries frames between two interfaces. Its properties may be changed while it runs."""

    def __init__(self, ends, seed):
        super().__init__(daemon=True)
        self.ends, self.random = ends, random.Random(seed)
        self.delay, self.jitter, self.loss, self.cut = 0.0, 0.0, 0.0, False  # seconds, share
        self.carried = self.lost = 0
        self.running = True

    def run(self):
        on_the_way, number = [], itertools.count()  # frames: (when they arrive, their order, end, bytes)
        while self.running:
            wait = 0.1 if not on_the_way else min(0.1, max(0.0, on_the_way[0][0] - time.monotonic()))
            for end in select.select(self.ends, [], [], wait)[0]:
                with contextlib.suppress(BlockingIOError):
                    frame = os.read(end, LARGEST_FRAME)
                    if self.cut or self.random.random() < self.loss:
                        self.lost += 1
                        continue
                    arrival = time.monotonic() + self.delay + self.random.uniform(0, self.jitter)
                    other = self.ends[1] if end == self.ends[0] else self.ends[0]
                    heapq.heappush(on_the_way, (arrival, next(number), other, frame))
            while on_the_way and on_the_way[0][0] <= time.monotonic():
                _, _, end, frame = heapq.heappop(on_the_way)
                if not self.cut:
                    with contextlib.suppress(OSError):  # as a switch does whose buffer is full
                        os.write(end, frame)
                        self.carried += 1


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise CannotStart(f"{' '.join(words)}: {done.stderr.strip()}")


class TwoHosts:
    """start() and stop(). mpirun() is the beginning of a command that starts ranks on both hosts, the first on host 0."""

    def __init__(self, seed=1):
        self.names = [f"kf{os.getpid()}{letter}" for letter in "ab"]
        self.addresses = ["10.77.0.1", "10.77.0.2"]
        self.seed, self.ends, self.link, self.folder = seed, [], None, None

    def start(self):
        """Throws CannotStart, with nothing left behind, where that is not allowed."""
        if os.geteuid() != 0:
            raise CannotStart("network namespaces need root")
        for program in ("ip", "unshare"):
            if shutil.which(program) is None:
                raise CannotStart(f"{program} is not installed")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kf-hosts-"))
        try:
            for name, address in zip(self.names, self.addresses):
                run("ip", "netns", "add", name)
                try:
                    self.ends.append(open_tap(name))
                except OSError as error:
                    raise CannotStart(f"/dev/net/tun: {error.strerror}") from error
                run("ip", "link", "set", name, "netns", name)
                for words in (["addr", "add", f"{address}/24", "dev", name], ["link", "set", name, "up"], ["link", "set", "lo", "up"]):
                    run("ip", "-n", name, *words)
                (self.folder / name).mkdir()
                (self.folder / f"on-{name}").write_text(
                    "#!/bin/sh\n"
                    f'exec ip netns exec {name} unshare --uts sh -c \'hostname {name}; export TMPDIR={self.folder / name}; exec "$@"\' sh "$@"\n')
            (self.folder / "agent").write_text(  # as ssh: HOST COMMAND...
                f'#!/bin/sh\nshift\nexec {self.folder}/on-{self.names[1]} sh -c "$*"\n')
            for script in [*self.folder.glob("on-*"), self.folder / "agent"]:
                script.chmod(0o700)
            for name in self.names:
                run(str(self.folder / f"on-{name}"), "true")
            self.give_up_after(15)
            self.link = Link(self.ends, self.seed)
            self.link.start()
        except BaseException:
            self.stop()
            raise

    def stop(self):
        if self.link is not None:
            self.link.running = False
            self.link.join()
        for end in self.ends:
            os.close(end)
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def mpirun(self, launcher, ranks):
        """That many ranks on each host."""
        network = "10.77.0.0/24"
        hosts = ",".join(f"{address}:{ranks}" for address in self.addresses)
        return [str(self.folder / f"on-{self.names[0]}"), launcher, "-n", str(2 * ranks), "--host", hosts,
                "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", str(self.folder / "agent"), "--mca", "pml", "ob1",
                "--mca", "btl", "self,vader,tcp", "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network]

    def give_up_after(self, retries):
        """How often TCP sends again before it gives a connection up: 15 times (15 minutes) unless told otherwise, 6 times in some 20 s."""
        for name in self.names:
            run("ip", "netns", "exec", name, "sh", "-c", f"echo {retries} > /proc/sys/net/ipv4/tcp_retries2")
