// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krossfold/core/device_error.hpp"

namespace {

TEST(DeviceFault, is_none_where_kernels_get_what_they_are_given) {
  EXPECT_EQ(krossfold::device_fault(), "");
  EXPECT_NO_THROW(krossfold::require_working_device());
}

}  // namespace
