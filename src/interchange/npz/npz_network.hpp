// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/model/network_file.hpp"
#include "npz_reader.hpp"

namespace krossfold::interchange {

/// Moves a parameter to the array `path` of a model file's content and returns its shape.
std::vector<std::uint64_t> take_parameter(storage::Container& content, const std::string& path, const NpzReader& file,
                                          const std::string& array, std::size_t dimensions);

std::vector<model::NetworkModel> read_npz_networks(const NpzReader& file);

}  // namespace krossfold::interchange
