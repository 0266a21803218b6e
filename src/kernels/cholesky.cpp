// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/cholesky.hpp"

#include <type_traits>

#include "krossfold/core/simd.hpp"

// LAPACK comes with the BLAS that KokkosKernels links. Its matrices are column-major, as those here.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
}

namespace krossfold::kernels {

namespace {

template <class Exec>
using Team = typename Kokkos::TeamPolicy<Exec>::member_type;

template <class Exec>
constexpr bool on_the_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// Left-looking, column after column within a team; a(r, c) lies at a[c * n + r].
template <class Member>
KOKKOS_INLINE_FUNCTION bool factor_of_team(const Member& member, double* a, int n) {
  for (int j = 0; j < n; ++j) {
    double* column = a + static_cast<std::size_t>(j) * n;
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, j),
        [&](int k, double& part) {
          const double value = a[static_cast<std::size_t>(k) * n + j];
          part += value * value;
        },
        sum);
    const double pivot = column[j] - sum;
    if (!(pivot > 0)) return false;
    const double root = std::sqrt(pivot);
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, j, n), [&](int r) {
      if (r == j) {
        column[j] = root;
        return;
      }
      double product = 0;
      for (int k = 0; k < j; ++k) {
        const double* other = a + static_cast<std::size_t>(k) * n;
        product += other[r] * other[j];
      }
      column[r] = (column[r] - product) / root;
    });
    member.team_barrier();
  }
  return true;
}

template <class Member>
KOKKOS_INLINE_FUNCTION void solve_of_team(const Member& member, const double* a, int n, double* b) {
  for (int j = 0; j < n; ++j) {  // L y = b
    member.team_barrier();
    const double* column = a + static_cast<std::size_t>(j) * n;
    const double y = b[j] / column[j];
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, j, n),
                         [&](int r) { b[r] = r == j ? y : b[r] - column[r] * y; });
  }
  for (int j = n - 1; j >= 0; --j) {  // L^T x = y
    member.team_barrier();
    const double x = b[j] / a[static_cast<std::size_t>(j) * n + j];
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, j + 1),
                         [&](int r) { b[r] = r == j ? x : b[r] - a[static_cast<std::size_t>(r) * n + j] * x; });
  }
  member.team_barrier();
}

template <class Exec>
void factor_by_teams(const Exec& exec, const Matrix<double, Exec>& a, const Flags<const int>& size,
                     const Flags<int>& failed) {
  Kokkos::parallel_for(
      "krossfold::kernels::cholesky", Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(size.extent(0)), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank();
        const bool good = factor_of_team(member, &a(k, 0), size(k));
        Kokkos::single(Kokkos::PerTeam(member), [&]() { failed(k) = good ? 0 : 1; });
      });
}

template <class Exec>
void solve_by_teams(const Exec& exec, const Matrix<const double, Exec>& a, const Flags<const int>& size, int sets,
                    const Matrix<double, Exec>& b) {
  Kokkos::parallel_for(
      "krossfold::kernels::cholesky_solve",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(size.extent(0)) * sets, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank() / sets, set = member.league_rank() % sets, n = size(k);
        if (n > 0) solve_of_team(member, &a(k, 0), n, &b(k, 0) + static_cast<std::size_t>(set) * n);
      });
}

}  // namespace

template <class Exec>
void cholesky(const Exec& exec, const Matrix<double, Exec>& a, const Flags<const int>& size, const Flags<int>& failed) {
  const int matrices = static_cast<int>(size.extent(0));
  if constexpr (on_the_host<Exec>) {
    Kokkos::parallel_for("krossfold::kernels::cholesky_lapack",
                         Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, matrices), [=](int k) {
                           int info = 0;
                           const int n = size(k);
                           if (n > 0) dpotrf_("L", &n, &a(k, 0), &n, &info);
                           failed(k) = info != 0 ? 1 : 0;
                         });
  } else {
    factor_by_teams(exec, a, size, failed);
  }
  fence(exec, "krossfold::kernels::cholesky");
}

template <class Exec>
void cholesky_solve(const Exec& exec, const Matrix<const double, Exec>& a, const Flags<const int>& size, int sets,
                    const Matrix<double, Exec>& b) {
  const int matrices = static_cast<int>(size.extent(0));
  if constexpr (on_the_host<Exec>) {
    Kokkos::parallel_for("krossfold::kernels::cholesky_solve_lapack",
                         Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, matrices), [=](int k) {
                           int info = 0;
                           const int n = size(k);
                           if (n > 0) dpotrs_("L", &n, &sets, &a(k, 0), &n, &b(k, 0), &n, &info);
                         });
  } else {
    solve_by_teams(exec, a, size, sets, b);
  }
  fence(exec, "krossfold::kernels::cholesky_solve");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                   \
  template void cholesky<Exec>(const Exec&, const Matrix<double, Exec>&, const Flags<const int>&, const Flags<int>&); \
  template void cholesky_solve<Exec>(const Exec&, const Matrix<const double, Exec>&, const Flags<const int>&, int,    \
                                     const Matrix<double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
