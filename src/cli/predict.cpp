// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <optional>
#include <utility>

#include "commands.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/pictures.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/model_files.hpp"
#include "krossfold/study/network_ensemble.hpp"
#include "krossfold/study/svm_model.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::cli {

namespace {

namespace fs = std::filesystem;

/// The files that an input may stand for: itself, FILE of csv:FILE, and the two of idx:IMAGES,LABELS.
std::vector<std::string> files_of(const std::string& input) {
  const std::string rest = input.substr(input.find(':') + 1);
  std::vector<std::string> files{input, rest};
  const auto comma = rest.find(',');
  if (comma != std::string::npos) files.insert(files.end(), {rest.substr(0, comma), rest.substr(comma + 1)});
  return files;
}

/// Throws an input error if writing `output` would destroy anything but earlier predictions.
void check_replaceable(const std::string& output, const PredictParams& params, const std::vector<std::string>& models) {
  std::error_code ignored;
  if (!fs::exists(output, ignored)) return;
  const std::string another = "Choose another -o, or move the file away.";
  const auto refuse_same = [&](const std::string& file, const std::string& what) {
    if (!fs::equivalent(output, file, ignored)) return;
    throw_input_error(text("-o ", output, " would overwrite ", what), text("it is the same file as ", file),
                      "Choose another -o.");
  };
  refuse_same(params.model, "the model");
  for (const std::string& file : models) refuse_same(file, "the model");
  for (const std::string& input : params.inputs) {
    for (const std::string& file : files_of(input)) refuse_same(file, "an input");
  }
  std::string kind;
  try {
    kind = storage::read_container(output).attribute("kind");
  } catch (const Error&) {  // whatever it is, it is not ours to replace
    throw_input_error(text(output, " exists and holds no predictions"), "it is no readable file of Krossfold", another);
  }
  if (kind != "prediction") {
    throw_input_error(text(output, " exists and holds no predictions"), text("it holds: ", kind), another);
  }
}

/// What is predicted together: an input, or pictures that follow one another on the command line.
struct Batch {
  std::string input;
  std::vector<std::string> picture;  ///< files
};

std::vector<Batch> batches_of(const std::vector<std::string>& inputs) {
  std::vector<Batch> batches;
  for (const std::string& input : inputs) {
    const std::vector<std::string> picture = data::picture_files(input);
    if (picture.empty() || batches.empty() || batches.back().picture.empty()) {
      batches.push_back({input, picture});
    } else {
      Batch& last = batches.back();
      last.picture.insert(last.picture.end(), picture.begin(), picture.end());
      last.input = text(last.picture.size(), " pictures");
    }
  }
  return batches;
}

/// Whatever answers: a machine, or networks together.
struct Model {
  std::optional<svm::Machine> machine;
  study::NetworkEnsemble ensemble;

