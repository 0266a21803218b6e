// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/rbf.hpp"

#include <algorithm>

#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {

template <class Exec>
void rbf_minus_one(const Exec& exec, const Matrix<float, Exec>& k, const Matrix<const float, Exec>& d2, double gamma,
                   const Poll& poll) {
  constexpr int rows_between_polls = 512;
  const int rows = static_cast<int>(d2.extent(0)), columns = static_cast<int>(d2.extent(1));
  const RbfMinusOne entry(gamma);
  for (int first = 0; first < rows; first += rows_between_polls) {
    call(poll);
    Kokkos::parallel_for(
        "krossfold::kernels::rbf_minus_one",
        Kokkos::TeamPolicy<Exec>(exec, std::min(rows_between_polls, rows - first), Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team<Exec>& member) {
          const float* in = &d2(first + member.league_rank(), 0);
          float* out = &k(first + member.league_rank(), 0);
          team_simd_for(member, columns, [=](int j) { out[j] = entry(in[j]); });
        });
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template void rbf_minus_one<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&, double, \
                                    const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
