// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// The datasets of the result file of `krossfold svm`. Those of a round R of refinement lie in the group /refine/R.
struct SvmSchema : run::ResultSchema {
  using Real = storage::Field<double>;
  using Whole = storage::Field<std::int32_t>;
  using Name = storage::Field<std::string>;

  Name class_name = add<std::string>("/class_name", "class_name", "1", "names of the classes");
  Name pair_name = add<std::string>("/pair_name", "pair_name", "1", "classes a/b of each binary problem of one-vs-one");
  Real gamma = add<double>("/gamma", "gamma", "1", "gamma of the RBF kernel", "/search/gamma");
  Real c = add<double>("/C", "C", "1", "penalty C", "/search/C");
  Whole fold = add<std::int32_t>("/fold", "fold", "1", "number of the held-out fold", "/search/fold");
  Real fold_error = add<double>("/fold_error", "gamma C fold", "1", "fraction of the held-out samples misclassified");
  run::UnitFields unit = add_units("/unit", "gamma fold");

  storage::Field<std::int64_t> iterations =
      add<std::int64_t>("/fit/iterations", "gamma C fold pair_name|class_name", "1", "SMO iterations");
  Whole converged = add<std::int32_t>("/fit/converged", "gamma C fold pair_name|class_name", "1",
                                      "1 if the KKT violation is within the tolerance");
  Real dual_objective = add<double>("/fit/dual_objective", "gamma C fold pair_name|class_name", "1",
                                    "dual objective sum(alpha) - alpha^T Q alpha / 2");
  Real kkt_violation = add<double>("/fit/kkt_violation", "gamma C fold pair_name|class_name", "1",
                                   "largest violation of the KKT conditions");
  Whole n_support =
      add<std::int32_t>("/fit/n_support", "gamma C fold pair_name|class_name", "1", "number of support vectors");

  Whole not_converged = add<std::int32_t>("/refine/R/not_converged", "gamma C fold", "1",
                                          "binary problems of round R whose violation exceeds the tolerance");
  Real round_seconds = add<double>("/refine/R/seconds", "gamma fold", "s", "computing time of the units of round R");

  Whole best_round =
      add<std::int32_t>("/best/round", "", "1", "0: the best cell lies in the grid; else its round of refinement");
  Whole best_gamma_index = add<std::int32_t>("/best/gamma_index", "", "1", "index of the best gamma in its round");
  Whole best_c_index = add<std::int32_t>("/best/C_index", "", "1", "index of the best C in its round");
  Real best_gamma = add<double>("/best/gamma_value", "", "1", "best gamma", "/best/gamma");
  Real best_c = add<double>("/best/C_value", "", "1", "best C", "/best/C");
  Real best_error = add<double>("/best/error", "", "1", "mean fold error of the best cell");

  Real probability_a = add<double>("/probability/A", "pair_name|class_name", "1",
                                   "slope A of the sigmoid 1 / (1 + exp(A f + B)) of the decision value f");
  Real probability_b = add<double>("/probability/B", "pair_name|class_name", "1", "offset B of that sigmoid");
  Real log_loss = add<double>("/probability/log_loss", "", "1",
                              "mean of -log p(true class) over the held-out samples, in nats; p is at least 1e-15");
  Real brier = add<double>("/probability/brier", "", "1", "Brier score of the held-out samples");
  Real probability_seconds = add<double>("/probability/seconds", "fold", "s", "computing time of the calibration");

  Whole refit_converged = add<std::int32_t>("/refit/converged", "pair_name|class_name", "1",
                                            "1 if the problem of the refit is within the tolerance");
  Whole refit_n_support =
      add<std::int32_t>("/refit/n_support", "pair_name|class_name", "1", "number of support vectors of the refit");
  Real test_error = add<double>("/test_error", "", "1", "fraction of the test samples misclassified after the refit");
  Whole test_sample = add<std::int32_t>("/test/sample", "sample", "1", "number of the test sample");
  Whole test_label = add<std::int32_t>("/test/label", "sample", "1", "true class index");
  Whole test_prediction = add<std::int32_t>("/test/prediction", "sample", "1", "predicted class index");
  Whole test_predicted =
      add<std::int32_t>("/test/predicted", "predicted", "1", "predicted class index: columns of the confusion matrix");
  Whole test_confusion = add<std::int32_t>("/test/confusion", "class_name predicted", "1",
                                           "test samples by true (row) and predicted (column) class");
};

const SvmSchema& svm_schema();

/// The group of round 1, 2, ... of refinement: "/refine/1".
std::string refine_group(int round);

}  // namespace krossfold::studies
