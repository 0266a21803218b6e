// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/view.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace {

using namespace krossfold;

/// All of a padded matrix, with what lies between its rows.
template <class Exec>
std::vector<float> whole_of(const Matrix<float, Exec>& matrix) {
  const Kokkos::View<const float*, Kokkos::LayoutRight, typename Exec::memory_space, Kokkos::MemoryUnmanaged> all(
      matrix.data(), matrix.extent(0) * matrix.stride(0));
  return list_of(on_host(all));
}

/// Memory that was given back is taken again: what it holds then is not 0.
template <class Exec>
void leave_infinities_behind(int size) {
  for (int k = 0; k < 4; ++k)
    Kokkos::deep_copy(Vector<float, Exec>(uninitialized("krossfold::test::left"), size),
                      std::numeric_limits<float>::infinity());
}

TEST(PaddedMatrix, has_nothing_but_zeros_between_its_rows_on_a_device) {
  if (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device::memory_space>::accessible)
    GTEST_SKIP() << "the memory is a host's";
  for (const int columns : {1, 2, 15, 16, 17, 100}) {
    leave_infinities_behind<Device>(3 * padded<float>(columns));
    const auto matrix = padded_matrix<float, Device>("krossfold::test::matrix", 3, columns);
    const std::vector<float> all = whole_of<Device>(matrix);
    for (int i = 0; i < 3; ++i) {
      for (int k = columns; k < padded<float>(columns); ++k)
        EXPECT_EQ(all[i * matrix.stride(0) + k], 0) << i << ", " << k;
    }
  }
}

TEST(PaddedMatrix, is_copied_to_the_host_and_back_without_its_padding) {
  const auto matrix = padded_matrix<float, Device>("krossfold::test::matrix", 3, 5);
  const Matrix<float> host("krossfold::test::host", 3, 5);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 5; ++k) host(i, k) = static_cast<float>(10 * i + k);
  }
  copy_into(matrix, host);
  const auto back = on_host(matrix);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 5; ++k) EXPECT_EQ(back(i, k), host(i, k));
  }
  const auto again = on_host(
      on_device<Device>(Matrix<float>(Kokkos::subview(host, Kokkos::make_pair(0, 3), Kokkos::make_pair(1, 4)))));
  EXPECT_EQ(again(2, 0), 21);
}

TEST(PaddedMatrix, of_no_rows_or_columns_is_empty) {
  EXPECT_EQ((padded_matrix<float, Device>("krossfold::test::none", 0, 5).extent(0)), 0u);
  EXPECT_EQ((padded_matrix<double, Device>("krossfold::test::none", 3, 0).extent(1)), 0u);
}

}  // namespace
