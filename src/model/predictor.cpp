// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/predictor.hpp"

#include <filesystem>
#include <utility>
#include <variant>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/ensemble/quartiles.hpp"
#include "krossfold/model/ensemble.hpp"
#include "krossfold/model/load_model.hpp"

namespace krossfold::model {

namespace {

constexpr int samples_at_once = 64;

/// The shape of the training samples; none if they were no images, of which a network makes a row of pixels.
data::ImageShape image_of(const NetworkModel& model) {
  const data::ImageShape& shape = model.architecture.image;
  return shape.height <= 1 ? data::ImageShape() : shape;
}

class SvmPredictor : public Predictor {
public:
  explicit SvmPredictor(svm::Machine machine)
      : Predictor(machine.class_name, machine.features(), machine.support.encoding, machine.support.first_index,
                  machine.support.image),
        machine_(std::move(machine)) {}

  bool takes_sparse() const override { return machine_.kernel.kind == svm::KernelKind::rbf; }
  bool imported() const override { return machine_.c == 0; }  // a model file of LIBSVM does not have C
  const data::Scale& scale() const override { return machine_.scale; }
  input::ImageKind image_kind() const override { return input::kind_of_images(machine_.support); }

  Prediction predict(const data::Dataset& samples, const Poll& poll) const override {
    const Matrix<double> decision = svm::decision_values(Device(), machine_, samples, poll);
    Prediction prediction;
    prediction.class_name = class_name();
    prediction.predicted = svm::predicted_classes(machine_, decision);
    prediction.decision_name = svm::problem_names(machine_.multiclass, class_name());
    prediction.decision = list_of(decision);
    if (!machine_.sigmoid.empty()) prediction.probability = list_of(svm::class_probabilities(machine_, decision));
    return prediction;
  }

private:
  svm::Machine machine_;
};

class PartsPredictor : public Predictor {
public:
  explicit PartsPredictor(svm::PartitionedMachine machine)
      : Predictor(machine.first().class_name, machine.first().features(), machine.first().support.encoding,
                  machine.first().support.first_index, machine.first().support.image),
        machine_(std::move(machine)) {}

  const data::Scale& scale() const override { return machine_.first().scale; }
  input::ImageKind image_kind() const override { return input::kind_of_images(machine_.first().support); }

  Prediction predict(const data::Dataset& samples, const Poll& poll) const override {
    const Matrix<double> decision = svm::decision_values(Device(), machine_, samples, poll);
    Prediction prediction;
    prediction.class_name = class_name();
    prediction.predicted = svm::predicted_classes(machine_.first(), decision);
    prediction.decision_name = svm::problem_names(machine_.first().multiclass, class_name());
    prediction.decision = list_of(decision);
    return prediction;
  }

private:
  svm::PartitionedMachine machine_;
};

class NetworkPredictor : public Predictor {
public:
  NetworkPredictor(std::vector<NetworkModel> network, std::vector<std::string> file,
                   std::optional<OodThreshold> threshold)
      : Predictor(network.front().class_name, static_cast<int>(network.front().architecture.features()),
                  network.front().encoding, network.front().first_index, image_of(network.front())),
        network_(std::move(network)),
        file_(std::move(file)),
        threshold_(std::move(threshold)) {
    check_together(network_, file_);
  }

  const data::Scale& scale() const override { return network_.front().scale; }
  input::ImageKind image_kind() const override {
    const NetworkModel& first = network_.front();
    if (!image().is_image() || !input::takes_pictures(image())) {
      throw_input_error("the model takes no pictures", "it was not trained on images in grey or colour",
                        "Give samples as a table or libsvm text.");
    }
    return first.image;
  }

  Prediction predict(const data::Dataset& samples, const Poll& poll) const override {
    if (samples.features() != features()) {
      throw_input_error(text(samples.name, " has ", samples.features(), " features"),
                        text("the networks were trained on ", features()));
    }
    const int members = static_cast<int>(network_.size()), classes = static_cast<int>(class_name().size());
    Prediction prediction;
    std::vector<float>& all = prediction.member_probability;
    for (const NetworkModel& model : network_) {
      nn::Network<Device> network(Device(), model.architecture, samples_at_once);
      network.set_parameters(model.parameters);
      const auto own = probabilities(network, samples_of(samples, model.scale), poll);
      all.insert(all.end(), own.begin(), own.end());
    }
    const Host host;
    const auto probability = cube_of(all, members, samples.size(), classes);
    const std::vector<int> finite = ensemble::finite_models<Host>(host, probability);
    if (finite.size() != network_.size()) {
      throw_run_error(text("a network has no prediction for ", samples.name), "its probabilities are not finite");
    }
    const EnsemblePrediction found = predict_ensemble(probability, finite);
    const Cube<double> quartile("krossfold::model::quartile", ensemble::quartile_count, samples.size(), classes);
    ensemble::quartiles(host, quartile, found.members);
    prediction.class_name = class_name();
    prediction.predicted = list_of(found.vote);
    prediction.probability = list_of(found.mean);
    for (const auto& file : file_) prediction.member.push_back(std::filesystem::path(file).stem().string());
    prediction.votes = list_of(found.votes);
    prediction.quartile = list_of(quartile);
    prediction.entropy = list_of(found.uncertainty.predictive_entropy);
    prediction.mutual_information = list_of(found.uncertainty.mutual_information);
    prediction.confidence = list_of(found.uncertainty.confidence);
    prediction.threshold = threshold_;
    return prediction;
  }

private:
  std::vector<NetworkModel> network_;
  std::vector<std::string> file_;
  std::optional<OodThreshold> threshold_;
};

}  // namespace

std::unique_ptr<Predictor> make_predictor(svm::Machine machine) {
  return std::make_unique<SvmPredictor>(std::move(machine));
}

std::unique_ptr<Predictor> make_predictor(svm::PartitionedMachine machine) {
  return std::make_unique<PartsPredictor>(std::move(machine));
}

std::unique_ptr<Predictor> make_predictor(std::vector<NetworkModel> network, std::vector<std::string> file,
                                          std::optional<OodThreshold> threshold) {
  return std::make_unique<NetworkPredictor>(std::move(network), std::move(file), std::move(threshold));
}

std::unique_ptr<Predictor> load_predictor(const std::string& model) {
  LoadedModel loaded = load_model(model);
  std::unique_ptr<Predictor> predictor;
  if (auto* machine = std::get_if<svm::Machine>(&loaded.model)) {
    predictor = make_predictor(std::move(*machine));
  } else if (auto* parts = std::get_if<svm::PartitionedMachine>(&loaded.model)) {
    predictor = make_predictor(std::move(*parts));
  } else if (auto* networks = std::get_if<Networks>(&loaded.model)) {
    predictor = make_predictor(std::move(networks->network), std::move(networks->file), std::move(networks->threshold));
  } else {
    throw_input_error(text(model, " is a character model"), "it does not classify samples",
                      "Sample names from it instead.");
  }
  predictor->files = std::move(loaded.files);
  return predictor;
}

}  // namespace krossfold::model
