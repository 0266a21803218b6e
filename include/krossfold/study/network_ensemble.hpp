// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/study/network_model.hpp"

namespace krossfold::study {

/// A data set on the device, scaled; samples without labels get class 0.
nn::Samples<Device> samples_of(const data::Dataset& set, const data::Scale& scale);

/// Probabilities of the classes of samples `rows`, (sample, class), on the host. Polls between parts of them.
std::vector<float> probabilities(nn::Network<Device>& network, const nn::Samples<Device>& samples,
                                 const std::vector<int>& rows, const Poll& poll);

/// Where doubt begins: an entropy of the mean probability, in nats, and who says so.
struct DoubtThreshold {
  double entropy = 0;
  std::string source;
};

/// Networks that answer together.
struct NetworkEnsemble {
  std::vector<std::string> name;  ///< (network): its file's
  std::vector<NetworkModel> network;
  std::optional<DoubtThreshold> threshold;
};

/// Reads networks; `model`, if it is the result file that they belong to, says where doubt begins.
/// Throws an input error if a file is no usable network, or they were not trained on the same classes and kind of images.
NetworkEnsemble load_ensemble(const std::vector<std::string>& files, const std::string& model);

/// What an ensemble says of samples.
struct EnsembleAnswer {
  int members = 0, classes = 0;
  std::vector<float> member_probability;                        ///< (network, sample, class)
  std::vector<int> vote;                                        ///< (sample): class
  std::vector<int> votes;                                       ///< (sample, class)
  std::vector<double> mean;                                     ///< (sample, class)
  std::vector<double> quartile;                                 ///< (least, three quartiles, greatest; sample, class)
  std::vector<double> entropy, mutual_information, confidence;  ///< (sample), see ensemble/uncertainty.hpp
};

/// Throws an input error if the samples have another number of features, and a run error if a network answers with what is no
/// number.
EnsembleAnswer ask(const NetworkEnsemble& ensemble, const data::Dataset& samples);

}  // namespace krossfold::study
