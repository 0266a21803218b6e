// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/label_spelling.hpp"
#include "krossfold/data/text_lines.hpp"

namespace krossfold::data {
namespace {

std::optional<double> number_in(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Whether a label is a number as people and programs write classes: a sign, digits without a leading zero, decimals, and after
/// decimals an exponent, as numpy.savetxt writes it. 007 and 1E2 are codes, and 20 digits more than a number holds.
bool is_plain_number(std::string_view word) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::size_t exact = 15;  // digits that a double holds
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
  const std::size_t whole = std::min(word.find_first_not_of(digits), word.size());
  if (whole == 0 || whole > exact || (whole > 1 && word[0] == '0')) return false;
  word.remove_prefix(whole);
  if (word.empty()) return true;
  if (word[0] != '.') return false;
  word.remove_prefix(std::min(word.find_first_not_of(digits, 1), word.size()));
  if (word.empty()) return true;
  if (word[0] != 'e' && word[0] != 'E') return false;
  word.remove_prefix(word.size() > 1 && (word[1] == '+' || word[1] == '-') ? 2 : 1);
  return !word.empty() && word.find_first_not_of(digits) == std::string_view::npos;
}

void check_label(const std::string& written, std::size_t sample, const std::string& file) {
  const auto number = number_in(written);
  if (!written.empty() && (!number || std::isfinite(*number))) return;
  throw_input_error(text("sample ", sample + 1, " of ", file, " has no label"),
                    written.empty() ? "it is empty" : text("it says ", quoted(written)), "remove unlabelled samples");
}

/// Lists the first few names for a message.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  return names.size() > shown ? text(list, ", ... (", names.size(), " in all)") : list;
}

void sort_classes(std::vector<std::string>& names) {
  const bool numbers = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    const auto number = number_in(name);
    return number && std::isfinite(*number);  // NaN, the name of a folder, has no place among numbers
  });
  if (numbers) {
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
      return std::pair(*number_in(a), std::string_view(a)) < std::pair(*number_in(b), std::string_view(b));
    });
  } else {
    std::sort(names.begin(), names.end());
  }
}

}  // namespace

std::optional<std::string> plain_digits(double number) {
  constexpr double most = 1e15, least = 1e-5;
  if (number == 0) return "0";  // -0 too
  if (!(std::abs(number) < most && std::abs(number) >= least)) return std::nullopt;
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, std::chars_format::fixed).ptr;
  return std::string(std::begin(digits), end);
}

std::string one_spelling(const std::string& written) {
  const auto number = number_in(written);
  if (!number || !std::isfinite(*number) || !is_plain_number(written)) return written;
  return plain_digits(*number).value_or(shortest(*number));
}

namespace {

/// index_labels() with `spell`, which gives the class that a text means, or "" for none.
template <class Spell>
Labels index_spelled(const std::vector<std::string>& written, const std::vector<std::string>& known,
                     const std::string& file, OddLabel odd, const Spell& spell) {
  // Check each distinct text only once; files have few of them, but many samples.
  std::unordered_map<std::string, int> text_number;
  std::vector<std::string> spelling;
  std::vector<std::size_t> first_sample;
  const Vector<int> label(uninitialized("krossfold::data::label"), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto [entry, is_new] = text_number.try_emplace(written[i], static_cast<int>(spelling.size()));
    if (is_new) {
      spelling.push_back(spell(written[i], i));
      first_sample.push_back(i);
    }
    label(i) = entry->second;
  }

  std::vector<std::string> names = known;
  if (known.empty()) {
    names = spelling;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::erase(names, "");
    sort_classes(names);
  }
  std::unordered_map<std::string, int> class_number;
  for (std::size_t c = 0; c < names.size(); ++c) class_number.emplace(names[c], static_cast<int>(c));

  std::vector<int> class_of(spelling.size());
  for (std::size_t t = 0; t < spelling.size(); ++t) {
    const auto found = class_number.find(spelling[t]);
    if (found == class_number.end() && odd == OddLabel::refused) {
      throw_input_error(text("label ", quoted(spelling[t]), " of sample ", first_sample[t] + 1, " in ", file,
                             " is not one of the known classes"),
                        text("they are ", listed(names)), "give data of the kind used for training");
    }
    class_of[t] = found == class_number.end() ? -1 : found->second;
  }
  for (std::size_t i = 0; i < written.size(); ++i) label(i) = class_of[label(i)];
  return {label, names};
}

}  // namespace

Labels index_labels(const std::vector<std::string>& written, const std::vector<std::string>& known,
                    const std::string& file, OddLabel odd) {
  const std::set<std::string> classes(known.begin(), known.end());
  return index_spelled(written, known, file, odd, [&](const std::string& label, std::size_t sample) {
    if (odd == OddLabel::refused) check_label(label, sample, file);
    return classes.contains(label) ? label : one_spelling(label);
  });
}

Labels index_names(const std::vector<std::string>& written, const std::vector<std::string>& known,
                   const std::string& file, OddLabel odd) {
  return index_spelled(written, known, file, odd, [](const std::string& name, std::size_t) { return name; });
}

}  // namespace krossfold::data
