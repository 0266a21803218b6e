// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos.

namespace krossfold {

/// What log losses take a smaller probability of the true class for: otherwise one sample could make them infinite. It is that of
/// scikit-learn's log_loss for float64, since version 1.2; -log of it is 36.04.
inline constexpr double least_probability = 0x1p-52;

}  // namespace krossfold
