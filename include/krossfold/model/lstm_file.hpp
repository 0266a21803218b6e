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
  std::vector<std::int64_t> known;  ///< digests_of() its training names
};

/// The CRC-64 of each distinct name, ascending. They tell whether a name is one of them without revealing the names.
std::vector<std::int64_t> digests_of(const std::vector<std::string>& names);

/// The content of its model file: kind "lstm-model"; attributes layers, hidden, window, dropout, alphabet; /parameter/NAME in
/// the layout of PyTorch; /known.
storage::Container to_container(LstmModel model);
/// The bytes of its model file.
std::vector<std::byte> to_file(LstmModel model);

/// The model of a file. Throws an input error that names the file, and ends with `advice`, if it holds no such model, is damaged, or has
/// another alphabet.
LstmModel lstm_from_container(const storage::Container& content, const std::string& name,
                              const std::string& advice = "Train it again.");

}  // namespace krossfold::model
