// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/device_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/provenance.hpp"

namespace krossfold::parallel {
namespace {

TEST(DeviceMap, every_rank_knows_the_places_of_all) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::vector<RankPlace> places = find_places(comm, 10 * comm.rank() - 1);
  ASSERT_EQ(places.size(), static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) {  // the tests run on one machine
    EXPECT_EQ(places[r].host, host_name());
    EXPECT_EQ(places[r].local_rank, r);
    EXPECT_EQ(places[r].device, 10 * r - 1);
    EXPECT_EQ(places[r].backend, backend_description());
  }
}

TEST(DeviceMap, ranks_of_a_machine_share_its_accelerators_in_turn) {
  const Communicator comm(MPI_COMM_WORLD);
  const int visible = visible_devices();
  EXPECT_EQ(choose_device(comm), visible == 0 ? -1 : comm.rank() % visible);
}

TEST(DeviceMap, description_has_a_line_for_each_host) {
  EXPECT_EQ(describe({{"n1", 0, -1, "Serial"}}), "n1: rank 0 on Serial");
  EXPECT_EQ(
      describe({{"n1", 0, -1, "Serial"}, {"n1", 1, -1, "Serial"}, {"n2", 0, -1, "Serial"}, {"n1", 2, -1, "Serial"}}),
      "n1: ranks 0-1,3 on Serial\nn2: rank 2 on Serial");
  EXPECT_EQ(
      describe(
          {{"a", 0, 0, "CUDA (NVIDIA H100)"}, {"a", 1, 1, "CUDA (NVIDIA H100)"}, {"a", 2, 0, "CUDA (NVIDIA H100)"}}),
      "a: ranks 0,2 on device 0, CUDA (NVIDIA H100); rank 1 on device 1, CUDA (NVIDIA H100)");
  EXPECT_EQ(describe({}), "");
}

TEST(DeviceMap, formation_counts_hosts_and_ranks) {
  const RankPlace a{"a", 0, -1, "Serial"}, b{"b", 0, -1, "Serial"};
  EXPECT_EQ(formation({a}), "1x1xSerial");
  EXPECT_EQ(formation({a, b, a, b, a, b}), "2x3xSerial");
  EXPECT_EQ(formation({a, a, a, b, b}), "3+2xSerial");
  EXPECT_EQ(formation({{"a", 0, 0, "CUDA (NVIDIA H100)"}, {"a", 1, 1, "CUDA (NVIDIA H100)"}}), "1x2xCUDA");
  EXPECT_EQ(formation({{"a", 0, -1, "OpenMP (4 threads)"}}), "1x1xOpenMP");
}

}  // namespace
}  // namespace krossfold::parallel
