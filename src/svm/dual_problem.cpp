// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/dual_problem.hpp"

#include "krossfold/core/simd.hpp"

namespace krossfold::svm {

namespace {

template <class Exec>
using Team = typename Kokkos::TeamPolicy<Exec>::member_type;

}  // namespace

template <class Exec>
DualProblems<Exec> make_problems(const Exec& exec, const Matrix<const float, Exec>& kernel,
                                 const Vector<const int, Exec>& label, int classes) {
  const int n = static_cast<int>(label.extent(0));
  DualProblems<Exec> duals;
  duals.kernel = kernel;
  duals.label = label;
  duals.problems = classes;
  duals.beta = Matrix<double, Exec>("krossfold::svm::beta", classes, n);
  duals.gradient = Matrix<double, Exec>(uninitialized("krossfold::svm::gradient"), classes, n);
  duals.freedom = Matrix<std::uint8_t, Exec>("krossfold::svm::freedom", classes, n);
  const auto gradient = duals.gradient;
  Kokkos::parallel_for(
      "krossfold::svm::start", Kokkos::TeamPolicy<Exec>(exec, classes, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int p = member.league_rank();
        double* g = &gradient(p, 0);
        const int* of = label.data();
        team_simd_for(member, n, [=](int i) { g[i] = of[i] == p ? 1.0 : -1.0; });
      });
  return duals;
}

template <class Exec>
void scale_to(const Exec& exec, const DualProblems<Exec>& duals, double c_before, double c,
              const Vector<const int, Exec>& follow) {
  const int n = duals.samples();
  const double r = c / c_before;
  const auto beta = duals.beta, gradient = duals.gradient;
  const auto label = duals.label;
  Kokkos::parallel_for(
      "krossfold::svm::scale_to", Kokkos::TeamPolicy<Exec>(exec, duals.problems, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int p = member.league_rank();
        if (follow(p) == 0) return;
        double* b = &beta(p, 0);
        double* g = &gradient(p, 0);
        const int* of = label.data();
        team_simd_for(member, n, [=](int i) {
          const double y = of[i] == p ? 1.0 : -1.0;
          // Exactly +-C at the bounds, so that later comparisons with C hold.
          b[i] = y * b[i] >= c_before ? y * c : r * b[i];
          g[i] = y - r * (y - g[i]);
        });
      });
}

template <class Exec>
void find_freedom(const Exec& exec, const DualProblems<Exec>& duals, double c) {
  const int n = duals.samples();
  const auto beta = duals.beta;
  const auto freedom = duals.freedom;
  const auto label = duals.label;
  Kokkos::parallel_for(
      "krossfold::svm::find_freedom", Kokkos::TeamPolicy<Exec>(exec, duals.problems, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int p = member.league_rank();
        const double* b = &beta(p, 0);
        std::uint8_t* f = &freedom(p, 0);
        const int* of = label.data();
        team_simd_for(member, n, [=](int i) {
          const double upper = of[i] == p ? c : 0.0, lower = of[i] == p ? 0.0 : -c;
          f[i] = static_cast<std::uint8_t>((b[i] < upper ? can_grow : 0) | (b[i] > lower ? can_shrink : 0));
        });
      });
}

template <class Exec>
void summarise(const Exec& exec, const DualProblems<Exec>& duals, double c, const Vector<FitSummary, Exec>& summary) {
  constexpr int block = 512;
  const int n = duals.samples(), blocks = (n + block - 1) / block;
  const auto beta = duals.beta, gradient = duals.gradient;
  const auto freedom = duals.freedom;
  const auto label = duals.label;
  const Matrix<double, Exec> partial(uninitialized("krossfold::svm::block_objective"), duals.problems, blocks);
  Kokkos::parallel_for(
      "krossfold::svm::block_objective", Kokkos::RangePolicy<Exec>(exec, 0, duals.problems * blocks),
      KOKKOS_LAMBDA(int k) {
        const int p = k / blocks, first = k % blocks * block, last = first + block < n ? first + block : n;
        double sum = 0;
        for (int i = first; i < last; ++i) sum += beta(p, i) * ((label(i) == p ? 1.0 : -1.0) + gradient(p, i));
        partial(p, k % blocks) = sum;
      });
  Kokkos::parallel_for(
      "krossfold::svm::summarise", Kokkos::RangePolicy<Exec>(exec, 0, duals.problems), KOKKOS_LAMBDA(int p) {
        FitSummary& fit = summary(p);
        double high = -HUGE_VAL, low = HUGE_VAL, objective = 0;
        int support = 0, bounded = 0;
        for (int i = 0; i < n; ++i) {
          const double b = beta(p, i), g = gradient(p, i);
          support += b != 0 ? 1 : 0;
          bounded += b >= c || b <= -c ? 1 : 0;
          if ((freedom(p, i) & can_grow) != 0 && g > high) high = g;
          if ((freedom(p, i) & can_shrink) != 0 && g < low) low = g;
        }
        for (int k = 0; k < blocks; ++k) objective += partial(p, k);
        const bool none_grows = high == -HUGE_VAL, none_shrinks = low == HUGE_VAL;
        fit.support = support;
        fit.bounded = bounded;
        fit.violation = none_grows || none_shrinks || high < low ? 0.0 : high - low;
        fit.dual_objective = 0.5 * objective;
        fit.bias = none_grows ? (none_shrinks ? 0.0 : low) : none_shrinks ? high : 0.5 * (high + low);
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                              \
  template DualProblems<Exec> make_problems<Exec>(const Exec&, const Matrix<const float, Exec>&, \
                                                  const Vector<const int, Exec>&, int);          \
  template void scale_to<Exec>(const Exec&, const DualProblems<Exec>&, double, double,           \
                               const Vector<const int, Exec>&);                                  \
  template void find_freedom<Exec>(const Exec&, const DualProblems<Exec>&, double);              \
  template void summarise<Exec>(const Exec&, const DualProblems<Exec>&, double, const Vector<FitSummary, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
