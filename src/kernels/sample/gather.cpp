// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/gather.hpp"

#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {

template <class Exec, class T>
void gather(const Exec& exec, const Matrix<T, Exec>& out, const Matrix<const float, Exec>& in,
            const Vector<const int, Exec>& row, const Vector<const int, Exec>& column) {
  const int columns = static_cast<int>(column.extent(0));
  Kokkos::parallel_for(
      "krossfold::kernels::gather", Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(row.extent(0)), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int r = member.league_rank();
        const float* from = &in(row(r), 0);
        const int* index = column.data();
        T* to = &out(r, 0);
        team_simd_for(member, columns, [=](int c) { to[c] = static_cast<T>(from[index[c]]); });
      });
}

#define KROSSFOLD_INSTANTIATE_FOR(Exec, T)                                                             \
  template void gather<Exec, T>(const Exec&, const Matrix<T, Exec>&, const Matrix<const float, Exec>&, \
                                const Vector<const int, Exec>&, const Vector<const int, Exec>&);
#define KROSSFOLD_INSTANTIATE(Exec) KROSSFOLD_INSTANTIATE_FOR(Exec, float) KROSSFOLD_INSTANTIATE_FOR(Exec, double)
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
