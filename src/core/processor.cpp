// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/processor.hpp"

#include <sched.h>
#include <unistd.h>

#include <fstream>

#include "krossfold/core/text.hpp"

namespace krossfold {

namespace {

struct InstructionSet {
  const char* name;
  int level;  ///< the first that has it; 5 for those beyond the levels
  bool compiled, present;
};

#if defined(__x86_64__)
// KROSSFOLD_SET(name of __builtin_cpu_supports, macro of the compiler, level)
#define KROSSFOLD_WORD(name) #name
// An undefined macro leaves its own name, which is longer than the 1 of a defined one.
#define KROSSFOLD_IS_DEFINED(macro) (sizeof(KROSSFOLD_WORD(macro)) == sizeof("1"))
#define KROSSFOLD_SET(name, macro, level) \
  InstructionSet { name, level, KROSSFOLD_IS_DEFINED(macro), __builtin_cpu_supports(name) != 0 }

std::vector<InstructionSet> instruction_sets() {
  return {KROSSFOLD_SET("sse3", __SSE3__, 2),
          KROSSFOLD_SET("ssse3", __SSSE3__, 2),
          KROSSFOLD_SET("sse4.1", __SSE4_1__, 2),
          KROSSFOLD_SET("sse4.2", __SSE4_2__, 2),
          KROSSFOLD_SET("popcnt", __POPCNT__, 2),
          KROSSFOLD_SET("avx", __AVX__, 3),
          KROSSFOLD_SET("avx2", __AVX2__, 3),
          KROSSFOLD_SET("fma", __FMA__, 3),
          KROSSFOLD_SET("bmi", __BMI__, 3),
          KROSSFOLD_SET("bmi2", __BMI2__, 3),
          KROSSFOLD_SET("avx512f", __AVX512F__, 4),
          KROSSFOLD_SET("avx512bw", __AVX512BW__, 4),
          KROSSFOLD_SET("avx512cd", __AVX512CD__, 4),
          KROSSFOLD_SET("avx512dq", __AVX512DQ__, 4),
          KROSSFOLD_SET("avx512vl", __AVX512VL__, 4),
          KROSSFOLD_SET("avx512ifma", __AVX512IFMA__, 5),
          KROSSFOLD_SET("avx512vbmi", __AVX512VBMI__, 5),
          KROSSFOLD_SET("avx512vbmi2", __AVX512VBMI2__, 5),
          KROSSFOLD_SET("avx512vnni", __AVX512VNNI__, 5),
          KROSSFOLD_SET("avx512bitalg", __AVX512BITALG__, 5),
          KROSSFOLD_SET("avx512vpopcntdq", __AVX512VPOPCNTDQ__, 5),
          KROSSFOLD_SET("gfni", __GFNI__, 5),
          KROSSFOLD_SET("vpclmulqdq", __VPCLMULQDQ__, 5)};
}
#else
std::vector<InstructionSet> instruction_sets() { return {}; }
#endif

/// The highest level whose instruction sets, and those of the levels below, all have the property.
int level_of(bool InstructionSet::*property) {
  const auto sets = instruction_sets();
  if (sets.empty()) return 0;
  int level = 4;
  for (const InstructionSet& set : sets) {
    if (!(set.*property) && set.level <= level) level = set.level - 1;
  }
  return level;
}

}  // namespace

int processor_level() { return level_of(&InstructionSet::present); }

int build_level() { return level_of(&InstructionSet::compiled); }

std::string level_name(int level) {
  if (level <= 0) return "no x86-64 processor";
  return level == 1 ? "x86-64" : text("x86-64-v", level);
}

std::vector<std::string> missing_instructions() {
  std::vector<std::string> missing;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.compiled && !set.present) missing.emplace_back(set.name);
  }
  return missing;
}

std::vector<int> usable_processors() {
  constexpr int most = 16384;
  cpu_set_t* set = CPU_ALLOC(most);
  const std::size_t size = CPU_ALLOC_SIZE(most);
  CPU_ZERO_S(size, set);
  std::vector<int> usable;
  if (sched_getaffinity(0, size, set) == 0) {
    for (int k = 0; k < most; ++k) {
      if (CPU_ISSET_S(static_cast<std::size_t>(k), size, set)) usable.push_back(k);
    }
  }
  CPU_FREE(set);
  return usable;
}

std::vector<int> cores_of(const std::vector<int>& processors) {
  std::vector<int> cores;
  for (const int processor : processors) {
    std::ifstream file(text("/sys/devices/system/cpu/cpu", processor, "/topology/thread_siblings_list"));
    int first = processor;
    if (int found = 0; file >> found) first = found;
    cores.push_back(first);
  }
  return cores;
}

int processor_count() { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }

}  // namespace krossfold
