// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// How raw values become features: x_j = (raw_j - offset_j) / divisor_j. One entry where all features share it, else
/// one a feature.
struct Scale {
  std::vector<double> offset{0.0};
  std::vector<double> divisor{1.0};

  /// The same divisor for every feature, so that squared distances may be taken between raw values and divided by its
  /// square afterwards: exact for whole numbers.
  bool uniform() const { return divisor.size() == 1; }
  double offset_of(int feature) const { return offset[offset.size() == 1 ? 0 : feature]; }
  double divisor_of(int feature) const { return divisor[divisor.size() == 1 ? 0 : feature]; }
};

/// The range of whole-number pixels whose highest is `highest`: 255 when it is above 16, else 16.
double pixel_range(double highest);

/// Fits the scale `option` (the value of --scale) to training data:
///   ""               whole-number images: centred in their range and divided by range / sqrt(12), see pixel_range
///                    (divisors 73.61 and 4.619);
///                    anything else: standard
///   standard         (raw - mean) / standard deviation of each feature (population form); a constant feature gets
///                    divisor 1
///   none             raw values
///   OFFSET:DIVISOR   as given, for all features
/// It is fitted once on the whole training part, not fold by fold: the folds of a search share one set of distances.
/// Throws an input error that names --scale.
Scale fit_scale(const Dataset& train, const std::string& option);

/// The scaled values in double, (sample, feature).
Matrix<double> apply_scale(const Scale& scale, const Matrix<const float>& raw);

}  // namespace krossfold::data
