// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/kokkos_compat.hpp"

#include "krossfold/core/text.hpp"

namespace krossfold {

std::string kokkos_version() {
  return text(KOKKOS_VERSION / 10000, '.', KOKKOS_VERSION / 100 % 100, '.', KOKKOS_VERSION % 100);
}

}  // namespace krossfold
