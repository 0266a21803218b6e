// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/ensemble/members.hpp"

namespace krossfold::ensemble {

/// mean(i, c) = (1 / M) sum_m p_m(i, c) over the M members; (sample, class). Exact where all members agree.
template <class Exec>
void mean_probability(const Exec& exec, const Matrix<double, Exec>& mean, const Members<Exec>& members);

/// mean(i, c) = sum_m w_m p_m(i, c) / sum_m w_m; (sample, class). weight: (member), non-negative and not all 0, as from
/// validation_weights.
template <class Exec>
void mean_probability(const Exec& exec, const Matrix<double, Exec>& mean, const Members<Exec>& members,
                      const Vector<const double, Exec>& weight);

}  // namespace krossfold::ensemble
