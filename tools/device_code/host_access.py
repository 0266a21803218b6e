# SPDX-License-Identifier: BSD-3-Clause
"""Host code that reads or writes device memory through a View.

It compiles, and aborts when it runs: Kokkos' View::operator() calls a check in host code, which is empty for memory that the host
can reach. So a function that refers to the check for other memory, itself or through what it calls, is wrong if it runs on the host.

nvcc compiles the bodies of KOKKOS_LAMBDA for the host, too, as `__nv_hdl_wrapper_t<...>::manager<...>::do_call`. They have the check
and are right as long as they run on a device only. They count as right if their object has a CUDA kernel of the same lambda: one
that is launched on the host, or called there, has none. What cannot be seen is a lambda that is launched on both.
"""

import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field

from device_code.elf import ABSOLUTE, ALLOCATED, EXECUTABLE, FUNCTION, SECTION, Functions
from device_code.names import LAUNCH, demangle, outline, wrapped_lambda, wrappers_in

CHECK = re.compile(r"(?:MemoryAccessViolation|memory_access_violation)I")  # mangled: a template's instance
OF_DEVICE = re.compile(r"(?:MemoryAccessViolation|memory_access_violation)<Kokkos::CudaSpace\b")
LAMBDA_BODY = re.compile(r"^(?:static )?.*__nv_hdl_wrapper_t<.*>::manager<.*::do_call\(")
LIBRARY = re.compile(r"^(?:\w+ )*(?:Kokkos|std)::")
CLONE = re.compile(r"(?:\.(?:cold|isra|part|constprop|lto_priv)(?:\.\d+)*)+$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:(?:call|j[a-z]+)\s+([0-9a-f]+) <|lea\b.*# ([0-9a-f]+) <)?")
SECTION_HEADING = re.compile(r"^Disassembly of section (.*):$")
IGNORED_DATA = (".eh_frame", ".gcc_except_table", ".nv")


@dataclass
class Calls:
    """Who refers to whom in host code. Functions that a linker merges are one: their mangled name; others have their object's."""

    callers: dict = field(default_factory=lambda: defaultdict(set))
    objects: dict = field(default_factory=lambda: defaultdict(set))  # function: the objects that have it
    from_data: set = field(default_factory=set)  # functions whose address a table has
    launched: set = field(default_factory=set)  # (object, lambda wrapper) with a CUDA kernel


def references_without_relocation(path, elf):
    """(section, offset, target offset) of calls, jumps and addresses within a section that the assembler resolved."""
    relocated, numbers = defaultdict(set), defaultdict(list)
    for relocation in elf.relocations():
        relocated[relocation.section].add(relocation.offset)
    for number, section in enumerate(elf.sections):
        if section.flags & EXECUTABLE and section.size:
            numbers[section.name].append(number)
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    number, last = None, None
    for line in listing.splitlines():
        heading = SECTION_HEADING.match(line)
        if heading:  # sections of the same name follow one another in their order
            number = numbers[heading.group(1)].pop(0)
        instruction = INSTRUCTION.match(line)
        if not (heading or instruction):
            continue
        if last is not None:
            section, at, target = last
            end = int(instruction.group(1), 16) if instruction else at + 8
            if relocated[section].isdisjoint(range(at, end)):
                yield last
        target = instruction and (instruction.group(2) or instruction.group(3))
        last = (number, int(instruction.group(1), 16), int(target, 16)) if target else None
    if last is not None and relocated[last[0]].isdisjoint(range(last[1], last[1] + 8)):
        yield last


def read_calls(calls, path, elf, where):
    """Adds the functions of the object at `path` and their references to `calls`, as those of `where`."""
    functions = Functions(elf)

    def key(symbol):
        name = CLONE.sub("", symbol.name)
        return f"{name}@{where}" if symbol.is_local else name

    def refer(section, offset, target):
        caller = functions.at(section, offset)
        if caller is None:
            calls.from_data.add(target)
        elif key(caller) != target:
            calls.callers[target].add(key(caller))

    for symbol in elf.symbols:
        if symbol.kind == FUNCTION and 0 < symbol.section < ABSOLUTE:
            calls.objects[key(symbol)].add(where)
    for relocation in elf.relocations():
        section, symbol = elf.sections[relocation.section], elf.symbols[relocation.symbol]
        if not section.flags & ALLOCATED or section.name.startswith(IGNORED_DATA):
            continue
        if symbol.kind == SECTION:
            # A reference from code is relative to the end of its four bytes.
            place = relocation.addend + (4 if section.flags & EXECUTABLE else 0)
            symbol = functions.at(symbol.section, place)
        elif 0 < symbol.section < ABSOLUTE:
            symbol = functions.at(symbol.section, symbol.value)  # one of the names of the place
        if symbol is not None and symbol.name:
            if section.flags & EXECUTABLE:
                refer(relocation.section, relocation.offset, key(symbol))
            else:
                calls.from_data.add(key(symbol))
    for section, at, target in references_without_relocation(path, elf):
        callee = functions.at(section, target)
        if callee is not None:
            refer(section, at, key(callee))
    kernels = [s.name for s in elf.symbols if "cuda_parallel_launch_" in s.name]
    for name in demangle(kernels).values() if kernels else ():
        if LAUNCH.search(name):
            calls.launched.update((where, wrapper) for wrapper in wrappers_in(name))


def host_accesses(calls):
    """(objects, function, caller) for every function that reads or writes device memory where the host runs it. `caller` is a function
    that nobody calls in these objects, by which it is reached; it may be the function itself."""
    names = {}

    def name_of(function):
        if function not in names:
            mangled = function.split("@", 1)[0]
            names[function] = demangle([mangled])[mangled]
        return names[function]

    def above(functions):
        return {caller for function in functions for caller in calls.callers.get(function, ())}

    def is_right(function):
        """The body of a lambda that a CUDA kernel of its object runs."""
        name = name_of(function)
        if not LAMBDA_BODY.search(name):
            return False
        wrapper = next(wrappers_in(name))
        return any((where, wrapper) in calls.launched for where in calls.objects[function])

    def top_above(function):
        """A function that the host may run and that reaches this one; None if there is none."""
        seen, waiting = set(), [function]
        while waiting:
            here = waiting.pop()
            if here in seen or is_right(here):
                continue
            seen.add(here)
            if not calls.callers.get(here) or here in calls.from_data or LAMBDA_BODY.search(name_of(here)):
                return here
            waiting += sorted(calls.callers[here])
        return None

    checks = {function for function in {*calls.callers, *calls.objects} if CHECK.search(function) and OF_DEVICE.search(name_of(function))}
    accessing, seen, waiting = set(), set(checks), checks
    while waiting:  # up through what Kokkos itself has, such as View::operator() where it is not inlined
        waiting = above(waiting) - seen
        seen |= waiting
        outside = {function for function in waiting if not LIBRARY.match(name_of(function)) or LAMBDA_BODY.search(name_of(function))}
        accessing |= outside
        waiting -= outside
    for function in sorted(accessing):
        top = top_above(function)
        if top is not None:
            shown = [wrapped_lambda(name_of(f)) or outline(name_of(f)) for f in (function, top)]
            yield sorted(calls.objects[function]), *shown
