// SPDX-License-Identifier: BSD-3-Clause
#include "read_hdf5.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/array_file.hpp"
#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::input {
namespace {

using tables::NumpyArray;

std::string rooted(const std::string& path) { return path.starts_with('/') ? path : "/" + path; }

using Number = storage::ArrayAttribute::Number;

double as_double(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

/// Whether a < b: whole numbers are compared exactly, all others as double.
template <class A, class B>
bool is_less(A a, B b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return std::cmp_less(a, b);
  } else {
    return static_cast<double>(a) < static_cast<double>(b);
  }
}

/// The number that an array of floating-point numbers of this type holds for another one.
double rounded_to(const std::string& type, double number) {
  if (type.starts_with("float16") && std::isfinite(number)) {
    const double step = std::ldexp(1.0, std::max(std::ilogb(number), -14) - 10);
    return std::nearbyint(number / step) * step;
  }
  if (!type.starts_with("float32")) return number;
  constexpr double most = std::numeric_limits<float>::max();
  // C++ defines no conversion beyond. Half a step above, as of the 3.4028235e38 that many files have, the nearest float is the largest.
  if (std::abs(number) > most)
    return std::copysign(std::abs(number) - most < std::ldexp(1.0, 103) ? most : HUGE_VAL, number);
  return static_cast<double>(static_cast<float>(number));
}

/// Reads pieces of one array and holds the last of them.
class PieceReader {
public:
  PieceReader(const storage::ArrayFile& file, const std::string& path)
      : array_(file.open(path)), name_(text(file.name(), ", array ", path)), shape_(array_.shape()) {
    require(array_.kind() != '?', text(name_, " cannot be used"), text("its elements are ", array_.type()),
            "give an array of numbers or, for labels, text");
    for (const auto& [attribute, neutral] : {std::pair<const char*, double>{"scale_factor", 1}, {"add_offset", 0}}) {
      const std::vector<Number> all = numbers_of(attribute);
      const auto packs = [neutral = neutral](const Number& one) { return as_double(one) != neutral; };
      if (std::none_of(all.begin(), all.end(), packs)) continue;
      throw_input_error(text(name_, " is packed"),
                        all.size() == 1 ? text("its attribute ", attribute, " is ", as_double(all[0]))
                                        : text("its attribute ", attribute, " holds ", all.size(), " numbers"),
                        "save it unpacked, as floating-point numbers");
    }
    require(array_.kind() != 'i' || !array_.has_attribute("_Unsigned"), text(name_, " is packed"),
            "its attribute _Unsigned says that negative numbers mean others", "save it unpacked, as unsigned numbers");
    find_missing(file.has_attribute("_NCProperties"));
    find_matlab();
    // netCDF may store text as an array of single letters.
    joined_ = array_.kind() == 'S' && array_.bytes() == 1 && shape_.size() == 2;
    if (joined_) shape_.pop_back();
  }
  PieceReader(const PieceReader&) = delete;

  tables::ArrayPieces pieces() {
    const std::uint64_t rows = transposed_ ? std::max<std::uint64_t>(1, shape_[0]) : array_.rows_at_once();
    return {name_, shape_, array_.kind(), rows,
            [this](std::uint64_t first, std::uint64_t count) { return read(first, count); }};
  }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  const std::string& name() const { return name_; }
  const std::vector<std::string>& warning() const { return warning_; }

private:
  void warn(const std::string& attribute, const std::string& is) {
    warning_.push_back(text(name_, ": the attribute ", attribute, " ", is, ", and was ignored"));
  }

  /// The numbers of an attribute that are not NaN, as this array holds them; none, with a warning, of one of another type.
  std::vector<Number> numbers_of(const char* attribute) {
    const storage::ArrayAttribute found = array_.attribute(attribute);
    if (array_.kind() != 'S') {
      if (found.kind == 'S') {
        warn(attribute, text("is ", quoted(found.word), ", no number"));
      } else if (found.kind == '?') {
        warn(attribute, "is neither a number nor a few numbers");
      } else if (found.kind != '-' && found.bits.empty()) {
        warn(attribute, "is empty");
      }
    }
    std::vector<Number> all;
    for (std::size_t k = 0; k < found.bits.size(); ++k) {
      Number number = found.number(k);
      if (array_.kind() == 'f') number = rounded_to(array_.type(), as_double(number));
      if (!std::isnan(as_double(number))) all.push_back(number);
    }
    return all;
  }

  /// Refuses an enumeration with a number for missing values, which would be a class by its name.
  void check_enumeration() const {
    for (const char* attribute : {"_FillValue", "missing_value"}) {
      require(!array_.type().starts_with("enumeration") || !array_.has_attribute(attribute),
              text(name_, " is an enumeration with the attribute ", attribute),
              "which of its names stands for missing values is not read", "save labels as text or numbers");
    }
  }

