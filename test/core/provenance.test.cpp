// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/provenance.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <regex>
#include <sstream>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold {
namespace {

TEST(Provenance, build_info_tells_how_it_was_built) {
  const BuildInfo info = build_info();
  EXPECT_TRUE(std::regex_match(info.version, std::regex(R"(\d+\.\d+\.\d+)"))) << info.version;
  EXPECT_TRUE(std::regex_match(info.git_commit, std::regex("unknown|[0-9a-f]{40}(-dirty)?"))) << info.git_commit;
  EXPECT_TRUE(std::regex_match(info.compiler, std::regex(R"(\w+ \d+\.\d+.*)"))) << info.compiler;
  EXPECT_EQ(info.kokkos, kokkos_version() + " (" + Device::name() + ")");
}

TEST(Provenance, the_processors_are_those_of_the_flags) {
  const BuildInfo info = build_info();
  EXPECT_EQ(info.flags.find("-march=") != std::string::npos, !info.arch.empty());
  if (!info.arch.empty()) {
    EXPECT_NE(info.flags.find("-march=" + info.arch), std::string::npos) << info.flags;
  }
}

TEST(Provenance, the_flags_are_those_of_the_rules_and_no_fast_math) {
  const std::string flags = build_info().flags;
  for (const char* wanted : {"-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd"})
    EXPECT_NE(flags.find(wanted), std::string::npos) << flags;
  EXPECT_EQ(flags.find("fast"), std::string::npos) << flags;
  EXPECT_EQ(flags.find('$'), std::string::npos) << "an expression was left: " << flags;
}

TEST(Provenance, slow_openblas_kernels_are_replaced_by_what_the_processor_can_do) {
  for (const char* old : {"Prescott", "Nehalem", "Sandybridge", "Core2", "Dunnington", "Barcelona", "generic"}) {
    EXPECT_EQ(better_blas_kernel(old, true, true), "SKYLAKEX") << old;
    EXPECT_EQ(better_blas_kernel(old, false, true), "HASWELL") << old;
    EXPECT_EQ(better_blas_kernel(old, false, false), "") << old;
  }
  for (const char* avx2_only : {"Haswell", "Zen", "Excavator"}) {
    EXPECT_EQ(better_blas_kernel(avx2_only, true, true), "SKYLAKEX") << avx2_only;
    EXPECT_EQ(better_blas_kernel(avx2_only, false, true), "") << avx2_only;
  }
}

TEST(Provenance, fast_and_unknown_blas_kernels_are_left_alone) {
  for (const char* kernel : {"SkylakeX", "Cooperlake", "SapphireRapids", "Zen4", "ARMV8", "FromTheFuture", ""})
    EXPECT_EQ(better_blas_kernel(kernel, true, true), "") << kernel;
}

TEST(Provenance, names_the_kernel_once_openblas_is_loaded) {
  if (dlsym(RTLD_DEFAULT, "openblas_get_corename") == nullptr) {
    EXPECT_EQ(blas_kernel(), "unknown BLAS");
    EXPECT_EQ(better_blas_kernel(), "");
  }
  if (dlopen("libopenblas.so.0", RTLD_NOW | RTLD_GLOBAL) == nullptr) GTEST_SKIP() << "no libopenblas.so.0 here";
  EXPECT_TRUE(std::regex_match(blas_kernel(), std::regex(R"(OpenBLAS \w+)"))) << blas_kernel();
}

TEST(Provenance, the_processor_is_one_that_the_system_names) {
  const std::string name = cpu_name();
  ASSERT_FALSE(name.empty());
  if (name == "unknown processor") GTEST_SKIP() << "/proc/cpuinfo has no model name here";
  std::ifstream file("/proc/cpuinfo");
  std::stringstream all;
  all << file.rdbuf();
  EXPECT_NE(all.str().find(": " + name + "\n"), std::string::npos) << name;
}

TEST(Provenance, the_host_is_the_one_that_the_kernel_names) {
  std::ifstream file("/proc/sys/kernel/hostname");
  std::string name;
  if (!(file >> name)) GTEST_SKIP() << "no /proc/sys/kernel/hostname here";
  EXPECT_EQ(host_name(), name);
}

TEST(Provenance, now_is_now_in_utc) {
  const std::time_t before = std::time(nullptr);
  const std::string now = utc_now();
  const std::time_t after = std::time(nullptr);
  ASSERT_TRUE(std::regex_match(now, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))) << now;
  std::tm fields{};
  ASSERT_NE(strptime(now.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields), nullptr);
  const std::time_t read = timegm(&fields);
  EXPECT_GE(read, before);
  EXPECT_LE(read, after);
}

}  // namespace
}  // namespace krossfold
