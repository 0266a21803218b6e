// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/predictor.hpp"

#include <filesystem>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/ensemble/quartiles.hpp"
#include "krossfold/model/ensemble.hpp"
#include "krossfold/model/locate.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/model/svm_parts_file.hpp"

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
    const NetworkModel& first = network_.front();
    for (std::size_t m = 1; m < network_.size(); ++m) {
      const NetworkModel& other = network_[m];
      if (other.class_name == first.class_name && other.architecture.image == first.architecture.image) continue;
      throw_input_error(text(file_[m], " and ", file_[0], " do not predict together"),
                        "they were trained on different classes or sizes of images", "Name one of them.");
    }
  }

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

/// The threshold of a result file of bagging; none for other files and folders.
std::optional<OodThreshold> threshold_of(const std::string& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(model, ignored)) return std::nullopt;
  const storage::Container result = storage::read_container(model);
  const char* const path = "/ood/threshold";  // (score); the entropy is the first score
  if (!result.has(path)) return std::nullopt;
  const auto* found = std::get_if<std::vector<double>>(&result.at(path).values);
  if (found == nullptr || found->empty()) return std::nullopt;
  const std::vector<double>& threshold = *found;
  const auto tests = result.attributes.find("n_test");
  const auto* count = tests == result.attributes.end() ? nullptr : std::get_if<std::int64_t>(&tests->second);
  return OodThreshold{threshold[0], text("95 % of the ", count == nullptr ? "" : text(*count, " "), "test samples of ",
                                         model, " have no more")};
}

std::unique_ptr<Predictor> load_networks(const std::vector<std::string>& files, const std::string& model) {
  std::vector<NetworkModel> network;
  std::vector<std::string> first;  // first file of each network
  for (std::size_t f = 0; f < files.size();) {
    first.push_back(files[f]);
    std::vector<NetworkModel> parts;  // the parts of a network are adjacent
    const std::vector<std::string> rest(files.begin() + static_cast<std::ptrdiff_t>(f), files.end());
    do {
      parts.push_back(network_from_container(storage::read_container(files[f]), files[f]));
      ++f;
    } while (parts.size() < static_cast<std::size_t>(parts.front().parts) && f < files.size());
    network.push_back(join_parts(std::move(parts), rest));
  }
  return make_predictor(std::move(network), std::move(first), threshold_of(model));
}

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
  const std::vector<std::string> files = find_models(model);
  const storage::Container first = storage::read_container(files.front());
  const std::string kind = first.attribute("kind");
  if (kind == "lstm-model") {
    throw_input_error(text(model, " is a character model"), "it does not classify samples",
                      "Sample names from it instead.");
  }
  auto predictor = kind == "network-model"  ? load_networks(files, model)
                   : kind == svm_parts_kind ? make_predictor(parts_from_container(first, files.front()))
                                            : make_predictor(machine_from_container(first, files.front()));
  predictor->files = files;
  return predictor;
}

}  // namespace krossfold::model
