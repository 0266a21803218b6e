// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/factor_path.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/kernels/row_products.hpp"
#include "krossfold/svm/interior_point.hpp"
#include "path_parts.hpp"
#include "svm/interior/block_sums.hpp"

namespace krossfold::svm {

namespace {

constexpr int max_steps = 400;  // of interior points; 160,000 members and 958 rows may take more than 100

/// The smallest rank that leaves at most this residual (see factor_tolerance()), or the largest that is allowed.
template <class Exec>
int rank_at(PreciseKernel<Exec>& kernel, double residual, int max_rank, const Poll& poll) {
  const int limit = std::min(max_rank, PreciseKernel<Exec>::max_rank(kernel.samples()));
  const int enough = kernel.rank_for(residual, limit, poll);
  return enough > 0 ? enough : std::max(1, limit);
}

/// A larger rank, or 0 if none is allowed or the residual is as small as rounding leaves it.
template <class Exec>
int next_rank(PreciseKernel<Exec>& kernel, int rank, double& residual, int max_rank, const Poll& poll) {
  while (residual > least_factor_tolerance) {
    residual = std::max(residual / 4, least_factor_tolerance);
    const int larger = rank_at(kernel, residual, max_rank, poll);
    if (larger > rank) return larger;
  }
  return 0;
}

/// 1/2 trace(E) sum beta_i^2 / W of problem p.
template <class Exec>
double objective_error(const Exec& exec, const DualProblems<Exec>& duals, int p, double trace, double objective) {
  const int n = duals.samples();
  const auto beta = duals.beta;
  const Flags<double> partial("krossfold::svm::factor_squares", reduction_blocks(n));
  const double squares = sum_over(
      exec, n, partial, KOKKOS_LAMBDA(int i) { return beta(p, i) * beta(p, i); });
  return squares > 0 ? 0.5 * trace * squares / objective : 0.0;
}

/// The samples at which the gradient is compared with that of K, evenly over all.
std::vector<int> checked_samples(int n) {
  constexpr int most = 256;
  const int count = std::min(n, most);
  std::vector<int> samples(count);
  for (int k = 0; k < count; ++k) samples[k] = static_cast<int>((2LL * k + 1) * n / (2LL * count));
  return samples;
}

/// The largest |(E beta)_i| at some samples.
template <class Exec>
double gradient_error(const Exec& exec, const DualProblems<Exec>& duals, int p, PreciseKernel<Exec>& kernel,
                      const Vector<const int, Exec>& samples, const Poll& poll) {
  const int count = static_cast<int>(samples.extent(0));
  const Vector<double, Exec> product(uninitialized("krossfold::svm::factor_check"), count);
  kernel.multiply_at(samples, Kokkos::subview(duals.beta, p, Kokkos::ALL), product, poll);
  const auto sign = duals.sign;
  const auto gradient = duals.gradient;
  const Flags<double> partial("krossfold::svm::factor_check", reduction_blocks(count));
  return max_over(
      exec, count, partial, KOKKOS_LAMBDA(int k) {
        const int i = samples(k);
        const double error = sign(p, i) - product(k) - gradient(p, i);
        return error < 0 ? -error : error;
      });
}

struct FactorFit {
  int rank = 0;  ///< of the factor that the solution is of
  int steps = 0;
  double gradient_error = 0;
};

/// Solves the one problem at C, again with a better factor where the gradient errs by more than the tolerance. A problem that is not
/// solved keeps the solution of the factor before, or that of the C before, which is feasible at this one.
template <class Exec>
FactorFit solve_at(const Exec& exec, const DualProblems<Exec>& duals, PreciseKernel<Exec>& kernel, int max_rank,
                   double c, const PathParams& params, const Vector<const int, Exec>& checked,
                   PreciseIterate<Exec>& iterate) {
  const Poll poll = poll_of(params.stop);
  FactorFit fit;
  double residual = factor_tolerance(c);
  for (int rank = rank_at(kernel, residual, max_rank, poll); rank > 0;) {
    const InteriorFit found =
        solve_precisely<Exec>(exec, duals, 0, kernel, {c, params.tolerance, max_steps, rank, poll}, iterate);
    fit.steps += found.steps;
    if (found.converged || fit.rank == 0) fit.rank = rank;
    fit.gradient_error = gradient_error(exec, duals, 0, kernel, checked, poll);
    if (!found.converged || fit.gradient_error <= params.tolerance) break;
    rank = next_rank(kernel, rank, residual, max_rank, poll);
  }
  return fit;
}

}  // namespace

template <class Exec>
void continue_factor_path(const Exec& exec, PreciseKernel<Exec>& kernel, int max_rank,
                          const Matrix<const std::int8_t, Exec>& sign, const Outside<Exec>& outside,
                          const PathParams& params, PathSolution<Exec>& solution,
                          const Vector<const double, Exec>& weight) {
  check_ascending(params.c);
  const int problems = static_cast<int>(sign.extent(0)), steps = static_cast<int>(params.c.size());
  const DualProblems<Exec> all = start_path(exec, sign, outside, weight, solution, steps);
  const auto checked = list_on<Exec>("krossfold::svm::checked_samples", checked_samples(all.samples()));
  const Flags<FitSummary> summary("krossfold::svm::fit_summary", 1);
  for (int p = solution.done; p < problems; p = solution.done) {
    const auto one = Kokkos::make_pair(p, p + 1);
    DualProblems<Exec> duals;
    duals.sign = Kokkos::subview(sign, one, Kokkos::ALL);
    duals.weight = all.weight;
    duals.beta = Kokkos::subview(all.beta, one, Kokkos::ALL);
    duals.gradient = Kokkos::subview(all.gradient, one, Kokkos::ALL);
    bool follow = true;
    PreciseIterate<Exec> iterate;
    FitSummary before;
    for (int k = 0; k < steps; ++k) {
      const double c = params.c[k];
      FitSummary& fit = solution.fit[static_cast<std::size_t>(k) * problems + p];
      if (follow) {
        const FactorFit found = solve_at(exec, duals, kernel, max_rank, c, params, checked, iterate);
        summarise(exec, duals, c, summary);
        fence(exec, "krossfold::svm::summarise");
        fit = summary(0);
        fit.interior_steps = found.steps;
        fit.rank = found.rank;
        fit.gradient_error = found.gradient_error;
        fit.objective_error =
            objective_error(exec, duals, 0, kernel.residual(fit.rank) * all.samples(), fit.dual_objective);
        fit.converged = fit.violation <= params.tolerance && fit.gradient_error <= params.tolerance ? 1 : 0;
        follow = fit.bounded > 0 || fit.converged == 0;
      } else {
        fit = before;
        fit.interior_steps = 0;
      }
      before = fit;
      take_decisions<Exec>(exec, solution.decision, k * problems + p, p, problems, duals, summary, outside);
    }
    fence(exec, "krossfold::svm::factor_path");
    solution.done = p + 1;
    if (params.advanced) params.advanced();
  }
}

std::uint64_t factor_memory(int samples, int max_rank) {
  const auto n = static_cast<std::uint64_t>(samples),
             r = static_cast<std::uint64_t>(std::min(max_rank, PreciseKernel<Host>::max_rank(samples)));
  // The factor (twice while it grows), its columns of a problem with their images, the vectors of a problem and of its iterate.
  return 8 * (3 * n * r + r * r + n * r / kernels::column_block + 28 * n);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                      \
  template void continue_factor_path<Exec>(const Exec&, PreciseKernel<Exec>&, int,                       \
                                           const Matrix<const std::int8_t, Exec>&, const Outside<Exec>&, \
                                           const PathParams&, PathSolution<Exec>&, const Vector<const double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
