// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/executor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/largest.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/run/done_record.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/studies/svm/checkpoint.hpp"
#include "krossfold/svm/factor_path.hpp"
#include "krossfold/svm/machine.hpp"
#include "krossfold/svm/train.hpp"

namespace krossfold::studies {

namespace {

Vector<const int, Device> indices_on_device(const std::vector<int>& values) {
  return list_on<Device>("krossfold::studies::indices", values);
}

Vector<const int, Device> labels_of(const Vector<const int>& label, const std::vector<int>& rows) {
  std::vector<int> picked(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) picked[r] = label(rows[r]);
  return indices_on_device(picked);
}

void check_finite(const std::vector<double>& decision) {
  if (!std::all_of(decision.begin(), decision.end(), [](double f) { return std::isfinite(f); })) {
    throw_run_error("no predictions from these machines", "a decision value is not finite",
                    "Scale the features (--scale standard), or the kernel matrix.");
  }
}

/// How likely a unit holds the best cell: the best value of the measure that selects, among its C.
double promise_of(const SvmLayout& search, const FoldResult& result) {
  const std::vector<double> value = values_of(*search.selection.measure, result, search.classes);
  const bool lower = search.selection.measure->better == measures::Better::lower;
  double best = -std::numeric_limits<double>::infinity();
  for (const double v : value) best = std::max(best, lower ? -v : v);  // passes over NaN
  return best;
}

}  // namespace

SvmExecutor::SvmExecutor(const SvmLayout& search, const data::Task& task, const MemoryPlan& plan,
                         const SharedDistances& shared, const run::CheckpointParams& parts)
    : search_(search),
      task_(task),
      plan_(plan),
      parts_(parts),
      decisions_(kept_decisions(search)),
      distance_unit_(shared.unit),
      label_(on_device<Device>(task.train.label)),
      distance_(shared.distance),
      shared_distance_(shared.distance.extent(0) > 0) {}

std::vector<Record> SvmExecutor::run(const Unit& unit, UnitContext& context) {
  return run::unless_stopped(context, [&](const Poll& poll) -> std::vector<Record> {
    poll_ = poll;
    switch (unit.key.kind) {
      case svm_unit_fold:
      case svm_unit_refine:
      case svm_unit_nested:
        return folds(unit, context);
      case svm_unit_outer:
        return {run::done_record(unit.key, outer_test(unit, context).to_bytes())};
      case svm_unit_out_of_fold:
        return {run::done_record(unit.key, out_of_fold(unit, context).to_bytes())};
      case svm_unit_refit:
        return {run::done_record(unit.key, refit(unit, context).to_bytes())};
      default:
        throw_run_error(text("a unit of kind ", unit.key.kind), "an SVM search has none");
    }
  });
}

void SvmExecutor::release() {
  decisions_ = DecisionCache(kept_decisions(search_));
  solver_.reset();
  plan_.folds_at_once = 1;
  rows_.reset();
  precise_.reset();
  precise_there_ = true;  // from now on with the least memory
  cache_ = nullptr;
  kernel_ = {};
  kernel_gamma_ = 0;
  norms_.reset();
  form_ = {};
  form_gamma_ = 0;
  if (!shared_distance_) distance_ = {};
}

/// Computes what the kernel matrices of all gammas share.
void SvmExecutor::start_kernel() {
  const int n = search_.samples;
  std::unique_ptr<svm::DistanceRows<Device>> rows;
  const bool from_points = plan_.mode == KernelMode::points_rows;
  if (from_points || distance_.extent(0) == 0) {
    const auto points = svm::make_points<Device>(task_.train, search_.scale, search_.point_form(task_.train));
    distance_unit_ = points.unit;
    if (from_points) {
      rows = std::make_unique<svm::PointDistances<Device>>(points);
    } else {
      const auto distance = padded_matrix<float, Device>("krossfold::studies::distance", n, n);
      svm::squared_distance<Device>(exec_, distance, points, {}, poll_);
      distance_ = distance;  // not before they are complete: a stopped computation begins anew
    }
  }
  if (plan_.mode == KernelMode::whole) {
    kernel_ = padded_matrix<float, Device>("krossfold::studies::kernel", n, n);
    rows_ = std::make_unique<svm::WholeKernel<Device>>(exec_, kernel_);
    return;
  }
  if (!rows) rows = std::make_unique<svm::WholeDistances<Device>>(distance_);
  // Each of the problems that are solved side by side needs two rows at a time.
  const int least =
      2 * svm::solver_size<Device>(search_.problems * plan_.folds_at_once, n, plan_.solver_room).slots + 2;
  fewest_rows_ = std::max(plan_.cached_rows, least);
  auto cache = std::make_unique<svm::RowCache<Device>>(
      exec_, std::move(rows), n, std::max(precise_there_ ? 0 : plan_.rows_at_first, fewest_rows_));
  cache_ = cache.get();
  rows_ = std::move(cache);
}

/// How the kernel of a gamma is kept.
const svm::KernelForm<Device>& SvmExecutor::form_of(double gamma) {
  if (!norms_) {
    norms_ = std::make_unique<svm::SampleNorms>(svm::sample_norms(task_.train, search_.scale, search_.kernel.kind));
  }
  if (form_gamma_ != gamma) {
    form_ = svm::make_kernel_form<Device>(search_.kernel_at(gamma), *norms_);
    form_gamma_ = gamma;
  }
  return form_;
}

svm::KernelRows<Device>& SvmExecutor::kernel_of(double gamma) {
  if (!rows_) start_kernel();
  if (kernel_gamma_ != gamma) {
    kernel_gamma_ = 0;
    const svm::KernelForm<Device>& form = form_of(gamma);
    if (cache_ != nullptr) {
      cache_->set_kernel(form, distance_unit_);
    } else {
      svm::fill_kernel<Device>(exec_, kernel_, distance_, form, distance_unit_, poll_);
      rows_->unit = form.unit;
      rows_->half = form.half;
    }
    kernel_gamma_ = gamma;
  }
  rows_->poll = poll_;
  return *rows_;
}

/// For the kernel in double, which is being asked for: rows of K in float give way. (Values do not depend on how many are kept.)
void SvmExecutor::make_room() {
  precise_there_ = true;
  if (cache_ != nullptr) cache_->shrink(fewest_rows_);
}

/// The kernel in double.
svm::PreciseKernel<Device>& SvmExecutor::precise_of(double gamma) {
  if (!precise_) {
    precise_ = std::make_unique<svm::PreciseKernel<Device>>(
        exec_, search_.samples, svm::numbers_of_distance(task_.train, search_.kernel.kind), [this] {
          make_room();
          return svm::make_points<Device>(task_.train, search_.scale, search_.point_form(task_.train));
        });
  }
  // Others are rounded, and not there in every memory mode, of which the bits of a result must not depend.
  if (const svm::PointForm form = search_.point_form(task_.train);
      form == svm::PointForm::whole_float || form == svm::PointForm::kernel_values) {
    precise_->use_distances(distance_);
  }
  precise_->set_kernel(form_of(gamma));
  return *precise_;
}

/// Solves the path over C of each of these trainings, side by side, and finds the decision values of their held-out samples. Continues
/// from the checkpoint of an earlier attempt, and stores checkpoints of its own, the last one when it is stopped.
svm::PathSolution<Device> SvmExecutor::solve(const Unit& unit, UnitContext& context, const PathInput& path,
                                             const std::vector<LeftOut>& trainings) {
  const bool by_factor = search_.params.factor > 0;
  if (!solver_ && !by_factor) {
    solver_ = std::make_unique<svm::DualSolver<Device>>(
        exec_, svm::solver_size<Device>(search_.problems * plan_.folds_at_once, search_.samples, plan_.solver_room),
        search_.samples);
  }
  const auto sign = signs_of(exec_, search_, label_, trainings);
  const svm::Outside<Device> outside = outside_of(trainings);
  const int steps = static_cast<int>(path.c.size()), problems = static_cast<int>(sign.extent(0));
  std::optional<svm::PathSolution<Device>> solution;
  if (const auto part = parts_.begin(unit, context.checkpoint)) {
    solution = from_part(*part, problems, steps, search_.samples, outside.width());
  }
  if (!solution) solution = svm::begin_path<Device>(problems, steps, search_.samples, outside.width());

  const int before = solution->done;
  const auto keep = [&] { parts_.keep(to_part(*solution)); };
  const Vector<const double, Device> weight = on_device<Device>(
      data::training_weights(task_.train, search_.class_weights, is_left_out(trainings.front(), search_.samples)));
  svm::PathParams params{path.c, search_.params.tolerance, search_.params.max_iterations, context.stop,
                         {},     search_.params.gap};
  params.advanced = [&] {
    if (!solution->complete() && parts_.due()) keep();
  };
  try {
    if (by_factor) {
      svm::continue_factor_path<Device>(exec_, precise_of(path.gamma), search_.params.factor, sign, outside, params,
                                        *solution, weight);
    } else {
      svm::continue_path<Device>(exec_, *solver_, kernel_of(path.gamma), sign, outside, params, *solution, weight,
                                 &precise_of(path.gamma));
    }
  } catch (const Stopped&) {
    if (solution->done > before) keep();
    throw;
  }
  if (!solution->complete()) {
    if (solution->done > before) keep();
    throw Stopped();
  }
  parts_.complete();
  return *solution;
}

/// The results of the folds of a unit, whose problems are solved along one path.
std::vector<Record> SvmExecutor::folds(const Unit& unit, UnitContext& context) {
  const auto& index = unit.key.index;
  const bool nested = unit.key.kind == svm_unit_nested;
  PathInput path = unit.input.empty() ? PathInput{search_.gamma[index[gamma_index(unit.key)]], search_.c, {}}
                                      : PathInput::from_bytes(unit.input);
  if (path.folds.empty()) path.folds = {index[fold_index(unit.key)]};
  if (path.folds.size() > 1 && (nested || !may_join_folds(search_))) {
    throw_run_error(text("a unit of ", path.folds.size(), " folds"), "in this search each fold is a unit of its own");
  }
  std::vector<LeftOut> trainings;
  for (const int fold : path.folds) {
    if (nested) {
      trainings.push_back({search_.nested.inner[index[0]].held[fold], search_.nested.outer.held[index[0]]});
    } else {
      trainings.push_back({search_.folds.held[fold]});
    }
  }
  const svm::PathSolution<Device> solution = solve(unit, context, path, trainings);
  std::vector<Record> records;
  for (std::size_t k = 0; k < trainings.size(); ++k) {
    const std::vector<int>& held = trainings[k].held;
    const auto own = trainings.size() == 1
                         ? solution
                         : svm::part_of_path<Device>(exec_, solution, static_cast<int>(k) * search_.problems,
                                                     search_.problems, static_cast<int>(held.size()));
    UnitKey key = unit.key;
    key.index[fold_index(key)] = path.folds[k];
    records.push_back(run::done_record(key, fold_result(path, path.folds[k], held, own, nested).to_bytes()));
  }
  return records;
}

FoldResult SvmExecutor::fold_result(const PathInput& path, int fold, const std::vector<int>& held,
                                    const svm::PathSolution<Device>& solution, bool nested) {
  const int cs = static_cast<int>(path.c.size());

  const Matrix<int, Device> choice(uninitialized("krossfold::studies::choice"), cs, held.size());
  svm::choose_classes<Device>(exec_, choice, solution.decision, search_.multiclass, search_.classes);
  const Vector<int, Device> wrong(uninitialized("krossfold::studies::wrong"), cs);
  kernels::count_wrong<Device>(exec_, wrong, choice, labels_of(task_.train.label, held));

  FoldResult result;
  result.held = static_cast<int>(held.size());
  const auto counts = on_host(wrong);
  result.wrong.assign(counts.data(), counts.data() + cs);
  result.fit = solution.fit;
  std::vector<int> truth;
  std::vector<double> weight;
  for (const int i : held) {
    truth.push_back(task_.train.label(i));
    if (search_.params.weighted_measures) weight.push_back(task_.train.weight(i));
  }
  const Matrix<const double> decision = on_host(solution.decision);
  add_cell_measures(result, search_.multiclass, search_.classes, {truth, weight}, on_host(choice), decision);
  if (!nested) decisions_.put(path.gamma, fold, path.c, decision, promise_of(search_, result));
  return result;
}

OutOfFoldResult SvmExecutor::out_of_fold(const Unit& unit, UnitContext& context) {
  const PathInput input = PathInput::from_bytes(unit.input);
  const int fold = unit.key.index[2];
  OutOfFoldResult result{decisions_.find(input.gamma, fold, input.c)};
  if (result.decision.empty()) result.decision = decisions(unit, context, input, search_.folds.held[fold]);
  check_finite(result.decision);
  return result;
}

OutOfFoldResult SvmExecutor::outer_test(const Unit& unit, UnitContext& context) {
  const PathInput input = PathInput::from_bytes(unit.input);
  const OutOfFoldResult result{decisions(unit, context, input, search_.nested.outer.held[unit.key.index[0]])};
  check_finite(result.decision);
  return result;
}

/// The decision values (problem, held-out sample) at the end of a path that is solved without the held-out samples.
std::vector<double> SvmExecutor::decisions(const Unit& unit, UnitContext& context, const PathInput& input,
                                           const std::vector<int>& held) {
  const svm::PathSolution<Device> solution = solve(unit, context, input, {{held}});
  const auto decision = on_host(solution.decision);
  const std::size_t rows = static_cast<std::size_t>(search_.problems), first = (input.c.size() - 1) * rows;
  std::vector<double> values;
  for (std::size_t p = 0; p < rows; ++p) {
    const double* row = &decision(first + p, 0);
    values.insert(values.end(), row, row + held.size());
  }
  return values;
}

void add_test(RefitResult& result, const svm::Machine& machine, const Matrix<double>& decision,
              const data::Dataset& test) {
  result.decision.assign(decision.data(), decision.data() + decision.size());
  result.prediction = svm::predicted_classes(machine, decision);
  for (int i = 0; i < test.size(); ++i) result.wrong += result.prediction[i] != test.label(i) ? 1 : 0;
}

RefitResult SvmExecutor::refit(const Unit& unit, UnitContext& context) {
  const PathInput input = PathInput::from_bytes(unit.input);
  const svm::PathSolution<Device> solution = solve(unit, context, input, {LeftOut{}});

  svm::Machine machine = svm::make_machine(task_.train, solution,
                                           {.c = input.c,
                                            .gamma = input.gamma,
                                            .multiclass = search_.multiclass,
                                            .scale = search_.scale,
                                            .kernel = search_.kernel,
                                            .class_weights = search_.class_weights});
  svm::require_finite(machine);
  machine.sigmoid = input.sigmoid;

  RefitResult result;
  result.fit = machine.fit;
  result.support = machine.support.size();
  if (task_.test.size() > 0) {
    add_test(result, machine, svm::decision_values(exec_, machine, task_.test, poll_), task_.test);
  }
  const auto model = storage::to_bytes(model::to_container(machine));
  result.model_name = "svm.h5";
  result.model_size = model.size();
  result.model_checksum = crc64(model);
  context.checkpoint.store(result.model_name, model);
  return result;
}

}  // namespace krossfold::studies
