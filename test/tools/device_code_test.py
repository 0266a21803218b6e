#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What tools/check_device_code reads, on names that were recorded, cubins that are written here, and objects of the host's compiler in
which small types have the names of Kokkos' and nvcc's. check_device_code_test.py has the real ones."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
from device_code import ObjectError, limits  # noqa: E402
from device_code.elf import Elf  # noqa: E402
from device_code.host_access import Calls, host_accesses, read_calls  # noqa: E402
from device_code.kernels import Kernel, kernels_of_cubin, kernels_of_object  # noqa: E402
from device_code.names import arguments, kernel_name, outline, wrapped_lambda  # noqa: E402
from device_code.needs import Need, most_by_name, needs_of, table  # noqa: E402

CUDA_LAUNCH = "void Kokkos::Impl::cuda_parallel_launch_"
VIEW = "Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::CudaSpace>"
SMO = "krossfold::svm::smo<Kokkos::Cuda>(Kokkos::Cuda const&, krossfold::svm::SubProblems<Kokkos::Cuda> const&)"
SMO_WRAPPED = (
    "__nv_hdl_wrapper_t<false, false, false, __nv_dl_tag<void (*)(Kokkos::Cuda const&, krossfold::svm::SubProblems<Kokkos::Cuda> const&), "
    f"&(void {SMO}), 1u>, void (Kokkos::Impl::CudaTeamMember const&), krossfold::svm::SubProblems<Kokkos::Cuda> const>"
)


def elf(sections, symbols=()):
    """An ELF file of (name, type, content) and, from section 1 on, of symbols (name, type, section)."""
    names, symbol_names, table_ = b"\0", b"\0", bytes(24)
    for name, kind, section in symbols:
        table_ += struct.pack("<IBBHQQ", len(symbol_names), 16 + kind, 0, section, 0, 0)
        symbol_names += name.encode() + b"\0"
    sections = [*sections, (".symtab", 2, table_), (".strtab", 3, symbol_names), (".shstrtab", 3, b"")]
    strings = len(sections) - 1
    headers, body = bytes(64), b""
    for name, kind, content in sections:
        if name == ".shstrtab":
            content = names + b".shstrtab\0"
        headers += struct.pack("<IIQQQQIIQQ", len(names), kind, 0, 0, 64 + len(body), len(content), strings, 0, 1, 0)
        names += name.encode() + b"\0"
        body += content
    header = b"\x7fELF\x02\x01" + bytes(10) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(sections) + 1, len(sections))
    return header + body + headers


def cubin(name="k", registers=40, stack=16, shared=1104, parameters=200):
    """A cubin with one kernel."""
    info = b"".join(struct.pack("<BBHII", 4, attribute, 8, 1, value) for attribute, value in ((0x2F, registers), (0x11, 0), (0x12, stack)))
    own = struct.pack("<BBH", 3, 0x1B, 255) + struct.pack("<BBHI", 4, 0x37, 4, 130) + struct.pack("<BBH", 3, 0x19, parameters)
    sections = [(".text." + name, 1, b"code"), (".nv.info", 0x70000000, info), (".nv.info." + name, 0x70000000, own)]
    return elf([*sections, (".nv.shared." + name, 1, bytes(shared))], [(name, 2, 1)])


