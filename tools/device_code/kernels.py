# SPDX-License-Identifier: BSD-3-Clause
"""What each kernel of an object needs of a GPU, read out of the cubins that nvcc embeds in it.

The section .nv_fatbin holds fat binaries: a header (magic number, size), then entries, each with a header (kind, architecture) and
a cubin or PTX. A cubin is an ELF file whose .nv.info sections list attributes. NVIDIA documents neither; the numbers below are
those of CUDA 13, where a test compares what is read here with what `ptxas -v` prints.
"""

import struct
from dataclasses import dataclass

from device_code import ObjectError
from device_code.elf import Elf, Functions
from device_code.names import demangle, kernel_name

FATBIN_MAGIC = 0xBA55ED50
CUBIN = 2  # kind of an entry; 1 is PTX
REGISTERS, MIN_STACK, PARAMETER_BYTES = 0x2F, 0x12, 0x19  # attributes
WITH_BYTES = 4  # format of an attribute whose value has a length of its own; others have two bytes
SHARED_OF_SYSTEM = 1024  # bytes of the section .nv.shared that are not the kernel's, from sm_90 on; ptxas -v does not count them
SET_SIZE = 0xBA  # the first byte of x86-64's mov imm32, %edx: the third argument of a call


@dataclass
class Kernel:
    symbol: str  # mangled
    arch: int  # 90 for sm_90
    registers: int = 0  # of each thread
    stack: int = 0  # bytes of local memory of each thread: arrays indexed at run time, and spilled registers
    shared: int = 0  # bytes of static shared memory of each team
    parameters: int = 0  # bytes: the functor with its policy, if they are passed as an argument


def attributes(data):
    """(attribute, value) of a section .nv.info."""
    at = 0
    while at + 4 <= len(data):
        form, attribute, size = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == WITH_BYTES:
            yield attribute, data[at : at + size]
            at += size
        else:
            yield attribute, size


def kernels_of_cubin(data, arch, name):
    """Every kernel of a cubin."""
    elf = Elf(data, name)
    named = {section.name: section for section in elf.sections}
    kernels = {}
    for section in elf.sections:
        if section.name.startswith(".nv.info."):
            kernel = Kernel(section.name.removeprefix(".nv.info."), arch)
            kernel.parameters = dict(attributes(elf.bytes_of(section))).get(PARAMETER_BYTES, 0)
            shared = named.get(".nv.shared." + kernel.symbol)
            kernel.shared = max(0, shared.size - (SHARED_OF_SYSTEM if arch >= 90 else 0)) if shared else 0
            kernels[kernel.symbol] = kernel
    if kernels and ".nv.info" not in named:
        raise ObjectError(f"{name}: no registers are listed in a cubin (another CUDA version?) adapt tools/device_code/kernels.py")
    for attribute, value in attributes(elf.bytes_of(named[".nv.info"])) if kernels else ():
        if attribute in (REGISTERS, MIN_STACK):
            index, number = struct.unpack("<II", value)
            kernel = kernels.get(elf.symbols[index].name)
            if kernel and attribute == REGISTERS:
                kernel.registers = number
            elif kernel:
                kernel.stack = number
    return list(kernels.values())


def fatbin_entries(data, name):
    """(kind, architecture, content) of every entry of every fat binary in a section .nv_fatbin."""
    at = 0
    while at + 16 <= len(data):
        magic, _, header, size = struct.unpack_from("<IHHQ", data, at)
        if magic != FATBIN_MAGIC:
            at += 8  # fat binaries are aligned to 8 bytes
            continue
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, entry_header, entry_size = struct.unpack_from("<HHIQ", data, entry)
            (arch,) = struct.unpack_from("<I", data, entry + 28)
            if entry_header < 32 or entry + entry_header + entry_size > end:
                raise ObjectError(f"{name}: an entry of the fat binary goes beyond its end (damaged?) build it again")
            yield kind, arch, data[entry + entry_header : entry + entry_header + entry_size]
            entry += entry_header + entry_size
        at = end


def kernels_of_object(elf, name):
    """Every kernel of a host object, for each architecture that it was compiled for."""
    found = []
    for section in elf.sections:
        if section.name == ".nv_fatbin":
            for kind, arch, content in fatbin_entries(elf.bytes_of(section), name):
                if kind != CUBIN:
                    continue
                if content[:4] != b"\x7fELF":
                    raise ObjectError(f"{name}: its cubin is compressed (nvcc's default of this version?) build with nvcc's option --no-compress")
                found += kernels_of_cubin(content, arch, name)
    return found


def copied_functors(elf):
    """{function of the host: bytes of the functors that it copies to the constant memory of the device, in the order of its code}, with the
    short names of kernels for functions that launch but one. The sizes are read from x86-64 code; other code has none."""
    functions, found = Functions(elf), {}
    for relocation in elf.relocations():
        if elf.symbols[relocation.symbol].name == "cudaMemcpyToSymbolAsync":
            function = functions.at(relocation.section, relocation.offset)
            before = elf.bytes_of(elf.sections[relocation.section])[max(0, relocation.offset - 40) : relocation.offset]
            at = before.rfind(SET_SIZE, 0, len(before) - 4)
            if function is not None and at >= 0:
                found.setdefault(function.name, []).append(*struct.unpack_from("<I", before, at + 1))
    names = demangle(found) if found else {}
    return {kernel_name(names[function])[0]: sizes for function, sizes in found.items()}
