// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "krossfold/core/checksum.hpp"

namespace krossfold::data {

/// The symbols of names, in the order of their numbers: the blank, which is also what stands before and after a name in a window;
/// letters; what else names are written with; the stop symbol, which ends a name.
inline constexpr std::string_view name_alphabet = " abcdefghijklmnopqrstuvwxyz-.'+";
inline constexpr int name_symbols = static_cast<int>(name_alphabet.size());
inline constexpr int blank_symbol = 0, stop_symbol = name_symbols - 1;

/// What folding has done to a text.
struct FoldCount {
  std::int64_t folded = 0;   ///< characters that became others: accents lost, typographic apostrophes and hyphens
  std::int64_t dropped = 0;  ///< characters that have no place in the alphabet
};

/// A text in the letters of name_alphabet (without the stop symbol): small letters, accents dropped ("Zoe" for "Zoë", "ss" for "ß"), blanks
/// in a row as one and none at the ends. UTF-8, or Latin-1 if it is no valid UTF-8. Adds to `count`.
std::string fold_name(std::string_view text, FoldCount& count);

/// Names in the order of their file, repetitions included: how often a name occurs is part of what a model learns.
struct NameSet {
  std::string source;  ///< "names", or the file
  std::vector<std::string> name;
  FoldCount count;
  int left_out = 0;  ///< entries of which nothing was left
  Digest digest = 0;

  int size() const { return static_cast<int>(name.size()); }
};

/// Reads SPEC: names (the built-in list), names:FILE (a name a line), or names:FILE#COLUMN (that column of comma-separated values with a
/// header). Files may be gzipped.
/// Throws an input error for another SPEC, a file that cannot be read, a column that is not there (naming those that are),
/// comma-separated values without a column, or fewer than two names.
NameSet load_names(const std::string& spec);

/// The same from bytes; `column` as in the SPEC, "" for a name a line; `source` is for messages.
NameSet parse_names(std::span<const std::byte> bytes, const std::string& source, const std::string& column);

/// The first round(0.8 n) names train, the rest are held out.
struct NameTask {
  NameSet train, held_out;
};
NameTask split_names(const NameSet& all, int limit = 0);

/// What a character model is trained on: for each name a window of `steps` symbols, and for each of these the symbol that follows. The
/// window of a name of n letters is the blank, its letters, the stop symbol and blanks to the end; for n >= steps it is its last
/// `steps` letters, and the earlier ones are dropped. The symbol that follows the last is the stop symbol if it is part of the name.
struct NameWindows {
  int steps = 0;
  std::vector<int> symbol, next;  ///< (name, step)

  int size() const { return steps == 0 ? 0 : static_cast<int>(symbol.size()) / steps; }
};
NameWindows name_windows(const std::vector<std::string>& names, int steps);

}  // namespace krossfold::data
