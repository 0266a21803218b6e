// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/path.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/svm/smo.hpp"

namespace krossfold::svm {

namespace {

/// Iterations of one launch: few enough that all problems together take some ten milliseconds on one core, so that a
/// stop is seen in time. Has no influence on the result.
std::int64_t steps_per_launch(int samples, int problems) {
  const double elements = static_cast<double>(samples) * problems;
  return std::max<std::int64_t>(16, static_cast<std::int64_t>(4e7 / elements));
}

void check_ascending(const std::vector<double>& c) {
  if (c.empty() || !(c.front() > 0) || !std::is_sorted(c.begin(), c.end())) {
    throw_run_error("the values of C are not ascending and positive", text(c.size(), " values"));
  }
}

/// Runs every problem that follow(p) marks to its end at one C. Returns false if it was stopped.
template <class Exec>
bool solve_at(const Exec& exec, const DualProblems<Exec>& duals, double c, const PathParams& params,
              const Vector<int>& follow, const Vector<SmoProgress>& progress) {
  const int problems = duals.problems;
  Vector<SmoProgress, Exec> on_exec(uninitialized("krossfold::svm::smo_progress"), problems);
  for (int p = 0; p < problems; ++p) {
    progress(p) = SmoProgress{};
    progress(p).converged = follow(p) == 0 ? 1 : 0;
  }
  Kokkos::deep_copy(on_exec, progress);
  find_freedom(exec, duals, c);
  std::int64_t done = 0;
  while (done < params.max_iterations) {
    if (params.stop.stop_requested()) return false;
    const std::int64_t steps = std::min(steps_per_launch(duals.samples(), problems), params.max_iterations - done);
    smo(exec, duals, on_exec, {c, params.tolerance, steps});
    Kokkos::deep_copy(progress, on_exec);
    done += steps;
    bool finished = true;
    for (int p = 0; p < problems; ++p) finished = finished && (progress(p).converged != 0 || progress(p).stuck != 0);
    if (finished) break;
  }
  return true;
}

}  // namespace

template <class Exec>
PathSolution<Exec> solve_path(const Exec& exec, const Matrix<const float, Exec>& kernel,
                              const Vector<const int, Exec>& label, int classes, const PathParams& params) {
  check_ascending(params.c);
  const int n = static_cast<int>(label.extent(0)), steps = static_cast<int>(params.c.size());
  const int sets = params.keep_last_only ? 1 : steps;
  PathSolution<Exec> solution;
  solution.coefficient = Matrix<double, Exec>(uninitialized("krossfold::svm::coefficient"), sets * classes, n);
  solution.bias = Vector<double, Exec>(uninitialized("krossfold::svm::bias"), sets * classes);
  solution.fit.resize(static_cast<std::size_t>(steps) * classes);
  const Vector<double> bias("krossfold::svm::bias_host", sets * classes);

  const DualProblems<Exec> duals = make_problems(exec, kernel, label, classes);
  const Vector<int> follow("krossfold::svm::follow_host", classes);
  const Vector<SmoProgress> progress("krossfold::svm::smo_progress_host", classes);
  const Vector<FitSummary, Exec> summary("krossfold::svm::fit_summary", classes);
  Kokkos::deep_copy(follow, 1);
  for (int k = 0; k < steps; ++k) {
    if (k > 0) {
      scale_to<Exec>(exec, duals, params.c[k - 1], params.c[k], on_device<Exec>(follow));
    }
    if (!solve_at(exec, duals, params.c[k], params, follow, progress)) return solution;
    summarise(exec, duals, params.c[k], summary);
    const auto found = on_host(summary);
    for (int p = 0; p < classes; ++p) {
      FitSummary& fit = solution.fit[static_cast<std::size_t>(k) * classes + p];
      fit = found(p);
      fit.iterations = progress(p).iterations;
      fit.converged = follow(p) == 0 ? solution.fit[static_cast<std::size_t>(k - 1) * classes + p].converged
                                     : progress(p).converged;
      if (!std::isfinite(fit.dual_objective)) fit.converged = 0;  // comparisons with NaN end SMO as if it had converged
      bias((sets == 1 ? 0 : k * classes) + p) = fit.bias;
      if (fit.bounded == 0 && fit.converged != 0) follow(p) = 0;
    }
    if (sets > 1 || k == steps - 1) {
      const int first = sets == 1 ? 0 : k * classes;
      Kokkos::deep_copy(Kokkos::subview(solution.coefficient, Kokkos::make_pair(first, first + classes), Kokkos::ALL),
                        duals.beta);
    }
  }
  Kokkos::deep_copy(solution.bias, bias);
  solution.complete = true;
  return solution;
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                           \
  template PathSolution<Exec> solve_path<Exec>(const Exec&, const Matrix<const float, Exec>&, \
                                               const Vector<const int, Exec>&, int, const PathParams&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
