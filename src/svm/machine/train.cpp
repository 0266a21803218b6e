// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/train.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/kernel_matrix.hpp"
#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/points.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "krossfold/svm/row_cache.hpp"

namespace krossfold::svm {

namespace {

bool positive(double value) { return std::isfinite(value) && value > 0; }

void check(const data::Dataset& samples, const TrainParams& params) {
  const auto features = static_cast<std::size_t>(samples.features());
  const auto qualifies = [&](const std::vector<double>& scale) {
    return scale.size() == 1 || scale.size() == features;
  };
  if (!samples.labelled() || samples.classes() < 2) {
    throw_input_error(text(samples.name, ": samples without labels of at least two classes"),
                      "there is nothing to separate");
  }
  if (params.c.empty() || !std::all_of(params.c.begin(), params.c.end(), positive) ||
      std::adjacent_find(params.c.begin(), params.c.end(), std::greater_equal()) != params.c.end()) {
    throw_input_error("bad values of C", "they are positive and ascending");
  }
  const auto classes = static_cast<std::size_t>(samples.classes());
  if (!params.class_weights.of_class.empty() && params.class_weights.of_class.size() != classes) {
    throw_input_error(text(params.class_weights.of_class.size(), " class weights"),
                      text("there are ", classes, " classes"));
  }
  KernelFunction kernel = params.kernel;
  kernel.gamma = params.gamma.value_or(1);
  check_kernel(kernel);
  if (!positive(params.tolerance) || params.tolerance >= 1) {
    throw_input_error(text("bad tolerance ", params.tolerance), "it lies between 0 and 1");
  }
  if (!(params.gap >= 0 && params.gap < 1)) {
    throw_input_error(text("bad gap ", params.gap), "it lies between 0 and 1");
  }
  if (params.max_iterations < 1) {
    throw_input_error(text("bad limit of ", params.max_iterations, " iterations"), "at least one is needed");
  }
  if (params.scale && !(qualifies(params.scale->offset) && qualifies(params.scale->divisor) &&
                        std::all_of(params.scale->divisor.begin(), params.scale->divisor.end(), positive))) {
    throw_input_error(text("a scale that does not suit ", features, " features"),
                      "it has one offset and positive divisor for all of them, or one for each");
  }
  const bool precomputed = params.kernel.kind == KernelKind::precomputed;
  if (precomputed && params.scale &&
      (params.scale->offset != std::vector{0.0} || params.scale->divisor != std::vector{1.0})) {
    throw_input_error("a scale for a precomputed kernel", "kernel values are not scaled");
  }
}

/// The rows of the kernel matrix: all of them if they fit in `memory` bytes, else as many as do.
template <class Exec>
std::unique_ptr<KernelRows<Exec>> kernel_rows(const Exec& exec, const Points<Exec>& points,
                                              const KernelForm<Exec>& form, int slots, std::uint64_t memory,
                                              const Poll& poll) {
  const int n = points.size();
  const std::uint64_t fitting = memory / RowCache<Exec>::bytes_per_row(n);
  if (fitting >= static_cast<std::uint64_t>(n)) {
    const auto kernel = padded_matrix<float, Exec>("krossfold::svm::kernel", n, n);
    squared_distance<Exec>(exec, kernel, points, {}, poll);
    fill_kernel<Exec>(exec, kernel, kernel, form, points.unit, poll);
    auto rows = std::make_unique<WholeKernel<Exec>>(exec, kernel);
    rows->unit = form.unit;
    rows->half = form.half;
    return rows;
  }
  // Problems solved side by side need two rows each at the same time.
  auto cache = std::make_unique<RowCache<Exec>>(exec, std::make_unique<PointDistances<Exec>>(points), n,
                                                std::max(static_cast<int>(fitting), 2 * slots + 2));
  cache->set_kernel(form, points.unit);
  return cache;
}

}  // namespace

template <class Exec>
Machine train(const Exec& exec, const data::Dataset& given_samples, const TrainParams& given) {
  check(given_samples, given);
  TrainParams params = given;
  const KernelKind kind = params.kernel.kind;
  const data::Dataset samples =
      kind == KernelKind::precomputed ? data::symmetric_kernel_matrix(given_samples) : given_samples;
  if (!params.gamma) params.gamma = has_gamma(kind) ? 1.0 / samples.features() : 1.0;
  if (!params.scale) params.scale = kind == KernelKind::precomputed ? data::Scale() : data::fit_scale(samples, "");
  params.kernel.gamma = *params.gamma;
  params.multiclass = decomposition_of(params.multiclass, samples.classes());

  const int n = samples.size();
  const SolverSize size = solver_size<Exec>(binary_problems(params.multiclass, samples.classes()), n, params.memory);
  const auto points = make_points<Exec>(samples, *params.scale, best_form(samples, *params.scale, kind));
  const auto form = make_kernel_form<Exec>(params.kernel, sample_norms(samples, *params.scale, kind));
  const Poll poll = poll_of(params.stop);
  const auto rows = kernel_rows<Exec>(exec, points, form, size.slots, params.memory, poll);
  rows->poll = poll;
  const Vector<int, Exec> none_held("krossfold::svm::held", n);
  const auto sign =
      make_signs<Exec>(exec, params.multiclass, samples.classes(), on_device<Exec>(samples.label), none_held);
  const Vector<const double, Exec> weight =
      on_device<Exec>(data::training_weights(samples, params.class_weights, std::vector<int>(n, 0)));
  DualSolver<Exec> solver(exec, size, n);
  PreciseKernel<Exec> precise(exec, n, numbers_of_distance(samples, kind), [points] { return points; });
  precise.set_kernel(form);
  const auto solution = solve_path<Exec>(
      exec, solver, *rows, sign, Vector<const int, Exec>(),
      {params.c, params.tolerance, params.max_iterations, params.stop, {}, params.gap}, weight, &precise);
  if (!solution.complete()) throw Stopped();
  return make_machine(samples, solution, params);
}

template <class Exec>
Machine make_machine(const data::Dataset& samples, const PathSolution<Exec>& solution, const TrainParams& params) {
  const auto beta = on_host(solution.coefficient);
  const std::vector<FitSummary> fit(solution.fit.end() - static_cast<std::ptrdiff_t>(beta.extent(0)),
                                    solution.fit.end());
  std::vector<double> bias;
  for (const FitSummary& problem : fit) bias.push_back(problem.bias);
  KernelFunction kernel = params.kernel;
  kernel.gamma = params.gamma.value();
  Machine machine = make_machine(samples, beta, bias, kernel);
  machine.multiclass = params.multiclass;
  machine.c = params.c.back();
  machine.scale = params.scale.value();
  machine.fit = fit;
  return machine;
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                    \
  template Machine train<Exec>(const Exec&, const data::Dataset&, const TrainParams&); \
  template Machine make_machine<Exec>(const data::Dataset&, const PathSolution<Exec>&, const TrainParams&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
