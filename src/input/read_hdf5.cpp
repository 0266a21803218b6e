// SPDX-License-Identifier: BSD-3-Clause
#include "read_hdf5.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/array_file.hpp"
#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::input {
namespace {

using tables::NumpyArray;

std::string rooted(const std::string& path) { return path.starts_with('/') ? path : "/" + path; }

/// Reads pieces of one array and holds the last of them.
class PieceReader {
public:
  PieceReader(const storage::ArrayFile& file, const std::string& path)
      : array_(file.open(path)), name_(text(file.name(), ", array ", path)), shape_(array_.shape()) {
    require(array_.kind() != '?', text(name_, " cannot be used"), text("its elements are ", array_.type()),
            "give an array of numbers or, for labels, text");
    for (const auto& [attribute, neutral] : {std::pair<const char*, double>{"scale_factor", 1}, {"add_offset", 0}}) {
      const double value = array_.number(attribute);
      require(std::isnan(value) || value == neutral, text(name_, " is packed"),
              text("its attribute ", attribute, " is ", value), "save it unpacked, as floating-point numbers");
    }
    require(array_.kind() != 'i' || !array_.has_attribute("_Unsigned"), text(name_, " is packed"),
            "its attribute _Unsigned says that negative numbers mean others", "save it unpacked, as unsigned numbers");
    find_fills(file.has_attribute("_NCProperties"));
    // netCDF may store text as an array of single letters.
    // MATLAB stores the first index as the fastest, and says so by this attribute alone.
    transposed_ = array_.has_attribute("MATLAB_class") && array_.kind() != 'S' && shape_.size() > 1;
    if (transposed_) std::reverse(shape_.begin(), shape_.end());
    joined_ = array_.kind() == 'S' && array_.bytes() == 1 && shape_.size() == 2;
    if (joined_) shape_.pop_back();
  }
  PieceReader(const PieceReader&) = delete;

  tables::ArrayPieces pieces() {
    const char kind = fill_.empty() ? array_.kind() : 'f';
    const std::uint64_t rows = transposed_ ? std::max<std::uint64_t>(1, shape_[0]) : array_.rows_at_once();
    return {name_, shape_, kind, rows, [this](std::uint64_t first, std::uint64_t count) { return read(first, count); }};
  }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  const std::string& name() const { return name_; }

private:
  /// What stands for missing values: by attributes, and where netCDF never wrote any (NC_FILL_* of netcdf.h).
  void find_fills(bool netcdf) {
    if (array_.kind() == 'S') return;
    for (const char* attribute : {"_FillValue", "missing_value"}) {
      if (const double value = array_.number(attribute); !std::isnan(value)) fill_.push_back(value);
    }
    if (!netcdf || array_.has_attribute("_FillValue")) return;
    if (array_.kind() == 'f') fill_.push_back(9.969209968386869e36);
    const auto& type = array_.type();
    for (const auto& [word, value] :
         {std::pair<const char*, double>{"int16", -32767}, {"int32", -2147483647}, {"int64", -9223372036854775806.0}}) {
      if (type.starts_with(word)) unwritten_ = value;
    }
  }

  void refuse_unwritten(std::uint64_t elements, const NumpyArray& piece, std::uint64_t first) const {
    for (std::size_t i = 0; i < elements; ++i) {
      std::int64_t value = 0;
      std::memcpy(&value, bytes_.data() + i * sizeof(value), sizeof(value));
      if (static_cast<double>(value) != unwritten_) continue;
      throw_input_error(text(name_, ", row ", first + 1 + (piece.shape.empty() ? 0 : i * piece.shape[0] / elements),
                             " holds ", value),
                        "netCDF reads this where nothing was ever written",
                        "write the value, or give the array the attribute _FillValue");
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
      if (!std::isnan(unwritten_)) refuse_unwritten(elements, piece, first);
      if (!fill_.empty()) mark_missing(elements, piece);
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

  /// Replaces the value that stands for missing ones by NaN; whole numbers become double, which holds it.
  void mark_missing(std::uint64_t elements, NumpyArray& piece) {
    std::vector<std::byte> made(elements * sizeof(double));
    const auto convert = [&](auto type) {
      using T = decltype(type);
      for (std::size_t i = 0; i < elements; ++i) {
        T given;
        std::memcpy(&given, bytes_.data() + i * sizeof(T), sizeof(T));
        double value = static_cast<double>(given);
        if (std::find(fill_.begin(), fill_.end(), value) != fill_.end())
          value = std::numeric_limits<double>::quiet_NaN();
        std::memcpy(made.data() + i * sizeof(double), &value, sizeof(double));
      }
    };
    if (piece.kind == 'f') {
      piece.bytes == sizeof(float) ? convert(float{}) : convert(double{});
    } else {
      piece.kind == 'u'   ? convert(std::uint64_t{})
      : piece.kind == 'b' ? convert(std::uint8_t{})
                          : convert(std::int64_t{});
    }
    piece.kind = 'f';
    piece.bytes = sizeof(double);
    piece.missing = text("it is NaN or ", fill_[0], ", which stands for missing values");
    bytes_ = std::move(made);
  }

  storage::StoredArray array_;
  std::string name_;
  std::vector<std::uint64_t> shape_;
  std::vector<double> fill_{};                                   ///< stand for missing values
  double unwritten_ = std::numeric_limits<double>::quiet_NaN();  ///< stands for a whole number that was never written
  bool transposed_ = false;                                      ///< the shape is that of the transposed array
  bool joined_ = false;
  std::vector<std::byte> bytes_;
};

}  // namespace

tables::Table read_hdf5(const std::string& file, const std::string& x, const std::string& y,
                        const tables::TableParams& params, const tables::TableEncoding* encoding) {
  const storage::ArrayFile arrays(file);
  const std::string labels = !y.empty() ? rooted(y) : x.empty() && arrays.has("/y") ? "/y" : "";
  PieceReader samples(arrays, x.empty() ? "/x" : rooted(x));
  const std::vector<std::uint64_t>& shape = samples.shape();
  if (shape.size() > 4) {
    throw_input_error(
        text(samples.name(), " has ", shape.size(), " dimensions"),
        "samples are (sample, feature), or images (sample, row, column) or (sample, channel, row, column)",
        "reshape it before saving");
  }
  if (labels.empty()) return tables::pieces_table(samples.pieces(), nullptr, "HDF5 array", params, encoding);
  PieceReader classes(arrays, labels);
  const tables::ArrayPieces pieces = classes.pieces();
  return tables::pieces_table(samples.pieces(), &pieces, "HDF5 array", params, encoding);
}

}  // namespace krossfold::input
