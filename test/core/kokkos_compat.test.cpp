// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/kokkos_compat.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <sstream>
#include <stdexcept>

#include "krossfold/core/error.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold {
namespace {

TEST(KokkosCompat, version_gives_back_the_macro) {
  const std::string version = kokkos_version();
  std::istringstream in(version);
  int major = -1, minor = -1, patch = -1;
  char dot = 0, second_dot = 0;
  ASSERT_TRUE(in >> major >> dot >> minor >> second_dot >> patch) << version;
  EXPECT_EQ(dot, '.');
  EXPECT_EQ(second_dot, '.');
  EXPECT_TRUE(in.eof()) << version;
  EXPECT_EQ(major * 10000 + minor * 100 + patch, KOKKOS_VERSION);
}

TEST(KokkosCompat, the_description_names_the_backend) {
  std::string name = std::string(Device::name()).substr(0, 4);
  if (name == "Cuda") name = "CUDA";
  EXPECT_EQ(backend_description().rfind(name, 0), 0u) << backend_description();
}

TEST(KokkosCompat, a_device_backend_sees_a_device_and_a_host_backend_none) {
  EXPECT_EQ(visible_devices() > 0, !cpu_backend());
}

TEST(KokkosCompat, rows_padded_to_64_bytes_hold_at_least_the_columns_and_waste_less_than_a_line) {
  for (int columns = 0; columns < 100; ++columns) {
    ASSERT_GE(padded<float>(columns), columns);
    ASSERT_LT(padded<float>(columns), columns + 16);
    ASSERT_EQ(padded<float>(columns) % 16, 0);
    ASSERT_EQ(padded<double>(columns) % 8, 0);
    ASSERT_LT(padded<double>(columns), columns + 8);
  }
}

TEST(OutOfMemory, view_that_does_not_fit_is_told_from_other_errors) {
  try {
    const Vector<double, Device> view("krossfold::test::huge", std::size_t{1} << 52);
    FAIL() << "32 PiB were there";
  } catch (const std::exception& error) {
    EXPECT_TRUE(out_of_memory(error)) << error.what();
  }
  EXPECT_TRUE(out_of_memory(std::bad_alloc()));
  EXPECT_FALSE(out_of_memory(std::runtime_error("the loss is not finite")));
}

}  // namespace
}  // namespace krossfold
