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
  int part = 0,
      parts = 1;  ///< which part of the weights this is, of a network that was trained with them split over ranks
};

/// It as the content of a model file (kind "network-model"), and back.
/// Throws an input error, naming the file, if the content is not a consistent network.
storage::Container to_container(NetworkModel model);
NetworkModel network_from_container(const storage::Container& content, const std::string& name);

/// The whole network from its parts, which may come in any order; `file`: their names. Throws an input error if one is missing or they do
/// not belong together.
NetworkModel join_parts(std::vector<NetworkModel> parts, const std::vector<std::string>& file);

}  // namespace krossfold::study
