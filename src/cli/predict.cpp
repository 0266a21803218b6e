// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/pictures.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/report.hpp"
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
void check_replaceable(const std::string& output, const PredictParams& params, const std::string& model) {
  std::error_code ignored;
  if (!fs::exists(output, ignored)) return;
  const std::string another = "Choose another -o, or move the file away.";
  const auto refuse_same = [&](const std::string& file, const std::string& what) {
    if (!fs::equivalent(output, file, ignored)) return;
    throw_input_error(text("-o ", output, " would overwrite ", what), text("it is the same file as ", file),
                      "Choose another -o.");
  };
  for (const std::string& file : {params.model, model}) refuse_same(file, "the model");
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

data::Dataset load_batch(const Batch& batch, const svm::Machine& machine, const data::PictureParams& params,
                         const Log& log) {
  if (batch.picture.empty()) return data::load_input(batch.input, machine.support.features(), machine.class_name);
  const data::Pictures pictures = data::load_pictures(batch.picture, data::kind_of_images(machine.support), params);
  for (std::size_t i = 0; i < batch.picture.size(); ++i) log.info(text(batch.picture[i], ": ", pictures.made[i]));
  for (const std::string& file : pictures.flat) {
    log.warn(text(file, " is one grey all over: there is nothing on it to predict"));
  }
  return pictures.samples;
}

Prediction predict(const svm::Machine& machine, const Batch& batch, const data::Dataset& samples) {
  const Matrix<double> decision = svm::decision_values(Device(), machine, samples);
  Prediction prediction;
  prediction.input = batch.input;
  prediction.file = batch.picture;
  prediction.class_name = machine.class_name;
  prediction.predicted = svm::predicted_classes(machine, decision);
  prediction.decision_name = svm::problem_names(machine.multiclass, machine.class_name);
  prediction.decision.assign(decision.data(), decision.data() + decision.size());
  if (!machine.sigmoid.empty()) {
    const Matrix<double> probability = svm::class_probabilities(machine, decision);
    prediction.probability.assign(probability.data(), probability.data() + probability.size());
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

void print_csv(const std::vector<Prediction>& predictions) {
  std::cout << "input,sample,label,truth";
  for (const std::string& name : predictions.front().decision_name) {
    std::cout << "," << study::csv_field("decision_" + name);
  }
  const std::vector<std::string>& class_name = predictions.front().class_name;
  const std::size_t probabilities = predictions.front().probability.empty() ? 0 : class_name.size();
  for (std::size_t c = 0; c < probabilities; ++c) {
    std::cout << "," << study::csv_field("probability_" + class_name[c]);
  }
  std::cout << "\n";
  for (const Prediction& p : predictions) {
    for (std::size_t i = 0; i < p.predicted.size(); ++i) {
      const bool picture = !p.file.empty();  // a file of its own, and its only sample
      std::cout << study::csv_field(picture ? p.file[i] : p.input) << "," << (picture ? 0 : i) << ","
                << study::csv_field(p.class_name[p.predicted[i]]) << ","
                << (p.label.empty() ? "" : study::csv_field(p.class_name[p.label[i]]));
      for (std::size_t k = 0; k < p.decision_name.size(); ++k) {
        std::cout << "," << shortest(p.decision[i * p.decision_name.size() + k]);
      }
      for (std::size_t c = 0; c < probabilities; ++c) {
        std::cout << "," << shortest(p.probability[i * probabilities + c]);
      }
      std::cout << "\n";
    }
  }
}

void write_hdf5(const PredictParams& params, const std::vector<Prediction>& predictions) {
  storage::Container content;
  content.attributes["kind"] = std::string("prediction");
  content.attributes["model"] = params.model;
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    const Prediction& p = predictions[k];
    const std::string group = text("/input_", k);
    const std::uint64_t n = p.predicted.size(), classes = p.class_name.size(), width = p.decision_name.size();
    content.attributes[text("input_", k)] = p.input;
    content.arrays.push_back({group + "/class_name", {classes}, p.class_name, {}, "1", "names of the classes"});
    content.arrays.push_back(
        {group + "/prediction", {n}, std::vector<std::int32_t>(p.predicted), {}, "1", "predicted class index"});
    content.arrays.push_back(
        {group + "/decision_name", {width}, p.decision_name, {}, "1", "what decision values speak for"});
    content.arrays.push_back({group + "/decision",
                              {n, width},
                              p.decision,
                              {"", group + "/decision_name"},
                              "1",
                              "decision value by sample and problem"});
    if (!p.probability.empty()) {
      content.arrays.push_back({group + "/probability",
                                {n, classes},
                                p.probability,
                                {"", group + "/class_name"},
                                "1",
                                "probability by sample and class"});
    }
    if (!p.file.empty()) {
      content.arrays.push_back({group + "/file", {n}, p.file, {}, "1", "picture that the sample was read from"});
    }
    if (!p.label.empty()) {
      content.arrays.push_back(
          {group + "/label", {n}, std::vector<std::int32_t>(p.label), {}, "1", "true class index"});
    }
  }
  storage::write_container(params.output, content);
}

}  // namespace

ExitCode run_predict(const PredictParams& params, const Log& log) {
  const data::PictureParams picture{data::parse_invert(params.invert), data::parse_background(params.background)};
  const std::vector<Batch> batches = batches_of(params.inputs);
  if (!params.output.empty()) storage::check_writable(params.output);
  const std::string file = study::find_model(params.model);
  if (!params.output.empty()) check_replaceable(params.output, params, file);
  const svm::Machine machine = study::machine_from_container(storage::read_container(file), file);
  std::vector<Prediction> predictions;
  for (const Batch& batch : batches) {
    predictions.push_back(predict(machine, batch, load_batch(batch, machine, picture, log)));
  }
  if (!params.output.empty()) {
    write_hdf5(params, predictions);
  } else if (params.format == "json") {
    std::cout << predictions_json(file, predictions);
  } else if (params.format == "csv") {
    print_csv(predictions);
  } else {
    for (const Prediction& p : predictions) {
      for (std::size_t i = 0; i < p.predicted.size(); ++i) {
        if (!p.file.empty()) std::cout << p.file[i] << ": ";
        std::cout << p.class_name[p.predicted[i]] << "\n";
      }
    }
  }
  for (const Prediction& p : predictions) {
    if (!p.file.empty()) continue;  // how each was converted has been said
    std::string message = text(p.input, ": ", p.predicted.size(), " samples");
    if (!p.label.empty()) message += text(", ", count_wrong(p), " of them labelled otherwise in the file");
    log.info(message);
  }
  return ExitCode::done;
}

}  // namespace krossfold::cli
