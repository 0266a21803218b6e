// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/dual_problem.hpp"

#include "krossfold/core/simd.hpp"

namespace krossfold::svm {

namespace {

/// The partial result of summarise for one block of samples.
struct Partial {
  double objective, high, low;
  double wide_high, wide_low;  ///< over the samples farther from their bounds than rounding reaches
  int support, bounded;
};

/// Balanced weights make sum y alpha = 0 hold with all variables at their bounds, but rounding of that sum leaves one of them beside its own:
/// by so much of sum |beta| (8.4e-15 and less were seen), and no more than such a share of its bound.
constexpr double rounding_of_sum = 1e-13, most_of_bound = 1e-6;

}  // namespace

template <class Exec>
DualProblems<Exec> make_problems(const Exec& exec, const Matrix<const std::int8_t, Exec>& sign,
                                 const Vector<const double, Exec>& weight) {
  DualProblems<Exec> duals;
  duals.sign = sign;
  duals.weight = weight;
  if (weight.extent(0) == 0) {
    const Vector<double, Exec> ones(uninitialized("krossfold::svm::weight"), sign.extent(1));
    Kokkos::parallel_for(
        "krossfold::svm::unit_weights", Kokkos::RangePolicy<Exec>(exec, 0, ones.extent(0)),
        KOKKOS_LAMBDA(int i) { ones(i) = 1; });
    duals.weight = ones;
  }
  const int problems = duals.problems(), n = duals.samples();
  duals.beta = Matrix<double, Exec>("krossfold::svm::beta", problems, n);
  duals.gradient = Matrix<double, Exec>(uninitialized("krossfold::svm::gradient"), problems, n);
  const auto gradient = duals.gradient;
  Kokkos::parallel_for(
      "krossfold::svm::start", Kokkos::TeamPolicy<Exec>(exec, problems, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        double* g = &gradient(member.league_rank(), 0);
        const std::int8_t* y = &sign(member.league_rank(), 0);
        team_simd_for(member, n, [=](int i) { g[i] = y[i]; });
      });
  return duals;
}

template <class Exec>
void scale_to(const Exec& exec, const DualProblems<Exec>& duals, double c_before, double c,
              const Flags<const int>& follow) {
  const int n = duals.samples();
  const double r = c / c_before;
  const auto beta = duals.beta, gradient = duals.gradient;
  const auto sign = duals.sign;
  const auto weight = duals.weight;
  Kokkos::parallel_for(
      "krossfold::svm::scale_to", Kokkos::TeamPolicy<Exec>(exec, duals.problems(), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int p = member.league_rank();
        if (follow(p) == 0) return;
        double* b = &beta(p, 0);
        double* g = &gradient(p, 0);
        const std::int8_t* signs = &sign(p, 0);
        const double* w = weight.data();
        team_simd_for(member, n, [=](int i) {
          const double y = signs[i];
          // Exactly the bound where a bound was reached, so that later comparisons with it hold.
          b[i] = y * b[i] >= c_before * w[i] ? bound_of(y, c, w[i]) : r * b[i];
          g[i] = y - r * (y - g[i]);
        });
      });
}

template <class Exec>
void summarise(const Exec& exec, const DualProblems<Exec>& duals, double c, const Flags<FitSummary>& summary) {
  constexpr int block = 512;
  const int n = duals.samples(), blocks = (n + block - 1) / block;
  const auto beta = duals.beta, gradient = duals.gradient;
  const auto sign = duals.sign;
  const auto weight = duals.weight;
  const Matrix<Partial, Exec> partial(uninitialized("krossfold::svm::block_summary"), duals.problems(), blocks);
  const Matrix<double, Exec> magnitude(uninitialized("krossfold::svm::block_magnitude"), duals.problems(), blocks);
  Kokkos::parallel_for(
      "krossfold::svm::block_magnitude", Kokkos::RangePolicy<Exec>(exec, 0, duals.problems() * blocks),
      KOKKOS_LAMBDA(int k) {
        const int p = k / blocks, first = k % blocks * block, last = first + block < n ? first + block : n;
        const double* betas = &beta(p, 0);
        double sum = 0;
        KROSSFOLD_SIMD(reduction(+ : sum))
        for (int i = first; i < last; ++i) sum += betas[i] < 0 ? -betas[i] : betas[i];
        magnitude(p, k % blocks) = sum;
      });
  Kokkos::parallel_for(
      "krossfold::svm::block_summary", Kokkos::RangePolicy<Exec>(exec, 0, duals.problems() * blocks),
      KOKKOS_LAMBDA(int k) {
        const int p = k / blocks, first = k % blocks * block, last = first + block < n ? first + block : n;
        const std::int8_t* signs = &sign(p, 0);
        const double *betas = &beta(p, 0), *gradients = &gradient(p, 0), *weights = weight.data();
        double slack = 0;
        for (int b = 0; b < blocks; ++b) slack += rounding_of_sum * magnitude(p, b);
        double objective = 0, high = -HUGE_VAL, low = HUGE_VAL, wide_high = -HUGE_VAL, wide_low = HUGE_VAL;
        int support = 0, bounded = 0;
        KROSSFOLD_SIMD(reduction(+ : objective, support, bounded) reduction(max : high, wide_high)
                           reduction(min : low, wide_low))
        for (int i = first; i < last; ++i) {
          const double y = signs[i], b = betas[i], g = gradients[i];
          const double bound = bound_of(y, c, weights[i]);
          const double most = upper_bound(bound), least = lower_bound(bound);
          const double share = most_of_bound * (most - least), near = slack < share ? slack : share;
          const double up = b < most ? g : -HUGE_VAL, down = b > least ? g : HUGE_VAL;
          const double wide_up = most - b > near ? g : -HUGE_VAL, wide_down = b - least > near ? g : HUGE_VAL;
          objective += b * (y + g);
          support += b != 0 ? 1 : 0;
          bounded += b != 0 && y * b >= c * weights[i] ? 1 : 0;
          high = up > high ? up : high;
          low = down < low ? down : low;
          wide_high = wide_up > wide_high ? wide_up : wide_high;
          wide_low = wide_down < wide_low ? wide_down : wide_low;
        }
        const Partial sum{objective, high, low, wide_high, wide_low, support, bounded};
        partial(p, k % blocks) = sum;
      });
  Kokkos::parallel_for(
      "krossfold::svm::summarise", Kokkos::RangePolicy<Exec>(exec, 0, duals.problems()), KOKKOS_LAMBDA(int p) {
        FitSummary& fit = summary(p);
        double high = -HUGE_VAL, low = HUGE_VAL, wide_high = -HUGE_VAL, wide_low = HUGE_VAL, objective = 0;
        fit.support = fit.bounded = 0;
        for (int k = 0; k < blocks; ++k) {
          const Partial& part = partial(p, k);
          objective += part.objective;
          high = part.high > high ? part.high : high;
          low = part.low < low ? part.low : low;
          wide_high = part.wide_high > wide_high ? part.wide_high : wide_high;
          wide_low = part.wide_low < wide_low ? part.wide_low : wide_low;
          fit.support += part.support;
          fit.bounded += part.bounded;
        }
        const bool none_grows = high == -HUGE_VAL, none_shrinks = low == HUGE_VAL;
        fit.violation = none_grows || none_shrinks || high < low ? 0.0 : high - low;
        fit.dual_objective = 0.5 * objective;
        if (wide_high != -HUGE_VAL && wide_low != HUGE_VAL && wide_high < wide_low) {
          high = wide_high;
          low = wide_low;
        }
        fit.bias = none_grows ? (none_shrinks ? 0.0 : low) : none_shrinks ? high : 0.5 * (high + low);
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                              \
  template DualProblems<Exec> make_problems<Exec>(const Exec&, const Matrix<const std::int8_t, Exec>&,           \
                                                  const Vector<const double, Exec>&);                            \
  template void scale_to<Exec>(const Exec&, const DualProblems<Exec>&, double, double, const Flags<const int>&); \
  template void summarise<Exec>(const Exec&, const DualProblems<Exec>&, double, const Flags<FitSummary>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
