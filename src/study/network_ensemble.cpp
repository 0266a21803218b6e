// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/network_ensemble.hpp"

#include <algorithm>
#include <filesystem>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/ensemble/quartiles.hpp"
#include "krossfold/ensemble/votes.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/storage/schema.hpp"
#include "opinions.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

/// Samples that a network has room for at once.
constexpr int room = 64;

std::optional<DoubtThreshold> threshold_of(const std::string& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(model, ignored)) return std::nullopt;
  const storage::Container result = storage::read_container(model);
  if (result.attribute("kind") != "bag" || !result.has(field::ood_threshold.path)) return std::nullopt;
  if (!std::holds_alternative<std::vector<double>>(result.at(field::ood_threshold.path).values)) return std::nullopt;
  const auto& threshold = result.values<double>(field::ood_threshold.path);  // the first is that of the entropy
  if (threshold.empty()) return std::nullopt;
  const auto tests = result.attributes.find("n_test");
  const auto* count = tests == result.attributes.end() ? nullptr : std::get_if<std::int64_t>(&tests->second);
  return DoubtThreshold{threshold[0], text("95 % of the ", count == nullptr ? "" : text(*count, " "),
                                           "test samples of ", model, " have no more")};
}

}  // namespace

nn::Samples<Device> samples_of(const data::Dataset& set, const data::Scale& scale) {
  const Matrix<double> scaled = data::apply_scale(scale, set.raw);
  const Matrix<float> value(uninitialized("krossfold::study::samples"), scaled.extent(0), scaled.extent(1));
  std::transform(scaled.data(), scaled.data() + scaled.size(), value.data(),
                 [](double v) { return static_cast<float>(v); });
  // A data set without labels is asked about only.
  Vector<const int> label = set.label;
  if (!set.labelled()) label = Vector<int>("krossfold::study::no_label", set.size());
  return nn::samples_on<Device>(value, label);
}

std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples,
                                 const std::vector<int>& rows, const Poll& poll) {
  const int classes = network.architecture().classes;
  const auto row = list_on<Device>("krossfold::study::row", rows);
  std::vector<float> all;
  all.reserve(rows.size() * static_cast<std::size_t>(classes));
  const Matrix<float, Device> part("krossfold::study::probability", network.batch(), classes);
  const auto n = static_cast<std::int64_t>(rows.size());
  for (std::int64_t first = 0; first < n; first += network.batch()) {
    call(poll);
    const std::int64_t count = std::min<std::int64_t>(network.batch(), n - first);
    nn::predict<Device>(network, samples, row, first, count, part);
    fence(network.exec(), "krossfold::study::probabilities");
    const auto found = on_host(part);
    all.insert(all.end(), found.data(), found.data() + count * classes);
  }
  return all;
}

NetworkEnsemble load_ensemble(const std::vector<std::string>& files, const std::string& model) {
  NetworkEnsemble ensemble;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::string& file = files[f];
    NetworkModel found = network_from_container(storage::read_container(file), file);
    if (found.parts > 1) {  // those of one network stand together
      std::vector<NetworkModel> parts{std::move(found)};
      const std::vector<std::string> names(files.begin() + static_cast<std::ptrdiff_t>(f), files.end());
      for (; parts.size() < static_cast<std::size_t>(parts.front().parts) && f + 1 < files.size(); ++f) {
        parts.push_back(network_from_container(storage::read_container(files[f + 1]), files[f + 1]));
      }
      found = join_parts(std::move(parts), names);
    }
    ensemble.name.push_back(std::filesystem::path(file).stem().string());
    ensemble.network.push_back(std::move(found));
    const NetworkModel &one = ensemble.network.back(), &first = ensemble.network.front();
    const auto shape = [](const NetworkModel& m) {
      const data::ImageShape& image = m.architecture.image;
      return std::vector<int>{image.width, image.height, image.channels};
    };
    if (one.class_name != first.class_name || shape(one) != shape(first)) {
      throw_input_error(text(file, " and ", files.front(), " do not answer together"),
                        "they were trained on other classes or images of another size", "Name one of them.");
    }
  }
  ensemble.threshold = threshold_of(model);
  return ensemble;
}

EnsembleAnswer ask(const NetworkEnsemble& ensemble, const data::Dataset& samples) {
  const int n = samples.size(), features = ensemble.network.front().architecture.features();
  if (samples.features() != features) {
    throw_input_error(text(samples.name, " has ", samples.features(), " features"),
                      text("the networks were trained on ", features));
  }
  const std::vector<int> rows = nn::all_rows(n);
  EnsembleAnswer answer;
  answer.members = static_cast<int>(ensemble.network.size());
  answer.classes = static_cast<int>(ensemble.network.front().class_name.size());
  for (const NetworkModel& model : ensemble.network) {
    nn::Network<Device> network(Device(), model.architecture, room);
    network.set_parameters(model.parameters);
    const auto own = probabilities(network, samples_of(samples, model.scale), rows, {});
    answer.member_probability.insert(answer.member_probability.end(), own.begin(), own.end());
  }
  const Host host;
  const auto all = cube_of(answer.member_probability, answer.members, n, answer.classes);
  const std::vector<int> models = ensemble::finite_models<Host>(host, all);
  if (models.size() != ensemble.network.size()) {
    throw_run_error(text("a network has no answer to ", samples.name), "its probabilities are not finite");
  }
  const Opinions opinions = opinions_of(all, models);
  const Matrix<int> votes("krossfold::study::votes", n, answer.classes);
  const Vector<int> vote("krossfold::study::vote", n);
  const Cube<double> quartile("krossfold::study::quartile", ensemble::quartile_count, n, answer.classes);
  ensemble::count_votes(host, votes, opinions.members);
  ensemble::majority_vote<Host>(host, vote, votes, opinions.mean);
  ensemble::quartiles(host, quartile, opinions.members);
  answer.vote = list_of<int>(vote);
  answer.votes = list_of<int>(votes);
  answer.mean = list_of<double>(opinions.mean);
  answer.quartile = list_of<double>(quartile);
  answer.entropy = list_of<double>(opinions.uncertainty.predictive_entropy);
  answer.mutual_information = list_of<double>(opinions.uncertainty.mutual_information);
  answer.confidence = list_of<double>(opinions.uncertainty.confidence);
  return answer;
}

}  // namespace krossfold::study
