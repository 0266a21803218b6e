// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::model {

/// A trained character model with the metadata needed for sampling.
struct LstmModel {
  nn::LstmArchitecture architecture;
  std::vector<nn::Parameter> parameters;
  std::vector<std::int64_t> known;  ///< digests_of() the training names
};

/// The CRC-64 of each different name, ascending: they tell whether a name is one of them without revealing the names.
std::vector<std::int64_t> digests_of(const std::vector<std::string>& names);

/// kind "lstm-model"; attributes layers, hidden, window, dropout, alphabet; /parameter/NAME as PyTorch orders it; /known.
storage::Container to_container(LstmModel model);
/// The same as the bytes of the file.
std::vector<std::byte> to_file(LstmModel model);

/// Throws an input error that names the file if it is not such a model, is damaged, or has another alphabet.
LstmModel lstm_from_container(const storage::Container& content, const std::string& name);

}  // namespace krossfold::model
