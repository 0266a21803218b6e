# SPDX-License-Identifier: BSD-3-Clause
"""The shared libraries of programs, as far as a machine without the build's packages lacks them."""

import pathlib
import re
import shutil
import subprocess

# Of the C library and of the dynamic linker, which belong to the machine and to each other.
OF_THE_SYSTEM = re.compile(r"(libc|libm|libmvec|libpthread|libdl|librt|libutil|libanl|libresolv|libnsl|libnss_\w+|ld-linux[\w-]*|linux-vdso|linux-gate)\.so")
# Of the driver and of CUDA: the first must fit the card, the others are large.
OF_CUDA = re.compile(r"lib(cuda|cudart|cublas|cublasLt|cusparse|cusolver|cusolverMg|curand|cufft|nvJitLink|nvrtc|nvidia-[\w-]+|nvToolsExt|nccl)\.so")
# Plugins of Open MPI for networks between machines and for queueing systems bring many libraries, and one machine needs none.
OF_NETWORKS = re.compile(r"lib(fabric|ucp|uct|ucs|ucm|ibverbs|rdmacm|psm|psm_infinipath|psm2|infinipath|portals\w*|pmi|pmi2|slurm\w*|flux\w*|oshmem)\.so")
OPENSHMEM_PLUGIN = re.compile(r"mca_(atomic|memheap|scoll|spml|sshmem)_")


def is_elf(path):
    try:
        with open(path, "rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False


def parse_ldd(text):
    """{soname: path, or None if it was not found} from what ldd prints; entries without a path of their own are left out."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*(\S+) => (?:(/\S+) \(0x|not found)", line)
        if match:
            found[match[1].rsplit("/", 1)[-1]] = match[2]
    return found


def needed_by(path):
    """parse_ldd of a program or library. A static program, and a script, needs nothing."""
    if not is_elf(path):
        return {}
    done = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
    return parse_ldd(done.stdout)


class Libraries:
    """What a bundle takes along, collected over its programs."""

    def __init__(self):
        self.taken = {}  # soname: path
        self.missing = {}  # soname: the programs that need it, though this machine has none either
        self.of_cuda = set()

    def add(self, path):
        for name, where in needed_by(path).items():
            if OF_CUDA.match(name):
                self.of_cuda.add(name)
            elif OF_THE_SYSTEM.match(name):
                continue
            elif where is None:
                self.missing.setdefault(name, set()).add(pathlib.Path(path).name)
            else:
                self.taken.setdefault(name, where)


def glibc_needed(paths):
    """The newest version of the C library that one of these files asks for, such as "2.34"; "" if readelf is not there."""
    if shutil.which("readelf") is None:
        return ""
    newest = (0,)
    for path in paths:
        text = subprocess.run(["readelf", "-VW", str(path)], capture_output=True, text=True, check=False).stdout
        for version in re.findall(r"Name: GLIBC_(\d+(?:\.\d+)+)", text):
            newest = max(newest, tuple(map(int, version.split("."))))
    return ".".join(map(str, newest)) if newest > (0,) else ""


def plugin_problem(path):
    """Why a plugin of Open MPI is left out, or ''."""
    if OPENSHMEM_PLUGIN.match(path.name):
        return "OpenSHMEM is not used"
    needed = needed_by(path)
    networks = sorted(name for name in needed if OF_NETWORKS.match(name))
    if networks:
        return f"needs {networks[0]}, which is for networks or queueing systems"
    absent = sorted(name for name, where in needed.items() if where is None)
    return f"needs {absent[0]}, which is not there" if absent else ""


def open_mpi_folders():
    """{"bindir": ..., "pkglibdir": ...} as ompi_info says, None without it."""
    if shutil.which("ompi_info") is None:
        return None
    done = subprocess.run(["ompi_info", "--path", "all", "--parsable"], capture_output=True, text=True, check=False)
    return dict(line.split(":", 2)[1:] for line in done.stdout.splitlines() if line.startswith("path:"))


def add_open_mpi(place, libraries):
    """Copies Open MPI's starters, plugins and texts into the folder `place`, and what they need into `libraries`.

    Returns [(what, why)] of what is left out.
    """
    folders = open_mpi_folders()
    if folders is None:
        return [("Open MPI's plugins and mpirun", "ompi_info is not there, or MPI is another one: tests on several ranks cannot run")]
    left_out = []
    for name, program in (("mpirun", "orterun"), ("orted", "orted")):
        source = pathlib.Path(folders["bindir"]) / program
        if source.exists():
            copy(source, place / "bin" / name)
            libraries.add(source)
        else:
            left_out.append((name, f"{program} is not there"))
    plugins = sorted(pathlib.Path(folders["pkglibdir"]).glob("mca_*.so"))
    reasons = {}
    for plugin in plugins:
        why = plugin_problem(plugin)
        if why:
            reasons.setdefault(why, []).append(plugin.stem)
        else:
            copy(plugin, place / "mpi" / "plugins" / plugin.name)
            libraries.add(plugin)
    left_out += [(", ".join(names), why) for why, names in sorted(reasons.items())]
    for source in sorted(pathlib.Path(folders["pkgdatadir"]).glob("*.txt")):
        copy(source, place / "mpi" / "share" / "openmpi" / source.name)
    (place / "mpi" / "etc").mkdir(parents=True, exist_ok=True)  # the defaults of this machine's installation are not those of another
    pmix = libraries.taken.get("libpmix.so.2")
    for source in sorted((pathlib.Path(pmix).resolve().parent / "pmix").glob("*mca_*.so")) if pmix else []:
        if not plugin_problem(source):
            copy(source, place / "mpi" / "pmix" / source.name)
            libraries.add(source)
    return left_out


def copy(source, target):
    """The file itself where `source` is a link."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if pathlib.Path(source).stat().st_mode & 0o100 else 0o644)
