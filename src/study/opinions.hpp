// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "krossfold/ensemble/mean_probability.hpp"
#include "krossfold/ensemble/members.hpp"
#include "krossfold/ensemble/uncertainty.hpp"

namespace krossfold::study {

template <class T, class View>
std::vector<T> list_of(const View& view) {
  return {view.data(), view.data() + view.size()};
}

/// A copy of the values (model, sample, class).
inline Cube<const float> cube_of(const std::vector<float>& values, int models, int samples, int classes) {
  const Cube<float> cube(uninitialized("krossfold::study::probability"), models, samples, classes);
  std::copy(values.begin(), values.end(), cube.data());
  return cube;
}

/// The answers of a number of models on one set of samples.
struct Opinions {
  ensemble::Members<Host> members;
  Matrix<double> mean;
  ensemble::Uncertainty<Host> uncertainty;
};

inline Opinions opinions_of(const Cube<const float>& probability, const std::vector<int>& models) {
  const Host host;
  Opinions opinions;
  opinions.members = ensemble::members<Host>(probability, models);
  const int samples = opinions.members.samples();
  opinions.mean = Matrix<double>("krossfold::study::mean", samples, opinions.members.classes());
  ensemble::mean_probability(host, opinions.mean, opinions.members);
  opinions.uncertainty = ensemble::make_uncertainty<Host>(samples);
  ensemble::measure_uncertainty<Host>(host, opinions.uncertainty, opinions.members, opinions.mean);
  return opinions;
}

}  // namespace krossfold::study
