// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/params.hpp"

#include <algorithm>
#include <string>

namespace krossfold::studies {

run::OptionTable svm_options(SvmParams& p) {
  run::OptionTable table;
  run::add_data_options(table, p.task);
  table.add("kernel-function", p.kernel_function, "KERNEL",
            "rbf, linear, polynomial ((gamma x.z + coef0)^degree) or precomputed (the data are a kernel matrix)");
  table.add("degree", p.degree, "D", "degree of the polynomial kernel", 1).default_text = "3";
  table.add("coef0", p.coef0, "R", "coef0 of the polynomial kernel; with 0, gamma only scales it").default_text = "0";
  table.add(
      "grid", "NCxNG", "number of values of C and of gamma (linear and precomputed kernels have no gamma: NCx1)",
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
  table.add("c-values", p.c_values, "LIST", "values of C, separated by commas, in place of those of the grid");
  table.add("gamma-values", p.gamma_values, "LIST",
            "values of gamma, separated by commas, in place of those of the grid");
  run::add_fold_options(table, p.folds, p.fold_kind, p.seed, p.scale);
  table.add("repeats", p.repeats, "R", "cross-validate R times, with other random folds each time", 1);
  table
      .add("outer", p.outer, "K",
           "also nested cross-validation: in each of K outer folds a search of its own, whose best cell is tested on "
           "the "
           "fold; its error is unbiased")
      .default_text = "none";
  table.add("multiclass", p.multiclass, "KIND", "ovr (one-vs-rest) or ovo (one-vs-one, with votes)");
  run::add_class_weight(table, p.class_weight);
  table.add("weighted-measures", p.weighted_measures, "",
            "held-out samples count by their weight in the measures of the cells");
  table.add("tolerance", p.tolerance, "T", "largest violation of the KKT conditions");
  table.add("gap", p.gap, "R",
            "a fit also ends once its duality gap is at most R of its objective; 0: only by the tolerance");
  table
      .add("factor", p.factor, "R",
           "solve on a factor of the kernel matrix of rank R at most (to 1024): R numbers a sample instead of one for "
           "every pair, for many samples of few features")
      .default_text = "none";
  table.add("max-iterations", p.max_iterations, "N", "iteration budget of a fit", 1);
  table.add(
      "select-by", p.select_by, "MEASURE",
      "what selects the best cell: error, balanced-error, f1-macro, precision-macro, recall-macro, mcc or roc-auc; "
      "with ,1se the smallest C, then gamma, within one standard error of it");
  table.add("refit", p.refit, "", "fit the best cell to the whole training part (default); or stop after the search");
  table.add("probability", p.probability, "", "calibrate class probabilities for the model (Platt scaling)");
  table.add(
      "partition", p.partition, "KIND:SIZE",
      "train in parts of about SIZE samples, for large data: voronoi:SIZE (a point is predicted by the machine of "
      "the nearest centre) or random:SIZE (by the mean of all machines); none for no parts");
  table.add("part-cell", p.part_cell, "WHICH",
            "the best cell of parts: common (one for all of them) or own (of each part)");
  table.add("refine", p.refine, "N", "rounds of a finer grid around the best cell so far").default_text = "0";
  return table;
}

std::vector<run::OptionValue> options_of(const SvmParams& params) { return run::values_of(params, svm_options); }

}  // namespace krossfold::studies
