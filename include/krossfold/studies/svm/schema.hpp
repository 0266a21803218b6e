// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/run/unit_table.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"

namespace krossfold::studies {

/// The datasets of the result file of `krossfold svm`. Those of a round R of refinement lie in the group /refine/R.
struct SvmSchema : run::ResultSchema {
  Name class_name = name("/class_name", "class_name", "names of the classes");
  Name pair_name = name("/pair_name", "pair_name", "classes a/b of each binary problem of one-vs-one");
  Real gamma = real("/gamma", "gamma", "gamma of the kernel; the single value 1 if it has none", "/search/gamma");
  Real c = real("/C", "C", "penalty C", "/search/C");
  Whole fold = whole("/fold", "fold", "number of the held-out fold", "/search/fold");
  Real fold_error = real("/fold_error", "gamma C fold", "fraction of the held-out samples misclassified");
  run::UnitFields unit = add_units("/unit", "gamma fold");

  storage::Field<std::int64_t> iterations =
      add<std::int64_t>("/fit/iterations", "gamma C fold pair_name|class_name", "1", "SMO iterations");
  Whole converged = whole("/fit/converged", "gamma C fold pair_name|class_name",
                          "1 if the KKT violation is within the tolerance, or the duality gap within --gap");
  Whole interior_steps = whole("/fit/interior_steps", "gamma C fold pair_name|class_name",
                               "steps of interior points or multipliers; 0 where SMO alone solved it");
  Whole factor_rank =
      whole("/fit/factor_rank", "gamma C fold pair_name|class_name",
            "rank of the kernel matrix that these steps used: n for all of it, 0 where there were none");
  Real objective_error = real("/fit/objective_error", "gamma C fold pair_name|class_name",
                              "with --factor: bound on the relative error of the objective that the factor leaves");
  Real gradient_error = real("/fit/gradient_error", "gamma C fold pair_name|class_name",
                             "with --factor: largest error of the gradient that it leaves, at up to 256 samples");
  Real dual_objective = real("/fit/dual_objective", "gamma C fold pair_name|class_name",
                             "dual objective sum(alpha) - alpha^T Q alpha / 2");
  Real kkt_violation =
      real("/fit/kkt_violation", "gamma C fold pair_name|class_name", "largest violation of the KKT conditions");
  Whole n_support = whole("/fit/n_support", "gamma C fold pair_name|class_name", "number of support vectors");

  /// Of cell_measures() but the error.
  std::vector<Real> measure = add_measures("/measure/", "gamma C fold", "of the held-out samples");
  Real selected =
      real("/refine/R/selected", "gamma C fold", "the measure by which the best cell is selected, in round R");

  Whole not_converged =
      whole("/refine/R/not_converged", "gamma C fold", "binary problems of round R that did not converge");
  Real round_seconds = add<double>("/refine/R/seconds", "gamma fold", "s", "computing time of the units of round R");

  Whole best_round = whole("/best/round", "", "0: the best cell lies in the grid; else its round of refinement");
  Whole best_gamma_index = whole("/best/gamma_index", "", "index of the best gamma in its round");
  Whole best_c_index = whole("/best/C_index", "", "index of the best C in its round");
  Real best_gamma = real("/best/gamma_value", "", "best gamma", "/best/gamma");
  Real best_c = real("/best/C_value", "", "best C", "/best/C");
  Real best_error = real("/best/error", "", "mean fold error of the best cell");
  Real best_fold_error = real("/best/fold_error", "fold",
                              "fraction of the held-out samples misclassified where each part has its own best cell");
  std::vector<Real> best_measure = add_measures("/best/", "", "of the best cell, mean over the folds");
  Whole best_tied =
      whole("/best/tied", "",
            "number of cells of its round, by one standard error of all rounds, whose mean is that of the best, itself "
            "included");
  Whole best_within = whole(
      "/best/within_standard_error", "",
      "number of cells of its round, by one standard error of all rounds, that are no worse than the best by more "
      "than the standard error of its mean");
  Whole best_predicted =
      whole("/best/predicted", "predicted", "predicted class index: columns of the confusion matrix");
  Whole best_confusion =
      whole("/best/confusion", "class_name predicted",
            "held-out samples at the best cell by true (row) and predicted (column) class, all folds");

  Whole out_sample = whole("/out_of_fold/sample", "sample", "number of the training sample in its file, from 0");
  Whole out_fold = whole("/out_of_fold/fold_index", "sample", "fold that held the sample out");
  Whole out_label = whole("/out_of_fold/label", "sample", "true class index");
  Whole out_prediction = whole("/out_of_fold/prediction", "sample", "class index predicted without the sample's fold");
  Real out_decision =
      real("/out_of_fold/decision", "sample pair_name|class_name", "decision values of that prediction");
  Real out_probability = real("/out_of_fold/probability", "sample class_name", "probability of each class");
  Real out_seconds = add<double>("/out_of_fold/seconds", "fold", "s", "computing time of the fold's decision values",
                                 "/probability/seconds");

