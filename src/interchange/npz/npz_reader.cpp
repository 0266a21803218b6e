// SPDX-License-Identifier: BSD-3-Clause
#include "npz_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::interchange {

namespace {

std::string where(const std::string& file, const std::string& array) { return text(file, ", array ", array); }

}  // namespace

NpzReader::NpzReader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  const std::vector<std::string> all = tables::npz_arrays(bytes_, name_);
  arrays_ = {all.begin(), all.end()};
}

void NpzReader::require(bool right, const std::string& why) const {
  if (!right) throw_input_error(text(name_, " holds no usable model"), why, npz_advice);
}

std::vector<std::byte> NpzReader::bytes_of(const std::string& array) const {
  require(has(array), text("the array ", array, " is missing"));
  read_.insert(array);
  return tables::read_npz_member(bytes_, array, name_);
}

void NpzReader::require_all_parameters_read() const {
  for (const std::string& array : arrays_) {
    const bool left = array.find('.') != std::string::npos && !read_.contains(array);
    require(!left, text("the array ", array, " is of no layer that such a model has here"));
  }
}

NpzReader::Numbers NpzReader::numbers(const std::string& array, bool nan) const {
  const std::vector<std::byte> npy = bytes_of(array);
  const tables::NumpyArray content = tables::parse_npy(npy, where(name_, array));
  Numbers numbers{content.shape, tables::numbers_of(content)};
  const bool usable = std::all_of(numbers.value.begin(), numbers.value.end(),
                                  [&](double v) { return std::isfinite(v) || (nan && std::isnan(v)); });
  require(usable, text("the array ", array, " is not finite"));
  return numbers;
}

std::vector<std::string> NpzReader::words(const std::string& array) const {
  const std::vector<std::byte> npy = bytes_of(array);
  return tables::words_of(tables::parse_npy(npy, where(name_, array)));
}

double NpzReader::number(const std::string& array) const {
  const std::vector<double> all = numbers(array).value;
  require(all.size() == 1, text("the array ", array, " has ", all.size(), " numbers instead of one"));
  return all[0];
}

std::string NpzReader::word(const std::string& array) const {
  const std::vector<std::string> all = words(array);
  require(all.size() == 1, text("the array ", array, " has ", all.size(), " words instead of one"));
  return all[0];
}

std::int64_t NpzReader::whole(const std::string& array, std::int64_t least, std::int64_t most) const {
  const double value = number(array);
  const bool right =
      value == std::floor(value) && value >= static_cast<double>(least) && value <= static_cast<double>(most);
  require(right, text("the array ", array, " is no whole number from ", least, " to ", most));
  return static_cast<std::int64_t>(value);
}

}  // namespace krossfold::interchange
