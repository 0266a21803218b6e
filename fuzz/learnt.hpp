// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What models learnt of their tables, for readers of the tables that are given to a model.

#include "krossfold/data/table_encoding.hpp"

namespace krossfold::fuzz {

inline constexpr unsigned learnt_kinds = 4;

/// The encoding of a small table: 0 numbers and text with names, missing values filled; 1 without names; 2 names, of which one occurs
/// twice; 3 four columns of numbers without a label, none missing.
const data::TableEncoding& learnt(unsigned kind);

}  // namespace krossfold::fuzz
