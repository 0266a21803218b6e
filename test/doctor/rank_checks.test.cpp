// SPDX-License-Identifier: BSD-3-Clause
#include "healthy.hpp"

namespace krossfold::doctor {
namespace {

using parallel::ThreadLevel;

TEST(RankChecks, find_nothing_in_a_healthy_set_up) {
  expect_ok_when_healthy(
      {check_launch, check_mpi, check_threads, check_kokkos, check_devices, check_gpu_aware, check_cores, check_clock});
}

TEST(RankChecks, survive_the_way_between_ranks) {
  RankFacts rank = gpu_ranks()[1];
  rank.settings = {"OMP_NUM_THREADS=4", "MALLOC_CHECK_=3"};
  rank.view = {false, false, "no"};
  rank.core_files = true;
  const RankFacts read = facts_from_bytes(to_bytes(rank));
  EXPECT_EQ(to_bytes(read), to_bytes(rank));
  EXPECT_EQ(read.settings, rank.settings);
  EXPECT_EQ(read.place.state.id, "0000:65:00.0");
  EXPECT_EQ(read.view.problem, "no");
}

TEST(RankChecks, call_a_process_that_is_alone_wrong) {
  Ranks ranks = {healthy("node1", 0)};
  ranks[0].launch_problem = "each is alone (PMI_SIZE=4) Start with srun.";
  const Finding finding = check_launch(ranks);
  expect(finding, Verdict::wrong, "each is alone (PMI_SIZE=4)", "Start with srun.");
  EXPECT_EQ(finding.found.find("srun"), std::string::npos);
}

TEST(RankChecks, call_different_mpi_libraries_wrong) {
  Ranks ranks = healthy_ranks();
  ranks[2].mpi = "Open MPI v5.0.1";
  expect(check_mpi(ranks), Verdict::wrong, "rank 2 on node2: Open MPI v5.0.1", "same MPI");
}

TEST(RankChecks, judge_the_threads_by_what_needs_them) {
  Ranks ranks = healthy_ranks();
  ranks[1].threads = ThreadLevel::serialized;
  expect(check_threads(ranks), Verdict::slow, "rank 1 on node1: MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE");
  ranks[1].threads = ThreadLevel::funneled;
  expect(check_threads(ranks), Verdict::wrong, "MPI_THREAD_FUNNELED", "thread support");
  Ranks alone = {healthy("node1", 0)};
  alone[0].threads = ThreadLevel::serialized;
  expect(check_threads(alone), Verdict::ok, "MPI_THREAD_SERIALIZED");
  alone[0].threads = ThreadLevel::single;
  expect(check_threads(alone), Verdict::wrong, "MPI_THREAD_SINGLE", "thread support");
}

TEST(RankChecks, map_ranks_to_devices_by_their_bus_ids) {
  const Finding finding = check_devices(gpu_ranks());
  expect(finding, Verdict::ok, "node1: rank 0 on device 0 at 0000:17:00.0");
  EXPECT_THAT(finding.found, testing::HasSubstr("node2: rank 2 on device 0 at 0000:17:00.0"));
}

TEST(RankChecks, say_why_a_rank_has_no_device) {
  Ranks ranks = gpu_ranks();
  ranks[2].device_problem = "no GPU was found (driver too old) Check nvidia-smi.";
  ranks[2].place.backend.clear();
  expect(check_devices(ranks), Verdict::wrong, "rank 2 on node2: no GPU was found (driver too old)", "nvidia-smi");
  expect(check_kokkos(ranks), Verdict::wrong, "rank 2 on node2: not started", "devices");
}

TEST(RankChecks, call_shared_and_idle_devices_slow) {
  Ranks ranks = gpu_ranks();
  ranks[3].place.device = 0;
  ranks[3].place.state.id = ranks[2].place.state.id;
  expect(check_devices(ranks), Verdict::slow, "node2: ranks 2-3 on device 0",
         "Ranks 2 and 3 share a GPU and take turns");
  for (const int r : {2, 3}) ranks[static_cast<std::size_t>(r)].mps = true;
  for (RankFacts& rank : ranks) rank.place.devices = 1;
  expect(check_devices(ranks), Verdict::ok, "node2: ranks 2-3 on device 0");
  ranks = gpu_ranks();
  for (const int r : {0, 1}) ranks[static_cast<std::size_t>(r)].place.devices = 4;
  expect(check_devices(ranks), Verdict::slow, "idle: 2 of 4 on node1", "start 4 ranks");
}

TEST(RankChecks, notice_a_device_whose_memory_others_hold) {
  Ranks ranks = gpu_ranks();
  ranks[2].place.state.free_bytes = GiB / 4;
  expect(check_devices(ranks), Verdict::slow, "only 256 MiB are free on that of rank 2", "nvidia-smi");
}

TEST(RankChecks, notice_gpus_that_a_program_for_cpus_cannot_use) {
  Ranks ranks = healthy_ranks();
  ranks[2].nvidia_gpus = 8;
  expect(check_devices(ranks), Verdict::slow, "node2 shows 8 NVIDIA GPUs", "GPU preset");
}

TEST(RankChecks, want_gpu_aware_mpi_only_where_ranks_exchange_device_memory) {
  Ranks ranks = gpu_ranks();
  ranks[0].gpu_aware = false;
  expect(check_gpu_aware(ranks), Verdict::slow, "no", "MPICH_GPU_SUPPORT_ENABLED=1");
  expect(check_gpu_aware({ranks[0]}), Verdict::ok, "not needed by one rank");
  Ranks on_cpus = healthy_ranks();
  expect(check_gpu_aware(on_cpus), Verdict::ok, "not needed on CPUs");
}

TEST(RankChecks, call_clocks_apart_slow_and_a_clock_without_a_date_wrong) {
  Ranks ranks = healthy_ranks();
  ranks[2].clock += 90;
  expect(check_clock(ranks), Verdict::slow, "1 min 30 s", "NTP");
  ranks[2].clock = 5000;
  expect(check_clock(ranks), Verdict::wrong, "rank 2 on node2: before 2020", "NTP");
}

TEST(CoreCheck, names_ranks_that_are_bound_to_the_same_core) {
  Ranks ranks = healthy_ranks({"node1"});
  ranks.push_back(healthy("node1", 2));
  ranks[1].processors = ranks[1].cores = {2};
  expect(check_cores(ranks), Verdict::slow, "3 ranks on 2 cores of node1", "--bind-to none");
  ranks[0].processors = ranks[0].cores = {0, 1, 3};
  expect(check_cores(ranks), Verdict::slow, "ranks 1-2 are bound to core 2", "--bind-to core");
}

TEST(CoreCheck, moves_ranks_to_other_cores_of_theirs_before_it_complains) {
  // Rank 0 takes core 0 first and must give way to rank 1, and so on.
  Ranks ranks;
  for (int r = 0; r < 4; ++r) {
    ranks.push_back(healthy("node1", 0));
    ranks.back().processors = ranks.back().cores = r < 3 ? std::vector<int>{0, r + 1} : std::vector<int>{0};
  }
  expect(check_cores(ranks), Verdict::ok, "4 ranks on 4 cores of node1, bound");
  ranks[2].processors = ranks[2].cores = {0, 1};
  ranks[1].processors = ranks[1].cores = {2, 3};
  expect(check_cores(ranks), Verdict::slow, "ranks 0,2-3 are bound to cores 0-1", "--bind-to core");
}

TEST(CoreCheck, counts_two_hardware_threads_of_a_core_as_one) {
  Ranks ranks = healthy_ranks({"node1"});
  ranks[0].processors = {0, 4};
  ranks[0].cores = {0, 0};
  ranks[1].processors = {4};
  ranks[1].cores = {0};
  expect(check_cores(ranks), Verdict::slow, "2 ranks on 1 core of node1", "start at most 1 rank");
}

TEST(CoreCheck, wants_no_more_ranks_than_cores) {
  Ranks ranks = healthy_ranks({"node1"});
  for (RankFacts& rank : ranks) {
    rank.processors = rank.cores = {0};
    rank.processor_count = 1;
  }
  ranks.push_back(healthy("node2", 0));
  expect(check_cores(ranks), Verdict::slow, "2 ranks on 1 core of node1; 1 rank on 1 core of node2",
         "at most 1 rank on node1");
}

TEST(CoreCheck, wants_a_processor_for_every_thread) {
  Ranks ranks = healthy_ranks({"node1"});
  for (RankFacts& rank : ranks) {
    rank.processors = rank.cores = {0, 1, 2, 3};
    rank.concurrency = 2;
  }
  expect(check_cores(ranks), Verdict::ok, "2 ranks on 4 cores of node1, not bound");
  for (RankFacts& rank : ranks) rank.concurrency = 4;
  expect(check_cores(ranks), Verdict::slow, "with 8 threads together", "OMP_NUM_THREADS=2");
  ranks[1].processors = ranks[1].cores = {3};
  expect(check_cores(ranks), Verdict::slow, "rank 1 has 4 threads on 1 processor", "--cpus-per-task");
}

TEST(CoreCheck, respects_the_time_that_a_control_group_grants) {
  Ranks ranks = healthy_ranks({"node1"});
  for (RankFacts& rank : ranks) rank.processor_quota = 2;
  expect(check_cores(ranks), Verdict::ok, "2 ranks");
  for (RankFacts& rank : ranks) rank.processor_quota = 1.5;
  expect(check_cores(ranks), Verdict::slow, "grants the time of 1.5", "at most 1 rank");
}

}  // namespace
}  // namespace krossfold::doctor
