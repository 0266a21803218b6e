# SPDX-License-Identifier: BSD-3-Clause
"""What each kernel needs, under the short name by which limits and tables know it."""

from dataclasses import dataclass

from device_code.names import LAUNCH, demangle, kernel_name

CONSTANT_FROM = 512  # bytes: Kokkos passes smaller functors as arguments (CudaTraits::ConstantMemoryUseThreshold)
MOST = ("registers", "stack", "shared", "functor")


@dataclass
class Need:
    name: str
    arch: int
    ours: bool  # not a kernel of Kokkos or KokkosKernels
    registers: int  # of each thread
    stack: int  # bytes of local memory of each thread
    shared: int  # static bytes of each team
    functor: int  # bytes, with the policy
    functor_is_least: bool  # its size was not found; it has at least `functor` bytes
    where: str  # an object that has it
    symbol: str


def needs_of(kernels, copied, where):
    """The kernels of an object; `copied` is what copied_functors() finds in it."""
    names = demangle(kernel.symbol for kernel in kernels) if kernels else {}
    needs, left, used = [], [], set()
    for kernel in kernels:
        name, ours = kernel_name(names[kernel.symbol])
        launch = LAUNCH.search(names[kernel.symbol])
        in_constant = launch is not None and launch.group(1) in ("constant", "global")
        need = Need(name, kernel.arch, ours, kernel.registers, kernel.stack, kernel.shared, kernel.parameters, False, where, kernel.symbol)
        if in_constant:
            # Copied by a function named after the kernel, or where that is inlined by the function around the lambda.
            place = name if name in copied else name.rpartition(" lambda ")[0]
            need.functor = max(copied.get(place, [CONSTANT_FROM]))
            need.functor_is_least = place not in copied
            used.add(place)
            if need.functor_is_least:
                left.append(need)
        needs.append(need)
    unused = [sizes for place, sizes in copied.items() if place not in used]
    if len(left) == 1 and len(unused) == 1:  # a functor with a name of its own
        left[0].functor, left[0].functor_is_least = max(unused[0]), False
    return needs


def most_by_name(needs):
    """One for the kernels of each name and architecture, with the most of each need."""
    found = {}
    for need in needs:
        same = found.setdefault((need.name, need.arch), need)
        for field in MOST:
            setattr(same, field, max(getattr(same, field), getattr(need, field)))
    return list(found.values())


def table(needs):
    """The project's own kernels, those with most registers first; then a line on the others."""
    lines = ["registers  stack  static shared  functor  arch   kernel"]
    for need in sorted((n for n in needs if n.ours), key=lambda n: (-n.registers, n.name)):
        functor = f"{'>=' if need.functor_is_least else ''}{need.functor}"
        lines.append(f"{need.registers:9}  {need.stack:5}  {need.shared:13}  {functor:>7}  sm_{need.arch}  {need.name}")
    others = [n for n in needs if not n.ours]
    if others:
        registers, stack, shared, functor = (max(getattr(n, field) for n in others) for field in MOST)
        lines.append(f"{registers:9}  {stack:5}  {shared:13}  {functor:7}         the most of Kokkos' and KokkosKernels' own")
    return "\n".join(lines)
