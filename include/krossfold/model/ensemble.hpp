// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/data/class_weight.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/ensemble/members.hpp"
#include "krossfold/ensemble/uncertainty.hpp"
#include "krossfold/nn/network.hpp"

namespace krossfold::model {

/// Copies a data set to the device, scaled; samples without labels get class 0.
nn::Samples<Device> samples_of(const data::Dataset& set, const data::Scale& scale);
/// The same to train on, with the weights of the samples times those of their classes, whose mean is 1.
nn::Samples<Device> training_samples_of(const data::Dataset& set, const data::Scale& scale,
                                        const data::ClassWeights& classes);
/// The bytes that such a copy takes.
std::uint64_t samples_bytes(const data::Dataset& set);

/// The class probabilities (sample, class) of the samples `rows`, or of all samples, on the host. Polls between batches.
std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples,
                                 const std::vector<int>& rows, const Poll& poll);
std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples, const Poll& poll);

/// The joint prediction of the networks of an ensemble for a set of samples.
struct EnsemblePrediction {
  ensemble::Members<Host> members;
  Matrix<double> mean;  ///< (sample, class): mean probability
  Matrix<int> votes;    ///< (sample, class): networks for which the class is the most probable
  Vector<int> vote;     ///< (sample): class with the most votes
  ensemble::Uncertainty<Host> uncertainty;
};

/// Combines the probabilities (network, sample, class) of the given networks, which must be finite (see
/// ensemble::finite_models()). Throws a run error if no network is given.
EnsemblePrediction predict_ensemble(const Cube<const float>& probability, const std::vector<int>& networks);

/// Copies values (network, sample, class) into a view.
Cube<const float> cube_of(const std::vector<float>& values, int networks, int samples, int classes);

}  // namespace krossfold::model
