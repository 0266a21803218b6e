// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "commands.hpp"

namespace krossfold::cli {

namespace {

/// What networks say together of sample i.
void add_doubt(nlohmann::ordered_json& sample, const Prediction& p, std::size_t i) {
  const std::size_t classes = p.class_name.size(), cells = p.predicted.size() * classes;
  const auto row = [&](const auto& all, std::size_t first) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(first),
                       all.begin() + static_cast<std::ptrdiff_t>(first + classes));
  };
  sample["votes"] = row(p.doubt.votes, i * classes);
  for (std::size_t q = 0; q < 5; ++q)
    sample["quartiles"][quartile_names[q]] = row(p.doubt.quartile, q * cells + i * classes);
  sample["entropy"] = p.doubt.entropy[i];
  sample["mutual_information"] = p.doubt.mutual_information[i];
  sample["out_of_distribution"] = nullptr;
  if (p.doubt.has_threshold) sample["out_of_distribution"] = p.doubt.strange(i);
}

}  // namespace

std::string predictions_json(const std::string& model, const std::vector<Prediction>& predictions) {
  nlohmann::ordered_json all;
  all["model"] = model;
  all["inputs"] = nlohmann::ordered_json::array();
  for (const Prediction& p : predictions) {
    nlohmann::ordered_json one;
    one["input"] = p.input;
    one["classes"] = p.class_name;
    if (p.doubt.members > 0) {
      one["networks"] = p.doubt.member_name;
      one["threshold"] = nullptr;
      if (p.doubt.has_threshold) {
        one["threshold"] = {{"entropy", p.doubt.threshold}, {"source", p.doubt.threshold_source}};
      }
    }
    one["decisions"] = p.decision_name;
    one["samples"] = nlohmann::ordered_json::array();
    const std::size_t width = p.decision_name.size();
    int wrong = 0;
    for (std::size_t i = 0; i < p.predicted.size(); ++i) {
      nlohmann::ordered_json sample;
      if (!p.file.empty()) sample["file"] = p.file[i];
      sample["label"] = p.class_name[p.predicted[i]];
      if (!p.label.empty()) {
        sample["truth"] = p.class_name[p.label[i]];
        wrong += p.label[i] != p.predicted[i] ? 1 : 0;
      }
      sample["decision"] = std::vector<double>(p.decision.begin() + static_cast<std::ptrdiff_t>(i * width),
                                               p.decision.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
      if (!p.probability.empty()) {
        const auto first = p.probability.begin() + static_cast<std::ptrdiff_t>(i * p.class_name.size());
        sample["probability"] = std::vector<double>(first, first + static_cast<std::ptrdiff_t>(p.class_name.size()));
      }
      if (p.doubt.members > 0) add_doubt(sample, p, i);
      one["samples"].push_back(sample);
    }
    one["error"] = nullptr;
    if (!p.label.empty()) one["error"] = static_cast<double>(wrong) / static_cast<double>(p.label.size());
    all["inputs"].push_back(one);
  }
  return all.dump(2) + "\n";
}

}  // namespace krossfold::cli
