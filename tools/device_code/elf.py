# SPDX-License-Identifier: BSD-3-Clause
"""64-bit little-endian ELF files: sections, symbols and relocations of host objects and of cubins alike.

Source: the System V ABI, chapters 4 and 5 (https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html).
"""

import bisect
import struct
from dataclasses import dataclass

from device_code import ObjectError

SYMTAB, RELA = 2, 4  # sh_type
ALLOCATED, EXECUTABLE = 2, 4  # sh_flags
FUNCTION, SECTION = 2, 3  # type of a symbol
ABSOLUTE = 0xFF00  # section numbers from here on name no section


@dataclass
class Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int


@dataclass
class Symbol:
    name: str
    kind: int
    is_local: bool
    section: int
    value: int
    size: int


@dataclass
class Relocation:
    section: int  # the section that it changes
    offset: int
    symbol: int
    addend: int


class Elf:
    """The parts of an ELF file in `data`; `name` is for messages."""

    def __init__(self, data, name):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ObjectError(f"{name}: no 64-bit little-endian ELF file (another kind of file) give a build tree of objects")
        self.data = data
        try:
            self._read()
        except (struct.error, IndexError, ValueError) as error:
            raise ObjectError(f"{name}: a damaged ELF file ({error}) build it again") from error

    def _read(self):
        (first,) = struct.unpack_from("<Q", self.data, 40)
        count, names = struct.unpack_from("<HH", self.data, 60)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, first + 64 * i) for i in range(count)]
        self.sections = [Section(self._text(headers[names][4] + h[0]), h[1], h[2], h[4], h[5], h[6], h[7]) for h in headers]
        self.symbols = []
        for section in self.sections:
            if section.kind == SYMTAB:
                strings = self.sections[section.link].offset
                for at in range(section.offset, section.offset + section.size, 24):
                    name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
                    self.symbols.append(Symbol(self._text(strings + name), info & 15, info < 16, index, value, size))

    def _text(self, at):
        return self.data[at : self.data.index(b"\0", at)].decode("utf-8", "replace")

    def bytes_of(self, section):
        """What is in the file of the section."""
        return self.data[section.offset : section.offset + section.size]

    def text_at(self, section, offset):
        """The zero-terminated text that begins at this offset of the section."""
        return self._text(section.offset + offset)

    def relocations(self):
        """All relocations, in the order of the file."""
        for section in self.sections:
            if section.kind == RELA:
                for at in range(section.offset, section.offset + section.size, 24):
                    offset, info, addend = struct.unpack_from("<QQq", self.data, at)
                    yield Relocation(section.info, offset, info >> 32, addend)


class Functions:
    """Which function lies where in an object."""

    def __init__(self, elf):
        self._starts = {}  # section: sorted [(offset, name)], one name for each place
        places = {}
        for symbol in elf.symbols:
            if symbol.kind == FUNCTION and 0 < symbol.section < ABSOLUTE:
                places.setdefault((symbol.section, symbol.value), symbol)
        for (section, value), symbol in sorted(places.items(), key=lambda item: item[0]):
            self._starts.setdefault(section, []).append((value, symbol))

    def at(self, section, offset):
        """The symbol of the function there; None outside of all."""
        starts = self._starts.get(section, [])
        i = bisect.bisect_right(starts, offset, key=lambda start: start[0]) - 1
        return starts[i][1] if i >= 0 else None
