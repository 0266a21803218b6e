// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// The datasets of the result file of `krossfold bag`.
struct BagSchema : run::ResultSchema {
  Name class_name = name("/class_name", "class_name", "names of the classes");
  Whole bootstrap = whole("/bootstrap", "bootstrap", "number of the bootstrap sample", "/search/bootstrap");
  Whole trial = whole("/trial", "trial", "number of the trial of its random search", "/search/trial");
  Whole fold = whole("/fold", "fold", "number of the held-out fold", "/search/fold");
  Whole channels = whole("/search/channels", "bootstrap trial", "channels of the convolution");
  Whole kernel = whole("/search/kernel", "bootstrap trial", "side of the convolution's kernels");
  Whole hidden = whole("/search/hidden", "bootstrap trial", "hidden units");
  Real rate = real("/search/rate", "bootstrap trial", "learning rate");
  Real momentum = real("/search/momentum", "bootstrap trial", "momentum");

  Real fold_error = real("/fold_error", "bootstrap trial fold", "fraction of the held-out draws misclassified");
  run::UnitFields unit = add_units("/unit", "bootstrap trial fold");
  Whole epochs = whole("/fit/epochs", "bootstrap trial fold", "epochs trained");
  Real loss = real("/fit/loss", "bootstrap trial fold", "mean training loss of the last epoch, in nats");
  Whole diverged = whole("/fit/diverged", "bootstrap trial fold", "1 if the training diverged");

  Whole epoch = add_index("/final/epoch", "number of the epoch, from 1", 1);
  Whole final_trial = whole("/final/trial", "bootstrap", "trial of the final fit, -1 while unknown");
  Real validation_error = real("/final/validation_error", "bootstrap", "mean fold error of that trial");
  run::UnitFields final_unit = add_units("/final", "bootstrap");
  Whole final_diverged = whole("/final/diverged", "bootstrap", "1 if the final fit diverged");
  Real epoch_loss = real("/final/epoch_loss", "bootstrap epoch", "mean training loss of the epoch, in nats");
  Whole out_of_bag = whole("/final/out_of_bag", "bootstrap", "training samples that were never drawn");
  Real out_of_bag_error = real("/final/out_of_bag_error", "bootstrap", "fraction of those misclassified");
  Real final_test_error = real("/final/test_error", "bootstrap", "fraction of the test samples misclassified");
  Real final_nll = real("/final/nll", "bootstrap", "negative log likelihood of the test samples, in nats");
  Real final_brier = real("/final/brier", "bootstrap", "Brier score of the test samples");
  Real final_ece = real("/final/ece", "bootstrap", "expected calibration error on the test samples");
  Name model = name("/final/model", "bootstrap", "name of the model file");
  Name model_checksum = name("/final/model_checksum", "bootstrap", "CRC-64 of the model file");

  Whole sample = add_index("/ensemble/sample", "number of the test sample in its file, from 0");
  Whole predicted =
      add_index("/ensemble/predicted", "class index that the majority votes for: columns of the confusion matrix");
  Name rule = name("/ensemble/rule", "rule", "how the models are combined");
  storage::Field<float> probability = add<float>("/ensemble/probability", "bootstrap sample class_name", "1",
                                                 "probability of each class by each model");
  Whole label = whole("/ensemble/label", "sample", "true class index");
  Whole vote = whole("/ensemble/vote", "sample", "class index that the majority votes for");
  Whole votes = whole("/ensemble/votes", "sample class_name", "models that hold the class most probable");
  Real confidence = real("/ensemble/confidence", "sample", "largest mean probability");
  Real entropy = real("/ensemble/entropy", "sample", "entropy of the mean probability, in nats");
  Real expected_entropy =
      real("/ensemble/expected_entropy", "sample", "mean entropy of the models' probabilities, in nats");
  Real mutual_information = real("/ensemble/mutual_information", "sample", "disagreement of the models, in nats");
  Real error = real("/ensemble/error", "rule", "fraction of the test samples misclassified by the rule");
  Real weight = real("/ensemble/weight", "bootstrap", "weight of the model in the weighted mean");
  Real nll = real("/ensemble/nll", "", "negative log likelihood of the mean probability, in nats");
  Real brier = real("/ensemble/brier", "", "Brier score of the mean probability");
  Real ece = real("/ensemble/ece", "", "expected calibration error of the mean probability");
  Whole bin = add_index("/ensemble/bin/bin", "number of the bin of equal confidence");
  Whole bin_count = whole("/ensemble/bin/count", "bin", "test samples by confidence");
  Real bin_confidence = real("/ensemble/bin/confidence", "bin", "mean confidence of the bin");
  Real bin_accuracy = real("/ensemble/bin/accuracy", "bin", "fraction of the bin that is classified correctly");
  Whole confusion =
      whole("/ensemble/confusion", "class_name predicted", "test samples by true (row) and voted (column) class");

  Name ood_name = name("/ood/name", "name", "set of images that show none of the classes");
  Name ood_score = name("/ood/score", "score", "score that is larger out of distribution");
  Whole ood_image = add_index("/ood/image", "number of the image, set after set");
  Whole ood_count = whole("/ood/count", "name", "images of the set");
  Real ood_threshold = real("/ood/threshold", "score", "95 % of the test samples have no larger score");
  Real ood_auroc = real("/ood/auroc", "name score", "area under the ROC curve");
  Real ood_kept = real("/ood/kept", "name score", "fraction of the set at or below the threshold: taken for a class");
  storage::Field<float> ood_probability =
      add<float>("/ood/probability", "bootstrap image class_name", "1", "probability of each class by each model");

  Whole shown = add_index("/shown/shown", "number of the shown image");
  Whole shown_channel = add_index("/shown/channel", "channel of the pixel");
  Whole shown_row = add_index("/shown/row", "row of the pixel");
  Whole shown_column = add_index("/shown/column", "column of the pixel");
  storage::Field<float> shown_image =
      add<float>("/shown/image", "shown channel row column", "1", "pixels of some images, as in their file");
  Name shown_role = name("/shown/role", "shown", "why the image is shown");
  Whole shown_test = whole("/shown/test", "shown", "number of the test image, -1 if it is none");
  Whole shown_ood = whole("/shown/ood", "shown", "number of the image out of distribution, -1 if it is none");
};

inline const BagSchema& bag_schema() {
  static const BagSchema schema;
  return schema;
}

}  // namespace krossfold::studies
