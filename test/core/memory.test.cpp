// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace krossfold {
namespace {

/// A folder in which control groups are "mounted", deleted at the end of the test.
class ControlGroups : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "krossfold-groups-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
  }
  void TearDown() override { std::filesystem::remove_all(root); }
  void put(const std::string& file, const std::string& content) const {
    const std::filesystem::path path = root + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content << "\n";
  }
  GroupLimits limits(const std::string& membership) const { return group_limits(membership, root); }

  std::string root;
};

TEST_F(ControlGroups, of_version_2_limit_by_the_tightest_above) {
  put("slurm/memory.max", "8000000");
  put("slurm/memory.current", "5000000");
  put("slurm/memory.stat", "anon 1000000\ninactive_file 1500000\nfile 0");
  put("slurm/job/memory.max", "max");
  put("slurm/job/cpu.max", "max 100000");
  put("slurm/job/step/memory.max", "9000000");
  put("slurm/job/step/memory.current", "10");
  put("slurm/job/step/cpu.max", "250000 100000");
  const GroupLimits found = limits("0::/slurm/job/step\n");
  EXPECT_EQ(found.memory, 8000000u);
  EXPECT_EQ(found.used, 3500000u) << "what the kernel takes back first is not in use";
  EXPECT_DOUBLE_EQ(found.processors, 2.5);
}

TEST_F(ControlGroups, of_version_1_limit_by_controller) {
  put("memory/docker/c1/memory.limit_in_bytes", "4000000");
  put("memory/docker/c1/memory.usage_in_bytes", "3000000");
  put("memory/docker/c1/memory.stat", "cache 5\ntotal_inactive_file 500000");
  put("memory/memory.limit_in_bytes", "9223372036854771712");
  put("cpu,cpuacct/docker/c1/cpu.cfs_quota_us", "150000");
  put("cpu,cpuacct/docker/c1/cpu.cfs_period_us", "100000");
  const GroupLimits found = limits("9:name=systemd:/\n5:cpu,cpuacct:/docker/c1\n4:memory:/docker/c1\n0::/\n");
  EXPECT_EQ(found.memory, 4000000u);
  EXPECT_EQ(found.used, 2500000u);
  EXPECT_DOUBLE_EQ(found.processors, 1.5);
}

TEST_F(ControlGroups, of_a_container_are_at_the_root_whatever_path_is_told) {
  put("memory.max", "2000000");
  put("memory.current", "100");
  EXPECT_EQ(limits("0::/../../outside").memory, 2000000u);
}

TEST_F(ControlGroups, without_limits_give_none) {
  put("memory.max", "max");
  put("cpu.max", "max 100000");
  put("memory/memory.limit_in_bytes", "9223372036854771712");
  put("cpu/cpu.cfs_quota_us", "-1");
  put("cpu/cpu.cfs_period_us", "100000");
  for (const char* membership : {"0::/", "3:cpu:/\n4:memory:/", "", "nonsense"}) {
    const GroupLimits found = limits(membership);
    EXPECT_EQ(found.memory, 0u) << membership;
    EXPECT_EQ(found.used, 0u) << membership;
    EXPECT_EQ(found.processors, 0) << membership;
  }
}

TEST(Memory, is_that_of_the_machine_or_less) {
  struct sysinfo info {};
  ASSERT_EQ(sysinfo(&info), 0);
  const auto all = static_cast<std::uint64_t>(info.totalram) * info.mem_unit;
  EXPECT_LE(memory_limit(), all);
  EXPECT_GT(memory_limit(), 0u);
  EXPECT_LE(free_memory(), memory_limit());
  EXPECT_GT(free_memory(), 0u);
}

TEST(ProcessMemory, grows_with_what_is_written_and_keeps_the_most) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const ProcessMemory before = process_memory();
  ASSERT_GT(before.now, 0u);
  EXPECT_GE(before.most_so_far, before.now);
  void* taken = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(taken, MAP_FAILED);
  std::memset(taken, 1, bytes);
  EXPECT_GE(process_memory().now, before.now + bytes / 10 * 9);
  ASSERT_EQ(munmap(taken, bytes), 0);
  EXPECT_GE(process_memory().most_so_far, before.now + bytes / 10 * 9);
  EXPECT_LE(process_memory().now, before.now + bytes / 2);
}

}  // namespace
}  // namespace krossfold
