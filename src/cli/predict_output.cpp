// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/printable.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::cli {

namespace {

/// Row i of (sample, column) values.
void print_row(const std::vector<double>& all, std::size_t i, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) std::cout << "," << shortest(all[i * columns + c]);
}

/// Prints the columns of an ensemble that follow its probabilities.
void print_uncertainty(const InputPrediction& p, std::size_t i) {
  const std::size_t classes = p.class_name.size();
  for (std::size_t q = 0; q < std::size(quartile_names); ++q) {
    print_row(p.quartile, q * p.predicted.size() + i, classes);
  }
  std::cout << "," << p.member.size() << "," << p.votes[i * classes + static_cast<std::size_t>(p.predicted[i])] << ","
            << shortest(p.entropy[i]) << "," << shortest(p.mutual_information[i]) << ","
            << (p.threshold ? (p.out_of_distribution(i) ? "yes" : "no") : "");
}

/// Prints "7", or "seven.png: 7" for a picture, with votes and uncertainty if networks predicted it.
void print_text(const std::vector<InputPrediction>& predictions) {
  for (const InputPrediction& p : predictions) {
    for (std::size_t i = 0; i < p.predicted.size(); ++i) {
      const auto label = static_cast<std::size_t>(p.predicted[i]);
      if (!p.file.empty()) std::cout << printable(p.file[i]) << ": ";
      std::cout << printable(p.class_name[label]);
      if (!p.file.empty() && p.of_networks()) {
        const std::size_t at = i * p.class_name.size() + label;
        std::cout << " (" << p.votes[at] << " of " << p.member.size() << " votes, mean probability "
                  << fixed(p.probability[at], 3) << ", entropy " << fixed(p.entropy[i], 3) << ")";
        if (p.out_of_distribution(i)) {
          std::cout << " - unlike the training images: entropy above " << fixed(p.threshold->entropy, 3);
        }
      }
      std::cout << "\n";
    }
  }
}

void print_csv(const std::vector<InputPrediction>& predictions) {
  const InputPrediction& first = predictions.front();
  const auto columns = [](const std::string& prefix, const std::vector<std::string>& names) {
    for (const std::string& name : names) std::cout << "," << report::csv_field(text(prefix, "_", name));
  };
  std::cout << "input,sample,label,truth";
  columns("decision", first.decision_name);
  if (!first.probability.empty()) columns("probability", first.class_name);
  if (first.of_networks()) {
    for (const char* quartile : quartile_names) columns(quartile, first.class_name);
    std::cout << ",members,votes,entropy,mutual_information,out_of_distribution";
  }
  std::cout << "\n";
  for (const InputPrediction& p : predictions) {
    for (std::size_t i = 0; i < p.predicted.size(); ++i) {
      const bool picture = !p.file.empty();  // the only sample of its file
      std::cout << report::csv_field(picture ? p.file[i] : p.input) << "," << (picture ? 0 : i) << ","
                << report::csv_field(p.class_name[p.predicted[i]]) << ","
                << (p.label.empty() || p.label[i] < 0 ? "" : report::csv_field(p.class_name[p.label[i]]));
      print_row(p.decision, i, p.decision_name.size());
      if (!p.probability.empty()) print_row(p.probability, i, p.class_name.size());
      if (p.of_networks()) print_uncertainty(p, i);
      std::cout << "\n";
    }
  }
}

/// Adds the datasets of one input to the group `group`.
void add_datasets(storage::Container& content, const std::string& group, const InputPrediction& p) {
  const std::uint64_t n = p.predicted.size(), classes = p.class_name.size(), width = p.decision_name.size(),
                      members = p.member.size();
  const std::string cls = group + "/class_name", decision = group + "/decision_name", network = group + "/network";
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape, storage::Values values,
                       const char* long_name, std::vector<std::string> scales = {}) {
    content.arrays.push_back(
        {group + "/" + name, std::move(shape), std::move(values), std::move(scales), "1", long_name});
  };
  add("class_name", {classes}, p.class_name, "names of the classes");
  add("prediction", {n}, p.predicted, "predicted class index");
  if (width > 0) {
    add("decision_name", {width}, p.decision_name, "what decision values speak for");
    add("decision", {n, width}, p.decision, "decision value by sample and problem", {"", decision});
  }
  if (!p.probability.empty()) {
    add("probability", {n, classes}, p.probability, "probability by sample and class", {"", cls});
  }
  if (!p.file.empty()) add("file", {n}, p.file, "picture that the sample was read from");
  if (!p.label.empty()) add("label", {n}, p.label, "true class index; -1 if it is missing or unknown to the model");
  if (!p.of_networks()) return;
  add("network", {members}, p.member, "networks of the ensemble");
  add("member_probability", {members, n, classes}, p.member_probability, "probability by network, sample and class",
      {network, "", cls});
  add("votes", {n, classes}, p.votes, "networks that hold the class most probable", {"", cls});
  add("quartile", {5, n, classes}, p.quartile, "least, quartiles and greatest of the networks' probabilities",
      {"", "", cls});
  add("entropy", {n}, p.entropy, "entropy of the mean probability, in nats");
  add("mutual_information", {n}, p.mutual_information, "disagreement of the networks, in nats");
  if (!p.threshold) return;
  content.attributes["threshold"] = p.threshold->entropy;
  content.attributes["threshold_source"] = p.threshold->source;
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(p.out_of_distribution(i) ? 1 : 0);
  add("out_of_distribution", {n}, out, "1 if the entropy is above the threshold");
}

void write_hdf5(const PredictParams& params, const std::string& target,
                const std::vector<InputPrediction>& predictions) {
  storage::Container content;
  content.attributes["kind"] = std::string("prediction");
  content.attributes["model"] = params.model;
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    content.attributes[text("input_", k)] = predictions[k].input;
    add_datasets(content, text("/input_", k), predictions[k]);
  }
  storage::write_container(target, content);
}

}  // namespace

void print_predictions(const PredictParams& params, const std::string& target, const std::string& model,
                       const std::vector<InputPrediction>& predictions) {
  if (!params.output.empty()) {
    write_hdf5(params, target, predictions);
  } else if (params.format == "json") {
    std::cout << predictions_json(model, predictions);
  } else if (params.format == "csv") {
    print_csv(predictions);
  } else {
    print_text(predictions);
  }
}

}  // namespace krossfold::cli
