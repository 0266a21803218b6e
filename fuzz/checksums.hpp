// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Corrects the checksums of changed inputs.

#include <cstdint>

#include "fuzz/target.hpp"

namespace krossfold::fuzz {

/// A number of `count` bytes at `offset`, and its replacement. Precondition: they lie within the input.
std::uint64_t number_at(const Bytes& input, std::size_t offset, int count, bool big_endian = false);
void put_number(Bytes& input, std::size_t offset, int count, std::uint64_t value, bool big_endian = false);

void repair_gzip(Bytes& input);     ///< the CRC-32 and the length at the end of the first member
void repair_zip(Bytes& input);      ///< the CRC-32 and the length of each member that can be inflated
void repair_png(Bytes& input);      ///< the CRC-32 of each chunk
void repair_stored(Bytes& input);   ///< length and CRC-64 of the user block of a result or model file
void repair_part(Bytes& input);     ///< version, identity and CRC-64 behind the state of a unit
void repair_journal(Bytes& input);  ///< the CRC-32C of the header and of each record

}  // namespace krossfold::fuzz
