// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/processor.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace krossfold {
namespace {

/// The flags of the first processor in /proc/cpuinfo.
std::set<std::string> flags_of_the_kernel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(Processor, has_the_level_that_the_flags_of_the_kernel_tell) {
  const auto flags = flags_of_the_kernel();
  if (flags.empty()) GTEST_SKIP() << "no x86 flags in /proc/cpuinfo";
  const auto all = [&](const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return flags.contains(name); });
  };
  int level = 1;
  if (all({"pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "cx16"})) level = 2;
  if (level == 2 && all({"avx", "avx2", "fma", "bmi1", "bmi2", "f16c", "movbe"})) level = 3;
  if (level == 3 && all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) level = 4;
  EXPECT_EQ(processor_level(), level);
}

TEST(Processor, on_which_the_tests_run_has_all_that_they_were_compiled_for) {
  EXPECT_LE(build_level(), processor_level());
  EXPECT_TRUE(missing_instructions().empty());
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512CD__)
  EXPECT_EQ(build_level(), 4);
#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
  EXPECT_EQ(build_level(), 3);
#elif defined(__x86_64__) && !defined(__SSE4_2__)
  EXPECT_EQ(build_level(), 1);
#endif
}

TEST(Processor, levels_have_the_names_that_compilers_take) {
  EXPECT_EQ(level_name(1), "x86-64");
  EXPECT_EQ(level_name(3), "x86-64-v3");
  EXPECT_EQ(level_name(0), "no x86-64 processor");
}

TEST(Processor, usable_ones_are_those_to_which_the_thread_is_bound) {
  const auto before = usable_processors();
  ASSERT_FALSE(before.empty());
  std::vector<int> bound;
  std::thread([&] {  // its binding ends with it
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(before.back(), &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    bound = usable_processors();
  })
      .join();
  EXPECT_EQ(bound, std::vector<int>{before.back()});
  EXPECT_EQ(usable_processors(), before);
}

TEST(Processor, threads_of_a_core_give_the_same_number_and_each_core_its_first) {
  const auto processors = usable_processors();
  const auto cores = cores_of(processors);
  ASSERT_EQ(cores.size(), processors.size());
  for (std::size_t k = 0; k < cores.size(); ++k) EXPECT_LE(cores[k], processors[k]);
  EXPECT_EQ(cores_of({1000000}), std::vector<int>{1000000});  // one that the machine does not have
}

}  // namespace
}  // namespace krossfold
