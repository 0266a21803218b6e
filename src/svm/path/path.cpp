// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "path_parts.hpp"
#include "price_cap.hpp"
#include "svm/interior/block_sums.hpp"

namespace krossfold::svm {

namespace {

/// sum of half_i beta_i of problem p: by so much the bias of the rows in float exceeds that of K itself.
template <class Exec>
double shift_of(const Exec& exec, const DualProblems<Exec>& duals, int p, const Vector<const double, Exec>& half) {
  if (half.extent(0) == 0) return 0;
  const int n = duals.samples();
  const auto beta = duals.beta;
  const Flags<double> partial("krossfold::svm::bias_shift", reduction_blocks(n));
  return sum_over(
      exec, n, partial, KOKKOS_LAMBDA(int i) { return half(i) * beta(p, i); });
}

template <class Exec>
void divide_coefficients(const Exec& exec, const Matrix<double, Exec>& beta, int first, int count, double by) {
  if (by == 1) return;
  const int n = static_cast<int>(beta.extent(1));
  Kokkos::parallel_for(
      "krossfold::svm::divide_coefficients", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        for (int p = 0; p < count; ++p) beta(first + p, i) /= by;
      });
}

}  // namespace

template <class Exec>
PathSolution<Exec> begin_path(int problems, int steps, int samples, int outside) {
  PathSolution<Exec> solution;
  const std::size_t fits = static_cast<std::size_t>(steps) * problems;
  solution.fit.resize(fits);
  solution.decision = Matrix<double, Exec>(uninitialized("krossfold::svm::decision"), fits, outside);
  solution.coefficient = Matrix<double, Exec>("krossfold::svm::coefficient", problems, samples);
  return solution;
}

template <class Exec>
void continue_path(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                   const Matrix<const std::int8_t, Exec>& sign, const Outside<Exec>& outside, const PathParams& params,
                   PathSolution<Exec>& solution, const Vector<const double, Exec>& weight,
                   PreciseKernel<Exec>* precise) {
  check_ascending(params.c);
  std::vector<double> c = params.c;  // in the unit of the kernel
  for (double& one : c) one *= kernel.unit;
  const int problems = static_cast<int>(sign.extent(0)), steps = static_cast<int>(params.c.size());
  const DualProblems<Exec> all = start_path(exec, sign, outside, weight, solution, steps);

  std::vector<int> follow(problems, 1);
  std::vector<FitSummary> solved(problems);
  for (int first = solution.done; first < problems; first = solution.done) {
    const int count = std::min(solver.size().slots, problems - first);
    const auto wave = Kokkos::make_pair(first, first + count);
    DualProblems<Exec> duals;
    duals.sign = Kokkos::subview(sign, wave, Kokkos::ALL);
    duals.weight = all.weight;
    duals.beta = Kokkos::subview(all.beta, wave, Kokkos::ALL);
    duals.gradient = Kokkos::subview(all.gradient, wave, Kokkos::ALL);
    solver.assign(count);
    PriceCap<Exec> cap(exec, solver, kernel, duals, precise);
    follow.assign(count, 1);
    std::vector<double> bias(count, std::numeric_limits<double>::quiet_NaN());  // where it is not that of the summary
    const Flags<FitSummary> summary("krossfold::svm::fit_summary", count);
    const Flags<int> follow_flag("krossfold::svm::follow", count);
    for (int k = 0; k < steps; ++k) {
      if (k > 0) {
        fence(exec, "krossfold::svm::follow");
        std::copy(follow.begin(), follow.end(), follow_flag.data());
        scale_to<Exec>(exec, duals, c[k - 1], c[k], follow_flag);
      }
      SolveParams at{.c = c[k],
                     .tolerance = params.tolerance,
                     .max_iterations = params.max_iterations,
                     .gap = params.gap,
                     .stop = params.stop};
      if (params.record) {
        at.record = [&](Round round) {
          round.problem += first;
          params.record(k, round);
        };
      }
      if (!cap.solve(at, follow, solved, bias)) return;
      summarise(exec, duals, c[k], summary);
      fence(exec, "krossfold::svm::summarise");
      for (int p = 0; p < count; ++p) {
        if (!std::isnan(bias[p])) summary(p).bias = bias[p];
        FitSummary& fit = solution.fit[static_cast<std::size_t>(k) * problems + first + p];
        fit = summary(p);
        fit.bias -= shift_of(exec, duals, p, kernel.half);
        fit.dual_objective /= kernel.unit;
        fit.converged = 1;
        if (follow[p] != 0) {
          fit.iterations = solved[p].iterations;
          fit.converged = solved[p].converged;
          fit.interior_steps = solved[p].interior_steps;
          fit.rank = solved[p].rank;
          fit.operations = solved[p].operations;
        }
        if (params.gap == 0 && fit.violation > params.tolerance) fit.converged = 0;
        if (!std::isfinite(fit.dual_objective)) fit.converged = 0;  // comparisons with NaN look like convergence
        // Without a coefficient at its bound it is the solution of every larger C, too, but for a duality gap, which grows with C.
        const bool optimal = fit.converged != 0 && !(fit.violation > params.tolerance);
        if (fit.bounded == 0 && optimal) follow[p] = 0;
      }
      take_decisions<Exec>(exec, solution.decision, k * problems + first, first, problems, duals, summary, outside);
    }
    divide_coefficients(exec, all.beta, first, count, kernel.unit);
    fence(exec, "krossfold::svm::path");
    solution.done = first + count;
    if (params.advanced) params.advanced();
  }
}

