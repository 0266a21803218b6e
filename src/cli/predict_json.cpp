// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "input_prediction.hpp"

namespace krossfold::cli {

namespace {

/// Row i of (sample, column) values.
template <class T>
std::vector<T> row(const std::vector<T>& all, std::size_t i, std::size_t columns) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * columns);
  return {first, first + static_cast<std::ptrdiff_t>(columns)};
}

/// Adds the joint prediction of several networks for sample i.
void add_uncertainty(nlohmann::ordered_json& sample, const InputPrediction& p, std::size_t i) {
  const std::size_t classes = p.class_name.size();
  sample["votes"] = row(p.votes, i, classes);
  for (std::size_t q = 0; q < std::size(quartile_names); ++q) {
    sample["quartiles"][quartile_names[q]] = row(p.quartile, q * p.predicted.size() + i, classes);
  }
  sample["entropy"] = p.entropy[i];
  sample["mutual_information"] = p.mutual_information[i];
  sample["out_of_distribution"] = nullptr;
  if (p.threshold) sample["out_of_distribution"] = p.out_of_distribution(i);
}

}  // namespace

std::string predictions_json(const std::string& model, const std::vector<InputPrediction>& predictions) {
  nlohmann::ordered_json all;
  all["model"] = model;
  all["inputs"] = nlohmann::ordered_json::array();
  for (const InputPrediction& p : predictions) {
    nlohmann::ordered_json one;
    one["input"] = p.input;
    one["classes"] = p.class_name;
    if (p.of_networks()) {
      one["networks"] = p.member;
      one["threshold"] = nullptr;
      if (p.threshold) one["threshold"] = {{"entropy", p.threshold->entropy}, {"source", p.threshold->source}};
    }
    one["decisions"] = p.decision_name;
    one["samples"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < p.predicted.size(); ++i) {
      nlohmann::ordered_json sample;
      if (!p.file.empty()) sample["file"] = p.file[i];
      sample["label"] = p.class_name[p.predicted[i]];
      if (!p.label.empty() && p.label[i] >= 0) sample["truth"] = p.class_name[p.label[i]];
      sample["decision"] = row(p.decision, i, p.decision_name.size());
      if (!p.probability.empty()) sample["probability"] = row(p.probability, i, p.class_name.size());
      if (p.of_networks()) add_uncertainty(sample, p, i);
      one["samples"].push_back(sample);
    }
    one["error"] = nullptr;
    if (!p.label.empty()) one["error"] = static_cast<double>(p.wrong()) / p.compared();
    all["inputs"].push_back(one);
  }
  // Bytes of a file name that are not UTF-8 are replaced.
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace krossfold::cli
