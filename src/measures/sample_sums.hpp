// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shared by the measures: accurate sums, and checks of what is given for each sample.

#include <cmath>
#include <cstddef>
#include <span>

namespace krossfold::measures {

/// A sum with the rounding errors of its additions carried along (Neumaier, ZAMM 54 (1974) 39).
class CompensatedSum {
public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

private:
  double sum_ = 0, lost_ = 0;
};

/// The weight of a sample: 1 if there are none.
inline double weight_of(std::span<const double> weight, std::size_t sample) {
  return weight.empty() ? 1.0 : weight[sample];
}

/// Throws a run error unless `found` values of `what` are as many as the samples, or a whole multiple `per_sample`.
void check_length(const char* what, std::size_t found, std::size_t samples, std::size_t per_sample = 1);

/// Throws a run error unless there is one finite weight >= 0 for each sample, or none at all.
void check_weights(std::span<const double> weight, std::size_t samples);

/// Throws a run error unless every label of `what` is in 0 ... classes - 1.
void check_labels(const char* what, std::span<const int> label, int classes);

/// Throws a run error if a value of `what` is NaN.
void check_not_nan(const char* what, std::span<const double> value);

}  // namespace krossfold::measures
