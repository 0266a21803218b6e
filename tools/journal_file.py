# SPDX-License-Identifier: BSD-3-Clause
"""Reads the journals of Krossfold (docs/file-format.md), as far as they are whole."""

import dataclasses
import struct

HEADER = struct.Struct("<8sQQI")  # magic, version, length of what follows (fingerprint, run id), CRC-32C of these
NEWEST_VERSION = 2


class JournalError(Exception):
    """A message in the form PROBLEM (WHY)."""


@dataclasses.dataclass(frozen=True)
class Record:
    key: tuple  # kind and three indices
    status: int
    started: float
    seconds: float
    end: int  # where it ends in the file
    content: bytes  # all of it


def _crc32c_table():
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _crc32c_table()


def crc32c(data):
    """CRC-32C (Castagnoli polynomial, reflected)."""
    table, crc = _TABLE, 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _holds(data):
    return len(data) >= 4 and crc32c(data[:-4]) == struct.unpack("<I", data[-4:])[0]


def _record(content, end):
    kind, *index, status, reason = struct.unpack_from("<I3iiQ", content)
    started, seconds = struct.unpack_from("<2d", content, 28 + reason)
    return Record((kind, *index), status, started, seconds, end, content)


def read_journal(data):
    """The whole records at the start of a journal, in their order; none if it ends within its header.

    Throws JournalError if it is no journal.
    """
    if data[:8] != b"KROSSJNL"[: len(data)]:
        raise JournalError("no journal (it does not begin with KROSSJNL)")
    if len(data) < HEADER.size:
        return []
    _, version, length, _ = HEADER.unpack_from(data)
    if not _holds(data[: HEADER.size]) or version > NEWEST_VERSION:
        raise JournalError(f"its header cannot be read (version {version}, or damage)")
    end = HEADER.size + length + 4
    if len(data) < end:
        return []
    if not _holds(data[:end]):
        raise JournalError("its header is damaged (the CRC-32C is another)")
    records = []
    while data[end : end + 8] == b"KROSSREC" and len(data) >= end + 16:
        stop = end + 16 + struct.unpack_from("<Q", data, end + 8)[0] + 4
        if stop > len(data) or not _holds(data[end:stop]):
            break
        records.append(_record(data[end + 16 : stop - 4], stop))
        end = stop
    return records
