// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krossfold/core/kokkos_compat.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  krossfold::KokkosRuntime kokkos;
  return RUN_ALL_TESTS();
}