template <class Exec>
PathSolution<Exec> solve_path(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                              const Matrix<const std::int8_t, Exec>& sign, const Outside<Exec>& outside,
                              const PathParams& params, const Vector<const double, Exec>& weight,
                              PreciseKernel<Exec>* precise) {
  auto solution = begin_path<Exec>(static_cast<int>(sign.extent(0)), static_cast<int>(params.c.size()),
                                   static_cast<int>(sign.extent(1)), outside.width());
  continue_path<Exec>(exec, solver, kernel, sign, outside, params, solution, weight, precise);
  return solution;
}

template <class Exec>
PathSolution<Exec> part_of_path(const Exec& exec, const PathSolution<Exec>& path, int first, int count, int outside) {
  const int problems = static_cast<int>(path.coefficient.extent(0)),
            samples = static_cast<int>(path.coefficient.extent(1)),
            steps = static_cast<int>(path.fit.size()) / problems;
  auto part = begin_path<Exec>(count, steps, samples, outside);
  part.done = count;
  for (int k = 0; k < steps; ++k) {
    std::copy_n(path.fit.begin() + static_cast<std::ptrdiff_t>(k) * problems + first, count,
                part.fit.begin() + static_cast<std::ptrdiff_t>(k) * count);
  }
  const auto from = path.decision, to = part.decision, all = path.coefficient, own = part.coefficient;
  Kokkos::parallel_for(
      "krossfold::svm::part_of_decisions", Kokkos::TeamPolicy<Exec>(exec, steps * count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int row = member.league_rank(), source = row / count * problems + first + row % count;
        team_simd_for(member, outside, [&](int k) { to(row, k) = from(source, k); });
      });
  Kokkos::parallel_for(
      "krossfold::svm::part_of_coefficients", Kokkos::TeamPolicy<Exec>(exec, count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int p = member.league_rank();
        team_simd_for(member, samples, [&](int i) { own(p, i) = all(first + p, i); });
      });
  fence(exec, "krossfold::svm::part_of_path");
  return part;
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template PathSolution<Exec> begin_path<Exec>(int, int, int, int);                                                    \
  template void continue_path<Exec>(const Exec&, DualSolver<Exec>&, KernelRows<Exec>&,                                 \
                                    const Matrix<const std::int8_t, Exec>&, const Outside<Exec>&, const PathParams&,   \
                                    PathSolution<Exec>&, const Vector<const double, Exec>&, PreciseKernel<Exec>*);     \
  template PathSolution<Exec> solve_path<Exec>(                                                                        \
      const Exec&, DualSolver<Exec>&, KernelRows<Exec>&, const Matrix<const std::int8_t, Exec>&, const Outside<Exec>&, \
      const PathParams&, const Vector<const double, Exec>&, PreciseKernel<Exec>*);                                     \
  template PathSolution<Exec> part_of_path<Exec>(const Exec&, const PathSolution<Exec>&, int, int, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