  /// What is missing: by attributes, and where netCDF never wrote anything (NC_FILL_* of netcdf.h).
  void find_missing(bool netcdf) {
    if (array_.kind() == 'S') return check_enumeration();
    for (const char* attribute : {"_FillValue", "missing_value"}) {
      for (const Number& one : numbers_of(attribute)) {
        if (std::find(fill_.begin(), fill_.end(), one) == fill_.end()) fill_.push_back(one);
      }
    }
    find_range();
    if (!netcdf || array_.has_attribute("_FillValue")) return;
    if (array_.kind() == 'f') fill_.emplace_back(9.969209968386869e36);
    for (const auto& [type, value] : {std::pair<const char*, std::int64_t>{"int16", -32767},
                                      {"int32", -2147483647},
                                      {"int64", -9223372036854775806},
                                      {"uint16", 65535},
                                      {"uint32", 4294967295},
                                      {"uint64", -2}}) {  // 2^64 - 2
      if (array_.type().starts_with(type)) unwritten_ = value;
    }
  }

  /// The numbers that are valid; all others are missing (CF conventions, 2.5.1).
  void find_range() {
    std::vector<Number> both = numbers_of("valid_range"), low = numbers_of("valid_min"), high = numbers_of("valid_max");
    if (!both.empty() && (both.size() != 2 || as_double(both[0]) > as_double(both[1]))) {
      warn("valid_range", "is not a lowest and a highest number");
      return;
    }
    if (both.size() == 2) {
      low = {both[0]};
      high = {both[1]};
    }
    for (const auto& [attribute, of] :
         {std::pair<const char*, std::vector<Number>*>{"valid_min", &low}, {"valid_max", &high}}) {
      if (of->size() > 1) warn(attribute, text("holds ", of->size(), " numbers"));
      if (of->size() > 1) of->clear();
    }
    if (!low.empty() && !high.empty() && as_double(low[0]) > as_double(high[0])) {
      warn("valid_min", "is above valid_max");
      return;
    }
    lowest_ = std::move(low);
    highest_ = std::move(high);
  }

  /// MATLAB stores the first index as the fastest, and says so by this attribute alone.
  void find_matlab() {
    const storage::ArrayAttribute type = array_.attribute("MATLAB_class"), empty = array_.attribute("MATLAB_empty");
    if (type.kind == '-') return;
    require(type.word != "char" || array_.kind() == 'S', text(name_, " holds text of MATLAB"),
            "it is stored as the codes of its letters",
            "save labels as numbers, as of [names, ~, y] = unique(cellstr(labels))");
    const bool is_empty = !empty.bits.empty() && as_double(empty.number(0)) != 0;
    require(!is_empty, text(name_, " holds no values"), "it is empty in MATLAB, and what is stored is its size",
            "save an array that is not empty");
    transposed_ = array_.kind() != 'S' && shape_.size() > 1;
    if (transposed_) std::reverse(shape_.begin(), shape_.end());
  }

  /// Refuses numbers that stand where nothing was ever written; of unsigned ones, among which they are often data, it warns.
  void check_unwritten(std::uint64_t elements, const NumpyArray& piece, std::uint64_t first) {
    for (std::size_t i = 0; unwritten_ && i < elements; ++i) {
      std::int64_t value = 0;
      std::memcpy(&value, bytes_.data() + i * sizeof(value), sizeof(value));
      if (value != *unwritten_ || (!piece.absent.empty() && piece.absent[i] != 0)) continue;
      const std::uint64_t row = first + 1 + (piece.shape.empty() ? 0 : i * piece.shape[0] / elements);
      constexpr const char* why = "netCDF reads this where nothing was ever written";
      if (piece.kind == 'u') {
        warning_.push_back(text(name_, ", row ", row, " holds ", static_cast<std::uint64_t>(value),
                                ", which is used as it is (", why,
                                "; if it is no data, give the array the attribute _FillValue with this number)"));
        unwritten_.reset();
        return;
      }
      throw_input_error(
          text(name_, ", row ", row, " holds ", value), why,
          "write the value, or give the array the attribute _FillValue, another number if this one is data");
    }
  }

  NumpyArray read(std::uint64_t first, std::uint64_t count) {
    NumpyArray piece;
    piece.name = name_;
    piece.shape = shape_;
    if (!piece.shape.empty()) piece.shape[0] = count;
    piece.kind = array_.kind();
    piece.bytes = array_.bytes();
    if (array_.kind() == 'S') {
      read_words(first, count, piece);
    } else {
      std::uint64_t elements = 1;
      for (const std::uint64_t n : piece.shape) elements *= n;
      bytes_.resize(elements * piece.bytes);
      if (transposed_) {  // whole, as one piece
        array_.read(0, shape_.back(), bytes_.data());
        piece.fortran = true;
      } else {
        array_.read(first, count, bytes_.data());
      }
      if (!fill_.empty() || !lowest_.empty() || !highest_.empty()) mark_missing(elements, piece);
      if (unwritten_) check_unwritten(elements, piece, first);
    }
    piece.elements = bytes_;
    return piece;
  }

