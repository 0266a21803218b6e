// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/input/pictures.hpp"
#include "krossfold/model/prediction.hpp"

namespace krossfold::svm {
struct Machine;
struct PartitionedMachine;
}  // namespace krossfold::svm

namespace krossfold::model {

struct NetworkModel;

/// A trained classifier of any kind.
class Predictor {
public:
  virtual ~Predictor() = default;

  const std::vector<std::string>& class_name() const { return class_name_; }
  int features() const { return features_; }
  /// How the columns of the training table became the features; null if it was no table.
  const std::shared_ptr<const data::TableEncoding>& encoding() const { return encoding_; }
  /// Dataset::first_index of the training data.
  int first_index() const { return first_index_; }
  /// The shape of the training samples, if they were images.
  const data::ImageShape& image() const { return image_; }
  /// Of the training data; of several members the first one's.
  virtual const data::Scale& scale() const = 0;
  /// Whether predict() takes sparse samples.
  virtual bool takes_sparse() const { return false; }
  /// Whether it is an SVM of LIBSVM. Only its support vectors are known: the training data may have had features that none of them has.
  virtual bool imported() const { return false; }
  /// The format to which pictures have to be converted. Throws an input error if the model was not trained on grey images.
  virtual input::ImageKind image_kind() const = 0;
  /// Predicts the classes of samples. Throws an input error if they have another number of features, and a run error if a
  /// probability of a network is not finite.
  virtual Prediction predict(const data::Dataset& samples, const Poll& poll = {}) const = 0;

  std::vector<std::string> files;  ///< the files that it was loaded from

protected:
  Predictor(const std::vector<std::string>& class_name, int features,
            std::shared_ptr<const data::TableEncoding> encoding, int first_index, const data::ImageShape& image)
      : class_name_(class_name),
        features_(features),
        encoding_(std::move(encoding)),
        first_index_(first_index),
        image_(image) {}

private:
  std::vector<std::string> class_name_;
  int features_;
  std::shared_ptr<const data::TableEncoding> encoding_;
  int first_index_;
  data::ImageShape image_;
};

std::unique_ptr<Predictor> make_predictor(svm::Machine machine);
std::unique_ptr<Predictor> make_predictor(svm::PartitionedMachine machine);

/// Networks that predict together, with the file of each; a single network is an ensemble of one. Throws an input error that
/// names the files if they were not trained on the same classes and kind of images.
std::unique_ptr<Predictor> make_predictor(std::vector<NetworkModel> network, std::vector<std::string> file,
                                          std::optional<OodThreshold> threshold = {});

/// The model that the path `model` denotes (see find_models()). Split weights are joined; the result file of an ensemble also
/// provides its threshold. Throws an input error that names the file if it is missing, damaged, or no classifier.
std::unique_ptr<Predictor> load_predictor(const std::string& model);

}  // namespace krossfold::model
