// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/svm/augmented_lagrangian.hpp"
#include "krossfold/svm/interior_point.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/price.hpp"

namespace krossfold::svm {

// What every path over C does, whatever solves its problems.

inline void check_ascending(const std::vector<double>& c) {
  if (c.empty() || !(c.front() > 0) || !std::is_sorted(c.begin(), c.end())) {
    throw_run_error("the values of C are not ascending and positive", text(c.size(), " values"));
  }
}

/// The problems of a path, with the coefficients of those that are solved; a problem that was stopped midway begins again.
template <class Exec>
DualProblems<Exec> start_path(const Exec& exec, const Matrix<const std::int8_t, Exec>& sign,
                              const Outside<Exec>& outside, const Vector<const double, Exec>& weight,
                              const PathSolution<Exec>& solution, int steps) {
  const int problems = static_cast<int>(sign.extent(0));
  if (solution.fit.size() != static_cast<std::size_t>(steps) * problems ||
      solution.coefficient.extent(0) != sign.extent(0) || solution.coefficient.extent(1) != sign.extent(1) ||
      solution.decision.extent(1) != static_cast<std::size_t>(outside.width()) || problems % outside.lists != 0) {
    throw_run_error("a path cannot be continued", "its sizes differ");
  }
  DualProblems<Exec> all = make_problems(exec, sign, weight);
  all.beta = solution.coefficient;
  // A problem stopped midway restarts from zero because its gradient is not kept.
  const auto beta = all.beta;
  const int done = solution.done, samples = all.samples();
  Kokkos::parallel_for(
      "krossfold::svm::begin_path", Kokkos::TeamPolicy<Exec>(exec, problems, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        if (member.league_rank() < done) return;
        double* b = &beta(member.league_rank(), 0);
        team_simd_for(member, samples, [=](int i) { b[i] = 0; });
      });
  return all;
}

/// decision(row + p, k) = bias(p) - g(p, i), with i the k-th sample outside problem first + p of `problems`.
template <class Exec>
void take_decisions(const Exec& exec, const Matrix<double, Exec>& decision, int row, int first, int problems,
                    const DualProblems<Exec>& duals, const Flags<const FitSummary>& summary,
                    const Outside<Exec>& outside) {
  const int samples = outside.width(), each = problems / outside.lists;
  if (samples == 0) return;
  const int* list = outside.sample.data();
  const auto gradient = duals.gradient;
  Kokkos::parallel_for(
      "krossfold::svm::decisions", Kokkos::TeamPolicy<Exec>(exec, duals.problems(), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int p = member.league_rank();
        const double bias = summary(p).bias;
        const double* g = &gradient(p, 0);
        const int* sample = list + static_cast<std::size_t>((first + p) / each) * samples;
        double* value = &decision(row + p, 0);
        team_simd_for(member, samples, [=](int k) { value[k] = sample[k] < 0 ? 0.0 : bias - g[sample[k]]; });
      });
}

/// The violation of problem p at C, by its gradient.
template <class Exec>
double kkt_violation(const Exec& exec, const DualProblems<Exec>& duals, int p, double c) {
  const Flags<FitSummary> summary("krossfold::svm::fit_summary", duals.problems());
  summarise(exec, duals, c, summary);
  fence(exec, "krossfold::svm::summarise");
  return summary(p).violation;
}

/// From where either method starts at the next C.
template <class Exec>
struct PreciseIterate {
  LagrangianIterate<Exec> lagrangian;
  InteriorIterate<Exec> interior;
  /// The method of multipliers did not come to its end at a smaller C: it is not tried again.
  bool without_end = false;
};

/// Solves problem p with K in double: on a factor that is far smaller than the problem by the method of multipliers, and by interior
/// points if that does not come to its end; all others by interior points. steps: of both.
template <class Exec>
InteriorFit solve_precisely(const Exec& exec, const DualProblems<Exec>& duals, int p, PreciseKernel<Exec>& kernel,
                            const InteriorParams& params, PreciseIterate<Exec>& iterate) {
  InteriorFit before;
  if (params.rank > 0 && !iterate.without_end) {
    const LagrangianFit fit = solve_lagrangian<Exec>(exec, duals, p, kernel,
                                                     {.c = params.c,
                                                      .tolerance = params.tolerance,
                                                      .rank = params.rank,
                                                      .members_a_row = members_a_row,
                                                      .poll = params.poll},
                                                     &iterate.lagrangian);
    before = {fit.steps, fit.converged, fit.cost};
    if (fit.converged) return before;
    iterate.without_end = fit.steps > 0;
  }
  InteriorFit fit = solve_interior<Exec>(exec, duals, p, kernel, params, &iterate.interior);
  fit.steps += before.steps;
  fit.cost += before.cost;
  return fit;
}

}  // namespace krossfold::svm
