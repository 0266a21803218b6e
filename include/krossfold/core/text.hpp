// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace krossfold {

/// All arguments written one after the other, as operator<< writes them.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// The shortest decimal that reads back as the same double ("0.001", "1e-06", "nan").
std::string shortest(double value);

/// With so many decimals ("0.050"); "-" for NaN.
std::string fixed(double value, int decimals);

/// "850 ms", "12.3 s", "4 min 05 s", "3 h 12 min": a duration for people.
std::string duration_text(double seconds);

/// "512 B", "1.5 GiB": a number of bytes for people.
std::string size_text(std::uint64_t bytes);

/// A duration for the program, in seconds: "90", "90s", "15m", "2h", "1-12:00:00" (Slurm), "1:30:00", "15:00".
/// Throws an input error that names `option` if it cannot be read or is negative.
double parse_duration(std::string_view value, std::string_view option);

/// A size for the program, in bytes: "1024", "16K", "2.5G", "8GiB" (powers of 1024).
/// Throws an input error that names `option` if it cannot be read.
std::uint64_t parse_size(std::string_view value, std::string_view option);

/// A finite number with nothing behind it, in the C locale. Throws an input error that names `what`.
double parse_number(std::string_view value, std::string_view what);

/// The candidate nearest to `word` by edit distance, or "" if none is near (more than a third of its letters off).
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace krossfold
