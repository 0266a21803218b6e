// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "krossfold/core/checksum.hpp"

namespace krossfold::input {

/// The symbols of names in index order: the blank, which also pads windows before and after a name; the letters; other
/// characters that occur in names; the stop symbol, which ends a name.
inline constexpr std::string_view name_alphabet = " abcdefghijklmnopqrstuvwxyz-.'+";
inline constexpr int name_symbols = static_cast<int>(name_alphabet.size());
inline constexpr int blank_symbol = 0, stop_symbol = name_symbols - 1;

/// Counts of the changes made by fold_name().
struct FoldCount {
  std::int64_t folded = 0;   ///< characters replaced: accented letters, typographic apostrophes and hyphens
  std::int64_t dropped = 0;  ///< characters without an equivalent in the alphabet
};

/// Folds a text to name_alphabet (without the stop symbol): lower case, accents removed ("zoe" for "Zoë", "ss" for
/// "ß"), runs of blanks collapsed and trimmed. `text` is UTF-8, or Latin-1 if it is not valid UTF-8. Adds to `count`.
std::string fold_name(std::string_view text, FoldCount& count);

/// Names in file order, including duplicates, because a model also learns their frequencies.
struct NameSet {
  std::string source;  ///< "names", or the file
  std::vector<std::string> name;
  FoldCount count;
  int left_out = 0;  ///< entries that folding left empty
  Digest digest = 0;

  int size() const { return static_cast<int>(name.size()); }
};

/// Loads SPEC: names (the built-in list), names:FILE (one name per line), or names:FILE#COLUMN (that column of a CSV
/// file with a header). Files may be gzipped.
/// Throws an input error for any other SPEC, an unreadable file, an unknown column (listing those that exist), a CSV
/// file without `#COLUMN`, text in UTF-16, or fewer than two names.
NameSet load_names(const std::string& spec);

/// The same from bytes; `column` is as in SPEC, "" for one name per line; `source` is used in messages.
NameSet parse_names(std::span<const std::byte> bytes, const std::string& source, const std::string& column);

/// The first round(0.8 n) names train, or the first `limit` of these if it is not 0; the rest of the n are held out.
struct NameTask {
  NameSet train, held_out;
};
NameTask split_names(const NameSet& all, int limit = 0);

/// Training data of a character model: for each name a window of `steps` symbols, and for each of these the next
/// symbol. The window of a name of n letters is a blank, the letters, the stop symbol and padding blanks; if n >=
/// steps, it is the last `steps` letters, and the next symbol after the last of them is the stop symbol.
struct NameWindows {
  int steps = 0;
  std::vector<int> symbol, next;  ///< (name, step)

  int size() const { return steps == 0 ? 0 : static_cast<int>(symbol.size()) / steps; }
};
NameWindows name_windows(const std::vector<std::string>& names, int steps);

}  // namespace krossfold::input
