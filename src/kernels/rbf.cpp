// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/rbf.hpp"

#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {

template <class Exec>
void rbf_minus_one(const Exec& exec, const Matrix<float, Exec>& k, const Matrix<const float, Exec>& d2, double gamma) {
  const int columns = static_cast<int>(d2.extent(1));
  const RbfMinusOne entry(gamma);
  Kokkos::parallel_for(
      "krossfold::kernels::rbf_minus_one", Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(d2.extent(0)), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Exec>::member_type& member) {
        const float* in = &d2(member.league_rank(), 0);
        float* out = &k(member.league_rank(), 0);
        team_simd_for(member, columns, [=](int j) { out[j] = entry(in[j]); });
      });
}

#define KROSSFOLD_INSTANTIATE(Exec) \
  template void rbf_minus_one<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&, double);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
