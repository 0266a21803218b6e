# SPDX-License-Identifier: BSD-3-Clause
"""CRC-64/XZ (ECMA-182 polynomial, reflected), of many pieces of the data at once."""

import numpy as np

POLYNOMIAL = np.uint64(0xC96C5795D7870F42)
ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
MOST_LANES = 4096  # pieces that are taken together
BYTE = np.uint64(0xFF)
EIGHT = np.uint64(8)


def _byte_table():
    crc = np.arange(256, dtype=np.uint64)
    for _ in range(8):
        crc = (crc >> np.uint64(1)) ^ np.where(crc & np.uint64(1), POLYNOMIAL, np.uint64(0))
    return crc


TABLE = _byte_table()


def _apply(columns, values):
    """The product over GF(2) of a 64 x 64 matrix, given by its columns, with each of the values."""
    product = np.zeros_like(values)
    for bit in range(64):
        product ^= np.where((values >> np.uint64(bit)) & np.uint64(1), columns[bit], np.uint64(0))
    return product


def _zero_bytes(count):
    """The matrix that feeding `count` zero bytes applies to the register, by squaring."""
    matrix = np.uint64(1) << np.arange(64, dtype=np.uint64)
    power = TABLE[matrix & BYTE] ^ (matrix >> EIGHT)
    while count:
        if count & 1:
            matrix = _apply(power, matrix)
        power = _apply(power, power)
        count >>= 1
    return matrix


def _register(crc, data):
    for byte in data.tolist():
        crc = int(TABLE[(crc ^ byte) & 0xFF]) ^ crc >> 8
    return crc


def crc64(data):
    """The CRC-64/XZ of bytes.

    The data are cut into 2^k pieces of one length, whose registers run side by side. The register is linear over GF(2): that of two
    pieces is the first one's, moved on over as many zero bytes as the second one has, plus the second one's.
    """
    data = np.frombuffer(data, dtype=np.uint8)
    lanes = 1
    while lanes < MOST_LANES and data.size >= 128 * lanes:
        lanes *= 2
    length = data.size // lanes
    head = data.size - lanes * length  # bytes before the pieces
    crc = _register(0xFFFFFFFFFFFFFFFF, data[:head])
    if lanes == 1:
        return _register(crc, data[head:]) ^ 0xFFFFFFFFFFFFFFFF
    register = np.zeros(lanes, dtype=np.uint64)
    register[0] = crc
    pieces = np.ascontiguousarray(data[head:].reshape(lanes, length).T)
    for column in pieces:
        register = TABLE[(register & BYTE) ^ column] ^ (register >> EIGHT)
    matrix = _zero_bytes(length)
    while register.size > 1:
        register = _apply(matrix, register[0::2]) ^ register[1::2]
        matrix = _apply(matrix, matrix)
    return int(register[0] ^ ONES)
