// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/ensemble/members.hpp"
#include "krossfold/ensemble/uncertainty.hpp"
#include "krossfold/nn/network.hpp"

namespace krossfold::model {

/// A data set on the device, scaled; samples without labels get class 0.
nn::Samples<Device> samples_of(const data::Dataset& set, const data::Scale& scale);

/// The class probabilities of samples `rows`, or of all samples: (sample, class), on the host. Polls between batches.
std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples,
                                 const std::vector<int>& rows, const Poll& poll);
std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples, const Poll& poll);

/// What the networks of an ensemble predict together for a set of samples.
struct EnsemblePrediction {
  ensemble::Members<Host> members;
  Matrix<double> mean;  ///< (sample, class): mean probability
  Matrix<int> votes;    ///< (sample, class): networks that hold the class most probable
  Vector<int> vote;     ///< (sample): class with the most votes
  ensemble::Uncertainty<Host> uncertainty;
};

/// Combines the probabilities (network, sample, class) of some networks, which have to be finite (see
/// ensemble::finite_models). Throws a run error if there are none.
EnsemblePrediction predict_ensemble(const Cube<const float>& probability, const std::vector<int>& networks);

/// A copy of values (network, sample, class).
Cube<const float> cube_of(const std::vector<float>& values, int networks, int samples, int classes);

}  // namespace krossfold::model
