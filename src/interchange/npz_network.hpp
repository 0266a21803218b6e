// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/model/network_file.hpp"
#include "npz_reader.hpp"

namespace krossfold::interchange {

std::vector<model::NetworkModel> read_npz_networks(const NpzReader& file);

}  // namespace krossfold::interchange
