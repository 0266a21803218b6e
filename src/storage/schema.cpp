// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/schema.hpp"

#include <utility>

#include "krossfold/core/text.hpp"

namespace krossfold::storage {

std::string refined_path(const Field& field, int round) {
  const std::string path = field.path;
  return text("/refine/", round, path.substr(path.rfind('/')));
}

Array make_array(const Field& field, std::vector<std::uint64_t> shape, Values values, std::vector<std::string> scales) {
  return {field.path, std::move(shape), std::move(values), std::move(scales), field.units, field.long_name};
}

}  // namespace krossfold::storage
