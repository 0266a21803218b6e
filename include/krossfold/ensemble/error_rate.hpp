// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

/// The fraction of samples i with choice(s, i) != label(i), for each row s of choice: the test errors of several
/// models, from predicted_classes. Throws a run error for no samples or a wrong number of labels.
template <class Exec>
std::vector<double> error_rates(const Exec& exec, const Matrix<const int, Exec>& choice,
                                const Vector<const int, Exec>& label);

/// The error rate of a single row: of a majority vote, or of the most probable class of a mean.
template <class Exec>
double error_rate(const Exec& exec, const Vector<const int, Exec>& choice, const Vector<const int, Exec>& label);

}  // namespace krossfold::ensemble