  const std::vector<std::string>& class_name() const {
    return machine ? machine->class_name : ensemble.network.front().class_name;
  }
  int features() const {
    return machine ? machine->support.features() : ensemble.network.front().architecture.features();
  }
  data::ImageKind image() const {
    if (machine) return data::kind_of_images(machine->support);
    const data::ImageShape& shape = ensemble.network.front().architecture.image;
    if (shape.height <= 1 || shape.channels != 1) {
      throw_input_error("the model takes no pictures", "it was not trained on grey images",
                        "Give samples as CSV or libsvm text.");
    }
    return ensemble.network.front().image;
  }
};

Model load_model(const std::string& name, const std::vector<std::string>& files) {
  Model model;
  const storage::Container first = storage::read_container(files.front());
  if (first.attribute("kind") == "lstm-model") {
    throw_input_error(text(name, " is a character model"), "it has nothing to say about samples",
                      text("Ask it for names: krossfold sample ", name, "."));
  }
  if (first.attribute("kind") == "network-model") {
    model.ensemble = study::load_ensemble(files, name);
  } else {
    model.machine = study::machine_from_container(first, files.front());
  }
  return model;
}

data::Dataset load_batch(const Batch& batch, const Model& model, const data::PictureParams& params, const Log& log) {
  if (batch.picture.empty()) return data::load_input(batch.input, model.features(), model.class_name());
  const data::Pictures pictures = data::load_pictures(batch.picture, model.image(), params);
  for (std::size_t i = 0; i < batch.picture.size(); ++i) log.info(text(batch.picture[i], ": ", pictures.made[i]));
  for (const std::string& file : pictures.flat) {
    log.warn(text(file, " is one grey all over: there is nothing on it to predict"));
  }
  return pictures.samples;
}

void ask_machine(Prediction& prediction, const svm::Machine& machine, const data::Dataset& samples) {
  const Matrix<double> decision = svm::decision_values(Device(), machine, samples);
  prediction.predicted = svm::predicted_classes(machine, decision);
  prediction.decision_name = svm::problem_names(machine.multiclass, machine.class_name);
  prediction.decision.assign(decision.data(), decision.data() + decision.size());
  if (!machine.sigmoid.empty()) {
    const Matrix<double> probability = svm::class_probabilities(machine, decision);
    prediction.probability.assign(probability.data(), probability.data() + probability.size());
  }
}

void ask_networks(Prediction& prediction, const study::NetworkEnsemble& ensemble, const data::Dataset& samples) {
  study::EnsembleAnswer answer = study::ask(ensemble, samples);
  prediction.predicted = answer.vote;
  prediction.probability = answer.mean;
  Doubt& doubt = prediction.doubt;
  doubt.members = answer.members;
  doubt.member_name = ensemble.name;
  doubt.member_probability = std::move(answer.member_probability);
  doubt.votes = answer.votes;
  doubt.quartile = answer.quartile;
  doubt.entropy = answer.entropy;
  doubt.mutual_information = answer.mutual_information;
  if (!ensemble.threshold) return;
  doubt.has_threshold = true;
  doubt.threshold = ensemble.threshold->entropy;
  doubt.threshold_source = ensemble.threshold->source;
}

Prediction predict(const Model& model, const Batch& batch, const data::Dataset& samples) {
  Prediction prediction;
  prediction.input = batch.input;
  prediction.file = batch.picture;
  prediction.class_name = model.class_name();
  if (model.machine) {
    ask_machine(prediction, *model.machine, samples);
  } else {
    ask_networks(prediction, model.ensemble, samples);
  }
  if (samples.labelled()) {
    prediction.label.assign(samples.label.data(), samples.label.data() + samples.label.extent(0));
  }
  return prediction;
}

int count_wrong(const Prediction& p) {
  int wrong = 0;
  for (std::size_t i = 0; i < p.label.size(); ++i) wrong += p.label[i] != p.predicted[i] ? 1 : 0;
  return wrong;
}

}  // namespace

ExitCode run_predict(const PredictParams& params, const Log& log) {
  const data::PictureParams picture{data::parse_invert(params.invert), data::parse_background(params.background)};
  const std::vector<Batch> batches = batches_of(params.inputs);
  if (!params.output.empty()) storage::check_writable(params.output);
  const std::vector<std::string> files = study::find_models(params.model);
  if (!params.output.empty()) check_replaceable(params.output, params, files);
  const Model model = load_model(params.model, files);
  std::vector<Prediction> predictions;
  for (const Batch& batch : batches) {
    predictions.push_back(predict(model, batch, load_batch(batch, model, picture, log)));
  }
  print_predictions(params, files.size() == 1 ? files.front() : params.model, predictions);
  for (const Prediction& p : predictions) {
    if (!p.file.empty()) continue;  // how each was converted has been said
    std::string message = text(p.input, ": ", p.predicted.size(), " samples");
    if (!p.label.empty()) message += text(", ", count_wrong(p), " of them labelled otherwise in the file");
    log.info(message);
  }
  if (const auto& threshold = model.ensemble.threshold) {
    log.info(text("unlike the training images is what has an entropy above ", fixed(threshold->entropy, 3), ": ",
                  threshold->source));
  }
  return ExitCode::done;
}

}  // namespace krossfold::cli
