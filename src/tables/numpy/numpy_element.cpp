// SPDX-License-Identifier: BSD-3-Clause
#include "numpy_element.hpp"

#include <charconv>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"

namespace krossfold::tables {

namespace {

/// Appends a character as UTF-8.
void append(std::string& word, std::uint32_t letter, const std::string& where) {
  if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000)) {
    throw_input_error(text(where, " is damaged"), text(letter, " is not a character"));
  }
  const auto put = [&](std::uint32_t byte) { word += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (letter < 0x80) return put(letter);
  if (letter < 0x800) {
    put(0xc0u | (letter >> 6));
  } else if (letter < 0x10000) {
    put(0xe0u | (letter >> 12));
    put(0x80u | ((letter >> 6) & 63u));
  } else {
    put(0xf0u | (letter >> 18));
    put(0x80u | ((letter >> 12) & 63u));
    put(0x80u | ((letter >> 6) & 63u));
  }
  put(0x80u | (letter & 63u));
}

}  // namespace

std::string word_at(const NumpyArray& array, std::size_t at, const std::string& where) {
  std::string word;
  if (is_absent(array, at)) return word;
  if (array.kind == 'U') {
    std::size_t letters = array.bytes / 4;
    const std::size_t first = at * letters;
    while (letters > 0 && element<std::uint32_t>(array, first + letters - 1) == 0) --letters;
    for (std::size_t i = 0; i < letters; ++i) append(word, element<std::uint32_t>(array, first + i), where);
    return word;
  }
  if (array.kind == 'S') {
    const auto* first = reinterpret_cast<const char*>(array.elements.data()) + at * array.bytes;
    word.assign(first, array.bytes);
    word.resize(word.find_last_not_of('\0') + 1);
    return word;
  }
  if (array.kind == 'b') return element<std::uint8_t>(array, at) != 0 ? "True" : "False";
  return with_type(array, [&](auto type) {
    using T = decltype(type);
    std::array<char, 64> digits{};
    const T value = element<T>(array, at);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return std::string();
      // Whole numbers as in a table: 100000, not 1e+05.
      if (std::abs(value) < T{1e15} && value == std::trunc(value)) {
        const char* end =
            std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr;
        return std::string(digits.data(), static_cast<std::size_t>(end - digits.data()));
      }
    }
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return std::string(digits.data(), static_cast<std::size_t>(end - digits.data()));
  });
}

namespace {

/// Calls `action` with the number in the file of each element, in the order of C.
template <class Action>
void for_elements(const NumpyArray& array, const Action& action) {
  std::size_t count = 1;
  for (const std::uint64_t extent : array.shape) count *= extent;
  std::vector<std::uint64_t> index(array.shape.size(), 0);
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t at = 0, step = 1;
    for (std::size_t d = 0; array.fortran && d < index.size(); ++d) {
      at += index[d] * step;
      step *= array.shape[d];
    }
    action(array.fortran ? at : k);
    for (std::size_t d = index.size(); array.fortran && d-- > 0 && ++index[d] == array.shape[d];) index[d] = 0;
  }
}

}  // namespace

std::vector<double> numbers_of(const NumpyArray& array) {
  const bool number = array.kind == 'f' || array.kind == 'i' || array.kind == 'u' || array.kind == 'b';
  require(number, text(array.name, " holds text"), "numbers belong there", "save numbers");
  const std::uint64_t count = array.elements.size() / array.bytes;
  data::check_memory(count * sizeof(double), array.name);
  std::vector<double> all;
  all.reserve(count);
  with_type(array, [&](auto type) {
    for_elements(array,
                 [&](std::size_t at) { all.push_back(static_cast<double>(element<decltype(type)>(array, at))); });
  });
  return all;
}

std::vector<std::string> words_of(const NumpyArray& array) {
  std::vector<std::string> all;
  for_elements(array, [&](std::size_t at) { all.push_back(word_at(array, at, array.name)); });
  return all;
}

}  // namespace krossfold::tables
