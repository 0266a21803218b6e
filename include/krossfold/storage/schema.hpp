// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The names, units and meanings of everything in a result file: docs/file-format.md explains them.

#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"

namespace krossfold::storage {

/// What a dataset is called, measured in, and means.
struct Field {
  const char* path;
  const char* units;
  const char* long_name;
};

namespace field {
inline constexpr Field search_c{"/search/C", "1", "penalty C"};
inline constexpr Field search_gamma{"/search/gamma", "1", "RBF kernel width gamma"};
inline constexpr Field search_fold{"/search/fold", "1", "number of the held-out fold"};
inline constexpr Field fold_error{"/fold_error", "1", "fraction of the held-out samples misclassified"};
inline constexpr Field unit_seconds{"/unit/seconds", "s", "computing time of the unit"};
inline constexpr Field unit_rank{"/unit/rank", "1", "MPI rank that computed the unit"};
inline constexpr Field unit_started{"/unit/started", "s", "start of the unit since the study began"};
inline constexpr Field unit_status{"/unit/status", "1", "0 missing, 1 done, 2 failed"};
inline constexpr Field unit_reason{"/unit/reason", "1", "why the unit failed"};
inline constexpr Field fit_iterations{"/fit/iterations", "1", "SMO iterations"};
inline constexpr Field fit_converged{"/fit/converged", "1", "1 if the violation is within the tolerance"};
inline constexpr Field fit_dual_objective{"/fit/dual_objective", "1",
                                          "dual objective sum(alpha) - alpha^T Q alpha / 2"};
inline constexpr Field fit_kkt_violation{"/fit/kkt_violation", "1", "largest violation of the KKT conditions"};
inline constexpr Field fit_n_support{"/fit/n_support", "1", "number of support vectors"};
inline constexpr Field not_converged{"/not_converged", "1", "binary problems whose violation exceeds the tolerance"};
inline constexpr Field best_round{"/best/round", "1", "0: the grid, else the round of --refine"};
inline constexpr Field best_gamma_index{"/best/gamma_index", "1", "index of the best gamma"};
inline constexpr Field best_c_index{"/best/C_index", "1", "index of the best C"};
inline constexpr Field best_gamma{"/best/gamma", "1", "best gamma"};
inline constexpr Field best_c{"/best/C", "1", "best C"};
inline constexpr Field best_error{"/best/error", "1", "mean fold error at the best cell"};
inline constexpr Field probability_a{"/probability/A", "1", "slope A of the sigmoid 1 / (1 + exp(A f + B))"};
inline constexpr Field probability_b{"/probability/B", "1", "offset B of the sigmoid 1 / (1 + exp(A f + B))"};
inline constexpr Field probability_log_loss{"/probability/log_loss", "1",
                                            "mean negative logarithm of the held-out samples' probability"};
inline constexpr Field probability_brier{"/probability/brier", "1", "Brier score of the held-out samples"};
inline constexpr Field probability_seconds{"/probability/seconds", "s",
                                           "computing time of the calibration of the fold"};
inline constexpr Field refit_converged{"/refit/converged", "1", "1 if the class of the refit is within the tolerance"};
inline constexpr Field refit_n_support{"/refit/n_support", "1", "number of support vectors of the refit"};
inline constexpr Field test_error{"/test_error", "1", "fraction of the test samples misclassified after the refit"};
inline constexpr Field test_label{"/test/label", "1", "true class index of the test samples"};
inline constexpr Field test_prediction{"/test/prediction", "1", "predicted class index of the test samples"};
inline constexpr Field test_confusion{"/test/confusion", "1",
                                      "test samples by true (row) and predicted (column) class"};
inline constexpr Field class_name{"/class_name", "1", "names of the classes"};
inline constexpr Field pair_name{"/pair_name", "1", "classes a/b of the problems of one-vs-one"};
}  // namespace field

/// Where a round 1, 2, ... of --refine has what the grid has at the path of the field: "/refine/2/C" for "/search/C".
std::string refined_path(const Field& field, int round);

/// A dataset of the given field.
Array make_array(const Field& field, std::vector<std::uint64_t> shape, Values values,
                 std::vector<std::string> scales = {});

}  // namespace krossfold::storage
