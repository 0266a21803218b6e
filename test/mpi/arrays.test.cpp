// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/arrays.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "krossfold/core/error.hpp"

namespace krossfold::parallel {
namespace {

/// Numbers that differ between the ranks.
Vector<float, Device> own_numbers(const Communicator& comm, int length) {
  const Vector<float, Device> all("krossfold::test::numbers", length);
  const auto host = host_mirror(all);
  for (int k = 0; k < length; ++k) host(k) = static_cast<float>(1000 * comm.rank() + k);
  Kokkos::deep_copy(all, host);
  return all;
}

TEST(Arrays, broadcast_gives_all_ranks_the_numbers_of_the_root) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto numbers = own_numbers(comm, 77);
  broadcast<Device>(comm, numbers);
  const auto found = on_host(numbers);
  for (int k = 0; k < 77; ++k) EXPECT_EQ(found(k), static_cast<float>(k));
}

TEST(Arrays, all_gather_takes_each_part_from_its_rank) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<std::int64_t> begin{0};
  for (int r = 0; r < comm.size(); ++r) begin.push_back(begin.back() + 3 * r);  // the root has no part
  const auto numbers = own_numbers(comm, static_cast<int>(begin.back()));
  all_gather<Device>(comm, numbers, begin);
  const auto found = on_host(numbers);
  for (int r = 0; r < comm.size(); ++r) {
    for (std::int64_t k = begin[r]; k < begin[r + 1]; ++k) EXPECT_EQ(found(k), static_cast<float>(1000 * r + k));
  }
  begin.back() = std::int64_t{1} << 31;
  EXPECT_THROW(all_gather<Device>(comm, numbers, begin), Error);
}

TEST(Arrays, all_sum_adds_up_the_ranks) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<double> numbers{1, 0.5 * comm.rank()};
  all_sum(comm, numbers);
  EXPECT_EQ(numbers, (std::vector<double>{1.0 * comm.size(), comm.size() * (comm.size() - 1) / 4.0}));
}

}  // namespace
}  // namespace krossfold::parallel