def fatbin(*entries):
    """A fat binary of (kind, architecture, content)."""
    body = b"".join(struct.pack("<HHIQIIHHI", kind, 257, 64, len(content), 0, 0, 0, 0, arch) + bytes(32) + content for kind, arch, content in entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


class Names(unittest.TestCase):
    def test_arguments_are_split_at_commas_outside_of_brackets(self):
        self.assertEqual(arguments("a<b, c>, void (d, e), f{1, 2}"), ["a<b, c>", "void (d, e)", "f{1, 2}"])

    def test_outlines_leave_out_results_parameters_and_views(self):
        for name, short in (
            (f"void {SMO}", "svm::smo<Cuda>"),
            (f"bool krossfold::svm::(anonymous namespace)::start<Kokkos::Cuda, float>({VIEW} const&, int)", "svm::start<Cuda, float>"),
            (f"krossfold::kernels::fill<{VIEW} >({VIEW})", "kernels::fill"),
            ("krossfold::svm::Rows::operator()(int) const", "svm::Rows::operator()"),
            (f"krossfold::svm::f({VIEW})::{{lambda(int, double&)#3}}::operator()(int) const", "svm::f lambda 3::operator()"),
            ("main", "main"),
        ):
            with self.subTest(name=name):
                self.assertEqual(outline(name), short)

    def test_kernels_are_named_by_their_function_and_lambda(self):
        policy = "Kokkos::TeamPolicy<Kokkos::Cuda>, Kokkos::Cuda"
        smo = f"{SMO}::{{lambda(Kokkos::Impl::CudaTeamMember const&)#1}}"
        unnamed = smo.replace("krossfold::svm::smo", "_INTERNAL_d1b87444_14_active_set_cpp_d10943d6::krossfold::svm::_GLOBAL__N__d1b87444_14_x::smo")
        for functor, name in (
            (smo, "svm::smo<Cuda> lambda 1"),
            (unnamed, "svm::smo<Cuda> lambda 1"),
            (SMO_WRAPPED, "svm::smo<Cuda> lambda 1"),
            ("krossfold::svm::Follow<Kokkos::Cuda>", "svm::Follow<Cuda>"),
            (f"krossfold::svm::BlockSum<{smo} >", "svm::smo<Cuda> lambda 1 in BlockSum"),
            (f"krossfold::svm::BlockSum<{SMO_WRAPPED} >", "svm::smo<Cuda> lambda 1 in BlockSum"),
            (f"Kokkos::Impl::CombinedFunctorReducer<{smo}, Kokkos::Sum<double> >", "svm::smo<Cuda> lambda 1"),
        ):
            for kind in ("For", "Reduce"):
                with self.subTest(functor=functor, kind=kind):
                    kernel = f"{CUDA_LAUNCH}constant_memory<Kokkos::Impl::Parallel{kind}<{functor}, {policy}> >()"
                    self.assertEqual(kernel_name(kernel), (name, True))

    def test_kernels_of_libraries_are_told_apart(self):
        own = "Kokkos::Impl::ViewValueFunctor<Kokkos::Device<Kokkos::Cuda, Kokkos::CudaSpace>, krossfold::svm::KernelRow>"
        for functor in (own, f"KokkosBlas::Impl::DotBasedGEMM<Kokkos::Cuda, {VIEW} >"):
            self.assertFalse(kernel_name(f"{CUDA_LAUNCH}local_memory<Kokkos::Impl::ParallelFor<{functor}, Kokkos::RangePolicy<Kokkos::Cuda>, Kokkos::Cuda> >(int)")[1])

    def test_wrapped_lambdas_are_named_as_the_kernel_is(self):
        self.assertEqual(wrapped_lambda(f"{SMO_WRAPPED}::manager<{SMO}::{{lambda(int)#1}}>::do_call(void*, int)"), "svm::smo<Cuda> lambda 1")
        self.assertIsNone(wrapped_lambda(SMO))


class Kernels(unittest.TestCase):
    def test_reads_what_a_cubin_says_of_its_kernel(self):
        self.assertEqual(kernels_of_cubin(cubin(), 90, "x.o"), [Kernel("k", 90, registers=40, stack=16, shared=80, parameters=200)])

    def test_counts_the_systems_shared_memory_from_sm_90_on_only(self):
        self.assertEqual(kernels_of_cubin(cubin(shared=48), 80, "x.o")[0].shared, 48)
        self.assertEqual(kernels_of_cubin(cubin(shared=1024), 90, "x.o")[0].shared, 0)

    def test_finds_the_cubins_of_every_architecture_beside_ptx(self):
        content = fatbin((2, 80, cubin(registers=30)), (1, 90, b"(\xb5/\xfdcompressed text of PTX")) + fatbin((2, 90, cubin(registers=50)))
        kernels = kernels_of_object(Elf(elf([(".nv_fatbin", 1, content)]), "x.o"), "x.o")
        self.assertEqual([(k.arch, k.registers) for k in kernels], [(80, 30), (90, 50)])

    def test_refuses_what_it_cannot_read(self):
        for content, message in (
            (fatbin((2, 90, b"(\xb5/\xfd compressed")), "compressed"),
            (fatbin((2, 90, cubin()[:200])), "damaged"),
            (fatbin((2, 90, cubin()))[:-9], "beyond its end|damaged"),
            (fatbin((2, 90, elf([(".nv.info.k", 0x70000000, b"")]))), "no registers are listed"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(ObjectError, message):
                kernels_of_object(Elf(elf([(".nv_fatbin", 1, content)]), "x.o"), "x.o")
        with self.assertRaisesRegex(ObjectError, "no 64-bit little-endian ELF file"):
            Elf(b"!<arch>\n", "x.a")


def need(**changed):
    return Need(**{**dict(name="svm::f<Cuda> lambda 1", arch=90, ours=True, registers=32, stack=0, shared=0, functor=100, functor_is_least=False, where="x.o", symbol="f"), **changed})


class Limits(unittest.TestCase):
    def test_a_kernel_within_the_limits_is_no_finding(self):
        self.assertEqual(list(limits.excesses([need(registers=128, functor=511)])), [])

    def test_each_excess_is_a_finding_that_says_why(self):
        for what, value in (("registers", 129), ("stack", 8), ("functor", 512)):
            found = list(limits.excesses([need(**{what: value})]))
            self.assertEqual(len(found), 1)
            self.assertIn(f"x.o: svm::f<Cuda> lambda 1 takes {value} {limits.UNITS[what]} on sm_90 (at most", found[0])
        self.assertEqual(list(limits.excesses([need(ours=False, stack=8)])), [])

    def test_known_kernels_may_take_what_they_took_and_no_more(self):
        for (name, what), limit in limits.SPECIAL.items():
            self.assertEqual(list(limits.excesses([need(name=name, **{what: limit.most})])), [])
            self.assertEqual(len(list(limits.excesses([need(name=name, **{what: limit.most + 1})]))), 1)
            self.assertGreater(len(limit.why.split()), 3, f"{name} has no reason")

    def test_kernels_of_one_name_count_with_the_most_of_each(self):
        both = most_by_name([need(registers=60, symbol="a"), need(stack=8, symbol="b"), need(arch=80)])
        self.assertEqual([(n.arch, n.registers, n.stack) for n in both], [(90, 60, 8), (80, 32, 0)])

    def test_the_table_lists_own_kernels_and_sums_up_others(self):
        lines = table([need(registers=10), need(name="svm::g", registers=90, functor=512, functor_is_least=True), need(ours=False, registers=7)]).split("\n")
        self.assertEqual([line.split()[-1] for line in lines[1:3]], ["svm::g", "1"])
        self.assertIn(">=512", lines[1])
        self.assertEqual((len(lines), lines[3].split()[0]), (4, "7"))

    def test_sizes_of_copied_functors_are_found_by_kernel_function_and_elimination(self):
        symbols = {
            "_ZN6Kokkos4Impl36cuda_parallel_launch_constant_memoryINS0_11ParallelForIN9krossfold1fENS_4CudaEEEEEvv": "f",
            "_ZN6Kokkos4Impl36cuda_parallel_launch_constant_memoryINS0_11ParallelForIN9krossfold1gENS_4CudaEEEEEvv": "g",
        }
        kernels = [Kernel(symbol, 90) for symbol in symbols]
        self.assertEqual([n.functor for n in needs_of(kernels, {"f": [600], "around_g": [700, 650]}, "x.o")], [600, 700])
        unknown = needs_of(kernels, {"h": [600]}, "x.o")
        self.assertEqual([(n.functor, n.functor_is_least) for n in unknown], [(512, True), (512, True)])


FAKES = """
namespace Kokkos {
struct CudaSpace {}; struct HostSpace {}; struct Serial {}; struct Cuda {};
namespace Impl {
template <class Space> __attribute__((noinline, cold)) void runtime_check_memory_access_violation(int) { asm volatile(""); }
template <class Functor, class Space> struct ParallelFor {};
template <class Driver> __attribute__((noinline)) void cuda_parallel_launch_local_memory(Driver) { asm volatile(""); }
}
struct View { int operator()(int i) const { Impl::runtime_check_memory_access_violation<CudaSpace>(i); return i + 1; } };
struct HostView { int operator()(int i) const { Impl::runtime_check_memory_access_violation<HostSpace>(i); return i + 1; } };
}
template <class Type, Type function, unsigned number> struct __nv_dl_tag {};
template <bool, bool, bool, class Tag, class Call> struct __nv_hdl_wrapper_t {
  int (*call)(void*, int);
  template <class Lambda> struct manager { static int do_call(void* p, int i) { return (*static_cast<Lambda*>(p))(i); } };
};
template <auto function, class Lambda> auto wrapped(Lambda&) {
  using Wrapper = __nv_hdl_wrapper_t<false, false, false, __nv_dl_tag<decltype(function), function, 1>, int(int)>;
  return Wrapper{&Wrapper::template manager<Lambda>::do_call};
}
#define NOINLINE __attribute__((noinline))
Kokkos::View x;
"""


class HostAccess(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def found(self, *sources, optimise="-O2"):
        """(function, caller) of every finding in sources that are compiled with FAKES before them."""
        calls = Calls()
        for number, source in enumerate(sources):
            path = self.folder / f"{number}.o"
            command = [os.environ.get("CXX", "c++"), "-std=c++20", optimise, "-fPIC", "-w", "-x", "c++", "-", "-c", "-o", path]
            subprocess.run(command, input=FAKES.replace("Kokkos::View x;", "static Kokkos::View x;") + source, text=True, check=True)
            read_calls(calls, path, Elf(path.read_bytes(), path), path.name)
        return [(function, top) for _, function, top in host_accesses(calls)]

    def test_finds_a_read_whether_or_not_it_is_inlined(self):
        for optimise in ("-O0", "-O2", "-O3"):
            self.assertEqual(self.found("int f() { return x(3); }", optimise=optimise), [("f", "f")])

    def test_memory_of_the_host_may_be_read(self):
        self.assertEqual(self.found("Kokkos::HostView h; int f() { return h(3); }"), [])

    def test_names_the_function_that_reads_and_one_that_reaches_it(self):
        source = "NOINLINE static int reads(int i) { return x(i) + 1; } int outer(int i) { return reads(i) * 2; }"
        self.assertEqual(self.found(source), [("reads", "outer")])

    def test_follows_calls_from_one_object_to_another(self):
        inline = "inline NOINLINE int reads(int i) { return x(i) + 1; }"
        self.assertEqual(self.found(inline + LAUNCHED.replace("x(i)", "reads(i)")), [])
        self.assertEqual(self.found(inline + LAUNCHED.replace("x(i)", "reads(i)"), inline + "int outer() { return reads(3) * 2; }"), [("reads", "outer")])

    def test_the_body_of_a_lambda_that_a_kernel_runs_is_right(self):
        self.assertEqual(self.found(LAUNCHED), [])

    def test_the_body_of_a_lambda_that_no_kernel_runs_is_not(self):
        self.assertEqual(self.found(LAUNCHED.replace("cuda_parallel_launch", "host_launch")), [("owner lambda 1", "owner lambda 1")])

    def test_unlikely_parts_that_lie_elsewhere_are_those_of_their_functions(self):
        source = "int f(int i) { if (i > 3) return x(i); return i * 2; } int g(int i) { if (i > 5) return x(i) + 1; return i * 3; }"
        self.assertEqual(self.found(source), [("f", "f"), ("g", "g")])
        self.assertIn(b"_Z1gi.cold", (self.folder / "0.o").read_bytes())

    def test_static_functions_of_one_name_are_several(self):
        reads = "NOINLINE static int reads(int i) { return x(i) + 1; }"
        other = "NOINLINE static int reads(int i) { return i * i; } int outer(int i) { return reads(i) * 2; }"
        self.assertEqual(self.found(reads + LAUNCHED.replace("x(i)", "reads(i)"), other), [])

    def test_who_takes_the_address_of_a_function_may_call_it(self):
        reads = "NOINLINE static int reads(int i) { return i > 3 ? x(i) : i * i; }"
        source = reads + LAUNCHED.replace("x(i)", "reads(i)")
        self.assertEqual(self.found(source + "auto outer(int) { return &reads; }"), [("reads", "outer")])

    def test_functions_in_tables_may_be_called_by_others_than_a_kernel(self):
        source = "struct Base { NOINLINE virtual int read(int i); }; int Base::read(int i) { return x(i); } Base base;"
        self.assertEqual(self.found(source + LAUNCHED.replace("x(i)", "base.Base::read(i)")), [("Base::read", "Base::read")])
        self.assertEqual(self.found(source.replace("virtual", "") + LAUNCHED.replace("x(i)", "base.Base::read(i)")), [])


LAUNCHED = """
namespace Kokkos::Impl { template <class Driver> NOINLINE void host_launch_local_memory(Driver) { asm volatile(""); } }
void owner(int) {
  auto body = [](int i) { return x(i); };
  auto wrapper = wrapped<&owner>(body);
  asm volatile("" : : "r"(wrapper.call));
  Kokkos::Impl::cuda_parallel_launch_local_memory(Kokkos::Impl::ParallelFor<decltype(wrapper), Kokkos::Cuda>());
}
"""


class Command(unittest.TestCase):
    def run_on(self, *arguments_):
        return subprocess.run([TOOLS / "check_device_code", *arguments_], capture_output=True, text=True)

    def test_refuses_a_folder_without_device_code(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_on(folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("no kernel in 0 objects (no CUDA build, or not built yet?)", done.stderr)
            done = self.run_on(folder + "/missing")
            self.assertEqual(done.returncode, 2)
            self.assertIn("no such folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
