// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// The datasets of the result file of `krossfold bag`.
struct BagSchema : run::ResultSchema {
  using Real = storage::Field<double>;
  using Whole = storage::Field<std::int32_t>;
  using Name = storage::Field<std::string>;

  Name class_name = add<std::string>("/class_name", "class_name", "1", "names of the classes");
  Whole bootstrap =
      add<std::int32_t>("/bootstrap", "bootstrap", "1", "number of the bootstrap sample", "/search/bootstrap");
  Whole trial = add<std::int32_t>("/trial", "trial", "1", "number of the trial of its random search", "/search/trial");
  Whole fold = add<std::int32_t>("/fold", "fold", "1", "number of the held-out fold", "/search/fold");
  Whole channels = add<std::int32_t>("/search/channels", "bootstrap trial", "1", "channels of the convolution");
  Whole kernel = add<std::int32_t>("/search/kernel", "bootstrap trial", "1", "side of the convolution's kernels");
  Whole hidden = add<std::int32_t>("/search/hidden", "bootstrap trial", "1", "hidden units");
  Real rate = add<double>("/search/rate", "bootstrap trial", "1", "learning rate");
  Real momentum = add<double>("/search/momentum", "bootstrap trial", "1", "momentum");

  Real fold_error =
      add<double>("/fold_error", "bootstrap trial fold", "1", "fraction of the held-out draws misclassified");
  run::UnitFields unit = add_units("/unit", "bootstrap trial fold");
  Whole epochs = add<std::int32_t>("/fit/epochs", "bootstrap trial fold", "1", "epochs trained");
  Real loss = add<double>("/fit/loss", "bootstrap trial fold", "1", "mean training loss of the last epoch, in nats");
  Whole diverged = add<std::int32_t>("/fit/diverged", "bootstrap trial fold", "1", "1 if the training diverged");

  Whole epoch = add_index("/final/epoch", "number of the epoch, from 1", 1);
  Whole final_trial = add<std::int32_t>("/final/trial", "bootstrap", "1", "trial of the final fit, -1 while unknown");
  Real validation_error = add<double>("/final/validation_error", "bootstrap", "1", "mean fold error of that trial");
  run::UnitFields final_unit = add_units("/final", "bootstrap");
  Whole final_diverged = add<std::int32_t>("/final/diverged", "bootstrap", "1", "1 if the final fit diverged");
  Real epoch_loss =
      add<double>("/final/epoch_loss", "bootstrap epoch", "1", "mean training loss of the epoch, in nats");
  Whole out_of_bag = add<std::int32_t>("/final/out_of_bag", "bootstrap", "1", "training samples that were never drawn");
  Real out_of_bag_error = add<double>("/final/out_of_bag_error", "bootstrap", "1", "fraction of those misclassified");
  Real final_test_error =
      add<double>("/final/test_error", "bootstrap", "1", "fraction of the test samples misclassified");
  Real final_nll = add<double>("/final/nll", "bootstrap", "1", "negative log likelihood of the test samples, in nats");
  Real final_brier = add<double>("/final/brier", "bootstrap", "1", "Brier score of the test samples");
  Real final_ece = add<double>("/final/ece", "bootstrap", "1", "expected calibration error on the test samples");
  Name model = add<std::string>("/final/model", "bootstrap", "1", "name of the model file");
  Name model_checksum = add<std::string>("/final/model_checksum", "bootstrap", "1", "CRC-64 of the model file");

  Whole sample = add_index("/ensemble/sample", "number of the test sample");
  Whole predicted =
      add_index("/ensemble/predicted", "class index that the majority votes for: columns of the confusion matrix");
  Name rule = add<std::string>("/ensemble/rule", "rule", "1", "how the models are combined");
  storage::Field<float> probability = add<float>("/ensemble/probability", "bootstrap sample class_name", "1",
                                                 "probability of each class by each model");
  Whole label = add<std::int32_t>("/ensemble/label", "sample", "1", "true class index");
  Whole vote = add<std::int32_t>("/ensemble/vote", "sample", "1", "class index that the majority votes for");
  Whole votes =
      add<std::int32_t>("/ensemble/votes", "sample class_name", "1", "models that hold the class most probable");
  Real confidence = add<double>("/ensemble/confidence", "sample", "1", "largest mean probability");
  Real entropy = add<double>("/ensemble/entropy", "sample", "1", "entropy of the mean probability, in nats");
  Real expected_entropy =
      add<double>("/ensemble/expected_entropy", "sample", "1", "mean entropy of the models' probabilities, in nats");
  Real mutual_information =
      add<double>("/ensemble/mutual_information", "sample", "1", "disagreement of the models, in nats");
  Real error = add<double>("/ensemble/error", "rule", "1", "fraction of the test samples misclassified by the rule");
  Real weight = add<double>("/ensemble/weight", "bootstrap", "1", "weight of the model in the weighted mean");
  Real nll = add<double>("/ensemble/nll", "", "1", "negative log likelihood of the mean probability, in nats");
  Real brier = add<double>("/ensemble/brier", "", "1", "Brier score of the mean probability");
  Real ece = add<double>("/ensemble/ece", "", "1", "expected calibration error of the mean probability");
  Whole bin = add_index("/ensemble/bin/bin", "number of the bin of equal confidence");
  Whole bin_count = add<std::int32_t>("/ensemble/bin/count", "bin", "1", "test samples by confidence");
  Real bin_confidence = add<double>("/ensemble/bin/confidence", "bin", "1", "mean confidence of the bin");
  Real bin_accuracy =
      add<double>("/ensemble/bin/accuracy", "bin", "1", "fraction of the bin that is classified correctly");
  Whole confusion = add<std::int32_t>("/ensemble/confusion", "class_name predicted", "1",
                                      "test samples by true (row) and voted (column) class");

  Name ood_name = add<std::string>("/ood/name", "name", "1", "set of images that show none of the classes");
  Name ood_score = add<std::string>("/ood/score", "score", "1", "score that is larger out of distribution");
  Whole ood_image = add_index("/ood/image", "number of the image, set after set");
  Whole ood_count = add<std::int32_t>("/ood/count", "name", "1", "images of the set");
  Real ood_threshold = add<double>("/ood/threshold", "score", "1", "95 % of the test samples have no larger score");
  Real ood_auroc = add<double>("/ood/auroc", "name score", "1", "area under the ROC curve");
  Real ood_kept =
      add<double>("/ood/kept", "name score", "1", "fraction of the set at or below the threshold: taken for a class");
  storage::Field<float> ood_probability =
      add<float>("/ood/probability", "bootstrap image class_name", "1", "probability of each class by each model");

  Whole shown = add_index("/shown/shown", "number of the shown image");
  Whole shown_channel = add_index("/shown/channel", "channel of the pixel");
  Whole shown_row = add_index("/shown/row", "row of the pixel");
  Whole shown_column = add_index("/shown/column", "column of the pixel");
  storage::Field<float> shown_image =
      add<float>("/shown/image", "shown channel row column", "1", "pixels of some images, as in their file");
  Name shown_role = add<std::string>("/shown/role", "shown", "1", "why the image is shown");
  Whole shown_test = add<std::int32_t>("/shown/test", "shown", "1", "number of the test image, -1 if it is none");
  Whole shown_ood =
      add<std::int32_t>("/shown/ood", "shown", "1", "number of the image out of distribution, -1 if it is none");
};

const BagSchema& bag_schema();

}  // namespace krossfold::studies
