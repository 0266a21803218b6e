// SPDX-License-Identifier: BSD-3-Clause
#include "healthy.hpp"

namespace krossfold::doctor {
namespace {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

TEST(MachineChecks, find_nothing_in_a_healthy_set_up) {
  expect_ok_when_healthy({check_shared_memory, check_memory, check_limits, check_environment});
}

TEST(MachineChecks, want_shared_memory_only_where_ranks_share_a_host_without_gpus) {
  Ranks ranks = healthy_ranks();
  for (const int r : {2, 3}) ranks[static_cast<std::size_t>(r)].shared_memory = 64 * MiB;
  expect(check_shared_memory(ranks), Verdict::slow, "node2: 64 MiB free in /dev/shm, for the distances of 3973 samples",
         "--shm-size");
  expect(check_shared_memory({ranks[0], ranks[2]}), Verdict::ok, "not needed by one rank a host");
  Ranks gpus = gpu_ranks();
  for (RankFacts& rank : gpus) rank.shared_memory = 0;
  expect(check_shared_memory(gpus), Verdict::ok, "not needed on GPUs");
}

TEST(MachineChecks, say_what_becomes_of_messages_without_shared_memory) {
  Ranks ranks = healthy_ranks({"node1"});
  ranks[0].shared_memory = ranks[1].shared_memory = 0;
  expect(check_shared_memory(ranks), Verdict::slow, "0 B free", "messages between the ranks of a host");
}

TEST(MachineChecks, compare_free_memory_with_what_the_program_counts_on) {
  Ranks ranks = healthy_ranks();
  for (const int r : {2, 3}) ranks[static_cast<std::size_t>(r)].free_memory = 10 * GiB;
  // 0.9 of 10 GiB in two shares.
  expect(check_memory(ranks), Verdict::slow, "node2: 10 GiB free of 64 GiB", "--memory-limit 4608M");
  for (const int r : {2, 3}) ranks[static_cast<std::size_t>(r)].free_memory = 100 * MiB;
  expect(check_memory(ranks), Verdict::wrong, "node2: 100 MiB free", "killed");
}

TEST(MachineChecks, name_the_limit_of_the_control_group) {
  Ranks ranks = healthy_ranks({"node1"});
  for (RankFacts& rank : ranks) {
    rank.memory = rank.group_memory = 4 * GiB;
    rank.free_memory = 3 * GiB;
  }
  expect(check_memory(ranks), Verdict::ok, "3 GiB free of 4 GiB, the limit of its control group");
}

TEST(MachineChecks, call_few_open_files_and_little_address_space_slow) {
  Ranks ranks = healthy_ranks();
  ranks[3].open_files = 256;
  expect(check_limits(ranks), Verdict::slow, "rank 3 on node2: 256 open files", "ulimit -n 4096");
  ranks = healthy_ranks();
  ranks[0].address_space = 8 * GiB;
  expect(check_limits(ranks), Verdict::slow, "of address space", "ulimit -v");
  ranks[0].address_space = 0;
  ranks[0].open_files = 0;
  expect(check_limits(ranks), Verdict::ok, "unlimited open files");
}

TEST(MachineChecks, name_variables_that_hurt) {
  for (const char* setting :
       {"CUDA_LAUNCH_BLOCKING=1", "KOKKOS_TOOLS_LIBS=/x/kp_timer.so", "MALLOC_CHECK_=3", "HDF5_DISABLE_VERSION_CHECK=1",
        "OMPI_MCA_btl=self,tcp", "OMPI_MCA_btl=^vader", "OMPI_MCA_btl=smcuda,tcp"}) {
    Ranks ranks = healthy_ranks();
    for (RankFacts& rank : ranks) rank.settings = {setting};
    const std::string name = std::string(setting).substr(0, std::string(setting).find('='));
    expect(check_environment(ranks), Verdict::slow, setting, "Unset " + name + ".");
  }
}

TEST(MachineChecks, leave_variables_alone_that_do_not_hurt) {
  for (const char* setting :
       {"CUDA_LAUNCH_BLOCKING=0", "OMPI_MCA_btl=self,vader,tcp", "OMPI_MCA_btl=^openib", "OMPI_MCA_btl=^smcuda",
        "OMP_NUM_THREADS=64", "MALLOC_CHECK_=0", "HDF5_DISABLE_VERSION_CHECK=0"}) {
    Ranks ranks = healthy_ranks();
    for (RankFacts& rank : ranks) rank.settings = {setting};
    expect(check_environment(ranks), Verdict::ok, "no variable");
  }
}

TEST(MachineChecks, count_the_threads_of_all_ranks_of_a_host_where_threads_are_used) {
  Ranks ranks = healthy_ranks({"node1"});
  for (RankFacts& rank : ranks) {
    rank.processors = {0, 1, 2, 3};
    rank.settings = {"OMP_NUM_THREADS=4"};
    rank.concurrency = 4;
  }
  expect(check_environment(ranks), Verdict::slow, "OMP_NUM_THREADS=4: the ranks of a host have more threads", "Unset");
  for (RankFacts& rank : ranks) rank.settings = {"OMP_NUM_THREADS=2"};
  expect(check_environment(ranks), Verdict::ok, "no variable");
}

}  // namespace
}  // namespace krossfold::doctor
