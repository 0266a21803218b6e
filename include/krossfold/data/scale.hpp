// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// Maps raw values to features: x_j = (raw_j - offset_j) / divisor_j. Each vector has one entry per feature, or a
/// single entry shared by all features.
struct Scale {
  std::vector<double> offset{0.0};
  std::vector<double> divisor{1.0};

  /// True if all features share one divisor. Squared distances can then be computed between raw values, exactly if they
  /// are integers, and divided by its square afterwards.
  bool uniform() const { return divisor.size() == 1; }
  double offset_of(int feature) const { return offset[offset.size() == 1 ? 0 : feature]; }
  double divisor_of(int feature) const { return divisor[divisor.size() == 1 ? 0 : feature]; }
};

/// The range of pixels whose maximum is `highest`: 255 if it is above 16, 16 if it is above 1 (digits), else 1 (black and white, or
/// fractions).
double pixel_range(double highest);

/// The range of pixels that a scale was fitted to by its rule for images; 0 if it is not such a scale.
double pixel_range_of(const Scale& scale);

/// Whether images hold fractions of white that fill their range: no whole numbers, from at most 0.25 to at least 0.75, none below 0 or
/// above 1, with a standard deviation of all pixels of at least 0.05.
bool are_fractions(const Dataset& images);

/// Fits the scale `option` (the value of scale) to training data:
///   ""               images of whole numbers from 0 to 255, or are_fractions(): centred in their range, see pixel_range, and
///                    divided by range / sqrt(12) (73.61, 4.619 or 0.2887); any other data: standard
///   standard         (raw - mean) / standard deviation per feature (population form); constant features get divisor 1
///   none             raw values
///   OFFSET:DIVISOR   as given, for all features
/// It is fitted once to the whole training part, not per fold, because the folds of a search share one set of
/// distances. Throws an input error naming scale if `option` is invalid.
Scale fit_scale(const Dataset& train, const std::string& option);

/// The scaled values, (sample, feature), computed in double precision; T is double or float.
template <class T = double>
Matrix<T> apply_scale(const Scale& scale, const Matrix<const float>& raw);

}  // namespace krossfold::data
