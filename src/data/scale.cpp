// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

/// Of pixels from 0 to `range`.
Scale pixel_scale(double range) {
  return {{range / 2}, {range / std::sqrt(12.0)}};  // standard deviation of a uniform distribution over the range
}

/// The same of sparse samples, up to rounding, in a time that grows with the number of entries.
Scale standard_sparse_scale(const SparseMatrix<float>& rows) {
  const int samples = rows.rows();
  const auto count = static_cast<std::size_t>(rows.columns);
  std::vector<double> mean(count, 0.0), deviation(count, 0.0);
  std::vector<int> entries(count, 0);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> lowest(count, infinity), highest(count, -infinity);
  const auto for_all = [&](const auto& body) {
    for (std::int64_t e = rows.begin(0); e < rows.begin(samples); ++e) body(rows.column(e), rows.value(e));
  };
  for_all([&](int j, float value) {
    ++entries[j];
    mean[j] += value;
    lowest[j] = std::min(lowest[j], value);
    highest[j] = std::max(highest[j], value);
  });
  for (double& value : mean) value /= samples;
  for_all([&](int j, float value) { deviation[j] += (value - mean[j]) * (value - mean[j]); });
  for (std::size_t j = 0; j < count; ++j) {
    const int zeros = samples - entries[j];
    if (zeros > 0) {
      lowest[j] = std::min(lowest[j], 0.0f);
      highest[j] = std::max(highest[j], 0.0f);
    }
    deviation[j] += zeros * mean[j] * mean[j];
    const bool constant = lowest[j] == highest[j];
    if (constant) mean[j] = lowest[j];
    deviation[j] = constant ? 1.0 : std::sqrt(deviation[j] / samples);
  }
  return {mean, deviation};
}

Scale standard_scale(const Dataset& train) {
  if (train.is_sparse()) return standard_sparse_scale(train.sparse);
  const int samples = train.size(), features = train.features();
  const auto count = static_cast<std::size_t>(features);
  std::vector<double> mean(count, 0.0), deviation(count, 0.0);
  std::vector<float> lowest(count), highest(count);
  for (int j = 0; j < features; ++j) lowest[j] = highest[j] = train.raw(0, j);
  for (int i = 0; i < samples; ++i) {
    for (int j = 0; j < features; ++j) {
      mean[j] += train.raw(i, j);
      lowest[j] = std::min(lowest[j], train.raw(i, j));
      highest[j] = std::max(highest[j], train.raw(i, j));
    }
  }
  for (double& value : mean) value /= samples;
  for (int i = 0; i < samples; ++i) {
    for (int j = 0; j < features; ++j) {
      const double away = train.raw(i, j) - mean[j];
      deviation[j] += away * away;
    }
  }
  for (int j = 0; j < features; ++j) {
    // Compare the values rather than the deviation: the rounded mean of equal values may differ from them.
    const bool constant = lowest[j] == highest[j];
    if (constant) mean[j] = lowest[j];
    deviation[j] = constant ? 1.0 : std::sqrt(deviation[j] / samples);
  }
  return {mean, deviation};
}

Scale given_scale(const std::string& option, const Dataset& train) {
  const auto colon = option.find(':');
  if (colon == std::string::npos) {
    throw_unknown_word("--scale", option, {"standard", "none"}, "standard, none or OFFSET:DIVISOR");
  }
  const double offset = parse_number(option.substr(0, colon), "the offset of --scale");
  const double divisor = parse_number(option.substr(colon + 1), "the divisor of --scale");
  if (!(divisor > 0)) {
    throw_input_error(text("the divisor of --scale ", option, " is not positive"), "values are divided by it", "");
  }
  const auto scaled = [&](float value) { return static_cast<float>((static_cast<double>(value) - offset) / divisor); };
  const float low = scaled(train.lowest), high = scaled(train.highest);
  require(std::isfinite(low) && std::isfinite(high), text("--scale ", option, " makes features too large"),
          text("values of ", train.name, " lie between ", shortest(train.lowest), " and ", shortest(train.highest),
               ", and scaled ones beyond single precision"),
          "give an offset and a divisor of their size, or leave it out");
  require(low < high || train.lowest == train.highest, text("--scale ", option, " makes all features equal"),
          text("values of ", train.name, " lie between ", shortest(train.lowest), " and ", shortest(train.highest),
               ", which are the same in single precision once they are scaled"),
          "give an offset and a divisor of their size, or leave it out");
  return {{offset}, {divisor}};
}

}  // namespace

bool are_fractions(const Dataset& images) {
  if (!images.image.is_image() || images.is_sparse() || images.size() == 0 || images.integer) return false;
  if (images.lowest < 0 || images.lowest > 0.25F || images.highest < 0.75F || images.highest > 1) return false;
  const int samples = images.size(), features = images.features();
  double sum = 0, squares = 0;
  for (int i = 0; i < samples; ++i) {
    for (int j = 0; j < features; ++j) {
      const auto value = static_cast<double>(images.raw(i, j));
      sum += value;
      squares += value * value;
    }
  }
  const double count = static_cast<double>(samples) * features, mean = sum / count;
  constexpr double least_deviation = 0.05;  // of 1: a few bright pixels on black are no reason to scale by their range
  return squares / count - mean * mean >= least_deviation * least_deviation;
}

double pixel_range(double highest) { return highest > 16 ? 255 : highest > 1 ? 16 : 1; }

double pixel_range_of(const Scale& scale) {
  for (const double range : {255.0, 16.0, 1.0}) {
    const Scale of_pixels = pixel_scale(range);
    if (scale.offset == of_pixels.offset && scale.divisor == of_pixels.divisor) return range;
  }
  return 0;
}

Scale fit_scale(const Dataset& train, const std::string& option) {
  if (option == "none") return {};
  if (option == "standard") return standard_scale(train);
  if (!option.empty()) return given_scale(option, train);
  const bool whole = train.image.is_image() && train.integer && train.lowest >= 0 && train.highest <= 255;
  const bool pixels = whole || are_fractions(train);
  return pixels ? pixel_scale(pixel_range(train.highest)) : standard_scale(train);
}

template <class T>
Matrix<T> apply_scale(const Scale& scale, const Matrix<const float>& raw) {
  const Matrix<T> scaled(uninitialized("krossfold::data::scaled"), raw.extent(0), raw.extent(1));
  const int features = static_cast<int>(raw.extent(1));
  std::vector<double> offset(raw.extent(1)), divisor(raw.extent(1));
  for (int j = 0; j < features; ++j) {
    offset[j] = scale.offset_of(j);
    divisor[j] = scale.divisor_of(j);
  }
  for (std::size_t i = 0; i < raw.extent(0); ++i) {
    for (int j = 0; j < features; ++j) scaled(i, j) = static_cast<T>((raw(i, j) - offset[j]) / divisor[j]);
  }
  return scaled;
}

template Matrix<double> apply_scale<double>(const Scale&, const Matrix<const float>&);
template Matrix<float> apply_scale<float>(const Scale&, const Matrix<const float>&);

}  // namespace krossfold::data
