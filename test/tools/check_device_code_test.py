#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/check_device_code on objects that nvcc makes here, with faults planted in them.

Needs nvcc and a Kokkos with CUDA, whose folder KROSSFOLD_CUDA_KOKKOS or Kokkos_ROOT names; exit code 77, with the reason, without them.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
from device_code.elf import Elf  # noqa: E402
from device_code.kernels import kernels_of_object  # noqa: E402

HEAD = """
#include <Kokkos_Core.hpp>
namespace krossfold {
using Values = Kokkos::View<double*, Kokkos::CudaSpace>;
using OnDevice = Kokkos::RangePolicy<Kokkos::Cuda>;
using OnHost = Kokkos::RangePolicy<Kokkos::Serial>;
"""

# Each name but `kernel` begins with `wrong_` if the check must find it.
SOURCES = {
    "host": """
double wrong_read(const Values& x) { return x(0); }
double* wrong_address(const Values& x) { return &x(1); }
double wrong_plain_lambda(const Values& x) { auto f = [=](int i) { return x(i); }; return f(0) + f(1); }
__attribute__((noinline)) static double helper(const Values& x, int i) { return x(i) + 1; }
double wrong_by_helper(const Values& x) { return helper(x, 3); }
struct Writes { Values x; KOKKOS_FUNCTION void operator()(int i) const { x(i) = 2; } };
void wrong_functor(const Values& x) { Kokkos::parallel_for("krossfold::test::f", OnHost(0, 9), Writes{x}); }
void wrong_launch(const Values& x) {
  Kokkos::parallel_for("krossfold::test::l", OnHost(0, 9), KOKKOS_LAMBDA(int i) { x(i) = 1; });
}
double wrong_sum(const Values& x) {
  double sum = 0;
  Kokkos::parallel_reduce("krossfold::test::s", OnHost(0, 9), KOKKOS_LAMBDA(int i, double& part) { part += x(i); }, sum);
  return sum;
}
double wrong_call(const Values& x) { auto f = KOKKOS_LAMBDA(int i) { return x(i); }; return f(0) + f(1); }
""",
    "right": """
struct Doubles { Values x; KOKKOS_FUNCTION void operator()(int i) const { x(i) *= 2; } };
KOKKOS_INLINE_FUNCTION double sum_to(const Values& x, int i) {
  double sum = 0;
  for (int k = 0; k <= i; ++k) sum += x(k);
  return sum;
}
void double_by_functor(const Values& x) { Kokkos::parallel_for("krossfold::test::d", OnDevice(0, 9), Doubles{x}); }
void sums(const Values& y, const Values& x) {
  Kokkos::parallel_for("krossfold::test::sums", OnDevice(0, 9), KOKKOS_LAMBDA(int i) { y(i) = sum_to(x, i); });
}
double total(const Values& x) {
  double sum = 0;
  Kokkos::parallel_reduce("krossfold::test::t", OnDevice(0, 9), KOKKOS_LAMBDA(int i, double& part) { part += x(i); }, sum);
  return sum;
}
double first_copied(const Values& x) {
  const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(x, Kokkos::make_pair(0, 1)));
  return first(0) + static_cast<double>(x.extent(0));
}
void pinned(const Kokkos::View<int*, Kokkos::CudaHostPinnedSpace>& flag) { flag(0) = 1; }
""",
    "needs": """
struct Large { double value[90]; };
void large_functor(const Values& x, const Large& large) {
  Kokkos::parallel_for("krossfold::test::large", OnDevice(0, 9), KOKKOS_LAMBDA(int i) { x(i) += large.value[i]; });
}
void local_array(const Values& x, int n) {
  Kokkos::parallel_for("krossfold::test::local", OnDevice(0, 9), KOKKOS_LAMBDA(int i) {
    int last[16];
    for (int k = 0; k < n; ++k) last[(k * i) % 16] = k;
    x(i) = last[n % 16];
  });
}
void teams(const Values& x) {
  using Team = Kokkos::TeamPolicy<Kokkos::Cuda>;
  Kokkos::parallel_for("krossfold::test::teams", Team(9, Kokkos::AUTO), KOKKOS_LAMBDA(const Team::member_type& member) {
    double sum = 0;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(member, 99), [&](int i, double& part) { part += x(i); }, sum);
    Kokkos::single(Kokkos::PerTeam(member), [&] { x(member.league_rank()) = sum; });
  });
}
""",
}


