// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "krossfold/model/lstm_file.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/model/prediction.hpp"
#include "krossfold/svm/machine.hpp"
#include "krossfold/svm/partitioned_machine.hpp"

namespace krossfold::model {

/// Networks that predict together, with the file of each (the first one if its weights were split); a single network is an
/// ensemble of one.
struct Networks {
  std::vector<NetworkModel> network;
  std::vector<std::string> file;
  std::optional<OodThreshold> threshold;  ///< of the result file of an ensemble
};

/// Throws an input error that names two files unless all networks were trained on the same classes, kind of images and columns of tables.
void check_together(const std::vector<NetworkModel>& network, const std::vector<std::string>& file);

using Model = std::variant<svm::Machine, svm::PartitionedMachine, Networks, LstmModel>;

struct LoadedModel {
  Model model;
  std::vector<std::string> files;  ///< all that it was loaded from
};

/// The model that the path `model` denotes (see find_models()); split weights are joined. Throws an input error that names the file
/// if it is missing, damaged, or holds no model.
LoadedModel load_model(const std::string& model);

}  // namespace krossfold::model
