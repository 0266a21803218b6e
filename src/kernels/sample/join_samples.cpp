// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/join_samples.hpp"

namespace krossfold::kernels {

template <class Exec>
void join_samples(const Exec& exec, const Vector<float, Exec>& joined, const Vector<const float, Exec>& from,
                  std::span<const int> first, std::span<const std::int64_t> begin, std::int64_t rows, int width) {
  constexpr int rows_of_team = 64;
  const std::int64_t line = std::int64_t{first.back()} * width;
  const int teams = static_cast<int>((rows + rows_of_team - 1) / rows_of_team);
  for (std::size_t p = 0; p + 1 < first.size(); ++p) {
    const std::int64_t at = begin[p], to = std::int64_t{first[p]} * width;
    const int count = (first[p + 1] - first[p]) * width;
    if (count == 0) continue;
    Kokkos::parallel_for(
        "krossfold::kernels::join_samples", Kokkos::TeamPolicy<Exec>(exec, teams, Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team<Exec>& member) {
          const std::int64_t r0 = std::int64_t{member.league_rank()} * rows_of_team;
          const int own = static_cast<int>(rows - r0 < rows_of_team ? rows - r0 : rows_of_team);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, own), [&](int r) {
            float* out = &joined((r0 + r) * line + to);
            const float* in = &from(at + (r0 + r) * count);
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count), [&](int k) { out[k] = in[k]; });
          });
        });
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                           \
  template void join_samples<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&, \
                                   std::span<const int>, std::span<const std::int64_t>, std::int64_t, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