def cuda_kokkos():
    """(folder, architecture) of the Kokkos that the environment names, or a sentence that says why there is none."""
    name = next((n for n in ("KROSSFOLD_CUDA_KOKKOS", "Kokkos_ROOT") if os.environ.get(n)), None)
    if name is None:
        return "neither KROSSFOLD_CUDA_KOKKOS nor Kokkos_ROOT names a Kokkos with CUDA"
    root = pathlib.Path(os.environ[name])
    config = root / "include" / "KokkosCore_config.h"
    text = config.read_text() if config.is_file() else ""
    arch = re.search(r"^#define KOKKOS_ARCH_[A-Z]+_?(\d\d+)$", text, re.MULTILINE)
    if "#define KOKKOS_ENABLE_CUDA\n" not in text or not arch:
        return f"the Kokkos that {name} names has no CUDA"
    try:
        subprocess.run([root / "bin" / "nvcc_wrapper", "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return f"the nvcc_wrapper of the Kokkos that {name} names does not run (no nvcc?)"
    return root, arch.group(1)


class CheckDeviceCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder, cls.ptxas = pathlib.Path(temporary.name), {}
        for name in SOURCES:
            cls.compile(name)

    @classmethod
    def compile(cls, name):
        root, arch = KOKKOS
        source = cls.folder / f"{name}.cpp"
        source.write_text(HEAD + SOURCES[name] + "}\n")
        (cls.folder / name).mkdir()
        flags = ["-std=c++20", "-O2", "-DKOKKOS_DEPENDENCE", f"-arch=sm_{arch}", "-extended-lambda", "--expt-relaxed-constexpr"]
        done = subprocess.run(
            [root / "bin" / "nvcc_wrapper", *flags, "-Xptxas=-v", "-isystem", root / "include", "-c", source, "-o", cls.folder / name / "x.o"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        cls.ptxas[name] = done.stderr

    def check(self, name, *options):
        return subprocess.run([TOOLS / "check_device_code", self.folder / name, *options], capture_output=True, text=True)

    def test_finds_every_host_access_and_nothing_else(self):
        done = self.check("host")
        found = {re.search(r"\bwrong_\w+|\bhelper\b", line).group() for line in done.stdout.splitlines() if "host code of" in line}
        wanted = set(re.findall(r"wrong_\w+", SOURCES["host"]))
        self.assertEqual(found - {"helper"} | ({"wrong_by_helper"} if "helper" in found else set()), wanted, done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_finds_nothing_in_kernels_and_copies(self):
        done = self.check("right")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, r"^1 object, 3 kernels and \d+ of libraries: no findings\n$")

    def test_finds_a_stack_and_a_large_functor(self):
        done = self.check("needs", "--table")
        self.assertEqual(done.returncode, 1)
        findings = [line for line in done.stdout.splitlines() if line.startswith("x.o: ")]
        self.assertEqual(len(findings), 2, done.stdout)
        self.assertRegex(done.stdout, r"x\.o: local_array lambda 1 takes 64 bytes of local memory for each thread")
        size = int(re.search(r"x\.o: large_functor lambda 1 takes (\d+) bytes of functor", done.stdout).group(1))
        self.assertGreater(size, 90 * 8)  # the array, and the View and the policy
        self.assertLess(size, 90 * 8 + 128)
        self.assertRegex(done.stdout, rf"{size}  sm_\d+  large_functor lambda 1")

    def test_reads_what_ptxas_reports(self):
        reported = {}
        for name, text in re.findall(r"Compiling entry function '(\w+)'(.*?Used .*?)\n", self.ptxas["needs"], re.DOTALL):
            numbers = [re.search(rf"(\d+) {unit}", text) for unit in ("registers", "bytes cumulative stack size", "bytes smem")]
            reported[name] = tuple(int(number.group(1)) if number else 0 for number in numbers)
        path = self.folder / "needs" / "x.o"
        kernels = kernels_of_object(Elf(path.read_bytes(), path), path)
        self.assertEqual({k.symbol: (k.registers, k.stack, k.shared) for k in kernels}, reported)
        self.assertTrue(any(stack for _, stack, _ in reported.values()), "no kernel with a stack")
        self.assertTrue(any(shared for _, _, shared in reported.values()), "no kernel with shared memory")


if __name__ == "__main__":
    KOKKOS = cuda_kokkos()
    if isinstance(KOKKOS, str):
        print(f"skipped ({KOKKOS}) Name one, whose bin folder has nvcc_wrapper.")
        sys.exit(77)
    unittest.main()
