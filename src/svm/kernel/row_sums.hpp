// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/simd.hpp"

namespace krossfold::svm {

/// out_i -= sum_k weight_k row(k)_i for i < n, k < count. A member of the team has the same i as in team_simd_for(); there is no
/// barrier before or after.
template <class Member, class RowOf>
KOKKOS_INLINE_FUNCTION void team_subtract_rows(const Member& team, double* out, int n, int count, const double* weight,
                                               const RowOf& row) {
  int k = 0;
  for (; k + 8 <= count; k += 8) {
    const double *r0 = row(k), *r1 = row(k + 1), *r2 = row(k + 2), *r3 = row(k + 3), *r4 = row(k + 4), *r5 = row(k + 5),
                 *r6 = row(k + 6), *r7 = row(k + 7);
    const double d0 = weight[k], d1 = weight[k + 1], d2 = weight[k + 2], d3 = weight[k + 3], d4 = weight[k + 4],
                 d5 = weight[k + 5], d6 = weight[k + 6], d7 = weight[k + 7];
    team_simd_for(team, n, [=](int i) {
      out[i] -= d0 * r0[i] + d1 * r1[i] + d2 * r2[i] + d3 * r3[i] + d4 * r4[i] + d5 * r5[i] + d6 * r6[i] + d7 * r7[i];
    });
  }
  for (; k < count; ++k) {
    const double* r = row(k);
    const double by = weight[k];
    team_simd_for(team, n, [=](int i) { out[i] -= by * r[i]; });
  }
}

}  // namespace krossfold::svm
