// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the processor can do, and what this program was compiled for.

#include <string>
#include <vector>

namespace krossfold {

/// The level of an x86-64 processor, from 1 ("x86-64") to 4 ("x86-64-v4", AVX-512); 0 on other architectures.
/// Levels: x86-64 psABI, section 3.1.1.
int processor_level();

/// The highest level that the compiler was allowed to use for this program (KROSSFOLD_ARCH); 0 on other architectures.
int build_level();

/// "x86-64", "x86-64-v2", ...; "no x86-64 processor" for 0.
std::string level_name(int level);

/// The instruction sets that the compiler was allowed to use and that this processor does not have ("avx512f"): with any of
/// them missing, the program may end with an illegal instruction at any time.
std::vector<std::string> missing_instructions();

/// The logical processors that this process may use, in ascending order (sched_getaffinity).
std::vector<int> usable_processors();

/// For each of these logical processors, the first one of its core: two hardware threads of one core give the same number.
std::vector<int> cores_of(const std::vector<int>& processors);

/// Number of logical processors of the machine that are online.
int processor_count();

}  // namespace krossfold