  void read_words(std::uint64_t first, std::uint64_t count, NumpyArray& piece) {
    std::vector<std::string> words = array_.read_text(first, count);
    if (joined_ && count != 0) {
      const std::size_t letters = words.size() / count;
      for (std::size_t i = 0; i < count; ++i) {
        std::string word;
        for (std::size_t k = 0; k < letters; ++k) word += words[i * letters + k];
        words[i] = word;
      }
      words.resize(count);
    }
    piece.bytes = 1;
    for (const std::string& word : words) piece.bytes = std::max(piece.bytes, word.size());
    bytes_.assign(words.size() * piece.bytes, std::byte{0});
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::memcpy(bytes_.data() + i * piece.bytes, words[i].data(), words[i].size());
    }
  }

  template <class T>
  bool is_missing(T value) const {
    const auto less = [&](const Number& number) {
      return std::visit([&](auto other) { return is_less(value, other); }, number);
    };
    const auto more = [&](const Number& number) {
      return std::visit([&](auto other) { return is_less(other, value); }, number);
    };
    return std::any_of(fill_.begin(), fill_.end(), [&](const Number& fill) { return !less(fill) && !more(fill); }) ||
           std::any_of(lowest_.begin(), lowest_.end(), less) || std::any_of(highest_.begin(), highest_.end(), more);
  }

  void mark_missing(std::uint64_t elements, NumpyArray& piece) {
    absent_.resize(elements);
    const auto mark = [&](auto type) {
      for (std::size_t i = 0; i < elements; ++i) {
        std::memcpy(&type, bytes_.data() + i * sizeof(type), sizeof(type));
        absent_[i] = static_cast<char>(is_missing(type));
      }
    };
    if (piece.kind == 'f') {
      piece.bytes == sizeof(float) ? mark(float{}) : mark(double{});
    } else {
      piece.kind == 'u' ? mark(std::uint64_t{}) : piece.kind == 'b' ? mark(std::uint8_t{}) : mark(std::int64_t{});
    }
    piece.absent = absent_;
    piece.missing = why_missing();
  }

  /// "it is NaN or 14, which stands for missing values".
  std::string why_missing() const {
    const auto number = [](const Number& one) { return std::visit([](auto value) { return text(value); }, one); };
    std::string why = "it is NaN";
    for (const Number& fill : fill_) why += text(" or ", number(fill));
    if (!fill_.empty()) why += text(fill_.size() == 1 ? ", which stands" : ", which stand", " for missing values");
    if (!lowest_.empty()) why += text(", or below ", number(lowest_[0]), ", the lowest valid value");
    if (!highest_.empty()) why += text(", or above ", number(highest_[0]), ", the highest valid value");
    return why;
  }

  storage::StoredArray array_;
  std::string name_;
  std::vector<std::uint64_t> shape_;
  std::vector<std::string> warning_{};
  std::vector<Number> fill_{};                ///< stand for missing values
  std::vector<Number> lowest_{}, highest_{};  ///< of the values that are valid; each is one number or empty
  std::optional<std::int64_t>
      unwritten_{};          ///< stands for a whole number that was never written; of unsigned ones, the same bits
  bool transposed_ = false;  ///< the shape is that of the transposed array
  bool joined_ = false;
  std::vector<std::byte> bytes_;
  std::vector<char> absent_{};
};

}  // namespace

tables::Table read_hdf5(const std::string& file, const std::string& x, const std::string& y,
                        const tables::TableParams& params, const tables::TableEncoding* encoding) {
  const storage::ArrayFile arrays(file);
  const storage::PathKind at_y = x.empty() ? arrays.kind_of("/y") : storage::PathKind::none;
  require(at_y != storage::PathKind::other, text(file, ": /y is no array"),
          "it is a group, a type, or a link that leads nowhere or out of the file",
          "name the arrays that are meant: hdf5:FILE:X,Y, or hdf5:FILE:X if X holds the labels, too");
  const std::string labels = !y.empty() ? rooted(y) : at_y == storage::PathKind::array ? "/y" : "";
  PieceReader samples(arrays, x.empty() ? "/x" : rooted(x));
  const std::vector<std::uint64_t>& shape = samples.shape();
  if (shape.size() > 4) {
    throw_input_error(
        text(samples.name(), " has ", shape.size(), " dimensions"),
        "samples are (sample, feature), or images (sample, row, column) or (sample, channel, row, column)",
        "reshape it before saving");
  }
  const auto add_warnings = [](tables::Table table, const PieceReader& reader) {
    table.warning.insert(table.warning.end(), reader.warning().begin(), reader.warning().end());
    return table;
  };
  if (labels.empty()) {
    return add_warnings(tables::pieces_table(samples.pieces(), nullptr, "HDF5 array", params, encoding), samples);
  }
  PieceReader classes(arrays, labels);
  const tables::ArrayPieces pieces = classes.pieces();
  tables::Table table = tables::pieces_table(samples.pieces(), &pieces, "HDF5 array", params, encoding);
  return add_warnings(add_warnings(std::move(table), samples), classes);
}

}  // namespace krossfold::input
