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
inline constexpr Field unit_status{"/unit/status", "1", "0 missing, 1 done, 2 failed, 3 pruned"};
inline constexpr Field unit_reason{"/unit/reason", "1", "why the unit failed, diverged or was pruned"};
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
inline constexpr Field search_bootstrap{"/search/bootstrap", "1", "number of the bootstrap sample"};
inline constexpr Field search_trial{"/search/trial", "1", "number of the trial of its random search"};
inline constexpr Field search_channels{"/search/channels", "1", "channels of the convolution"};
inline constexpr Field search_kernel{"/search/kernel", "1", "side of the convolution's kernels"};
inline constexpr Field search_hidden{"/search/hidden", "1", "hidden units"};
inline constexpr Field search_rate{"/search/rate", "1", "learning rate"};
inline constexpr Field search_momentum{"/search/momentum", "1", "momentum"};
inline constexpr Field fit_epochs{"/fit/epochs", "1", "epochs trained"};
inline constexpr Field fit_loss{"/fit/loss", "1", "mean training loss of the last epoch, in nats"};
inline constexpr Field fit_diverged{"/fit/diverged", "1", "1 if the training diverged"};
inline constexpr Field final_trial{"/final/trial", "1", "trial that the bootstrap goes on with, -1 while unknown"};
inline constexpr Field final_validation_error{"/final/validation_error", "1", "mean fold error of that trial"};
inline constexpr Field final_seconds{"/final/seconds", "s", "computing time of the final fit"};
inline constexpr Field final_rank{"/final/rank", "1", "MPI rank that computed the final fit"};
inline constexpr Field final_started{"/final/started", "s", "start of the final fit since the study began"};
inline constexpr Field final_status{"/final/status", "1", "0 missing, 1 done, 2 failed"};
inline constexpr Field final_reason{"/final/reason", "1", "why the final fit failed or diverged"};
inline constexpr Field final_diverged{"/final/diverged", "1", "1 if the final fit diverged"};
inline constexpr Field final_epoch_loss{"/final/epoch_loss", "1", "mean training loss by epoch, in nats"};
inline constexpr Field final_out_of_bag{"/final/out_of_bag", "1", "training samples that were never drawn"};
inline constexpr Field final_out_of_bag_error{"/final/out_of_bag_error", "1", "fraction of those misclassified"};
inline constexpr Field final_test_error{"/final/test_error", "1", "fraction of the test samples misclassified"};
inline constexpr Field final_nll{"/final/nll", "1", "negative log likelihood of the test samples, in nats"};
inline constexpr Field final_brier{"/final/brier", "1", "Brier score of the test samples"};
inline constexpr Field final_ece{"/final/ece", "1", "expected calibration error on the test samples"};
inline constexpr Field final_model{"/final/model", "1", "name of the model file"};
inline constexpr Field final_model_checksum{"/final/model_checksum", "1", "CRC-64 of the model file"};
inline constexpr Field ensemble_probability{"/ensemble/probability", "1", "probability of each class by each model"};
inline constexpr Field ensemble_label{"/ensemble/label", "1", "true class index of the test samples"};
inline constexpr Field ensemble_vote{"/ensemble/vote", "1", "class index that the majority votes for"};
inline constexpr Field ensemble_votes{"/ensemble/votes", "1", "models that hold the class most probable"};
inline constexpr Field ensemble_confidence{"/ensemble/confidence", "1", "largest mean probability"};
inline constexpr Field ensemble_entropy{"/ensemble/entropy", "1", "entropy of the mean probability, in nats"};
inline constexpr Field ensemble_expected_entropy{"/ensemble/expected_entropy", "1",
                                                 "mean entropy of the models' probabilities, in nats"};
inline constexpr Field ensemble_mutual_information{"/ensemble/mutual_information", "1",
                                                   "disagreement of the models, in nats"};
