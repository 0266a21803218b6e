// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "krossfold/data/scale.hpp"
#include "krossfold/input/pictures.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::model {

/// A trained network with the metadata needed for inference.
struct NetworkModel {
  nn::Architecture architecture;
  std::vector<nn::Parameter> parameters;
  data::Scale scale;
  std::vector<std::string> class_name;
  input::ImageKind image;   ///< of the training images
  int part = 0, parts = 1;  ///< the part of the weights that this is, if they were split over ranks
  std::shared_ptr<const data::TableEncoding> encoding{};  ///< null if it was not trained on a table
  int first_index = -1;                                   ///< Dataset::first_index of the training data
};

/// The content of its model file (kind "network-model"), and the bytes of that file.
storage::Container to_container(NetworkModel model);
std::vector<std::byte> to_file(NetworkModel model);

/// The network of a file. Throws an input error that names the file, and ends with `advice`, if the content is not a consistent network.
NetworkModel network_from_container(const storage::Container& content, const std::string& name,
                                    const std::string& advice = "Train it again.");

/// Joins the parts of a network, given in any order; `file` holds the names of their files. Throws an input error that names the
/// first file if a part is missing or they do not belong together.
NetworkModel join_parts(std::vector<NetworkModel> parts, const std::vector<std::string>& file);

}  // namespace krossfold::model