  Whole part = whole("/part/part", "part", "number of the part of the training samples");
  Whole part_samples = whole("/part/samples", "part", "training samples of the part");
  Whole part_classes = whole("/part/classes", "part", "classes that the part has samples of");
  Whole part_held =
      whole("/part/held", "part fold", "samples of the part that the fold holds out; where 0, there is no unit");
  run::UnitFields part_unit = add_units("/part/unit", "part gamma fold");
  Whole part_not_converged =
      whole("/part/not_converged", "part", "binary problems of the part's search that did not converge");
  Real part_cell_error =
      real("/part/cell_error", "part gamma C", "fraction of the part's held-out samples misclassified, all folds");
  Real part_gamma = real("/part/best_gamma", "part", "gamma of the part's machine");
  Real part_c = real("/part/best_C", "part", "C of the part's machine");
  Real part_error =
      real("/part/error", "part", "fraction of the part's held-out samples misclassified there, all folds");
  Real part_out_seconds =
      add<double>("/part/out_of_fold_seconds", "part fold", "s", "computing time of the fold's decision values");
  Real part_refit_seconds = add<double>("/part/refit_seconds", "part", "s", "computing time of the part's refit");
  Whole part_refit_open =
      whole("/part/refit_not_converged", "part", "binary problems of the part's refit that did not converge");
  Whole part_support = whole("/part/n_support", "part", "samples that are support vectors of the part's machine");
  Whole out_part = whole("/out_of_fold/part_index", "sample", "part of the sample, whose machine predicted it");
  Whole test_part = whole("/test/part_index", "sample", "part of the sample, whose machine predicted it");

  Whole outer = whole("/outer/outer", "outer", "number of the outer fold");
  Whole inner_fold = whole("/outer/inner_fold", "inner_fold", "number of the fold within an outer fold");
  Real outer_fold_error = real("/outer/fold_error", "outer gamma C inner_fold",
                               "fraction of the held-out samples misclassified by the search within the outer fold");
  Real outer_seconds =
      add<double>("/outer/seconds", "outer gamma inner_fold", "s", "computing time of the units of these searches");
  Real outer_gamma = real("/outer/best_gamma", "outer", "gamma of the best cell of that search");
  Real outer_c = real("/outer/best_C", "outer", "C of the best cell of that search");
  Real outer_search_error = real("/outer/search_error", "outer", "mean fold error of that cell");
  Real outer_error =
      real("/outer/error", "outer", "fraction of the outer fold misclassified by the machine of that cell");
  Real outer_selected = real("/outer/selected", "outer", "the measure by which cells are selected, of the outer fold");
  Real outer_test_seconds = add<double>("/outer/test_seconds", "outer", "s", "computing time of that machine");
  Whole outer_sample = whole("/outer/sample", "sample", "number of the training sample in its file, from 0");
  Whole outer_index = whole("/outer/fold_index", "sample", "outer fold that held the sample out");
  Whole outer_label = whole("/outer/label", "sample", "true class index");
  Whole outer_prediction =
      whole("/outer/prediction", "sample", "class index predicted without the sample's outer fold");
  Real outer_decision = real("/outer/decision", "sample pair_name|class_name", "decision values of that prediction");
  Real nested_error =
      real("/outer/mean_error", "", "mean error of the outer folds: the error of nested cross-validation");

  Real probability_a = real("/probability/A", "pair_name|class_name",
                            "slope A of the sigmoid 1 / (1 + exp(A f + B)) of the decision value f");
  Real probability_b = real("/probability/B", "pair_name|class_name", "offset B of that sigmoid");
  Real log_loss = real("/probability/log_loss", "",
                       "mean of -log p(true class) over the held-out samples, in nats; p is at least 2^-52");
  Real brier = real("/probability/brier", "", "Brier score of the held-out samples");

  Whole refit_converged = whole("/refit/converged", "pair_name|class_name", "1 if the problem of the refit converged");
  Whole refit_n_support = whole("/refit/n_support", "pair_name|class_name", "number of support vectors of the refit");
  Real test_error = real("/test_error", "", "fraction of the test samples misclassified after the refit");
  Whole test_sample = whole("/test/sample", "sample", "number of the test sample in its file, from 0");
  Whole test_label = whole("/test/label", "sample", "true class index");
  Whole test_prediction = whole("/test/prediction", "sample", "predicted class index");
  Real test_decision = real("/test/decision", "sample pair_name|class_name", "decision values of that prediction");
  Real test_probability = real("/test/probability", "sample class_name", "probability of each class");
  Real test_roc_auc = real("/test/roc_auc", "", "area under the ROC curve of the decision values of the test samples");
  Real test_log_loss =
      real("/test/log_loss", "", "mean of -log p(true class) over the test samples, in nats; p is at least 2^-52");
  Real test_brier = real("/test/brier", "", "Brier score of the test samples");
  Whole test_predicted =
      whole("/test/predicted", "predicted", "predicted class index: columns of the confusion matrix");
  Whole test_confusion =
      whole("/test/confusion", "class_name predicted", "test samples by true (row) and predicted (column) class");

private:
  std::vector<Real> add_measures(const std::string& group, const std::string& axes, const std::string& of) {
    std::vector<Real> all;
    for (const measures::MeasureKind* kind : cell_measures()) {
      if (kind->name != "error") all.push_back(real(group + field_name(*kind), axes, kind->help + ", " + of));
    }
    return all;
  }
};

inline const SvmSchema& svm_schema() {
  static const SvmSchema schema;
  return schema;
}

/// The group of round 1, 2, ... of refinement: "/refine/1".
std::string refine_group(int round);

}  // namespace krossfold::studies
