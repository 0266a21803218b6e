// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <cstring>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::tables {
namespace {

/// Reads the Python dictionary in the header of a .npy file.
class HeaderReader {
public:
  HeaderReader(std::string_view header, NumpyArray& array) : header_(header), rest_(header), array_(array) {}

  void read() {
    expect('{');
    int seen = 0;
    while (!take('}')) {
      const std::string_view key = word();
      expect(':');
      if (key == "descr") {
        if (!rest_.empty() && (rest_[0] == '[' || rest_[0] == '{')) {
          throw_input_error(text(array_.name, " holds records, not numbers"), text("its elements are ", quoted(rest_)),
                            "save each column, or an array of one type");
        }
        read_type(word());
        seen |= 1;
      } else if (key == "fortran_order") {
        array_.fortran = read_truth();
        seen |= 2;
      } else if (key == "shape") {
        read_shape();
        seen |= 4;
      } else {
        damaged();
      }
      if (!take(',') && !next_is('}')) damaged();
    }
    if (seen != 7) damaged();
  }

private:
  [[noreturn]] void damaged() const {
    throw_input_error(text(array_.name, " is damaged"), text("its header says ", quoted(header_)),
                      "save the array again");
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool next_is(char letter) {
    skip_blanks();
    return !rest_.empty() && rest_[0] == letter;
  }
  bool take(char letter) {
    if (!next_is(letter)) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }
  void expect(char letter) {
    if (!take(letter)) damaged();
  }
  std::string_view word() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const auto end = rest_.find(quote);
    if (end == std::string_view::npos) damaged();
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }
  bool read_truth() {
    skip_blanks();
    for (const auto& [written, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!rest_.starts_with(written)) continue;
      rest_.remove_prefix(written.size());
      return value;
    }
    damaged();
  }
  void read_shape() {
    expect('(');
    while (!take(')')) {
      std::uint64_t extent = 0;
      const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (fault != std::errc{} || array_.shape.size() >= 32) damaged();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // a long of Python 2
      array_.shape.push_back(extent);
      if (!take(',') && !next_is(')')) damaged();
    }
  }
  void read_type(std::string_view type) {
    if (type.find('O') != std::string_view::npos) {
      throw_input_error(text(array_.name, " holds Python objects"),
                        "they are pickles, which could run code, and are not read",
                        "save numbers or strings: array.astype(float) or array.astype(str)");
    }
    if (type.size() < 3 || std::strchr("<>|=", type[0]) == nullptr) unknown_type(type);
    array_.big_endian = type[0] == '>';
    array_.kind = type[1];
    const std::string_view digits = type.substr(2);
    std::size_t size = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (fault != std::errc{} || end != digits.data() + digits.size() || size > (1u << 28)) unknown_type(type);
    bool known = false;
    switch (array_.kind) {
      case 'f':
        known = size == 2 || size == 4 || size == 8;
        break;
      case 'i':
      case 'u':
        known = size == 1 || size == 2 || size == 4 || size == 8;
        break;
      case 'b':
        known = size == 1;
        break;
      case 'S':
      case 'U':
        known = size > 0;
        break;
      default:
        break;
    }
    if (!known) unknown_type(type);
    array_.bytes = array_.kind == 'U' ? 4 * size : size;
  }
  [[noreturn]] void unknown_type(std::string_view type) const {
    throw_input_error(text(array_.name, " has elements of type ", quoted(type)),
                      "f2, f4, f8, i1 to i8, u1 to u8, b1, U and S are read",
                      array_.kind == 'c' ? "save X.real and X.imag, or numpy.abs(X), as features"
                                         : "convert it with array.astype(float)");
  }

  std::string_view header_, rest_;
  NumpyArray& array_;
};

}  // namespace

NumpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  constexpr std::string_view magic = "\x93NUMPY";
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!content.starts_with(magic))
    throw_input_error(text(name, " is no .npy file"), "it does not start with \\x93NUMPY");
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(content[at])); };
  if (content.size() < 12) throw_input_error(text(name, " is cut off"), text("it has ", content.size(), " bytes"));
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw_input_error(text(name, " has format version ", version), "versions 1 to 3 are read");
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length =
      version == 1 ? byte(8) + 256 * byte(9) : byte(8) + (byte(9) << 8) + (byte(10) << 16) + (byte(11) << 24);
  if (length > content.size() - start) {
    throw_input_error(text(name, " is cut off"), text("its header has ", length, " bytes, the file ", content.size()));
  }
  NumpyArray array;
  array.name = name;
  HeaderReader(content.substr(start, length), array).read();
  array.elements = bytes.subspan(start + length);
  const std::size_t most = array.elements.size() / array.bytes;
  std::uint64_t count = 1;
  bool empty = false;
  for (const std::uint64_t extent : array.shape) {
    empty = empty || extent == 0;
    if (extent != 0) count = count > most / extent ? most + 1 : count * extent;
  }
  if (empty) throw_input_error(text(name, " holds no samples"), "the array is empty");
  if (count > most || count * array.bytes != array.elements.size()) {
    throw_input_error(text(name, " has the wrong size"),
                      text(array.elements.size(), " bytes of elements do not make up its shape"),
                      "save the array again");
  }
  return array;
}

}  // namespace krossfold::tables
