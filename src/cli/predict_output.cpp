// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/report.hpp"

namespace krossfold::cli {

namespace {

/// The columns of an ensemble after its probabilities.
void print_doubt(const Prediction& p, std::size_t i) {
  const std::size_t classes = p.class_name.size(), cells = p.predicted.size() * classes;
  for (std::size_t q = 0; q < 5; ++q) {
    for (std::size_t c = 0; c < classes; ++c) {
      std::cout << "," << shortest(p.doubt.quartile[q * cells + i * classes + c]);
    }
  }
  std::cout << "," << p.doubt.members << "," << p.doubt.votes[i * classes + static_cast<std::size_t>(p.predicted[i])]
            << "," << shortest(p.doubt.entropy[i]) << "," << shortest(p.doubt.mutual_information[i]) << ","
            << (p.doubt.has_threshold ? (p.doubt.strange(i) ? "yes" : "no") : "");
}

/// "7", for a picture "seven.png: 7", and for one that networks were asked about what they say of it.
void print_text(const std::vector<Prediction>& predictions) {
  for (const Prediction& p : predictions) {
    for (std::size_t i = 0; i < p.predicted.size(); ++i) {
      const auto label = static_cast<std::size_t>(p.predicted[i]);
      if (!p.file.empty()) std::cout << p.file[i] << ": ";
      std::cout << p.class_name[label];
      if (!p.file.empty() && p.doubt.members > 0) {
        const std::size_t at = i * p.class_name.size() + label;
        std::cout << " (" << p.doubt.votes[at] << " of " << p.doubt.members << " votes, mean probability "
                  << fixed(p.probability[at], 3) << ", entropy " << fixed(p.doubt.entropy[i], 3) << ")";
        if (p.doubt.has_threshold && p.doubt.strange(i)) {
          std::cout << " - unlike the training images: entropy above " << fixed(p.doubt.threshold, 3);
        }
      }
      std::cout << "\n";
    }
  }
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
  const bool ensemble = predictions.front().doubt.members > 0;
  if (ensemble) {
    for (const char* quartile : quartile_names) {
      for (const std::string& name : class_name) std::cout << "," << study::csv_field(text(quartile, "_", name));
    }
    std::cout << ",members,votes,entropy,mutual_information,out_of_distribution";
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
      if (ensemble) print_doubt(p, i);
      std::cout << "\n";
    }
  }
}

/// What networks say together.
void add_doubt(storage::Container& content, const std::string& group, const Prediction& p) {
  const std::uint64_t n = p.predicted.size(), classes = p.class_name.size(),
                      members = static_cast<std::uint64_t>(p.doubt.members);
  const std::string cls = group + "/class_name", network = group + "/network";
  auto& arrays = content.arrays;
  arrays.push_back({network, {members}, p.doubt.member_name, {}, "1", "networks of the ensemble"});
  arrays.push_back({group + "/member_probability",
                    {members, n, classes},
                    p.doubt.member_probability,
                    {network, "", cls},
                    "1",
                    "probability by network, sample and class"});
  arrays.push_back({group + "/votes",
                    {n, classes},
                    std::vector<std::int32_t>(p.doubt.votes),
                    {"", cls},
                    "1",
                    "networks that hold the class most probable"});
  arrays.push_back({group + "/quartile",
                    {5, n, classes},
                    p.doubt.quartile,
                    {"", "", cls},
                    "1",
                    "least, quartiles and greatest of the networks' probabilities"});
  arrays.push_back({group + "/entropy", {n}, p.doubt.entropy, {}, "1", "entropy of the mean probability, in nats"});
  arrays.push_back({group + "/mutual_information",
                    {n},
                    p.doubt.mutual_information,
                    {},
                    "1",
                    "disagreement of the networks, in nats"});
  if (!p.doubt.has_threshold) return;
  content.attributes["threshold"] = p.doubt.threshold;
  content.attributes["threshold_source"] = p.doubt.threshold_source;
  std::vector<std::int32_t> strange;
  for (std::size_t i = 0; i < n; ++i) strange.push_back(p.doubt.strange(i) ? 1 : 0);
  arrays.push_back({group + "/out_of_distribution", {n}, strange, {}, "1", "1 if the entropy is above the threshold"});
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
    if (width > 0) {
      content.arrays.push_back(
          {group + "/decision_name", {width}, p.decision_name, {}, "1", "what decision values speak for"});
      content.arrays.push_back({group + "/decision",
                                {n, width},
                                p.decision,
                                {"", group + "/decision_name"},
                                "1",
                                "decision value by sample and problem"});
    }
    if (!p.probability.empty()) {
      content.arrays.push_back({group + "/probability",
                                {n, classes},
                                p.probability,
                                {"", group + "/class_name"},
                                "1",
                                "probability by sample and class"});
    }
    if (p.doubt.members > 0) add_doubt(content, group, p);
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

void print_predictions(const PredictParams& params, const std::string& model,
                       const std::vector<Prediction>& predictions) {
  if (!params.output.empty()) {
    write_hdf5(params, predictions);
  } else if (params.format == "json") {
    std::cout << predictions_json(model, predictions);
  } else if (params.format == "csv") {
    print_csv(predictions);
  } else {
    print_text(predictions);
  }
}

}  // namespace krossfold::cli
