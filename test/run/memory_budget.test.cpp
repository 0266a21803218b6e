// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/memory_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "krossfold/core/memory.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::run {
namespace {

using testing::HasSubstr;

class MemoryBudget : public ::testing::Test {
protected:
  const parallel::Communicator comm{MPI_COMM_WORLD};
  const Log log;
  std::vector<parallel::RankPlace> places;
  RunParams params;

  MemoryBound bound() const { return rank_memory({comm, log, places, params, {}, {}, {}}); }
  void place(const std::string& host, int device = -1) { places.push_back({host, 0, device, "", 0, {}}); }
};

TEST_F(MemoryBudget, knows_the_memory_of_the_machine_or_of_its_control_group) {
  struct sysinfo info {};
  ASSERT_EQ(sysinfo(&info), 0);
  double all = static_cast<double>(info.totalram) * info.mem_unit;
  if (const auto limit = group_limits().memory; limit != 0) all = std::min(all, static_cast<double>(limit));
  EXPECT_NEAR(static_cast<double>(machine_memory()), all, 0.01 * all);
}

TEST_F(MemoryBudget, of_a_rank_alone_is_nearly_all_of_its_machine) {
  place("here");
  place("there");
  EXPECT_EQ(bound().ranks, 1);
  EXPECT_EQ(bound().bytes, machine_memory() / 100 * 95);
  EXPECT_EQ(bound().why, "1 rank has the " + size_text(machine_memory()) + " of here");
}

TEST_F(MemoryBudget, is_shared_by_the_ranks_on_one_machine) {
  for (const char* host : {"here", "there", "here", "here"}) place(host);
  EXPECT_EQ(bound().ranks, 3);
  EXPECT_EQ(bound().bytes, machine_memory() / 100 * 95 / 3);
  EXPECT_THAT(bound().why, HasSubstr("3 ranks share the "));
}

TEST_F(MemoryBudget, is_that_of_the_option_where_it_is_less) {
  place("here");
  place("here");
  const std::uint64_t share = bound().bytes;
  params.memory_limit = share + 1;
  EXPECT_EQ(bound().bytes, share);
  EXPECT_THAT(bound().why, HasSubstr("of here"));
  params.memory_limit = 2048;
  EXPECT_EQ(bound().bytes, 2048u);
  EXPECT_EQ(bound().why, "--memory-limit allows 2 KiB");
  EXPECT_EQ(bound().ranks, 2);
}

TEST_F(MemoryBudget, of_ranks_on_gpus_is_what_is_free_on_the_gpu_among_those_on_it) {
  for (const auto& [host, device] : {std::pair("here", 1), {"here", 0}, {"here", 1}, {"there", 1}}) place(host, device);
  EXPECT_EQ(bound().bytes, std::numeric_limits<std::uint64_t>::max()) << "how much is free is not known";
  for (auto& place : places) place.state.free_bytes = 80ULL << 30;
  places[2].state.free_bytes = 70ULL << 30;  // another process has started since
  const MemoryBound mine = bound();
  EXPECT_EQ(mine.bytes, (70ULL << 30) / 100 * 90 / 2);
  EXPECT_EQ(mine.why, "2 ranks share the 70 GiB that are free on GPU 1 of here");
  EXPECT_EQ(mine.ranks, 3) << "on this machine";
  params.memory_limit = 1 << 20;
  EXPECT_EQ(bound().bytes, 1u << 20);
}

TEST_F(MemoryBudget, of_ranks_that_each_see_one_gpu_as_the_first_is_shared_with_none_of_them) {
  for (const char* id : {"0000:1b:00.0", "0000:43:00.0", "0000:1b:00.0"}) {
    place("here", 0);
    places.back().state = {id, 64ULL << 30};
  }
  EXPECT_EQ(bound().bytes, (64ULL << 30) / 100 * 90 / 2);
  places.pop_back();
  EXPECT_EQ(bound().bytes, (64ULL << 30) / 100 * 90);
}

}  // namespace
}  // namespace krossfold::run
