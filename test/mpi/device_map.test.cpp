// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/device_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krossfold/core/error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/provenance.hpp"

namespace krossfold::parallel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(DeviceMap, every_rank_knows_the_places_of_all) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::vector<RankPlace> places = find_places(comm, 10 * comm.rank() - 1, comm.rank() + 3);
  ASSERT_EQ(places.size(), static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) {  // all test ranks are on one machine
    EXPECT_EQ(places[r].host, host_name());
    EXPECT_EQ(places[r].local_rank, r);
    EXPECT_EQ(places[r].device, 10 * r - 1);
    EXPECT_EQ(places[r].backend, backend_description());
    EXPECT_EQ(places[r].devices, r + 3);
  }
}

TEST(DeviceMap, ranks_of_a_machine_share_its_accelerators_in_turn) {
  const Communicator comm(MPI_COMM_WORLD);
  const int visible = visible_devices();
  EXPECT_EQ(choose_device(comm, find_devices(comm)), visible == 0 ? -1 : comm.rank() % visible);
  EXPECT_EQ(choose_device(comm, {4, 7}), comm.rank() % 2 == 0 ? 4 : 7);
}

TEST(DeviceMap, accelerators_are_those_asked_for_or_all) {
  EXPECT_THAT(usable_devices({}, 4, false), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(usable_devices(std::vector<int>{}, 3, false), ElementsAre(0, 1, 2));
  EXPECT_THAT(usable_devices(std::vector{3, 0}, 4, false), ElementsAre(3, 0));
  EXPECT_THAT(usable_devices({}, 0, true), IsEmpty());
}

TEST(DeviceMap, ranks_take_the_accelerators_asked_for_in_turn) {
  const std::vector<int> usable = {3, 0, 2};
  std::vector<int> taken;
  for (int rank = 0; rank < 7; ++rank) taken.push_back(device_of(rank, usable));
  EXPECT_THAT(taken, ElementsAre(3, 0, 2, 3, 0, 2, 3));
  EXPECT_EQ(device_of(5, {}), -1);
}

TEST(DeviceMap, accelerator_that_is_not_there_is_refused_with_those_there) {
  const auto refusal = [](const DeviceWish& wish, int visible, bool cpu, const std::string& reason = {}) {
    try {
      usable_devices(wish, visible, cpu, reason);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(refusal(std::vector{0, 4}, 4, false), AllOf(HasSubstr("gpu names device 4"), HasSubstr("has 0-3")));
  EXPECT_THAT(refusal(std::vector{1}, 1, false), AllOf(HasSubstr("gpu names device 1"), HasSubstr("has 0)")));
  EXPECT_THAT(refusal(std::vector{-1}, 1, false), HasSubstr("device -1"));
  EXPECT_THAT(refusal(std::vector{0}, 0, false), HasSubstr("no GPU was found"));
  EXPECT_THAT(refusal({}, 0, false), AllOf(HasSubstr("no GPU was found"), HasSubstr("report and plan need none")));
  EXPECT_THAT(refusal({}, 0, false, "CUDA driver version is insufficient for CUDA runtime version"),
              AllOf(HasSubstr("no GPU was found"), HasSubstr("driver version is insufficient")));
  EXPECT_THAT(refusal(std::vector<int>{}, 0, true), AllOf(HasSubstr("without GPU support"), HasSubstr("preset")));
  EXPECT_EQ(refusal({}, 0, true), "nothing");
}

TEST(DeviceMap, idle_accelerators_are_told_with_the_lines_that_use_them) {
  const auto on = [](const std::string& host, int devices) {
    return RankPlace{host, 0, 0, "CUDA (NVIDIA H100)", devices};
  };
  const std::string run = "krossfold svm -o r.h5";
  EXPECT_EQ(idle_devices({on("a", 4)}, run),
            "idle GPUs: 3 of 4 on a (a rank uses one). To use all:\n"
            "  mpirun -n 4 krossfold svm -o r.h5\n"
            "  srun --mpi=pmix --ntasks-per-node=4 --gpus-per-node=4 krossfold svm -o r.h5");
  EXPECT_EQ(idle_devices({on("a", 2), on("a", 2), on("b", 2)}, run),
            "idle GPUs: 1 of 2 on b (a rank uses one). To use all:\n"
            "  mpirun -n 4 --map-by ppr:2:node krossfold svm -o r.h5\n"
            "  srun --mpi=pmix --ntasks-per-node=2 --gpus-per-node=2 krossfold svm -o r.h5");
  EXPECT_THAT(idle_devices({on("a", 4), on("b", 1)}, run), HasSubstr("mpirun -n 5 krossfold"));
  EXPECT_EQ(idle_devices({on("a", 1)}, run), "");
  EXPECT_EQ(idle_devices({on("a", 2), on("a", 2), on("a", 2)}, run), "");  // ranks share GPUs
  EXPECT_EQ(idle_devices({{"a", 0, -1, "Serial"}}, run), "");
  EXPECT_EQ(idle_devices({}, run), "");
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
