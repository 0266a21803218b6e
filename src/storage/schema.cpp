// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/schema.hpp"

#include <utility>

namespace krossfold::storage {

Array make_array(const Field& field, std::vector<std::uint64_t> shape, Values values, std::vector<std::string> scales) {
  return {field.path, std::move(shape), std::move(values), std::move(scales), field.units, field.long_name};
}

}  // namespace krossfold::storage
