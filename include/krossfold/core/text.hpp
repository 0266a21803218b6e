// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace krossfold {

/// Concatenates all arguments as formatted by operator<<.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// The words in one text, with `between` between each two.
std::string joined(const std::vector<std::string>& words, std::string_view between);

/// The shortest decimal that reads back as the same double ("0.001", "1e-06", "nan").
std::string shortest(double value);

/// `value` with `decimals` digits after the point ("0.050"); "-" for NaN.
std::string fixed(double value, int decimals);

/// A duration for people: "850 ms", "12.3 s", "4 min 05 s", "3 h 12 min".
std::string duration_text(double seconds);

/// A number of bytes for people: "512 B", "1.5 GiB".
std::string size_text(std::uint64_t bytes);

/// Parses a duration into seconds: "90", "90s", "15m", "2h", "1-12:00:00" (Slurm), "1:30:00", "15:00".
/// Throws an input error naming `option` if it is malformed or negative.
double parse_duration(std::string_view value, std::string_view option);

/// Parses a size into bytes: "1024", "16K", "2.5G", "8GiB" (powers of 1024).
/// Throws an input error naming `option` if it is malformed, negative or too large.
std::uint64_t parse_size(std::string_view value, std::string_view option);

/// Parses a finite number in the C locale; nothing may follow it. Throws an input error naming `what`.
double parse_number(std::string_view value, std::string_view what);

/// The candidate nearest to `word` by edit distance, or "" if every one differs in more than a third of its letters.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// Throws the input error "unknown WHAT 'word' (it is TAKES)", which suggests the nearest known word if there is one.
[[noreturn]] void throw_unknown_word(std::string_view what, std::string_view word,
                                     const std::vector<std::string>& known, std::string_view takes);

/// Quotes a word for a message, truncated to 40 bytes and with control characters replaced by '?'.
std::string quoted(std::string_view word);
// As good a match as std::quoted, which argument-dependent lookup would find where <iomanip> is included, and which hides nothing.
inline std::string quoted(const std::string& word) { return quoted(std::string_view(word)); }
inline std::string quoted(const char* word) { return quoted(std::string_view(word)); }

}  // namespace krossfold
