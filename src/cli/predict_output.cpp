// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <iterator>
#include <utility>

#include "commands.hpp"
#include "krossfold/core/printable.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/unit_table.hpp"
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

/// The datasets of one input, within its group.
struct PredictionSchema : run::ResultSchema {
  Whole sample = add_index("/sample", "number of the sample in its input, from 0");
  Name class_name = name("/class_name", "class_name", "names of the classes");
  Name decision_name = name("/decision_name", "decision_name", "what decision values speak for");
  Name network = name("/network", "network", "networks of the ensemble");
  Name quartile_name = name("/quartile_name", "quartile_name", "names of the rows of quartile");
  Whole prediction = whole("/prediction", "sample", "predicted class index");
  Real decision = real("/decision", "sample decision_name", "decision value by sample and problem");
  Real probability = real("/probability", "sample class_name", "probability by sample and class");
  Name file = name("/file", "sample", "picture that the sample was read from");
  Whole label = whole("/label", "sample", "true class index; -1 if it is missing or unknown to the model");
  storage::Field<float> member_probability =
      add<float>("/member_probability", "network sample class_name", "1", "probability by network, sample and class");
  Whole votes = whole("/votes", "sample class_name", "networks that hold the class most probable");
  Real quartile = real("/quartile", "quartile_name sample class_name",
                       "least, quartiles and greatest of the networks' probabilities");
  Real entropy = real("/entropy", "sample", "entropy of the mean probability, in nats");
  Real mutual_information = real("/mutual_information", "sample", "disagreement of the networks, in nats");
  Whole out_of_distribution = whole("/out_of_distribution", "sample", "1 if the entropy is above the threshold");
};

/// Adds the datasets of one input to the group `group`.
void add_datasets(storage::Container& content, const std::string& group, const InputPrediction& p) {
  const PredictionSchema field;
  const storage::FieldWriter file(content, group);
  const std::size_t n = p.predicted.size();
  file.put_index(field.sample, n);
  file.put(field.class_name, p.class_name);
  file.put(field.prediction, p.predicted);
  if (!p.decision_name.empty()) {
    file.put(field.decision_name, p.decision_name);
    file.put(field.decision, p.decision);
  }
  if (!p.probability.empty()) file.put(field.probability, p.probability);
  if (!p.file.empty()) file.put(field.file, p.file);
  if (!p.label.empty()) file.put(field.label, p.label);
  if (!p.of_networks()) return;
  file.put(field.network, p.member);
  file.put(field.quartile_name, {std::begin(quartile_names), std::end(quartile_names)});
  file.put(field.member_probability, p.member_probability);
  file.put(field.votes, p.votes);
  file.put(field.quartile, p.quartile);
  file.put(field.entropy, p.entropy);
  file.put(field.mutual_information, p.mutual_information);
  if (!p.threshold) return;
  content.attributes["threshold"] = p.threshold->entropy;
  content.attributes["threshold_source"] = p.threshold->source;
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(p.out_of_distribution(i) ? 1 : 0);
  file.put(field.out_of_distribution, std::move(out));
}

void write_hdf5(const PredictParams& params, const std::string& target, const std::string& request,
                const std::vector<InputPrediction>& predictions) {
  storage::Container content;
  content.attributes["kind"] = std::string("prediction");
  content.attributes["model"] = params.model;
  content.attributes["request"] = request;
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    content.attributes[text("input_", k)] = predictions[k].input;
    add_datasets(content, text("/input_", k), predictions[k]);
  }
  storage::write_container(target, content);
}

}  // namespace

void print_predictions(const PredictParams& params, const std::string& target, const std::string& model,
                       const std::string& request, const std::vector<InputPrediction>& predictions) {
  if (!params.output.empty()) {
    write_hdf5(params, target, request, predictions);
  } else if (params.format == "json") {
    std::cout << predictions_json(model, predictions);
  } else if (params.format == "csv") {
    print_csv(predictions);
  } else {
    print_text(predictions);
  }
}

}  // namespace krossfold::cli
