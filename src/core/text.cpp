// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "krossfold/core/error.hpp"

namespace krossfold {
namespace {

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& letter : out) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return out;
}

std::string short_fixed(double value) {
  std::string out = fixed(value, 1);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::string two_digits(long long value) { return text(value < 10 ? "0" : "", value); }

// Removes a number from the start of `value`; returns false if there is none. A number too large becomes infinity.
bool take_number(std::string_view& value, double& number) {
  std::string_view rest = value;
  if (rest.size() > 1 && rest[0] == '+' && rest[1] != '-') rest.remove_prefix(1);  // from_chars rejects a '+'
  const char* end = rest.data() + rest.size();
  auto [stop, error] = std::from_chars(rest.data(), end, number);
  if (error == std::errc::result_out_of_range) {
    // Underflow gives 0, as with strtod; a wider type distinguishes it from overflow.
    long double wide = 0;
    const auto again = std::from_chars(rest.data(), end, wide);
    const bool small = again.ec == std::errc() && std::fabs(wide) < 1;
    number = small ? static_cast<double>(wide) : std::numeric_limits<double>::infinity();
    error = std::errc();
  }
  if (error != std::errc()) return false;
  value.remove_prefix(stop - value.data());
  return true;
}

// Splits "1:30:00" into its numbers; empty if `value` does not have that form.
std::vector<double> clock_fields(std::string_view value) {
  std::vector<double> fields;
  while (true) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc()) return {};
    fields.push_back(static_cast<double>(number));
    value.remove_prefix(stop - value.data());
    if (value.empty()) return fields;
    if (value[0] != ':') return {};
    value.remove_prefix(1);
  }
}

// Converts "15:00", "1:30:00", "1-12", "1-12:00", "1-12:00:00" to seconds; returns -1 for any other form.
double clock_seconds(std::string_view value) {
  constexpr std::array<double, 4> length = {86400, 3600, 60, 1};
  constexpr std::array<double, 4> limit = {0, 24, 60, 60};
  std::vector<double> fields;
  std::size_t unit = 0;  // of the first field
  if (const std::size_t dash = value.find('-'); dash != std::string_view::npos) {
    fields = clock_fields(value.substr(0, dash));
    const std::vector<double> rest = clock_fields(value.substr(dash + 1));
    if (fields.size() != 1 || rest.empty() || rest.size() > 3) return -1;
    fields.insert(fields.end(), rest.begin(), rest.end());
  } else {
    fields = clock_fields(value);
    if (fields.size() < 2 || fields.size() > 3) return -1;
    unit = 4 - fields.size();
  }
  double seconds = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0 && fields[i] >= limit[unit + i]) return -1;
    seconds += fields[i] * length[unit + i];
  }
  return seconds;
}

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of adjacent letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  std::array<char, 400> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals);
  return {digits.data(), end.ptr};
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";  // to_chars would include its sign
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0) return text('-', duration_text(-seconds));
  // Each limit is where rounding would reach a whole unit of the next larger size.
  if (seconds == 0) return "0 s";
  if (seconds < 0.00995) return short_fixed(seconds * 1e3) + " ms";
  if (seconds < 0.9995) return fixed(seconds * 1e3, 0) + " ms";
  if (seconds < 59.95) return short_fixed(seconds) + " s";
  if (seconds >= 3.6e15) return text(shortest(seconds), " s");
  const long long whole = std::llround(seconds), minutes = std::llround(seconds / 60);
  if (whole < 3600) return text(whole / 60, " min ", two_digits(whole % 60), " s");
  return text(minutes / 60, " h ", two_digits(minutes % 60), " min");
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> unit = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t k = 0;
  for (; value >= 1023.95; ++k) value /= 1024;
  return short_fixed(value) + unit[k];
}

double parse_duration(std::string_view value, std::string_view option) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units = {
      {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
  double seconds = clock_seconds(value);
  if (seconds >= 0) return seconds;
  std::string_view rest = value;
  if (double number = 0; take_number(rest, number))
    for (const auto& [name, length] : units)
      if (rest == name) seconds = number * length;
  if (std::isfinite(seconds) && seconds >= 0 && !std::signbit(seconds)) return seconds;
  throw_input_error(text(option, ": ", quoted(value), " is not a duration"), "",
                    "write it as 90, 90s, 15m, 2h, 15:00, 1:30:00 or 1-12:00:00");
}

std::uint64_t parse_size(std::string_view value, std::string_view option) {
  constexpr std::string_view prefixes = "kmgtpe";
  const auto fail = [&](const char* why) {
    throw_input_error(text(option, ": ", quoted(value), " is not a size"), why, "write it as 1024, 16K, 2.5G or 8GiB");
  };
  std::uint64_t whole = 0;
  double number = 0;
  std::string_view rest = value;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), whole);
  bool exact = error == std::errc();
  if (exact) rest.remove_prefix(stop - value.data());
  if (!exact || (!rest.empty() && std::string_view(".eE").find(rest[0]) != std::string_view::npos)) {
    exact = false;
    rest = value;
    if (!take_number(rest, number)) fail("it does not start with a number");
  }
  std::string unit = lower(rest);
  std::uint64_t factor = 1;
  if (const std::size_t power = unit.empty() ? std::string_view::npos : prefixes.find(unit[0]);
      power != std::string_view::npos) {
    factor = std::uint64_t{1} << (10 * (power + 1));
    unit.erase(0, 1);
    if (unit == "ib") unit = "b";
  }
  if (!unit.empty() && unit != "b") fail("its unit is unknown");
  if (exact) {
    if (whole > std::numeric_limits<std::uint64_t>::max() / factor) fail("it is too large");
    return whole * factor;
  }
  const double bytes = std::floor(number * static_cast<double>(factor));
  if (std::signbit(number) || std::isnan(bytes)) fail("it is negative or not a number");
  if (bytes >= 0x1p64) fail("it is too large");
  return static_cast<std::uint64_t>(bytes);
}

double parse_number(std::string_view value, std::string_view what) {
  double number = 0;
  std::string_view rest = value;
  const char* why = "";
  if (value.empty()) {
    why = "it is empty";
  } else if (take_number(rest, number)) {
    if (rest.empty() && std::isfinite(number)) return number;
    why = !rest.empty() ? "something follows the number" : "it must be finite, and at most 1.8e308 in magnitude";
  }
  throw_input_error(text(what, ": ", quoted(value), " is not a number"), why);
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string all;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0) all += between;
    all += words[k];
  }
  return all;
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string shown = "'";
  for (const char letter : word.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(letter);
    shown += code < 32 || code == 127 ? '?' : letter;
  }
  return shown + (word.size() > longest ? "...'" : "'");
}

void throw_unknown_word(std::string_view what, std::string_view word, const std::vector<std::string>& known,
                        std::string_view takes) {
  const std::string nearest = nearest_word(word, known);
  throw_input_error(text("unknown ", what, " ", quoted(word)), text("it is ", takes),
                    nearest.empty() ? "" : text("Did you mean ", nearest, "?"));
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string wanted = lower(word);
  std::size_t least = wanted.size() / 3 + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace krossfold
