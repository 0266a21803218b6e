// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/params.hpp"

#include <algorithm>
#include <string>

#include "krossfold/run/option_groups.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"

namespace krossfold::studies {

namespace {

/// The measures that a cell can be selected by.
std::vector<run::Choice> measure_choices() {
  std::vector<run::Choice> choices;
  for (const measures::MeasureKind* kind : cell_measures()) choices.push_back({kind->name, kind->help});
  return choices;
}

void add_kernel_options(run::OptionTable& table, SvmParams& p) {
  table.begin_group(run::group::model);
  table.add("kernel-function", p.kernel_function, "KERNEL", "kernel function of two samples x and z").choices = {
      {"rbf", "exp(-gamma |x - z|^2)"},
      {"linear", "x.z"},
      {"polynomial", "(gamma x.z + coef0)^degree"},
      {"precomputed", "the data are a kernel matrix"}};
  table.add("degree", p.degree, "D", "degree of the polynomial kernel", 1).default_text = "3";
  table.add("coef0", p.coef0, "R", "coef0 of the polynomial kernel; with 0, gamma only scales it").default_text = "0";
}

void add_grid_options(run::OptionTable& table, SvmParams& p) {
  table.begin_group(run::group::search);
  table.add(
      "grid", "NCxNG",
      "number of values of C and of gamma; NCx1 for linear and precomputed kernels, which have no gamma",
      [&p](const std::string& value, const std::string& shown) {
        const auto x = std::min(value.find('x'), value.size());
        const auto c = run::whole_number<int>(value.substr(0, x));
        const auto gamma = run::whole_number<int>(value.substr(std::min(x + 1, value.size())));
        require(c && gamma, text("bad value '", value, "' for ", shown), "expected NCxNG",
                text("For example ", shown, " 24x24."));
        p.grid_c = *c;
        p.grid_gamma = *gamma;
        p.grid_given = true;
      },
      [&p] { return text(p.grid_c, "x", p.grid_gamma); });
  table.add("log10-c", p.log10_c, "LO:HI", "range of log10 C");
  table.add("log10-gamma", p.log10_gamma, "LO:HI", "range of log10 gamma").default_text =
      "-6:-2 plus log10(784 / features); polynomial -2:1 minus log10(features)";
  table.add("c-values", p.c_values, "LIST", "values of C, separated by commas, in place of those of the grid")
      .default_text = "none";
  table
      .add("gamma-values", p.gamma_values, "LIST",
           "values of gamma, separated by commas, in place of those of the grid")
      .default_text = "none";
}

void add_solver_options(run::OptionTable& table, SvmParams& p) {
  table.begin_group("Solver");
  table.add("tolerance", p.tolerance, "T", "largest violation of the KKT conditions at which a fit has converged");
  table.add("gap", p.gap, "R",
            "a fit also ends once its duality gap is at most R times its objective; 0: the tolerance alone decides");
  table
      .add(
          "factor", p.factor, "R",
          "solve on a factor of the kernel matrix of rank R at most (up to 1024): R numbers for each sample instead of "
          "one for every pair, for many samples of few features")
      .default_text = "none";
  table.add("max-iterations", p.max_iterations, "N", "iteration budget of a fit", 1);
}

}  // namespace

// The order of the options is that of the fingerprint.
run::OptionTable svm_options(SvmParams& p) {
  run::OptionTable table;
  run::add_data_options(table, p.task);
  add_kernel_options(table, p);
  add_grid_options(table, p);
  run::add_fold_options(table, p.folds, p.fold_kind, p.seed, p.scale, {run::leave_one_out()});
  table.begin_group(run::group::folds);
  table.add("repeats", p.repeats, "R", "cross-validate R times, each time with other random folds", 1);
  table
      .add("outer", p.outer, "K",
           "nested cross-validation besides: each of K outer folds has a search of its own, whose best cell is tested "
           "on that fold, so that the error is unbiased")
      .default_text = "none";
  table.begin_group(run::group::model);
  table.add("multiclass", p.multiclass, "KIND", "how several classes become two").choices = {
      {"ovr", "one-vs-rest: the largest decision value wins"}, {"ovo", "one-vs-one: votes of all pairs"}};
  table.begin_group(run::group::objective);
  run::add_class_weight(table, p.class_weight);
  table.add("weighted-measures", p.weighted_measures, "",
            "held-out samples count by their weight in the measures of the cells");
  add_solver_options(table, p);
  table.begin_group(run::group::objective);
  table
      .add("select-by", p.select_by, "MEASURE",
           "what selects the best cell; MEASURE,1se takes the smallest C, then gamma, within one standard error of it")
      .choices = measure_choices();
  table.begin_group("Final model");
  table.add("refit", p.refit, "", "stop after the search instead of fitting the best cell to the whole training part");
  table.add("probability", p.probability, "", "calibrate class probabilities for the model (Platt scaling)");
  table.begin_group("Parts, for 10^5 samples and more");
  table.add("partition", p.partition, "KIND:SIZE", "train in parts of about SIZE samples").choices = {
      {"none", "all samples together"},
      {"voronoi:SIZE", "a point is predicted by the machine of the nearest centre"},
      {"random:SIZE", "a point is predicted by the mean of all machines"}};
  table.add("part-cell", p.part_cell, "WHICH", "the best cell of the parts").choices = {{"common", "one for all parts"},
                                                                                        {"own", "one for each part"}};
  table.begin_group(run::group::search);
  table.add("refine", p.refine, "N", "rounds of a finer grid around the best cell so far").default_text = "0";
  return table;
}

std::vector<run::OptionValue> options_of(const SvmParams& params) { return run::values_of(params, svm_options); }

}  // namespace krossfold::studies