inline constexpr Field ensemble_rule{"/ensemble/rule", "1", "how the models are combined"};
inline constexpr Field ensemble_error{"/ensemble/error", "1", "fraction of the test samples misclassified by the rule"};
inline constexpr Field ensemble_weight{"/ensemble/weight", "1", "weight of the model in the weighted mean"};
inline constexpr Field ensemble_nll{"/ensemble/nll", "1", "negative log likelihood of the mean probability, in nats"};
inline constexpr Field ensemble_brier{"/ensemble/brier", "1", "Brier score of the mean probability"};
inline constexpr Field ensemble_ece{"/ensemble/ece", "1", "expected calibration error of the mean probability"};
inline constexpr Field ensemble_bin_count{"/ensemble/bin/count", "1", "test samples by confidence"};
inline constexpr Field ensemble_bin_confidence{"/ensemble/bin/confidence", "1", "mean confidence of the bin"};
inline constexpr Field ensemble_bin_accuracy{"/ensemble/bin/accuracy", "1", "fraction of the bin that is right"};
inline constexpr Field ensemble_confusion{"/ensemble/confusion", "1",
                                          "test samples by true (row) and voted (column) class"};
inline constexpr Field ood_name{"/ood/name", "1", "set of images that show none of the classes"};
inline constexpr Field ood_count{"/ood/count", "1", "images of the set"};
inline constexpr Field ood_score{"/ood/score", "1", "what tells them apart from the test samples"};
inline constexpr Field ood_threshold{"/ood/threshold", "1", "95 % of the test samples have no larger score"};
inline constexpr Field ood_auroc{"/ood/auroc", "1", "area under the ROC curve"};
inline constexpr Field ood_kept{"/ood/kept", "1", "fraction of the set at or below the threshold: taken for a class"};
inline constexpr Field ood_probability{"/ood/probability", "1", "probability of each class by each model"};
inline constexpr Field shown_image{"/shown/image", "1", "pixels of some images, as in their file"};
inline constexpr Field shown_role{"/shown/role", "1", "why the image is shown"};
inline constexpr Field shown_test{"/shown/test", "1", "number of the test image, -1 if it is none"};
inline constexpr Field shown_ood{"/shown/ood", "1", "number of the image out of distribution, -1 if it is none"};
inline constexpr Field run_workers{"/run/workers", "1", "workers that share a batch"};
inline constexpr Field run_ranks{"/run/ranks", "1", "ranks that computed them"};
inline constexpr Field run_batch{"/run/batch", "1", "samples of a step, of all workers together"};
inline constexpr Field run_rate{"/run/rate", "1", "learning rate"};
inline constexpr Field run_strategy{"/run/strategy", "1", "how the workers share the training"};
inline constexpr Field run_status{"/run/status", "1", "0 missing, 1 done, 2 failed"};
inline constexpr Field run_model{"/run/model", "1",
                                 "its model file; several with blanks between where its weights are split"};
inline constexpr Field run_model_checksum{"/run/model_checksum", "1", "CRC-64 of each of them"};
inline constexpr Field run_summed{"/run/summed", "1", "numbers that are summed over the workers in a step"};
inline constexpr Field run_gathered{"/run/gathered", "1", "numbers that the workers gather in a step"};
inline constexpr Field run_sums{"/run/sums", "1", "sums over the workers in a step"};
inline constexpr Field run_gathers{"/run/gathers", "1", "gathers in a step"};
inline constexpr Field run_replicated{"/run/replicated", "1",
                                      "share of a step's operations that every worker does whole"};
inline constexpr Field run_reason{"/run/reason", "1", "why the training failed or diverged"};
inline constexpr Field training_loss{"/training/loss", "1", "mean training loss by epoch, in nats"};
inline constexpr Field training_held_out_loss{"/training/held_out_loss", "1",
                                              "mean loss of the held-out samples after the epoch, in nats"};
inline constexpr Field training_held_out_error{"/training/held_out_error", "1",
                                               "fraction of the held-out samples whose class is not found"};
inline constexpr Field training_ranks{"/training/ranks", "1",
                                      "ranks that computed the epoch's steps; 0 for several numbers of them"};
inline constexpr Field training_seconds{"/training/seconds", "s", "wall time of the epoch's steps"};
inline constexpr Field training_comm_seconds{"/training/comm_seconds", "s",
                                             "share of that for the exchange with other ranks, on the first rank"};
inline constexpr Field class_name{"/class_name", "1", "names of the classes"};
inline constexpr Field pair_name{"/pair_name", "1", "classes a/b of the problems of one-vs-one"};
}  // namespace field

/// Where a round 1, 2, ... of --refine has what the grid has at the path of the field: "/refine/2/C" for "/search/C".
std::string refined_path(const Field& field, int round);

/// A dataset of the given field.
Array make_array(const Field& field, std::vector<std::uint64_t> shape, Values values,
                 std::vector<std::string> scales = {});

}  // namespace krossfold::storage
