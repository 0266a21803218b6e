// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::study {

/// What a model file holds of a character model.
struct LstmModel {
  nn::LstmArchitecture architecture;
  std::vector<nn::Parameter> parameters;
  std::vector<std::int64_t> known;  ///< digests_of() the training names
};

/// CRC-64 of each different name, ascending: enough to tell whether a name is one of them, without giving them away.
std::vector<std::int64_t> digests_of(const std::vector<std::string>& names);

/// kind "lstm-model"; attributes layers, hidden, window, dropout, alphabet; /parameter/NAME as PyTorch orders it; /known.
storage::Container to_container(LstmModel model);

/// Throws an input error that names the file if it is no such model, damaged, or of another alphabet.
LstmModel lstm_from_container(const storage::Container& content, const std::string& name);

}  // namespace krossfold::study
