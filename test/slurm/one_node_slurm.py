# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of one node that belongs to a test: its own munged, slurmctld and slurmd in a temporary folder, with ports of
their own on loopback. Nothing of a Slurm that the machine may have is used or touched."""

import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "srun", "scontrol", "squeue", "scancel", "sinfo")

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
JobRequeue=1
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
KillWait=5
OverTimeLimit=0
MinJobAge=600
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=2
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} Gres=gpu:{gpus} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class CannotStart(Exception):
    """Why there is no Slurm here."""


def find_program(name):
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        raise CannotStart(f"{name} is not installed (Debian: slurm-wlm and munge)")
    return found


def die_with_parent():
    """For a child: the kernel kills it when the test is killed and cannot stop it."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Slurm:
    """start() and stop(); between them run() and the methods below it speak to the cluster."""

    def __init__(self, cpus=8, gpus=4):
        """CPUs and GPUs are what Slurm counts, whatever the machine has; plain files stand for the GPUs."""
        self.cpus, self.gpus, self.folder, self.daemons = cpus, gpus, None, []

    def start(self):
        """Throws CannotStart, with nothing left behind, where this machine has no Slurm or does not let it start."""
        if os.geteuid() != 0:
            raise CannotStart("slurmd needs root")
        programs = {name: find_program(name) for name in DAEMONS + COMMANDS}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="krossfold-slurm-"))
        try:
            self.start_daemons(programs)
        except BaseException:
            self.stop()
            raise

    def start_daemons(self, programs):
        folder, host = self.folder, socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        configuration = folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(host=host, folder=folder, ports=free_ports(2), cpus=self.cpus,
                                                      gpus=self.gpus, memory=memory // 2))
        # Else in /tmp, under names that the jobs of every Slurm here would share.
        (folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={folder}\n")
        for number in range(self.gpus):
            (folder / f"gpu{number}").touch()
        (folder / "gres.conf").write_text(f"Name=gpu File={folder}/gpu[0-{self.gpus - 1}]\n")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        self.environment["SLURM_CONF"] = str(configuration)
        self.daemon([programs["munged"], "--foreground", "--force", f"--socket={folder}/munge.socket",
                     f"--key-file={key}", f"--log-file={folder}/munged.log", f"--pid-file={folder}/munged.pid",
                     f"--seed-file={folder}/munge.seed"])
        self.await_that(lambda: (folder / "munge.socket").exists(), "munged", 10)
        self.daemon([programs["slurmctld"], "-D", "-i"])
        self.daemon([programs["slurmd"], "-D", "-N", host])
        self.await_that(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T", check=False), "the node", 30)

    def daemon(self, command):
        with open(self.folder / (pathlib.Path(command[0]).name + ".out"), "wb") as out:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                                 stderr=out, start_new_session=True, preexec_fn=die_with_parent))

    def await_that(self, condition, what, seconds):
        end = time.monotonic() + seconds
        while not condition():
            ended = [one.args[0] for one in self.daemons if one.poll() is not None]
            if ended or time.monotonic() > end:
                logs = "".join(f"\n{path.name}: {path.read_text(errors='replace')[-600:]}"
                               for pattern in ("*.log", "*.out") for path in sorted(self.folder.glob(pattern)))
                raise CannotStart(f"{what} does not come up{logs}")
            time.sleep(0.1)

    def stop(self):
        """Ends the jobs, then the daemons by their process numbers, the last started first, and removes the folder."""
        if self.folder is None:
            return
        with contextlib.suppress(Exception):
            if len(self.daemons) == len(DAEMONS):
                self.run("scancel", "--full", "--signal=KILL", "--user=root", check=False)
                self.run("scancel", "--user=root", check=False)
                end = time.monotonic() + 10
                while self.run("squeue", "-h", check=False).strip() and time.monotonic() < end:
                    time.sleep(0.2)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.end_left_over_steps()
        self.daemons = []
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = None

    def end_left_over_steps(self):
        """slurmstepd outlives slurmd: those of this cluster have its configuration in their environment."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)

    def run(self, *command, check=True, cwd=None, **environment):
        result = subprocess.run([str(word) for word in command], env={**self.environment, **environment}, cwd=cwd,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                timeout=60)
        if check and result.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, command))} -> {result.returncode}\n{result.stderr}")
        return result.stdout

    def submit(self, *arguments, cwd, **environment):
        """sbatch; the number of the job."""
        return re.search(r"\d+", self.run("sbatch", "--parsable", *arguments, cwd=cwd, **environment)).group(0)

    def job(self, number):
        """What scontrol says of a job: {name: value}."""
        said = self.run("scontrol", "show", "job", number, check=False)
        return dict(re.findall(r"(\w+)=(\S*)", said))

    def has_steps_of(self, number):
        """True while something of a job's steps is left on the node: until then the same step cannot start again."""
        mark = re.compile(rf"[._]{number}\.\d+(\.xml)?$|^job0*{number}$")
        return any(mark.search(path.name) for path in (self.folder / "spool").iterdir())

    def hurry(self, number):
        """A requeued job waits for two minutes, in which its old steps are cleaned up: begins it soon after they are."""
        job = self.job(number)
        if job.get("JobState") == "PENDING" and job.get("Reason") == "BeginTime" and not self.has_steps_of(job["JobId"]):
            time.sleep(2)  # a start in the second of the requeue is refused: the job's credential is revoked by seconds
            self.run("scontrol", "update", f"JobId={number}", "StartTime=now", check=False)

    def log_of(self, number):
        """What the daemons say of a job."""
        lines = [line for name in ("slurmctld.log", "slurmd.log") for line in (self.folder / name).read_text().splitlines()
                 if re.search(rf"(JobId=|job |StepId=|\[|\.){number}\b", line)]
        return "\n".join(["", *lines])

    def wait_for_job(self, number, seconds):
        """Its final state, or None if it takes longer."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.job(number).get("JobState", "")
            if state in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY"):
                return state
            time.sleep(0.2)
        return None
