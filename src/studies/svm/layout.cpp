// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/layout.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/svm/factor_path.hpp"

namespace krossfold::studies {

namespace {

void check_range(const run::Range& range, int count, const std::string& option) {
  run::check_powers(range, option, 30, "-3:6");
  require(count == 1 || range.low < range.high, text(option, " is a single point"),
          text("the grid asks for ", count, " values in it"), "Widen the range, or ask for one value.");
}

/// The kernel of the options, which must not have what it does not take.
svm::KernelFunction kernel_of(const SvmParams& params) {
  svm::KernelFunction kernel{.kind = svm::parse_kernel_kind(params.kernel_function)};
  const std::string word = svm::kernel_word(kernel.kind), has = text("the ", word, " kernel has none");
  const bool powers = kernel.kind == svm::KernelKind::polynomial;
  require(powers || !params.degree, "--degree without the polynomial kernel", has,
          "Give --kernel-function polynomial.");
  require(powers || !params.coef0, "--coef0 without the polynomial kernel", has, "Give --kernel-function polynomial.");
  kernel.degree = params.degree.value_or(kernel.degree);
  kernel.coef0 = params.coef0.value_or(kernel.coef0);
  svm::check_kernel(kernel);
  if (svm::has_gamma(kernel.kind)) return kernel;
  const char* option = params.gamma_values.empty() ? "--log10-gamma" : "--gamma-values";
  require(!params.log10_gamma, text(option, " without a gamma"), has, "Leave it out.");
  require(params.grid_gamma == 1 || !params.grid_given,
          text("bad --grid ", params.grid_c, "x", params.grid_gamma, ": ", params.grid_gamma, " values of gamma"), has,
          text("Give --grid ", params.grid_c, "x1."));
  require(kernel.kind != svm::KernelKind::precomputed || params.scale.empty() || params.scale == "none",
          text("--scale ", quoted(params.scale), " with a precomputed kernel"), "kernel values are not scaled",
          "Leave it out.");
  return kernel;
}

/// The range of gamma: for rbf that of the reproduced study; for polynomials around 1 / features, scikit-learn's "scale" of standardised
/// features, with which x . z is of the size of 1.
run::Range default_gammas(svm::KernelKind kind, int features) {
  const double shift = std::log10((kind == svm::KernelKind::rbf ? 784.0 : 1.0) / features);
  return kind == svm::KernelKind::rbf ? run::Range{-6 + shift, -2 + shift} : run::Range{-2 + shift, 1 + shift};
}

/// The values that are given for an axis take the place of a number of values in a range; none leave both.
void take_values(const std::vector<double>& given, const std::string& option, int& count, run::Range& log10_range) {
  if (given.empty()) return;
  for (std::size_t k = 0; k < given.size(); ++k) {
    require(given[k] >= 1e-30 && given[k] <= 1e30, text("bad value ", shortest(given[k]), " for ", option),
            "values lie between 1e-30 and 1e30", text("For example ", option, " 0.1,1,10."));
    if (k == 0) continue;
    require(given[k - 1] < given[k], text("bad ", option),
            text(shortest(given[k]), " does not follow ", shortest(given[k - 1])), "Give each value once, ascending.");
  }
  count = static_cast<int>(given.size());
  log10_range = {std::log10(given.front()), std::log10(given.back())};
}

/// The samples of the largest binary problem.
int largest_problem(svm::Multiclass kind, const data::Dataset& train) {
  if (kind == svm::Multiclass::one_vs_rest) return train.size();
  std::vector<int> count(static_cast<std::size_t>(train.classes()), 0);
  for (int i = 0; i < train.size(); ++i) ++count[static_cast<std::size_t>(train.label(i))];
  std::partial_sort(count.begin(), count.begin() + 2, count.end(), std::greater<>());
  return count[0] + count[1];
}

void check_weights(const std::vector<std::vector<int>>& held, const Vector<const double>& weight, const char* what) {
  for (std::size_t f = 0; f < held.size(); ++f) {
    require(std::any_of(held[f].begin(), held[f].end(), [&](int i) { return weight(i) > 0; }),
            text("--weighted-measures: ", what, " ", f, " has nothing to measure"),
            "all the samples that it holds out have the weight 0", "Use fewer folds, or drop such samples.");
  }
}

}  // namespace

std::vector<double> log_space(const run::Range& range, int count) {
  std::vector<double> values(count);
  for (int k = 0; k < count; ++k) {
    const double x =
        count == 1 ? 0.5 * (range.low + range.high) : range.low + k * ((range.high - range.low) / (count - 1));
    values[k] = std::pow(10.0, x);
  }
  if (count > 1) values.back() = std::pow(10.0, range.high);
  return values;
}

int refined_count(int count) { return count == 1 ? 1 : 7; }

std::vector<double> refined_axis(const run::Range& log10_range, int count, double centre, int round) {
  const int half = refined_count(count) / 2;
  const double spacing = count == 1 ? 0 : (log10_range.high - log10_range.low) / (count - 1) / std::pow(4.0, round);
  std::vector<double> values;
  for (int k = -half; k <= half; ++k) values.push_back(centre * std::pow(10.0, k * spacing));
  return values;
}

SvmLayout lay_out_svm(const SvmParams& given, const data::Task& task) {
  SvmParams params = given;
  run::Range of_values;
  take_values(params.c_values, "--c-values", params.grid_c, params.log10_c);
  take_values(params.gamma_values, "--gamma-values", params.grid_gamma, of_values);
  if (!params.gamma_values.empty()) params.log10_gamma = of_values;
  require(params.grid_c >= 1 && params.grid_gamma >= 1 && params.grid_c <= 10000 && params.grid_gamma <= 10000,
          text("bad --grid ", params.grid_c, "x", params.grid_gamma), "it is NCxNG, both from 1 to 10000",
          "For example --grid 24x24.");
  require(std::isfinite(params.tolerance) && params.tolerance > 0 && params.tolerance < 1,
          text("bad --tolerance ", shortest(params.tolerance)), "it bounds the KKT violation and lies between 0 and 1",
          "The default is 0.001.");
  require(params.gap >= 0 && params.gap < 1, text("bad --gap ", shortest(params.gap)),
          "it bounds the duality gap as a share of the objective, from 0 to below 1", "0 leaves it to the tolerance.");
  require(params.factor >= 0 && params.factor <= svm::largest_factor_rank, text("bad --factor ", params.factor),
          text("it is a rank from 1 to ", svm::largest_factor_rank, ", or 0 for the kernel matrix itself"),
          "For example --factor 512.");
  require(params.factor == 0 || params.gap == 0, "--gap does not go with --factor",
          "interior points end by the tolerance alone", "Leave out one of the two.");
  require(params.max_iterations >= 1, text("bad --max-iterations ", params.max_iterations), "at least one is needed",
          "The default is 10000000.");
  require(params.refine >= 0 && params.refine <= 8, text("bad --refine ", params.refine),
          "it is a number of rounds from 0 to 8, each 4 times finer than the one before", "For example --refine 1.");
  SvmLayout search;
  search.kernel = kernel_of(params);
  require(params.factor == 0 || search.kernel.kind == svm::KernelKind::rbf,
          text("--factor does not go with the ", params.kernel_function, " kernel"), "it is made for rbf",
          "Leave out one of the two.");
  if (!svm::has_gamma(search.kernel.kind)) params.grid_gamma = 1;
  require(params.refine == 0 || params.grid_c > 1 || params.grid_gamma > 1, text("bad --refine ", params.refine),
          "the grid is a single cell: there is no spacing to refine", "Ask for a larger grid.");
  require(params.refit || !params.probability, "--probability does not go with --no-refit",
          "the probabilities are those of the machine that the refit trains", "Leave out one of the two.");
  require(task.train.labelled() && task.train.classes() >= 2,
          text(task.train.name, ": only one class in the training part"), "there is nothing to separate",
          "Check the label column, or give a larger --limit.");

  search.params = params;
  search.samples = task.train.size();
  search.features = task.train.features();
  search.classes = task.train.classes();
  search.test_samples = task.test.size();
  search.sparse = task.train.is_sparse();
  search.entries = entries_of(task.train.sparse) + entries_of(task.test.sparse);
  search.multiclass = svm::decomposition_of(svm::parse_multiclass(params.multiclass), search.classes);
  search.selection = parse_cell_selection(params.select_by);
  search.problems = svm::binary_problems(search.multiclass, search.classes);
  search.largest_problem = largest_problem(search.multiclass, task.train);
  const run::Range gamma = svm::has_gamma(search.kernel.kind)
                               ? params.log10_gamma.value_or(default_gammas(search.kernel.kind, search.features))
                               : run::Range{0, 0};
  check_range(params.log10_c, params.grid_c, "--log10-c");
  check_range(gamma, params.grid_gamma, "--log10-gamma");
  search.log10_gamma = gamma;
  search.c = log_space(params.log10_c, params.grid_c);
  search.gamma = log_space(gamma, params.grid_gamma);
  if (!params.c_values.empty()) search.c = params.c_values;
  if (!params.gamma_values.empty()) search.gamma = params.gamma_values;
  const data::FoldKind kind = data::parse_fold_kind(params.fold_kind);
  search.folds = data::repeat_folds(task.train, kind, params.folds, params.repeats, params.seed);
  const auto of_one_class = [&](const std::vector<int>& held) {
    return std::all_of(held.begin(), held.end(),
                       [&](int i) { return task.train.label(i) == task.train.label(held[0]); });
  };
  require(search.selection.measure->name == "error" ||
              !std::all_of(search.folds.held.begin(), search.folds.held.end(), of_one_class),
          text("no fold has a ", search.selection.measure->name),
          "the samples that each fold holds out are of one class", "Select by error, or use fewer folds.");
  require(params.outer != 1, "--outer 1 is too few", "it needs at least two outer folds", "For example --outer 5.");
  if (params.outer > 0) {
    require(params.refine == 0, "--outer does not go with --refine",
            "the searches of the outer folds are of the grid alone", "Leave out one of the two, or use a finer grid.");
    search.nested = data::nest_folds(task.train, kind, params.outer, params.folds, params.seed);
  }
  search.scale =
      search.kernel.kind == svm::KernelKind::precomputed ? data::Scale() : data::fit_scale(task.train, params.scale);
  search.class_weights = data::parse_class_weights(params.class_weight, task.train.class_name);
  data::with_mean_one(data::training_weights(task.train, search.class_weights, std::vector<int>(task.train.size(), 0)));
  require(!params.weighted_measures || task.train.weight.extent(0) != 0, "--weighted-measures without weights",
          "the samples have none", "Name their column with --weight.");
  if (params.weighted_measures) {
    double sum = 0;
    for (int i = 0; i < task.train.size(); ++i) sum += task.train.weight(i);
    require(std::isfinite(sum), "--weighted-measures: the sum of all weights is infinite", "it is above 1.8e308",
            "Divide all weights by the largest.");
    check_weights(search.folds.held, task.train.weight, "fold");
    check_weights(search.nested.outer.held, task.train.weight, "outer fold");
    for (const data::FoldSplit& inner : search.nested.inner) check_weights(inner.held, task.train.weight, "inner fold");
  }
  return search;
}

}  // namespace krossfold::studies
