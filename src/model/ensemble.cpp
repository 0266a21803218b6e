// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/ensemble.hpp"

#include <algorithm>

#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/ensemble/mean_probability.hpp"
#include "krossfold/ensemble/votes.hpp"
#include "krossfold/nn/rows.hpp"

namespace krossfold::model {

nn::Samples<Device> samples_of(const data::Dataset& set, const data::Scale& scale) {
  const auto value = data::apply_scale<float>(scale, data::dense_values(set, "a network", data::most_dense_bytes));
  Vector<const int> label = set.label;
  if (!set.labelled()) label = Vector<int>("krossfold::model::no_label", set.size());
  return nn::samples_on<Device>(value, label);
}

std::uint64_t samples_bytes(const data::Dataset& set) {
  const auto samples = static_cast<std::uint64_t>(set.size()), features = static_cast<std::uint64_t>(set.features());
  return samples * (features * sizeof(float) + sizeof(double));
}

nn::Samples<Device> training_samples_of(const data::Dataset& set, const data::Scale& scale,
                                        const data::ClassWeights& classes) {
  nn::Samples<Device> samples = samples_of(set, scale);
  const std::vector<int> none_out(static_cast<std::size_t>(set.size()), 0);
  samples.weight = on_device<Device>(data::with_mean_one(data::training_weights(set, classes, none_out)));
  return samples;
}

std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples,
                                 const std::vector<int>& rows, const Poll& poll) {
  const int classes = network.architecture().classes;
  const auto row = list_on<Device>("krossfold::model::row", rows);
  std::vector<float> all;
  all.reserve(rows.size() * static_cast<std::size_t>(classes));
  const Matrix<float, Device> part("krossfold::model::probability", network.batch(), classes);
  const auto n = static_cast<std::int64_t>(rows.size());
  for (std::int64_t first = 0; first < n; first += network.batch()) {
    call(poll);
    const std::int64_t count = std::min<std::int64_t>(network.batch(), n - first);
    nn::predict<Device>(network, samples, row, first, count, part);
    fence(network.exec(), "krossfold::model::probabilities");
    const auto found = on_host(part);
    all.insert(all.end(), found.data(), found.data() + count * classes);
  }
  return all;
}

std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples, const Poll& poll) {
  return probabilities(network, samples, nn::all_rows(samples.size()), poll);
}

Cube<const float> cube_of(const std::vector<float>& values, int networks, int samples, int classes) {
  const Cube<float> cube(uninitialized("krossfold::model::probability"), networks, samples, classes);
  std::copy(values.begin(), values.end(), cube.data());
  return cube;
}

EnsemblePrediction predict_ensemble(const Cube<const float>& probability, const std::vector<int>& networks) {
  const Host host;
  EnsemblePrediction prediction;
  prediction.members = ensemble::members<Host>(probability, networks);
  const int samples = prediction.members.samples(), classes = prediction.members.classes();
  prediction.mean = Matrix<double>("krossfold::model::mean", samples, classes);
  prediction.votes = Matrix<int>("krossfold::model::votes", samples, classes);
  prediction.vote = Vector<int>("krossfold::model::vote", samples);
  prediction.uncertainty = ensemble::make_uncertainty<Host>(samples);
  ensemble::mean_probability(host, prediction.mean, prediction.members);
  ensemble::count_votes(host, prediction.votes, prediction.members);
  ensemble::majority_vote<Host>(host, prediction.vote, prediction.votes, prediction.mean);
  ensemble::measure_uncertainty<Host>(host, prediction.uncertainty, prediction.members, prediction.mean);
  return prediction;
}

}  // namespace krossfold::model
