// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Random123/philox.h>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/random.hpp"

namespace krossfold {

/// random_block() for kernels. The precondition draw < 2^48 is not checked.
KOKKOS_INLINE_FUNCTION r123::Philox4x32::ctr_type philox(const StreamId& stream, std::uint64_t draw) {
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(draw), std::uint32_t{stream.purpose} << 16 | stream.fold, stream.trial,
       std::uint32_t{stream.bootstrap} << 16 | static_cast<std::uint32_t>(draw >> 32)}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)}};
  return r123::Philox4x32_R<10>()(counter, key);
}

struct PhiloxWords {
  std::uint32_t word[4];
};

/// Same result as philox(), written so that a KROSSFOLD_SIMD loop over blocks vectorises.
KOKKOS_INLINE_FUNCTION PhiloxWords philox_words(const StreamId& stream, std::uint64_t draw) {
  auto c0 = static_cast<std::uint32_t>(draw), c1 = std::uint32_t{stream.purpose} << 16 | stream.fold, c2 = stream.trial,
       c3 = std::uint32_t{stream.bootstrap} << 16 | static_cast<std::uint32_t>(draw >> 32);
  auto k0 = static_cast<std::uint32_t>(stream.seed), k1 = static_cast<std::uint32_t>(stream.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0, p1 = std::uint64_t{0xCD9E8D57u} * c2;
    const auto high0 = static_cast<std::uint32_t>(p0 >> 32), high1 = static_cast<std::uint32_t>(p1 >> 32);
    c0 = high1 ^ c1 ^ k0;
    c2 = high0 ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace krossfold
