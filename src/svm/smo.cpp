// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/smo.hpp"

#include "krossfold/core/simd.hpp"

namespace krossfold::svm {

namespace {

/// One problem as raw pointers: what the inner loops see.
struct OneProblem {
  const float* kernel;
  std::size_t stride;
  double *beta, *gradient;
  std::uint8_t* freedom;
  const int* label;
  int samples, positive;
  double c;

  KOKKOS_INLINE_FUNCTION const float* row(int i) const { return kernel + static_cast<std::size_t>(i) * stride; }
  KOKKOS_INLINE_FUNCTION double upper(int i) const { return label[i] == positive ? c : 0.0; }
  KOKKOS_INLINE_FUNCTION double lower(int i) const { return label[i] == positive ? 0.0 : -c; }
};

/// K_ii + K_jj - 2 K_ij from K - 1; kept away from 0 for samples that coincide.
KOKKOS_INLINE_FUNCTION double curvature(float kernel_minus_one) {
  const double a = -2.0 * static_cast<double>(kernel_minus_one);
  return a > 1e-12 ? a : 1e-12;
}

/// The partner of second order for i, or value <= 0 if there is none. Scores are formed in float: they only choose.
template <class Member>
KOKKOS_INLINE_FUNCTION Largest second_order_partner(const Member& member, const OneProblem& q, int i, double g_i) {
  const float* row = q.row(i);
  const double* gradient = q.gradient;
  const std::uint8_t* freedom = q.freedom;
  return team_simd_largest(member, q.samples, [=](int k) {
    const float d = static_cast<float>(g_i - gradient[k]);
    const float a = -2.0f * row[k];
    const float score = d * d / (a > 1e-12f ? a : 1e-12f);
    return (freedom[k] & can_shrink) != 0 && d > 0 ? static_cast<double>(score) : -HUGE_VAL;
  });
}

/// g -= t (K_i - K_j), then the largest gradient that can grow and, in `low`, the least that can shrink.
template <class Member>
KOKKOS_INLINE_FUNCTION Largest update_gradient(const Member& member, const OneProblem& q, int i, int j, double t,
                                               double& low) {
  const float *row_i = q.row(i), *row_j = q.row(j);
  double* gradient = q.gradient;
  const std::uint8_t* freedom = q.freedom;
  return team_simd_update_largest(
      member, q.samples,
      [=](int k) { gradient[k] -= t * (static_cast<double>(row_i[k]) - static_cast<double>(row_j[k])); },
      [=](int k) { return (freedom[k] & can_grow) != 0 ? gradient[k] : -HUGE_VAL; },
      [=](int k) { return (freedom[k] & can_shrink) != 0 ? gradient[k] : HUGE_VAL; }, low);
}

template <class Member>
KOKKOS_INLINE_FUNCTION void smo_of_team(const Member& member, const OneProblem& q, SmoProgress& progress,
                                        const SmoParams& params) {
  double low;
  const double* gradient = q.gradient;
  const std::uint8_t* freedom = q.freedom;
  Largest high = team_simd_update_largest(
      member, q.samples, [](int) {}, [=](int k) { return (freedom[k] & can_grow) != 0 ? gradient[k] : -HUGE_VAL; },
      [=](int k) { return (freedom[k] & can_shrink) != 0 ? gradient[k] : HUGE_VAL; }, low);
  std::int64_t step = 0;
  bool stuck = false;
  while (high.value - low > params.tolerance && step < params.steps) {
    const int i = high.index;
    const double g_i = high.value;
    const Largest partner = second_order_partner(member, q, i, g_i);
    if (!(partner.value > 0)) {  // gradients differ by less than float resolves: nothing can be gained
      stuck = true;
      break;
    }
    const int j = partner.index;
    const double room_i = q.upper(i) - q.beta[i], room_j = q.beta[j] - q.lower(j);
    double t = (g_i - gradient[j]) / curvature(q.row(i)[j]);
    t = t < room_i ? t : room_i;
    t = t < room_j ? t : room_j;
    member.team_barrier();  // all have read beta before one writes it
    Kokkos::single(Kokkos::PerTeam(member), [&]() {
      // Exactly the bound where a bound is reached, so that comparisons with C hold.
      q.beta[i] = t == room_i ? q.upper(i) : q.beta[i] + t;
      q.beta[j] = t == room_j ? q.lower(j) : q.beta[j] - t;
      q.freedom[i] = static_cast<std::uint8_t>((q.beta[i] < q.upper(i) ? can_grow : 0) |
                                               (q.beta[i] > q.lower(i) ? can_shrink : 0));
      q.freedom[j] = static_cast<std::uint8_t>((q.beta[j] < q.upper(j) ? can_grow : 0) |
                                               (q.beta[j] > q.lower(j) ? can_shrink : 0));
    });
    member.team_barrier();
    high = update_gradient(member, q, i, j, t, low);
    ++step;
  }
  const double violation = high.value - low;
  member.team_barrier();
  Kokkos::single(Kokkos::PerTeam(member), [&]() {
    progress.iterations += step;
    progress.converged = !(violation > params.tolerance) ? 1 : 0;
    progress.stuck = stuck ? 1 : 0;
  });
}

}  // namespace

template <class Exec>
void smo(const Exec& exec, const DualProblems<Exec>& duals, const Vector<SmoProgress, Exec>& progress,
         const SmoParams& params) {
  const auto kernel = duals.kernel;
  const auto beta = duals.beta, gradient = duals.gradient;
  const auto freedom = duals.freedom;
  const auto label = duals.label;
  const int n = duals.samples();
  Kokkos::parallel_for(
      "krossfold::svm::smo", Kokkos::TeamPolicy<Exec>(exec, duals.problems, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Exec>::member_type& member) {
        const int p = member.league_rank();
        if (progress(p).converged != 0 || progress(p).stuck != 0) return;
        const OneProblem q{kernel.data(),
                           static_cast<std::size_t>(kernel.stride(0)),
                           &beta(p, 0),
                           &gradient(p, 0),
                           &freedom(p, 0),
                           label.data(),
                           n,
                           p,
                           params.c};
        smo_of_team(member, q, progress(p), params);
      });
  fence(exec, "krossfold::svm::smo");
}

#define KROSSFOLD_INSTANTIATE(Exec) \
  template void smo<Exec>(const Exec&, const DualProblems<Exec>&, const Vector<SmoProgress, Exec>&, const SmoParams&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
