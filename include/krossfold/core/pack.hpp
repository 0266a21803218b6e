// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A vector register of floats for host loops with many accumulators: compilers vectorise such loops, but keep arrays of
// accumulators in memory. Uses GCC's vector extension, also supported by clang and nvcc's host pass. Host code only.

#include <cstring>

/// Unrolls the next loop, whose trip count is a compile-time constant, so that arrays it indexes can stay in registers.
#if defined(__CUDACC__)
#define KROSSFOLD_UNROLL
#else
#define KROSSFOLD_UNROLL _Pragma("GCC unroll 16")
#endif

namespace krossfold {

#if defined(__AVX512F__)
inline constexpr int pack_size = 16;
#else
inline constexpr int pack_size = 8;
#endif

using Pack = float __attribute__((vector_size(pack_size * sizeof(float))));
using PackIndex = int __attribute__((vector_size(pack_size * sizeof(int))));

inline Pack load_pack(const float* from) {
  Pack pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}

inline void store_pack(float* to, Pack pack) { std::memcpy(to, &pack, sizeof pack); }

inline Pack all_lanes(float value) { return value - Pack{}; }

/// Lane i is that of a for index[i] < pack_size, else lane index[i] - pack_size of b.
[[gnu::always_inline]] inline Pack shuffled(Pack a, Pack b, PackIndex index) {
#if defined(__clang__)
  Pack found{};
  for (int i = 0; i < pack_size; ++i) found[i] = index[i] < pack_size ? a[index[i]] : b[index[i] - pack_size];
  return found;
#else
  return __builtin_shuffle(a, b, index);
#endif
}

/// Sums horizontally: lane i of the result is the sum over all lanes of pack[i], for i < count <= pack_size; the other
/// lanes hold zeros or copies. The summation is pairwise.
template <int count, int width = pack_size>
[[gnu::always_inline]] inline Pack lane_sums(const Pack* pack) {
  if constexpr (width == 1) {
    return pack[0];
  } else {
    constexpr int pairs = (count + 1) / 2;
    PackIndex even{}, odd{};
    KROSSFOLD_UNROLL
    for (int i = 0; i < pack_size; ++i) {
      even[i] = 2 * i;
      odd[i] = 2 * i + 1;
    }
    Pack sum[pairs];
    KROSSFOLD_UNROLL
    for (int i = 0; i < pairs; ++i) {
      const Pack a = pack[2 * i], b = 2 * i + 1 < count ? pack[2 * i + 1] : Pack{};
      sum[i] = shuffled(a, b, even) + shuffled(a, b, odd);
    }
    return lane_sums<pairs, width / 2>(sum);
  }
}

}  // namespace krossfold
