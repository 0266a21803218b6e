// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/pictures.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::study {

/// A trained network with what it takes to ask it.
struct NetworkModel {
  nn::Architecture architecture;
  std::vector<nn::Parameter> parameters;
  data::Scale scale;
  std::vector<std::string> class_name;
  data::ImageKind image;  ///< of the training images
};

/// It as the content of a model file (kind "network-model"), and back.
/// Throws an input error, naming the file, if the content is not a consistent network.
storage::Container to_container(NetworkModel model);
NetworkModel network_from_container(const storage::Container& content, const std::string& name);

}  // namespace krossfold::study
